"""Quantiles of many numbers: the ranks, merging, and that a sketch of part of the numbers is not worse."""

import numpy as np
import pytest

from pgm_nb.data import summary
from pgm_nb.data.summary import EXACT, QuantileSketch

SHARES = [i / 20 for i in range(1, 20)]


def filled(*parts):
    sketch = QuantileSketch()
    for part in parts:
        sketch.update(part)
    return sketch


def ranks(values, cuts):
    return np.searchsorted(np.sort(values), cuts, side="right") / len(values)


@pytest.fixture
def all_kept(monkeypatch, remembering):
    monkeypatch.setattr(summary, "new_sketch", lambda: remembering(0))
    monkeypatch.setattr(summary, "EXACT", 2000)


def test_few_numbers_are_all_there(all_kept):
    parts = np.split(np.random.default_rng(0).normal(size=2000), [7, 700, 1500])
    found = filled(*parts).filled().values
    np.testing.assert_array_equal(np.sort(found), np.sort(np.concatenate(parts)))


@pytest.mark.parametrize("cut", [[5, 900], [2500], [513, 1026, 1540, 2600]])
def test_one_of_four_neighbours_of_every_block(all_kept, cut):
    values = np.random.default_rng(1).permutation(512 * 8).astype(float)
    found = filled(*np.split(values, cut)).filled().values
    assert len(found) == 1024
    for block in values.reshape(8, 512):
        mine = np.sort(found[np.isin(found, block)])
        places = np.searchsorted(np.sort(block), mine)
        assert len(set(places % 4)) == 1  # the same of every four
        np.testing.assert_array_equal(places // 4, np.arange(128))


def test_ranks_of_thinned_numbers_vary_as_computed(all_kept, monkeypatch):
    """The worst case: a cut in the middle of four neighbours in every block."""
    block = np.arange(512.0)
    errors = []
    for seed in range(200):
        monkeypatch.setattr(
            summary.np.random,
            "default_rng",
            lambda _, s=seed: np.random.Generator(np.random.PCG64(s)),
        )
        found = filled(np.tile(block, 32)).filled().values
        errors.append(4 * np.count_nonzero(found < 202) - 32 * 202)
    assert abs(np.mean(errors)) < 4 * np.sqrt(4 * 32 / 200)
    assert np.var(errors) == pytest.approx(4 * 32, rel=0.4)


@pytest.mark.parametrize("order", ["drawn", "ascending", "equal blocks"])
def test_ranks_are_within_a_thousandth(order):
    values = np.random.default_rng(3).lognormal(size=2 * EXACT + 77)
    if order == "ascending":
        values.sort()
    elif order == "equal blocks":
        values = np.tile(values[:512], len(values) // 512)
    sketch = filled(*np.array_split(values, 5))
    steps = np.abs(ranks(values, sketch.quantiles(SHARES)) - SHARES)
    assert steps.max() < 0.001 + (1 / 512 if order == "equal blocks" else 0)
    assert sketch.most == values.max()


def test_merged_sketches():
    values = np.random.default_rng(4).normal(size=EXACT + 40_000)
    parts = [filled(part) for part in np.split(values, [300, 20_000, EXACT + 30_000])]
    for order in ([0, 1, 2, 3], [2, 0, 3, 1], [3, 1, 0, 2]):
        total = QuantileSketch()
        for place in order:
            total.merge(parts[place])
        assert np.abs(ranks(values, total.quantiles(SHARES)) - SHARES).max() < 0.0015
        assert total.most == values.max()
