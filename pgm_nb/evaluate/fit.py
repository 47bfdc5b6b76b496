"""How well structures fit a table: the information they capture, and whether that helps on new rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pgm_nb.arrays import Places
from pgm_nb.data import as_labels, encode_target
from pgm_nb.evaluate.comparison import Comparison
from pgm_nb.evaluate.crossvalidate import FAILURES, compare, with_preprocessing
from pgm_nb.scoring import metrics
from pgm_nb.scoring.folds import drawn_rows
from pgm_nb.views.chart.fit import Fit, Loss
from pgm_nb.words import SAME_BITS, Scale, in_bits, log_loss, loss_number, proven_best, together

__all__ = ["HeldOut", "fit_of", "fit_sentence", "held_out_losses", "kl_by_attribute", "loss_sentence"]

FOLDS = 5


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The log-loss of models on their own rows and on rows they have not seen."""

    losses: tuple[Loss, ...]  #: of the models that did not fail
    comparison: Comparison  #: the folds behind them

    @classmethod
    def of(cls, own: Mapping[str, float], comparison: Comparison) -> HeldOut:
        """Put the losses on the models' own rows beside those of a comparison."""
        table = comparison.to_frame().set_index("model")
        unseen, errors = table["log_loss"], table["log_loss_se"].fillna(0.0)  # one fold has no error
        done = [name for name in own if not np.isnan(unseen[name]) and not np.isnan(own[name])]
        losses = (Loss(name, own[name], float(unseen[name]), float(errors[name])) for name in done)
        return cls(tuple(losses), comparison)


def fit_of(name: str, model: Any) -> Fit:
    """Return how much of the information in a table a fitted structure captures.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> fit = fit_of("TAN", pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris")))
    >>> round(fit.relevance, 3), round(fit.dependence, 3), fit.gap
    (3.819, 2.079, 0.0)
    """
    apart = getattr(model.structure_, "apart", ())  # what says something and is left out
    relevance = float(sum(bits for n, bits in (model.structure_.relevance or {}).items() if n not in apart))
    numbers = model.divergence_
    return Fit(
        name,
        relevance,
        max(0.0, numbers.weight - relevance),
        numbers.kl,
        max(0.0, numbers.gap),
        numbers.proven,
    )


def kl_by_attribute(model: Any) -> list[tuple[str, float]]:
    """Return the KL divergence after each attribute that joined, starting with none.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> [name for name, _ in kl_by_attribute(pnb.NaiveBayes().fit(*pnb.load_sample("iris")))]
    ['', 'petal width', 'petal length', 'sepal length', 'sepal width']
    """
    steps, numbers = model.importance_, model.divergence_
    found = zip(steps["attribute"], steps["kl"], strict=True)
    return [("", numbers.kl + numbers.weight), *((str(name), float(kl)) for name, kl in found)]


def fit_sentence(fits: Sequence[Fit], *, scale: Scale | None = None) -> str:
    """Say how much naive Bayes, the first of the fits, and the trees capture.

    Examples
    --------
    >>> print(fit_sentence([Fit("Naive Bayes", 1.0, 0.0, 2.0, 0.75), Fit("TAN", 1.0, 0.75, 1.25, 0.0)]))
    The columns share 3.00 bits of information. A tree can capture at most 1.75 of them, and TAN does. Naive
    Bayes captures 0.75 bits less.
    """
    naive, *_ = fits
    if scale is not None:
        return _shares_sentence(fits, scale=scale)
    start = f"The columns share {in_bits(naive.total, 2, scale=scale)} of information."
    if proven_best(naive.gap):
        return (
            f"{start} {naive.model} captures {naive.weight:.2f} of them, and no tree can capture more: given "
            "the class, no pair of attributes shares any information."
        )
    most = naive.weight + naive.gap
    thick = [fit for fit in fits if not fit.proven or fit.weight > most + SAME_BITS]  # no trees
    trees = [fit for fit in fits if fit not in thick]
    best = [fit.model for fit in trees if proven_best(fit.gap)]
    reached = f", and {together(best)} {'does' if len(best) == 1 else 'do'}" if best else ""
    short = [fit for fit in [*trees[1:], naive] if not proven_best(fit.gap)]
    less = together([f"{fit.model} captures {in_bits(fit.gap, 2, scale=scale)} less" for fit in short])
    several = [f"{fit.model} captures {fit.weight:.2f}" for fit in thick]
    more = f" With several mothers, {together(several)}." if several else ""
    return f"{start} A tree can capture at most {most:.2f} of them{reached}. {less}.{more}"


