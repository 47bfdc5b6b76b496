"""Decisions counted: by hand, over every threshold, and against scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics

from pgm_nb.scoring.costs import threshold
from pgm_nb.scoring.decisions import (
    Detection,
    Rate,
    confusion,
    decision_curve,
    detect,
    net_benefit,
    precision_recall,
    roc,
)


@pytest.fixture(params=[0, 1, 2])
def rows(request):
    """Probabilities with ties, and whether each row has the class."""
    rng = np.random.default_rng(request.param)
    chances = rng.integers(0, 21, 120) / 20
    return chances, rng.random(120) < 0.2 + 0.5 * chances


def test_by_hand():
    chances = np.array([0.9, 0.8, 0.5, 0.3, 0.3, 0.1])
    own = np.array([True, True, False, True, False, False])
    seen = detect(chances, own, 0.5)
    assert (seen.found, seen.missed, seen.alarms, seen.cleared) == (2, 1, 1, 2)
    assert seen.sensitivity.value == 2 / 3
    assert seen.specificity.value == 2 / 3
    assert seen.positive_value.value == 2 / 3
    assert seen.negative_value.value == 2 / 3
    assert seen.prevalence == 0.5
    assert seen.net_benefit == pytest.approx(2 / 6 - 1 / 6, rel=1e-15)
    assert seen.net_benefit_of_all == pytest.approx(0, abs=1e-15)


def test_wilson_by_hand():
    """Wilson (1927): (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)."""
    z = 1.959963984540054
    for hits, n in ((0, 10), (9, 10), (204, 212)):
        p, rate = hits / n, Rate.of(hits, n)
        centre, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        assert rate.low == pytest.approx(max(0, (centre - half) / (1 + z * z / n)), abs=1e-12)
        assert rate.high == pytest.approx((centre + half) / (1 + z * z / n), abs=1e-12)
        assert (rate.hits, rate.total) == (hits, n)
    assert np.isnan(Rate.of(0, 0))[:3].all()


def test_rates_are_scikit_learns(rows):
    chances, own = rows
    for bound in np.unique(chances):
        seen, said = detect(chances, own, bound), chances >= bound
        zero = {"zero_division": np.nan}
        np.testing.assert_allclose(
            [rate.value for rate in seen.rates.values()],
            [
                metrics.recall_score(own, said, **zero),
                metrics.recall_score(own, said, pos_label=0, **zero),
                metrics.precision_score(own, said, **zero),
                metrics.precision_score(own, said, pos_label=0, **zero),
            ],
            rtol=1e-14,
        )


def test_curves_pass_through_every_threshold(rows):
    """Each point of a curve is what counting at its threshold gives."""
    chances, own = rows
    ends = roc(chances, own)
    assert ends.area == pytest.approx(metrics.roc_auc_score(own, chances), rel=1e-14)
    for bound, across, up in zip(ends.thresholds, ends.across, ends.up, strict=True):
        seen = detect(chances, own, bound)
        assert (1 - seen.specificity.value, seen.sensitivity.value) == pytest.approx((across, up), abs=1e-14)
    curve = precision_recall(chances, own)
    assert curve.area == pytest.approx(metrics.average_precision_score(own, chances), rel=1e-14)
    assert set(curve.thresholds) == set(chances)
    for bound, across, up in zip(curve.thresholds, curve.across, curve.up, strict=True):
        seen = detect(chances, own, bound)
        assert (seen.sensitivity.value, seen.positive_value.value) == pytest.approx((across, up), abs=1e-14)


def test_one_kind_of_row_has_no_curve():
    assert np.isnan(roc(np.array([0.5, 0.7]), np.array([True, True])).area)
    assert len(precision_recall(np.array([0.5]), np.array([False])).up) == 0


def test_net_benefit_counts_row_by_row(rows):
    chances, own = rows
    bounds = np.array([0.05, 0.2, 0.5, 0.75, 0.95])
    curve = decision_curve(chances, own, bounds)
    for place, t in enumerate(bounds):
        gains = [
            (1.0 if ill else -t / (1 - t)) if p >= t else 0.0 for p, ill in zip(chances, own, strict=True)
        ]
        all_gains = [1.0 if ill else -t / (1 - t) for ill in own]
        assert curve.model[place] == pytest.approx(np.mean(gains), abs=1e-14)
        assert curve.everyone[place] == pytest.approx(np.mean(all_gains), abs=1e-14)
        seen = detect(chances, own, t)
        assert seen.net_benefit == pytest.approx(curve.model[place], abs=1e-14)
        assert seen.net_benefit_of_all == pytest.approx(curve.everyone[place], abs=1e-14)
        assert seen.net_benefit_error == pytest.approx(np.std(gains) / np.sqrt(len(gains)), abs=1e-14)


def test_net_benefit_is_cost_saved(rows):
    """With a miss as the unit, net benefit is what is saved per row against finding nobody."""
    chances, own = rows
    for miss, alarm in ((1, 1), (10, 1), (2, 7)):
        seen = detect(chances, own, threshold(miss, alarm))
        cost = (seen.missed * miss + seen.alarms * alarm) / seen.n_rows
        assert seen.net_benefit == pytest.approx(seen.prevalence - cost / miss, abs=1e-14)


def test_the_threshold_of_the_costs_is_the_best_one_where_probabilities_are_true():
    """Of 20 rows with probability i/20, exactly i have the class: no other threshold costs less."""
    chances = np.repeat(np.arange(21) / 20, 20)
    own = np.tile(np.arange(20), 21) < 20 * chances
    for miss, alarm in ((1, 1), (9, 1), (3, 2), (1, 6)):
        costs = {}
        for bound in [*np.unique(chances), 1.01]:
            seen = detect(chances, own, bound)
            costs[bound] = seen.missed * miss + seen.alarms * alarm
        seen = detect(chances, own, threshold(miss, alarm))
        assert seen.missed * miss + seen.alarms * alarm == min(costs.values())


def test_no_alarm_costs_nothing_even_at_certainty():
    assert net_benefit(np.array([3]), np.array([0]), 10, 1.0).tolist() == [0.3]
    assert net_benefit(np.array([3]), np.array([1]), 10, 1.0).tolist() == [-np.inf]
    assert np.isnan(Detection(1, 1, 1, 1).net_benefit)


def test_confusion_is_scikit_learns():
    rng = np.random.default_rng(0)
    truth, decided = rng.integers(0, 3, (2, 50))
    found = confusion(truth, decided, 4)
    assert found.shape == (4, 4)
    for t in range(4):
        for d in range(4):
            assert found[t, d] == sum((truth == t) & (decided == d))
