"""The levels that the tables of a model lean on, side by side: one long array for each level of all tables.

Level 0 of a table is P(x), level 1 P(x | y), level 2 P(x | y, u1) and so on; its rows are counted at the
lowest level, and levels above them are drawn. A cell that has rows, or is drawn, knows its parent cell in the
level above and the table that it belongs to. In all arrays cells come first, and then the chains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from pgm_nb.arrays import Floats, Ints, Places
from pgm_nb.inference.cell_rows import CONCENTRATIONS, LEAST, CellRows, SharedRows, adding_up

__all__ = ["TableLevel", "levels_of"]


@dataclass(frozen=True, eq=False)
class TableLevel:
    """One level of all tables that have it.

    Attributes
    ----------
    rows : array (counted,)
        The rows of the cells that are counted at this level and have any.
    parent : array (counted + drawn,)
        The place of each cell in the level above; first those of cells that are counted.
    above : int
        How many cells the level above has.
    table : array (counted + drawn,)
        The table of each cell.
    known : array (tables, concentrations)
        What the contexts that are counted say about concentrations: sum log G(a) / G(a + rows).
    context : array (drawn,)
        The context of each cell that is drawn.
    context_table : array (contexts,)
        The table of each of these contexts.
    tables : array
        The tables that have the level.
    """

    rows: Floats
    parent: Places
    above: int
    table: Places
    known: Floats
    context: Places
    context_table: Places
    tables: Places

    @property
    def drawn_table(self) -> Places:
        """The table of every cell that is drawn."""
        return self.table[len(self.rows) :]

    @cached_property
    def counted(self) -> CellRows:
        """The rows of the cells that are counted."""
        return CellRows(self.rows)

    @cached_property
    def to_parents(self) -> sparse.csc_array:
        """Sums values of the cells for the level above."""
        return adding_up(self.parent, self.above)

    @cached_property
    def _shared(self) -> tuple[SharedRows, sparse.csc_array]:
        """The rows that are counted, parent by parent, and sums over parents for their tables."""
        parent = self.parent[: len(self.rows)]
        shared = SharedRows(self.rows, parent, self.above)
        table = np.zeros(self.above, dtype=np.intp)
        table[parent] = self.table[: len(self.rows)]
        return shared, adding_up(table[shared.order], len(self.known))

    @cached_property
    def _to_tables(self) -> sparse.csc_array:
        """Sum values of contexts for their tables."""
        return adding_up(self.context_table, len(self.known))

    @cached_property
    def _to_contexts(self) -> sparse.csc_array:
        return adding_up(self.context, len(self.context_table))

    def concentration_logs(self, rows: Floats, parents: Floats) -> Floats:
        """Return the log-probability of the rows for each concentration, (tables, concentrations, chains).

        It is that of Dirichlet-multinomial distributions around the level above, over all contexts.

        Parameters
        ----------
        rows : array (drawn, chains)
            Rows of the cells that are drawn.
        parents : array (above, chains)
            The shares of the level above.
        """
        found = self._counted_logs(parents)
        if len(rows):
            tables, _, chains = found.shape
            cells = CellRows(rows.ravel())
            cell, chain = np.divmod(cells.order, chains)
            of_drawn = adding_up(self.drawn_table[cell] * chains + chain, tables * chains)
            above = parents.take(self.parent[len(self.rows) :], axis=0)
            drawn = cells.log_rising(above.reshape(-1, 1), of_drawn)
            found += drawn.reshape(tables, chains, -1).swapaxes(1, 2)
        return found + self._context_logs(rows)

    def _context_logs(self, rows: Floats) -> Floats:
        """Return the part of the totals of contexts: sum log G(a) / G(a + rows)."""
        found = np.repeat(self.known[..., None], rows.shape[1], axis=2)
        if len(rows):
            total = (self._to_contexts @ rows)[:, None]
            contexts = gammaln(CONCENTRATIONS)[:, None] - gammaln(CONCENTRATIONS[:, None] + total)
            found += (self._to_tables @ contexts.reshape(len(total), -1)).reshape(found.shape)
        return found

    def _counted_logs(self, parents: Floats) -> Floats:
        """Return the part of the cells that are counted."""
        if self.counted.is_whole:
            shared, of_parents = self._shared
            return shared.log_rising(parents, of_parents)
        counted = len(self.rows)
        to_tables = adding_up(self.table[:counted][self.counted.order], len(self.known))
        return self.counted.log_rising(parents.take(self.parent[:counted], axis=0), to_tables)

    def passed_up(self, rows: Floats, leaning: Floats, rng: np.random.Generator) -> Floats:
        """Draw how many rows come from the level above, and add them up there, (above, chains).

        Parameters
        ----------
        rows : array (drawn, chains)
            Rows of the cells that are drawn.
        leaning : array (counted + drawn, chains)
            Imaginary rows of all cells.
        rng : Generator
            The source of chance.
        """
        counted = len(self.rows)
        up = self.counted.passed_up(leaning[:counted], rng)
        if len(rows):
            drawn = CellRows(rows.ravel()).passed_up(leaning[counted:].reshape(-1, 1), rng)
            up = np.concatenate([up, drawn.reshape(rows.shape)])
        found: Floats = self.to_parents @ up
        return found

    def shares(self, rows: Floats) -> Floats:
        """Divide the cells that are drawn, (drawn, chains), by the totals of their contexts."""
        rows = rows + LEAST
        rows /= (self._to_contexts @ rows).take(self.context, axis=0)
        return rows


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
    none = np.zeros(0, dtype=np.intp)
    rows, parents, owners = [np.zeros(0)], [none], [none]
    drawn_parents, drawn_owners, contexts, context_owners = [none], [none], [none], [none]
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
            contexts.append(drawn + np.repeat(np.arange(number), v))
            context_owners.append(np.full(number, i))
            drawn += number
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
    return TableLevel(
        np.concatenate(rows),
        np.concatenate([*parents, *drawn_parents]),
        above,
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
