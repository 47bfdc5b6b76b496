"""What is kept of a table that is read in batches: counts, sketches of quantiles and a sample of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.data.column import MOST_STATES, Column
from pgm_nb.data.encode import Encoder
from pgm_nb.data.frame import as_frame, is_number, is_text, number_blocks, numbers
from pgm_nb.data.labels import interval_labels
from pgm_nb.data.learn import DEFAULT_BINS, learn_encoder
from pgm_nb.data.target import as_labels, encode_target, unseen_classes
from pgm_nb.errors import DataError, needed

__all__ = ["FEW", "SAMPLE_ROWS", "Coding", "RowSample", "TableSummary"]

SKETCH_SIZE = 4096  # a rank is within 0.07% with a probability of 99%
EXACT = 1 << 17  # numbers up to which all of them are sketched
BLOCK, NEIGHBOURS = 512, 4


class QuantileSketch:
    """Numbers of which quantiles are asked for later; two of them merge.

    Examples
    --------
    >>> sketch = QuantileSketch()
    >>> sketch.update(np.arange(1, 101.0))
    >>> sketch.most
    100.0
    """

    def __init__(self) -> None:
        self.most = -np.inf
        self._held: list[Floats] = []  # numbers that are not in the sketch
        self._size = 0
        self._sketch: Any = None
        self._random: np.random.Generator | None = None

    def update(self, values: Floats) -> None:
        """Take numbers into account."""
        if not len(values):
            return
        self.most = max(self.most, float(values.max()))
        self._held.append(np.array(values, dtype=float))  # the sketch needs an array that can be written to
        self._size += len(values)
        if self._sketch is not None or self._size > EXACT:
            self._thin_out()

    def merge(self, other: QuantileSketch) -> None:
        """Take the numbers of another sketch into account."""
        self.most = max(self.most, other.most)
        if other._sketch is not None:
            if self._sketch is None:
                self._sketch = new_sketch()
            self._sketch.merge(other._sketch)
        self._held += other._held
        self._size += other._size
        if self._sketch is not None or self._size > EXACT:
            self._thin_out()

    def quantiles(self, shares: Sequence[float]) -> list[float]:
        """Return the numbers below which these shares of all lie."""
        return [float(value) for value in self.filled().get_quantiles(list(shares))]

    def filled(self) -> Any:
        """Return a sketch that has all numbers."""
        found = new_sketch()
        held = np.concatenate([np.zeros(0), *self._held])
        if self._sketch is None:
            found.update(held)
            return found
        found.merge(self._sketch)
        found.update(np.sort(held)[NEIGHBOURS // 2 :: NEIGHBOURS].copy())  # less than a block
        return found

    def _thin_out(self) -> None:
        """Take one of four neighbours of every whole block into the sketch."""
        if self._size < BLOCK:
            return
        if self._sketch is None:
            self._sketch = new_sketch()
        values = self._held[0] if len(self._held) == 1 else np.concatenate(self._held)
        whole = len(values) // BLOCK * BLOCK
        blocks = values[:whole].reshape(-1, BLOCK)
        blocks.sort(axis=1)
        if self._random is None:  # another one for the numbers of another part
            self._random = np.random.default_rng(crc32(blocks[0].tobytes()))
        drawn = self._random.integers(0, NEIGHBOURS, len(blocks))
        groups = blocks.reshape(len(blocks), -1, NEIGHBOURS)
        self._sketch.update(groups[np.arange(len(blocks)), :, drawn].ravel())
        self._held, self._size = [values[whole:].copy()], len(values) - whole


def new_sketch() -> Any:
    """Return an empty sketch of the library."""
    with needed("datasketches", "quantile sketches", "bins from a sample work without it"):
        from datasketches import kll_doubles_sketch
    return kll_doubles_sketch(SKETCH_SIZE)


SAMPLE_ROWS = 100_000  # of a stream that are held
SEED = np.uint64(0x9E3779B97F4A7C15)


def row_keys(start: int, n: int) -> NDArray[np.uint64]:
    """Return a fixed random number for each of the rows start, start + 1, ... (splitmix64).

    Examples
    --------
    >>> np.array_equal(row_keys(3, 4), row_keys(0, 7)[3:])
    True
    """
    with np.errstate(over="ignore"):
        z = (np.arange(start, start + n, dtype=np.uint64) + np.uint64(1)) * SEED
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


class RowSample:
    """The rows of a stream with the smallest keys, in the order of the stream; all rows while they are few.

    Every row has the same chance, and the rows chosen depend on their numbers alone, not on the batches.

    Parameters
    ----------
    size : int
        Rows that are held.
    limit : int, optional
        The largest key that can be among them, if the stream has been read before: see `limit`.

    Examples
    --------
    >>> sample = RowSample(3)
    >>> for start in (0, 4):
    ...     sample.add(start, [np.arange(start, start + 4)])
    >>> whole = RowSample(3)
    >>> whole.add(0, [np.arange(8)])
    >>> np.array_equal(sample.rows()[0], whole.rows()[0]), sample.seen
    (True, 8)
    """

    def __init__(self, size: int = SAMPLE_ROWS, *, limit: int | None = None) -> None:
        self.size, self.seen = size, 0
        self._keys: list[NDArray[np.uint64]] = []
        self._numbers: list[Ints] = []
        self._parts: list[list[Any]] = []  # arrays or frames with a row per key
        self._held = 0
        self._limit = np.uint64(2**64 - 1 if limit is None else limit)

    @property
    def limit(self) -> int:
        """No row with a larger key can be among those held."""
        self._trim()
        return int(self._limit)

    @property
    def whole(self) -> bool:
        """Whether no row has been left out."""
        return self.seen <= self.size

    def add(self, start: int, parts: list[Any]) -> None:
        """Take rows into account: the number of the first, and arrays or frames with these rows."""
        n = len(parts[0])
        keys = row_keys(start, n)
        self.seen += n
        chosen = np.flatnonzero(keys <= self._limit)
        if len(chosen) == 0:
            return
        self._append(keys[chosen], start + chosen, [_take(part, chosen) for part in parts])

    def merge(self, other: RowSample, change: Callable[[list[Any]], list[Any]] | None = None) -> None:
        """Take the rows of another sample into account, in another form if `change` is given."""
        self.seen += other.seen
        for keys, places, parts in zip(other._keys, other._numbers, other._parts, strict=True):
            self._append(keys, places, parts if change is None else change(parts))

    def change(self, change: Callable[[list[Any]], list[Any]]) -> None:
        """Put other arrays or frames, with the same rows, in the place of those that are held."""
        self._parts = [change(parts) for parts in self._parts]

    def _append(self, keys: NDArray[np.uint64], numbers: Ints, parts: list[Any]) -> None:
        self._keys.append(keys)
        self._numbers.append(numbers)
        self._parts.append(parts)
        self._held += len(keys)
        if self._held > 2 * self.size:
            self._trim()

    def _trim(self) -> None:
        """Keep the smallest keys, in the order of the rows, in one piece."""
        if not self._keys:
            return
        keys, numbers = np.concatenate(self._keys), np.concatenate(self._numbers)
        parts = [_joined(pieces) for pieces in zip(*self._parts, strict=True)]
        if len(keys) > self.size:
            kept = np.argpartition(keys, self.size - 1)[: self.size]
            self._limit = keys[kept].max()
        else:
            kept = np.arange(len(keys))
        kept = kept[np.argsort(numbers[kept], kind="stable")]
        self._keys, self._numbers = [keys[kept]], [numbers[kept]]
        self._parts = [[_take(part, kept) for part in parts]]
        self._held = len(kept)

    def rows(self) -> list[Any]:
        """Return the rows of the sample, as the arrays or frames that were added."""
        self._trim()
        return self._parts[0]


def _take(part: Any, rows: Ints) -> Any:
    return part.iloc[rows] if hasattr(part, "iloc") else part[rows]


def _joined(pieces: Any) -> Any:
    if not hasattr(pieces[0], "iloc"):
        return np.concatenate(pieces)
    import pandas as pd

    return pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)


FEW = 16  # distinct numbers of a column that are remembered at least
AT_ONCE = 1 << 20  # equal numbers that are sketched together


@dataclass(frozen=True, eq=False)
class Coding:
    """How the rows of a stream become codes."""

    encoder: Encoder
    classes: NDArray[Any]
    fill: Ints | None  #: the state that takes the place of a missing cell with missing="mode", if it is known
    most: int = DEFAULT_BINS  #: how many numbers of a column that has no cut points can be states
    limit: int | None = None  #: the largest key of the sample of the rows that were read


class TableSummary:
    """What a pass over the rows found: words, missing cells, few distinct numbers, and a sample of the rows.

    Parameters
    ----------
    few : int
        Up to how many distinct numbers of a column are remembered.
    sketch : bool
        Whether to sketch the quantiles of every numeric column as well (package ``datasketches``).
    drop : bool
        Whether rows with a missing cell are left out.

    Examples
    --------
    >>> summary = TableSummary()
    >>> summary.add(pd.DataFrame({"age": [30, 40], "sex": ["f", None]}), ["ill", "well"], 0)
    >>> summary.add(pd.DataFrame({"age": [50, 60], "sex": ["m", "m"]}), ["ill", "ill"], 2)
    >>> coding = summary.coding(discretizer="quantile", n_bins=2, missing="state")
    >>> [column.labels for column in coding.encoder.columns]
    [('≤ 45', '> 45'), ('f', 'm', 'missing')]
    """

    def __init__(self, few: int = FEW, *, sketch: bool = False, drop: bool = False) -> None:
        self.few, self.drop = few, drop
        self.names: tuple[str, ...] = ()
        self.words: dict[str, set[Any]] = {}
        self.numbers: dict[str, Any] = {}  # the distinct numbers of a column, None: too many
        self.missing: dict[str, int] = {}
        self.labels: set[Any] = set()
        self.declared: set[Any] = set()  # classes that pandas categories name, with or without rows
        self.sample = RowSample()
        self.sketches: dict[str, QuantileSketch] | None = {} if sketch else None
        self.often: dict[str, dict[float, int]] = {}  # of columns that need no sketch so far

    def add(self, X: Any, y: Any, start: int) -> None:
        """Take rows into account; `start` is the number of the first one."""
        frame = as_frame(X)
        names = tuple(map(str, frame.columns))
        if self.names and names != self.names:
            raise DataError(
                "every batch must have the same columns in the same order, but one has "
                f"{', '.join(names[:5])}, ... and another {', '.join(self.names[:5])}, ..."
            )
        self.names = names
        labels = as_labels(y)
        self.labels.update(pd.unique(pd.Series(labels)).tolist())
        self.declared.update(unseen_classes(y))
        if self.drop:
            complete = frame.notna().all(axis=1).to_numpy()
            frame, labels = frame[complete], labels[complete]
        nothing_new = self._seen_before(frame)
        for place, name in enumerate(names):
            if place not in nothing_new:
                self._look(name, frame.iloc[:, place])
        self.sample.add(start, [frame, labels])

    def _seen_before(self, frame: pd.DataFrame) -> set[int]:
        """Return the columns of whole numbers in which nothing is new: their range is filled already."""
        found: set[int] = set()
        for block in number_blocks(frame, "iu")[0] if len(frame) else ():
            ends = block.cells.min(axis=1).tolist(), block.cells.max(axis=1).tolist()
            for i, (place, low, high) in enumerate(zip(block.places.tolist(), *ends, strict=True)):
                name = self.names[place]
                known = self.numbers.get(name, np.zeros(0))
                if known is None:
                    if self.sketches is None:
                        found.add(place)
                elif _fills(known, low, high):
                    found.add(place)
                    if self.sketches is not None:
                        times = np.bincount(block.cells[i].astype(np.int64) - low)
                        self._put_off(name, np.arange(low, high + 1), times)
        return found

    def _look(self, name: str, cells: pd.Series) -> None:
        empty = int(cells.isna().sum())
        if empty:
            self.missing[name] = self.missing.get(name, 0) + empty
        if is_text(cells):
            words = self.words.setdefault(name, set())
            words.update(pd.unique(cells.dropna()).tolist())
            if len(words) > MOST_STATES:
                raise DataError(
                    f"column {name!r} has more than {MOST_STATES:,} distinct words: it looks like an "
                    "identifier; leave it out, or group its values."
                )
            return
        if not is_number(cells):
            return  # declared categories
        found = numbers(cells)
        present = found[~np.isnan(found)] if empty else found
        known = self.numbers.get(name, np.zeros(0))
        if known is not None:
            known = self.numbers[name] = _with_distinct(known, present, self.few)
        if self.sketches is None:
            return
        if known is None:
            self._sketch(name).update(present)
        else:
            self._put_off(name, known, np.array([np.count_nonzero(present == number) for number in known]))

    def _put_off(self, name: str, values: NDArray[Any], times: Ints) -> None:
        """Remember how often a few numbers occur: a column that has no others needs no sketch."""
        often = self.often.setdefault(name, {})
        for value, count in zip(values.tolist(), times.tolist(), strict=True):
            often[float(value)] = often.get(float(value), 0) + count

    def _sketch(self, name: str) -> QuantileSketch:
        assert self.sketches is not None
        if name not in self.sketches:
            new_sketch()  # without the library it ends here, not after the last row
            self.sketches[name] = QuantileSketch()
            self._make_up(name, self.often.pop(name, {}))
        return self.sketches[name]

    def _make_up(self, name: str, often: Mapping[float, int]) -> None:
        """Take into the sketch what was put off."""
        for value, times in often.items():
            for start in range(0, times, AT_ONCE):
                self._sketch(name).update(np.full(min(AT_ONCE, times - start), value))

    def empty(self) -> TableSummary:
        """Return a summary of no rows, made as this one is."""
        return TableSummary(self.few, sketch=self.sketches is not None, drop=self.drop)

    def merge(self, other: TableSummary) -> None:
        """Take what another pass found into account, such as that of another partition."""
        if self.names and other.names and self.names != other.names:
            raise DataError("every part of the table must have the same columns in the same order.")
        self.names = self.names or other.names
        self.labels |= other.labels
        self.declared |= other.declared
        for name, words in other.words.items():
            self.words.setdefault(name, set()).update(words)
        for name, empty in other.missing.items():
            self.missing[name] = self.missing.get(name, 0) + empty
        for name, values in other.numbers.items():
            known = self.numbers.get(name, np.zeros(0))
            union = None if known is None or values is None else np.union1d(known, values)
            self.numbers[name] = union if union is not None and len(union) <= self.few else None
        if self.sketches is not None and other.sketches is not None:
            for name, sketch in other.sketches.items():
                self._sketch(name).merge(sketch)
            for name, often in other.often.items():
                if self.numbers[name] is None:
                    self._make_up(name, often)
                else:
                    self._put_off(name, np.array(list(often)), np.array(list(often.values())))
        self.sample.merge(other.sample)

    def coding(self, *, discretizer: Any, n_bins: int | None, missing: str, classes: Any = None) -> Coding:
        """Learn how columns become codes, from the sample and from what the pass saw of all rows."""
        if self.sample.seen == 0:
            raise DataError("there is no row to learn from: every batch is empty, or there is none.")
        frame, labels = self.sample.rows()
        every, y = self._classes(labels, classes)
        given = self._sketched(discretizer, n_bins, frame) if self.sketches else discretizer
        encoder, codes, _, _ = learn_encoder(frame, y, discretizer=given, n_bins=n_bins, missing=missing)
        fill = np.array([int(np.bincount(row).argmax()) for row in codes])
        most = MOST_STATES if discretizer is None else n_bins or DEFAULT_BINS
        if not self.sample.whole:
            columns = tuple(self._completed(column, missing, most) for column in encoder.columns)
            fill = np.array([p[f] for p, f in zip(encoder.places(Encoder(columns)), fill, strict=True)])
            encoder = Encoder(tuple(self._cut(column, most) for column in columns))
        return Coding(encoder, every, fill, most, self.sample.limit)

    def _classes(self, labels: NDArray[Any], classes: Any) -> tuple[NDArray[Any], Any]:
        if classes is None:
            found, _ = encode_target(np.array(list(self.labels), dtype=object))
            classes = found.astype(str if labels.dtype.kind == "U" else labels.dtype)
        every, _ = encode_target(classes)
        return every, pd.Index(every).get_indexer(pd.Index(labels))

    def _completed(self, column: Column, missing: str, most: int) -> Column:
        """Add what the sample did not show: rare words and numbers, and a state for missing cells."""
        states, known = self.words.get(column.name, ()), self.numbers.get(column.name)
        if column.kind == "numeric" and column.cuts is None and known is not None and len(known) <= most:
            states = known.tolist()
        empty = missing == "state" and bool(self.missing.get(column.name))
        return column.grown(sorted(states), empty=empty, most=most)

    def _cut(self, column: Column, most: int) -> Column:
        """Cut a column between the numbers of the sample, if all rows have more than can be states."""
        known = self.numbers.get(column.name, ())
        if column.kind != "numeric" or column.cuts is not None or (known is not None and len(known) <= most):
            return column
        if most == MOST_STATES:
            raise DataError(
                f"column {column.name!r} has more than {self.few:,} distinct numbers, and every one is to be "
                "a state: use a discretizer, or leave the column out."
            )
        cuts = tuple((float(low) + float(high)) / 2 for low, high in pairwise(column.known))
        empty = column.states[len(column.known) :]
        return replace(column, states=(*interval_labels(cuts), *empty), cuts=cuts)

    def _sketched(self, discretizer: Any, n_bins: int | None, frame: pd.DataFrame) -> Mapping[str, Any]:
        """Return cut points from the sketches for the columns that are to be cut at quantiles."""
        own = dict(discretizer) if isinstance(discretizer, Mapping) else {}
        if not own and discretizer != "quantile":
            raise DataError(
                f"bins='sketch' sketches quantiles, but discretizer is {discretizer!r}; use bins='pass'."
            )
        b = n_bins or DEFAULT_BINS
        for name, sketch in (self.sketches or {}).items():
            if name in own or self.numbers.get(name) is not None:
                continue
            edges = np.unique(sketch.quantiles([i / b for i in range(1, b)]))
            edges = edges[edges < sketch.most]
            if len(edges):
                own[name] = edges.tolist()
        return own


def _fills(known: Floats, low: int, high: int) -> bool:
    """Whether every whole number from one to another is among ascending numbers.

    Examples
    --------
    >>> _fills(np.array([0.0, 1.0, 2.0]), 0, 1), _fills(np.array([0.0, 2.0]), 0, 2)
    (True, False)
    """
    inside = known[(known >= low) & (known <= high) & (known == np.floor(known))]
    return len(inside) == high - low + 1


def _with_distinct(known: Floats, values: Floats, most: int) -> Floats | None:
    """Return the known numbers and the other ones among the values, ascending; None if there are too many.

    Comparing with a few numbers takes a fraction of the time of sorting.
    """
    found, compared = np.zeros(len(values), dtype=bool), 0
    while len(known) <= most:
        for number in known[compared:]:
            found |= values == number
        if found.all():
            return np.sort(known)
        compared = len(known)
        values = values[~found]
        found = np.zeros(len(values), dtype=bool)
        known = np.append(known, np.unique(values[: 4 * most]))
    return None
