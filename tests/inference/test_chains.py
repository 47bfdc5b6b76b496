"""Draws from the posterior of hierarchical smoothing: against plain loops and integration."""

import numpy as np
import pytest
from scipy.special import gammaln

from pgm_nb.inference import chains
from pgm_nb.inference.chains import CONCENTRATIONS, EVEN, TableChains, passed_up


@pytest.mark.parametrize(("n", "worth"), [(2, 0.5), (5, 1.5), (30, 0.7), (30, 40.0), (400, 3.0)])
def test_rows_passed_up_have_the_mean_and_variance_of_their_sum(n, worth):
    each = worth / (worth + np.arange(n))
    drawn = passed_up(np.full(40_000, n), np.full(40_000, worth), np.random.default_rng(0))
    assert drawn.min() >= 1
    assert drawn.max() <= n
    variance = (each * (1 - each)).sum()
    assert abs(drawn.mean() - each.sum()) < 4 * np.sqrt(variance / 40_000)
    assert drawn.var() == pytest.approx(variance, rel=0.04)


def test_nothing_is_passed_up_from_empty_cells_and_one_row_always():
    drawn = passed_up(np.array([0, 1, 0, 1]), np.full(4, 1e-9), np.random.default_rng(0))
    assert drawn.tolist() == [0, 1, 0, 1]


def plain_weights(counts, level):
    """The probability of each context given the others, row after row, for every concentration of a level."""
    v = counts.shape[-1]
    above, worth = np.full(v, 1 / v), np.array(EVEN * v)
    for depth in range(1, level + 1):
        n = counts.sum(axis=tuple(range(depth, counts.ndim - 1)))
        found = []
        for a in CONCENTRATIONS:
            prior, log = np.empty(n.shape), 0.0
            for context in np.ndindex(n.shape[:-1]):
                others = worth[context[:-1]] * above[context[:-1]]
                for state in range(n.shape[-2]):
                    sibling = n[(*context[:-1], state)]
                    if state != context[-1]:
                        others = others + sibling * a / (a + sibling.sum())
                prior[context] = others / others.sum() / (1 / a + 1 / others.sum())
                own, rows = n[context], prior[context]
                log += (gammaln(rows + own) - gammaln(rows)).sum()
                log += gammaln(rows.sum()) - gammaln(rows.sum() + own.sum())
            found.append((log, prior))
        best = max(found, key=lambda one: one[0])[1]
        worth = best.sum(axis=-1)
        above = best / worth[..., None]
    logs = np.array([log for log, _ in found])
    return np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 2), (2, 2, 3, 2)])
def test_concentrations_are_weighed_by_contexts_that_do_not_vote_for_themselves(shape, monkeypatch):
    counts = np.random.default_rng(len(shape)).integers(0, 8, shape)
    counts[0, 0] = 0
    seen = []
    weigh = chains._weights
    monkeypatch.setattr(chains, "_weights", lambda *args: seen.append(weigh(*args)) or seen[-1])
    TableChains.of(counts, np.random.default_rng(0), 4)
    for level, found in enumerate(seen, start=1):
        np.testing.assert_allclose(found, plain_weights(counts, level), rtol=0, atol=1e-9)


def test_the_posterior_of_one_class_is_that_of_integration(monkeypatch):
    """One class, three rows: P(x) lies around even shares and P(x|y) around P(x); summed on a grid."""
    counts, a = np.array([[3, 0]]), 4.0
    monkeypatch.setattr(chains, "EVENLY", np.array([2.0, 8.0]))
    monkeypatch.setattr(chains, "_concentrations", lambda _, n, *rest: np.full((2, n), a))
    p = (np.arange(2000) + 0.5) / 2000
    prior = sum(np.exp(gammaln(b) - 2 * gammaln(b / 2)) * (p * (1 - p)) ** (b / 2 - 1) for b in (2.0, 8.0))
    weight = prior * np.exp(gammaln(a * p + 3) - gammaln(a * p))
    mean, second = ((weight * ((3 + a * p) / (3 + a)) ** power).sum() / weight.sum() for power in (1, 2))
    drawn = TableChains.of(counts, np.random.default_rng(0), 20_000).posterior([0])[0]
    assert drawn.mean() == pytest.approx(mean, abs=2e-3)
    assert (drawn**2).mean() == pytest.approx(second, abs=4e-3)


def test_cells_are_cut_out_of_whole_tables(monkeypatch):
    counts = np.random.default_rng(0).integers(0, 9, (2, 3, 4, 2))
    found = TableChains.of(counts, np.random.default_rng(1), 6)
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
    alone = found.of_class(1).posterior([None, 2, None])[0]
    np.testing.assert_allclose(alone[:, 0], means[:, 1, :, 2], rtol=1e-12)
    monkeypatch.setattr(chains, "MOST_NUMBERS", 60)
    monkeypatch.setattr(chains, "FEWEST", 2)
    np.testing.assert_allclose(found.posterior([None, None, None])[0], means[:2], rtol=1e-12)


def test_contexts_that_are_alike_err_together_and_others_do_not():
    alike, apart = np.array([[[30, 30], [30, 30]]]), np.array([[[58, 2], [2, 58]]])
    for counts, least, most in ((alike, 0.3, 0.9), (apart, -0.1, 0.1)):
        rng = np.random.default_rng(0)
        found = TableChains.of(counts, rng, 4000)
        rows = counts + found.concentration.reshape(-1, 1, 1, 1) * found.above
        shares = rng.beta(rows[..., 0], rows[..., 1])[:, 0]
        assert least < np.corrcoef(shares.T)[0, 1] < most


def test_one_class_says_how_far_its_own_contexts_lean():
    linked, alike = [[90, 10], [10, 90]], [[50, 50], [52, 48]]
    counts = np.array([linked, alike])
    first, second, both = (
        TableChains.of(counts, np.random.default_rng(0), 200, label).concentration.mean()
        for label in (0, 1, None)
    )
    assert first < both < second / 3
    nobody = TableChains.of(
        np.array([linked, np.zeros((2, 2), dtype=np.int64)]), np.random.default_rng(0), 20, 1
    )
    assert np.isfinite(nobody.of_class(1).posterior([None, 0])[0]).all()
