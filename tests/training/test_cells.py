"""Where the numbers of the cells lie, and how they are held together."""

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.tables.families import Families, families
from pgm_nb.training import cells
from pgm_nb.training.cells import Layout, Penalty
from pgm_nb.training.conditional import fit_cells

CARDS, MOTHERS = (3, 4, 2), [-1, 0, 1]


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    codes = np.array([rng.integers(0, v, 40) for v in CARDS], dtype=np.uint8)
    return families(count(codes, rng.integers(0, 2, 40), CARDS, 2), range(3), np.array(MOTHERS))


def test_every_state_and_every_pair_has_a_place_of_its_own(found):
    layout = Layout(found, (0, 0, 0))
    assert [len(places) for places in layout.main] == [3, 4, 2]
    assert [None if pairs is None else pairs.shape for pairs in layout.pair] == [None, (3, 4), (4, 2)]
    places = [*layout.main, *(pairs.ravel() for pairs in layout.pair if pairs is not None)]
    assert np.concatenate(places).tolist() == list(range(3 + 4 + 2 + 12 + 8))


def test_neighbours_in_order_cost_the_square_of_their_difference(found):
    """theta' M theta is the sum over neighbouring states; what has no order costs nothing."""
    layout = Layout(found, (3, 3, 2))
    theta = np.random.default_rng(1).normal(size=layout.size)
    first, second, third = (theta[places] for places in layout.main)
    _, middle, last = layout.pair
    cost = (np.diff(first) ** 2).sum() + (np.diff(second[:3]) ** 2).sum()
    cost += (np.diff(theta[middle][:, :3], axis=1) ** 2).sum() + (np.diff(theta[middle], axis=0) ** 2).sum()
    cost += (np.diff(theta[last][:3], axis=0) ** 2).sum()
    cost += (np.diff(third) ** 2).sum() + (np.diff(theta[last], axis=1) ** 2).sum()
    penalty = layout._differences((3, 3, 2))
    assert theta @ penalty @ theta == pytest.approx(cost, abs=1e-12)
    assert np.abs(penalty @ np.ones(layout.size)).max() == 0.0


def test_tables_of_counts_are_read_only(found):
    for array in (found.y, *found.tables):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def sparse_problem(n=60, k=3):
    """Rows of words, so few that most combinations have none; the last attribute has two mothers."""
    rng = np.random.default_rng(2)
    codes = np.array([rng.integers(0, v, n) for v in (5, 6, 4)], dtype=np.uint8)
    y = rng.integers(0, k, n)
    shapes = [(5,), (5, 6), (5, 6, 4)]
    tables = [np.zeros((k, *shape), dtype=np.int64) for shape in shapes]
    for table, places in zip(tables, ((0,), (0, 1), (0, 1, 2)), strict=True):
        np.add.at(table, (y, *codes[list(places)]), 1)
    counts = Families(np.bincount(y), (0, 1, 2), (-1, 0, 0), tuple(tables), ((), (), (1,)))
    return counts, codes, y, rng.normal(size=(n, k))


def test_pairs_without_rows_have_no_parameter_and_their_number_is_zero(monkeypatch):
    """The search for all numbers leaves those of pairs without rows at zero, and finds the same others."""
    counts, codes, y, offset = sparse_problem()
    trimmed = Layout(counts, (0, 0, 0))
    monkeypatch.setattr(cells, "_wanted", lambda table, *_: np.ones(table.shape[1:], dtype=bool))
    whole = Layout(counts, (0, 0, 0))
    assert trimmed.size < whole.size - 60
    for layout in (trimmed, whole):
        layout.found = fit_cells(
            *(layout.rows(codes), offset, y, Penalty(0.3, 3.0, layout.laplacian), layout.sums),
            tolerance=1e-14,
        )
    for ours, all_of_them in zip(
        trimmed.tables(trimmed.found.theta), whole.tables(whole.found.theta), strict=True
    ):
        for one, other in zip(ours, all_of_them, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)
    lonely = whole.found.theta[whole.pair[2][~counts.tables[2].any(axis=0)]]
    assert len(lonely)
    assert not lonely.any()
    rows = trimmed.added(trimmed.rows(codes), trimmed.found.theta)
    tables = trimmed.tables(trimmed.found.theta)[1]
    read = tables[0][:, codes[0]] + tables[1][:, codes[0], codes[1]] + tables[2][(slice(None), *codes)]
    np.testing.assert_allclose(rows, read.T, atol=1e-12)


def test_where_neighbours_pull_every_pair_has_a_parameter():
    counts, *_ = sparse_problem()
    layout = Layout(counts, (5, 0, 0))
    assert (layout.pair[1] >= 0).all()
    assert (layout.pair[2] >= 0).all()


def test_a_row_with_a_pair_that_was_never_seen_counts_as_its_state_alone():
    counts, *_ = sparse_problem()
    layout = Layout(counts, (0, 0, 0))
    a, b = np.argwhere(~counts.tables[1].any(axis=0))[0]
    codes = np.array([[a], [b], [4]], dtype=np.uint8)  # the last is unknown
    assert layout.rows(codes).indices.tolist() == [layout.main[0][a], layout.main[1][b]]
