"""Parts of graphs that are too large for one picture."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, GaussianStar, Star, Tree

NAMES = tuple(f"x{i}" for i in range(12))


@st.composite
def cherries(draw):
    mothers = {NAMES[i]: NAMES[draw(st.integers(0, i - 1))] for i in range(1, len(NAMES))}
    bits = {name: draw(st.floats(0, 1)) for name in NAMES}
    return CherryTree("y", NAMES, mothers, bits, {name: bits[name] for name in mothers})


@given(cherries(), st.sampled_from(NAMES), st.integers(0, 5))
def test_around_is_what_networkx_finds(cherry, middle, reach):
    tree = nx.Graph(list(cherry.mothers.items()))
    near = cherry.around(middle, reach)
    assert set(near) == set(nx.ego_graph(tree, middle, radius=reach))
    shown = cherry.part(near)
    assert set(shown.edges) <= set(cherry.edges)
    assert len(shown.mothers) == len(near) - 1  # one piece
    more = cherry.cut_links(near)
    assert {name: tree.degree(name) - shown_degree(shown, name) for name in near} == {
        name: more.get(name, 0) for name in near
    }


def shown_degree(shown, name):
    return sum(name in pair for pair in shown.mothers.items())


def test_stars_can_be_cut_anywhere():
    star = Star("y", ("a", "b", "c"), {"a": 0.1, "b": 0.2, "c": 0.3})
    assert star.part({"c", "a"}) == Star("y", ("a", "c"), {"a": 0.1, "c": 0.3})
    curves = GaussianStar("y", ("a", "b"), ("no", "yes"), {"a": [(0, 1), (1, 1)], "b": [(0, 1), (2, 1)]})
    assert curves.part(["b"]).gaussians == {"b": ((0.0, 1.0), (2.0, 1.0))}
    assert star.cut_links({"a"}) == {}


def test_a_tree_must_not_fall_apart():
    tree = Tree("y", ("a", "b", "c"), {"b": "a", "c": "b"})
    assert dict(tree.part({"b", "c"}).mothers) == {"c": "b"}
    with pytest.raises(StructureError, match="one root"):
        tree.part({"a", "c"})


def test_strange_names_are_refused():
    star = Star("y", ("a", "b"))
    for call in (lambda: star.part({"z"}), lambda: star.around("z", 1)):
        with pytest.raises(StructureError, match="no attribute 'z'"):
            call()
