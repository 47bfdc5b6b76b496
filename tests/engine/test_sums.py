"""The engine: unknown attributes summed out by compiled code, by NumPy and by enumeration."""

from itertools import product

import numpy as np
import pytest

from pgm_nb.engine.sums import log_joint, terms, terms_of
from pgm_nb.tables.factors import Factors


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
        found = log_joint(factors, codes, kernel)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize(("d", "v", "k", "shares"), [(40, 5, 2, 0.3), (30, 12, 4, 0.6), (400, 3, 3, 0.3)])
def test_compiled_and_numpy_agree_on_large_trees(d, v, k, shares):
    rng = np.random.default_rng(d)
    factors, cards = a_forest(rng, d, v, k)
    codes = np.array([rng.integers(0, card, 500) for card in cards], dtype=np.uint8)
    codes = np.where(rng.random(codes.shape) < shares, cards[:, None].astype(np.uint8), codes)
    found = {kernel: log_joint(factors, codes, kernel) for kernel in ("numpy", "compiled")}
    np.testing.assert_allclose(found["compiled"], found["numpy"], rtol=1e-13, atol=1e-11)


def test_a_mother_with_a_thousand_children_does_not_underflow():
    rng = np.random.default_rng(0)
    factors, cards = a_forest(rng, 1_001, 4, 2, mothers=(-1, *(0,) * 1_000))
    codes = np.array([rng.integers(0, card, 20) for card in cards], dtype=np.uint8)
    codes[0] = cards[0]
    found = {kernel: log_joint(factors, codes, kernel) for kernel in ("numpy", "compiled")}
    assert np.isfinite(found["compiled"]).all()
    np.testing.assert_allclose(found["compiled"], found["numpy"], rtol=1e-12)


def test_whole_is_a_table_whose_states_add_up_under_every_state_of_the_mother():
    even, states, mothers = [[0.5, 0.5]], [[[0.9, 0.1], [0.2, 0.8]]], [[[0.6, 0.7], [0.4, 0.3]]]
    tables = tuple(np.log(np.array(table)) for table in (even, states, mothers))
    assert Factors(np.zeros(1), (0, 1, 2), (-1, 0, 0), tables).whole.tolist() == [True, True, False]


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
        found = log_joint(factors, codes, kernel)
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
    found = {kernel: log_joint(factors, codes, kernel) for kernel in ("numpy", "compiled")}
    assert np.isfinite(found["numpy"]).all()
    assert found["numpy"].min() < 2 * far
    np.testing.assert_allclose(found["compiled"], found["numpy"], rtol=1e-12, atol=1e-12)


def three(pair):
    """Attributes a, b given a, and c given both, with two states each."""
    first = np.log([[0.3, 0.7], [0.6, 0.4]])
    second = np.log(np.full((2, 2, 2), 0.5))
    third = np.broadcast_to(np.array(pair)[None, :, None, :], (2, 2, 2, 2)).copy()
    return Factors(np.log([0.5, 0.5]), (0, 1, 2), (-1, 0, 0), (first, second, third), ((), (), (1,)))


@pytest.mark.parametrize(("state", "kept"), [(0, 0), (1, 1)])
def test_the_larger_number_decides(state, kept):
    """c = 0 is certain under a = 0 and all but impossible under a = 1; c = 1 the other way round."""
    factors = three([[0.0, -900.0], [-900.0, 0.0]])
    codes = np.array([[2], [1], [state]], dtype=np.uint8)  # a is unknown
    found = terms(factors, codes)[0].sum(axis=0)
    np.testing.assert_allclose(found, factors.tables[0][:, kept] + np.log(0.5), rtol=0, atol=1e-9)


def test_a_sum_of_numbers_that_are_all_too_small():
    factors = three([[-900.0, 0.0], [-900.0, 0.0]])
    codes = np.array([[2], [1], [0]], dtype=np.uint8)
    found = terms(factors, codes)[0].sum(axis=0)
    np.testing.assert_allclose(found, np.log(0.5) - 900, rtol=0, atol=1e-9)


def test_the_state_that_fits_is_all_but_impossible_itself():
    """P(a = 1) and P(c | a = 0) are both exp(-900): two terms of the same size remain."""
    factors = three([[-900.0, 0.0], [0.0, -900.0]])
    first = np.array([[0.0, -900.0], [0.0, -900.0]])
    factors = Factors(
        factors.log_prior, factors.columns, factors.mothers, (first, *factors.tables[1:]), factors.others
    )
    codes = np.array([[2], [1], [0]], dtype=np.uint8)
    found = terms(factors, codes)[0].sum(axis=0)
    np.testing.assert_allclose(found, np.log(2) + np.log(0.5) - 900, rtol=0, atol=1e-9)


