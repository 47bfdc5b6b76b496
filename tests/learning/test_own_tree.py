"""Trees drawn by hand: circles are refused, one root is enough, and files must fit the table."""

import pytest

from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, Star, Tree
from pgm_nb.learning.own_tree import complete, mothers_from, with_mother

NAMES = ("age", "pulse", "sex")


def test_mothers_are_set_changed_and_taken_away():
    draft = with_mother({}, "pulse", "age")
    draft = with_mother(draft, "sex", "pulse")
    assert complete(draft, NAMES, "ill") == Tree("ill", NAMES, {"pulse": "age", "sex": "pulse"})
    assert with_mother(draft, "sex", "age") == {"pulse": "age", "sex": "age"}
    fewer = with_mother(draft, "sex", None)
    assert fewer == {"pulse": "age"}
    assert complete(fewer, NAMES, "ill") is None


@pytest.mark.parametrize(("child", "mother"), [("age", "sex"), ("age", "pulse"), ("age", "age")])
def test_circles_of_any_length_are_refused(child, mother):
    draft = {"pulse": "age", "sex": "pulse"}
    with pytest.raises(StructureError, match=f"close a circle: {child} - .*; choose another mother"):
        with_mother(draft, child, mother)


def test_a_file_must_have_the_class_and_the_columns():
    assert mothers_from(Star("ill", NAMES), NAMES, "ill") == {}
    assert mothers_from(CherryTree("ill", ("sex", "age"), {"age": "sex"}), NAMES, "ill") == {"age": "sex"}
    with pytest.raises(StructureError, match="its class is 'sick', but the class of the table is 'ill'"):
        mothers_from(Star("sick", NAMES), NAMES, "ill")
    with pytest.raises(
        StructureError, match="'puls', which is not a column of the table; did you mean 'pulse'"
    ):
        mothers_from(Star("ill", ("puls",)), NAMES, "ill")


def test_a_circle_elsewhere_does_not_hold_up_the_answer():
    assert with_mother({"b": "c", "c": "b"}, "a", "b") == {"b": "c", "c": "b", "a": "b"}
