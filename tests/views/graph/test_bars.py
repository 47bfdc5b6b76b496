"""Bars inside boxes: where they are, how long they are, and that names stay names."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from pgm_nb.graphs import CherryTree, Star
from pgm_nb.views.graph.bars import EDGE, NAME, NUMBER, Bars, bar_marks, with_marks, with_room
from pgm_nb.views.graph.render import draw

SVG = "{http://www.w3.org/2000/svg}"
TREE = CherryTree("y", ("a", "b"), {"b": "a"})
FEW = Bars(("no", "<yes> & more"), (0.25, 0.75))
MANY = Bars(tuple(f"state {i}" for i in range(10)), tuple([0.05] * 8 + [0.1, 0.5]), known="state 9", state=9)


def drawn(bars):
    drawing = with_room(TREE.drawing("tree"), bars)
    svg = draw(drawing).decode()
    ids = {node.names[0]: node.id for node in drawing.nodes if node.names}
    marks = bar_marks(svg, {ids[name]: shown for name, shown in bars.items()})
    return svg, ids, marks


def rects(mark):
    found = ElementTree.fromstring(mark).iter("rect")
    areas = [{key: float(each.get(key)) for key in ("x", "y", "width", "height")} for each in found]
    fills = [each.get("fill") for each in ElementTree.fromstring(mark).iter("rect")]
    return [area | {"fill": fill} for area, fill in zip(areas, fills, strict=True)]


def shape(svg, id):
    [group] = [g for g in ElementTree.fromstring(svg).iter(f"{SVG}g") if g.get("data-id") == id]
    numbers = [
        float(n)
        for n in group.find(f"{SVG}path")
        .get("d")
        .replace("M", " ")
        .replace("C", " ")
        .replace(",", " ")
        .split()
    ]
    return min(numbers[0::2]), min(numbers[1::2]), max(numbers[0::2]), max(numbers[1::2])


def test_bars_lie_inside_their_box_and_are_as_long_as_the_shares():
    svg, ids, marks = drawn({"a": FEW, "b": MANY})
    left, top, right, bottom = shape(svg, ids["a"])
    found = rects(marks[ids["a"]])
    full = right - left - 2 * EDGE - NAME - NUMBER
    assert [r["width"] for r in found[1::3]] == pytest.approx([0.25 * full, 0.75 * full], abs=0.11)
    for name in "ab":
        left, top, right, bottom = shape(svg, ids[name])
        for rect in rects(marks[ids[name]]):
            if rect["fill"] != "none":  # the ring of what is known lies around the box
                assert left <= rect["x"] <= rect["x"] + rect["width"] <= right + 0.1
                assert top <= rect["y"] <= rect["y"] + rect["height"] <= bottom + 0.1


def test_columns_are_as_high_as_the_shares_of_the_highest():
    _, ids, marks = drawn({"b": MANY})
    ring, *found = rects(marks[ids["b"]])
    assert ring["fill"] == "none"
    heights = [r["height"] for r in found[1::3]]
    assert heights[-1] == pytest.approx(27.0)
    assert heights[0] == pytest.approx(27.0 * 0.05 / 0.5, abs=0.06)


def test_what_is_known_has_a_ring_and_every_state_can_be_clicked():
    _, ids, marks = drawn({"a": FEW, "b": MANY})
    assert marks[ids["a"]].count("stroke-width") == 0
    assert marks[ids["b"]].count("stroke-width") == 1
    assert [marks[ids["b"]].count(f'data-state="{i}"') for i in range(10)] == [1] * 10
    assert "&lt;yes&gt; &amp;" in marks[ids["a"]]


def test_a_model_without_probabilities_shows_what_is_known():
    bare = Bars(("no", "yes"), None, known="yes", state=1)
    _, ids, marks = drawn({"a": bare})
    assert "%" not in marks[ids["a"]]
    assert len(rects(marks[ids["a"]])) == 4  # the ring, two areas to click, and the mark of the state


def test_the_layout_does_not_depend_on_what_is_known():
    other = Bars(FEW.labels, (1.0, 0.0), known="no", state=0)
    assert drawn({"a": FEW})[0] == drawn({"a": other})[0]


def test_boxes_with_a_place_move_apart():
    star = with_room(Star("y", tuple("abcdef")).drawing(), dict.fromkeys("abcdef", FEW))
    places = sorted((node.at[0], node.at[1]) for node in star.nodes if node.room)
    same = [(two[1] - one[1]) for one, two in pairwise(places) if one[0] == two[0]]
    assert min(same) > FEW.room + 24


def test_a_file_has_the_bars_and_still_is_svg():
    svg, _, marks = drawn({"a": FEW})
    whole = ElementTree.fromstring(with_marks(svg, marks))
    assert len([g for g in whole.iter(f"{SVG}g") if g.get("class") == "bars"]) == 1