def test_an_unknown_attribute_adds_the_sum_of_its_table():
    """Nothing where that is one; here it is 0.7 under a = 0 and 0.2 under a = 1."""
    factors = three(np.log([[0.3, 0.4], [0.1, 0.1]]))
    codes = np.array([[0, 1, 2], [1, 1, 1], [2, 2, 2]], dtype=np.uint8)
    found = terms(factors, codes).sum(axis=1)
    chances = np.exp(factors.tables[0]) * [0.7, 0.2]
    expected = np.array([chances[:, 0], chances[:, 1], chances.sum(axis=1)]) * 0.5
    np.testing.assert_allclose(found, np.log(expected), rtol=0, atol=1e-12)


def test_a_sum_too_small_beside_one_that_is_not():
    """c = 0 is certain under a = 0; under a = 1, which is known, it is all but impossible whatever b is."""
    factors = three([[0.0, -900.0], [-900.0, 0.0]])
    codes = np.array([[1], [2], [0]], dtype=np.uint8)  # b is unknown
    for kernel in ("numpy", "compiled"):
        found = terms(factors, codes, kernel)[0].sum(axis=0)
        np.testing.assert_allclose(found, factors.tables[0][:, 1] - 900, rtol=0, atol=1e-9)


def random_forest(rng, d=7, k=3):
    """A random forest over attributes with two to four states, in an order with mothers first."""
    cards = rng.integers(2, 5, d)
    mothers = [-1] + [int(rng.integers(-1, i)) for i in range(1, d)]
    tables = []
    for i, mother in enumerate(mothers):
        shape = (k, cards[i]) if mother < 0 else (k, cards[mother], cards[i])
        table = rng.dirichlet(np.ones(cards[i]), size=shape[:-1])
        tables.append(np.log(table))
    return Factors(np.log(rng.dirichlet(np.ones(k))), tuple(range(d)), tuple(mothers), tuple(tables)), cards


def prefix(factors, size):
    return Factors(factors.log_prior, factors.columns[:size], factors.mothers[:size], factors.tables[:size])


class TestTerms:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("unknown", [0.0, 0.3, 0.7, 1.0])
    def test_every_prefix_is_an_exact_marginal(self, seed, unknown):
        rng = np.random.default_rng(seed)
        factors, cards = random_forest(rng)
        codes = rng.integers(0, cards[:, None], (len(cards), 60))
        codes = np.where(rng.random(codes.shape) < unknown, cards[:, None], codes).astype(np.uint8)
        total = factors.log_prior + np.cumsum(terms(factors, codes), axis=1)
        for size in range(1, len(cards) + 1):
            assert total[:, size - 1] == pytest.approx(log_joint(prefix(factors, size), codes), abs=1e-12)

    def test_an_unknown_attribute_adds_nothing_at_all(self):
        factors, cards = random_forest(np.random.default_rng(0))
        codes = np.random.default_rng(1).integers(0, cards[:, None], (len(cards), 20))
        codes[3] = cards[3]
        found = terms(factors, codes.astype(np.uint8))
        assert (found[:, 3] == 0).all()
        assert (found[:, 0] != 0).all()

    def test_by_hand(self):
        # P(a|y) = .5 .5; P(b|a,y): a=0 -> .9 .1, a=1 -> .2 .8, the same in both classes
        a, b = np.log(np.full((2, 2), 0.5)), np.log(np.array([[[0.9, 0.1], [0.2, 0.8]]] * 2))
        factors = Factors(np.log([0.5, 0.5]), (0, 1), (-1, 0), (a, b))
        found = np.exp(terms(factors, np.array([[0, 2, 2], [1, 0, 2]], dtype=np.uint8)))
        assert found[:, :, 0] == pytest.approx(np.array([[0.5, 0.1], [1, 0.55], [1, 1]]))

    def test_impossible_states_stay_impossible(self):
        with np.errstate(divide="ignore"):
            a = np.log(np.array([[1.0, 0.0], [0.5, 0.5]]))
            b = np.log(np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [1.0, 0.0]]]))
            c = np.log(np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]]))
        factors = Factors(np.log([0.5, 0.5]), (0, 1, 2), (-1, 0, 1), (a, b, c))
        codes = np.array(np.meshgrid([0, 1, 2], [0, 1, 2], [0, 1, 2])).reshape(3, -1).astype(np.uint8)
        total = factors.log_prior + terms(factors, codes).sum(axis=1)
        expected = log_joint(factors, codes)
        assert np.isneginf(expected).any()
        np.testing.assert_allclose(total, expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("unknown", [0.0, 0.5])
    def test_rows_scored_by_models_of_their_own(self, unknown):
        rng = np.random.default_rng(3)
        factors, cards = random_forest(rng)
        other = Factors(
            factors.log_prior,
            factors.columns,
            factors.mothers,
            tuple(
                np.log(rng.dirichlet(np.ones(table.shape[-1]), size=table.shape[:-1]))
                for table in factors.tables
            ),
        )
        codes = rng.integers(0, cards[:, None], (len(cards), 50))
        codes = np.where(rng.random(codes.shape) < unknown, cards[:, None], codes).astype(np.uint8)
        which = rng.integers(0, 2, 50)
        found = terms_of([factors, other], which, codes)
        for number, one in enumerate([factors, other]):
            here = which == number
            expected = terms(one, codes[:, here])
            np.testing.assert_allclose(found[here], expected, rtol=0, atol=1e-12)


def chain_of(rng, k=2, cards=(2, 3, 4), far=False):
    """A chain; `far`: with a probability beyond the range of floating numbers."""
    shapes = ((k, cards[0]), (k, cards[0], cards[1]), (k, cards[1], cards[2]))
    tables = [np.log(rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])) for shape in shapes]
    if far:
        tables[1][:, :, 0] = [0.0, -900.0]
    return Factors(np.log(rng.dirichlet(np.ones(k))), (0, 1, 2), (-1, 0, 1), tuple(tables))


