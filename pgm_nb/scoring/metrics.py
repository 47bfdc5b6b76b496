"""Scores of many posteriors at once: one column of posteriors for each size of a model.

The same numbers as scikit-learn's accuracy_score, precision_score, recall_score, f1_score (macro averages
for more than two classes), roc_auc_score (one against the rest, macro) and log_loss (here in bits).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgm_nb.inference.arrays import Floats, Places

__all__ = ["METRICS", "scores"]

METRICS = ("accuracy", "precision", "recall", "f1", "auc", "log_loss")
_BITS = 40  # of a number that tell it from another: about twelve digits
_SMALLEST = float(
    np.log(np.finfo(np.float64).eps)
)  # a probability of zero costs this much, as scikit-learn's


def scores(log_posterior: Floats, y: Places) -> Floats:
    """Score the posteriors of every size, (sizes, metrics), columns as `METRICS`.

    With two classes precision, recall, F1 and AUC are those of the second one; with more they are averages
    over the classes. Log-loss is in bits.

    Parameters
    ----------
    log_posterior : array (n, sizes, k)
        Log of the class posterior of every row, for every size.
    y : array (n,)
        The classes, 0 to k - 1.

    Examples
    --------
    >>> posterior = np.array([[[0.8, 0.2]], [[0.4, 0.6]], [[0.7, 0.3]]])
    >>> dict(zip(METRICS, scores(np.log(posterior), np.array([0, 1, 1]))[0].round(3).tolist()))
    {'accuracy': 0.667, 'precision': 1.0, 'recall': 0.5, 'f1': 0.667, 'auc': 1.0, 'log_loss': 0.932}
    """
    n, _, k = log_posterior.shape
    truth = np.arange(k) == y[:, None]  # (n, k)
    said = np.arange(k) == log_posterior.argmax(axis=2)[:, :, None]  # (n, sizes, k)
    right = (said & truth[:, None]).sum(axis=0)  # (sizes, k)
    actual, claimed = truth.sum(axis=0), said.sum(axis=0)
    asked = slice(1, 2) if k == 2 else slice(None)
    precision, recall = _ratio(right, claimed), _ratio(right, np.broadcast_to(actual, right.shape))
    f1 = _ratio(2 * right, claimed + actual)
    own = np.maximum(np.take_along_axis(log_posterior, y[:, None, None], axis=2)[..., 0], _SMALLEST)
    return np.column_stack(
        [
            right.sum(axis=1) / n,
            *(part[:, asked].mean(axis=1) for part in (precision, recall, f1)),
            _auc(np.exp(log_posterior[:, :, asked]), truth[:, asked]),
            -own.mean(axis=0) / np.log(2),
        ]
    )


def _auc(posterior: Floats, truth: NDArray[np.bool_]) -> Floats:
    """Area under the ROC curve from ranks (Mann and Whitney), the mean over the classes, (sizes,)."""
    from scipy.stats import rankdata

    inside = truth.sum(axis=0)
    outside = len(truth) - inside
    defined = np.flatnonzero((inside > 0) & (outside > 0))
    if len(defined) == 0:
        return np.full(posterior.shape[1], np.nan)
    areas = []
    for c in defined:
        ranks = rankdata(_without_rounding(posterior[:, :, c]), axis=0)
        above = ranks[truth[:, c]].sum(axis=0) - inside[c] * (inside[c] + 1) / 2
        areas.append(above / (inside[c] * outside[c]))
    mean: Floats = np.array(areas).mean(axis=0)
    return mean


def _without_rounding(values: Floats) -> Floats:
    """Cut the last bits off, so that numbers that differ by rounding only are ties."""
    mantissa, exponent = np.frexp(values)
    cut: Floats = np.ldexp(np.round(mantissa * 2.0**_BITS), exponent - _BITS)
    return cut


def _ratio(a: NDArray[np.integer], b: NDArray[np.integer]) -> Floats:
    ratio: Floats = np.divide(a, b, out=np.zeros(a.shape), where=b > 0)
    return ratio
