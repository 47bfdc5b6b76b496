"""Keep only some attributes: the smaller model, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.data import as_frame
from pgm_nb.errors import DataError
from pgm_nb.explain.importance.out_of_fold import MOST_ROWS, OutOfFold, Ranked, out_of_fold
from pgm_nb.scoring.parallel import Progress, part_of
from pgm_nb.words import did_you_mean, listed, percent, plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Cost", "Kept", "chosen_names", "keep_only"]


@dataclass(frozen=True)
class Cost:
    """One score of the whole and of the smaller model on rows not trained on.

    `low` and `high` bound the difference, after less before (95%, over folds).

    Examples
    --------
    >>> Cost(0.20, 0.25, 0.01, 0.09).sure
    True
    """

    before: float
    after: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        """Whether the folds agree that the score changes."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, eq=False)
class Kept:
    """A model of some of the attributes, and what the others were worth.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> kept = pnb.keep_only(pnb.NaiveBayes(), X, y, ["petal width"])
    >>> kept.model.attribute_names_, kept.left_out
    (('petal width',), ('sepal length', 'sepal width', 'petal length'))
    """

    names: tuple[str, ...]
    left_out: tuple[str, ...]
    model: Any  #: fitted on all rows
    log_loss: Cost  #: in bits per row
    accuracy: Cost

    def __str__(self) -> str:
        """Return the cost in words."""
        total = plural(len(self.names) + len(self.left_out), "attribute")
        loss, right = self.log_loss, self.accuracy
        change = (
            f"a difference of {loss.after - loss.before:+z.3f} bits (95% interval {loss.low:+z.3f} to "
            f"{loss.high:+z.3f})"
        )
        return (
            f"With {len(self.names)} of {total}, {percent(right.after, digits=1)} of rows not trained on are "
            f"classified correctly instead of {percent(right.before, digits=1)}, and the log-loss is "
            f"{loss.after:.3f} bits instead of {loss.before:.3f}, {change}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return both scores: before, after, and the interval of the difference."""
        import pandas as pd

        costs = {"log_loss": self.log_loss, "accuracy": self.accuracy}
        rows = [(name, c.before, c.after, c.low, c.high) for name, c in costs.items()]
        return pd.DataFrame(rows, columns=["score", "before", "after", "low", "high"])


def keep_only(
    model: Ranked,
    X: Any,
    y: Any,
    names: Sequence[str],
    *,
    cv: Any = 5,
    random_state: int | None = 0,
    max_rows: int | None = MOST_ROWS,
    n_jobs: int = 1,
    progress: Progress | None = None,
    whole: OutOfFold | None = None,
) -> Kept:
    """Learn the model anew from some attributes, and say what leaving the others out costs.

    Parameters
    ----------
    model : classifier
        Fitted or not; it is copied.
    X, y
        Table and labels.
    names : sequence of str
        Attributes to keep.
    cv, random_state, max_rows, n_jobs, progress
        As in `importance`. The whole and the smaller model are trained and tested on the same rows.
    whole : OutOfFold, optional
        The whole model without each fold in turn, where that is at hand already; made with the same settings.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing="backoff", n_bins=5)
    >>> pnb.keep_only(model, X, y, ["petal width", "petal length"]).to_frame().round(2)
          score  before  after   low  high
    0  log_loss    0.32   0.31 -0.08  0.06
    1  accuracy    0.91   0.89 -0.04  0.00
    """
    from sklearn.base import clone

    frame = as_frame(X)
    kept = chosen_names(names, [str(name) for name in frame.columns])
    settings = {"cv": cv, "random_state": random_state, "n_jobs": n_jobs, "max_rows": max_rows}
    if whole is None:
        whole = out_of_fold(model, frame, y, progress=part_of(progress, 0.0, 0.5), **settings)
    small = out_of_fold(model, frame[list(kept)], y, progress=part_of(progress, 0.5, 0.9), **settings)
    (loss, right), (small_loss, small_right) = _scores(whole), _scores(small)
    return Kept(
        kept,
        tuple(str(name) for name in frame.columns if name not in kept),
        clone(model).fit(frame[list(kept)], y),
        _cost(whole, loss, small_loss),
        _cost(whole, right, small_right),
    )


def chosen_names(names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the names in the order of the table; refuse those it does not have.

    Examples
    --------
    >>> chosen_names(["dose", "age"], ["age", "sex", "dose"])
    ('age', 'dose')
    """
    for name in names:
        if name not in known:
            raise DataError(
                f"{name!r} is no attribute of the table{did_you_mean(name, known)} (attributes: "
                f"{listed(known)}); correct the name."
            )
    if not names:
        raise DataError(f"no attribute would be left; keep at least one of {listed(known)}.")
    return tuple(name for name in known if name in names)


def _scores(folds: OutOfFold) -> tuple[Floats, Floats]:
    """Log-loss and accuracy of each fold, all attributes known."""
    known = np.ones((1, len(folds.names)), dtype=bool)
    right = [
        float((score(known)[0].argmax(axis=1) == truth).mean())
        for score, truth in zip(folds.scorers, folds.truths, strict=True)
    ]
    return folds.losses(known)[0], np.array(right)


def _cost(folds: OutOfFold, before: Floats, after: Floats) -> Cost:
    _, low, high = folds.interval((after - before)[None])
    return Cost(float(before.mean()), float(after.mean()), float(low[0]), float(high[0]))
