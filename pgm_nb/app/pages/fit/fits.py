"""What the page of the fit shows: how much of the table each structure holds, and how it does on new rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.app.shell.fitting import Settings, learn, training_rows
from pgm_nb.app.shell.sources import Source
from pgm_nb.views.chart.fit import Fit, Loss
from pgm_nb.words import in_bits, proven_best, together

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "STRUCTURES",
    "curve",
    "data_part",
    "entrants",
    "finding",
    "fit_of",
    "held_out",
    "structures",
    "verdict",
]

EXACT = "Best tree (exact)"
STRUCTURES = {  # what they are called -> the settings that differ
    "Naive Bayes": {"model": "nb"},
    "GNB-A": {"model": "gnb", "search": "greedy"},
    "GNB-O": {"model": "gnb", "search": "optimal"},
    "TAN": {"model": "tan"},
    EXACT: {"model": "gnb", "search": "exact"},
}
OTHERS = ("hnb", "phnb", "gaussian", "local-pca", "kernel")  # they have no KL divergence
FOLDS = 5


def structures(source: Source, settings: Settings) -> dict[str, Any]:
    """Return the five structures of a table, learned with the same columns and groups."""
    return {name: learn(source, _variant(settings, changes)).model for name, changes in STRUCTURES.items()}


def data_part(settings: Settings) -> Settings:
    """Return the settings without what belongs to one model: what all results here depend on."""
    return _variant(settings, {})


def _variant(settings: Settings, changes: Mapping[str, str]) -> Settings:
    """Return the settings of another model on the same columns and groups; its own choices as at first."""
    kept: dict[str, Any] = {
        name: getattr(settings, name) for name in ("leave_out", "discretizer", "n_bins", "cuts", "missing")
    }
    return replace(Settings(settings.target), **(kept | dict(changes)))


def fit_of(name: str, model: Any) -> Fit:
    """Return how much of the table a structure holds.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> fit = fit_of("TAN", pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris")))
    >>> round(fit.relevance, 3), round(fit.dependence, 3), fit.gap
    (3.368, 0.97, 0.0)
    """
    relevance = float(sum((model.structure_.relevance or {}).values()))
    numbers = model.divergence_
    return Fit(name, relevance, max(0.0, numbers.weight - relevance), numbers.kl, max(0.0, numbers.gap))


def curve(model: Any) -> list[tuple[str, float]]:
    """Return the KL divergence after each attribute that joined, the first with none.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> [name for name, _ in curve(pnb.NaiveBayes().fit(*pnb.load_sample("iris")))]
    ['', 'petal width', 'petal length', 'sepal length', 'sepal width']
    """
    steps, numbers = model.importance_, model.divergence_
    found = zip(steps["attribute"], steps["kl"], strict=True)
    return [("", numbers.kl + numbers.weight), *((str(name), float(kl)) for name, kl in found)]


def finding(fits: Sequence[Fit]) -> str:
    """Say in plain words what naive Bayes, the first one, and the trees hold.

    Examples
    --------
    >>> print(finding([Fit("Naive Bayes", 1.0, 0.0, 2.0, 0.75), Fit("TAN", 1.0, 0.75, 1.25, 0.0)]))
    The columns tell 3.00 bits about each other. TAN holds 1.75 of them, and no tree can hold more; naive
    Bayes misses 0.75 bits of that.
    """
    naive, *trees = fits
    start = f"The columns tell {naive.total:.2f} bits about each other."
    if proven_best(naive.gap):
        return (
            f"{start} Naive Bayes holds {naive.weight:.2f} of them, and no tree can hold more: with the "
            "class known the attributes have nothing to tell about each other in pairs."
        )
    best = [fit.model for fit in trees if proven_best(fit.gap) and fit.model != EXACT] or ["The best tree"]
    hold = "holds" if len(best) == 1 else "hold"
    held = f"{together(best)} {hold} {naive.weight + naive.gap:.2f} of them, and no tree can hold more"
    short = [fit for fit in [*trees, naive] if not proven_best(fit.gap)]
    misses = [f"{_inside(fit.model)} misses {in_bits(fit.gap, 2)}" for fit in short]
    return f"{start} {held}; {together(misses)} of that."


def _inside(name: str) -> str:
    """Write a name within a sentence."""
    return "naive Bayes" if name == "Naive Bayes" else name


def entrants(settings: Settings) -> dict[str, Any]:
    """Return all models that are judged on new rows, not fitted yet."""
    from pgm_nb.models import MODELS

    titles = {kind.short_name: kind.title for kind in MODELS}
    models = {name: _variant(settings, changes).estimator() for name, changes in STRUCTURES.items()}
    return models | {titles[name]: _variant(settings, {"model": name}).estimator() for name in OTHERS}


def _folds(y: "pd.Series[Any]") -> int:
    """Return the number of folds: fewer where a class has only a few rows."""
    return max(2, min(FOLDS, int(y.value_counts().min())))


def held_out(
    frame: "pd.DataFrame", settings: Settings, progress: Callable[[float], object]
) -> tuple[tuple[Loss, ...], tuple[str, ...]]:
    """Return the log-loss of every model on its own rows and in cross-validation, and what went wrong."""
    from pgm_nb.data import encode_target
    from pgm_nb.evaluate import compare, with_preprocessing
    from pgm_nb.scoring.metrics import log_loss

    X, y = training_rows(frame, settings)
    models = entrants(settings)
    result = compare(models, X, y, cv=_folds(y), progress=lambda done: progress(0.85 * done))
    table = result.to_frame().set_index("model")
    _, truth = encode_target(np.asarray(y))
    losses = []
    for place, (name, model) in enumerate(models.items()):
        if not np.isnan(table["log_loss"][name]):
            seen = log_loss(with_preprocessing(model).fit(X, y).predict_proba(X), truth)
            losses.append(Loss(name, seen, float(table["log_loss"][name]), float(table["log_loss_se"][name])))
        progress(0.85 + 0.15 * (place + 1) / len(models))
    return tuple(losses), tuple(result.failure_sentences())


def verdict(losses: Sequence[Loss]) -> str:
    """Say which model does best on new rows, and whether holding more of the table helped.

    Examples
    --------
    >>> print(verdict([Loss("Naive Bayes", 0.2, 0.3, 0.01), Loss("TAN", 0.1, 0.4, 0.02)]))
    On rows it had not seen, Naive Bayes predicts best: it is surprised by 0.300 bits per row (± 0.010).
    TAN holds more of the table than naive Bayes, but on new rows it does worse (0.400 against 0.300 bits):
    part of what it holds may be chance.
    """
    best = min(losses, key=lambda loss: loss.unseen)
    sentence = (
        f"On rows it had not seen, {best.model} predicts best: it is surprised by {best.unseen:.3f} bits per "
        f"row (± {best.error:.3f})."
    )
    by_name = {loss.model: loss for loss in losses}
    if "TAN" not in by_name or "Naive Bayes" not in by_name:
        return sentence
    tree, naive = by_name["TAN"].unseen, by_name["Naive Bayes"].unseen
    numbers = f"({tree:.3f} against {naive:.3f} bits)"
    if tree > naive:
        return (
            f"{sentence} TAN holds more of the table than naive Bayes, but on new rows it does worse "
            f"{numbers}: part of what it holds may be chance."
        )
    return f"{sentence} What TAN holds beyond naive Bayes pays on new rows too {numbers}."
