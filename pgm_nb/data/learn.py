"""Learn from the training rows how columns become codes, and what to do with missing cells."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pgm_nb.arrays import Codes
from pgm_nb.data.blocks import Block, number_blocks
from pgm_nb.data.column import Column, code_type, plain_states
from pgm_nb.data.encode import Encoder, in_threads
from pgm_nb.data.frame import is_number, is_text, numbers
from pgm_nb.data.labels import unique_labels
from pgm_nb.data.missing import MissingReport, check_policy
from pgm_nb.data.numeric import BY_CLASS, Way, learn_numbers, learn_whole_numbers, whole_ranges
from pgm_nb.data.together import learn_together
from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed, plural

__all__ = ["DEFAULT_BINS", "METHODS", "MOST_STATES", "Way", "learn_encoder"]

MOST_STATES = 1_000
DEFAULT_BINS = 10
METHODS = ("quantile", "uniform", "mdlp", "order", "kmeans", "caim")

_NAMED = ", ".join(map(repr, METHODS))

Discretizer = str | Mapping[str, Any] | None


def learn_encoder(
    frame: pd.DataFrame,
    y: NDArray[np.integer] | None,
    *,
    discretizer: Discretizer = "quantile",
    n_bins: int | None = None,
    missing: str = "state",
    n_threads: int | None = None,
) -> tuple[Encoder, Codes, NDArray[np.bool_] | None, MissingReport]:
    """Learn how the columns become codes, from the training rows alone.

    Parameters
    ----------
    frame
        The attributes as `as_frame` gives them.
    y
        Class codes 0, 1, ... of the rows; only ``"mdlp"`` and ``"caim"`` use them.
    discretizer
        For numeric columns. ``"quantile"``: at most `n_bins` equally filled bins. ``"uniform"``: `n_bins`
        of equal width. Both leave a column with no more than `n_bins` distinct values as it is.
        ``"mdlp"``: cuts chosen by the class (Fayyad & Irani 1993); a column without any is one state.
        ``"order"``: as ``"quantile"``, but quantiles are values of the column, in intervals that are closed
        on the left (Kovács et al. 2024). ``"kmeans"``: values that lie close together, cut half-way between
        the centres of clusters. ``"caim"``: intervals of mostly one class, about as many as there are classes
        (Kurgan & Cios 2004).
        A mapping from column names to cut points or to one of these names; columns that are not in it get
        quantiles. None: every distinct value is a state.
    n_bins
        Bins for all but ``"mdlp"`` and ``"caim"`` (default 10), also in a mapping.
    missing
        ``"state"``: a column with missing cells gets one more state. ``"drop"``: rows with a missing cell
        are left out. ``"mode"``: the column's most frequent state (the first of a tie) takes their place.
    n_threads
        Number of threads; None lets the machine decide. The result does not depend on it.

    Returns
    -------
    encoder : Encoder
    codes : ndarray of shape (columns, rows kept)
    kept : boolean ndarray or None
        The rows kept by ``"drop"``; None if all are.
    report : MissingReport

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": range(10), "sex": ["m", "f"] * 5})
    >>> encoder, codes, kept, report = learn_encoder(frame, None, n_bins=2)
    >>> encoder.columns[0].labels, encoder.columns[1].labels
    (('≤ 4.5', '> 4.5'), ('f', 'm'))
    >>> print(codes, report)
    [[0 0 0 0 0 1 1 1 1 1]
     [1 0 1 0 1 0 1 0 1 0]] No cell is missing.
    >>> frame = pd.DataFrame({"age": range(10), "dose": range(10)})
    >>> encoder, *_ = learn_encoder(frame, None, discretizer={"age": [4, 7], "dose": "uniform"}, n_bins=2)
    >>> [column.labels for column in encoder.columns]
    [('≤ 4', '(4, 7]', '> 7'), ('≤ 4.5', '> 4.5')]
    """
    check_policy(missing)
    rule = _Rule.of(discretizer, n_bins, frame, y)
    kept, before = None, None
    if missing == "drop":
        kept, before = _complete_rows(frame)
        if kept is not None:
            frame, rule = frame[kept], rule.only(kept)
    blocks, others = number_blocks(frame)
    words = {place: frame.iloc[:, place] for place in others}
    words = {place: cells.astype("category") if is_text(cells) else cells for place, cells in words.items()}
    names = [str(name) for name in frame.columns.tolist()]
    parts: dict[int, pd.Series | NDArray[Any]] = dict(words)
    for block in blocks:
        parts.update(zip(block.places.tolist(), block.cells, strict=True))
    jobs = list(range(len(names)))
    known = {} if rule.own else _few_whole_numbers(blocks, names, rule)
    if not rule.own and rule.method == "quantile":
        known |= learn_together(blocks, names, rule.bins(), n_threads)
    columns = in_threads(
        lambda i: known[i] if i in known else _learn(parts[i], names[i], rule), jobs, frame.size, n_threads
    )
    for column, place in zip(columns, jobs, strict=True):
        if column.card > MOST_STATES:
            raise DataError(_too_many_states(column, frame.iloc[:, place]))
    encoder = Encoder(tuple(columns))
    codes = encoder.encode_parts(blocks, words, frame.columns, n_threads)
    may_miss = sorted({*others, *(p for block in blocks if block.is_float for p in block.places.tolist())})
    absent = _treat_missing(columns, codes, may_miss, missing)
    if absent and missing == "state":
        encoder = Encoder(tuple(columns))
    codes = codes.astype(code_type(max(encoder.cards)), copy=False)
    return encoder, codes, kept, before or MissingReport.of(missing, absent, len(frame))


@dataclass(frozen=True)
class _Rule:
    """How numeric columns are cut: the checked discretizer, and the classes it uses."""

    method: str | None
    n_bins: int | None
    own: Mapping[str, str | tuple[float, ...]]  #: columns with a method or cut points of their own
    y: NDArray[np.integer] | None

    @classmethod
    def of(
        cls, discretizer: Discretizer, n_bins: int | None, frame: pd.DataFrame, y: NDArray[np.integer] | None
    ) -> "_Rule":
        own: Mapping[str, str | tuple[float, ...]] = {}
        if isinstance(discretizer, Mapping):
            own = {name: _check_own(name, way, frame) for name, way in discretizer.items()}
            discretizer = "quantile"
        if discretizer not in (*METHODS, None):
            raise DataError(
                f"discretizer must be {_NAMED}, None or a mapping from column names to cut points, but it is "
                f"{discretizer!r}."
            )
        if n_bins is not None and (
            isinstance(n_bins, bool)
            or not isinstance(n_bins, int | np.integer)
            or not 2 <= n_bins <= MOST_STATES
        ):
            raise DataError(f"n_bins must be a whole number from 2 to {MOST_STATES:,}, but it is {n_bins!r}.")
        by_class = next((way for way in (discretizer, *own.values()) if way in BY_CLASS), None)
        if by_class and y is None:
            raise DataError(f"discretizer {by_class!r} chooses its cuts by the class: it needs y.")
        return cls(discretizer, None if n_bins is None else int(n_bins), own, y if by_class else None)

    def only(self, rows: NDArray[np.bool_]) -> "_Rule":
        return replace(self, y=None if self.y is None else self.y[rows])

    def bins(self) -> int:
        return self.n_bins or DEFAULT_BINS


def _check_own(name: str, way: object, frame: pd.DataFrame) -> str | tuple[float, ...]:
    """Check the entry of a mapping for one column: the name of a method, or cut points."""
    names = [str(column) for column in frame.columns]
    if name not in names:
        raise DataError(
            f"discretizer has cut points for {name!r}, which is not a column{did_you_mean(name, names)}"
            f" (columns: {listed(names)})."
        )
    column = frame.iloc[:, names.index(name)]
    if not types.is_numeric_dtype(column.dtype) or types.is_bool_dtype(column.dtype):
        raise DataError(
            f"discretizer has cut points for {name!r}, which is not a numeric column: leave it out."
        )
    if isinstance(way, str):
        if way not in METHODS:
            raise DataError(f"the discretizer of {name!r} must be {_NAMED} or cut points, but it is {way!r}.")
        return way
    return _check_cuts(name, way)


def _check_cuts(name: str, points: object) -> tuple[float, ...]:
    wrong = DataError(
        f"the cut points of {name!r} must be finite numbers, strictly ascending, but they are {points!r}."
    )
    try:
        cuts = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise wrong from None
    if cuts.ndim != 1 or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise wrong
    if len(cuts) >= MOST_STATES:
        raise DataError(
            f"{name!r} has {plural(len(cuts), 'cut point')}; at most {MOST_STATES - 1:,} are allowed."
        )
    return tuple(cuts.tolist())


def _complete_rows(frame: pd.DataFrame) -> tuple[NDArray[np.bool_] | None, MissingReport]:
    """Return which rows have no missing cell (None: all), and the report."""
    absent = {}
    for position, name in enumerate(frame.columns):
        gaps = frame.iloc[:, position].isna().to_numpy()
        if gaps.all():
            raise DataError(
                f"column {name!r} has no value in any row, so missing='drop' would leave no rows: leave the "
                "column out, or use missing='state'."
            )
        if gaps.any():
            absent[name] = gaps
    report = MissingReport.of("drop", absent, len(frame))
    if report.rows == len(frame):
        raise DataError(
            f"every one of the {plural(len(frame), 'row')} has a missing cell, so missing='drop' would leave "
            "none: use missing='state' or missing='mode'."
        )
    return (~np.any(list(absent.values()), axis=0) if absent else None), report


def _learn(cells: pd.Series | NDArray[Any], name: str, rule: _Rule) -> Column:
    """Learn one column: numbers as an array, any other as a Series."""
    if isinstance(cells, np.ndarray):
        if cells.dtype.kind == "b":
            return Column(name, "boolean", (False, True))
        way = rule.own.get(name, rule.method)
        if cells.dtype.kind in "iu":
            return learn_whole_numbers(name, cells, way, rule.bins(), rule.y)
        return learn_numbers(name, np.asarray(cells, dtype=np.float64), way, rule.bins(), rule.y)
    if types.is_bool_dtype(cells.dtype):
        return Column(name, "boolean", (False, True))
    if is_number(cells):
        way, whole = rule.own.get(name, rule.method), types.is_integer_dtype(cells.dtype)
        return learn_numbers(name, numbers(cells), way, rule.bins(), rule.y, whole=whole)
    kind = "ordered" if cells.cat.ordered else "categorical"
    return Column(name, kind, plain_states(cells.cat.categories))


def _few_whole_numbers(blocks: Sequence[Block], names: Sequence[str], rule: _Rule) -> dict[int, Column]:
    """Learn at once the columns that hold every whole number from one to another, few enough to be states."""
    known = {}
    for block in blocks:
        if block.cells.dtype.kind not in "iu" or rule.method in BY_CLASS:
            continue
        for place, (low, high) in zip(
            block.places.tolist(), whole_ranges(block.cells, rule.bins()), strict=True
        ):
            if low <= high:
                known[place] = Column(names[place], "numeric", tuple(range(low, high + 1)))
    return known


def _treat_missing(
    columns: list[Column], codes: Codes, may: Iterable[int], missing: str
) -> dict[str, NDArray[np.bool_]]:
    """Give missing cells a state or the commonest one, in place; return where they are, by column."""
    absent = {}
    cards = np.array([column.card for column in columns])
    largest = codes.max(axis=1)  # every value in training has a state: only missing cells get a larger code
    for place in may:
        if largest[place] < cards[place]:
            continue
        column = columns[place]
        gaps = codes[place] == column.card
        absent[column.name] = gaps
        if missing == "mode":
            codes[place, gaps] = _mode(column, codes[place, ~gaps])
        else:
            label = unique_labels((*column.labels, "missing"))[-1]
            columns[place] = replace(column, states=(*column.states, label), missing_state=True)
    return absent


def _mode(column: Column, codes: Codes) -> int:
    if len(codes) == 0:
        raise DataError(
            f"column {column.name!r} has no value in any row, so missing='mode' has nothing to put in: "
            "leave the column out, or use missing='state'."
        )
    return int(np.bincount(codes).argmax())


def _too_many_states(column: Column, cells: pd.Series) -> str:
    what = (
        f"column {column.name!r} has {column.card:,} distinct values; at most {MOST_STATES:,} can be states."
    )
    if column.kind == "numeric":
        return f"{what} Bin it with a discretizer ('quantile', 'uniform' or 'mdlp'), or leave it out."
    words = pd.Series(column.states, dtype=object)
    not_numbers = pd.to_numeric(words, errors="coerce").isna()
    if not_numbers.mean() < 0.5:
        row = int((cells == words[not_numbers].iloc[0]).argmax()) if not_numbers.any() else 0
        return (
            f"{what} Most of its cells are numbers, but {str(cells.iloc[row])!r} in row {row + 1} is text: "
            "correct such cells or leave them empty, and make the column numeric."
        )
    return f"{what} It looks like an identifier: leave it out, or group its values."
