"""Tests of significance against SciPy's and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pgm_nb.scoring.significance import corrected_error, corrected_t_test, holm, wilcoxon

DIFFERENCES = [0.011, -0.02, 0.034, 0.005, 0.017, 0.0, 0.026, 0.013, -0.004, 0.029]


def test_without_overlap_it_is_the_paired_t_test():
    ours, theirs = corrected_t_test(DIFFERENCES, ratio=0.0), stats.ttest_1samp(DIFFERENCES, 0.0)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-12)
    assert corrected_error(DIFFERENCES, 0.0) == pytest.approx(stats.sem(DIFFERENCES), rel=1e-12)


def test_overlap_shrinks_t_by_a_known_factor():
    """t / t' = sqrt((1/J + 1/9) / (1/J)): ten folds, one ninth (Nadeau and Bengio 2003)."""
    plain, corrected = corrected_t_test(DIFFERENCES, 0.0), corrected_t_test(DIFFERENCES, 1 / 9)
    assert plain.statistic / corrected.statistic == pytest.approx(np.sqrt((0.1 + 1 / 9) / 0.1), rel=1e-12)
    assert corrected.p == pytest.approx(2 * stats.t.sf(corrected.statistic, 9), rel=1e-12)


def test_by_hand():
    """Differences 1, 2, 3: mean 2, variance 1, J 3, ratio 1/2: t = 2 / sqrt(5/6), two degrees of freedom."""
    test = corrected_t_test([1.0, 2.0, 3.0], ratio=0.5)
    t = 2 / np.sqrt(5 / 6)
    assert test.statistic == pytest.approx(t, rel=1e-12)
    assert test.p == pytest.approx(1 - t / np.sqrt(2 + t**2), rel=1e-12)  # the t distribution of 2 d.f.


def test_differences_without_variance():
    assert corrected_t_test([0.0] * 5, 0.1) == (0.0, 1.0)
    assert corrected_t_test([-0.5] * 5, 0.1) == (-np.inf, 0.0)
    assert wilcoxon([0.0] * 5) == (0.0, 1.0)
    assert np.isnan(corrected_error([0.5], 0.1))


def test_wilcoxon_is_scipys():
    theirs = stats.wilcoxon(DIFFERENCES)
    assert wilcoxon(DIFFERENCES) == (theirs.statistic, theirs.pvalue)
    assert wilcoxon([1, 2, 3, 4, 5, 6]).p == pytest.approx(2 / 2**6)  # all of one sign


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.03, 0.005]) == pytest.approx([0.03, 0.04, 0.04, 0.02])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert holm([]).tolist() == []


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_what_the_procedure_rejects(p):
    """Step down from the smallest p while p <= alpha / (number left)."""
    corrected = holm(p)
    assert (corrected >= p).all()
    assert (corrected <= np.minimum(np.array(p) * len(p), 1.0)).all()  # never worse than Bonferroni
    order = np.argsort(p, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()
    alpha, rejected = 0.05, 0
    while rejected < len(p) and p[order[rejected]] * (len(p) - rejected) <= alpha:
        rejected += 1
    assert (corrected <= alpha).sum() == rejected
