"""Friedman's test and the critical difference against SciPy and against Demšar's example."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.evaluate.ranks import cliques, critical_difference, friedman_chi2

# Demšar 2006, Table 6: ranks of four variants of C4.5 on 14 datasets
DEMSAR = np.array(
    [
        [4, 3, 2, 1], [1, 2, 3, 4], [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1], [1, 2.5, 4, 2.5], [3, 2, 4, 1],
        [2.5, 2.5, 4, 1], [4, 3, 2, 1], [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5], [3, 2, 4, 1], [4, 1, 2, 3],
        [3, 1, 4, 2],
    ]
)  # fmt: skip
NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]


def test_demsars_example():
    result = pnb.friedman(pd.DataFrame(-DEMSAR, columns=NAMES))
    np.testing.assert_array_equal(result.ranks, DEMSAR)
    assert result.average_ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert result.critical_difference == pytest.approx(1.25, abs=5e-3)
    # The paper's 9.28 and 3.69 are without the correction for the ties: 6 + 6 + 60 + 6 of 840.
    uncorrected = result.chi2 * (1 - 78 / 840)
    assert uncorrected == pytest.approx(9.28, abs=5e-3)
    assert 13 * uncorrected / (14 * 3 - uncorrected) == pytest.approx(3.69, abs=5e-3)
    theirs = stats.friedmanchisquare(*DEMSAR.T)
    assert (result.chi2, result.p_chi2) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-12)
    # 3.143 - 1.964 = 1.179 is short of 1.25: nobody differs
    assert result.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)


@pytest.mark.parametrize(
    ("alpha", "q"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_the_critical_values_of_demsars_table_5(alpha, q):
    """CD / sqrt(k(k+1)/6n) for 2 to 10 models; the paper's last digit is off by one in places."""
    found = [critical_difference(k, 1, alpha) / np.sqrt(k * (k + 1) / 6) for k in range(2, 11)]
    assert found == pytest.approx(q, abs=1.1e-3)


@settings(max_examples=40)
@given(st.integers(3, 6), st.integers(2, 12), st.integers(0, 10_000))
def test_friedman_is_scipys_and_F_is_the_analysis_of_variance_of_ranks(k, n, seed):
    scores = np.random.default_rng(seed).integers(0, 6, (n, k))
    result = pnb.friedman(scores)
    centred = result.ranks - (k + 1) / 2
    if not centred.any():
        assert (result.chi2, result.p_chi2, result.p_f) == (0.0, 1.0, 1.0)
        return
    theirs = stats.friedmanchisquare(*scores.T)
    assert result.chi2 == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert result.p_chi2 == pytest.approx(theirs.pvalue, rel=1e-9)
    between = n * (centred.mean(axis=0) ** 2).sum()
    rest = (centred**2).sum() - between
    if rest < 1e-9:
        assert result.f == np.inf
    else:
        assert result.f == pytest.approx((between / (k - 1)) / (rest / ((k - 1) * (n - 1))), rel=1e-9)
    assert result.ranks.sum(axis=1) == pytest.approx(k * (k + 1) / 2)


def test_which_way_is_better():
    scores = pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.4]}, index=["wine", "zoo"])
    assert pnb.friedman(scores).to_frame()["model"].tolist() == ["b", "a"]
    down = pnb.friedman(scores, higher_is_better=False)
    assert down.to_frame()["model"].tolist() == ["a", "b"]
    assert (down.models, down.datasets) == (("a", "b"), ("wine", "zoo"))


def test_equals_are_best_together():
    table = pnb.friedman([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0]]).to_frame()
    assert table.to_numpy().tolist() == [["0", 1.25, 2], ["1", 1.75, 1], ["2", 3.0, 0]]


def test_without_ties_it_is_the_textbook_formula():
    ranks = np.array([[1.0, 2, 3], [2, 1, 3], [1, 3, 2], [1, 2, 3]])
    sums = ranks.sum(axis=0)
    assert friedman_chi2(ranks) == pytest.approx(12 / (4 * 3 * 4) * (sums**2).sum() - 3 * 4 * 4)


@pytest.mark.parametrize(
    ("ranks", "difference", "groups"),
    [
        ([1.0, 2.0, 3.0], 0.5, ()),
        ([1.0, 2.0, 3.0], 5.0, ((0, 1, 2),)),
        ([1.0, 2.0, 3.0], 1.0, ()),  # as far apart as the critical difference is apart
        ([3.0, 1.0, 2.0, 2.1], 1.5, ((1, 2, 3), (2, 3, 0))),
        ([1.0, 1.0], 0.5, ((0, 1),)),
    ],
)
def test_groups(ranks, difference, groups):
    assert cliques(np.array(ranks), difference) == groups


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([[1.0, 2.0]], "at least two models .* and two datasets .* 2 and 1"),
        ([[1.0], [2.0]], "the table has 1 and 2"),
        (pd.DataFrame({"a": [1, 2], "b": [np.nan, 1]}, index=["wine", "zoo"]), "b on wine; leave those"),
        (pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}), "these columns hold something else: a"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "two models have the same name"),
    ],
)
def test_tables_that_cannot_be_ranked(table, sentence):
    with pytest.raises(DataError, match=sentence):
        pnb.friedman(table)


def test_alpha():
    with pytest.raises(DataError, match="alpha must lie between 0 and 1"):
        pnb.friedman([[1, 2], [3, 4]], alpha=5)
    scores = np.random.default_rng(0).normal(size=(5, 4))
    assert pnb.friedman(scores, alpha=0.1).critical_difference < pnb.friedman(scores).critical_difference


def test_the_result_is_frozen_and_draws_itself():
    result = pnb.friedman([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="read-only"):
        result.ranks[0] = 0
    assert result._repr_svg_().startswith("<svg ")
