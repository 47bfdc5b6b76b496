"""Pieces of SVG pictures: round ticks."""

from itertools import pairwise

import pytest

from pgm_nb.views.svg import ticks


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3e-7, 4e-7), (1e6, 1e6 + 3), (-250, 13000)])
def test_ticks_lie_inside_and_are_few(low, high):
    marks = ticks(low, high)
    assert all(low <= mark <= high + 1e-9 * (high - low) for mark in marks)
    assert 2 <= len(marks) <= 9
    steps = {round((b - a) / (high - low), 6) for a, b in pairwise(marks)}
    assert len(steps) == 1


def test_ticks_of_a_point():
    assert ticks(2.0, 2.0) == (2.0,)
