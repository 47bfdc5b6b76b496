"""The codes of many number columns at once: cells are compared with cut points and states, tile by tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats
from pgm_nb.data.blocks import Block, Tile

if TYPE_CHECKING:
    from pgm_nb.data.column import Column

__all__ = ["MOST_MARKS", "Lookup"]

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
