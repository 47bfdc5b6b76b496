"""Which links two structures share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pgm_nb as pnb
from pgm_nb.errors import StructureError
from pgm_nb.graphs import Bags, CherryTree, HiddenParents, Star, Tree
from pgm_nb.graphs.compare import compare

NAMES = tuple("abcdef")


@st.composite
def trees(draw):
    order = draw(st.permutations(NAMES))
    mothers = {child: order[draw(st.integers(0, place - 1))] for place, child in enumerate(order) if place}
    return CherryTree("y", order, mothers)


@given(trees(), trees())
def test_every_link_is_counted_once(one, other):
    found = compare(one, other)
    assert len(found.common) + len(found.only_first) == len(NAMES) - 1
    assert len(found.common) + len(found.only_second) == len(NAMES) - 1
    back = compare(other, one)
    assert (back.common, back.only_first, back.only_second) == (
        found.common,
        found.only_second,
        found.only_first,
    )


@given(trees())
def test_a_tree_turned_around_is_the_same(cherry):
    links = [(child, mother) for child, mother in cherry.mothers.items()]
    root, mothers = cherry.order[-1], {}
    reached = [root]
    for name in reached:
        for pair in links:
            other = next((end for end in pair if end != name), name)
            if name in pair and other not in reached:
                mothers[other] = name
                reached.append(other)
    found = compare(cherry, Tree("y", NAMES, mothers))
    assert not found.only_first
    assert not found.only_second


def test_the_paper_s_table():
    X, y = pnb.load_sample("wdbc")
    greedy = pnb.GeneralizedNaiveBayes().fit(X, y).structure_
    tan = pnb.TreeAugmentedNaiveBayes().fit(X, y).structure_
    found = compare(greedy, tan)
    assert (len(found.common), len(found.only_first), len(found.only_second)) == (27, 2, 2)
    exact = pnb.GeneralizedNaiveBayes(search="exact").fit(X, y).structure_
    assert not compare(exact, tan).only_first  # the best tree of all is TAN's (docs/models.md)


def test_hidden_parents_link_both_ways_and_stars_do_not():
    hidden = HiddenParents("y", ("a", "b", "c"), {"a": {"b": 0.5, "c": 0.5}, "b": {"a": 1.0}})
    assert compare(hidden, Star("y", ("a", "b", "c"))).only_first == {frozenset("ab"), frozenset("ac")}
    assert compare(hidden, Bags("y", ("a", "b", "c"), {"b": {"a": 1.0}})).common == {frozenset("ab")}


def test_marked_lines_differ_by_colour_and_dash():
    one = Tree("y", ("a", "b", "c"), {"b": "a", "c": "a"})
    other = Tree("y", ("a", "b", "c"), {"b": "a", "c": "b"})
    found = compare(one, other)
    kinds = [{arc.kind for arc in found.mark(graph.drawing()).arcs} for graph in (one, other)]
    assert kinds == [{"class", "common", "first"}, {"class", "common", "second"}]


def test_other_attributes_cannot_be_compared():
    with pytest.raises(StructureError, match="same class and attributes"):
        compare(Star("y", ("a", "b")), Star("y", ("a", "c")))
    with pytest.raises(StructureError, match="same class and attributes"):
        compare(Star("y", ("a", "b")), Star("z", ("a", "b")))
