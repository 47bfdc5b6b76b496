"""The recipe in the address: short as one word, long by a word that finds it."""

from types import SimpleNamespace

import pandas as pd
import pytest

from pgm_nb.app.shell import repairs
from pgm_nb.app.shell.sources import sample_source
from pgm_nb.app.shell.uploads import KeptFile
from pgm_nb.data.repairs import Codebook, NotMeasured, Recipe

LONG = Recipe([Codebook({}, {"x": {str(i): f"name {i * 2654435761 % 2**32}" for i in range(900)}})])
SHORT = Recipe([NotMeasured("x", (0,))])


@pytest.fixture
def shelf(monkeypatch):
    files = {}

    def hold(upload):
        files["secret"] = KeptFile("secret", upload.name, upload.getvalue())
        return "secret"

    monkeypatch.setattr(repairs, "hold", hold)
    monkeypatch.setattr(repairs, "find", files.get)
    return files


def test_a_short_recipe_is_the_word_itself(shelf):
    assert repairs._written(SHORT) == [SHORT.pack()]
    assert repairs._written(Recipe()) == []
    assert repairs._read(SHORT.pack()) == SHORT
    assert not shelf


def test_a_long_recipe_is_found_by_its_word_and_not_without_it(shelf):
    assert repairs._written(LONG) == ["~secret"]
    assert repairs._read("~secret") == LONG
    shelf.clear()
    assert repairs._read("~secret") is None


def test_where_nothing_can_be_held_a_long_recipe_is_in_the_address_all_the_same(monkeypatch):
    monkeypatch.setattr(repairs, "hold", lambda upload: None)
    assert repairs._written(LONG) == [LONG.pack()]


def test_a_recipe_makes_another_source_of_the_same_file():
    iris = sample_source("iris")
    first = repairs.with_recipe(iris, SHORT)
    again = repairs.with_recipe(first, LONG)
    assert repairs.with_recipe(iris, Recipe()) == iris
    assert len({iris.digest, first.digest, again.digest}) == 3
    assert first.before == again.before == iris.digest


def test_choices_follow_the_names_of_columns(monkeypatch):
    state = {"class": "y", "without": ["id", "born"], "cut": ["plas:90"], "recipe": []}
    monkeypatch.setattr(repairs, "st", SimpleNamespace(session_state=state))
    named = Recipe([Codebook({"y": "outcome", "plas": {"unit": "mg/dl"}, "id": "number"}, {})])
    repairs.set_recipe(named)
    assert state["class"] == "outcome"
    assert state["without"] == ["number", "born"]
    assert state["cut"] == ["plas (mg/dl):90"]
    repairs.undo()
    assert (state["class"], state["cut"], state["recipe"]) == ("y", ["plas:90"], [])


def test_idle_columns_never_leave_nothing():
    frame = pd.DataFrame({"a": [1, 1], "b": [2, 2], "y": [0, 1]})
    assert repairs.idle_of(sample_source("t"), frame, "y") == {}


def test_a_project_holds_a_long_recipe_in_full_and_the_address_does_not(shelf):
    words = repairs._written(LONG)
    assert repairs.spelled_out(words) == [LONG.pack()]
    assert repairs.shortened([LONG.pack()]) == ["~secret"]
    assert repairs.shortened(["nonsense"]) == []
