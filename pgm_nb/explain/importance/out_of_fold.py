"""How well a model predicts rows it was not trained on while only some of the attributes are known.

In every fold a copy of the model is trained once. It then predicts the rows left out with cells hidden: what
is not known counts as unknown, as in any row with gaps. So any set of attributes can be scored without
another fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places
from pgm_nb.engine.sums import normalise
from pgm_nb.errors import DataError
from pgm_nb.explain.case_values import rows_and_labels
from pgm_nb.scoring.folds import Fold, Progress, in_parallel, make_folds
from pgm_nb.scoring.significance import corrected_error

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_ROWS", "Known", "OutOfFold", "Ranked", "fit_fold", "out_of_fold"]

MOST_ROWS = 2_000  # rows that are predicted; more of them change no order
CELLS = 1 << 22  # cells of hidden rows that are made at once
FLOOR = float(np.finfo(np.float64).eps)  # of a probability, as in `pgm_nb.scoring.metrics.log_loss`
CONFIDENCE = 0.95  # of the intervals

Known = NDArray[np.bool_]  # (sets, d): which attributes are known in each set
Scorer = Callable[[Known], Floats]  # log posteriors (sets, n, k)


class Ranked(Protocol):
    """What ranking attributes asks of a model: to predict rows with unknown cells.

    A model may have `partial_scorer` besides, which hides cells faster or better than `NaN` does.
    """

    classes_: NDArray[Any]

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from a table and its labels."""

    def predict_proba(self, X: Any) -> Floats:
        """Class posterior of every row, (n, k)."""


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """A model trained without each fold in turn, ready to predict the fold with any attributes known.

    Examples
    --------
    >>> import numpy as np
    >>> import pgm_nb as pnb
    >>> folds = out_of_fold(pnb.NaiveBayes(), *pnb.load_sample("iris"))
    >>> nothing, everything = np.zeros((1, 4), dtype=bool), np.ones((1, 4), dtype=bool)
    >>> bool(folds.losses(everything).mean() < folds.losses(nothing).mean())
    True
    """

    names: tuple[str, ...]
    target: str
    scorers: tuple[Scorer, ...]  #: one for each fold
    truths: tuple[Places, ...]  #: the classes of each fold's rows
    learned_from: float  #: rows that a model is trained on, in the mean over the folds

    @property
    def n_rows(self) -> int:
        """Rows that are predicted, in all folds together."""
        return sum(map(len, self.truths))

    def losses(self, known: Known) -> Floats:
        """Return the log-loss of every row for every set of known attributes, in bits, (sets, rows).

        A probability below 2^-52 counts as 2^-52.
        """
        parts = []
        for score, truth in zip(self.scorers, self.truths, strict=True):
            right = np.exp(score(known)[:, np.arange(len(truth)), truth])
            parts.append(-np.log2(np.clip(right, FLOOR, 1.0)))
        return np.concatenate(parts, axis=1)

    def interval(self, values: Floats, more: Floats | float = 0.0) -> tuple[Floats, Floats, Floats]:
        """Return the mean of values (m, rows) over the rows, and where its interval begins and ends.

        Student's t with the standard error of `corrected_error`, as in `compare`: models of different folds
        learn from much the same rows, so what they get wrong goes together. Here every row is a test of its
        own; folds would be too few to say how much values vary. `more` is a standard error from elsewhere,
        such as sampling, which is added in squares.
        """
        from scipy.stats import t

        mean: Floats = values.mean(axis=1)
        error = np.array([corrected_error(each, 1 / self.learned_from) for each in values])
        width = t.ppf((1 + CONFIDENCE) / 2, values.shape[1] - 1) * np.hypot(error, more)
        return mean, mean - width, mean + width


