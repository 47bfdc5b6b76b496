"""Rates elsewhere are those of a table in which every row is there as often as the base rates say."""

import numpy as np
import pytest

from pgm_nb.evaluate.deciding import decisions_of
from pgm_nb.evaluate.out_of_fold import UnseenRows
from pgm_nb.scoring.decisions import Rate
from pgm_nb.scoring.elsewhere import DetectionElsewhere

OFTEN = {2: np.array([1, 4]), 3: np.array([3, 1, 2])}  # how often a row of each class is there


@pytest.fixture(params=[(2, 0), (2, 1), (3, 0), (3, 1)])
def rows(request):
    k, seed = request.param
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(k), rng.integers(0, k, 97)])
    chances = rng.dirichlet(np.ones(k), len(truth)) + 0.7 * np.eye(k)[truth]
    chances /= chances.sum(axis=1, keepdims=True)
    return UnseenRows(tuple("abc"[:k]), np.arange(len(truth)), truth, chances, len(truth), 5)


@pytest.mark.parametrize("costs", [{"miss": 3, "false alarm": 1}, {"miss": 1, "false alarm": 2}])
def test_equal_to_repeating_rows(rows, costs):
    often = OFTEN[len(rows.classes)]
    counts = np.bincount(rows.truth)
    rates = counts * often / (counts * often).sum()
    prior = dict(zip(rows.classes, rates, strict=True))
    moved = rows.probabilities * rates / rows.shares
    moved /= moved.sum(axis=1, keepdims=True)
    times = often[rows.truth]
    truth, chances = np.repeat(rows.truth, times), np.repeat(moved, times, axis=0)
    repeated = UnseenRows(rows.classes, np.arange(len(truth)), truth, chances, len(truth), 5)
    for label in rows.classes:
        found, expected = decisions_of(rows, costs, label, prior), decisions_of(repeated, costs, label)
        values = [found.to_frame()["value"], expected.to_frame()["value"]]
        np.testing.assert_allclose(*values, atol=1e-9)
        np.testing.assert_allclose(found.decision_curve.model, expected.decision_curve.model, atol=1e-9)
        np.testing.assert_allclose(found.decision_curve.everyone, expected.decision_curve.everyone, atol=1e-9)
        assert found.detection.prevalence == pytest.approx(expected.detection.prevalence, abs=1e-12)
        numbers = found.per_class()[["sensitivity", "negative predictive value", "net benefit"]]
        again = expected.per_class()[numbers.columns]
        np.testing.assert_allclose(numbers, again, atol=1e-9)


def test_the_mix_of_the_table_changes_nothing(rows):
    prior = dict(zip(rows.classes, rows.shares, strict=True))
    found, own = decisions_of(rows, label="a", prior=prior), decisions_of(rows, label="a")
    np.testing.assert_allclose(found.to_frame()["value"], own.to_frame()["value"], atol=1e-9)
    np.testing.assert_array_equal(found.confusion, own.confusion)


def test_the_curve_of_two_classes_stays(rows):
    if len(rows.classes) == 2:
        moved = decisions_of(rows, label="a", prior={"a": 0.01, "b": 0.99})
        assert moved.roc.area == pytest.approx(decisions_of(rows, label="a").roc.area, abs=1e-12)


def test_by_hand():
    seen = DetectionElsewhere(9, 1, 5, 85, threshold=0.1, share=0.01, others=((5, 85, 0.99),))
    alarms = 0.99 * 5 / 90
    assert seen.sensitivity == Rate.of(9, 10)
    assert seen.specificity == Rate.of(85, 90)
    assert seen.positive_value.value == pytest.approx(0.009 / (0.009 + alarms), rel=1e-12)
    assert seen.negative_value.value == pytest.approx(0.99 * 85 / 90 / (0.99 * 85 / 90 + 0.001), rel=1e-12)
    assert seen.net_benefit == pytest.approx(0.009 - alarms / 9, rel=1e-12)
    assert seen.net_benefit_of_all == pytest.approx(0.01 - 0.99 / 9, rel=1e-12)
    low, value, high = seen.positive_value.low, seen.positive_value.value, seen.positive_value.high
    assert low < value < high
    error = np.sqrt((0.01**2 * 0.9 * 0.1 / 10) + (0.99 / 9) ** 2 * (5 / 90) * (85 / 90) / 90)
    assert seen.net_benefit_error == pytest.approx(error, rel=1e-12)
