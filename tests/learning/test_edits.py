"""Wishes about links: each link once, in no direction; contradictions are refused; texts read back."""

import pytest

from pgm_nb.errors import StructureError
from pgm_nb.learning.edits import Edits, link_text, read_link

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
