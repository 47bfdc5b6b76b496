"""The levels that the tables of a model lean on, side by side: one long array for each level of all tables.

Level 0 of a table is P(x), level 1 P(x | y), level 2 P(x | y, u1) and so on; its rows are counted at the
lowest level, and levels above them are drawn. A cell that has rows, or is drawn, knows its parent cell in the
level above and the table that it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from pgm_nb.arrays import Floats, Ints, Places

__all__ = ["CONCENTRATIONS", "TableLevel", "levels_of"]

CONCENTRATIONS = np.array([0.5, 1, 2, 4, 8, 16, 32, 64, 200, 1000])
LEAST = 1e-12  # keeps shares and imaginary rows positive
MOST_NUMBERS = 1 << 15  # that are handled at once
FEW = 3  # rows of a cell whose factors are multiplied one by one


@dataclass(frozen=True, eq=False)
class TableLevel:
    """One level of all tables that have it.

    Attributes
    ----------
    rows : array (counted,)
        The rows of the cells that are counted at this level and have any.
    parent : array (counted + drawn,)
        The place of each cell in the level above, in order; first those that are counted.
    order : array (counted + drawn,)
        Puts the cells in the order of their parents.
    first : array
        Where the children of a new parent begin in that order.
    table : array (counted + drawn,)
        The table of each cell.
    known : array (tables, concentrations)
        What the contexts that are counted say about concentrations: sum log G(a) / G(a + rows).
    context : array
        Where contexts begin in the cells that are drawn.
    context_table : array
        The table of each of these contexts.
    tables : array
        The tables that have the level.
    """

    rows: Floats
    parent: Places
    order: Places
    first: Places
    table: Places
    known: Floats
    context: Places
    context_table: Places
    tables: Places

    @property
    def drawn_table(self) -> Places:
        """The table of every cell that is drawn."""
        return self.table[len(self.rows) :]

    def above(self, up: Floats, size: int) -> Floats:
        """Sum values of the cells, (chains, counted + drawn), for the level above, (chains, size)."""
        found = np.zeros((len(up), size))
        if self.first.size:
            found[:, self.parent[self.order[self.first]]] = np.add.reduceat(
                up[:, self.order], self.first, axis=1
            )
        return found

    def concentration_logs(self, rows: Floats, above: Floats) -> Floats:
        """Return the log-probability of the rows for each concentration, (concentrations, chains, tables).

        It is that of Dirichlet-multinomial distributions around the level above, over all contexts.

        Parameters
        ----------
        rows : array (chains, counted + drawn)
            Rows of the cells.
        above : array (chains or 1, counted + drawn)
            What the level above says about them.
        """
        found = np.repeat(self.known.T[:, None], len(rows), axis=1)
        counted = len(self.rows)
        found += log_rising(self.rows[None], above[:, :counted], self.table[:counted], found.shape[2])
        found += log_rising(rows[:, counted:], above[:, counted:], self.table[counted:], found.shape[2])
        if self.context.size:
            total = np.add.reduceat(rows[:, counted:], self.context, axis=1)
            tables, first = np.unique(self.context_table, return_index=True)
            a = CONCENTRATIONS[:, None, None]
            found[..., tables] += np.add.reduceat(gammaln(a) - gammaln(a + total), first, axis=2)
        return found

    def shares(self, rows: Floats) -> Floats:
        """Divide the cells that are drawn, (chains, drawn), by the totals of their contexts."""
        rows = rows + LEAST
        total = np.add.reduceat(rows, self.context, axis=1)
        found: Floats = rows / np.repeat(total, np.diff(self.context, append=rows.shape[1]), axis=1)
        return found


def log_rising(rows: Floats, above: Floats, table: Places, tables: int) -> Floats:
    """Sum log G(a p + n) / G(a p) over the cells of each table, for every concentration a.

    Most cells have few rows: their factors, a p (a p + 1) (a p + 2), are multiplied.

    Parameters
    ----------
    rows : array (chains or 1, cells)
        The rows n of the cells.
    above : array (chains or 1, cells)
        What the level above says about them, p.
    table : array (cells,)
        The table of each cell, in order.
    tables : int
        How many tables there are.

    Examples
    --------
    >>> logs = log_rising(np.array([[2.0, 5.0]]), np.array([[0.5, 0.25]]), np.zeros(2, dtype=np.intp), 1)
    >>> np.exp(logs[3, 0, 0]).round(3)  # a = 4: 2 3 times 1 2 3 4 5
    np.float64(720.0)
    """
    found = np.zeros((len(CONCENTRATIONS), max(len(rows), len(above)), tables))
    plain = ((rows <= FEW) & (rows == np.rint(rows))).all(axis=0)
    cells = np.flatnonzero(plain & (rows > 0).any(axis=0))
    n, p = np.broadcast_arrays(rows[:, cells], np.maximum(above[:, cells], LEAST))
    once = _Sums(table[cells])
    once.add(np.where(n > 0, np.log(p), 0.0), found)
    once.add(np.log(CONCENTRATIONS)[:, None, None] * np.minimum(n, 1), found)
    several = np.flatnonzero((n > 1).any(axis=0))
    n, p, twice = n[:, several], p[:, several], _Sums(table[cells[several]])
    second, third = (n > 1).astype(float), (n > 2).astype(float)
    rest = np.flatnonzero(~plain)
    many, their, often = rows[:, rest], np.maximum(above[:, rest], LEAST), _Sums(table[rest])
    step = max(1, MOST_NUMBERS // max(1, p.size, their.size))
    for start in range(0, len(found), step):
        here = slice(start, start + step)
        a = CONCENTRATIONS[here, None, None]
        leaning = a * p
        twice.add(np.log((1 + second * leaning) * (1 + third * (1 + leaning))), found[here])
        leaning = a * their
        often.add(_log_gamma(leaning + many) - _log_gamma(leaning), found[here])
    return found


class _Sums:
    """Sums of values of cells for their tables."""

    def __init__(self, table: Places) -> None:
        self.first = np.flatnonzero(np.diff(table, prepend=-1))
        self.tables = table[self.first]

    def add(self, values: Floats, totals: Floats) -> None:
        """Add values, (..., cells), to totals, (..., tables)."""
        if self.first.size:
            totals[..., self.tables] += np.add.reduceat(values, self.first, axis=-1)


def _log_gamma(x: Floats) -> Floats:
    """Return the log of the gamma function of positive numbers, but for a constant, to 1e-8.

    Stirling's series, five steps further on: several times as fast as SciPy's function.
    """
    far = x + 5
    inverse = 1 / far
    square = inverse**2
    found: Floats = (far - 0.5) * np.log(far) - far + inverse * (1 / 12 - square * (1 / 360 - square / 1260))
    return found - np.log(x * (x + 1) * (x + 2) * (x + 3) * (x + 4))


def levels_of(tables: Sequence[Ints], beside: Sequence[Ints] | None = None) -> list[TableLevel]:
    """Lay tables (k, v_parent, ..., v) out by levels.

    Parameters
    ----------
    tables : sequence of arrays
        Their rows.
    beside : sequence of arrays (classes, v), optional
        Rows of other classes, of which nothing but P(x | y) is asked.

    Examples
    --------
    >>> first, second = levels_of([np.array([[3, 0], [1, 4]])])
    >>> second.rows.tolist(), second.parent.tolist()
    ([3.0, 1.0, 4.0], [0, 0, 1])
    """
    deepest = max(table.ndim for table in tables) - 1
    return [_level(tables, beside or [], level) for level in range(deepest + 1)]


def _level(tables: Sequence[Ints], beside: Sequence[Ints], level: int) -> TableLevel:
    rows, parents, owners = [np.zeros(0)], [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
    drawn_parents, drawn_owners, contexts, context_owners = (
        list(parents),
        list(owners),
        list(parents),
        list(owners),
    )
    known = np.zeros((len(tables), len(CONCENTRATIONS)))
    above = drawn = 0
    for i, table in enumerate(tables):
        v, depth = table.shape[-1], table.ndim - 1
        if level > depth:
            continue
        if level < depth:
            number = int(np.prod(table.shape[:level]))
            drawn_parents.append(above + _parents(number, table.shape[level - 1] if level else 1, v))
            drawn_owners.append(np.full(number * v, i))
            contexts.append(drawn + v * np.arange(number))
            context_owners.append(np.full(number, i))
            drawn += number * v
        counted = [table] if level == depth else []
        counted += [beside[i]] if beside and level == 1 else []
        for counts in counted:
            flat = counts.reshape(-1, v)
            width = counts.shape[-2]
            cells = np.flatnonzero(flat)
            rows.append(flat.ravel()[cells].astype(float))
            parents.append(above + _parents(len(flat), width, v)[cells])
            owners.append(np.full(len(cells), i))
            total = flat.sum(axis=1)
            total = total[total > 0][:, None]
            known[i] += (gammaln(CONCENTRATIONS) - gammaln(CONCENTRATIONS + total)).sum(axis=0)
        above += v * int(np.prod(table.shape[: max(0, level - 1)]))
    parent = np.concatenate([*parents, *drawn_parents])
    order = np.argsort(parent, kind="stable")
    return TableLevel(
        np.concatenate(rows),
        parent,
        order,
        np.flatnonzero(np.diff(parent[order], prepend=-1)),
        np.concatenate([*owners, *drawn_owners]),
        known,
        np.concatenate(contexts),
        np.concatenate(context_owners),
        np.array([i for i, table in enumerate(tables) if table.ndim > level]),
    )


def _parents(contexts: int, width: int, v: int) -> Places:
    """Return the parent cell of every cell: so many contexts share one that is one level above."""
    found: Places = (np.arange(contexts)[:, None] // width * v + np.arange(v)).ravel()
    return found
