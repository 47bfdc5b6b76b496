"""The kernel for attributes with up to two mothers: every pattern of unknown cells, against the joint."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from pgm_nb.inference import chordal
from pgm_nb.inference.chordal import COMPILED, add_up, lay_out, untrained
from pgm_nb.inference.class_parameters import ClassParameters, class_terms
from pgm_nb.inference.class_rows import class_scores
from pgm_nb.inference.cliques import clique_terms
from pgm_nb.inference.factors import Factors, log_joint

GRAPHS = {
    "path": ((), (0,), (1, 0), (2, 1), (2, 3), (4, 3)),
    "fan": ((), (0,), (1, 0), (0, 1), (0, 1), (2, 1)),
    "mixed": ((), (0,), (0,), (2, 0), (3, 2), (3,)),
    "apart": ((), (), (0,), (2, 0), (1,), (4, 1)),
}
CARDS = (2, 3, 5, 2, 4, 3)
STATES = np.array([*itertools.product(*map(range, CARDS))]).T


def factors_of(given, cards=CARDS, seed=0, k=2, rare=()):
    rng = np.random.default_rng(seed)
    tables = []
    for i, mothers in enumerate(given):
        chances = rng.dirichlet(np.ones(cards[i]), (k, *(cards[m] for m in mothers)))
        if i in rare:  # a first state that is all but impossible
            chances[..., 0] = 1e-150
            chances /= chances.sum(axis=-1, keepdims=True)
        tables.append(np.log(chances))
    first = tuple(mothers[0] if mothers else -1 for mothers in given)
    prior = np.log(rng.dirichlet(np.ones(k)))
    return Factors(prior, tuple(range(len(given))), first, tuple(tables), tuple(m[1:] for m in given))


def every_pattern(seed=1):
    rng, cards = np.random.default_rng(seed), np.array(CARDS)
    patterns = np.array([*itertools.product([False, True], repeat=6)]).T
    states = np.array([rng.integers(0, card, 64) for card in cards])
    return np.where(patterns, cards[:, None], states).astype(np.uint8)


def summed(factors, codes):
    """Log P(y, known attributes) from the full joint table."""
    joint = np.repeat(factors.log_prior[None], STATES.shape[1], axis=0)
    for i, (table, mothers) in enumerate(zip(factors.tables, factors.given, strict=True)):
        joint += table[(slice(None), *STATES[list(mothers)], STATES[i])].T
    found = []
    for row in codes.T:
        fits = ((row[:, None] == STATES) | (row >= CARDS)[:, None]).all(axis=0)
        found.append(np.logaddexp.reduce(joint[fits], axis=0))
    return np.array(found)


@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_every_pattern_of_unknown_cells(monkeypatch, name, levels):
    monkeypatch.setattr(chordal, "LEVELS", levels)
    factors, codes = factors_of(GRAPHS[name], k=3), every_pattern()
    result = np.empty((codes.shape[1], 3))
    left = add_up(factors, untrained(factors), codes, result)
    assert len(left) == 0
    np.testing.assert_allclose(result, summed(factors, codes), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", GRAPHS)
def test_rows_near_zero_are_left_to_sums_of_logarithms(name):
    factors, codes = factors_of(GRAPHS[name], rare=(1, 3, 4, 5)), every_pattern()
    codes[:, 32:] = np.where(codes[:, 32:] < np.array(CARDS)[:, None], 0, codes[:, 32:])
    result = np.full((64, 2), np.nan)
    left = add_up(factors, untrained(factors), codes, result)
    assert 0 < len(left) < 64
    COMPILED.load()  # then it is chosen
    np.testing.assert_allclose(log_joint(factors, codes), summed(factors, codes), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("d", "most", "k"), [(40, 6, 2), (25, 11, 3), (12, 1, 1)])
def test_many_attributes_and_states(d, most, k):
    rng = np.random.default_rng(d)
    given = [(), (0,)]
    for i in range(2, d):
        cluster = (*given[j := int(rng.integers(max(1, i - 6), i))], j)
        given.append(tuple(int(m) for m in rng.permutation(cluster)[: int(rng.integers(1, 3))]))
    cards = rng.integers(1, most + 1, d)
    factors = factors_of(given, cards, k=k)
    codes = np.array([rng.integers(0, v, 200) for v in cards], dtype=np.uint8)
    codes = np.where(rng.random(codes.shape) < rng.random(200), cards[:, None], codes)
    result = np.empty((200, k))
    assert len(add_up(factors, untrained(factors), codes, result)) == 0
    expected = factors.log_prior + clique_terms(factors, codes, "numpy").sum(axis=1)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("rare", [(), (2, 4, 5)])
@pytest.mark.parametrize("name", GRAPHS)
def test_scores_trained_for_the_class(name, rare):
    rng = np.random.default_rng(3)
    factors, codes = factors_of(GRAPHS[name], rare=rare), every_pattern()
    codes = codes[:, 1:]  # the first row is complete
    parameters = ClassParameters(
        known=np.array([1.0, 3.0, 6.0]),
        bias=rng.normal(size=(3, 2)),
        weights=rng.random((3, 6)),
        fades=np.array([0.0, 0.4, 1.0]),
        mains=tuple(rng.normal(size=(2, card)) for card in CARDS),
        cells=tuple(rng.normal(size=table.shape) for table in factors.tables),
    )
    base, terms = class_terms(parameters, factors, codes)
    found = class_scores(parameters, factors, codes, "compiled")
    np.testing.assert_allclose(found, base + terms.sum(axis=1), rtol=1e-12, atol=1e-11)


def test_what_the_kernel_cannot_take():
    factors = factors_of(GRAPHS["path"])
    assert lay_out(factors) is not None
    impossible = [table.copy() for table in factors.tables]
    impossible[3][0, 0, 0] = [-np.inf, 0.0]
    assert lay_out(replace(factors, tables=tuple(impossible))) is None
    assert lay_out(replace(factors, tables=(factors.tables[0] - 0.1, *factors.tables[1:]))) is None
    assert lay_out(factors_of(((), (0,), (1, 0), (2, 1, 0)), CARDS[:4])) is None


def test_pieces_give_the_same_numbers_as_the_whole():
    factors, codes = factors_of(GRAPHS["mixed"]), np.tile(every_pattern(), 40)
    trained, whole = untrained(factors), np.empty((codes.shape[1], 2))
    add_up(factors, trained, codes, whole)
    for rows in (slice(0, 1), slice(7, 91), slice(100, None)):
        part = np.empty((len(whole[rows]), 2))
        add_up(factors, trained, codes[:, rows], part)
        np.testing.assert_array_equal(part, whole[rows])
