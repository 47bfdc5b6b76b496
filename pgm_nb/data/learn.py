"""Learn from the training rows how columns become codes, and what to do with missing cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pgm_nb.allowed import whole
from pgm_nb.arrays import Codes, Flags, Floats, Ints
from pgm_nb.data.column import MOST_STATES, Column, code_type, plain_states
from pgm_nb.data.cuts import (
    between,
    caim_cuts,
    kmeans_cuts,
    mdlp_cuts,
    order_cuts,
    quantile_cuts,
    quantile_cuts_of_counts,
    quantile_places,
    readable_cuts,
    short_number,
    uniform_cuts,
)
from pgm_nb.data.encode import Encoder, in_threads
from pgm_nb.data.frame import Block, is_number, is_text, number_blocks, numbers
from pgm_nb.data.labels import interval_labels, number_label, unique_labels
from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed, plural

__all__ = ["BY_CLASS", "DEFAULT_BINS", "METHODS", "MissingReport", "Way", "learn_encoder"]

POLICIES = ("state", "drop", "mode")


@dataclass(frozen=True)
class MissingReport:
    """How many cells were missing at training, where, and what was done with them.

    Attributes
    ----------
    policy
        ``"state"`` (missing is a state of its own), ``"drop"`` (the row is left out), ``"mode"`` (the most
        frequent state takes its place) or ``"unknown"`` (estimates are made from the other rows).
    n_rows
        Rows of the table as given.
    rows
        Rows with at least one missing cell.
    cells
        Missing cells in all.
    by_column
        Missing cells of each column that has any.
    rows_dropped
        Rows left out: `rows` under ``"drop"``, else 0.

    Examples
    --------
    >>> str(MissingReport("drop", 435, 203, 392, {"crime": 392}, 203))
    '392 missing cells in 203 of 435 rows: those rows were left out (by column: crime 392).'
    """

    policy: str
    n_rows: int
    rows: int
    cells: int
    by_column: Mapping[str, int]
    rows_dropped: int

    @classmethod
    def of(cls, policy: str, absent: Mapping[str, NDArray[np.bool_]], n_rows: int) -> Self:
        """Count the missing cells, given for each column which of its cells are missing.

        Examples
        --------
        >>> print(MissingReport.of("unknown", {"age": np.array([True, False])}, 2))
        1 missing cell in 1 of 2 rows: they are unknown, and no estimate uses them (by column: age 1).
        """
        by_column = {name: int(gaps.sum()) for name, gaps in absent.items() if gaps.any()}
        rows = int(np.any(list(absent.values()), axis=0).sum()) if absent else 0
        return cls(policy, n_rows, rows, sum(by_column.values()), by_column, rows if policy == "drop" else 0)

    def __add__(self, other: MissingReport) -> MissingReport:
        """Return the report on the missing cells of two parts of a table.

        Examples
        --------
        >>> part = MissingReport("state", 10, 1, 1, {"age": 1}, 0)
        >>> str(part + part)
        '2 missing cells in 2 of 20 rows: missing is a state of its own (by column: age 2).'
        """
        if not isinstance(other, MissingReport):
            return NotImplemented
        names = dict.fromkeys([*self.by_column, *other.by_column])
        return MissingReport(
            self.policy,
            self.n_rows + other.n_rows,
            self.rows + other.rows,
            self.cells + other.cells,
            {name: self.by_column.get(name, 0) + other.by_column.get(name, 0) for name in names},
            self.rows_dropped + other.rows_dropped,
        )

    def __str__(self) -> str:
        if self.cells == 0:
            return "No cell is missing."
        done = {
            "state": "missing is a state of its own",
            "drop": "those rows were left out",
            "mode": "the most frequent state of the column took their place",
            "unknown": "they are unknown, and no estimate uses them",
        }[self.policy]
        where = listed([f"{name} {count:,}" for name, count in self.by_column.items()])
        return (
            f"{plural(self.cells, 'missing cell')} in {self.rows:,} of {plural(self.n_rows, 'row')}: "
            f"{done} (by column: {where})."
        )


def check_policy(policy: str) -> None:
    """Refuse an unknown policy for coded columns.

    Examples
    --------
    >>> check_policy("state")
    """
    if policy not in POLICIES:
        raise DataError(f"missing must be 'state', 'drop' or 'mode', but it is {policy!r}.")


Way = str | tuple[float, ...]  # how a column becomes intervals: the name of a method, or cut points

BY_CLASS = {"mdlp": mdlp_cuts, "caim": caim_cuts}  # methods that look at the class, and decide how many bins
_WIDEST = 1 << 14  # whole numbers that span more than this are sorted instead of counted
_EXACT = 2**53  # whole numbers from here on are not themselves in double precision
_EARLY = 1 << 12  # rows in which every number of a small range is looked for
_ROWS = 1 << 16  # counted at once: they stay in cache


def learn_numbers(
    name: str,
    values: Floats,
    way: Way | None,
    n_bins: int,
    y: NDArray[np.integer] | None,
    *,
    whole: bool = False,
) -> Column:
    """Learn a column of numbers, missing cells as NaN.

    Parameters
    ----------
    name : str
        The name of the column.
    values : array of float
        Its cells.
    way : str, tuple of float or None
        The name of a method, cut points, or None: every distinct value is a state.
    n_bins : int
        The most bins of methods that do not look at the class.
    y : array of int or None
        The classes; only methods of `BY_CLASS` use them.
    whole : bool
        Whether the states are to be whole numbers.

    Examples
    --------
    >>> learn_numbers("age", np.array([30.0, 40.0, np.nan, 50.0]), "quantile", 2, None).labels
    ('≤ 45', '> 45')
    """
    if isinstance(way, tuple):
        return binned(name, way)
    ordered = np.sort(values)  # NaN last
    ordered = ordered[: np.searchsorted(ordered, np.nan)]
    new = np.empty(len(ordered), dtype=bool)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    n_distinct = int(np.count_nonzero(new))
    if way in BY_CLASS and y is not None and n_distinct:
        present = ~np.isnan(values)
        return binned(name, readable_cuts(BY_CLASS[way](values[present], y[present]), ordered))
    if way is None or n_distinct <= n_bins:
        as_written = int if whole else float
        return Column(name, "numeric", tuple(as_written(value) for value in ordered[new] + 0.0))
    if way == "uniform":
        return binned(name, readable_cuts(uniform_cuts(ordered, n_bins), ordered, centre=False))
    if way == "kmeans":
        return binned(name, readable_cuts(kmeans_cuts(ordered, n_bins), ordered, centre=False))
    if way == "order":
        return binned(name, readable_cuts(order_cuts(ordered, n_bins), ordered))
    return binned(name, readable_cuts(quantile_cuts(ordered, n_bins), ordered))


def learn_whole_numbers(
    name: str, values: NDArray[Any], way: Way | None, n_bins: int, y: NDArray[np.integer] | None
) -> Column:
    """Learn a column of whole numbers, as `learn_numbers` does, by counting instead of sorting where it can.

    Examples
    --------
    >>> learn_whole_numbers("children", np.array([2, 0, 0, 3]), "quantile", 5, None).states
    (0, 2, 3)
    """
    if isinstance(way, tuple):
        return binned(name, way)
    low, high = int(values.min()), int(values.max())
    if way in (*BY_CLASS, "order", "kmeans") or high - low >= _WIDEST or max(-low, high) >= _EXACT:
        return learn_numbers(name, values.astype(np.float64), way, n_bins, y, whole=True)
    few = high - low < n_bins or way is None  # so every value is a state, and how often does not matter
    counts = _counts(values, low, high, enough=few)
    distinct = np.flatnonzero(counts)
    if few or len(distinct) <= n_bins:
        return Column(name, "numeric", tuple((distinct + low).tolist()))
    ordered = (distinct + low).astype(np.float64)
    if way == "uniform":
        return binned(name, readable_cuts(uniform_cuts(ordered, n_bins), ordered, centre=False))
    edges = quantile_cuts_of_counts(ordered, counts[distinct], n_bins)
    return binned(name, readable_cuts(edges, ordered))


def whole_ranges(cells: NDArray[Any], most: int) -> list[tuple[int, int]]:
    """Return the least and largest number of each column, if all whole numbers between them occur early.

    Parameters
    ----------
    cells : array of shape (columns, rows)
        Whole numbers.
    most : int
        Columns that span more numbers than this get an empty range (1, 0), as those with gaps do.

    Examples
    --------
    >>> whole_ranges(np.array([[0, 1, 2], [0, 0, 2]]), most=5)
    [(0, 2), (1, 0)]
    """
    low, high = cells.min(axis=1), cells.max(axis=1)
    span = high.astype(np.float64) - low.astype(np.float64)
    few = (span < most) & (np.maximum(-low.astype(np.float64), high) < _EXACT)
    low, span = np.where(few, low, 0).astype(np.int64), np.where(few, span, 0).astype(np.int64)
    early = cells[:, :_EARLY]
    for step in range(int(span.max()) + 1):
        few &= (span < step) | (early == (low + step)[:, None]).any(axis=1)
    ends = zip(low.tolist(), (span + low).tolist(), few.tolist(), strict=True)
    return [(first, last) if whole else (1, 0) for first, last, whole in ends]


def binned(name: str, cuts: Iterable[float]) -> Column:
    """Return a column of intervals.

    Examples
    --------
    >>> binned("age", [40, 60]).states
    ('≤ 40', '(40, 60]', '> 60')
    """
    cuts = tuple(float(cut) for cut in cuts)
    return Column(name, "numeric", interval_labels(cuts), cuts)


def _counts(values: NDArray[Any], low: int, high: int, *, enough: bool) -> Ints:
    """Return how often each whole number occurs; if `enough`, stop as soon as every one has occurred."""
    counts = np.zeros(high - low + 1, dtype=np.int64)
    for start in range(0, len(values), _ROWS):
        cells = np.subtract(values[start : start + _ROWS], low, dtype=np.int64, casting="unsafe")
        counts += np.bincount(cells, minlength=len(counts))
        if enough and counts.all():
            break
    return counts


SHORT_ROWS = 1 << 14  # of longer columns each is work enough
_AT_ONCE = 1 << 18  # cells that are sorted together
_EXACT_FLOAT = 2.0**53  # whole numbers up to here are themselves in double precision
_POWERS = 10.0 ** np.arange(23)  # the powers of ten that are
_DIGITS = 18  # that are tried at most, as in `short_number`
_NEAR = 1e-6  # so near to a half, or to a power of ten, rounding is left to Python


def learn_together(
    blocks: Sequence[Block], names: Sequence[str], n_bins: int, n_threads: int | None
) -> dict[int, Column]:
    """Learn the columns of floats of a table that have nothing special, some in each thread; by place.

    Examples
    --------
    >>> block = Block(np.array([3]), np.arange(20.0)[None])
    >>> learn_together([block], ["a", "b", "c", "d"], 2, None)[3].cuts
    (9.5,)
    """
    parts = []
    for block in blocks:
        if block.is_float and block.cells.shape[1] <= SHORT_ROWS:
            step = max(1, _AT_ONCE // block.cells.shape[1])
            parts += [(block, slice(start, start + step)) for start in range(0, len(block.places), step)]

    if not parts:
        return {}

    def learn(part: tuple[Block, slice]) -> dict[int, Column]:
        block, some = part
        places = block.places[some].tolist()
        found = quantile_columns(block.cells[some], [names[place] for place in places], n_bins)
        return {places[i]: column for i, column in found.items()}

    known: dict[int, Column] = {}
    for found in in_threads(learn, parts, sum(block.cells.size for block in blocks), n_threads):
        known |= found
    return known


def quantile_columns(cells: NDArray[Any], names: Sequence[str], n_bins: int) -> dict[int, Column]:
    """Learn columns by quantiles as `learn_numbers` does; those with anything special are left out.

    Parameters
    ----------
    cells : array of shape (columns, rows)
        Their cells.
    names : sequence of str
        Their names.
    n_bins : int
        The most bins. Columns with no more distinct values, with missing cells, or with many equal values at
        a quantile are left out.

    Examples
    --------
    >>> rows = np.array([[0.13, 2.27, 3.94, 5.0], [1.0, 1.0, 1.0, 1.0]])
    >>> quantile_columns(rows, ["dose", "site"], 2)[0].states
    ('≤ 3', '> 3')
    """
    n = cells.shape[1]
    if not n_bins < n <= SHORT_ROWS:
        return {}
    ordered = np.array(cells, dtype=np.float64, order="C")
    ordered.sort(axis=1)  # NaN last
    below, above, weight = quantile_places(n, n_bins)
    low, high = ordered[:, below], ordered[:, above]
    with np.errstate(invalid="ignore", over="ignore"):
        edges = between(low, high, weight)
        plain = ((low <= edges) & (edges < high)).all(axis=1)  # no value at a quantile occurs twice
    plain &= np.isfinite(ordered[:, [0, -1]]).all(axis=1)
    plain &= np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1) >= n_bins  # too many for states
    chosen = np.flatnonzero(plain)
    if not len(chosen):
        return {}
    cuts = short_numbers(low[plain], high[plain])
    found = {}
    for place, own in zip(chosen.tolist(), cuts.tolist(), strict=True):
        marks = [number_label(cut) for cut in own]
        inner = [f"({left}, {right}]" for left, right in pairwise(marks)]
        states = (f"≤ {marks[0]}", *inner, f"> {marks[-1]}")
        found[place] = Column(names[place], "numeric", states, tuple(own))
    return found


def short_numbers(low: Floats, high: Floats) -> Floats:
    """Return `short_number(low, high, middle)` of every gap between two numbers, to the last bit.

    Examples
    --------
    >>> short_numbers(np.array([11.36, 2.0]), np.array([11.37, 3.0]))
    array([11.365,  2.5  ])
    """
    shape, low, high = low.shape, low.ravel(), high.ravel()
    aim = low / 2 + high / 2
    reach = np.minimum(aim - low, high - aim) / 2
    size = np.maximum(np.abs(low), np.abs(high))
    with np.errstate(divide="ignore"):
        power = np.log10(size)
    usual = np.isfinite(power) & (np.abs(power - np.rint(power)) > _NEAR)
    digits = -np.floor(np.where(usual, power, 0.0)).astype(np.int64)
    found, left = np.empty(len(aim)), np.flatnonzero(usual)
    strange = [np.flatnonzero(~usual)]
    for more in range(_DIGITS):
        near, certain = _rounded(aim[left], digits[left] + more)
        strange.append(left[~certain])
        good = certain & (np.abs(near - aim[left]) <= reach[left]) & (low[left] < near) & (near < high[left])
        found[left[good]] = near[good]
        left = left[certain & ~good]
        if not len(left):
            break
    for place in np.concatenate([left, *strange]).tolist():
        found[place] = short_number(float(low[place]), float(high[place]), float(aim[place]))
    return found.reshape(shape)


def _rounded(values: Floats, digits: Ints) -> tuple[Floats, Flags]:
    """Round as Python does to so many digits; also return where this is certain to be the same."""
    possible = np.abs(digits) < len(_POWERS)
    scale = _POWERS[np.where(possible, np.abs(digits), 0)]
    with np.errstate(over="ignore"):
        scaled = np.where(digits >= 0, values * scale, values / scale)
        whole = np.rint(scaled)
        certain = (
            possible & (np.abs(whole) < _EXACT_FLOAT / 2) & (np.abs(np.abs(scaled - whole) - 0.5) > _NEAR)
        )
        rounded: Floats = np.where(digits >= 0, whole / scale, whole * scale) + 0.0
    certain &= np.abs(rounded) < _EXACT_FLOAT
    return rounded, certain


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
    ) -> _Rule:
        own: Mapping[str, str | tuple[float, ...]] = {}
        if isinstance(discretizer, Mapping):
            own = {name: _check_own(name, way, frame) for name, way in discretizer.items()}
            discretizer = "quantile"
        if discretizer not in (*METHODS, None):
            raise DataError(
                f"discretizer must be {_NAMED}, None or a mapping from column names to cut points, but it is "
                f"{discretizer!r}."
            )
        n_bins = whole(2, MOST_STATES, none=True).check("n_bins", n_bins)
        by_class = next((way for way in (discretizer, *own.values()) if way in BY_CLASS), None)
        if by_class and y is None:
            raise DataError(f"discretizer {by_class!r} chooses its cuts by the class: it needs y.")
        return cls(discretizer, n_bins, own, y if by_class else None)

    def only(self, rows: NDArray[np.bool_]) -> _Rule:
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
