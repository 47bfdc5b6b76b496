"""The counts a structure needs for its parameters: each attribute with its mother and the class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from scipy.special import xlogy

from pgm_nb.arrays import Ints, Places, stored

if TYPE_CHECKING:
    from pgm_nb import counts as counting

__all__ = ["Families", "all_mothers", "all_mothers_first", "families", "reordered"]

Name = TypeVar("Name", int, str)


@dataclass(frozen=True, eq=False)
class Families:
    """Integer counts n(y), n(y,x), n(y,mother,x) or n(y,mothers,x) of the attributes of a structure.

    Attributes are listed so that a mother stands before her children. The mothers of an attribute, where it
    has several, are mothers of each other: the graph is chordal.

    Attributes
    ----------
    y : array (k,)
        Rows per class.
    columns : tuple of int
        Column of each attribute in the coded table.
    mothers : tuple of int
        Position *in this list* of each attribute's mother, -1 for none.
    tables : tuple of arrays
        (k, v) for an attribute without a mother, (k, v_mother, v) for one with, and an axis for every further
        mother after it.
    others : tuple of tuples of int
        Positions of each attribute's further mothers; empty if no attribute has more than one.
    """

    y: Ints
    columns: tuple[int, ...]
    mothers: tuple[int, ...]
    tables: tuple[Ints, ...]
    others: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        if not any(self.others):  # a forest has one form
            object.__setattr__(self, "others", ())
        for array in (self.y, *self.tables):
            array.setflags(write=False)

    @property
    def cards(self) -> tuple[int, ...]:
        """Number of states of each attribute in the list."""
        return tuple(table.shape[-1] for table in self.tables)

    @property
    def given(self) -> tuple[tuple[int, ...], ...]:
        """Positions of all mothers of each attribute, in the order of the axes of its table."""
        return all_mothers(self.mothers, self.others)

    def pack(self) -> tuple[dict[str, Any], dict[str, Ints]]:
        """Return what JSON holds, and arrays by name, for a file."""
        description = {
            "columns": self.columns,
            "mothers": self.mothers,
            "shapes": [table.shape for table in self.tables],
        }
        if self.others:
            description["others"] = self.others
        return description, {"y": self.y, "tables": np.concatenate([table.ravel() for table in self.tables])}

    @classmethod
    def unpack(cls, description: Mapping[str, Any], arrays: Mapping[str, Ints]) -> Families:
        """Read what `pack` gave."""
        shapes = [tuple(shape) for shape in description["shapes"]]
        ends = np.cumsum([prod(shape) for shape in shapes])
        kind = "numbers" if arrays["y"].dtype.kind == "f" else "whole numbers"  # weights are numbers
        parts = np.split(stored(arrays, "tables", (int(ends[-1]),), kind, least=0), ends[:-1])
        tables = tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
        y = stored(arrays, "y", (None,), kind, least=0)
        others = tuple(tuple(more) for more in description.get("others", ()))
        found = cls(y, tuple(description["columns"]), tuple(description["mothers"]), tables, others)
        found.check()
        return found

    def relaid(self, places: Sequence[Ints], cards: Sequence[int]) -> Families:
        """Return the same counts in tables with more states; see `Counts.relaid`."""
        tables = []
        for column, mothers, table in zip(self.columns, self.given, self.tables, strict=True):
            axes = [*(self.columns[mother] for mother in mothers), column]
            found = np.zeros((len(self.y), *(cards[c] for c in axes)), dtype=table.dtype)
            found[np.ix_(np.arange(len(self.y)), *(places[c] for c in axes))] = table
            tables.append(found)
        return replace(self, tables=tuple(tables))

    def check(self) -> None:
        """Raise a ValueError if the tables do not agree with each other."""
        if not len(self.columns) == len(set(self.columns)) == len(self.mothers) == len(self.tables):
            raise ValueError("columns, mothers and tables are not as many")
        if len(self.others) not in (0, len(self.columns)):
            raise ValueError("further mothers are not as many as attributes")
        for i, (table, mothers) in enumerate(zip(self.tables, self.given, strict=True)):
            if table.ndim != 2 + len(mothers) or not all(0 <= mother < i for mother in mothers):
                raise ValueError(f"table {i} does not belong to an attribute and its mother")
            above = self.y if not mothers else self.together(mothers)
            same = np.allclose if self.y.dtype.kind == "f" else np.array_equal
            if table.shape[:-1] != above.shape or not same(table.sum(axis=-1), above):
                raise ValueError(f"the counts of table {i} do not add up")

    def fits(self, cards: Sequence[int]) -> bool:
        """Say whether the tables are those of columns with so many states."""
        return all(0 <= column < len(cards) for column in self.columns) and self.cards == tuple(
            cards[column] for column in self.columns
        )

    def in_order(self, columns: Sequence[int]) -> Families:
        """Return the same counts listed in the order of these columns."""
        old, mothers, others = reordered(self.columns, self.mothers, self.others, columns)
        return Families(self.y, tuple(columns), mothers, tuple(self.tables[i] for i in old), others)

    def by_relevance(self) -> Families:
        """Return the same counts, attributes that say most about the class first, but after their mothers.

        So the order of the columns of a table does not matter, except to break ties.
        """
        relevance = {column: _relevance(self.marginal(i)) for i, column in enumerate(self.columns)}
        above = {
            column: tuple(self.columns[mother] for mother in mothers)
            for column, mothers in zip(self.columns, self.given, strict=True)
            if mothers
        }
        ranked = sorted(self.columns, key=lambda column: (-relevance[column], column))
        return self.in_order(all_mothers_first(ranked, above))

    def marginal(self, position: int) -> Ints:
        """n(y, x) of one attribute, (k, v)."""
        table = self.tables[position]
        return table if table.ndim == 2 else table.sum(axis=tuple(range(1, table.ndim - 1)))

    def together(self, positions: Sequence[int]) -> Ints:
        """Return n(y, x1, x2, ...) of attributes of one cluster, in this order."""
        last = max(positions)  # its cluster holds them all
        cluster = (*self.given[last], last)
        if not set(positions) <= set(cluster):
            raise ValueError("the mothers of an attribute are not in one cluster")
        kept = [place for place in cluster if place in positions]
        gone = tuple(1 + i for i, place in enumerate(cluster) if place not in positions)
        table: Ints = self.tables[last].sum(axis=gone)
        return table.transpose([0, *(1 + kept.index(place) for place in positions)])


def all_mothers(mothers: Sequence[int], others: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the positions of all mothers of each attribute.

    Examples
    --------
    >>> all_mothers((-1, 0, 1), ((), (), (0,)))
    ((), (0,), (1, 0))
    """
    more = others or ((),) * len(mothers)
    return tuple(() if mother < 0 else (mother, *also) for mother, also in zip(mothers, more, strict=True))