def _shares_sentence(fits: Sequence[Fit], *, scale: Scale | None) -> str:
    """Say the same where amounts are shares of what the best tree captures."""
    naive, *_ = fits
    if proven_best(naive.gap):
        return (
            f"{naive.model} captures as much as any tree: given the class, no pair of attributes shares more."
        )
    trees = [fit for fit in fits if fit.proven]
    best = [fit.model for fit in trees if proven_best(fit.gap)]
    start = f"{together(best)} {'is a best tree' if len(best) == 1 else 'are best trees'}. " if best else ""
    rest = [fit for fit in fits if fit.model not in best]
    shares = together([f"{fit.model} captures {in_bits(fit.weight, scale=scale)}" for fit in rest])
    return f"{start}Of what the best tree captures, {shares}."


def held_out_losses(
    models: Mapping[str, Any],
    X: pd.DataFrame,
    y: pd.Series[Any],
    progress: Callable[[float], object],
    *,
    most_rows: int | None = None,
    watch: Callable[[HeldOut], object] | None = None,
) -> HeldOut:
    """Return the log-loss of every model on its own rows and in cross-validation, and what went wrong.

    Parameters
    ----------
    models : mapping of str to classifier
        Not fitted; a model that fails is left out.
    X, y
        The table; a class of few rows makes fewer folds.
    progress : callable
        Called with the fraction done.
    most_rows : int, optional
        Draw about this many rows at random if there are more, each class by its share.
    watch : callable, optional
        Called with what is known so far after every fold but the last.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> found = held_out_losses({"NB": pnb.NaiveBayes()}, X, y, lambda done: None, most_rows=60)
    >>> len(found.losses), found.comparison.n_rows, found.comparison.of_rows
    (1, 60, 150)
    """
    y = pd.Series(as_labels(y), name=y.name)  # without declared classes that no row has
    _, truth = encode_target(np.asarray(y))
    rows = drawn_rows(truth, most_rows, 0)
    tested, labels = X.iloc[rows], y.iloc[rows]
    own = {}
    for place, (name, model) in enumerate(models.items()):
        own[name] = _own_loss(model, tested, labels, truth[rows])
        progress(0.15 * (place + 1) / len(models))
    folds = max(2, min(FOLDS, int(labels.value_counts().min())))
    result = compare(
        models,
        X,
        y,
        cv=folds,
        most_rows=most_rows,
        progress=lambda done: progress(0.15 + 0.85 * done),
        watch=None if watch is None else lambda so_far: watch(HeldOut.of(own, so_far)),
    )
    return HeldOut.of(own, result)


def _own_loss(model: Any, X: pd.DataFrame, y: pd.Series[Any], truth: Places) -> float:
    """Return the log-loss of a model on the rows it learns from; NaN if it fails, as it will in the folds."""
    try:
        return metrics.log_loss(with_preprocessing(model).fit(X, y).predict_proba(X), truth)
    except FAILURES:
        return float("nan")


def loss_sentence(losses: Sequence[Loss], fits: Sequence[Fit], *, scale: Scale | None = None) -> str:
    """Say which model predicts best on new rows, and whether capturing more of the table helps there.

    Examples
    --------
    >>> fits = [Fit("Naive Bayes", 1.0, 0.0, 2.0, 0.75), Fit("TAN", 1.0, 0.75, 1.25, 0.0)]
    >>> print(loss_sentence([Loss("Naive Bayes", 0.2, 0.3, 0.01), Loss("TAN", 0.1, 0.4, 0.02)], fits))
    On rows it has not seen, Naive Bayes predicts best, with a log-loss of 0.300 bits per row (± 0.010).
    TAN captures more of this table than Naive Bayes but predicts new rows worse (0.400 against 0.300 bits):
    part of what it captures may be chance.
    """
    best = min(losses, key=lambda loss: loss.unseen)
    per_row = f" per row (± {best.error:.3f})" if scale is None else ""
    does = "predicts best," if len(losses) > 1 else "predicts"
    sentence = (
        f"On rows it has not seen, {best.model} {does} with {log_loss(best.unseen, scale=scale)}{per_row}."
    )
    naive, *trees = fits
    unseen = {loss.model: loss.unseen for loss in losses}
    closest = min((fit for fit in trees if fit.model in unseen), key=lambda fit: fit.gap, default=None)
    if closest is None or naive.model not in unseen or closest.weight <= naive.weight:
        return sentence
    tree, base = unseen[closest.model], unseen[naive.model]
    numbers = (
        f"({f'{tree:.3f}' if scale is None else loss_number(tree, scale=scale)} "
        f"against {loss_number(base, scale=scale)})"
    )
    more = f"{sentence} {closest.model} captures more of this table than {naive.model}"
    if tree > base:
        return f"{more} but predicts new rows worse {numbers}: part of what it captures may be chance."
    return f"{more}, and predicts new rows better too {numbers}."
