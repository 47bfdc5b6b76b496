"""A table in codes, column by column or many number columns at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Ints, rebuilt
from pgm_nb.data.column import Column, code_type, plain_states
from pgm_nb.data.frame import Block, Tile, array_block, columns_at, number_blocks, numbers, tidy
from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed

if TYPE_CHECKING:
    from pgm_nb.data.column import Column

__all__ = ["Encoder", "in_threads"]

MOST_MARKS = 16  # up to here comparisons are faster than a binary search per cell
_EXACT = 2.0**53  # whole numbers up to here are themselves in double precision


@dataclass(frozen=True, eq=False)
class Lookup:
    """How neighbouring columns of one kind become codes: all are cut, or all list their values.

    Attributes
    ----------
    cut : bool
        Whether `marks` are cut points; else they are the values of the states.
    marks : array of shape (columns, most)
        Cut points, then infinity; or values, then NaN.
    sizes : tuple of int
        How many marks each column has.
    cards, absent : arrays of shape (columns, 1)
        The code of a value that is none of the states, and of a missing cell.
    first, last : arrays of shape (columns,)
        The least and largest state, if the states are all whole numbers from one to the other; else an empty
        range.
    """

    cut: bool
    marks: Floats
    sizes: tuple[int, ...]
    cards: Codes
    absent: Codes
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Lookup:
        """Make ready the lookup of columns of one kind."""
        cut = columns[0].cuts is not None
        marks: list[Sequence[Any]] = [
            column.cuts if column.cuts is not None else column.known for column in columns
        ]
        padded_to = max(map(len, marks))
        dtype = np.uint8 if padded_to <= MOST_MARKS else np.uint16
        padded = np.full((len(columns), padded_to), np.inf if cut else np.nan)
        for row, values in zip(padded, marks, strict=True):
            row[: len(values)] = values
        ranges = [(1, 0) if cut else _whole_range(values) for values in marks]
        return cls(
            cut,
            padded,
            tuple(map(len, marks)),
            np.array([[column.card] for column in columns], dtype=dtype),
            np.array([[column.absent] for column in columns], dtype=dtype),
            np.array([first for first, _ in ranges], dtype=np.int64),
            np.array([last for _, last in ranges], dtype=np.int64),
        )

    def encode(self, block: Block, complete: bool, codes: Codes, tile: Tile) -> None:
        """Write the codes of a tile of the block whose columns these are.

        Parameters
        ----------
        block : Block
            The columns of this lookup.
        complete : bool
            Whether no cell is missing.
        codes : array of shape (columns, rows)
            Where the codes of the block go.
        tile : Tile
            Which of its cells to code.
        """
        cells, here, out = block.cells[tile.columns, tile.rows], tile.columns, codes[tile.columns, tile.rows]
        if cells.dtype.kind in "bu" and cells.dtype.itemsize == 1:
            cells = cells.view(np.uint8)
        if not self.cut and cells.dtype.kind in "iu":
            first, last = self.first[here], self.last[here]
            if (cells.min(axis=1) >= first).all() and (cells.max(axis=1) <= last).all():
                np.subtract(cells, first[:, None], out=out, dtype=np.int64, casting="unsafe")
                return
        numbers = np.ascontiguousarray(cells, dtype=np.float64)
        if self.marks.shape[1] > MOST_MARKS:
            found = np.stack([self._search(row, i) for i, row in enumerate(numbers, here.start)])
            if not complete:
                np.copyto(found, self.absent[here], where=np.isnan(numbers))
        else:
            found = (self._bins if self.cut else self._places)(numbers, here)
            if not complete:  # a missing cell is above no cut point and equal to no state
                more = self.absent[here] - (np.uint8(0) if self.cut else self.cards[here])
                found += np.isnan(numbers).view(np.uint8) * more
        out[:] = found

    def _search(self, numbers: Floats, column: int) -> Codes:
        """Return the codes of one column with many states."""
        marks = self.marks[column, : self.sizes[column]]
        place = np.searchsorted(marks, numbers)
        if not self.cut:
            nearest = np.minimum(place, len(marks) - 1)
            place = np.where(marks[nearest] == numbers, nearest, self.cards[column])
        return place.astype(np.uint16)

    def _bins(self, numbers: Floats, here: slice) -> Codes:
        """Return how many cut points lie below each number."""
        codes = np.zeros(numbers.shape, dtype=np.uint8)
        above = np.empty(numbers.shape, dtype=bool)
        for mark in self.marks[here].T:
            np.greater(numbers, mark[:, None], out=above)
            codes += above.view(np.uint8)
        return codes

    def _places(self, numbers: Floats, here: slice) -> Codes:
        """Return the place of each number among the states, their number if it is none of them."""
        cards = self.cards[here]
        codes = np.empty(numbers.shape, dtype=np.uint8)
        codes[:] = cards
        same, step = np.empty(numbers.shape, dtype=bool), np.empty(numbers.shape, dtype=np.uint8)
        for place, mark in enumerate(self.marks[here].T):
            np.equal(numbers, mark[:, None], out=same)
            np.multiply(
                same.view(np.uint8), cards - np.uint8(place), out=step
            )  # never both wrapped and equal
            codes -= step
        return codes


def _whole_range(values: Sequence[Any]) -> tuple[int, int]:
    """Return the ends of an unbroken run of whole numbers; an empty range if the values are not one."""
    numbers = [float(value) for value in values]
    if (
        numbers
        and numbers[0].is_integer()
        and max(-numbers[0], numbers[-1]) < _EXACT
        and all(b - a == 1 for a, b in pairwise(numbers))
    ):
        return int(numbers[0]), int(numbers[-1])
    return 1, 0


_MOST_PLANS = 8  # forms of tables remembered
_CELLS_OF_ITEM = 8_000  # fewer are done before another thread could help
_MANY_CELLS = 200_000  # below this a thread costs more than it saves
In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True)
class Encoder:
    """How a table becomes codes: one `Column` per attribute, in order.

    Examples
    --------
    >>> import pandas as pd
    >>> encoder = Encoder((Column("sex", "categorical", ("female", "male")),))
    >>> encoder.encode(pd.DataFrame({"sex": ["male", "female", None]}))
    array([[1, 0, 2]], dtype=uint8)
    >>> Encoder.from_dict(encoder.to_dict()) == encoder
    True
    """

    columns: tuple[Column, ...]

    __reduce__ = rebuilt

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """Number of states of each column."""
        return tuple(column.card for column in self.columns)

    def encode(self, frame: pd.DataFrame, *, n_threads: int | None = None) -> Codes:
        """Return the codes of a table as `as_frame` gives it, one row of the result per column.

        Shape (columns, rows), each column contiguous; uint8 while every column has at most 254 states,
        else uint16. The number of threads changes the time, never the result.
        """
        if not self.has_names(frame.columns):
            self._check_names([str(name) for name in frame.columns])
        blocks, others = number_blocks(frame)
        return self.encode_parts(blocks, columns_at(frame, others), frame.columns, n_threads)

    def encode_as_given(self, X: object) -> Codes | None:
        """Return the codes of a table as it came, if it has the columns of training in a plain form.

        A DataFrame with the same columns, or an array of numbers with as many columns: the table of a row to
        classify. Anything else is None: it takes the longer way, on which what is wrong is said.
        """
        if isinstance(X, pd.DataFrame):
            if not len(X) or not self.has_names(X.columns):
                return None
            blocks, others = number_blocks(X)
            words = {place: tidy(column) for place, column in columns_at(X, others).items()}
            return self.encode_parts(blocks, words, X.columns, None)
        block = array_block(X) if isinstance(X, np.ndarray) else None
        if block is None or block.cells.shape[0] != len(self.columns):
            return None
        return self.encode_parts([block], {}, self.index, None)

    def has_names(self, names: pd.Index) -> bool:
        """Return whether these are the names of the columns, in order."""
        return names is self.index or bool(names.equals(self.index))

    def encode_parts(
        self, blocks: Sequence[Block], words: Mapping[int, pd.Series], names: pd.Index, n_threads: int | None
    ) -> Codes:
        """Code the number columns block by block, and the other columns one by one.

        Declared categories are copied before another thread could begin; threads over them take longer.
        """
        n = len(next(iter(words.values()))) if words else blocks[0].cells.shape[1]
        codes = np.empty((len(self.columns), n), dtype=code_type(max(self.cards)))
        for block in blocks:
            self._encode_block(block, block.check_finite(names), codes, n_threads)

        def encode(place: int) -> None:
            self.columns[place].encode_tidy(words[place], codes[place])

        texts = []
        for place, column in words.items():
            if isinstance(column.array, pd.Categorical):
                encode(place)
            else:
                texts.append(place)
        in_threads(encode, texts, len(texts) * n, n_threads)
        return codes

    def _encode_block(self, block: Block, complete: bool, codes: Codes, n_threads: int | None) -> None:
        plan = self._plan(block.places, block.cells.dtype)
        for place in plan.words:  # what they hold now is not what they held in training, or it is in words
            cells = pd.Series(block.cells[place], name=self.columns[block.places[place]].name)
            self.columns[block.places[place]].encode_tidy(cells, codes[block.places[place]])
        for chosen, lookup in plan.lookups:
            part = Block(block.places[chosen], block.cells[chosen])
            whole = isinstance(chosen, slice) and len(part.places) == len(codes)
            found = codes if whole else np.empty((len(part.places), codes.shape[1]), dtype=codes.dtype)
            work = partial(lookup.encode, part, complete, found)
            in_threads(work, list(part.tiles()), found.size, n_threads)
            if not whole:
                codes[part.places] = found

    def _plan(self, places: NDArray[np.intp], dtype: np.dtype[Any]) -> _Plan:
        """Return how columns are looked up; made once for tables of the same form."""
        key = (places.tobytes(), dtype == np.float32)
        if key not in self._plans:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            columns = [self.columns[place] for place in places.tolist()]
            if dtype == np.float32:
                columns = [column.as_precise(dtype) for column in columns]
            self._plans[key] = _Plan.of(columns)
        return self._plans[key]

    @cached_property
    def index(self) -> pd.Index:
        """The names as pandas has them."""
        return pd.Index(list(self.names))

    @cached_property
    def _plans(self) -> dict[tuple[bytes, bool], _Plan]:
        return {}

    def grown(self, frame: pd.DataFrame, codes: Codes, *, empty: bool, most: int) -> Encoder:
        """Return the encoder with the states that rows have and it lacks; itself if there are none.

        Parameters
        ----------
        frame, codes
            Rows as `as_frame` gives them, and their codes.
        empty
            Whether a missing cell is a state.
        most
            The most numbers of a column that can be states.

        Examples
        --------
        >>> import pandas as pd
        >>> encoder = Encoder((Column("sex", "categorical", ("m",)),))
        >>> rows = pd.DataFrame({"sex": ["f", "m"]})
        >>> encoder.grown(rows, encoder.encode(rows), empty=True, most=10).columns[0].states
        ('f', 'm')
        """
        columns = list(self.columns)
        for i, column in enumerate(self.columns):
            strange = codes[i] >= column.card
            if strange.any():
                cells = frame.iloc[strange.nonzero()[0], i]
                present = cells[cells.notna()]
                states = numbers(present).tolist() if column.takes_numbers else present.unique().tolist()
                new = plain_states(pd.Index(pd.unique(np.array(states, dtype=object)), dtype=object))
                columns[i] = column.grown(new, empty=empty and len(present) < len(cells), most=most)
        return (
            self
            if all(a is b for a, b in zip(columns, self.columns, strict=True))
            else Encoder(tuple(columns))
        )

    def joined(self, other: Encoder, *, most: int) -> Encoder:
        """Return the encoder with the states of another one, which must have the same columns and cuts."""
        if self is other or self == other:
            return self
        mine, theirs = ([(c.name, c.kind, c.cuts) for c in one.columns] for one in (self, other))
        if mine != theirs:
            names = [a[0] for a, b in zip(mine, theirs, strict=False) if a != b] or ["their number"]
            raise DataError(
                f"the rows must have the same columns, kinds and cut points, but {names[0]!r} differs"
            )
        pairs = zip(self.columns, other.columns, strict=True)
        return Encoder(tuple(a.grown(b.known, empty=b.missing_state, most=most) for a, b in pairs))

    def places(self, later: Encoder) -> tuple[Ints, ...]:
        """Return for each column the code that each of its states has in a later form of the encoder."""
        return tuple(a.places(b) for a, b in zip(self.columns, later.columns, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the encoder as plain values for JSON."""
        return {"columns": [column.to_dict() for column in self.columns]}

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Self:
        """Return the encoder that `to_dict` wrote."""
        found = cls(tuple(Column.from_dict(column) for column in record["columns"]))
        if len(set(found.names)) < len(found.names):
            raise ValueError("two columns have the same name")
        return found

    def _check_names(self, names: list[str]) -> None:
        given, trained = set(names), set(self.names)
        absent = [name for name in self.names if name not in given]
        if absent:
            raise DataError(
                f"the table lacks {listed([repr(name) for name in absent])}, which the model was trained on"
                f"{did_you_mean(absent[0], [name for name in names if name not in trained])}"
                f" (columns given: {listed(names)})."
            )
        extra = [name for name in names if name not in trained]
        if extra:
            raise DataError(
                f"the table has {listed([repr(name) for name in extra])}, which the model was not "
                f"trained on: leave it out (columns in training: {listed(self.names)})."
            )
        if names != list(self.names):
            raise DataError(
                f"the columns must be in the same order as in training ({listed(self.names)}), but they are "
                f"{listed(names)}."
            )


