"""The rows that parameters for the class are learned from: which, in which folds, with what hidden."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgm_nb.arrays import Codes, Ints, Places
from pgm_nb.inference.families import Families

__all__ = ["hide", "recount", "some_of", "sorted_rows", "stratified_folds"]

MOST_KEY = 1 << 62  # numbers that rows are sorted by stay below this


def stratified_folds(y: Places, folds: int) -> Places:
    """Return the fold of every row; every class is spread evenly, by a fixed shuffle."""
    order = np.random.default_rng(0).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.intp)
    fold[order] = np.arange(len(y)) % folds
    return fold


def some_of(rows: Places, most: int) -> Places:
    """Return the rows, or so many of them by a fixed draw if there are more.

    Examples
    --------
    >>> some_of(np.arange(3), 3), len(some_of(np.arange(9), 4))
    (array([0, 1, 2]), 4)
    """
    if len(rows) <= most:
        return rows
    return rows[np.sort(np.random.default_rng(0).choice(len(rows), most, replace=False))]


def sorted_rows(codes: Codes, cards: Sequence[int], y: Places) -> Places:
    """Return the places of the rows in the order of their states, first to last attribute, then class.

    As `np.lexsort`, but by a few long numbers instead of many short ones, of which the first nearly decides.

    Examples
    --------
    >>> sorted_rows(np.array([[1, 0, 1], [0, 1, 0]]), (2, 2), np.array([1, 0, 0]))
    array([1, 2, 0])
    """
    keys, size = [np.zeros(len(y), dtype=np.int64)], 1
    for column, card in zip((*codes, y), (*cards, int(y.max(initial=0)) + 1), strict=True):
        room = int(card) + 1  # a cell may be unknown
        if size * room > MOST_KEY:
            keys.append(np.zeros(len(y), dtype=np.int64))
            size = 1
        keys[-1] = keys[-1] * room + column
        size *= room
    order = np.argsort(keys[0], kind="stable")
    if len(keys) > 1:
        same = np.diff(keys[0][order]) == 0
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        some = order[tied]
        order[tied] = some[np.lexsort([key[some] for key in keys[::-1]])]
    return order


def recount(families: Families, codes: Codes, y: Places, part: Places, parts: int) -> list[Ints]:
    """Count classes, then the families of the same graph, in each part of the rows: (parts, k, ...) each."""
    k = len(families.y)
    group = part * k + y.astype(np.intp)
    counts = [np.bincount(group, minlength=parts * k).reshape(parts, k)]
    for column, mothers, table in zip(families.columns, families.given, families.tables, strict=True):
        cell = group
        for mother, states in zip(mothers, table.shape[1:], strict=False):
            cell = cell * states + codes[families.columns[mother]]
        cell = cell * table.shape[-1] + codes[column]
        counts.append(np.bincount(cell, minlength=parts * table.size).reshape(parts, *table.shape))
    return counts


def hide(families: Families, codes: Codes, known: int) -> Codes:
    """Return the rows with only so many of the graph's attributes known, chosen at random by a fixed seed."""
    columns = list(families.columns)
    draw = np.random.default_rng(0).random((len(columns), codes.shape[1]))
    rank = draw.argsort(axis=0).argsort(axis=0)
    hidden = codes.copy()
    hidden[columns] = np.where(rank < known, codes[columns], np.array(families.cards)[:, None])
    return hidden