def reordered(
    columns: Sequence[int],
    mothers: Sequence[int],
    others: Sequence[Sequence[int]],
    wanted: Sequence[int],
) -> tuple[list[int], tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return old positions, mothers and further mothers of attributes that are listed in another order.

    Examples
    --------
    >>> reordered((5, 7), (-1, 0), (), (7, 5))
    ([1, 0], (1, -1), ())
    """
    position = {column: i for i, column in enumerate(wanted)}
    place = {column: i for i, column in enumerate(columns)}
    old = [place[column] for column in wanted]
    new = tuple(position[columns[mothers[i]]] if mothers[i] >= 0 else -1 for i in old)
    more = tuple(tuple(position[columns[one]] for one in others[i]) for i in old) if others else ()
    return old, new, more


def all_mothers_first(names: Iterable[Name], mothers: Mapping[Name, Sequence[Name]]) -> list[Name]:
    """Order attributes so that all mothers of one come before it, otherwise as they were.

    Examples
    --------
    >>> all_mothers_first([0, 1, 2], {0: (2, 1)})
    [1, 2, 0]
    """
    placed: dict[Name, None] = {}

    def place(name: Name) -> None:
        stack = [name]
        while stack:
            waiting = [m for m in mothers.get(stack[-1], ()) if m not in placed]
            if waiting:
                stack.extend(waiting)
            else:
                placed[stack.pop()] = None

    for name in names:
        if name not in placed:
            place(name)
    return list(placed)


def _relevance(counts: Ints) -> float:
    """Return n I(X;Y) in nats from n(y, x)."""
    rows, states, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    return float(
        xlogy(counts, counts).sum() - xlogy(rows, rows).sum() - xlogy(states, states).sum() + xlogy(n, n)
    )


def families(
    counts: counting.Counts | counting.Singles,
    attributes: Sequence[int],
    mothers: Places,
    others: Mapping[int, Sequence[int]] | None = None,
    tables: Mapping[int, Ints] | None = None,
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
    others : mapping of int to sequence of int, optional
        Columns of further mothers.
    tables : mapping of int to array, optional
        n(y, mother, others, x) of each column that has several.
    """
    more, larger = others or {}, tables or {}
    above = {c: (int(mothers[c]), *more.get(c, ())) for c in attributes if mothers[c] >= 0}
    order = all_mothers_first(attributes, above)
    position = {column: i for i, column in enumerate(order)}
    pairs = cast("counting.Counts", counts)  # single tables alone do for attributes without mothers
    kind: Any = np.float64 if counts.y.dtype.kind == "f" else np.int64  # weights are numbers
    found = tuple(
        np.array(
            larger[c] if more.get(c) else pairs.pair(above[c][0], c) if c in above else counts.single(c),
            dtype=kind,
        )
        for c in order
    )
    return Families(
        np.array(counts.y, dtype=kind),
        tuple(order),
        tuple(position[above[c][0]] if c in above else -1 for c in order),
        found,
        tuple(tuple(position[m] for m in more.get(c, ())) for c in order),
    )
