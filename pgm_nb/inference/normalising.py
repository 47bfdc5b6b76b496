"""From scores to probabilities: the posterior of the class, or its logarithm."""

from __future__ import annotations

import numpy as np

from pgm_nb.arrays import Floats

__all__ = ["normalise", "posteriors"]

AT_HAND = 1 << 13  # numbers that are normalised at once: close to the processor, and no new memory each time


def normalise(log_scores: Floats, log_prior: Floats) -> Floats:
    """Log posterior from log joint; a row that no class can have made gets the class prior.

    The largest score of a row is taken off first: a sum of scores far from zero would lose their difference.
    """
    return _by_blocks(log_scores, log_prior, shares=False)


def posteriors(log_scores: Floats, log_prior: Floats) -> Floats:
    """Posterior from log joint, without a logarithm in between: the exponential of `normalise`.

    Examples
    --------
    >>> posteriors(np.log([[0.1, 0.3], [1e-300, 1e-300]]), np.log([0.5, 0.5]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    return _by_blocks(log_scores, log_prior, shares=True)


def _by_blocks(log_scores: Floats, log_prior: Floats, *, shares: bool) -> Floats:
    found: Floats = np.empty(log_scores.shape)
    step = max(1, AT_HAND // log_scores.shape[1])
    for start in range(0, len(log_scores), step):
        rows = slice(start, start + step)
        found[rows] = _normalised(log_scores[rows].T.copy(), log_prior, shares=shares).T
    return found


def _normalised(columns: Floats, log_prior: Floats, *, shares: bool) -> Floats:
    """Do the same with scores that lie class after class, (k, n), in their place."""
    largest = columns.max(axis=0)
    hopeless = np.isneginf(largest)
    if hopeless.any():
        columns[:, hopeless] = log_prior[:, None]
        largest[hopeless] = log_prior.max()
    columns -= largest
    if shares:
        np.exp(columns, out=columns)
        columns /= columns.sum(axis=0)
    else:
        columns -= np.log(np.exp(columns).sum(axis=0))
    return columns
