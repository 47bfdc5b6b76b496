"""What a person asks of a tree or draws: links each once, circles refused, texts and files read back."""

import random

import pytest

import pgm_nb as pnb
from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, HigherCherryTree, Star, Tree
from pgm_nb.learning.by_hand import (
    Edits,
    families_from,
    link_text,
    mothers_from,
    read_link,
    second_mothers,
    structure_of,
    with_mothers,
)

COLUMNS = ("age", "pulse", "sex")


def test_mothers_are_set_changed_and_taken_away():
    draft = with_mothers(with_mothers({}, "pulse", ("age",)), "sex", ("pulse",))
    tree = structure_of("ill", COLUMNS, draft, most=1)
    assert tree == Tree("ill", COLUMNS, {"pulse": "age", "sex": "pulse"})
    assert with_mothers(draft, "sex", ("age",)) == {"pulse": ("age",), "sex": ("age",)}
    assert with_mothers(draft, "sex", ()) == {"pulse": ("age",)}


@pytest.mark.parametrize(("child", "mother"), [("age", "sex"), ("age", "pulse"), ("age", "age")])
def test_circles_of_any_length_are_refused(child, mother):
    draft = {"pulse": ("age",), "sex": ("pulse",)}
    with pytest.raises(StructureError, match=f"close a circle: {child} - .*{child}; choose another parent"):
        with_mothers(draft, child, (mother,))


def test_a_file_must_have_the_class_and_the_columns():
    assert mothers_from(Star("ill", COLUMNS), COLUMNS, "ill") == {}
    assert mothers_from(CherryTree("ill", ("sex", "age"), {"age": "sex"}), COLUMNS, "ill") == {"age": "sex"}
    with pytest.raises(StructureError, match="its class is 'sick', but the class of the table is 'ill'"):
        mothers_from(Star("sick", COLUMNS), COLUMNS, "ill")
    with pytest.raises(
        StructureError, match="'puls', which is not a column of the table; did you mean 'pulse'"
    ):
        mothers_from(Star("ill", ("puls",)), COLUMNS, "ill")


def test_a_circle_elsewhere_does_not_hold_up_the_answer():
    assert with_mothers({"b": ("c",), "c": ("b",)}, "a", ("b",)) == {"b": ("c",), "c": ("b",), "a": ("b",)}


LETTERS = ("a", "b", "c", "d", "e")


def test_any_way_of_drawing_ends_in_a_tree_that_the_graph_accepts():
    rng = random.Random(0)
    seen = 0
    for _ in range(200):
        draft = {}
        for child in rng.sample(LETTERS, 5)[1:]:
            try:
                draft = with_mothers(draft, child, (rng.choice([n for n in LETTERS if n != child]),))
            except StructureError:
                continue
            near = second_mothers(draft, child)
            if near and rng.random() < 0.7:
                draft = with_mothers(draft, child, (*draft[child], rng.choice(near)))
        if len(draft) == 4:
            graph = structure_of("y", LETTERS, draft, most=2)  # checks itself
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


NAMES = ("a", "b", "c", "a:b", "back\\slash", "x\\:y")


def test_a_link_is_asked_for_once_whatever_its_direction():
    edits = Edits().require("a", "b").require("b", "a")
    assert edits == Edits(required=(("b", "a"),))
    assert edits.forbid("a", "b") == Edits(forbidden=(("a", "b"),))
    assert not edits.clear("a", "b")
    assert edits.kind("a", "b") == "required"
    assert edits.kind("a", "c") == ""


def test_nothing_asked_sets_no_parameter():
    assert Edits().parameters() == {}
    assert Edits().forbid("a", "b").parameters() == {"forbidden": [("a", "b")]}


def test_what_no_tree_can_meet_is_refused_with_the_reason():
    ring = Edits().require("a", "b").require("b", "c")
    assert ring.checked("abc", "y") == ring
    with pytest.raises(StructureError, match="close no cycle"):
        ring.require("a", "c").checked("abc", "y")
    assert ring.require("a", "c").checked("abc", "y", mothers=2)
    with pytest.raises(StructureError, match="nothing can join 'a' to the rest"):
        Edits().forbid("a", "b").forbid("a", "c").checked("abc", "y")


@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("second", NAMES)
def test_texts_read_back_whatever_the_names(first, second):
    expected = None if first == second else (first, second)
    assert read_link(link_text(first, second), NAMES) == expected


@pytest.mark.parametrize("text", ["", ":", "a", "a:", "a:zzz", "a:b:c", "a\\:b", "a:b\\"])
def test_anything_else_is_no_link(text):
    assert read_link(text, NAMES) is None


def test_edits_of_either_kind_are_some():
    assert Edits().require("a", "b")
    assert Edits().forbid("a", "b")
    assert not Edits()
