"""Recipes: order, files, addresses, rows to classify, and what no recipe may do."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.data.repairs import Codebook, LeaveOutRows, Merge, NotMeasured, NumberNames, Recipe, repair
from pgm_nb.data.repairs.finding import propose, recommended
from pgm_nb.errors import DataError

RAW = pd.DataFrame(
    {
        "plas": [0, 90, 150, 200],
        "dose": ["1,5 mg", "k. A.", "2 mg", "3 mg"],
        "sex": [1, 2, 2, 1],
        "y": [0, 1, None, 1],
    }
)
RECIPE = Recipe(
    [
        {"do": "not measured", "column": "plas", "values": [0]},
        {"do": "read numbers", "column": "dose", "decimal": ",", "unit": "mg", "not_measured": ["k. A."]},
        {"do": "leave out rows", "column": "y"},
        Codebook({"plas": "glucose"}, {"sex": {"1": "male", "2": "female"}, "y": {"0": "well", "1": "ill"}}),
    ]
)


def test_raw_cells_in_readable_ones_out():
    repaired = repair(RAW, RECIPE)
    assert list(repaired) == ["glucose", "dose", "sex", "y"]
    assert repaired["y"].tolist() == ["well", "ill", "ill"]
    assert repaired["sex"].tolist() == ["male", "female", "male"]
    assert repaired["dose"].isna().tolist() == [False, True, False]


def test_new_rows_are_translated_and_none_is_lost():
    new = RECIPE.for_rows(RAW.drop(columns="y"))
    assert new["sex"].tolist() == ["male", "female", "female", "male"]
    assert len(RECIPE.for_rows(RAW)) == 4
    pd.testing.assert_frame_equal(RECIPE.for_rows(RECIPE.apply(RAW)), RECIPE.apply(RAW))


def test_a_step_that_does_not_fit_says_which_why_and_what_to_do():
    said = r"step 1 of the recipe \(plas: 0 means not measured\.\) does not fit this table: the table has no "
    with pytest.raises(DataError, match=said + r"column 'plas'; did you mean 'plasma'\?\. Take the step"):
        RECIPE.apply(pd.DataFrame({"plasma": [1]}))
    with pytest.raises(DataError, match=r"step 2 of the recipe .* “x” in row 1"):
        RECIPE.apply(RAW.assign(dose="x"))
    with pytest.raises(DataError, match="more than one column is named 'a'; number the names first"):
        Recipe([NotMeasured("a", (0,))]).apply(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_the_steps_that_fit_are_found():
    fits, frame, reasons = RECIPE.fitting(RAW.drop(columns="plas"))
    assert [step.do for step in fits.steps] == ["read numbers", "leave out rows", "codebook"]
    assert len(frame) == 3
    assert reasons == ("plas: 0 means not measured. Not possible: the table has no column 'plas'.",)
    fits, frame, reasons = RECIPE.fitting(RAW.assign(dose="x"))
    assert len(fits.steps) == 3
    assert reasons[0].startswith(
        "dose: read as numbers with decimal commas, in mg; “k. A.” not measured. Not"
    )


def test_files_and_addresses(tmp_path):
    RECIPE.save(tmp_path / "recipe.json")
    assert Recipe.read(tmp_path / "recipe.json") == RECIPE
    assert Recipe.unpack(RECIPE.pack()) == RECIPE
    assert Recipe.unpack(Recipe().pack()) == Recipe()


@pytest.mark.parametrize("word", ["", "x", "!!!", "eJwDAAAAAAE", "eNqrBQAAewB6", "ü"])
def test_a_damaged_address_is_refused(word):
    with pytest.raises(DataError):
        Recipe.unpack(word)


def test_an_address_does_not_unpack_to_anything_large():
    import base64
    import zlib

    word = base64.urlsafe_b64encode(zlib.compress(b"[" * 10_000_000)).decode().rstrip("=")
    with pytest.raises(DataError, match="too long"):
        Recipe.unpack(word)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ('{"format": "other", "steps": []}', "not a recipe"),
        ('{"format": "pgm_nb recipe", "version": 9, "steps": []}', "update pgm_nb"),
        ("3", "must be a list of steps"),
    ],
)
def test_other_files_are_refused(text, said):
    with pytest.raises(DataError, match=said):
        Recipe.from_json(text)


def test_a_codebook_stays_last_and_takes_the_place_of_another():
    more = RECIPE.plus(NotMeasured("sex", (9,)), Codebook({"sex": "gender"}, {}))
    assert [step.do for step in more.steps][-2:] == ["not measured", "codebook"]
    assert more.codebook.columns == {"sex": {"name": "gender"}}
    assert more.plus(Codebook({}, {})).codebook.columns == {"sex": {"name": "gender"}}
    assert RECIPE.without(3).codebook.names == ()


def test_names_before_and_after():
    assert RECIPE.renamed("plas") == "glucose"
    assert RECIPE.first_name("glucose") == "plas"
    assert RECIPE.renamed("sex") == RECIPE.first_name("sex") == "sex"


def test_names_that_occur_twice_are_numbered():
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "a (2)"])
    assert list(Recipe([NumberNames()]).apply(frame)) == ["a", "a (3)", "a (2)"]


CELLS = st.lists(
    st.one_of(
        st.none(),
        st.sampled_from(["k. A.", "1,5", "2,25 mg", "3 mg", "x", "X", "", "01.02.1990", "2020-02-03"]),
        st.text(max_size=4),
    ),
    min_size=3,
    max_size=12,
)
NUMBERS = st.lists(
    st.one_of(st.none(), st.sampled_from([0, -999, 9999, 1.5]), st.floats(-50, 50)), min_size=3, max_size=12
)


@settings(max_examples=25)
@given(words=CELLS, numbers=NUMBERS, data=st.data())
def test_what_is_recommended_can_be_applied_again_and_loses_no_row_but_those_without_a_class(
    words, numbers, data
):
    n = min(len(words), len(numbers))
    classes = data.draw(st.lists(st.sampled_from(["a", "b", None, "k. A."]), min_size=n, max_size=n))
    frame = pd.DataFrame(
        {"w": pd.Series(words[:n], dtype=object), "n": pd.Series(numbers[:n], dtype=float), "y": classes}
    )
    before = frame.copy()
    recipe = recommended(frame, "y")
    after = recipe.apply(frame)
    pd.testing.assert_frame_equal(frame, before)  # the given table is not changed
    without = sum(1 for label in classes if label in (None, "k. A.") and LeaveOutRows("y") in recipe.steps)
    assert len(after) in (n, n - sum(label is None for label in classes), n - without)
    pd.testing.assert_frame_equal(recipe.for_rows(after), after)
    if len(after) == n:
        pd.testing.assert_frame_equal(recipe.for_rows(frame), after)
    assert Recipe.unpack(recipe.pack()) == recipe
    assert [proposal.step for proposal in propose(after, "y")] == []


@settings(max_examples=25)
@given(cells=st.lists(st.sampled_from("abcdef"), min_size=1, max_size=10), into=st.sampled_from("abxy"))
def test_merging_twice_is_merging_once(cells, into):
    frame = pd.DataFrame({"w": cells})
    step = Merge("w", {into: ("a", "c")})
    once = step.apply(frame)
    pd.testing.assert_frame_equal(step.apply(once), once)
    assert once["w"].tolist() == [into if cell in "ac" else cell for cell in cells]
