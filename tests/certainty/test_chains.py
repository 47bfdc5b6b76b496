"""Draws from the posterior of hierarchical smoothing: against integration and weighted draws of the prior."""

import itertools

import numpy as np
import pytest
from scipy.special import betaln, gammaln

from pgm_nb.certainty import cell_rows, chains
from pgm_nb.certainty import chains as table_levels
from pgm_nb.certainty.chains import CONCENTRATIONS, NEAR, draw_concentrations, run_chains

PAIR = np.array([2.0, 12.0])
BETWEEN = np.sqrt(24)  # the two
BEFORE = np.array([BETWEEN, 2.0]) / (BETWEEN + 2.0)  # how probable either is to be usual


def usual_ones(grid):
    """How probable each concentration is, if one is usual and others lie around it, near or far."""
    found = []
    for near, usual in itertools.product(NEAR, grid):
        weights = [np.exp(-0.5 * (np.log(a / usual) / near) ** 2) for a in grid]
        found.append(np.array(weights) / sum(weights))
    return np.array(found)


@pytest.fixture
def two_concentrations(monkeypatch):
    """Only two concentrations, and as many chains as are asked for."""
    monkeypatch.setattr(chains, "CONCENTRATIONS", PAIR)
    monkeypatch.setattr(cell_rows, "CONCENTRATIONS", PAIR)
    monkeypatch.setattr(table_levels, "CONCENTRATIONS", PAIR)
    monkeypatch.setattr(chains, "SCOUTS", 1)
    monkeypatch.setattr(chains, "MOST_CELLS", 1 << 30)
    monkeypatch.setattr(chains, "USUAL", usual_ones(PAIR))
    monkeypatch.setattr(chains, "BEFORE", np.log(np.tile(BEFORE, len(NEAR))))
    monkeypatch.setattr(chains, "SWEEPS", 30)


def before_rows():
    """How probable each of the two concentrations is for a table, and for two tables, (2, 2)."""
    usual, weights = usual_ones(PAIR), np.tile(BEFORE, len(NEAR)) / len(NEAR)
    return weights @ usual, np.einsum("u,ui,uj->ij", weights, usual, usual)


def evidence(table):
    """P(counts | a of P(x), a of P(x | y)) of a table of two states, (2, 2), by a sum over P(x)."""
    p = (np.arange(4000) + 0.5) / 4000
    found = np.empty((2, 2))
    for (i, top), (j, a) in itertools.product(enumerate(PAIR), enumerate(PAIR)):
        logs = (top / 2 - 1) * np.log(p * (1 - p)) - betaln(top / 2, top / 2)
        for first, second in table:
            logs = logs + betaln(a * p + first, a * (1 - p) + second) - betaln(a * p, a * (1 - p))
        found[i, j] = np.exp(logs).mean()
    return found


def test_tables_learn_from_each_other_which_concentrations_are_usual(two_concentrations):
    """Two tables: their four concentrations by enumeration, what is usual summed out."""
    tables = [np.array([[9, 1], [2, 8]]), np.array([[2, 1], [1, 1]])]
    first, second = map(evidence, tables)
    own, prior = before_rows()  # the second: of the concentrations of both at one level
    joint = np.einsum("ij,kl,ik,jl->ijkl", first, second, prior, prior)
    joint /= joint.sum()
    drawn = run_chains(tables, np.random.default_rng(0), chains=8000)
    for found, exact in zip(drawn, (joint.sum(axis=(0, 2, 3)), joint.sum(axis=(0, 1, 2))), strict=True):
        assert (found.concentration == PAIR[0]).mean() == pytest.approx(exact[0], abs=0.015)
    both = (drawn[0].concentration == PAIR[0]) & (drawn[1].concentration == PAIR[0])
    assert both.mean() == pytest.approx(joint.sum(axis=(0, 2))[0, 0], abs=0.015)
    alone = run_chains(tables[1:], np.random.default_rng(0), chains=8000)[0].concentration
    weighed = own @ (second * own)
    assert (alone == PAIR[0]).mean() == pytest.approx(weighed[0] / weighed.sum(), abs=0.015)


