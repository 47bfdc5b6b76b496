"""Where the numbers of the cells lie, and how they are held together."""

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.inference import families
from pgm_nb.inference.cells import Layout

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
