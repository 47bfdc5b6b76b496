"""Hierarchical smoothing, against rows that are truly left out and against its limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import pgm_nb as pnb
from pgm_nb.engine.sums import log_joint, normalise
from pgm_nb.tables.families import Families
from pgm_nb.tables.hierarchical import (
    CONCENTRATIONS,
    NEW,
    TRACE,
    Lean,
    estimate_hierarchical,
    kernel,
    smooth,
    smoothing_plan,
)

DEEP = arrays.arrays(np.int64, (2, 3, 2, 4), elements=st.integers(0, 6))
PAIRS = arrays.arrays(np.int64, (2, 3, 4), elements=st.integers(0, 6))
LEANS = (Lean(0.7), Lean(3.0), Lean(12.0))


def by_hand(counts, context, state, leans, ordered=0):
    """P(state | context) from the top down, one context and one state at a time."""
    v = counts.shape[-1]
    whole = counts.sum(axis=tuple(range(counts.ndim - 1)))
    estimate = (whole + TRACE / v) / (whole.sum() + TRACE)
    for depth, lean in enumerate(leans[: len(context)], 1):
        here = counts.sum(axis=tuple(range(depth, counts.ndim - 1)))[context[:depth]]
        if lean.spread:
            spread = sum(here[x] * kernel(v, ordered, lean.spread)[x] for x in range(v))
            estimate = (spread + lean.above * estimate) / (here.sum() + lean.above)
        estimate = (here + lean.concentration * estimate) / (here.sum() + lean.concentration)
    return estimate[state]


@settings(max_examples=30)
@given(DEEP)
def test_every_level_leans_on_the_one_above(counts):
    levels = smooth(counts, leans=LEANS)
    assert len(levels) == 4
    for depth, level in enumerate(levels):
        np.testing.assert_allclose(level.estimate.sum(axis=-1), 1)
        for cell in np.ndindex(*level.estimate.shape):
            expected = by_hand(counts, cell[:-1], cell[-1], LEANS[:depth])
            assert level.estimate[cell] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("leans", [LEANS, (Lean(0.7, 0.5, 2.0), Lean(3.0), Lean(2.0, 0.3, 9.0))])
@settings(max_examples=20)
@given(counts=DEEP)
def test_left_out_is_what_the_table_says_without_the_row(counts, leans):
    level = smooth(counts, 3, leans)[-1]
    for cell in np.argwhere(counts > 0):
        fewer = counts.copy()
        fewer[tuple(cell)] -= 1
        expected = by_hand(fewer, tuple(cell[:-1]), cell[-1], leans, ordered=3)
        assert level.left_out[tuple(cell)] == pytest.approx(expected, rel=1e-9)
    assert (level.left_out[counts == 0] == 0).all()


@settings(max_examples=30)
@given(arrays.arrays(np.int64, (2, 4), elements=st.integers(0, 9)).filter(lambda counts: counts.any()))
def test_the_concentration_makes_rows_left_out_most_likely(counts):
    rows = counts.sum(axis=1)

    def likelihood(a):
        level = smooth(counts, leans=[Lean(a)])[-1]
        held = counts > 0
        new = NEW * np.log(a / (rows[rows > 0] + a)).mean()
        return (counts[held] * np.log(level.left_out[held])).sum() + new

    chosen = smooth(counts)[-1].lean.concentration
    assert likelihood(chosen) == pytest.approx(max(map(likelihood, CONCENTRATIONS)), abs=1e-9)


@settings(max_examples=30)
@given(PAIRS)
def test_limits_of_the_concentration(counts):
    nothing, much = (smooth(counts, leans=[Lean(1.0), Lean(a)]) for a in (1e-9, 1e12))
    total = counts.sum(axis=-1, keepdims=True)
    shown = (total > 0)[..., 0]
    np.testing.assert_allclose(nothing[-1].estimate[shown], (counts / np.maximum(total, 1))[shown], atol=1e-8)
    above = np.broadcast_to(much[-2].estimate[:, None, :], counts.shape)
    np.testing.assert_allclose(much[-1].estimate, above, atol=1e-8)


def test_a_context_without_rows_is_what_the_level_above_says():
    counts = np.array([[[8, 2, 1], [0, 0, 0]], [[1, 5, 5], [2, 2, 9]]])
    levels = smooth(counts)
    np.testing.assert_allclose(levels[2].estimate[0, 1], levels[1].estimate[0])


def test_evidence_for_a_dependence_lowers_the_concentration():
    same = smooth(np.array([[[20, 20], [20, 20]]]))[-1].lean.concentration
    apart = smooth(np.array([[[40, 0], [0, 40]]]))[-1].lean.concentration
    assert same > 50
    assert apart < 1


def test_neighbours_help_where_the_order_means_something():
    rng = np.random.default_rng(0)
    truth = np.exp(-0.5 * ((np.arange(12) - np.array([[4.0], [7.0]])) / 2.5) ** 2)
    truth /= truth.sum(axis=1, keepdims=True)
    counts = np.array([rng.multinomial(60, p) for p in truth])
    with_order, without = (smooth(counts, order)[-1] for order in (12, 0))
    assert with_order.lean.spread > 0
    assert np.abs(with_order.estimate - truth).sum() < np.abs(without.estimate - truth).sum()


def test_missing_cells_are_nobodys_neighbours():
    spread = kernel(5, 4, 0.7)
    np.testing.assert_allclose(spread.sum(axis=1), 1)
    np.testing.assert_array_equal(spread[4], [0, 0, 0, 0, 1])
    np.testing.assert_array_equal(spread[:4, 4], 0)


def test_a_plan_gives_the_same_tables_again():
    families = pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("wdbc")).learned_.counts
    ordered = [5] * len(families.tables)
    chosen = estimate_hierarchical(families, ordered)
    again = estimate_hierarchical(families, ordered, smoothing_plan(families, ordered))
    for one, other in zip(chosen.tables, again.tables, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_allclose(np.exp(one).sum(axis=-1), 1)


def test_renaming_states_or_classes_changes_nothing():
    counts = np.array([[[8, 2, 1], [0, 3, 0]], [[1, 5, 5], [2, 2, 9]]])
    turned = smooth(counts[::-1, :, [2, 0, 1]])[-1].estimate
    np.testing.assert_allclose(turned, smooth(counts)[-1].estimate[::-1, :, [2, 0, 1]])


def test_all_feathered_animals_are_birds():
    """Of 101 animals the 20 with feathers are the 20 birds (the zoo of the UCI repository)."""
    animals = np.array([41, 20, 5, 13, 4, 8, 10])  # mammals, birds, reptiles, fish, amphibians, ...
    feathers = np.stack([animals, np.zeros(7, dtype=int)], axis=1)
    feathers[1] = 0, 20
    factors = estimate_hierarchical(Families(animals, (0,), (-1,), (feathers,)))
    posterior = np.exp(normalise(log_joint(factors, np.array([[1]], dtype=np.uint8)), factors.log_prior))
    assert posterior[0, 1] > 0.95


def test_a_state_nobody_has_is_possible():
    factors = estimate_hierarchical(Families(np.array([3, 4]), (0,), (-1,), (np.array([[3, 0], [4, 0]]),)))
    assert np.isfinite(factors.tables[0]).all()


@pytest.mark.parametrize("ordered", [(), (0, 3, 4)])
def test_a_plan_gives_the_same_tables_to_the_last_digit(ordered):
    rng = np.random.default_rng(5)
    tables = (rng.integers(0, 9, (2, 3)), rng.integers(0, 5, (2, 3, 4)), rng.integers(0, 3, (2, 4, 5)))
    counts = Families(tables[0].sum(axis=1), (0, 1, 2), (-1, 0, 1), tables)
    planned = estimate_hierarchical(counts, ordered, smoothing_plan(counts, ordered))
    for one, other in zip(estimate_hierarchical(counts, ordered).tables, planned.tables, strict=True):
        np.testing.assert_array_equal(one, other)


def test_weights_below_one_row_leave_nothing_out():
    counts = np.array([[0.3, 1.5, 0.0], [0.2, 0.4, 2.5]])
    top, level = smooth(counts, leans=[Lean(4.0)])
    whole = counts.sum(axis=0)
    above = (np.maximum(whole - 1, 0) + TRACE / 3) / (max(whole.sum() - 1, 0) + TRACE)
    np.testing.assert_allclose(top.left_out, above, rtol=1e-12)
    rows = np.maximum(counts.sum(axis=1, keepdims=True) - 1, 0)
    expected = (np.maximum(counts - 1, 0) + 4 * above) / (rows + 4)
    np.testing.assert_allclose(level.left_out, np.where(counts > 0, expected, 0), rtol=1e-12)


def test_the_classes_share_one_imaginary_row():
    y = np.array([6, 3, 0])
    found = estimate_hierarchical(Families(y, (0,), (-1,), (np.array([[6], [3], [0]]),))).log_prior
    np.testing.assert_allclose(np.exp(found), (y + 1 / 3) / 10, rtol=1e-12)
