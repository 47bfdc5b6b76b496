"""The critical-difference diagram: names escaped, to scale, nothing over anything else."""

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.evaluate.ranks import cliques
from pgm_nb.views.chart.scores import critical_difference_svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>&\"'\x00]]>"


def draw(ranks, difference, theme="light"):
    names = list(ranks)
    groups = [[names[i] for i in group] for group in cliques(np.array(list(ranks.values())), difference)]
    return ElementTree.fromstring(critical_difference_svg(ranks, difference, groups, theme=theme))


def boxes(root):
    """Rectangles that the texts take in Helvetica: m is 0.83 wide, digits 0.56."""
    for text in root.iter(f"{SVG}text"):
        x, y, size = (float(text.get(name)) for name in ("x", "y", "font-size"))
        width = size * sum(0.83 if letter == "m" else 0.56 for letter in text.text)
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor")]
        yield left, y - 0.8 * size, left + width, y + 0.2 * size


@settings(max_examples=30)
@given(
    st.lists(st.floats(1, 9), min_size=2, max_size=9),
    st.floats(0.2, 12),
    st.lists(st.integers(1, 60), min_size=9, max_size=9),
)
def test_nothing_overlaps(places, difference, lengths):
    top = len(places)
    ranks = {
        f"{i}" + "m" * n: 1 + (r - 1) / 8 * (top - 1)
        for i, (r, n) in enumerate(zip(places, lengths, strict=False))
    }
    root = draw(ranks, difference)
    texts = list(boxes(root))
    _, _, width, height = map(float, root.get("viewBox").split())
    for i, (left, up, right, down) in enumerate(texts):
        assert left >= 0
        assert right <= width
        assert 0 <= up < down <= height
        for other in texts[i + 1 :]:
            assert right <= other[0] or other[2] <= left or down <= other[1] or other[3] <= up
    bars = sorted(
        (line.get("y1"), float(line.get("x1")), float(line.get("x2")))
        for line in root.iter(f"{SVG}line")
        if line.get("stroke-width") == "4"
    )
    for (y, _, end), (other, begin, _) in pairwise(bars):
        assert y != other or begin > end
    lowest_bar = max((float(y) for y, *_ in bars), default=0.0)
    assert lowest_bar + 2 < min(up for _, up, _, _ in texts[-len(ranks) :])


def test_it_is_to_scale():
    root = draw({"a": 1.0, "b": 2.5, "c": 2.6}, 1.2)
    axis, *rest = root.iter(f"{SVG}line")
    unit = (float(axis.get("x2")) - float(axis.get("x1"))) / 2
    ruler = next(line for line in rest if line.get("y1") == line.get("y2"))
    assert float(ruler.get("x2")) - float(ruler.get("x1")) == pytest.approx(1.2 * unit, abs=0.2)
    starts = sorted(float(line.get("points").split(",")[0]) for line in root.iter(f"{SVG}polyline"))
    assert np.diff(starts) == pytest.approx([1.5 * unit, 0.1 * unit], abs=0.2)


def test_hostile_names_are_shown_as_they_are():
    root = draw({HOSTILE: 1.0, "b": 2.0}, 0.5)
    assert any("<script>&\"'␀]]>" in text.text for text in root.iter(f"{SVG}text"))
    assert not list(root.iter(f"{SVG}script"))


def test_dark_differs():
    light, dark = (
        ElementTree.tostring(draw({"a": 1.0, "b": 2.0}, 0.5, theme)) for theme in ("light", "dark")
    )
    assert light != dark
