"""Many tables smoothed at once: against rows that are truly left out, one table at a time, and limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pgm_nb.tables.hierarchical import CONCENTRATIONS, NEW, TRACE, Lean, kernel, smooth, smooth_stack

K, U, V = 2, 3, 4
FIRST = Lean(2.0)  # how P(x|y) leans on P(x)
TABLES = arrays.arrays(np.int64, (3, K, U, V), elements=st.integers(0, 5)).filter(
    lambda tables: tables.sum(axis=(1, 2, 3)).all()
)


def stacked(tables, ordered=0, first=FIRST):
    """Smooth the last level of some tables (k, u, v) of one shape at once."""
    above = [smooth(table.sum(axis=1), ordered, first and [first])[-1] for table in tables]
    estimate, out = (
        np.concatenate([np.repeat(getattr(level, part), tables.shape[2], axis=0) for level in above])
        for part in ("estimate", "left_out")
    )
    contexts = tables.shape[1] * tables.shape[2]
    starts = np.arange(len(tables)) * contexts
    return smooth_stack(tables.reshape(-1, tables.shape[-1]), starts, estimate, out, ordered)


def probability(table, cell, lean, ordered):
    """P(x | y, u) from the top down, of one cell."""
    y, u, x = cell
    whole = table.sum(axis=(0, 1))
    p = (whole + TRACE / V) / (whole.sum() + TRACE)
    mine = table.sum(axis=1)[y]
    p = (mine + FIRST.concentration * p) / (mine.sum() + FIRST.concentration)
    here = table[y, u]
    if lean.spread:
        p = (here @ kernel(V, ordered, lean.spread) + lean.above * p) / (here.sum() + lean.above)
    return ((here + lean.concentration * p) / (here.sum() + lean.concentration))[x]


def likelihood(table, lean, ordered=0):
    """Log-likelihood of the rows, each truly taken out of the table."""
    total = 0.0
    for cell in np.argwhere(table > 0):
        fewer = table.copy()
        fewer[tuple(cell)] -= 1
        total += table[tuple(cell)] * np.log(probability(fewer, cell, lean, ordered))
    rows = table.sum(axis=-1)
    a = lean.concentration
    return total + NEW * np.log(a / (rows[rows > 0] + a)).mean()


@settings(max_examples=25)
@given(TABLES)
def test_the_concentration_is_the_best_of_those_tried(tables):
    """Every second one, and the neighbours of the best of these."""
    found = stacked(tables)
    for table, chosen in zip(tables, found.concentration, strict=True):
        scores = np.array([likelihood(table, Lean(a)) for a in CONCENTRATIONS])
        top = 2 * scores[::2].argmax()
        best = scores[max(top - 1, 0) : top + 2].max()
        assert scores[CONCENTRATIONS.index(chosen)] == pytest.approx(best, abs=1e-9)


@settings(max_examples=25)
@given(TABLES)
def test_neighbours_are_used_only_where_rows_left_out_gain(tables):
    alone, found = stacked(tables), stacked(tables, ordered=V)
    for place, table in enumerate(tables):
        lean = Lean(*(float(part[place]) for part in (found.concentration, found.spread, found.above)))
        plain = likelihood(table, Lean(alone.concentration[place]))
        if lean.spread:
            assert likelihood(table, lean, V) > plain - 1e-9
        else:
            assert lean.concentration == alone.concentration[place]
        estimate = found.estimate.reshape(tables.shape)[place]
        for cell in np.ndindex(*table.shape):
            assert estimate[cell] == pytest.approx(probability(table, cell, lean, V), rel=1e-12)


@settings(max_examples=25)
@given(TABLES)
def test_left_out_is_what_the_table_says_without_the_row(tables):
    found = stacked(tables, ordered=V)
    out = found.left_out.reshape(tables.shape)
    assert (out[tables == 0] == 0).all()
    for place, table in enumerate(tables):
        lean = Lean(*(float(part[place]) for part in (found.concentration, found.spread, found.above)))
        for cell in np.argwhere(table > 0):
            fewer = table.copy()
            fewer[tuple(cell)] -= 1
            assert out[place][tuple(cell)] == pytest.approx(probability(fewer, cell, lean, V), rel=1e-9)


def test_no_row_gives_the_level_above_and_many_rows_the_frequencies():
    truth = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5]])
    many = np.stack([truth * 8_000_000_000, truth[::-1] * 8_000_000_000]).astype(
        np.int64
    )  # depends on u, and on y
    found = stacked(many[None], ordered=V, first=None).estimate.reshape(2, 2, V)
    np.testing.assert_allclose(found, many / 8_000_000_000, atol=1e-6)
    nothing = stacked(np.zeros((2, K, U, V), dtype=np.int64), ordered=V)
    np.testing.assert_allclose(nothing.estimate, 1 / V)  # all that is left is the trace of the uniform
    assert (nothing.left_out == 0).all()
    some = np.array([[[8, 2, 1, 0], [0, 0, 0, 0]], [[1, 5, 5, 1], [2, 2, 9, 0]]])
    above = smooth(some.sum(axis=1), leans=[FIRST])[-1].estimate
    np.testing.assert_allclose(stacked(some[None]).estimate[1], above[0], rtol=1e-12)


def test_tables_of_different_heights_do_not_touch_each_other():
    rng = np.random.default_rng(2)
    tables = [rng.integers(0, 6, (2, u, 5)) for u in (2, 4, 3)]
    levels = [smooth(table, 5) for table in tables]
    above = [
        [np.repeat(part, t.shape[1], axis=0) for part in (each[1].estimate, each[1].left_out)]
        for t, each in zip(tables, levels, strict=True)
    ]
    starts = np.cumsum([0, 4, 8])
    found = smooth_stack(
        np.concatenate([table.reshape(-1, 5) for table in tables]),
        starts,
        *(np.concatenate([each[part] for each in above]) for part in (0, 1)),
        5,
    )
    for place, table in enumerate(tables):
        rows = slice(starts[place], starts[place] + 2 * table.shape[1])
        alone = smooth_stack(table.reshape(-1, 5), np.array([0]), *above[place], 5)
        np.testing.assert_array_equal(found.estimate[rows], alone.estimate)
        np.testing.assert_array_equal(found.left_out[rows], alone.left_out)


def test_three_states_have_neighbours_and_two_have_not():
    """Twelve contexts of four rows each, from chances that slide along the order."""
    rng = np.random.default_rng(0)
    table = np.array([[rng.multinomial(4, p) for _ in range(12)] for p in ([0.6, 0.3, 0.1], [0.1, 0.3, 0.6])])
    assert stacked(table[None], ordered=3, first=None).spread[0] > 0
    assert stacked(table[None, ..., :2], ordered=2, first=None).spread[0] == 0


@pytest.mark.parametrize("seed", range(4))
def test_contexts_of_one_row_and_tables_of_one_context(seed):
    """The fewest rows there can be: the concentration is still the best of those tried."""
    rng = np.random.default_rng(seed)
    tables = np.zeros((6, K, U, V), dtype=int)
    for table in tables[:3]:  # in one context alone
        table[rng.integers(K), rng.integers(U)] = rng.integers(0, 4, V) + (np.arange(V) == 0)
    for table in tables[3:]:  # mostly one row in each
        np.add.at(table, tuple(rng.integers(0, size, 7) for size in (K, U, V)), 1)
    found = stacked(tables)
    for table, chosen in zip(tables, found.concentration, strict=True):
        scores = np.array([likelihood(table, Lean(a)) for a in CONCENTRATIONS])
        top = 2 * scores[::2].argmax()
        best = scores[max(top - 1, 0) : top + 2].max()
        assert scores[CONCENTRATIONS.index(chosen)] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("rows", [(4, 3, 2, 5), (19, 17, 10, 18), (7, 4, 19, 3)])
def test_a_single_context_leans_on_its_neighbours_as_it_does_by_itself(rows):
    table = np.zeros((K, U, V), dtype=int)
    table[1, 2] = rows
    found, expected = stacked(table[None], ordered=V, first=None), smooth(table, V)[-1]
    lean = Lean(*(float(part[0]) for part in (found.concentration, found.spread, found.above)))
    assert lean.spread > 0
    assert lean == expected.lean
    np.testing.assert_allclose(found.estimate.reshape(table.shape), expected.estimate, rtol=1e-12)
