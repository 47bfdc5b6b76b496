"""How the conditional likelihood of the class bends with weights and bias."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import digamma, polygamma

from pgm_nb.arrays import Codes, Floats
from pgm_nb.certainty.cell_rows import trigamma
from pgm_nb.certainty.draws import CLASS_ROWS, TablePosterior

__all__ = [
    "jackknife_variance",
    "log_variance",
    "table_variance",
    "training_spread",
    "weight_curvature",
    "weight_factor",
]

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
    found: Floats = product * (n_rows / max(n, 1))
    if s:
        found[:s, :s] += spread * (np.eye(s) - 1 / s) + level / s**2
    found[s:, s:] += bias * np.eye(k)
    return found


MOST_SPREAD = 4.0  # draws are stretched at most so many times
FURTHER = 8  # steps up to where the series of trigamma is precise


def training_spread(
    replicates: Sequence[Floats],
    parts: int,
    posterior: TablePosterior,
    weights: Floats,
    codes: Codes,
    shares: Floats,
) -> float:
    """Return by how much draws of the tables must be stretched to vary as the trained scores do; 1 at least.

    Parameters
    ----------
    replicates : sequence of arrays (n, k)
        Scores of rows, learned without each of some folds in turn.
    parts : int
        How many folds there are.
    posterior : TablePosterior
        The posterior of the tables.
    weights : array (s,)
        The weight of each attribute's term.
    codes : array (d, n)
        The rows.
    shares : array (n, k)
        Their posterior of the class; classes that are nearly ruled out, or certain, count little.
    """
    if len(replicates) < 2:
        return 1.0
    trained = jackknife_variance(np.asarray(replicates), parts, shares)
    drawn = table_variance(posterior, weights, codes)
    drawn = ((shares - shares**2) * drawn).sum(axis=1)
    ratio = float(trained.sum() / max(drawn.sum(), 1e-300))
    return float(np.clip(np.sqrt(ratio), 1.0, MOST_SPREAD))


def jackknife_variance(replicates: Floats, parts: int, shares: Floats) -> Floats:
    """Return the variance of the scores of each row, (n,), around their mean over the classes.

    Parameters
    ----------
    replicates : array (m, n, k)
        Scores learned without one of the parts each; m may be less than all parts.
    parts : int
        How many parts there are.
    shares : array (n, k)
        The weights of the classes.

    Examples
    --------
    >>> means = np.array([[[2.0, 0.0]], [[4.0, 0.0]]])  # of one class, learned without either half
    >>> jackknife_variance(means, 2, np.array([[0.5, 0.5]]))
    array([0.25])
    """
    apart = replicates - replicates.mean(axis=0)
    apart = apart - (apart * shares).sum(axis=-1, keepdims=True)
    by_row: Floats = (shares * apart**2).sum(axis=(0, 2)) / (len(replicates) - 1)
    return by_row * ((parts - 1) ** 2 / parts)


def weight_factor(
    terms: Floats, shares: Floats, n_rows: int, spread: float, level: float, bias: float
) -> Floats:
    """Return L with L L' the covariance of weights and bias around what was learned, (s + k, s + k).

    Parameters
    ----------
    terms : array (n, s, k)
        What each term adds to the score of each class, in some of the rows.
    shares : array (n, k)
        The posterior of the class in these rows.
    n_rows : int
        How many rows were learned from.
    spread, level, bias : float
        The strengths of the penalties on weights that differ, on their mean, and on the bias.

    Examples
    --------
    >>> terms, even = np.array([[[1.0, 0.0]]]), np.array([[0.5, 0.5]])
    >>> found = weight_factor(terms, even, 40, 10.0, 10.0, 10.0)
    >>> (found @ found.T)[0, 0].round(4)  # 1 / (10 + 10 - 20 / 3): 20 / 3 is what the bias explains
    np.float64(0.075)
    """
    values, vectors = np.linalg.eigh(weight_curvature(terms, shares, n_rows, spread, level, bias))
    factor: Floats = vectors / np.sqrt(np.maximum(values, 1e-9))
    return factor


def table_variance(posterior: TablePosterior, weights: Floats, codes: Codes) -> Floats:
    """Return the variance of each row's weighted log tables and log prior under draws, (n, k)."""
    families = posterior.families
    n_y = families.y + CLASS_ROWS
    total = np.broadcast_to(polygamma(1, n_y) - polygamma(1, n_y.sum()), (codes.shape[1], len(n_y))).copy()
    used = codes[list(families.columns)].astype(np.intp)
    for i, (mothers, rows) in enumerate(zip(families.given, posterior.rows, strict=True)):
        by_cell = log_variance(rows)
        here = by_cell[(slice(None), *(used[mother] for mother in mothers), used[i])]
        total += weights[i] ** 2 * here.T
    return total


def log_variance(rows: Floats) -> Floats:
    """Return the variance of the log of every entry of a table, drawn from one of some Dirichlets.

    Parameters
    ----------
    rows : array (priors, k, ..., v)
        The parameters of the Dirichlet distributions, all as probable.

    Examples
    --------
    >>> one = np.array([[[3.0, 1.0]]])  # Beta(3, 1): -log has mean and deviation 1/3
    >>> log_variance(one)[0, 0].round(6)
    np.float64(0.111111)
    """
    total = rows.sum(axis=-1, keepdims=True)
    mean = digamma(rows) - digamma(total)
    found: Floats = (any_trigamma(rows) - any_trigamma(total)).mean(axis=0) + mean.var(axis=0)
    return found


def any_trigamma(x: Floats) -> Floats:
    """Return the derivative of digamma for positive numbers, to 1e-7; faster than that of SciPy.

    Examples
    --------
    >>> float(any_trigamma(np.array(1.0)).round(6))  # pi^2 / 6
    1.644934
    """
    found = trigamma(x + FURTHER)
    for step in range(FURTHER):
        found = found + 1 / (x + step) ** 2
    return found
