"""The counts a structure needs for its parameters: each attribute with its mother and the class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy.special import xlogy

from pgm_nb.arrays import Ints, Places, stored
from pgm_nb.graphs import mothers_first

if TYPE_CHECKING:
    from pgm_nb import counts as counting

__all__ = ["Families", "families"]


@dataclass(frozen=True, eq=False)
class Families:
    """Integer counts n(y), n(y,x) or n(y,mother,x) of the attributes of a structure.

    Attributes are listed so that a mother stands before her children.

    Attributes
    ----------
    y : array (k,)
        Rows per class.
    columns : tuple of int
        Column of each attribute in the coded table.
    mothers : tuple of int
        Position *in this list* of each attribute's mother, -1 for none.
    tables : tuple of arrays
        (k, v) for an attribute without a mother, (k, v_mother, v) for one with.
    """

    y: Ints
    columns: tuple[int, ...]
    mothers: tuple[int, ...]
    tables: tuple[Ints, ...]

    def __post_init__(self) -> None:
        for array in (self.y, *self.tables):
            array.setflags(write=False)

    @property
    def cards(self) -> tuple[int, ...]:
        """Number of states of each attribute in the list."""
        return tuple(table.shape[-1] for table in self.tables)

    def pack(self) -> tuple[dict[str, Any], dict[str, Ints]]:
        """Return what JSON holds, and arrays by name, for a file."""
        description = {
            "columns": self.columns,
            "mothers": self.mothers,
            "shapes": [table.shape for table in self.tables],
        }
        return description, {"y": self.y, "tables": np.concatenate([table.ravel() for table in self.tables])}

    @classmethod
    def unpack(cls, description: Mapping[str, Any], arrays: Mapping[str, Ints]) -> Families:
        """Read what `pack` gave."""
        shapes = [tuple(shape) for shape in description["shapes"]]
        ends = np.cumsum([prod(shape) for shape in shapes])
        parts = np.split(stored(arrays, "tables", (int(ends[-1]),), "whole numbers", least=0), ends[:-1])
        tables = tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
        y = stored(arrays, "y", (None,), "whole numbers", least=0)
        found = cls(y, tuple(description["columns"]), tuple(description["mothers"]), tables)
        found.check()
        return found

    def check(self) -> None:
        """Raise a ValueError if the tables do not agree with each other."""
        if not len(self.columns) == len(set(self.columns)) == len(self.mothers) == len(self.tables):
            raise ValueError("columns, mothers and tables are not as many")
        for i, (table, mother) in enumerate(zip(self.tables, self.mothers, strict=True)):
            if table.ndim != 2 + (mother >= 0) or not -1 <= mother < i:
                raise ValueError(f"table {i} does not belong to an attribute and its mother")
            above = self.y if mother < 0 else self.marginal(mother)
            if not np.array_equal(table.sum(axis=-1), above):
                raise ValueError(f"the counts of table {i} do not add up")

    def fits(self, cards: Sequence[int]) -> bool:
        """Say whether the tables are those of columns with so many states."""
        return all(0 <= column < len(cards) for column in self.columns) and self.cards == tuple(
            cards[column] for column in self.columns
        )

    def in_order(self, columns: Sequence[int]) -> Families:
        """Return the same counts listed in the order of these columns."""
        position = {column: i for i, column in enumerate(columns)}
        place = {column: i for i, column in enumerate(self.columns)}
        old = [place[column] for column in columns]
        above = [self.mothers[i] for i in old]
        mothers = tuple(position[self.columns[mother]] if mother >= 0 else -1 for mother in above)
        return Families(self.y, tuple(columns), mothers, tuple(self.tables[i] for i in old))

    def by_relevance(self) -> Families:
        """Return the same counts, attributes that say most about the class first, but after their mothers.

        So the order of the columns of a table does not matter, except to break ties.
        """
        relevance = {column: _relevance(self.marginal(i)) for i, column in enumerate(self.columns)}
        above = {
            column: self.columns[mother]
            for column, mother in zip(self.columns, self.mothers, strict=True)
            if mother >= 0
        }
        ranked = sorted(self.columns, key=lambda column: (-relevance[column], column))
        return self.in_order(mothers_first(ranked, above))

    def marginal(self, position: int) -> Ints:
        """n(y, x) of one attribute, (k, v)."""
        table = self.tables[position]
        return table if table.ndim == 2 else table.sum(axis=1)


def _relevance(counts: Ints) -> float:
    """Return n I(X;Y) in nats from n(y, x)."""
    rows, states, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    return float(
        xlogy(counts, counts).sum() - xlogy(rows, rows).sum() - xlogy(states, states).sum() + xlogy(n, n)
    )


def families(
    counts: counting.Counts | counting.Singles, attributes: Sequence[int], mothers: Places
) -> Families:
    """Pick from all pair tables those of a tree.

    Parameters
    ----------
    counts : Counts or Singles
        All pair tables; without mothers the single ones are enough.
    attributes : sequence of int
        Columns of the structure, in any order.
    mothers : array of int
        Column of each column's mother, -1 for none.
    """
    above = {column: int(mothers[column]) for column in attributes if mothers[column] >= 0}
    order = mothers_first(attributes, above)
    position = {column: i for i, column in enumerate(order)}
    pairs = cast("counting.Counts", counts)  # single tables alone do for attributes without mothers
    tables = tuple(
        np.array(pairs.pair(above[c], c) if c in above else counts.single(c), dtype=np.int64) for c in order
    )
    return Families(
        np.array(counts.y, dtype=np.int64),
        tuple(order),
        tuple(position[above[c]] if c in above else -1 for c in order),
        tables,
    )
