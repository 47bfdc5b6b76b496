"""How the conditional likelihood of the class bends with weights and bias."""

from __future__ import annotations

import numpy as np

from pgm_nb.arrays import Floats

__all__ = ["weight_curvature"]

MOST_IN_ONE_THREAD = 100  # more weights are multiplied by a linear algebra library


def weight_curvature(
    terms: Floats, shares: Floats, n_rows: int, spread: float, level: float, bias: float
) -> Floats:
    """Return the second derivatives of the penalised loss by all pairs of weights and bias, (s + k, s + k).

    Up to a hundred weights, the digits are the same on any number of threads.

    Parameters
    ----------
    terms : array (n, s, k)
        What each term adds to the score of each class, in some of the rows.
    shares : array (n, k)
        The posterior of the class in these rows.
    n_rows : int
        How many rows there are: these stand for all of them.
    spread, level, bias : float
        The strengths of the penalties on weights that differ, on their mean, and on the bias.

    Examples
    --------
    >>> terms, even = np.array([[[1.0, 0.0]]]), np.array([[0.5, 0.5]])
    >>> weight_curvature(terms, even, 40, 10.0, 10.0, 10.0)  # 40 rows of variance 1/4 beside penalties of 10
    array([[ 20.,  10., -10.],
           [ 10.,  20., -10.],
           [-10., -10.,  20.]])
    """
    n, s, k = terms.shape
    features = np.concatenate([terms, np.broadcast_to(np.eye(k), (n, k, k))], axis=1)
    features = features - np.einsum("nfk,nk->nf", features, shares)[:, :, None]
    flat = (features * np.sqrt(shares)[:, None, :]).transpose(1, 0, 2).reshape(s + k, n * k)
    product = np.einsum("im,jm->ij", flat, flat) if s <= MOST_IN_ONE_THREAD else flat @ flat.T
    found: Floats = product * (n_rows / n)
    found[:s, :s] += spread * (np.eye(s) - 1 / s) + level / s**2
    found[s:, s:] += bias * np.eye(k)
    return found
