"""What each attribute adds to the score of a forest: exact marginals, whatever is unknown."""

import numpy as np
import pytest

from pgm_nb.inference import Factors, log_joint, terms
from pgm_nb.inference.terms import forest_terms, forest_terms_of


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


class TestForestTerms:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("unknown", [0.0, 0.3, 0.7, 1.0])
    def test_every_prefix_is_an_exact_marginal(self, seed, unknown):
        rng = np.random.default_rng(seed)
        factors, cards = random_forest(rng)
        codes = rng.integers(0, cards[:, None], (len(cards), 60))
        codes = np.where(rng.random(codes.shape) < unknown, cards[:, None], codes).astype(np.uint8)
        sums = factors.log_prior + np.cumsum(forest_terms(factors, codes), axis=1)
        for size in range(1, len(cards) + 1):
            assert sums[:, size - 1] == pytest.approx(log_joint(prefix(factors, size), codes), abs=1e-12)

    def test_an_unknown_attribute_adds_nothing_at_all(self):
        factors, cards = random_forest(np.random.default_rng(0))
        codes = np.random.default_rng(1).integers(0, cards[:, None], (len(cards), 20))
        codes[3] = cards[3]
        terms = forest_terms(factors, codes.astype(np.uint8))
        assert (terms[:, 3] == 0).all()
        assert (terms[:, 0] != 0).all()

    def test_by_hand(self):
        # P(a|y) = .5 .5; P(b|a,y): a=0 -> .9 .1, a=1 -> .2 .8, the same in both classes
        a, b = np.log(np.full((2, 2), 0.5)), np.log(np.array([[[0.9, 0.1], [0.2, 0.8]]] * 2))
        factors = Factors(np.log([0.5, 0.5]), (0, 1), (-1, 0), (a, b))
        terms = np.exp(forest_terms(factors, np.array([[0, 2, 2], [1, 0, 2]], dtype=np.uint8)))
        assert terms[:, :, 0] == pytest.approx(np.array([[0.5, 0.1], [1, 0.55], [1, 1]]))

    def test_impossible_states_stay_impossible(self):
        with np.errstate(divide="ignore"):
            a = np.log(np.array([[1.0, 0.0], [0.5, 0.5]]))
            b = np.log(np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [1.0, 0.0]]]))
            c = np.log(np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]]))
        factors = Factors(np.log([0.5, 0.5]), (0, 1, 2), (-1, 0, 1), (a, b, c))
        codes = np.array(np.meshgrid([0, 1, 2], [0, 1, 2], [0, 1, 2])).reshape(3, -1).astype(np.uint8)
        sums = factors.log_prior + forest_terms(factors, codes).sum(axis=1)
        expected = log_joint(factors, codes)
        assert np.isneginf(expected).any()
        np.testing.assert_allclose(sums, expected, rtol=0, atol=1e-12)

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
        found = forest_terms_of([factors, other], which, codes)
        for number, one in enumerate([factors, other]):
            here = which == number
            expected = forest_terms(one, codes[:, here])
            np.testing.assert_allclose(found[here], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("unknown", [0.0, 0.6])
def test_many_rows_of_a_training_are_taken_apart_by_the_compiled_kernel(monkeypatch, unknown):
    rng = np.random.default_rng(4)
    factors, cards = random_forest(rng)
    codes = rng.integers(0, cards[:, None], (len(cards), 40))
    codes = np.where(rng.random(codes.shape) < unknown, cards[:, None], codes).astype(np.uint8)
    plain = forest_terms(factors, codes)
    called = []
    whole = terms.clique_terms_of
    monkeypatch.setattr(terms, "clique_terms_of", lambda *given: called.append(given) or whole(*given))
    which = np.zeros(40, dtype=np.intp)
    np.testing.assert_array_equal(forest_terms_of([factors], which, codes, "steady"), plain)
    assert not called  # forty rows are few
    monkeypatch.setattr(terms, "_TIMES", 1e9)
    monkeypatch.setattr(terms.COMPILED.__class__, "is_warm", lambda self: True)
    np.testing.assert_allclose(forest_terms_of([factors], which, codes, "steady"), plain, rtol=0, atol=1e-12)
    assert called


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
    found = forest_terms_of(several, which, codes)
    for row, (a, b, c) in enumerate(codes.T.tolist()):
        one, two, three = several[which[row]].tables
        np.testing.assert_allclose(found[row], [one[:, a], two[:, a, b], three[:, b, c]], atol=1e-12)


def test_sums_of_numbers_far_apart():
    """P(b0 | a0) = 1 and P(b0 | a1) = exp(-900): the sum over a is P(a0)."""
    factors = chain_of(np.random.default_rng(2), far=True)
    codes = np.array([[2], [0], [4]], dtype=np.uint8)  # a is unknown, b is its first state
    found = forest_terms(factors, codes)[0].sum(axis=0)
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
        terms = forest_terms(factors, np.array(row, dtype=np.uint8)[:, None])[0]
        assert not np.isnan(terms).any()
        np.testing.assert_allclose(np.exp(terms.sum(axis=0)), part, rtol=0, atol=1e-12)


def test_what_is_impossible_stays_so_whatever_else_is_known():
    """The first child of an unknown mother cannot be in the first class; the second child can."""
    with np.errstate(divide="ignore"):
        first = np.log(np.array([[[0.0, 1.0]] * 2, [[0.5, 0.5]] * 2]))
    second = np.log(np.array([[[0.3, 0.7]] * 2, [[0.2, 0.8]] * 2]))
    factors = Factors(
        np.log([0.5, 0.5]), (0, 1, 2), (-1, 0, 0), (np.log(np.full((2, 2), 0.5)), first, second)
    )
    found = forest_terms(factors, np.array([[2], [0], [0]], dtype=np.uint8))[0]
    assert found[:, 0].tolist() == [0.0, -np.inf, -np.inf]
    np.testing.assert_allclose(found[:, 1], np.log([1.0, 0.5, 0.2]), rtol=0, atol=1e-12)


def test_sums_all_of_whose_terms_are_beyond_the_range_of_numbers():
    """b is unknown; beside the second state of a, c is all but impossible whichever state b has."""
    even, far = np.log(np.full((2, 2), 0.5)), np.array([[0.0, -900.0], [-900.0, 0.0]])
    tables = (even, np.stack([far, far]), np.stack([far, far - 1.0]), np.stack([even, even]))
    factors = Factors(np.log([0.5, 0.5]), (0, 1, 2, 3), (-1, 0, 1, 1), tables)
    codes = np.array([[1, 2], [2, 2], [0, 0], [0, 0]], dtype=np.uint8)
    found = forest_terms(factors, codes).sum(axis=1)
    three = [np.log(0.25) + np.logaddexp(-900, -900), np.log(0.25) + np.logaddexp(-900, -900) - 1]
    both = [np.log(0.25), np.log(0.25) - 1]  # the first state of a has the first of b beside it
    np.testing.assert_allclose(found, [three, both], rtol=0, atol=1e-9)
