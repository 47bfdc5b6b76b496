"""From the ids of an SVG back to the names of the graph."""

from xml.etree import ElementTree

import pytest

from pgm_nb.graphs import (
    Bags,
    CherryTree,
    ClusterTree,
    GaussianStar,
    HiddenParents,
    JoinedStar,
    LocalCluster,
    Star,
    Tree,
)
from pgm_nb.views.graph.drawing import Element, elements

NAMES = ("age", "<b>pulse</b>", 'a "dose"', "n1->n2", "\\N", "sex")
MOTHERS = {NAMES[i]: NAMES[(i - 1) // 2] for i in range(1, len(NAMES))}
SHARES = {NAMES[0]: {NAMES[1]: 0.75, NAMES[2]: 0.25}, NAMES[1]: {NAMES[0]: 1.0}}
PART = LocalCluster(
    "ill", 9, (0.0,) * 6, (1.0,) * 6, tuple(tuple(float(i == j) for j in range(6)) for i in range(6))
)
GRAPHS = (
    Star("ill", NAMES),
    Tree("ill", NAMES, MOTHERS),
    CherryTree("ill", NAMES, MOTHERS),
    HiddenParents("ill", NAMES, SHARES),
    Bags("ill", NAMES, SHARES),
    GaussianStar("ill", NAMES, ("no", "yes"), {"age": [(40, 10), (60, 5)]}),
    ClusterTree("ill", NAMES, ("ill", "well"), (PART, PART), {}),
    JoinedStar("ill", NAMES, {NAMES[1]: NAMES[0]}, {NAMES[1]: 0.4}, ("sex",)),
)  # fmt: skip
NOTES = {"note", "left", "naive", "table", "c0r", "c1r"}  # boxes that only say something


def ids(svg):
    groups = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g")
    return {group.get("data-id") for group in groups if group.get("class", "").split()[0] in ("node", "edge")}


@pytest.mark.parametrize(
    ("graph", "view"),
    [(graph, view) for graph in GRAPHS for view in graph.views],
    ids=lambda part: str(part)[:40],
)
def test_every_group_of_the_svg_is_known(graph, view):
    found = elements(graph.drawing(view))
    drawn = ids(graph.draw(view))
    notes = {id for id in drawn if NOTES & set(id.replace("->", " ").split())}
    assert drawn - notes == set(found)
    known = {*graph.nodes, *graph.attributes}
    assert all(set(element.names) <= known for element in found.values())


def test_what_the_boxes_and_lines_of_a_cherry_tree_stand_for():
    cherry = CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "a", "d": "a"})
    tree = elements(cherry.drawing("tree"))
    assert tree["n0"] == Element("class", ("y",))
    assert tree["n2"] == Element("attribute", ("b",))
    assert tree["n1->n2"] == Element("link", ("a", "b"))
    junction = elements(cherry.drawing("junction"))
    assert junction["c1"] == Element("cluster", ("y", "a", "b"))
    assert junction["s2"] == junction["c1--s2"] == junction["s2--c2"] == Element("separator", ("y", "a"))
    assert elements(cherry.drawing("compact"))["s2--c3"] == Element("separator", ("y", "a"))


def test_a_hidden_parent_and_its_members():
    graph = HiddenParents("y", ("a", "b", "c"), {"a": {"b": 0.75, "c": 0.25}})
    found = elements(graph.drawing("focus", focus="a"))
    assert found["own"] == Element("attribute", ("a",))
    assert found["hidden"] == Element("hidden", ("a",))
    assert found["m0:e->hidden:w"] == Element("link", ("b", "a"))
    assert elements(Bags("y", ("a", "b"), {"a": {"b": 1.0}}).drawing("bags"))["b0"] == Element(
        "table", ("a",)
    )


def test_a_joined_pair_is_one_box():
    graph = JoinedStar("y", ("a", "b", "c"), {"b": "a"}, {"b": 0.4}, ("c",))
    assert elements(graph.drawing())["n1"] == Element("cluster", ("a", "b"))
