"""What decisions cost and how good they are, here and in other populations."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from pgm_nb.errors import QueryError
from pgm_nb.evaluate.deciding import decisions_of
from pgm_nb.evaluate.predictions import UnseenRows
from pgm_nb.scoring.decisions import (
    Costs,
    Detection,
    DetectionElsewhere,
    Rate,
    confusion,
    decision_curve,
    detect,
    net_benefit,
    precision_recall,
    read_costs,
    roc,
    threshold,
)

CLASSES = ["ill", "unclear", "well"]


def by_brute_force(probabilities, matrix):
    """Write out the expected cost of every decision for every row."""
    decided = []
    for row in probabilities:
        costs = [sum(p * matrix[t][d] for t, p in enumerate(row)) for d in range(len(row))]
        decided.append(costs.index(min(costs)))
    return decided


def test_threshold_by_hand():
    assert threshold(miss=9, false_alarm=1) == 0.1
    # at the threshold both decisions cost the same: p · miss = (1 - p) · false alarm
    for miss, alarm in ((1, 1), (10, 1), (3, 7), (0.2, 50)):
        p = threshold(miss, alarm)
        assert p * miss == pytest.approx((1 - p) * alarm, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_least_expected_cost_by_brute_force(k):
    rng = np.random.default_rng(k)
    for _ in range(20):
        matrix = rng.uniform(0, 10, (k, k))
        np.fill_diagonal(matrix, 0)
        probabilities = rng.dirichlet(np.ones(k), 50)
        assert Costs(matrix).decide(probabilities).tolist() == by_brute_force(probabilities, matrix.tolist())


def test_equal_costs_are_the_most_probable_class():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet(np.ones(4), 200)
    pairs = {(a, b): 3 for a in "abcd" for b in "abcd" if a != b}
    np.testing.assert_array_equal(
        read_costs(pairs, list("abcd")).decide(probabilities), probabilities.argmax(axis=1)
    )


def test_two_classes_have_a_threshold_whatever_right_decisions_cost():
    matrix = np.array([[2.0, 12.0], [5.0, 1.0]])  # true down, decided across
    costs = Costs(matrix)
    assert costs.threshold(0) == pytest.approx((5 - 1) / ((5 - 1) + (12 - 2)), rel=1e-15)
    assert costs.threshold(1) == pytest.approx(1 - costs.threshold(0), rel=1e-15)
    p = np.linspace(0.01, 0.99, 99)
    decided = costs.decide(np.column_stack([p, 1 - p]))
    np.testing.assert_array_equal(decided == 0, p > costs.threshold(0))


def test_a_class_that_counts_among_three():
    costs = read_costs({"miss": 4, "false alarm": 1}, CLASSES, "ill")
    assert costs.threshold(0) == 0.2
    assert costs.threshold(1) is None
    probabilities = np.array([[0.2, 0.5, 0.3], [0.19, 0.2, 0.61], [0.1, 0.5, 0.4]])
    assert costs.decide(probabilities).tolist() == [0, 2, 1]
    np.testing.assert_array_equal(costs.matrix, [[0, 4, 4], [1, 0, 0], [1, 0, 0]])
    # a miss, a false alarm, two confusions of other classes that cost nothing
    assert costs.mean(np.array([0, 1, 2, 1]), np.array([1, 0, 1, 1])) == 5 / 4


def test_three_ways_to_say_the_same():
    pairs = read_costs({("ill", "well"): 10, ("well", "ill"): 1}, ["ill", "well"])
    table = pd.DataFrame([[0, 1], [10, 0]], index=["well", "ill"], columns=["well", "ill"])
    words = read_costs({"miss": 10, "false alarm": 1}, ["ill", "well"], "ill")
    for other in (read_costs(table, ["ill", "well"]), words):
        np.testing.assert_array_equal(other.matrix, pairs.matrix)
        assert other.threshold(0) == pairs.threshold(0) == 1 / 11


def test_classes_may_be_numbers_given_as_text():
    np.testing.assert_array_equal(
        read_costs({("0", "1"): 2, (1, 0): 3}, [0, 1]).matrix, np.array([[0, 2], [3, 0]])
    )


@pytest.mark.parametrize(
    ("costs", "label", "sentence"),
    [
        ({"miss": 1, "false alarm": 1}, None, "which class is the one that counts"),
        ({"miss": 1}, "ill", "costs must have 'miss' and 'false alarm'"),
        ({"miss": 1, "alarm": 1}, "ill", "has 'miss', 'alarm'"),
        ({"miss": 0, "false alarm": 1}, "ill", "the cost of a miss must be a positive number"),
        ({"miss": 1, "false alarm": "two"}, "ill", "the cost of a false alarm must be a positive number"),
        ({"miss": 1, "false alarm": 1}, "il", "there is no class 'il'; did you mean 'ill'?"),
        ({("ill", "well"): 1}, None, "what it costs to decide 'unclear' where it is 'ill'"),
        ({("ill", "wel"): 1}, None, "there is no class 'wel'; did you mean 'well'?"),
        ({("ill", "well"): np.nan}, None, "deciding 'well' where it is 'ill' must be a number from -1e+100"),
        ({("ill", "well"): 1}, "ill", "leave no single class that counts"),
        ({}, None, "costs must be {'miss': 10"),
        (5, None, "or a table of costs, but is 5"),
        (pd.DataFrame(0, CLASSES, CLASSES), None, "no wrong decision costs anything"),
        (pd.DataFrame(1, CLASSES, CLASSES) - 2 * (1 - np.eye(3)), None, "must not cost less than deciding"),
    ],
)
def test_mistakes_get_a_sentence(costs, label, sentence):
    with pytest.raises(QueryError) as error:
        read_costs(costs, CLASSES, label)
    assert sentence in str(error.value)


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


OFTEN = {2: np.array([1, 4]), 3: np.array([3, 1, 2])}  # how often a row of each class is there


@pytest.fixture(params=[(2, 0), (2, 1), (3, 0), (3, 1)])
def population(request):
    k, seed = request.param
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(k), rng.integers(0, k, 97)])
    chances = rng.dirichlet(np.ones(k), len(truth)) + 0.7 * np.eye(k)[truth]
    chances /= chances.sum(axis=1, keepdims=True)
    return UnseenRows(tuple("abc"[:k]), np.arange(len(truth)), truth, chances, len(truth), 5)


@pytest.mark.parametrize("costs", [{"miss": 3, "false alarm": 1}, {"miss": 1, "false alarm": 2}])
def test_equal_to_repeating_rows(population, costs):
    often = OFTEN[len(population.classes)]
    counts = np.bincount(population.truth)
    rates = counts * often / (counts * often).sum()
    prior = dict(zip(population.classes, rates, strict=True))
    moved = population.probabilities * rates / population.shares
    moved /= moved.sum(axis=1, keepdims=True)
    times = often[population.truth]
    truth, chances = np.repeat(population.truth, times), np.repeat(moved, times, axis=0)
    repeated = UnseenRows(population.classes, np.arange(len(truth)), truth, chances, len(truth), 5)
    for label in population.classes:
        found, expected = decisions_of(population, costs, label, prior), decisions_of(repeated, costs, label)
        values = [found.to_frame()["value"], expected.to_frame()["value"]]
        np.testing.assert_allclose(*values, atol=1e-9)
        np.testing.assert_allclose(found.decision_curve.model, expected.decision_curve.model, atol=1e-9)
        np.testing.assert_allclose(found.decision_curve.everyone, expected.decision_curve.everyone, atol=1e-9)
        assert found.detection.prevalence == pytest.approx(expected.detection.prevalence, abs=1e-12)
        numbers = found.per_class()[["sensitivity", "negative predictive value", "net benefit"]]
        again = expected.per_class()[numbers.columns]
        np.testing.assert_allclose(numbers, again, atol=1e-9)


def test_the_mix_of_the_table_changes_nothing(population):
    prior = dict(zip(population.classes, population.shares, strict=True))
    found, own = decisions_of(population, label="a", prior=prior), decisions_of(population, label="a")
    np.testing.assert_allclose(found.to_frame()["value"], own.to_frame()["value"], atol=1e-9)
    np.testing.assert_array_equal(found.confusion, own.confusion)


def test_the_curve_of_two_classes_stays(population):
    if len(population.classes) == 2:
        moved = decisions_of(population, label="a", prior={"a": 0.01, "b": 0.99})
        assert moved.roc.area == pytest.approx(decisions_of(population, label="a").roc.area, abs=1e-12)


def test_elsewhere_by_hand():
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