@dataclass(frozen=True, eq=False)
class _Plan:
    """Which columns of a block are looked up together, and which one by one."""

    lookups: list[tuple[slice | NDArray[np.intp], Lookup]]
    words: list[int]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> _Plan:
        groups: dict[tuple[bool, bool], list[int]] = {}
        words = []
        for place, column in enumerate(columns):
            if column.takes_numbers:
                marks = column.known if column.cuts is None else column.cuts
                groups.setdefault((column.cuts is not None, len(marks) > MOST_MARKS), []).append(place)
            else:
                words.append(place)
        lookups = [(_neighbours(group), Lookup.of([columns[i] for i in group])) for group in groups.values()]
        return cls(lookups, words)


def _neighbours(places: list[int]) -> slice | NDArray[np.intp]:
    """Return places as a slice if nothing lies between them: no copy is made then."""
    first, last = places[0], places[-1]
    return slice(first, last + 1) if last - first == len(places) - 1 else np.array(places)


def in_threads(
    work: Callable[[In], Out], items: Sequence[In], cells: int, n_threads: int | None
) -> list[Out]:
    """Return ``[work(item) for item in items]``, in threads if the table is large enough to gain from it.

    NumPy sorts and compares without the interpreter lock, so threads over columns run in parallel.

    Examples
    --------
    >>> in_threads(abs, [-1, 2], cells=2, n_threads=None)
    [1, 2]
    """
    n_threads = n_threads or min(len(items), os.cpu_count() or 1)
    if n_threads == 1 or cells < max(_MANY_CELLS, _CELLS_OF_ITEM * len(items)):
        return [work(item) for item in items]
    pieces = [slice(i, None, 4 * n_threads) for i in range(min(4 * n_threads, len(items)))]
    found: list[Any] = [None] * len(items)

    def do(piece: slice) -> None:
        found[piece] = [work(item) for item in items[piece]]

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(do, pieces))
    return found


def stack(coded: Sequence[Codes], cards: Sequence[int]) -> Codes:
    """Return the columns' codes as one array of shape (columns, rows) of the smallest type that holds them.

    Examples
    --------
    >>> stack([np.array([0, 1], np.uint8), np.array([2, 0], np.uint8)], (2, 3))
    array([[0, 1],
           [2, 0]], dtype=uint8)
    """
    codes = np.empty((len(coded), len(coded[0])), dtype=code_type(max(cards)))
    for row, column in zip(codes, coded, strict=True):
        row[:] = column
    return codes
