"""Draws of tables: kept or made anew, and what single values add under each."""

import pickle

import numpy as np
import pytest

from pgm_nb.certainty.draws import TableDraws, TablePosterior, drawn_terms, in_play, supposed
from pgm_nb.engine.sums import terms as forest_terms
from pgm_nb.tables.families import Families


def some_counts(rng, d=7):
    """Counts of a tree with two classes."""
    cards = rng.integers(2, 5, size=d)
    mothers = (-1, *(int(rng.integers(-1, i)) for i in range(1, d)))
    shapes = [(2, cards[i]) if m < 0 else (2, cards[m], cards[i]) for i, m in enumerate(mothers)]
    tables = tuple(rng.integers(0, 12, size=shape) for shape in shapes)
    return Families(np.array([40, 70]), tuple(range(d)), mothers, tables)


@pytest.mark.parametrize("seed", range(20))
def test_terms_are_those_of_the_general_code(seed):
    rng = np.random.default_rng(seed)
    families = some_counts(rng)
    draws = TableDraws(TablePosterior(families), 30)
    states = [None if rng.random() < 0.5 else int(rng.integers(v)) for v in families.cards]
    play = in_play(families.mothers, [state is not None for state in states])
    possible = [
        None if not here else np.arange(v) if state is None else np.array([state])
        for here, state, v in zip(play, states, families.cards, strict=True)
    ]
    used = [i for i, here in enumerate(play) if here]
    _, terms = drawn_terms(draws, states)
    assert not terms[[i for i, here in enumerate(play) if not here]].any()
    if used:
        codes = [[0 if states[i] is not None else families.cards[i]] for i in used]
        expected = forest_terms(draws.factors(possible), np.array(codes, dtype=np.uint16))[0]
        np.testing.assert_allclose(terms[used], expected.reshape(len(used), 2, 30), atol=1e-9)


def test_a_case_reads_the_same_draws_as_any_other():
    draws = TableDraws(TablePosterior(some_counts(np.random.default_rng(1))), 50)
    child = next(i for i, mother in enumerate(draws.posterior.families.mothers) if mother >= 0)
    mother = draws.posterior.families.mothers[child]
    every = [np.arange(draws.posterior.families.cards[i]) for i in (mother, child)]
    whole = draws.shares(child, every[1], [every[0]])
    np.testing.assert_allclose(whole.sum(axis=-1), 1, rtol=1e-12)
    two = draws.shares(child, np.array([0, 1]), [np.array([0])])
    np.testing.assert_array_equal(two, whole[:, :, :1, :2])
    again = TableDraws(draws.posterior, 50)
    np.testing.assert_array_equal(again.shares(child, every[1], [every[0]]), whole)


def test_tables_that_are_not_kept_have_the_same_distribution(monkeypatch):
    counts = Families(np.array([30, 70]), (0,), (-1,), (np.array([[20, 5, 5], [10, 20, 40]]),))
    kept = TableDraws(TablePosterior(counts), 20_000)
    first = kept.shares(0, np.array([1]))
    monkeypatch.setattr("pgm_nb.certainty.draws.MOST_NUMBERS", 0)
    anew = TableDraws(TablePosterior(counts), 20_000)
    second = anew.shares(0, np.array([1]))
    assert (0 in kept._kept, 0 in anew._kept) == (True, False)
    np.testing.assert_allclose(first.mean(axis=0), second.mean(axis=0), atol=3e-3)
    np.testing.assert_allclose(first.std(axis=0), second.std(axis=0), atol=2e-3)
    np.testing.assert_array_equal(second, anew.shares(0, np.array([1])))
    two = anew.shares(0, np.array([1, 2])).mean(axis=0)
    np.testing.assert_allclose(two, kept.shares(0, np.array([1, 2])).mean(axis=0), atol=3e-3)


def test_a_draw_of_a_large_table_is_used_several_times():
    counts = np.random.default_rng(0).integers(0, 3, (2, 10, 10))
    families = Families(counts.sum(axis=(1, 2)), (0, 1), (-1, 0), (counts.sum(axis=2), counts))
    draws = TableDraws(TablePosterior(families), 400)
    every = np.arange(10)
    _, times = np.unique(draws.shares(1, every, [every]).reshape(400, -1), axis=0, return_counts=True)
    assert times.tolist() == [4] * 100
    _, times = np.unique(draws.shares(0, every).reshape(400, -1), axis=0, return_counts=True)
    assert times.tolist() == [1] * 400


def test_one_state_is_drawn_without_the_rest_of_its_table(monkeypatch):
    monkeypatch.setattr("pgm_nb.certainty.draws.ENOUGH", 1 << 30)
    draws = TableDraws(TablePosterior(some_counts(np.random.default_rng(1))), 20_000)
    child = next(i for i, mother in enumerate(draws.posterior.families.mothers) if mother >= 0)
    cell = draws.shares(child, np.array([1]), [np.array([0])])[..., 0, 0]
    assert child not in draws._kept
    np.testing.assert_array_equal(draws.shares(child, np.array([1]), [np.array([0])])[..., 0, 0], cell)
    whole = draws.shares(child, np.array([0, 1]), [np.array([0])])[..., 0, 1]
    np.testing.assert_allclose(cell.mean(axis=0), whole.mean(axis=0), atol=5e-3)
    np.testing.assert_allclose(cell.std(axis=0), whole.std(axis=0), atol=3e-3)


def test_a_supposed_class_is_as_frequent_as_it_is_probable():
    seen = supposed(np.array([0.299, 0.0, 0.701]), 400)
    assert seen.sum(axis=0).tolist() == [120, 0, 280]
    assert (seen.sum(axis=1) == 1).all()


def test_the_case_counts_as_one_row_of_a_class_that_is_not_known():
    """Draws weighted by how probable each makes the case have the same posterior of the class."""
    one, other = np.array([[2, 4], [4, 2]]), np.array([[[1, 2], [1, 2]], [[2, 1], [2, 1]]])
    families = Families(np.array([6, 6]), (0, 1, 2), (-1, 0, 0), (one, other[::-1], other[::-1]))
    posterior = TablePosterior(families)
    posterior.__dict__["rows"] = tuple(table[None] + 0.5 for table in families.tables)  # one prior: exact
    draws, states = TableDraws(posterior, 60_000), [0, 0, 1]
    prior, terms = drawn_terms(draws, states)
    joint = np.exp(prior + terms.sum(axis=0))
    weights = joint.sum(axis=0) / joint.sum()
    mean = (joint / joint.sum(axis=0)) @ weights
    prior, terms = drawn_terms(draws, states, supposed(mean, draws.n))
    found = np.exp(prior + terms.sum(axis=0))
    found /= found.sum(axis=0)
    np.testing.assert_allclose(found.mean(axis=1), mean, atol=2e-3)
    plain = joint / joint.sum(axis=0)
    np.testing.assert_allclose((found**2).mean(axis=1), plain**2 @ weights, atol=2e-3)
    assert abs((plain[1] ** 2).mean() - plain[1] ** 2 @ weights) > 0.01  # without it, it is another


def test_draws_are_left_out_of_a_copy():
    draws = TableDraws(TablePosterior(some_counts(np.random.default_rng(2))), 400)
    draws.shares(0, np.array([0]))
    copy = pickle.loads(pickle.dumps(draws))
    assert copy._kept == {}
    np.testing.assert_array_equal(copy.shares(0, np.array([0])), draws.shares(0, np.array([0])))
