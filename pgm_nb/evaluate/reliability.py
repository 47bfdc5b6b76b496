"""How far probabilities can be relied on, with much and with little known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from pgm_nb.arrays import Floats, Places, rebuilt
from pgm_nb.errors import DataError
from pgm_nb.evaluate.crossvalidate import rows_and_classes, seeded, with_preprocessing
from pgm_nb.scoring.folds import Fold, make_folds
from pgm_nb.scoring.metrics import Reliability, accuracy, log_loss, reliability, reliability_sentence
from pgm_nb.words import percent

if TYPE_CHECKING:
    import altair as alt

    from pgm_nb.scoring.folds import Progress

__all__ = ["KNOWN", "Calibration", "Level", "calibration", "hide_cells", "known_of"]

#: amounts of evidence: what they are called, and how many of d attributes are known
KNOWN: Mapping[str, Callable[[int], int]] = MappingProxyType(
    {
        "one attribute": lambda d: 1,
        "a quarter": lambda d: max(1, d // 4),
        "half": lambda d: max(1, d // 2),
        "all": lambda d: d,
    }
)


@dataclass(frozen=True, eq=False)
class Level:
    """How reliable a model is with a given number of attributes known.

    Examples
    --------
    >>> curve = Reliability(np.array([0.8]), np.array([0.7]), np.array([50]))
    >>> level = Level("half", 8, curve, log_loss=0.9, accuracy=0.7)
    >>> print(level.sentence)
    When the model says 80%, it happens 70% of the time. On average it is off by 10 points.
    """

    known: str
    attributes: int  #: how many are known
    curve: Reliability
    log_loss: float  #: bits per row
    accuracy: float

    @property
    def sentence(self) -> str:
        """What the curve means for the person who acts on a probability."""
        if not len(self.curve.rows):
            return reliability_sentence(self.curve)
        off = percent(self.curve.error).rstrip("%")
        points = "point" if off in ("1", "<1") else "points"
        return f"{reliability_sentence(self.curve)} On average it is off by {off} {points}."


@dataclass(frozen=True, eq=False)
class Calibration:
    """How reliable a model is, by how much is known; made by `pgm_nb.calibration`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> found = pnb.calibration(pnb.GaussianNaiveBayes(), X, y)
    >>> list(found.levels)
    ['one attribute', 'half', 'all']
    >>> found.levels["half"].attributes
    2
    """

    levels: Mapping[str, Level]  #: by what they are called, the least evidence first
    n_rows: int

    __reduce__ = rebuilt

    def to_frame(self) -> pd.DataFrame:
        """Return a row per amount of evidence: log-loss in bits, accuracy, expected calibration error."""
        return pd.DataFrame(
            [
                (level.known, level.attributes, level.log_loss, level.accuracy, level.curve.error)
                for level in self.levels.values()
            ],
            columns=["known", "attributes", "log_loss", "accuracy", "ece"],
        )

    def chart(self, known: str = "all", *, theme: str = "light") -> alt.LayerChart:
        """Draw the reliability curve of one amount of evidence."""
        from pgm_nb.views.chart.reliability import reliability_chart

        if known not in self.levels:
            raise DataError(f"known must be one of {', '.join(self.levels)}, but is {known!r}.")
        curve = self.levels[known].curve
        return reliability_chart(
            curve.predicted.tolist(), curve.observed.tolist(), curve.rows.tolist(), theme=theme
        )


def calibration(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Calibration:
    """Return how reliable a model's probabilities are for rows it has not seen, with much and little known.

    Every row is predicted by a model that was trained without it: with one attribute known, a quarter of
    them, half, and all. Which attributes of a row are known is drawn at random by a fixed seed, so that
    models can be compared. A hidden cell is unknown, also where an empty cell is a state of its own. Two
    amounts that come to the same number of attributes are shown once.

    Parameters
    ----------
    model : classifier
        Any classifier that gives probabilities. It need not be fitted, and stays as it is. One of another
        package that cannot take empty cells has them filled in (`with_preprocessing`).
    X, y
        The table and its class labels.
    cv
        Folds, as in `compare`.
    random_state : int
        Seed of the folds and of the cells that are hidden.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("zoo")
    >>> model = pnb.NaiveBayes(smoothing=1.0, parameters="generative")
    >>> table = pnb.calibration(model, X, y, cv=3).to_frame()
    >>> table[["known", "attributes"]]
               known  attributes
    0  one attribute           1
    1      a quarter           4
    2           half           8
    3            all          16
    """
    frame, labels, classes, truth = rows_and_classes(X, y)
    sizes = known_of(frame.shape[1])
    fresh = seeded(with_preprocessing(model), random_state)
    folds = make_folds(frame, labels, cv, random_state)
    found: list[dict[str, Floats]] = []
    for place, fold in enumerate(folds):
        found.append(_fold(fresh, frame, labels, classes, fold, sizes, random_state))
        if progress is not None:
            progress((place + 1) / len(folds))
    right = np.concatenate([truth[fold.test] for fold in folds])
    levels = {
        known: _level(known, number, np.concatenate([part[known] for part in found]), right)
        for known, number in sizes.items()
    }
    return Calibration(MappingProxyType(levels), len(frame))


def hide_cells(frame: pd.DataFrame, known: int, random_state: int = 0) -> pd.DataFrame:
    """Return a table in which each row keeps `known` cells, chosen at random; the others are empty.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [40, 50], "smoker": [True, False], "sex": ["f", "m"]})
    >>> hide_cells(frame, 1).notna().sum(axis=1).tolist()
    [1, 1]
    """
    rank = np.random.default_rng(random_state).random(frame.shape).argsort(axis=1).argsort(axis=1)
    if known >= frame.shape[1]:
        return frame
    hidden: NDArray[np.bool_] = rank >= known
    columns = {}
    for place, (name, column) in enumerate(frame.items()):
        if pd.api.types.is_bool_dtype(column.dtype):
            column = column.astype("boolean")
        columns[name] = column.mask(hidden[:, place])
    return pd.DataFrame(columns, index=frame.index)


def known_of(d: int) -> dict[str, int]:
    """Return how many of d attributes are known at each level; levels of equal numbers are one.

    Examples
    --------
    >>> known_of(8), known_of(2)
    ({'one attribute': 1, 'a quarter': 2, 'half': 4, 'all': 8}, {'one attribute': 1, 'all': 2})
    """
    by_number: dict[int, str] = {}
    for known, number in KNOWN.items():
        if number(d) not in by_number or known == "all":
            by_number[number(d)] = known
    return {known: number for number, known in by_number.items()}


def _fold(
    model: Any,
    frame: pd.DataFrame,
    labels: NDArray[Any],
    classes: NDArray[Any],
    fold: Fold,
    sizes: Mapping[str, int],
    random_state: int,
) -> dict[str, Floats]:
    """Train on one fold and give the probabilities of its test rows at every level."""
    fitted = clone(model).fit(frame.iloc[fold.train], labels[fold.train])
    test = frame.iloc[fold.test]
    places = np.searchsorted(classes, fitted.classes_)
    found = {}
    for known, number in sizes.items():
        rows = hide_cells(test, number, random_state + fold.number)
        unknown = number < frame.shape[1] and hasattr(fitted, "empty_as")
        judged = fitted.empty_as("unknown") if unknown else fitted  # hidden cells are not the state "missing"
        given = np.zeros((len(test), len(classes)))  # a class missing from training gets 0
        given[:, places] = judged.predict_proba(rows)
        found[known] = given
    return found


def _level(known: str, number: int, given: Floats, right: Places) -> Level:
    return Level(known, number, reliability(given, right), log_loss(given, right), accuracy(given, right))
