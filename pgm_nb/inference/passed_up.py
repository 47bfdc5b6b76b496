"""How many rows of a cell come from the level above: Antoniak's number of tables."""

from __future__ import annotations

import numpy as np

from pgm_nb.arrays import Floats, Ints

__all__ = ["passed_up", "trigamma"]

EXACT = 8  # rows of a cell that are passed up or not one by one
LEAST = 1e-12  # keeps what a cell leans on positive


def passed_up(n: Ints | Floats, leaning: Floats, rng: np.random.Generator) -> Floats:
    """Draw how many of the rows of each cell come from the level above, which the cell leans on.

    The first row does, and the row after i others with probability l / (l + i), l being the imaginary rows of
    the cell. After the first few rows the rest is drawn at once, as a binomial number of the same mean and
    variance.

    Examples
    --------
    >>> passed_up(np.array([0, 1, 3]), np.full(3, 1e9), np.random.default_rng(0)).tolist()
    [0.0, 1.0, 3.0]
    """
    n, leaning = np.broadcast_arrays(n, np.maximum(leaning, LEAST))
    found = np.minimum(n, 1.0)
    several = np.flatnonzero(n > 1)
    if not several.size:
        return found
    flat, rows, worth = found.reshape(-1), n.reshape(-1)[several], leaning.reshape(-1)[several]
    total = np.zeros(len(several))
    for before in range(1, EXACT):
        left = np.clip(rows - before, 0, 1)  # of a part of a row, a part
        total += rng.random(len(several)) * (worth + before) < left * worth
    many = np.flatnonzero(rows > EXACT)
    if many.size:
        w, m = worth[many], rows[many]
        low, high = w + EXACT, w + m
        mean = w * (_digamma(high) - _digamma(low))
        lost = w**2 * (trigamma(low) - trigamma(high))  # what its variance lacks to its mean
        size = np.maximum(np.rint(mean**2 / lost), np.ceil(mean))
        total[many] += rng.binomial(size.astype(np.int64), mean / size)
    flat[several] += total
    return found


def _digamma(x: Floats) -> Floats:
    """Return the digamma function of numbers from 8 on, to 1e-8; faster than that of SciPy."""
    found: Floats = np.log(x) - 0.5 / x - 1 / (12 * x**2) + 1 / (120 * x**4)
    return found


def trigamma(x: Floats) -> Floats:
    """Return the derivative of digamma for numbers from 8 on."""
    found: Floats = 1 / x + 0.5 / x**2 + 1 / (6 * x**3) - 1 / (30 * x**5)
    return found
