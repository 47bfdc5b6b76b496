"""Small SVG charts: well-formed, every name escaped, ticks round."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from pgm_nb.views.chart import ticks
from pgm_nb.views.densities import densities_svg
from pgm_nb.views.ellipses import Ellipse, ellipses_svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3e-7, 4e-7), (1e6, 1e6 + 3), (-250, 13000)])
def test_ticks_lie_inside_and_are_few(low, high):
    marks = ticks(low, high)
    assert all(low <= mark <= high + 1e-9 * (high - low) for mark in marks)
    assert 2 <= len(marks) <= 9
    steps = {round((b - a) / (high - low), 6) for a, b in pairwise(marks)}
    assert len(steps) == 1


def test_ticks_of_a_point():
    assert ticks(2.0, 2.0) == (2.0,)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_densities_are_well_formed(theme):
    root = ElementTree.fromstring(densities_svg({"a<&>\x00": [(0, 1), (5, 0)]}, ['"x"', "]]>"], theme=theme))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "a<&>␀" in texts
    assert "]]>" in texts
    assert len(list(root.iter(f"{SVG}polyline"))) == 2


def test_ellipses_are_well_formed_and_inside():
    ellipses = [
        Ellipse("a<1>", 0, (0.0, 0.0), ((2.0, 1.0), (-1.0, 2.0))),
        Ellipse("b 1", 1, (9.0, 9.0), ((0, 0),) * 2),
    ]
    root = ElementTree.fromstring(ellipses_svg(("u&", "v"), ["a", "b"], ellipses, [(1.0, 2.0, 0)]))
    left, top, width, height = map(
        float, (root.find(f"{SVG}rect").get(key) for key in ("x", "y", "width", "height"))
    )
    shapes = list(root.iter(f"{SVG}polygon"))
    assert len(shapes) == 2
    for shape in shapes:
        for point in shape.get("points").split():
            x, y = map(float, point.split(","))
            assert left <= x <= left + width
            assert top <= y <= top + height
    assert "u&" in [text.text for text in root.iter(f"{SVG}text")]