def out_of_fold(
    model: Ranked,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    random_state: int | None = 0,
    max_rows: int | None = MOST_ROWS,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> OutOfFold:
    """Train a copy of the model without each fold in turn.

    Parameters
    ----------
    model : classifier
        Of this package, or any with `predict_proba` that takes `NaN` for unknown; it is copied.
    X, y
        Table and labels.
    cv : int, str, splitter of scikit-learn, or iterable of pairs of arrays
        As in `importance_curve`.
    random_state : int, optional
        Which folds, and which rows of a large table are predicted.
    max_rows : int or None
        Rows to predict, of all folds together; None for all. The models learn from all rows in any case.
    n_jobs : int
        Processes that share the fits.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.
    """
    check_classifier(model)
    frame, labels = rows_and_labels(X, y)
    classes, codes = np.unique(labels.to_numpy(), return_inverse=True)
    folds = make_folds(frame, labels.to_numpy(), cv, random_state)
    if len(folds) < 2:
        raise DataError(f"cross-validation needs at least 2 folds, but cv gives {len(folds)}: ask for more.")
    work = partial(fit_fold, model, frame, labels, len(classes))
    models = in_parallel(work, folds, n_jobs=n_jobs, progress=progress)
    tests = _drawn([fold.test for fold in folds], max_rows, random_state)
    return OutOfFold(
        tuple(map(str, frame.columns)),
        str(labels.name) if labels.name is not None else "class",
        tuple(_scorer(one, frame.iloc[test]) for one, test in zip(models, tests, strict=True)),
        tuple(codes[test] for test in tests),
        float(np.mean([len(fold.train) for fold in folds])),
    )


def check_classifier(model: object) -> None:
    """Refuse what cannot be asked for probabilities."""
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict_proba")):
        given = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
        raise DataError(
            f"importance needs a classifier that predicts probabilities, but was given {given}; pass the "
            "model itself, such as pnb.NaiveBayes()."
        )


def fit_fold(model: Any, frame: pd.DataFrame, labels: pd.Series, n_classes: int, fold: Fold) -> Any:
    """Train a copy of the model on the training rows of a fold, which must hold every class."""
    from sklearn.base import clone

    fitted = clone(model).fit(frame.iloc[fold.train], labels.iloc[fold.train])
    if len(fitted.classes_) < n_classes:
        lost = sorted({*map(str, labels.unique())} - {*map(str, fitted.classes_)})
        raise DataError(
            f"every training fold must hold every class, but one holds no row of class {lost[0]}; "
            "use fewer folds or leave that class out"
        )
    return fitted


def _drawn(tests: Sequence[Places], most: int | None, random_state: int | None) -> list[Places]:
    """Draw from the rows of every fold, in proportion, if there are too many together."""
    total = sum(map(len, tests))
    if most is None or total <= most:
        return list(tests)
    rng = np.random.default_rng(random_state)
    return [
        np.sort(rng.choice(test, max(1, round(len(test) * most / total)), replace=False)) for test in tests
    ]


def _scorer(model: Any, frame: pd.DataFrame) -> Scorer:
    """Return what predicts these rows while only some attributes are known."""
    own = getattr(model, "partial_scorer", None)
    if own is None:
        return partial(_predict_hidden, model, frame)
    score, prior = own(frame), model.class_log_prior_

    def posterior(known: Known) -> Floats:
        scores = score(known)
        return normalise(scores.reshape(-1, scores.shape[-1]), prior).reshape(scores.shape)

    return posterior


def _predict_hidden(model: Any, frame: pd.DataFrame, known: Known) -> Floats:
    """Predict copies of the rows in which unknown cells are empty, many at a time."""
    at_once = max(1, CELLS // max(frame.size, 1))
    found = []
    for start in range(0, len(known), at_once):
        sets = known[start : start + at_once]
        rows = hidden_rows(frame, sets)
        try:
            posterior = model.predict_proba(rows)
        except ValueError as problem:
            raise DataError(
                f"{type(model).__name__} cannot predict rows with unknown cells, which importance asks for: "
                f"{problem}"
            ) from problem
        found.append(posterior.reshape(len(sets), len(frame), -1))
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(np.concatenate(found))
    return logs


def hidden_rows(frame: pd.DataFrame, known: Known) -> pd.DataFrame:
    """Return the rows once for every set, one set below the other, with empty cells where not known.

    Examples
    --------
    >>> import pandas as pd
    >>> hidden_rows(pd.DataFrame({"age": [31, 64], "sex": ["f", "m"]}), np.array([[True, False]]))
       age  sex
    0   31  NaN
    1   64  NaN
    """
    import pandas as pd

    copies = pd.concat([frame] * len(known), ignore_index=True)
    shown = np.repeat(known, len(frame), axis=0)
    columns = {}
    for place, (name, column) in enumerate(copies.items()):
        if pd.api.types.is_bool_dtype(column.dtype):
            column = column.astype("boolean")
        columns[name] = column if shown[:, place].all() else column.where(shown[:, place])
    return pd.DataFrame(columns)
