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
        if not rows.size:
            return found
        first = np.flatnonzero(np.diff(self.table, prepend=-1))
        for place, a in enumerate(CONCENTRATIONS.tolist()):
            said = np.maximum(a * above, LEAST)
            said = gammaln(said + rows) - gammaln(said)
            np.add.at(found[place].T, self.table[first], np.add.reduceat(said, first, axis=1).T)
        if self.context.size:
            total = np.add.reduceat(rows[:, len(self.rows) :], self.context, axis=1)
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
