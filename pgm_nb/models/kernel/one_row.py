"""HOBbit kernel sums over pairs of attributes, row by row: training rows are counted by their levels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.models.kernel.groups import pair_places
from pgm_nb.models.kernel.hobbit import HobbitColumn
from pgm_nb.models.kernel.logarithms import log_sum, logs

__all__ = ["few_rows", "row_pair_sums"]

MOST_CELLS = 1 << 20  # of a table of all pairs of codes
MOST_ROWS = 1 << 18  # training rows beyond which P-trees are quicker to ask
_AT_ONCE = 1 << 18  # pairs of cells counted at once
_ROW_NS, _PAIR_NS, _CELL_NS = 1.5, 2_000.0, 5.0  # a training row, a pair of attributes, a cell of a table


def few_rows(rows: int, bits: int, n_training: int) -> bool:
    """Return whether so few rows are classified that each is compared with all training rows.

    Parameters
    ----------
    rows : int
        The rows to classify.
    bits : int
        Of the codes of two columns.
    n_training : int
        The training rows.

    Examples
    --------
    >>> few_rows(1, 16, 569), few_rows(10_000, 16, 569)
    (True, False)
    """
    if 1 << bits > MOST_CELLS:
        return n_training <= MOST_ROWS
    return rows * (_ROW_NS * n_training + _PAIR_NS) < _CELL_NS * ((1 << bits) + 4 * n_training)


def row_pair_sums(
    columns: Sequence[HobbitColumn], codes: Ints, rows: Sequence[NDArray[np.integer]]
) -> Floats:
    """Log sum_c K_a K_b of one row, (pairs, k): zero where a cell is unknown (its code is negative).

    The kernel has one value per level, so training rows are counted by their levels in both attributes: the
    same whole numbers as by range counts.

    Examples
    --------
    >>> column = HobbitColumn(number_bits=0, states=2, sigma=0.0)  # K is 1 for equal states, else 0
    >>> row_pair_sums([column, column], np.array([1, 0]), [np.array([[1, 1, 0], [0, 0, 0]])]).round(3)
    array([[0.693]])
    """
    first, second = pair_places(len(columns))
    known = codes >= 0
    both = np.flatnonzero(known[first] & known[second])
    sums = np.zeros((len(first), len(rows)))
    if not len(both):
        return sums
    width = max(len(column.levels) for column in columns)
    weights = np.full((len(columns), width), -np.inf)
    level_of = []
    for place, column in enumerate(columns):
        code = np.maximum(codes[place], 0)
        weights[place, : len(column.levels)] = column.log_weights(np.array([code]))[0]
        level = np.empty(1 << column.bits, dtype=np.uint16)  # of every code
        for i, dropped in reversed(list(enumerate(column.levels))):
            begin = int(code) >> dropped << dropped
            level[begin : begin + (1 << dropped)] = i
        level_of.append(level)
    a, b = first[both], second[both]
    pairs = weights[a][:, :, None] + weights[b][:, None, :]
    for c, part in enumerate(rows):
        levels = np.array([of.take(cells) for of, cells in zip(level_of, part, strict=True)])
        counts = _level_counts(levels, a, b, width)
        sums[both, c] = log_sum(logs(counts) + pairs, (1, 2))
    return sums


def _level_counts(levels: NDArray[np.uint16], a: Ints, b: Ints, width: int) -> Ints:
    """Count rows by their levels in two attributes, (pairs, width, width)."""
    n, size = levels.shape[1], width * width
    counts = np.empty((len(a), size), dtype=np.int64)
    scaled = levels * np.uint16(width)
    step = max(1, _AT_ONCE // max(n, 1))
    for start in range(0, len(a), step):
        some = slice(start, start + step)
        cells = (scaled[a[some]] + levels[b[some]]).astype(np.intp)
        if len(cells) > 1:
            cells += (np.arange(len(cells)) * size)[:, None]
        counts[some] = np.bincount(cells.ravel(), minlength=len(cells) * size).reshape(-1, size)
    return counts.reshape(len(a), width, width)
