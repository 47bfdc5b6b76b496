"""The plan of many tables at once against the rule for one."""

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.tables.families import Families
from pgm_nb.tables.hierarchical import estimate_hierarchical, smooth, smoothing_plan


def one_by_one(families, ordered):
    """Return the plan of each table by itself."""
    tables = zip(families.tables, ordered, strict=True)
    return tuple(tuple(level.lean for level in smooth(counts, order)[1:]) for counts, order in tables)


@pytest.mark.parametrize("model", [pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes])
@pytest.mark.parametrize("name", pnb.SAMPLES)
def test_the_plan_of_every_sample_is_that_of_its_tables_one_by_one(model, name):
    fitted = model().fit(*pnb.load_sample(name))
    counts = fitted.learned_.counts
    ordered = fitted._ordered(counts)
    assert smoothing_plan(counts, ordered) == one_by_one(counts, ordered)


@pytest.mark.parametrize("weight", [1, 0.3, 0.1])
@pytest.mark.parametrize("seed", range(15))
def test_random_tables_with_empty_contexts(seed, weight):
    rng = np.random.default_rng(seed)
    k, v = int(rng.integers(2, 4)), int(rng.integers(1, 5))
    n, d = int(rng.integers(k, 200)), 6
    y = rng.integers(0, k, n)
    codes = rng.integers(0, v, (d, n)) * (rng.random((d, n)) < 0.7)
    tables = []
    for i in range(d):
        shape = (k, v) if i < 2 else (k, v, v)
        table = np.zeros(shape, dtype=np.int64)
        np.add.at(table, (y, codes[i]) if i < 2 else (y, codes[0], codes[i]), 1)
        tables.append(table * weight)
    families = Families(
        np.bincount(y, minlength=k) * weight, tuple(range(d)), (-1, -1, 0, 0, 0, 0), tuple(tables)
    )
    ordered = tuple(int(rng.integers(0, v + 1)) for _ in range(d))
    plan = smoothing_plan(families, ordered)
    planned = estimate_hierarchical(families, ordered, plan).tables
    for counts, order, found in zip(tables, ordered, planned, strict=True):
        np.testing.assert_allclose(found, np.log(smooth(counts, order)[-1].estimate), rtol=0, atol=1e-12)
