"""The rows of a kernel model: attributes and their scales, the index, and the window over a stream."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from typing import Any, Protocol, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Flags, Floats, Places, revived, stored
from pgm_nb.counts import count
from pgm_nb.data import Column, MissingReport, as_frame
from pgm_nb.data.frame import is_number, numbers
from pgm_nb.errors import DataError
from pgm_nb.graphs import Star, from_json
from pgm_nb.information import information
from pgm_nb.models.base import Packed
from pgm_nb.models.coded_rows import CodedRows, check_classes_survive, code_rows
from pgm_nb.models.files import pack_classes, unpack_classes
from pgm_nb.models.kernel.sums import (
    UNKNOWN,
    HobbitColumn,
    PTree,
    gaussian_log_kernel,
    gaussian_log_sums,
    hobbit_log_sums,
)
from pgm_nb.words import did_you_mean, listed

__all__ = [
    "BitScale",
    "HobbitIndex",
    "KernelAttribute",
    "KernelIndex",
    "KernelState",
    "Reading",
    "Window",
    "index_rows",
    "integers",
    "learn_scale",
    "pack",
    "unpack",
]

LARGEST = 1e300  # of a value in units of its log scale
NEAREST = 1e-290  # numbers that lie within this are one
MOST_BITS = 16


@dataclass(frozen=True)
class BitScale:
    """The scale of one column: numbers become integers from 0 to 2^bits - 1, in equal steps.

    Attributes
    ----------
    low, high : float
        Smallest and largest training value, after log scaling; values outside are moved to the nearer end.
    deviation : float
        Standard deviation of the training values, after log scaling; infinite for a constant column,
        whose values cannot distinguish rows.
    bits : int
        Bits of a code.
    unit : float or None
        None: values as they are. A number: log scaling, x becomes sign(x) log(1 + |x| / unit).

    Examples
    --------
    >>> scale = BitScale(low=0.0, high=8.0, deviation=2.0, bits=3)
    >>> scale.codes(np.array([-5.0, 0.0, 3.5, 8.0]))
    array([0, 0, 3, 7])
    """

    low: float
    high: float
    deviation: float
    bits: int
    unit: float | None = None

    def scaled(self, values: Floats) -> Floats:
        """Return the values after log scaling, or as they are."""
        return values if self.unit is None else _logarithms(values, self.unit)

    def codes(self, scaled: Floats) -> NDArray[np.int64]:
        """Return the integers of values that `scaled` gave."""
        if self.high == self.low:
            return np.zeros(len(scaled), dtype=np.int64)
        last = (1 << self.bits) - 1
        share = np.clip(scaled, self.low, self.high) / self._width - self.low / self._width
        return np.minimum(np.floor(share * (1 << self.bits)), last).astype(np.int64)

    @property
    def deviation_in_steps(self) -> float:
        """The standard deviation in steps of the code."""
        if self.high == self.low:
            return inf
        return self.deviation / self._width * (1 << self.bits)

    def to_dict(self) -> dict[str, Any]:
        """Return the scale as plain values for JSON, which knows no infinity."""
        return asdict(self) | {"deviation": None if self.deviation == inf else self.deviation}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the scale that `to_dict` wrote."""
        deviation = inf if record["deviation"] is None else float(record["deviation"])
        scale = cls(**{**record, "deviation": deviation})
        unit = 1.0 if scale.unit is None else float(scale.unit)
        is_whole = isinstance(scale.bits, int) and 1 <= scale.bits <= MOST_BITS
        if not (is_whole and isfinite(scale.low) and isfinite(scale.high) and 0 < unit < inf):
            raise ValueError("the scale of an attribute is not one")
        if scale.low > scale.high or not deviation > 0:
            raise ValueError("the scale of an attribute ends before it begins")
        return scale

    @property
    def _width(self) -> float:
        return self.high - self.low


def learn_scale(values: Floats, *, bits: int, log: bool) -> BitScale:
    """Learn the scale of a column from its known training values; the order of the values does not matter.

    With ``log=True`` the unit is the smallest size of a value that is not zero, so that a change of
    units changes nothing.

    Examples
    --------
    >>> learn_scale(np.array([0.0, 1.0, 3.0]), bits=8, log=True).unit
    1.0
    >>> learn_scale(np.array([5.0, 5.0]), bits=8, log=False).deviation
    inf
    """
    unit = None
    if log:
        sizes = np.abs(values[values != 0])
        unit = float(sizes.min()) if len(sizes) else 1.0
        values = _logarithms(values, unit)
    ordered = np.sort(values)
    low, high = float(ordered[0]), float(ordered[-1])
    width = high - low
    if not isfinite(width):
        raise DataError(
            f"the numbers of a column must lie within 1e308 of each other, but go from {low:g} to {high:g}."
        )
    if width < NEAREST:
        return BitScale(low, low, inf, bits, unit)
    deviation = float(np.std((ordered - low) / width) * width)
    return BitScale(low, high, deviation, bits, unit)