def test_each_row_has_the_entries_of_its_own_model():
    rng = np.random.default_rng(1)
    several = [chain_of(rng) for _ in range(4)]
    codes = np.array([*np.ndindex(2, 3, 4)], dtype=np.uint8).T
    which = np.arange(24) % 4
    found = terms_of(several, which, codes)
    for row, (a, b, c) in enumerate(codes.T.tolist()):
        one, two, three = several[which[row]].tables
        np.testing.assert_allclose(found[row], [one[:, a], two[:, a, b], three[:, b, c]], atol=1e-12)


def test_sums_of_numbers_far_apart():
    """P(b0 | a0) = 1 and P(b0 | a1) = exp(-900): the sum over a is P(a0)."""
    factors = chain_of(np.random.default_rng(2), far=True)
    codes = np.array([[2], [0], [4]], dtype=np.uint8)  # a is unknown, b is its first state
    found = terms(factors, codes)[0].sum(axis=0)
    np.testing.assert_allclose(found, factors.tables[0][:, 0], rtol=0, atol=1e-9)


def test_states_that_cannot_be_leave_no_gap_in_the_terms():
    factors = chain_of(np.random.default_rng(3))
    with np.errstate(divide="ignore"):
        tables = [np.log(np.where(np.exp(table) < 0.3, 0.0, np.exp(table))) for table in factors.tables]
    factors = Factors(factors.log_prior, (0, 1, 2), (-1, 0, 1), tuple(tables))
    one, two, three = (np.exp(table) for table in tables)
    joint = one[:, :, None, None] * two[..., None] * three[:, None]
    for row in np.ndindex(3, 4, 5):
        index = tuple(slice(None) if x == v else x for x, v in zip(row, (2, 3, 4), strict=True))
        part = joint[(slice(None), *index)].reshape(2, -1).sum(axis=1)
        found = terms(factors, np.array(row, dtype=np.uint8)[:, None])[0]
        assert not np.isnan(found).any()
        np.testing.assert_allclose(np.exp(found.sum(axis=0)), part, rtol=0, atol=1e-12)


def test_what_is_impossible_stays_so_whatever_else_is_known():
    """The first child of an unknown mother cannot be in the first class; the second child can."""
    with np.errstate(divide="ignore"):
        first = np.log(np.array([[[0.0, 1.0]] * 2, [[0.5, 0.5]] * 2]))
    second = np.log(np.array([[[0.3, 0.7]] * 2, [[0.2, 0.8]] * 2]))
    factors = Factors(
        np.log([0.5, 0.5]), (0, 1, 2), (-1, 0, 0), (np.log(np.full((2, 2), 0.5)), first, second)
    )
    found = terms(factors, np.array([[2], [0], [0]], dtype=np.uint8))[0]
    assert found[:, 0].tolist() == [0.0, -np.inf, -np.inf]
    np.testing.assert_allclose(found[:, 1], np.log([1.0, 0.5, 0.2]), rtol=0, atol=1e-12)


def test_sums_all_of_whose_terms_are_beyond_the_range_of_numbers():
    """b is unknown; beside the second state of a, c is all but impossible whichever state b has."""
    even, far = np.log(np.full((2, 2), 0.5)), np.array([[0.0, -900.0], [-900.0, 0.0]])
    tables = (even, np.stack([far, far]), np.stack([far, far - 1.0]), np.stack([even, even]))
    factors = Factors(np.log([0.5, 0.5]), (0, 1, 2, 3), (-1, 0, 1, 1), tables)
    codes = np.array([[1, 2], [2, 2], [0, 0], [0, 0]], dtype=np.uint8)
    found = terms(factors, codes).sum(axis=1)
    three = [np.log(0.25) + np.logaddexp(-900, -900), np.log(0.25) + np.logaddexp(-900, -900) - 1]
    both = [np.log(0.25), np.log(0.25) - 1]  # the first state of a has the first of b beside it
    np.testing.assert_allclose(found, [three, both], rtol=0, atol=1e-9)
