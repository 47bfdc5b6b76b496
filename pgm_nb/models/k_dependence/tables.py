"""The counts of attributes with several parents, and the tables that are estimated from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, prod
from typing import Any

import numpy as np
from scipy.special import xlogy

from pgm_nb.arrays import Codes, Floats, Ints, Places, stored
from pgm_nb.errors import DataError
from pgm_nb.tables.hierarchical import smooth

__all__ = [
    "MOST_CELLS",
    "Estimates",
    "ParentCounts",
    "count_parents",
    "estimates",
    "left_out_errors",
    "shared_bits",
]

MOST_CELLS = 1 << 25  # of one table of counts
_BLOCK = 1 << 14  # rows handled at once


@dataclass(frozen=True, eq=False)
class ParentCounts:
    """Integer counts n(y, parents, x) of attributes that stand after their parents.

    Attributes
    ----------
    y : array (k,)
        Rows per class.
    columns : tuple of int
        Column of each attribute in the coded table.
    parents : tuple of tuples of int
        Positions in this list of each attribute's parents, the strongest first.
    tables : tuple of arrays (k, v_parent, ..., v)
        The counts.
    """

    y: Ints
    columns: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Ints, ...]

    def pack(self) -> tuple[dict[str, Any], dict[str, Ints]]:
        """Return what JSON holds, and arrays by name, for a file."""
        description = {
            "columns": self.columns,
            "parents": self.parents,
            "shapes": [table.shape for table in self.tables],
        }
        return description, {"y": self.y, "tables": np.concatenate([table.ravel() for table in self.tables])}

    @classmethod
    def unpack(cls, description: Mapping[str, Any], arrays: Mapping[str, Ints]) -> ParentCounts:
        """Read what `pack` gave; what does not agree with itself is a ValueError."""
        shapes = [tuple(shape) for shape in description["shapes"]]
        ends = np.cumsum([prod(shape) for shape in shapes])
        parts = np.split(stored(arrays, "tables", (int(ends[-1]),), "whole numbers", least=0), ends[:-1])
        tables = tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
        y = stored(arrays, "y", (None,), "whole numbers", least=0)
        parents = tuple(tuple(map(int, above)) for above in description["parents"])
        found = cls(y, tuple(description["columns"]), parents, tables)
        found.check()
        return found

    def check(self) -> None:
        """Raise a ValueError if the tables do not agree with each other."""
        if not len(self.columns) == len(set(self.columns)) == len(self.parents) == len(self.tables):
            raise ValueError("columns, parents and tables are not as many")
        cards = [table.shape[-1] for table in self.tables]
        for i, (table, above) in enumerate(zip(self.tables, self.parents, strict=True)):
            if any(not 0 <= parent < i for parent in above):
                raise ValueError(f"the parents of table {i} do not stand before it")
            if table.shape != (len(self.y), *(cards[parent] for parent in above), cards[i]):
                raise ValueError(f"table {i} does not belong to an attribute and its parents")
            if not np.array_equal(table.reshape(len(self.y), -1).sum(axis=1), self.y):
                raise ValueError(f"the counts of table {i} do not add up")

    def fits(self, cards: Sequence[int]) -> bool:
        """Say whether the tables are those of columns with so many states."""
        return all(
            0 <= column < len(cards) and table.shape[-1] == cards[column]
            for column, table in zip(self.columns, self.tables, strict=True)
        )


def count_parents(
    codes: Codes,
    y: Places,
    cards: Sequence[int],
    n_classes: int,
    order: Sequence[int],
    parents: Sequence[Sequence[int]],
) -> ParentCounts:
    """Count every attribute together with its parents and the class.

    Parameters
    ----------
    codes, y
        Coded rows (d, n) and their classes.
    cards : sequence of int
        Numbers of states of the columns.
    n_classes : int
        How many classes there are.
    order : sequence of int
        Columns, parents before their children.
    parents : sequence of sequences of int
        For each of them the columns of its parents.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1], [0, 0, 1]], dtype=np.uint8)
    >>> count_parents(codes, np.array([0, 1, 1]), (2, 2), 2, [0, 1], [[], [0]]).tables[1].tolist()
    [[[1, 0], [0, 0]], [[0, 0], [1, 1]]]
    """
    place = {column: i for i, column in enumerate(order)}
    classes = y.astype(np.intp)
    tables = []
    for column, above in zip(order, parents, strict=True):
        shape = (n_classes, *(cards[parent] for parent in above), cards[column])
        if prod(shape) > MOST_CELLS:
            raise DataError(
                f"a table of counts would have {prod(shape):,} cells, more than {MOST_CELLS:,}: merge "
                "states, use fewer bins, or allow fewer parents (k)"
            )
        cell = classes
        for member, card in zip((*above, column), shape[1:], strict=True):
            cell = cell * card + codes[member]
        tables.append(np.bincount(cell, minlength=prod(shape)).reshape(shape))
    counted = np.bincount(classes, minlength=n_classes)
    return ParentCounts(
        counted, tuple(order), tuple(tuple(place[p] for p in a) for a in parents), tuple(tables)
    )


@dataclass(frozen=True, eq=False)
class Estimates:
    """P(x | y), P(x | y, u1), P(x | y, u1, u2), ... of one attribute.

    Attributes
    ----------
    levels : tuple of arrays
        (k, v), (k, v1, v), (k, v1, v2, v), ...
    left_out : tuple of arrays
        The same where one of the cell's rows is taken out of the tables of its class.
    """

    levels: tuple[Floats, ...]
    left_out: tuple[Floats, ...]


def estimates(counts: Ints, ordered: int, smoothing: float | None) -> Estimates:
    """Estimate the tables of an attribute with no, one, two ... of its parents, the strongest first.

    Parameters
    ----------
    counts : array (k, v_parent, ..., v)
        n(y, parents, x).
    ordered : int
        How many of the first states have an order; for hierarchical smoothing.
    smoothing : float or None
        Imaginary rows m of every table, (n + m/v) / (N + m); None: each table leans on the one before, see
        `pgm_nb.tables.hierarchical.smooth`.

    Examples
    --------
    >>> found = estimates(np.array([[[3, 1], [0, 0]]]), 0, 1.0)
    >>> found.levels[1][0, 0], found.left_out[1][0, 0]  # (3 + 1/2) / 5; (2 + 1/2) / 4 without a row
    (array([0.7, 0.3]), array([0.625, 0.125]))
    """
    if smoothing is None:
        found = smooth(counts, ordered)[1:]
        return Estimates(tuple(one.estimate for one in found), tuple(one.left_out for one in found))
    v, levels, left_out = counts.shape[-1], [], []
    for depth in range(1, counts.ndim):
        n = counts.sum(axis=tuple(range(depth, counts.ndim - 1)))
        total = n.sum(axis=-1, keepdims=True)
        levels.append((n + smoothing / v) / (total + smoothing))
        rest = np.maximum(n - 1, 0) + smoothing / v
        left_out.append(np.where(n > 0, rest / (np.maximum(total - 1, 0) + smoothing), 0.0))
    return Estimates(tuple(levels), tuple(left_out))


def shared_bits(counts: Ints) -> float:
    """I(X; parents | Y) in bits from n(y, parents, x).

    Examples
    --------
    >>> round(shared_bits(np.array([[[5, 0], [0, 5]]])), 12)
    1.0
    """
    joint = counts.reshape(len(counts), -1, counts.shape[-1]).astype(float)
    parts = [joint, joint.sum(axis=2), joint.sum(axis=1), joint.sum(axis=(1, 2))]
    whole, above, own, classes = (float(xlogy(part, part).sum()) for part in parts)
    return max(0.0, (whole - above - own + classes) / float(joint.sum()) / log(2))


def left_out_errors(counts: ParentCounts, tables: Sequence[Estimates], codes: Codes, y: Places) -> Floats:
    """Return the mean squared error of rows left out, (k + 1 numbers of parents, attributes + 1).

    Examples
    --------
    >>> from pgm_nb.models.k_dependence.tables import count_parents, estimates
    >>> codes, y = np.array([[0, 0, 0, 1, 1, 1]], dtype=np.uint8), np.array([0, 0, 0, 1, 1, 1])
    >>> counts = count_parents(codes, y, (2,), 2, [0], [[]])
    >>> left_out_errors(counts, [estimates(counts.tables[0], 0, 1.0)], codes, y).round(3)
    array([[0.34, 0.03]])
    """
    depth = max(len(found.levels) for found in tables)
    n, k = codes.shape[1], len(counts.y)
    errors = np.zeros((depth, len(tables) + 1))
    rest = np.maximum(counts.y - 1, 0) + 1 / k
    for start in range(0, n, _BLOCK):
        rows = slice(start, start + _BLOCK)
        some, own = codes[:, rows], y[rows].astype(np.intp)
        line = np.arange(len(own))
        prior = np.repeat(np.log((counts.y + 1 / k) / n)[None], len(own), axis=0)
        prior[line, own] = np.log(rest[own] / n)
        scores = np.repeat(prior[None], depth, axis=0)  # (depth, rows, k)
        errors[:, 0] += _squared(scores, line, own)
        for position, found in enumerate(tables):
            cell = np.zeros(len(own), dtype=np.intp)
            for parents in range(depth):
                if parents < len(found.levels):
                    table = found.levels[parents]
                    if parents:
                        above = counts.parents[position][parents - 1]
                        cell = cell * table.shape[parents] + some[counts.columns[above]]
                    at = cell * table.shape[-1] + some[counts.columns[position]]
                    flat = table.reshape(k, -1)
                    added = np.log(flat[:, at])  # (k, rows)
                    out = found.left_out[parents].reshape(k, -1)[own, at]
                    added[own, line] = np.log(out)
                scores[parents] += added.T
            errors[:, position + 1] += _squared(scores, line, own)
    mean: Floats = errors / n
    return mean


def _squared(scores: Floats, line: Places, own: Places) -> Floats:
    """Sum (1 - P(true class))^2 over rows, for every number of parents."""
    top = scores.max(axis=2, keepdims=True)
    chances = np.exp(scores - top)
    missed: Floats = 1 - chances[:, line, own] / chances.sum(axis=2)
    total: Floats = np.einsum("dr,dr->d", missed, missed)
    return total