def _logarithms(values: Floats, unit: float) -> Floats:
    with np.errstate(over="ignore"):
        sizes = np.minimum(np.abs(values) / unit, LARGEST)
    logarithms: Floats = np.sign(values) * np.log1p(sizes)
    return logarithms


@dataclass(frozen=True)
class KernelAttribute:
    """One attribute: its column, and the scale of its numbers (None when it has states instead).

    Cells become values: numbers on the scale, infinity for the state "missing" of a numeric column, the code
    of a category, NaN for what is unknown.
    """

    column: Column
    scale: BitScale | None

    @property
    def sigma(self) -> float:
        """Width of the Gaussian kernel: half the standard deviation; 0 for categories."""
        return 0.0 if self.scale is None else self.scale.deviation / 2

    @property
    def hobbit(self) -> HobbitColumn:
        """The HOBbit kernel of the attribute's codes."""
        if self.scale is None:
            return HobbitColumn(0, self.column.card, 0.0)
        return HobbitColumn(
            self.scale.bits, int(self.column.missing_state), self.scale.deviation_in_steps / 2
        )

    def values(self, cells: pd.Series, codes: Codes) -> Floats:
        """Return the values of cells whose codes by the column are `codes`."""
        if self.scale is None:
            return np.where(codes == self.column.card, np.nan, codes.astype(np.float64))
        plain = cells if is_number(cells) else pd.to_numeric(cells.astype(object))
        values = self.scale.scaled(numbers(plain))
        state = self.column.missing_state and not self.column.empty_unknown
        return np.where(np.isnan(values), inf, values) if state else values

    def integers(self, values: Floats) -> NDArray[np.int64]:
        """Return the codes of values for a P-tree, -1 where unknown."""
        unknown = np.isnan(values)
        known = np.where(unknown, 0.0, values)
        if self.scale is None:
            codes = known.astype(np.int64)
        else:
            missing = np.isinf(known)
            codes = self.scale.codes(np.where(missing, self.scale.low, known))
            codes[missing] = 1 << self.scale.bits
        return np.where(unknown, UNKNOWN, codes)

    def to_dict(self) -> dict[str, Any]:
        """Return the attribute as plain values for JSON."""
        return {
            "column": self.column.to_dict(),
            "scale": None if self.scale is None else self.scale.to_dict(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the attribute that `to_dict` wrote."""
        scale = record["scale"]
        return cls(Column.from_dict(record["column"]), None if scale is None else BitScale.from_dict(scale))


def integers(values: Floats, attributes: Sequence[KernelAttribute]) -> NDArray[np.int64]:
    """Return the codes of rows of values, (d, n), for a P-tree."""
    return np.array([a.integers(column) for a, column in zip(attributes, values, strict=True)])


def learn_attribute(
    column: Column, cells: pd.Series, codes: Codes, *, bits: int, log_columns: Collection[str], binned: bool
) -> tuple[KernelAttribute, Floats]:
    """Learn an attribute from its training cells; return it and the values of the cells.

    Parameters
    ----------
    column : Column
        How the cells become codes.
    cells, codes
        The training cells and their codes, missing ones filled in when that is the policy.
    bits : int
        Bits of a number's code.
    log_columns : collection of str
        Names of the columns to scale by logarithms.
    binned : bool
        Whether numbers were discretised first, so that every attribute has states.
    """
    if binned or column.kind != "numeric" or cells.isna().all():
        attribute = KernelAttribute(column, None)
        return attribute, codes.astype(np.float64)
    known = numbers(cells.dropna())
    if not column.missing_state and len(known) < len(cells):  # missing="mode"
        states, times = np.unique(known, return_counts=True)
        known = numbers(cells := pd.Series(numbers(cells)).fillna(states[times.argmax()]))
    attribute = KernelAttribute(column, learn_scale(known, bits=bits, log=column.name in log_columns))
    return attribute, attribute.values(cells, codes)


class KernelIndex(Protocol):
    """What a kernel model needs from its rows."""

    def log_sums(self, values: NDArray[np.generic], *, pairs: bool) -> tuple[Floats, Floats | None, Flags]:
        """Log kernel sums at rows to classify, and which of their cells are known."""

    def log_kernel(self, place: int, value: float) -> Floats:
        """Log of an attribute's kernel between a known value and all training rows, class by class, (n,)."""


class HobbitIndex:
    """The rows of every class in a P-tree, for HOBbit kernels.

    Parameters
    ----------
    columns : sequence of HobbitColumn
        The kernels.
    codes : array of int (d, n)
        The rows, oldest first.
    y : array (n,)
        Class codes of the rows.
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> column = HobbitColumn(number_bits=2, states=0, sigma=1.0)
    >>> index = HobbitIndex([column], np.array([[0, 1, 3]]), np.array([0, 0, 1]), 2)
    >>> index.advance([column], np.array([[1, 3, 2]]), np.array([0, 1, 0]), gone=1)
    >>> [tree.n_rows for tree in index.trees]
    [2, 1]
    """

    def __init__(
        self, columns: Sequence[HobbitColumn], codes: NDArray[np.integer], y: Places, n_classes: int
    ) -> None:
        self._set(columns, codes, y, n_classes)
        bits = [column.bits for column in columns]
        self.trees = tuple(PTree(part, bits) for part in self._parts)
        self._numbers = np.empty(len(y), dtype=np.int64)  # the number of each row in the tree of its class
        for c, tree in enumerate(self.trees):
            self._numbers[y == c] = np.arange(tree.n_rows)

    def log_sums(self, values: NDArray[np.generic], *, pairs: bool) -> tuple[Floats, Floats | None, Flags]:
        """Log kernel sums at rows of codes, (d, m); see `hobbit_log_sums`."""
        queries = values.astype(np.int64)
        return hobbit_log_sums(self.trees, self.columns, queries, self._parts, pairs=pairs)

    def log_kernel(self, place: int, value: float) -> Floats:
        """Log of an attribute's kernel between a code and all rows, class by class, (n,)."""
        rows = np.concatenate([part[place] for part in self._parts])
        return self.columns[place].log_kernel(int(value), rows)

    def advance(
        self, columns: Sequence[HobbitColumn], codes: NDArray[np.integer], y: Places, *, gone: int
    ) -> None:
        """Drop the oldest `gone` rows; `codes` and `y` are the rows that are left and the new ones.

        The rows that are left may have other codes than before: only those that do are touched.
        """
        left = len(self.y) - gone
        numbers = np.append(self._numbers[gone:], np.empty(len(y) - left, dtype=np.int64))
        before = self.codes[:, gone:]
        new = np.arange(len(y)) >= left
        for c, tree in enumerate(self.trees):
            tree.drop(self._numbers[:gone][self.y[:gone] == c])
            for place, column in enumerate(columns):
                moved = np.flatnonzero((before[place] != codes[place, :left]) & (y[:left] == c))
                if len(moved) or column.bits > tree.bits[place]:
                    tree.recode(place, numbers[moved], codes[place, moved], column.bits)
            mine = new & (y == c)
            numbers[mine] = tree.add(codes[:, mine])
        self._numbers = numbers
        self._set(columns, codes, y, len(self.trees))

    def _set(
        self, columns: Sequence[HobbitColumn], codes: NDArray[np.integer], y: Places, n_classes: int
    ) -> None:
        self.columns, self.codes, self.y = tuple(columns), codes, y
        self._parts = [codes[:, y == c] for c in range(n_classes)]


class GaussianIndex:
    """The rows of every class as they are, for Gaussian kernels: there is nothing to build.

    Parameters
    ----------
    sigmas : sequence of float
        Width of each attribute's kernel; 0 for categories.
    values : array (d, n)
        The rows.
    y : array (n,)
        Class codes of the rows.
    n_classes : int
        Number of classes.
    """

    def __init__(self, sigmas: Sequence[float], values: Floats, y: Places, n_classes: int) -> None:
        self._sigmas = tuple(sigmas)
        self._parts = tuple(np.ascontiguousarray(values[:, y == c]) for c in range(n_classes))

    def log_sums(self, values: NDArray[np.generic], *, pairs: bool) -> tuple[Floats, Floats | None, Flags]:
        """Log kernel sums at rows of values, (d, m); see `gaussian_log_sums`."""
        return gaussian_log_sums(self._parts, self._sigmas, values.astype(np.float64), pairs=pairs)

    def log_kernel(self, place: int, value: float) -> Floats:
        """Log of an attribute's kernel between a value and all rows, class by class, (n,)."""
        rows = np.concatenate([part[place] for part in self._parts])
        return gaussian_log_kernel(value, rows, self._sigmas[place])


@dataclass(frozen=True, eq=False)
class Window:
    """The last rows of a stream, oldest first.

    Attributes
    ----------
    frame : DataFrame
        The rows.
    y : array (n,)
        Their class codes.
    kept : array of bool (n,)
        Which of them are learned from: not those that the missing policy drops.

    Examples
    --------
    >>> window = Window.of(pd.DataFrame({"age": [40, 50, 60]}), np.array([0, 1, 1]), 2)
    >>> window, gone = window.moved(pd.DataFrame({"age": [70.5]}), np.array([0]), 2)
    >>> window.frame["age"].tolist(), window.y.tolist(), gone
    ([60.0, 70.5], [1, 0], 1)
    """

    frame: pd.DataFrame
    y: Places
    kept: NDArray[np.bool_]

    @classmethod
    def of(cls, frame: pd.DataFrame, y: Places, size: int | None) -> Self:
        """Return the window on the last `size` of these rows, or on all."""
        last = slice(0 if size is None else max(0, len(y) - size), None)
        y = y[last]
        return cls(frame.iloc[last].reset_index(drop=True), y, np.ones(len(y), dtype=bool))

    def moved(self, frame: pd.DataFrame, y: Places, size: int | None) -> tuple[Self, int]:
        """Return the window moved on by new rows, and how many learned rows have left it."""
        columns = {str(name): _joined(self.frame[name], cells) for name, cells in frame.items()}
        rows = as_frame(pd.DataFrame(columns))  # looks once more whether the columns are of one type
        after = self.of(rows, np.append(self.y, y), size)
        left = len(rows) - len(after.y)
        return after, int(self.kept[:left].sum())

    def keeping(self, kept: NDArray[np.bool_]) -> Self:
        """Return the window with these rows learned from."""
        return replace(self, kept=kept)

    def pack(self) -> dict[str, NDArray[Any]]:
        """Return the window as arrays for a file: the rows in Arrow's format, which keeps types."""
        import pyarrow as pa

        table = pa.Table.from_pandas(self.frame, preserve_index=False)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        rows = np.frombuffer(sink.getvalue(), dtype=np.uint8)
        return {"window": rows, "window_y": self.y, "window_kept": self.kept}

    @classmethod
    def unpack(cls, arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Self | None:
        """Read what `pack` gave; None if there was no window."""
        import pyarrow as pa

        if "window" not in arrays:
            return None
        content = stored(arrays, "window", (None,), "whole numbers")
        if content.dtype != np.uint8:
            raise ValueError(f"part window holds {content.dtype} instead of bytes")
        try:
            frame = pa.ipc.open_stream(pa.py_buffer(content)).read_all().to_pandas()
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"part window is not a table: {error}") from error
        n = len(frame)
        y = stored(arrays, "window_y", (n,), "whole numbers", least=0, most=n_classes - 1)
        return cls(frame, y.astype(np.intp, copy=False), stored(arrays, "window_kept", (n,), "flags"))


def _joined(old: pd.Series, new: pd.Series) -> pd.Series:
    """Return one column after the other; where their types differ, of the type that holds both."""
    if old.dtype == new.dtype:
        return pd.concat([old, new], ignore_index=True)
    return pd.concat([old.astype(object), new.astype(object)], ignore_index=True).infer_objects()


KERNELS = ("hobbit", "gaussian")


@dataclass(frozen=True, eq=False)
class KernelState:
    """All that is learned from rows; with a window also the rows themselves, so that it can move on."""

    classes: NDArray[Any]
    named: bool  #: the training table had column names of its own
    structure: Star
    attributes: tuple[KernelAttribute, ...]
    missing: MissingReport
    rows: NDArray[Any]  #: (d, n) as the kernel needs them: codes for a P-tree, else values
    y: Places
    window: Window | None = None


@dataclass(frozen=True)
class Reading:
    """How a table is read; the parameters have the names of those of the model."""

    kernel: str
    bits: int
    log_columns: Sequence[str] | None
    discretizer: str | Mapping[str, str | Sequence[float]] | None
    n_bins: int | None
    missing: str

    def of_table(
        self, frame: pd.DataFrame, y: Places, target: str, classes: NDArray[Any], named: bool
    ) -> KernelState:
        """Learn from a table; the order of its rows does not matter."""
        coded, attributes, rows = self._learn(frame, y)
        check_classes_survive(classes, coded.y, y)
        order = np.lexsort((*rows, coded.y))
        star = _star(coded, target, len(classes))
        return KernelState(classes, named, star, attributes, coded.missing, rows[:, order], coded.y[order])

    def of_window(self, window: Window, target: str, classes: NDArray[Any], named: bool) -> KernelState:
        """Learn from the rows of a window, oldest first; a class may have none."""
        coded, attributes, rows = self._learn(window.frame, window.y)
        star = _star(coded, target, len(classes))
        return KernelState(
            classes, named, star, attributes, coded.missing, rows, coded.y, window.keeping(coded.kept)
        )

    def _learn(
        self, frame: pd.DataFrame, y: Places
    ) -> tuple[CodedRows, tuple[KernelAttribute, ...], NDArray[Any]]:
        """Return the rows in codes, the attributes, and the rows as the kernel needs them."""
        _check_log_columns(self.log_columns or (), frame)
        bins = "quantile" if self.discretizer is None else self.discretizer  # else for the relevance only
        coded = code_rows(frame, y, discretizer=bins, n_bins=self.n_bins, missing=self.missing)
        learned = [
            learn_attribute(
                column,
                cells,
                codes,
                bits=self.bits,
                log_columns=tuple(self.log_columns or ()),
                binned=self.discretizer is not None,
            )
            for column, (_, cells), codes in zip(
                coded.encoder.columns, coded.frame.items(), coded.codes, strict=True
            )
        ]
        attributes = tuple(attribute for attribute, _ in learned)
        values = np.array([column for _, column in learned])
        if self.kernel == "gaussian":
            return coded, attributes, values
        return coded, attributes, integers(values, attributes).astype(np.uint32)


def index_rows(learned: KernelState, kernel: str) -> KernelIndex:
    """Build the index that the kernel needs."""
    k = len(learned.classes)
    if kernel == "hobbit":
        columns = [attribute.hobbit for attribute in learned.attributes]
        return HobbitIndex(columns, learned.rows, learned.y, k)
    return GaussianIndex([attribute.sigma for attribute in learned.attributes], learned.rows, learned.y, k)


def _star(coded: CodedRows, target: str, n_classes: int) -> Star:
    """Return the star of all attributes, with I(Xi;Y) of binned numbers."""
    names = coded.encoder.names
    relevance = information(count(coded.codes, coded.y, coded.encoder.cards, n_classes)).relevance
    return Star(target, names, dict(zip(names, relevance.tolist(), strict=True)))


def _check_log_columns(log_columns: Iterable[str], frame: pd.DataFrame) -> None:
    if isinstance(log_columns, str):
        raise DataError(f"log_columns must be a list of column names, but is the text {log_columns!r}.")
    names = [str(name) for name in frame.columns]
    for name in log_columns:
        if name not in names:
            raise DataError(
                f"log_columns names {name!r}, which is not a column{did_you_mean(name, names)} "
                f"(columns: {listed(names)})."
            )
        if frame[name].dtype.kind not in "iuf":
            raise DataError(f"log_columns names {name!r}, which is not a numeric column; leave it out.")


def pack(learned: KernelState) -> Packed:
    """Return what JSON holds, and arrays by name."""
    description = {
        "classes": pack_classes(learned.classes),
        "named": learned.named,
        "structure": json.loads(learned.structure.to_json()),
        "attributes": [attribute.to_dict() for attribute in learned.attributes],
        "missing": asdict(learned.missing),
    }
    window = {} if learned.window is None else learned.window.pack()
    return description, {"rows": learned.rows, "y": learned.y} | window


def unpack(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> KernelState:
    """Read what `pack` gave."""
    structure = from_json(json.dumps(description["structure"]))
    if not isinstance(structure, Star):
        raise TypeError(f"the structure must be a star, got a {structure.type_name}")
    classes = unpack_classes(description["classes"])
    attributes = tuple(KernelAttribute.from_dict(record) for record in description["attributes"])
    if structure.attributes != tuple(attribute.column.name for attribute in attributes):
        raise ValueError("the attributes are not those of the structure")
    y = stored(arrays, "y", (None,), "whole numbers", least=0, most=len(classes) - 1)
    shape = (len(attributes), len(y))
    kind = "cells" if arrays["rows"].dtype.kind == "f" else "whole numbers"  # NaN: unknown
    return KernelState(
        classes=classes,
        named=description["named"],
        structure=structure,
        attributes=attributes,
        missing=revived(MissingReport, description["missing"]),
        rows=stored(arrays, "rows", shape, kind, least=0),
        y=y.astype(np.intp, copy=False),
        window=Window.unpack(arrays, len(classes)),
    )
