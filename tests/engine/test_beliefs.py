"""Calibration against brute-force enumeration, with hard, soft and class evidence, on forests."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.counts import count
from pgm_nb.engine.beliefs import calibrate
from pgm_nb.engine.sums import log_joint
from pgm_nb.tables.factors import estimate, estimate_unsmoothed
from pgm_nb.tables.families import families


def random_forest(seed, smoothed=True, largest=4):
    """Random tables on a random forest of up to five attributes, and some evidence for three rows."""
    rng = np.random.default_rng(seed)
    d, k, n = int(rng.integers(1, 6)), int(rng.integers(2, 4)), 30
    cards = tuple(int(v) for v in rng.integers(1, largest, d))
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    y = np.r_[np.arange(k), rng.integers(0, k, n - k)]
    mothers = np.array([-1 if i == 0 or rng.random() < 0.3 else rng.integers(0, i) for i in range(d)])
    fit = families(count(codes, y, cards, k), range(d), mothers)
    forest = estimate(fit, 1.0) if smoothed else estimate_unsmoothed(fit)[0]
    states = int(forest.starts[-1])
    soft = rng.normal(size=(states, 3))
    evidence = np.where(rng.random((states, 3)) < 0.2, -np.inf, soft)
    return forest, evidence, np.log(rng.random((k, 3)))


def enumerated(forest, evidence, class_evidence, row):
    """All joint probabilities P(y, x, evidence) and the states x they belong to."""
    factors = forest
    grid = np.array(list(itertools.product(*(range(v) for v in factors.cards))))
    codes = np.zeros((len(factors.columns), len(grid)), dtype=np.uint8)
    for position, column in enumerate(factors.columns):
        codes[column] = grid[:, position]
    logs = log_joint(factors, codes) + class_evidence[:, row]
    for position in range(len(factors.columns)):
        logs += evidence[forest.starts[position] + grid[:, position], row][:, None]
    return grid, np.exp(logs)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=150)
def test_every_belief_equals_enumeration(seed, smoothed):
    forest, evidence, class_evidence = random_forest(seed, smoothed)
    beliefs = calibrate(forest, evidence, class_evidence)
    for row in range(3):
        grid, joint = enumerated(forest, evidence, class_evidence, row)
        total = joint.sum()
        if total == 0:
            assert np.isneginf(beliefs.log_evidence[row])
            continue
        assert beliefs.log_evidence[row] == pytest.approx(np.log(total), abs=1e-10)
        np.testing.assert_allclose(beliefs.classes()[row], joint.sum(axis=0) / total, rtol=0, atol=1e-12)
        for position, mother in enumerate(forest.mothers):
            card = forest.cards[position]
            expected = np.array([joint[grid[:, position] == x].sum(axis=0) for x in range(card)]).T / total
            np.testing.assert_allclose(beliefs.with_class(position)[row], expected, rtol=0, atol=1e-12)
            np.testing.assert_allclose(
                beliefs.attribute(position)[row], expected.sum(axis=0), rtol=0, atol=1e-12
            )
            if mother >= 0:
                pairs = [
                    [
                        joint[(grid[:, position] == x) & (grid[:, mother] == u)].sum(axis=0)
                        for x in range(card)
                    ]
                    for u in range(forest.cards[mother])
                ]
                np.testing.assert_allclose(
                    beliefs.cluster(position)[row], np.moveaxis(pairs, 2, 0) / total, rtol=0, atol=1e-12
                )


def test_three_hundred_children_of_one_observed_mother_do_not_underflow():
    """Each child speaks against the mother's observed state; the product is far below the smallest float."""
    rng = np.random.default_rng(0)
    d, n = 400, 400
    mother = (rng.random(n) < 0.5).astype(np.uint8)
    codes = np.vstack([mother, np.tile(mother, (d, 1)) ^ (rng.random((d, n)) < 0.01)]).astype(np.uint8)
    y = np.arange(n) % 2
    fit = families(count(codes, y, (2,) * (d + 1), 2), range(d + 1), np.r_[-1, np.zeros(d, int)])
    forest = estimate(fit, 1.0)
    evidence = np.zeros((int(forest.starts[-1]), 1))
    for position in range(d + 1):
        seen = 0 if position == 0 else 1  # every child differs from what the mother says
        evidence[forest.starts[position] + 1 - seen] = -np.inf
    beliefs = calibrate(forest, evidence)
    assert beliefs.log_evidence[0] < -1000
    row = np.r_[0, np.ones(d)].astype(np.uint8)[:, None]
    expected = log_joint(forest, row)[0]
    assert beliefs.log_class[0] == pytest.approx(expected, rel=1e-12)
    assert beliefs.classes().sum() == pytest.approx(1, abs=1e-12)
