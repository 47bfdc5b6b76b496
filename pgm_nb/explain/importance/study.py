"""What a ranking of attributes says, in sentences, and what keeping only some of them costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.data import as_frame, as_labels
from pgm_nb.errors import DataError
from pgm_nb.explain.importance.orders import DROP, FORWARD, SHARE, forward, redundancy_of
from pgm_nb.explain.importance.out_of_fold import MOST_ROWS, OutOfFold, Ranked, out_of_fold
from pgm_nb.scoring.folds import Progress, part_of
from pgm_nb.words import Scale, about_class, class_name, did_you_mean, listed, percent, plural, together

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "TITLES",
    "Cost",
    "Kept",
    "Study",
    "chosen_names",
    "counted",
    "explained",
    "folds_of",
    "in_words",
    "keep_only",
    "repeats",
    "rows_predicted",
    "study_order",
    "sure_steps",
]

Mark = Callable[[str], str]
TITLES = {FORWARD: "Best next", DROP: "Lost without it", SHARE: "Share of the whole"}
REPEATED = 0.8  # of what an attribute says, from which on it is called a repetition
WORTH_SAYING = 0.1  # of what the best attribute says; what says less has nothing that could be repeated
explained = {
    FORWARD: "The first attribute predicts best on its own. Each further one is the attribute that adds most "
    "to those above it, so an attribute that repeats an earlier one comes late.",
    DROP: "What prediction loses while this one attribute is unknown and all others are known. Of two that "
    "say the same, neither is missed.",
    SHARE: "What all attributes together say about the class, divided fairly between them: the mean of what "
    "an attribute adds over all orders in which they can become known (Shapley).",
}


def sure_steps(path: pd.DataFrame) -> int:
    """Return how many attributes at the beginning of a forward path certainly add something; at least one.

    Examples
    --------
    >>> import pandas as pd
    >>> sure_steps(pd.DataFrame({"low": [0.2, 0.1, -0.1, 0.1]}))
    2
    """
    low = path["low"].to_numpy()
    unsure = (low <= 0).nonzero()[0]
    return max(1, int(unsure[0]) if len(unsure) else len(low))


def in_words(
    table: pd.DataFrame, method: str, target: str, mark: Mark = str, *, scale: Scale | None = None
) -> str:
    """Say what a ranking means.

    Parameters
    ----------
    table : DataFrame
        As `importance` returns it.
    method : {"forward", "drop", "share"}
        How it was made.
    target : str
        The name of the class.
    mark : callable
        Marks names, for instance in bold.

    Examples
    --------
    >>> import pandas as pd
    >>> path = pd.DataFrame({"attribute": ["glucose", "mass", "age"], "value": [0.2, 0.05, 0.01],
    ...                      "low": [0.1, 0.01, -0.1], "high": [0.3, 0.1, 0.1]})
    >>> in_words(path, "forward", "ill")
    'glucose says most about ill: 0.200 bits. Then mass adds 0.050 bits. What the rest adds may be chance.'
    """
    names, values = [mark(name) for name in table["attribute"]], table["value"].tolist()
    about = class_name(target)
    if values[0] <= 0:
        return (
            f"No attribute helps to predict {about}: knowing how common each of its values is does as well."
        )
    if method == FORWARD:
        return _path(table, names, values, about, scale=scale)
    if method == DROP:
        missed = int((table["low"] > 0).sum())
        if missed == 0:
            return (
                "No single attribute would clearly be missed: what it says, the others say too. Most is lost "
                f"without {names[0]}: {about_class(values[0], scale=scale)}."
            )
        lost = about_class(values[0], scale=scale)
        return f"{names[0]} would be missed most: while it is unknown, prediction loses {lost}."
    total = sum(values)
    largest = f"The largest share has {names[0]}: {about_class(values[0], scale=scale)}"
    if scale is not None:
        return f"Together the attributes say {_known(total, scale=scale)} about {about}. {largest}."
    share = percent(values[0], total)
    return (
        f"Together the attributes say {_known(total, scale=scale)} about {about}. {largest}, {share} of it."
    )


def _known(value: float, *, scale: Scale | None) -> str:
    """Write how much is said about the class, and of what it is a share."""
    return (
        about_class(value, scale=scale)
        if scale is None
        else f"{about_class(value, scale=scale)} of what there is to know"
    )


def _path(
    table: pd.DataFrame, names: list[str], values: list[float], about: str, *, scale: Scale | None
) -> str:
    said = f"{names[0]} says most about {about}: {_known(values[0], scale=scale)}."
    sure = sure_steps(table)
    if sure > 1:
        some = slice(1, min(sure, 4))
        adds = [
            f"{name} adds {about_class(value, scale=scale)}"
            for name, value in zip(names[some], values[some], strict=True)
        ]
        said += f" Then {together(adds)}."
    return f"{said} What the rest adds may be chance." if sure < len(names) else said


def repeats(table: pd.DataFrame, mark: Mark = str) -> list[str]:
    """Say which attributes follow from another one, those that say most on their own first.

    Nothing is said of attributes that say next to nothing on their own, where shares are chance.

    Parameters
    ----------
    table : DataFrame
        As `redundancy` returns it.
    mark : callable
        Marks names.

    Examples
    --------
    >>> import pandas as pd
    >>> found = {"attribute": ["insulin"], "alone": [0.2], "other": ["glucose"], "share": [0.93]}
    >>> repeats(pd.DataFrame(found))
    ['insulin follows from glucose: of what it says about the class, glucose has said 93%.']
    """
    says = table["alone"] >= WORTH_SAYING * table["alone"].max()
    found = table[says & (table["share"] >= REPEATED)]
    others = dict(zip(found["attribute"], found["other"], strict=True))
    said, paired = [], set()
    for name, other, share in zip(found["attribute"], found["other"], found["share"], strict=True):
        if others.get(other) == name:
            if other not in paired:
                said.append(f"{mark(name)} and {mark(other)} say much the same about the class.")
            paired.add(name)
        else:
            said.append(
                f"{mark(name)} follows from {mark(other)}: of what it says about the class, {mark(other)} "
                f"has said {percent(share)}."
            )
    return said


def counted(rows: int, of: int) -> str:
    """Say how many rows were predicted, if not all.

    Examples
    --------
    >>> counted(2000, 48842), counted(500, 500)
    ('2,000 of 48,842 rows were predicted, drawn at random.', '')
    """
    return "" if rows >= of else f"{rows:,} of {plural(of, 'row')} were predicted, drawn at random."


FOLDS = 5
FEWER_ROWS = 400  # that a model without tables predicts; it takes longer for each


@dataclass(frozen=True, eq=False)
class Study:
    """Models that were trained without each fold in turn, and what follows from them."""

    folds: OutOfFold
    path: pd.DataFrame  #: the forward order
    repeated: pd.DataFrame  #: what other attributes have said
    rows: int  #: of the table


def study_order(
    model: Ranked,
    X: Any,
    y: Any,
    *,
    folds: int = FOLDS,
    random_state: int | None = 0,
    progress: Progress | None = None,
) -> Study:
    """Find the order in which attributes matter, and what repeats another one.

    Features, What if with nothing known, reports and the command line all show this order.

    Parameters
    ----------
    model : classifier
        As in `importance`; it is copied.
    X, y
        Table and labels.
    folds : int
        How many folds; fewer where a class has fewer rows.
    random_state : int, optional
        Which folds, and which rows of a large table are predicted.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing="backoff", n_bins=5)
    >>> study_order(model, *pnb.load_sample("iris")).path["attribute"].tolist()
    ['petal length', 'petal width', 'sepal width', 'sepal length']
    """
    trained = out_of_fold(
        model,
        X,
        y,
        cv=folds_of(y, folds),
        random_state=random_state,
        max_rows=rows_predicted(model),
        progress=part_of(progress, 0.0, 0.5),
    )
    path = forward(trained, progress=part_of(progress, 0.5, 0.85))
    return Study(trained, path, redundancy_of(trained, progress=part_of(progress, 0.85, 1.0)), len(X))


def folds_of(y: Any, most: int = FOLDS) -> int:
    """Return how many folds a table has: five, or fewer where a class has fewer rows.

    Examples
    --------
    >>> folds_of(["a"] * 9 + ["b"] * 4)
    4
    """
    _, rows = np.unique(as_labels(y).astype(str), return_counts=True)
    return max(2, min(most, int(rows.min())))


def rows_predicted(model: Any) -> int:
    """Return how many rows are predicted with attributes hidden."""
    return MOST_ROWS if getattr(getattr(model, "about", None), "bins", False) else FEWER_ROWS


@dataclass(frozen=True)
class Cost:
    """One score of the whole and of the smaller model on rows not trained on.

    `low` and `high` bound the difference, after less before (95%).

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
        """Whether the interval says that the score changes."""
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
    0  log_loss    0.32   0.31 -0.12  0.10
    1  accuracy    0.91   0.89 -0.07  0.03
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
    """Log-loss of each row, and whether it is right (1 or 0), all attributes known."""
    known = np.ones((1, len(folds.names)), dtype=bool)
    right = [
        score(known)[0].argmax(axis=1) == truth
        for score, truth in zip(folds.scorers, folds.truths, strict=True)
    ]
    return folds.losses(known)[0], np.concatenate(right).astype(np.float64)


def _cost(folds: OutOfFold, before: Floats, after: Floats) -> Cost:
    _, low, high = folds.interval((after - before)[None])
    return Cost(float(before.mean()), float(after.mean()), float(low[0]), float(high[0]))
