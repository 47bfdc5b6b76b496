"""Smoothing by backing off: a three-way table leans on the two-way one as far as the rows ask for it."""

from __future__ import annotations

import numpy as np

from pgm_nb.arrays import Floats, Ints
from pgm_nb.inference.factors import Factors
from pgm_nb.inference.families import Families

__all__ = ["EVEN", "EVEN_ALONE", "WEIGHTS", "backoff_weight", "estimate_backoff"]

EVEN = 2.0  # imaginary rows spread evenly over the states of an attribute with a mother
EVEN_ALONE = 5.0  # ... of an attribute without one
WEIGHTS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)  # imaginary rows spread as P(x|y)


def estimate_backoff(families: Families) -> Factors:
    """Estimate the parameters, each table with a weight of its own.

    P(y) = (n(y) + 1/k) / (n + 1);  P(x|y) = (n(y,x) + b/v) / (n(y) + b) with b = `EVEN_ALONE`;
    P(x|u,y) = (n(y,u,x) + a P(x|y) + m/v) / (n(y,u) + a + m) with m = `EVEN`, for x with mother u.
    The weight a is that of `WEIGHTS` under which the training rows, each left out in turn, are most likely.
    """
    k = len(families.y)
    tables = tuple(
        np.log(_table(counts, families.marginal(position))) for position, counts in enumerate(families.tables)
    )
    prior = (families.y + 1 / k) / (families.y.sum() + 1)
    return Factors(np.log(prior), families.columns, families.mothers, tables)


def backoff_weight(counts: Ints, alone: Floats) -> float:
    """Return the weight of the two-way table that makes rows left out one by one most likely.

    Parameters
    ----------
    counts : array (k, v_mother, v)
        n(y,u,x).
    alone : array (k, v)
        P(x|y).

    Examples
    --------
    >>> alone = np.array([[0.5, 0.5]])
    >>> backoff_weight(np.array([[[2, 2], [2, 2]]]), alone)  # the mother tells nothing
    200.0
    >>> backoff_weight(np.array([[[40, 0], [0, 40]]]), alone)  # she tells everything
    0.0
    """
    filled = counts > 0
    n, v = counts[filled], counts.shape[-1]
    total = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)[filled]
    lean = np.broadcast_to(alone[:, None, :], counts.shape)[filled]
    weights = np.array(WEIGHTS)[:, None]
    left_out = np.log((n - 1 + weights * lean + EVEN / v) / (total - 1 + weights + EVEN))
    return WEIGHTS[int(np.argmax(left_out @ n))]


def _table(counts: Ints, marginal: Ints) -> Floats:
    """P(x|y) or P(x|u,y) of one attribute."""
    v = counts.shape[-1]
    alone: Floats = (marginal + EVEN_ALONE / v) / (marginal.sum(axis=-1, keepdims=True) + EVEN_ALONE)
    if counts.ndim == 2:
        return alone
    weight = backoff_weight(counts, alone)
    given: Floats = (counts + weight * alone[:, None, :] + EVEN / v) / (
        counts.sum(axis=-1, keepdims=True) + weight + EVEN
    )
    return given
