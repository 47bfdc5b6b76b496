"""Is a difference larger than chance? Tests for two classifiers on the same folds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from pgm_nb.arrays import Floats

__all__ = ["PairedTest", "corrected_error", "corrected_t_test", "holm", "wilcoxon"]


class PairedTest(NamedTuple):
    """A test statistic, and the probability of one at least as extreme without any difference.

    Examples
    --------
    >>> PairedTest(2.5, 0.03).p
    0.03
    """

    statistic: float
    p: float


def corrected_error(values: ArrayLike, ratio: float) -> float:
    """Return the standard error of a mean over folds whose training rows overlap.

    Parameters
    ----------
    values : array
        One number per fold.
    ratio : float
        Test rows per training row: 1/9 for ten folds.

    Notes
    -----
    sqrt((1/J + n_test/n_train) s^2) (Nadeau and Bengio 2003, section 3): the plain sqrt(s^2/J) treats the
    folds as independent and is far too small.

    Examples
    --------
    >>> corrected_error([0.0, 2.0], ratio=0.5)
    1.4142135623730951
    """
    numbers = np.asarray(values, dtype=np.float64)
    if len(numbers) < 2:
        return float("nan")
    return float(np.sqrt((1 / len(numbers) + ratio) * numbers.var(ddof=1)))


def corrected_t_test(differences: ArrayLike, ratio: float) -> PairedTest:
    """Test whether the mean difference over folds is zero: the corrected resampled t-test.

    Nadeau and Bengio 2003; over repeated cross-validation with J-1 degrees of freedom as in Bouckaert and
    Frank 2004. If all differences are equal there is no variance: p is 1 if they are zero, else 0.

    Examples
    --------
    >>> test = corrected_t_test([0.02, 0.01, 0.03, 0.02], ratio=1 / 3)
    >>> round(test.statistic, 4), round(test.p, 4)
    (3.2071, 0.0491)
    """
    numbers = np.asarray(differences, dtype=np.float64)
    mean, error = float(numbers.mean()), corrected_error(numbers, ratio)
    if np.ptp(numbers) == 0 and len(numbers) > 1:
        return PairedTest(0.0, 1.0) if mean == 0 else PairedTest(float(np.copysign(np.inf, mean)), 0.0)
    t = mean / error
    return PairedTest(t, float(2 * stats.t.sf(abs(t), len(numbers) - 1)))


def wilcoxon(differences: ArrayLike) -> PairedTest:
    """Test whether differences are symmetric about zero: Wilcoxon's signed-rank test (1945).

    Meant for independent differences, such as one per dataset. Folds share training rows, so over folds its
    p-value is too small: trust `corrected_t_test` there.

    Examples
    --------
    >>> wilcoxon([1.0, 2.0, 3.0, 4.0, 5.0])
    PairedTest(statistic=0.0, p=0.0625)
    """
    numbers = np.asarray(differences, dtype=np.float64)
    if not numbers.any():
        return PairedTest(0.0, 1.0)
    result = stats.wilcoxon(numbers)
    return PairedTest(float(result.statistic), float(result.pvalue))


def holm(p: ArrayLike) -> Floats:
    """Return p-values corrected for the number of tests, step by step from the smallest (Holm 1979).

    NaN, a test that could not be made, does not count.

    Examples
    --------
    >>> print(holm([0.01, 0.04, float("nan"), 0.03]))
    [0.03 0.06  nan 0.06]
    """
    values = np.asarray(p, dtype=np.float64)
    order = values.argsort(kind="stable")[: np.count_nonzero(~np.isnan(values))]  # NaN sorts last
    stepped = np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1))
    corrected = np.full_like(values, np.nan)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