def test_the_posterior_is_that_of_draws_of_the_prior_that_are_weighted_by_the_rows(two_concentrations):
    """One class with a parent, and rows of two other classes of which P(x | y) is all that is asked."""
    table, beside = np.array([[[3, 1], [0, 2], [0, 0]]]), np.array([[4, 0], [1, 1]])
    rng, n = np.random.default_rng(1), 400_000
    top, by_class, by_parent = rng.choice(PAIR, size=(3, n), p=before_rows()[0])
    p = rng.beta(top / 2, top / 2).clip(1e-9, 1 - 1e-9)
    classes = rng.beta(by_class * p, by_class * (1 - p), size=(3, n)).clip(1e-9, 1 - 1e-9)
    rows = rng.beta(by_parent * classes[0], by_parent * (1 - classes[0]), size=(3, n)).clip(1e-12, 1 - 1e-12)
    seen = [*zip(rows, table[0], strict=True), *zip(classes[1:], beside, strict=True)]
    weights = np.exp(sum(a * np.log(q) + b * np.log(1 - q) for q, (a, b) in seen))
    weights /= weights.sum()
    drawn = run_chains([table], np.random.default_rng(0), [beside], chains=8000)[0]
    found = rng.beta(*np.moveaxis(drawn.rows(1 << 30)[:, 0], -1, 0))
    np.testing.assert_allclose(found.mean(axis=0), rows @ weights, atol=0.012)
    np.testing.assert_allclose((found**2).mean(axis=0), rows**2 @ weights, atol=0.012)
    np.testing.assert_allclose(
        (found[:, 0] * found[:, 2]).mean(), (rows[0] * rows[2]) @ weights, atol=0.012
    )  # contexts err together
    assert (drawn.concentration == PAIR[0]).mean() == pytest.approx(
        (by_parent == PAIR[0]) @ weights, abs=0.015
    )


def test_one_table_with_one_class_by_integration(two_concentrations):
    pairs = list(zip(PAIR, before_rows()[0], strict=True))
    p = (np.arange(4000) + 0.5) / 4000
    weight, mean = 0.0, 0.0
    for (top, first), (own, second) in itertools.product(pairs, pairs):
        prior = first * second * np.exp(gammaln(top) - 2 * gammaln(top / 2)) * (p * (1 - p)) ** (top / 2 - 1)
        here = prior * np.exp(gammaln(own * p + 3) - gammaln(own * p) + gammaln(own) - gammaln(own + 3))
        weight += here.sum()
        mean += (here * (3 + own * p) / (3 + own)).sum()
    drawn = run_chains([np.array([[3, 0]])], np.random.default_rng(0), chains=10_000)[0]
    assert drawn.posterior([0])[0].mean() == pytest.approx(mean / weight, abs=3e-3)


def test_the_share_of_the_level_above_is_as_probable_everywhere():
    """Usual concentrations up to one: the shares a / (a + 2) up to the middle between it and the next."""
    before = np.exp(chains.BEFORE).reshape(len(NEAR), -1)
    np.testing.assert_allclose(before.sum(axis=1), 1, rtol=1e-12)
    up_to = np.cumsum(before[0])[:-1]
    middle = np.exp((np.log(CONCENTRATIONS[1:]) + np.log(CONCENTRATIONS[:-1])) / 2)
    np.testing.assert_allclose(2 * up_to / (1 - up_to), middle, rtol=1e-9)
    assert (before == before[0]).all()


def test_a_table_that_says_nothing_follows_the_others():
    np.testing.assert_allclose(chains.USUAL, usual_ones(CONCENTRATIONS), rtol=1e-12)
    logs = np.full((3, len(CONCENTRATIONS), 20_000), -50.0)
    logs[:2, 3] = logs[2] = 0.0  # two tables are sure of the fourth concentration
    found = draw_concentrations(logs, np.random.default_rng(0))
    assert (found[:2] == CONCENTRATIONS[3]).all()
    weights = np.exp(chains.BEFORE) * chains.USUAL[:, 3] ** 2
    expected = weights @ chains.USUAL / weights.sum()
    shares = (found[2][:, None] == CONCENTRATIONS).mean(axis=0)
    np.testing.assert_allclose(shares, expected, atol=0.015)


