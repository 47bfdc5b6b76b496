"""The tornado chart: what stands beside a bar has room there."""

import re

import pytest

from pgm_nb.views.chart.look import to_svg
from pgm_nb.views.chart.tornado import Range, range_chart

RANGES = [
    Range("edges", 0.02, 0.99, "atypical angina", "asymptomatic"),
    Range("words", 0.3, 0.8, "atypical angina", "a very long name of a state"),
    Range("numbers", 0.2, 0.9, "≤ 0.05", "(0.05, 0.45]"),
]


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (800, ["atypical angina", "≤ 0.05", "a very long name of…", "(0.05, 0.45]"]),
        (180, ["atypica…", "a ve…"]),  # beside the bars that go to the edges there is no room
    ],
)
def test_states_are_shortened_to_the_room_beside_their_bars(width, shown):
    chart = range_chart(0.5, RANGES, title="probability of ill").properties(width=width)
    texts = re.findall(r">([^<>]*)</text>", to_svg(chart))
    assert texts[texts.index("numbers") + 1 : texts.index("less probable")] == shown
