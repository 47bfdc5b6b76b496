"""Kernels, and their sums per class at rows to classify: HOBbit by P-trees, Gaussian over all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, log, pi

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.models.kernel.kernels import Flags, HobbitColumn, log_sum, logs, pair_places
from pgm_nb.models.kernel.ptree import Nest, PTree, crossed, crossed_counts

__all__ = ["few_rows", "gaussian_log_kernel", "gaussian_log_sums", "hobbit_log_sums", "row_pair_sums"]

MOST_CELLS = 1 << 20  # of a table of all pairs of codes
MOST_ROWS = 1 << 18  # training rows beyond which P-trees are quicker to ask
_AT_ONCE = 1 << 18  # pairs of cells counted at once
_ROW_NS, _PAIR_NS, _CELL_NS = 1.5, 2_000.0, 5.0  # a training row, a pair of attributes, a cell of a table
FEW = 16  # distinct pairs of codes from which such a table is cheaper than a P-tree, for a small table
UNKNOWN = -1  # the code of an unknown cell
TINY = 1e-140  # kernels below this share of the largest one are left out of sums of products: see SMALL
SMALL = 1e-120  # a sum of products below this is summed again in logs, as it may have lost terms that count
DEEP = 250.0  # and only if the logs of its kernels reach further down than this


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


def gaussian_log_kernel(x: float, rows: Floats, sigma: float) -> Floats:
    """Log of the kernel between one value and those of the training rows.

    A Gaussian density of width `sigma`; flat for an infinite one (a constant attribute); with ``sigma=0``
    the kernel of categories, [x = x_t]. Infinite values stand for the state "missing", equal to itself only.

    Examples
    --------
    >>> np.exp(gaussian_log_kernel(0.0, np.array([0.0, 1.0, inf]), 1.0)).round(3)
    array([0.399, 0.242, 0.   ])
    """
    if sigma == 0 or np.isinf(x):
        return np.where(rows == x, 0.0, -inf)
    absent = np.isinf(rows)
    height = 0.0 if sigma == inf else log(sigma) + 0.5 * log(2 * pi)
    z = (x - np.where(absent, x, rows)) / sigma
    return np.where(absent, -inf, -0.5 * z**2 - height)


def hobbit_log_sums(
    trees: Sequence[PTree],
    columns: Sequence[HobbitColumn],
    codes: Ints,
    rows: Sequence[NDArray[np.integer]],
    *,
    pairs: bool,
) -> tuple[Floats, Floats | None, Flags]:
    """Log kernel sums of rows by range counts: log sum_c K_a, log sum_c K_a K_b, and what is known.

    The kernel has one value per level, so a sum is over levels: weight times rows that are in the range of
    this level but not in the one inside it. Equal values of several rows are counted once.

    Parameters
    ----------
    trees : sequence of PTree
        One per class.
    columns : sequence of HobbitColumn
        The kernels.
    codes : array (d, m)
        The rows to classify; -1 where a cell is unknown.
    rows : sequence of arrays of int (d, n_c)
        The training rows of each class, looked at only where there are many rows to classify.
    pairs : bool
        Whether to sum over pairs too.
    """
    d, m = codes.shape
    known = codes != UNKNOWN
    single = np.zeros((m, d, len(trees)))
    nests: list[dict[int, list[Nest]]] = []
    for place, (column, cells) in enumerate(zip(columns, codes, strict=True)):
        values, where = np.unique(cells[known[place]], return_inverse=True)
        around = {x: [tree.nest(place, x, column.levels) for tree in trees] for x in values.tolist()}
        nests.append(around)
        if len(values) == 0:
            continue
        sizes = np.array([[nest.sizes for nest in around[int(value)]] for value in values])  # (u, k, levels)
        rows_there = _shells(sizes)
        terms = logs(rows_there) + column.log_weights(values)[:, None]
        single[known[place], place] = log_sum(terms, 2)[where]
    if not pairs:
        return single, None, known.T
    first, second = pair_places(d)
    joint = np.zeros((m, len(first), len(trees)))
    if few_rows(m, 2 * max(column.bits for column in columns), sum(tree.n_rows for tree in trees)):
        for row in range(m):
            joint[row] = row_pair_sums(columns, codes[:, row], rows)
        return single, joint, known.T
    for pair, (a, b) in enumerate(zip(first, second, strict=True)):
        both = known[a] & known[b]
        if both.any():
            keys, where = np.unique(codes[a, both] << columns[b].bits | codes[b, both], return_inverse=True)
            values = np.stack([keys >> columns[b].bits, keys & ((1 << columns[b].bits) - 1)])
            if _many(len(keys), columns[a].bits + columns[b].bits, sum(tree.n_rows for tree in trees)):
                within = _by_tables([part[[a, b]] for part in rows], columns[a], columns[b], values)
            else:
                within = _by_trees(nests[a], nests[b], values)
            sums = _pair_sums(within, columns[a].log_weights(values[0]), columns[b].log_weights(values[1]))
            joint[both, pair] = sums[where]
    return single, joint, known.T


def _by_trees(
    nests_a: Mapping[int, Sequence[Nest]], nests_b: Mapping[int, Sequence[Nest]], values: Ints
) -> Ints:
    """Count the rows in both ranges around pairs of codes by P-trees, (pairs of codes, k, levels, levels)."""
    return np.array(
        [
            [crossed(one, other) for one, other in zip(nests_a[x], nests_b[y], strict=True)]
            for x, y in values.T.tolist()
        ]
    )


def _by_tables(rows: Sequence[NDArray[np.integer]], a: HobbitColumn, b: HobbitColumn, values: Ints) -> Ints:
    """Count what `_by_trees` counts from a table of all pairs of codes in each class."""
    bits, levels = (a.bits, b.bits), (a.levels, b.levels)
    return np.stack([crossed_counts(part, bits, values, levels) for part in rows], axis=1)


def _many(pairs_of_codes: int, bits: int, n_rows: int) -> bool:
    """Return whether a table of all pairs of codes is cheaper than P-trees for so many pairs."""
    cells = 1 << bits
    return cells <= MOST_CELLS and pairs_of_codes > FEW * (1 + (cells + 4 * n_rows) / 100_000)


def _pair_sums(within: Ints, log_weights_a: Floats, log_weights_b: Floats) -> Floats:
    """Log sum_c K_a K_b from the rows in both ranges (pairs of codes, k, levels, levels)."""
    rows_there = _shells(_shells(within).swapaxes(2, 3)).swapaxes(2, 3)
    weights = log_weights_a[:, :, None] + log_weights_b[:, None, :]
    return log_sum(logs(rows_there) + weights[:, None], (2, 3))


def _shells(within: Ints) -> Ints:
    """Rows in each range but not in the one inside it, along the last axis."""
    shells = within.copy()
    shells[..., 1:] -= within[..., :-1]
    return shells


def gaussian_log_sums(
    rows: Sequence[Floats], sigmas: Sequence[float], values: Floats, *, pairs: bool
) -> tuple[Floats, Floats | None, Flags]:
    """Log kernel sums of rows over all training rows: what `hobbit_log_sums` gives, with Gaussian kernels.

    Parameters
    ----------
    rows : sequence of arrays (d, n_c)
        The training rows of each class; categories by their codes, infinity for the state "missing".
    sigmas : sequence of float
        Width of each attribute's kernel; 0 for categories.
    values : array (d, m)
        The rows to classify; NaN where a cell is unknown.
    pairs : bool
        Whether to sum over pairs too.
    """
    d, m = values.shape
    known = ~np.isnan(values)
    first, second = pair_places(d)
    single = np.zeros((m, d, len(rows)))
    joint = np.zeros((m, len(first), len(rows))) if pairs else None
    plain = [_plain(of_class, sigmas) for of_class in rows]
    for row in range(m):
        here = np.flatnonzero(known[:, row])
        for c, of_class in enumerate(rows):
            if of_class.shape[1] == 0:  # a class that has left the window
                single[row, :, c] = -inf
                if joint is not None:
                    joint[row, :, c] = -inf
                continue
            kernel = np.zeros((d, of_class.shape[1]))
            if plain[c] and len(here) == d and np.isfinite(values[:, row]).all():
                _plain_log_kernels(values[:, row], of_class, sigmas, kernel)
                most = kernel.max(axis=1)
                depth = most - kernel.min(axis=1)
            else:
                for a in here.tolist():
                    kernel[a] = gaussian_log_kernel(values[a, row], of_class[a], sigmas[a])
                most = kernel.max(axis=1)
                most = np.where(np.isneginf(most), 0.0, most)
                depth = most - np.where(np.isneginf(kernel), 0.0, kernel).min(axis=1)
            relative = np.subtract(kernel, most[:, None])
            np.exp(relative, out=relative)
            single[row, :, c] = logs(relative.sum(axis=1)) + most
            if joint is not None:
                if depth.max() > -log(TINY) or not np.isfinite(kernel).all():
                    relative[relative < TINY] = 0.0  # numbers near underflow are slow to multiply
                together = (relative @ relative.T)[first, second]
                joint[row, :, c] = logs(together) + most[first] + most[second]
                lost = (together < SMALL) & (depth[first] + depth[second] > DEEP)
                for pair in np.flatnonzero(lost):
                    joint[row, pair, c] = log_sum(kernel[first[pair]] + kernel[second[pair]], 0)
    return single, joint, known.T


def _plain(rows: Floats, sigmas: Sequence[float]) -> bool:
    """Return whether all attributes are numbers without missing cells, with kernels of some width."""
    return all(0 < sigma < inf for sigma in sigmas) and bool(np.isfinite(rows).all())


def _plain_log_kernels(values: Floats, rows: Floats, sigmas: Sequence[float], kernel: Floats) -> None:
    """Write what `gaussian_log_kernel` gives for each attribute of such a table, (d, n)."""
    widths = np.array(sigmas)
    heights = np.array([log(sigma) for sigma in sigmas]) + 0.5 * log(2 * pi)
    np.subtract(values[:, None], rows, out=kernel)
    kernel /= widths[:, None]
    np.square(kernel, out=kernel)
    kernel *= -0.5
    kernel -= heights[:, None]
