"""What decisions cost: by hand, and by trying every decision."""

import numpy as np
import pandas as pd
import pytest

from pgm_nb.errors import QueryError
from pgm_nb.scoring.costs import Costs, read_costs, threshold

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
        ({"miss": 0, "false alarm": 1}, "ill", "the cost of a miss must be above 0, but is 0"),
        ({"miss": 1, "false alarm": "two"}, "ill", "the cost of a false alarm must be a number"),
        ({"miss": 1, "false alarm": 1}, "il", "there is no class 'il'; did you mean 'ill'?"),
        ({("ill", "well"): 1}, None, "what it costs to decide 'unclear' where it is 'ill'"),
        ({("ill", "wel"): 1}, None, "there is no class 'wel'; did you mean 'well'?"),
        ({("ill", "well"): np.nan}, None, "deciding 'well' where it is 'ill' must be a number, but is nan"),
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
