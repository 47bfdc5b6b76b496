"""Every word has a plain meaning, and names of strangers stay as they are."""

import pytest

from pgm_nb.app.widgets import words
from pgm_nb.graphs import Bags, CherryTree, ClusterTree, GaussianStar, Star, Tree
from pgm_nb.models import TABLE_MODELS

RELEVANCE = {"a": 0.5, "b": 0.25, "c": 0.125}
CHERRY = CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "b"}, RELEVANCE, {"b": 0.1, "c": 0.75})


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("age", "age"),
        ("<script>", r"\<script\>"),
        ("a|b", r"a\|b"),
        ("$x$", r"\$x\$"),
        ("_it_ `code` [link](x)", r"\_it\_ \`code\` \[link\]\(x\)"),
        (":smile:", "\\:\u2060smile\\:"),
        (":+1:", "\\:\u2060\\+1\\:"),
        ("sex: f", r"sex\: f"),
        ("a -> b", "a \\-\u2060\\> b"),
        ("  two\nlines ", "two lines"),
        ("Größe (µm)", r"Größe \(µm\)"),
    ],
)
def test_literal(name, shown):
    assert words.literal(name) == shown


def test_bold_of_nothing_is_not_a_rule():
    assert words.bold(" ") == ""


def test_everything_that_can_be_chosen_has_a_name():
    drawn = {
        view for kind in (Star, Tree, CherryTree, Bags, GaussianStar, ClusterTree) for view in kind.views
    }
    assert set(words.VIEWS) == drawn | {"curves", "plane", "row"}  # and those of the page itself
    help_text = words.model_help({kind.short_name: kind.title for kind in TABLE_MODELS})
    assert all(kind.title in help_text for kind in TABLE_MODELS)


@pytest.mark.parametrize("view", CherryTree.views)
def test_a_sentence_for_every_view(view):
    said = words.sentence(CHERRY, view)
    assert said.endswith(".")
    assert said.count(". ") == 0


def test_the_sentence_names_the_strongest_tie():
    assert "b and c share most (0.75 bits)" in words.sentence(CHERRY, "tree")


def test_names_in_the_sentence_are_dressed():
    said = words.sentence(Star("*y*", ("<b>",), {"<b>": 0.5}), "star", words.bold)
    assert said == r"Every attribute hangs on **\*y\*** alone; **\<b\>** tells most about it (0.50 bits)."


def test_one_attribute_has_no_tie():
    said = words.sentence(CherryTree("class", ("a",), {}, {"a": 0.5}, {}), "junction")
    assert said == "Every attribute hangs on the class alone; a tells most about it (0.50 bits)."
