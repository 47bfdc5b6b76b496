"""What every kind of graph says about itself, also one that is defined outside the package."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import pytest

from pgm_nb.errors import StructureError
from pgm_nb.graphs import (
    Bags,
    CherryTree,
    ClusterTree,
    GaussianStar,
    Graph,
    HiddenParents,
    JoinedStar,
    LocalCluster,
    Star,
    StrongestParents,
    Tree,
    View,
    WeightedStar,
    from_json,
)
from pgm_nb.graphs.base import KINDS
from pgm_nb.views.graph.drawing import Drawing, Node

BITS = {"a": 0.5, "b": 0.25}
CLOUD = LocalCluster("ill", 40, (50.0, 1.0), (1.5, 0.5), ((0.8, 0.6), (-0.6, 0.8)))
GRAPHS = (
    Star("y", ("a", "b"), BITS),
    GaussianStar("y", ("a", "b"), ("no", "yes"), {"a": [(0, 1), (2, 1)]}, BITS),
    Tree("y", ("a", "b"), {"b": "a"}, BITS, {"b": 0.125}),
    CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "a"}),
    CherryTree("y", ("a", "b"), {"b": "a"}, BITS, {"b": 0.125}),
    CherryTree("y", ("a",), {}),
    HiddenParents("y", ("a", "b"), {"a": {"b": 1.0}}, BITS),
    HiddenParents("y", ("a", "b"), {}),
    Bags("y", ("a", "b"), {"a": {"b": 1.0}}, BITS, threshold=0.1),
    JoinedStar("y", ("a", "b"), {"b": "a"}, {"b": -0.4}),
    JoinedStar("y", ("a", "b"), {"b": "a"}),
    JoinedStar("y", ("a", "b"), {}),
    ClusterTree("y", ("a", "b"), ("ill", "well"), (CLOUD,), {"ill": 0, "well": 1}),
    StrongestParents("y", ("a", "b"), {"a": {"b": 0.125}, "b": {"a": 0.125}}, BITS),
    StrongestParents("y", ("a", "b"), {}),
    WeightedStar("y", ("a", "b"), BITS, {"a": 1.5, "b": 0.0}),
    WeightedStar("y", ("a", "b"), BITS),
)


def said(*names: str) -> str:
    return f"<{' '.join(names)}>"


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.type_name)
def test_a_kind_says_how_each_of_its_views_is_called_and_read(graph):
    for name in (*graph.views, *graph.charts):
        view = graph.view(name)
        assert view.title
        assert view.reading.endswith(".")
        sentence = graph.sentence(name)
        assert sentence.endswith(".")
        assert sentence[0].isupper()
        assert graph.sentence(name, said).replace("<", "").replace(">", "") == sentence
    assert graph.sentence() == graph.sentence(graph.views[0])
    assert graph.links_view in graph.views
    assert set(graph.report_views) <= set(graph.views)
    assert not set(graph.views) & set(graph.charts)
    for headline in graph.headlines():
        assert headline.label
        assert headline.value
        assert headline.help.endswith(".")
    with pytest.raises(StructureError, match="was asked for"):
        graph.view("nothing")
    with pytest.raises(StructureError, match="was asked for"):
        graph.sentence("nothing")


def test_sentences_name_what_stands_out():
    star, gaussian, tree, *_ = GRAPHS
    assert star.sentence() == "Every attribute depends on y alone; a says most about it (0.50 bits)."
    assert Star("Class", ("a",)).sentence() == "Every attribute depends on the class alone."
    assert "Given y, a and b share the most information (0.12 bits)." in tree.sentence()
    assert gaussian.charts == ("curves",)
    assert not GaussianStar("y", ("a",), ("no", "yes"), {}).charts
    assert GRAPHS[9].sentence().endswith("the strongest is a and b (0.60 times as often).")
    assert {headline.label: headline.value for headline in GRAPHS[8].headlines()} == {
        "Hidden parents": "1 of 2",
        "Attributes in each": "1.0",
        "Threshold": "0.100 bits",
    }


def test_parents_that_point_both_ways_and_attributes_that_do_not_count():
    both, none, weighted, plain = GRAPHS[-4:]
    assert both.pairs == (("a", "b"),)
    assert [node.names[0] for node in both.drawing("focus").nodes] == ["y", "a", "b"]  # b on both sides, once
    assert {line.label: line.value for line in both.headlines()} == {
        "With a parent": "2 of 2",
        "Pairs both ways": "1",
    }
    assert both.part({"a"}).parent("a") is None
    assert none.sentence() == plain.sentence().replace("; a says most about it (0.50 bits)", "")
    assert weighted.ignored == ("b",)
    assert weighted.sentence().endswith("that of a most, 1.50 times; 1 attribute does not count.")
    assert dict(weighted.part({"a"}).weights) == {"a": 1.5}


def test_only_some_kinds_can_be_divided():
    assert {graph.type_name for graph in GRAPHS if graph.divisible} == {
        "star",
        "gaussian star",
        "tree",
        "cherry tree",
        "strongest parents",
        "weighted star",
    }
    with pytest.raises(StructureError, match="drawn whole"):
        GRAPHS[8].part({"a"})
    with pytest.raises(StructureError, match="Only the view 'focus'"):
        GRAPHS[0].drawing(focus="a")


def test_a_kind_of_another_file_is_read_back_by_from_json():
    @dataclass(frozen=True, eq=False, repr=False)
    class Pairs(Graph):
        type_name: ClassVar[str] = "pairs of a test"
        about: ClassVar[Mapping[str, View]] = {"pairs": View("Pairs", "Two by two.")}
        mothers: ClassVar[Mapping[str, str]] = MappingProxyType({})

        target: str
        attributes: tuple[str, ...]
        level: float | None = None

        def __post_init__(self):
            self._set(attributes=tuple(self.attributes))

        def _drawing(self, view):
            return Drawing(view, (Node("n0", (self.target,), "class"),), ())

    try:
        graph = Pairs("y", ("a", "b"), 0.5)
        assert from_json(graph.to_json()) == graph
        assert graph.views == ("pairs",)
        assert "y" in graph.to_dot()
        with pytest.raises(StructureError, match="'level' of a pairs of a test must be a JSON number"):
            from_json(graph.to_json().replace("0.5", '"high"'))
        with pytest.raises(StructureError, match="Two kinds of graph are called 'star'"):
            type("Other", (Graph,), {"type_name": "star"})
    finally:
        del KINDS["pairs of a test"]
