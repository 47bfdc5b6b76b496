"""Unknown attributes summed out by compiled code, by NumPy and by enumeration."""

from itertools import product

import numpy as np
import pytest

from pgm_nb.inference import Factors
from pgm_nb.inference.incomplete import lay_out, sum_out


def a_forest(rng, d, v, k, mothers=None, zeros=0.0):
    """Return random tables; some cells are impossible."""
    above = tuple(int(rng.integers(-1, i)) for i in range(d)) if mothers is None else mothers
    cards = rng.integers(2, v + 1, d)
    tables = []
    for i, mother in enumerate(above):
        shape = (k, cards[i]) if mother < 0 else (k, cards[mother], cards[i])
        chances = rng.random(shape) * (rng.random(shape) >= zeros) + 1e-300
        with np.errstate(divide="ignore"):
            table = np.log(chances / chances.sum(axis=-1, keepdims=True))
        table[table < -600] = -np.inf
        if zeros and mother >= 0:
            table[0, 0] = -np.inf  # a context that no row had
        tables.append(table)
    prior = np.log(rng.dirichlet(np.ones(k)))
    return Factors(prior, tuple(range(d)), above, tuple(tables)), cards


def by_enumeration(factors, cards, row):
    """Sum the joint probability over all values of the unknown attributes."""
    choices = [range(card) if code >= card else [code] for code, card in zip(row, cards, strict=True)]
    total = np.zeros(len(factors.log_prior))
    for values in product(*choices):
        logs = factors.log_prior.copy()
        for i, (mother, table) in enumerate(zip(factors.mothers, factors.tables, strict=True)):
            logs = logs + (table[:, values[i]] if mother < 0 else table[:, values[mother], values[i]])
        total += np.exp(logs)
    with np.errstate(divide="ignore"):
        return np.log(total)


@pytest.mark.parametrize("zeros", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(10))
def test_both_kernels_equal_enumeration(seed, zeros):
    rng = np.random.default_rng(seed)
    factors, cards = a_forest(rng, 6, 3, 2, zeros=zeros)
    codes = np.array([rng.integers(0, card + 1, 40) for card in cards], dtype=np.uint8)
    expected = np.array([by_enumeration(factors, cards, row) for row in codes.T])
    for kernel in ("numpy", "compiled"):
        found = np.empty((40, 2))
        sum_out(factors, codes, found, kernel)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize(("d", "v", "k", "shares"), [(40, 5, 2, 0.3), (30, 12, 4, 0.6), (400, 3, 3, 0.3)])
def test_compiled_and_numpy_agree_on_large_trees(d, v, k, shares):
    rng = np.random.default_rng(d)
    factors, cards = a_forest(rng, d, v, k)
    codes = np.array([rng.integers(0, card, 500) for card in cards], dtype=np.uint8)
    codes = np.where(rng.random(codes.shape) < shares, cards[:, None].astype(np.uint8), codes)
    found = {kernel: np.empty((500, k)) for kernel in ("numpy", "compiled")}
    for kernel, result in found.items():
        sum_out(factors, codes, result, kernel)
    np.testing.assert_allclose(found["compiled"], found["numpy"], rtol=1e-13, atol=1e-11)


def test_a_mother_with_a_thousand_children_does_not_underflow():
    rng = np.random.default_rng(0)
    factors, cards = a_forest(rng, 1_001, 4, 2, mothers=(-1, *(0,) * 1_000))
    codes = np.array([rng.integers(0, card, 20) for card in cards], dtype=np.uint8)
    codes[0] = cards[0]
    found = {kernel: np.empty((20, 2)) for kernel in ("numpy", "compiled")}
    for kernel, result in found.items():
        sum_out(factors, codes, result, kernel)
    assert np.isfinite(found["compiled"]).all()
    np.testing.assert_allclose(found["compiled"], found["numpy"], rtol=1e-12)


def test_a_star_needs_no_messages():
    rng = np.random.default_rng(1)
    factors, cards = a_forest(rng, 5, 4, 3, mothers=(-1,) * 5)
    codes = np.array([rng.integers(0, card + 1, 30) for card in cards], dtype=np.uint8)
    found = np.empty((30, 3))
    sum_out(factors, codes, found)
    np.testing.assert_allclose(found, [by_enumeration(factors, cards, row) for row in codes.T], atol=1e-12)


def test_whole_is_a_table_whose_states_add_up_under_every_state_of_the_mother():
    even, states, mothers = [[0.5, 0.5]], [[[0.9, 0.1], [0.2, 0.8]]], [[[0.6, 0.7], [0.4, 0.3]]]
    tables = tuple(np.log(np.array(table)) for table in (even, states, mothers))
    assert lay_out(Factors(np.zeros(1), (0, 1, 2), (-1, 0, 0), tables)).whole.tolist() == [1, 1, 0]


@pytest.mark.parametrize(("rare", "children"), [(1e-4, 160), (1e-4, 400), (1e-40, 40)])
def test_a_state_that_was_all_but_ruled_out_may_come_back(rare, children):
    """The first half of the children speak for one state of their mother, the others for the other."""
    pair = np.log(np.array([[[rare, 1 - rare], [1 - rare, rare]]]))
    factors = Factors(
        np.zeros(1),
        tuple(range(children + 1)),
        (-1, *(0,) * children),
        (np.log([[0.3, 0.7]]), *(pair,) * children),
    )
    codes = np.zeros((children + 1, 3), dtype=np.uint8)
    codes[0] = 2
    for row, first in enumerate((children // 2, children // 2 - 1, children // 2 + 1)):
        codes[1 + first :, row] = 1
    for kernel in ("numpy", "compiled"):
        found = np.empty((3, 1))
        sum_out(factors, codes, found, kernel)
        one, other = np.log(rare), np.log1p(-rare)
        first = np.array([0, -1, 1]) + children // 2
        each = np.log([0.3, 0.7])[:, None] + [
            first * one + (children - first) * other,
            (children - first) * one + first * other,
        ]
        np.testing.assert_allclose(found[:, 0], np.logaddexp(*each), rtol=1e-12)


@pytest.mark.parametrize("far", [-250.0, -500.0, -740.0, -900.0])
def test_what_is_nearly_impossible_is_not_impossible(far):
    """a, then b and c given a, then d given b: every cell of b and c away from the diagonal is exp(far)."""
    pair = np.array([[[0.0, far], [far, 0.0]]])
    last = np.log(np.array([[[0.3, 0.7], [0.6, 0.4]]]))
    factors = Factors(np.zeros(1), (0, 1, 2, 3), (-1, 0, 0, 1), (np.log([[0.5, 0.5]]), pair, pair, last))
    codes = np.array([*product((0, 1, 2), repeat=4)], dtype=np.uint8).T
    found = {kernel: np.empty((codes.shape[1], 1)) for kernel in ("numpy", "compiled")}
    for kernel, result in found.items():
        sum_out(factors, codes, result, kernel)
    assert np.isfinite(found["numpy"]).all()
    assert found["numpy"].min() < 2 * far
    np.testing.assert_allclose(found["compiled"], found["numpy"], rtol=1e-12, atol=1e-12)
