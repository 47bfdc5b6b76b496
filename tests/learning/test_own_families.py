"""A tree drawn by hand with up to two mothers: every draft stays one that a cherry tree can have."""

import random

import pytest

import pgm_nb as pnb
from pgm_nb.errors import StructureError
from pgm_nb.graphs import HigherCherryTree
from pgm_nb.learning.own_families import families_from, second_mothers, structure_of, with_mothers

NAMES = ("a", "b", "c", "d", "e")


def test_any_way_of_drawing_ends_in_a_tree_that_the_graph_accepts():
    rng = random.Random(0)
    seen = 0
    for _ in range(200):
        draft = {}
        for child in rng.sample(NAMES, 5)[1:]:
            try:
                draft = with_mothers(draft, child, (rng.choice([n for n in NAMES if n != child]),))
            except StructureError:
                continue
            near = second_mothers(draft, child)
            if near and rng.random() < 0.7:
                draft = with_mothers(draft, child, (*draft[child], rng.choice(near)))
        if len(draft) == 4:
            graph = structure_of("y", NAMES, draft, most=2)  # checks itself
            assert {child: set(its) for child, its in graph.families.items()} == {
                child: set(its) for child, its in draft.items()
            }
            seen += any(len(its) == 2 for its in draft.values())
    assert seen > 20


def test_a_circle_is_named_also_through_a_second_mother():
    draft = with_mothers({"b": ("a",)}, "c", ("a", "b"))
    with pytest.raises(StructureError, match="circle"):
        with_mothers(draft, "b", ("c",))
    with pytest.raises(StructureError, match="circle"):
        with_mothers(draft, "a", ("c",))


def test_a_pair_that_loses_its_link_keeps_the_first_mother():
    draft = {"b": ("a",), "c": ("a", "b"), "d": ("b", "c"), "e": ("a",)}
    assert with_mothers(draft, "b", ("e",)) == {"c": ("a",), "d": ("b",), "e": ("a",), "b": ("e",)}


def test_a_tree_with_two_mothers_from_a_file_and_fitted():
    X, y = pnb.load_sample("iris")
    one, two, three, four = X.columns
    families = {two: (one,), three: (one, two), four: (three,)}
    graph = structure_of("class", tuple(X.columns), families, most=2)
    assert families_from(graph, tuple(X.columns), "class") == families
    model = pnb.GeneralizedNaiveBayes(structure=graph, order=4, parameters="generative", n_bins=3).fit(X, y)
    assert isinstance(model.structure_, HigherCherryTree)
    assert {child: set(its) for child, its in model.structure_.families.items()} == {
        child: set(its) for child, its in families.items()
    }
