"""The tree of classes, clusters and principal components."""

import json
import pickle

import pytest

from pgm_nb.errors import StructureError
from pgm_nb.graphs import ClusterTree, LocalCluster, from_json

ONE = LocalCluster("ill", 40, (50.0, 120.0), (1.5, 0.5), ((0.8, 0.6), (-0.6, 0.8)))
TWO = LocalCluster("ill", 3, (60.0, 140.0), (1.0, 1.0), ((1.0, 0.0), (0.0, 1.0)), True)
TREE = ClusterTree(
    "state", ("age", "ill 2"), ("ill", "well"), (ONE, TWO), {"well": 2}, {"age": 0.5, "ill 2": 0.1}
)


def test_round_trips():
    assert from_json(TREE.to_json()) == TREE
    assert pickle.loads(pickle.dumps(TREE)) == TREE
    assert from_json(TREE.to_json()).clusters == (ONE, TWO)


def test_names_never_clash_with_attributes():
    assert TREE.names == ("ill 1", "ill 2_")
    assert len(set(TREE.nodes)) == len(TREE.nodes) == 1 + 2 + 4 + 2


def test_edges_and_networkx():
    kinds = [edge.kind for edge in TREE.edges]
    assert (kinds.count("class"), kinds.count("component"), kinds.count("loading")) == (2, 4, 8)
    shares = [edge.weight for edge in TREE.edges if edge.kind == "component"]
    assert shares == [0.75, 0.25, 0.5, 0.5]
    graph = TREE.to_networkx()
    assert set(graph.nodes) == set(TREE.nodes)
    assert graph.nodes["ill 1"] == {"kind": "cluster", "rows": 40}
    assert graph.edges["ill 1 PC2", "age"]["weight"] == -0.6
    assert TREE.to_graphml()


@pytest.mark.parametrize("format", ["svg", "png", "pdf", "dot"])
def test_draws(format):
    assert TREE.draw(format=format)


def test_picture_tells_what_was_ignored_and_regularised():
    dot = TREE.to_dot()
    assert "well: 2 ignored" in dot
    assert "regularised" in dot
    assert "+0.80 age" in dot
    assert "75%" in dot


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "dead"}, "'dead', which is not one of the classes"),
        ({"mean": [1.0]}, "over the 2 attributes"),
        ({"variances": [1.0]}, "one row of loadings per variance"),
        ({"variances": [1.0, 0.0]}, "positive variances"),
        ({"rows": "many"}, "not complete"),
        ({"extra": 1}, "not complete"),
    ],
)
def test_wrong_clusters_are_refused(change, message):
    content = json.loads(TREE.to_json())
    content["clusters"][0] |= change
    with pytest.raises(StructureError, match=message):
        from_json(json.dumps(content))
