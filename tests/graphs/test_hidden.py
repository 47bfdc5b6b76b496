"""Hidden parents and bags as graph objects, and their views."""

import pickle
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from pgm_nb.errors import StructureError
from pgm_nb.graphs import Bags, Edge, HiddenParents, from_json
from pgm_nb.graphs.hidden import MOST_ARCS

NAMES = ("age", "sex", "pulse")
WEIGHTS = {"pulse": {"age": 0.9, "sex": 0.1}, "age": {"pulse": 1.0}}
RELEVANCE = {"age": 0.3, "sex": 0.4, "pulse": 0.1}
GRAPHS = [
    HiddenParents("disease", NAMES, WEIGHTS, RELEVANCE),
    HiddenParents("disease", NAMES, {}),
    Bags("disease", NAMES, WEIGHTS, RELEVANCE, threshold=0.2),
    Bags("disease", NAMES, {}, threshold=9),
]
graphs = pytest.mark.parametrize("graph", GRAPHS, ids=repr)


def many(d):
    names = tuple(f"x{i}" for i in range(d))
    total = d * (d - 1) / 2
    weights = {a: {b: 0.0 for b in names if b != a} for a in names}
    for a in names:
        for place, b in enumerate(weights[a], 1):
            weights[a][b] = place / total
    return HiddenParents("y", names, weights, {name: i / d for i, name in enumerate(names)})


def test_bags_weights_and_edges():
    graph = GRAPHS[0]
    assert list(graph.weights) == ["age", "pulse"]  # column order
    assert dict(graph.bag("pulse")) == {"age": 0.9, "sex": 0.1}
    assert dict(graph.bag("sex")) == {}
    assert graph.in_naive_bag == ("sex",)
    assert graph.edges == (
        Edge("disease", "age", "class", 0.3),
        Edge("disease", "sex", "class", 0.4),
        Edge("disease", "pulse", "class", 0.1),
        Edge("pulse", "age", "hidden", 1.0),
        Edge("age", "pulse", "hidden", 0.9),
        Edge("sex", "pulse", "hidden", 0.1),
    )
    assert graph.most_relevant == "age"
    with pytest.raises(StructureError, match="no attribute 'height'"):
        graph.bag("height")


@graphs
def test_travels(graph):
    assert from_json(graph.to_json()) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert hash(from_json(graph.to_json())) == hash(graph)
    assert "disease" in graph.to_graphml()
    assert graph.to_networkx().number_of_edges() == len(graph.edges)


def test_frozen_and_unlike():
    with pytest.raises(TypeError):
        GRAPHS[0].weights["age"]["pulse"] = 0.5
    assert GRAPHS[0] != GRAPHS[1]
    assert GRAPHS[0] != GRAPHS[2]


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        ({"height": {"age": 1.0}}, "not among the attributes"),
        ({"age": {"height": 1.0}}, "not among the attributes"),
        ({"age": {"age": 1.0}}, "own hidden parent"),
        ({"age": {"sex": 0.5}}, "sum to one"),
        ({"age": {"sex": 1.5, "pulse": -0.5}}, "above zero"),
        ({"age": {"sex": "all"}}, "above zero"),
        ({"age": 1.0}, "contributors"),
    ],
)
def test_what_is_no_mixture_is_refused(weights, reason):
    with pytest.raises(StructureError, match=reason):
        HiddenParents("disease", NAMES, weights)


def test_a_threshold_is_a_number():
    with pytest.raises(StructureError, match="finite number of bits"):
        Bags("disease", NAMES, {}, threshold=float("inf"))


@graphs
def test_every_view_is_a_picture(graph):
    for view in graph.views:
        root = ElementTree.fromstring(graph.draw(view))
        assert root.tag.endswith("svg")
        assert graph.to_dot(view).startswith("digraph")
    with pytest.raises(StructureError, match="views"):
        graph.draw("star")


def test_focus_on_any_attribute():
    graph = many(30)
    assert "x29" in graph.to_dot("focus")
    assert "bits" not in graph.to_dot("focus", focus="x3")
    drawing = graph.drawing("focus", focus="x3")
    assert drawing.nodes[1].lines == ("x3",)
    assert drawing.nodes[2].lines == ("x29",)  # the heaviest contributor stands at the top
    assert ("13 others",) in [node.lines for node in drawing.nodes]
    with pytest.raises(StructureError, match="no attribute"):
        graph.draw("focus", focus="z")
    with pytest.raises(StructureError, match="Only the view 'focus'"):
        graph.draw("heatmap", focus="x3")


def test_only_the_strongest_arcs_are_drawn_and_the_rest_is_owned_up_to():
    graph = many(36)
    drawing = graph.drawing("strongest")
    assert 0 < len(drawing.arcs) <= MOST_ARCS
    [note] = [node for node in drawing.nodes if node.id == "note"]
    assert f"{36 * 35 - len(drawing.arcs):,} arcs below" in note.lines[1]
    weights = sorted((e.weight for e in graph.edges if e.kind == "hidden"), reverse=True)
    assert weights[len(drawing.arcs) - 1] > weights[len(drawing.arcs)]  # no choice among equals


def test_equal_arcs_are_never_chosen_among():
    names = tuple(f"x{i}" for i in range(12))
    even = {a: {b: 1 / 11 for b in names if b != a} for a in names}
    drawing = HiddenParents("y", names, even).drawing("strongest")
    assert not drawing.arcs
    assert any("132 arcs" in line for node in drawing.nodes for line in node.lines)


def test_heat_map_shows_every_weight_that_rounds_to_a_percent():
    dot = many(10).to_dot("heatmap")
    assert dot.count(">20</FONT>") == 10  # 9 of 45 for the last contributor of each
    assert dot.count("<TR>") == 12


def test_names_are_shown_as_they_are():
    hostile = ("<b>", 'a"b', "a&amp;b", "x\ny", "%s\\n")
    bag = {"<b>": dict.fromkeys(hostile[1:], 0.25)}
    graph = Bags("</TABLE>", hostile, bag, dict.fromkeys(hostile, 0.1), threshold=0.1)
    for view in graph.views:
        text = "".join(ElementTree.fromstring(graph.draw(view)).itertext())
        for name in ("<b>", 'a"b', "a&amp;b", "x␊y", "%s\\n"):
            assert name in text.replace("\xa0", " ")


def test_long_names_do_not_push_one_bag_over_another():
    names = [f"administration {number} of the drug in the south" for number in range(9)]
    weights = {name: {other: 1 / 8 for other in names if other != name} for name in names}
    svg = Bags("y", names, weights, threshold=0.1).draw("bags").decode()
    boxes = []
    for outline in re.findall(r'<path fill="none" stroke="[^"]*" d="([^"]*)"', svg):
        points = [tuple(map(float, pair.split(","))) for pair in re.findall(r"[-\d.]+,[-\d.]+", outline)]
        boxes.append([(min(side), max(side)) for side in zip(*points, strict=True)])
    assert len(boxes) == 9
    assert len({left for (left, _), _ in boxes}) > 1  # side by side
    for (across, down), (other_across, other_down) in combinations(boxes, 2):
        assert apart(across, other_across) or apart(down, other_down)


def apart(one, other):
    return one[1] <= other[0] or other[1] <= one[0]