def test_cells_are_cut_out_of_whole_tables(monkeypatch):
    counts = np.random.default_rng(0).integers(0, 9, (2, 3, 4, 2))
    found = run_chains([counts], np.random.default_rng(1), chains=2)[0]
    a = found.concentration.reshape(-1, 1, 1, 1, 1)
    rows = counts.sum(axis=-1) + a[..., 0]
    means = (counts + a * found.above) / rows[..., None]
    whole = found.posterior([None, None, None])
    np.testing.assert_allclose(whole[0], means, rtol=1e-12)
    np.testing.assert_allclose(whole[1], rows, rtol=1e-12)
    np.testing.assert_allclose(means.sum(axis=-1), 1, rtol=1e-12)
    for one, two, own in [(1, None, 0), (None, 3, None), (2, 1, 1)]:
        at = tuple(slice(None) if state is None else state for state in (one, two, own))
        part = found.posterior([one, two, own])
        np.testing.assert_allclose(part[0], means[:, :, *at], rtol=1e-12)
        np.testing.assert_allclose(part[1], rows[:, :, *at[:-1]], rtol=1e-12)
    np.testing.assert_allclose(found.rows(3 * counts.size), rows[:3, ..., None] * means[:3], rtol=1e-12)
    monkeypatch.setattr(chains, "MOST_NUMBERS", 60)
    monkeypatch.setattr(chains, "FEWEST_DRAWS", 2)
    np.testing.assert_allclose(found.posterior([None, None, None])[0], means[:2], rtol=1e-12)


def test_contexts_that_are_alike_err_together_and_others_do_not(monkeypatch):
    monkeypatch.setattr(chains, "MOST_CELLS", 1 << 30)
    alike, apart = np.full((1, 40, 2), 5), np.array([[[58, 2], [2, 58]]])
    for counts, least, most in ((alike, 0.3, 0.9), (apart, -0.1, 0.1)):
        rng = np.random.default_rng(0)
        rows = run_chains([counts], rng, chains=1000)[0].rows(1 << 30)
        shares = rng.beta(rows[..., 0], rows[..., 1])[:, 0]
        assert least < np.corrcoef(shares.T)[0, 1] < most


def test_chains_forget_the_few_that_went_ahead(monkeypatch):
    """Draws of many runs, whose chains begin where a third of them is, against chains that never met."""
    rng = np.random.default_rng(2)
    tables = [rng.integers(0, 12, (2, 3)), rng.integers(0, 6, (2, 3, 3)), rng.integers(0, 4, (2, 2, 2, 2))]
    monkeypatch.setattr(chains, "MOST_CELLS", 1 << 30)
    few = [run_chains(tables, np.random.default_rng(seed)) for seed in range(150)]
    monkeypatch.setattr(chains, "SCOUTS", 1)
    monkeypatch.setattr(chains, "SWEEPS", 30)
    many = run_chains(tables, np.random.default_rng(0), chains=2000)
    for i in range(len(tables)):
        for value in (
            lambda one: np.log(one.concentration),
            lambda one: one.above.reshape(len(one.above), -1)[:, 0],
        ):
            runs = np.array([value(run[i]) for run in few])
            found, exact = runs.mean(axis=1), value(many[i])
            apart = found.mean() - exact.mean()
            error = np.hypot(found.std() / np.sqrt(len(found)), exact.std() / np.sqrt(2000))
            assert abs(apart) < 4 * error
            assert runs.std() == pytest.approx(exact.std(), rel=0.06)


def test_a_large_model_has_fewer_chains_and_tables_without_rows_are_drawn(monkeypatch):
    empty = np.zeros((2, 3, 4), dtype=np.int64)
    tables = [empty, np.random.default_rng(0).integers(0, 5, (2, 3))]
    assert len(run_chains(tables, np.random.default_rng(0))[0].above) == chains.CHAINS * chains.KEPT
    monkeypatch.setattr(chains, "MOST_CELLS", 1)
    found = run_chains(tables, np.random.default_rng(0))
    draws = chains.FEWEST * chains.KEPT
    assert [one.above.shape for one in found] == [(draws, 2, 1, 4), (draws, 1, 3)]
    assert all(np.isfinite(one.above).all() and (one.above > 0).all() for one in found)
    np.testing.assert_allclose(found[0].above.sum(axis=-1), 1, rtol=1e-12)
    assert run_chains([], np.random.default_rng(0)) == []
