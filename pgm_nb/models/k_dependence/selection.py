"""Selective k-dependence: one pass that leaves every row out chooses how many parents and attributes.

Each row is taken out of the tables of its class, the attributes are added in their order, and for every
number of attributes and every number of parents up to k the squared error (1 - P(true class))^2 is summed
(Martínez, Webb, Chen, Zaidi 2016). The concentrations of hierarchical smoothing stay as they were chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.models.k_dependence.tables import Estimates, ParentCounts

__all__ = ["left_out_errors"]

_BLOCK = 1 << 14  # rows handled at once


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
