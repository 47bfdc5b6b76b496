"""Headers of several rows: found, made into names, and undone by nothing that looks like one."""

import io

import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.data.read import read_table
from pgm_nb.data.repairs import HeaderRows, Recipe
from pgm_nb.data.repairs.finding import propose, recommended
from pgm_nb.data.repairs.header import find_header
from pgm_nb.errors import DataError

MERGED = "Export of 2024;;;;\nPatient;Pressure;;Lab;Outcome\nNo;sys;dia;CRP;\n" + "".join(
    f"{i + 7};{110 + i};{70 + i % 9};{i / 10:.1f};{'ill' if i % 3 else 'well'}\n" for i in range(40)
)
NAMES = ["Patient No", "Pressure sys", "Pressure dia", "Lab CRP", "Outcome"]


def read(text):
    file = io.BytesIO(text.encode())
    file.name = "t.csv"
    return read_table(file)


def test_merged_cells_become_names_and_numbers_become_numbers():
    frame = read(MERGED)
    [found] = propose(frame)
    assert found.step.called == tuple(NAMES)
    assert found.rows == 2
    made = found.step.apply(frame)
    assert list(made) == NAMES
    assert made["Pressure sys"].tolist() == list(range(110, 150))
    assert made["Lab CRP"].dtype == float
    assert set(made["Outcome"]) == {"ill", "well"}
    assert len(frame) == 42  # the given table is not changed
    assert propose(made, "Outcome")[0].kind == "left out"  # and no header any more


def test_a_row_of_units_belongs_to_the_header():
    frame = pd.DataFrame(
        {"age": ["years", *(str(20 + 7 * i % 50) for i in range(30))], "crp": ["mg/l", *["1,5", "2"] * 15]}
    )
    recipe = recommended(frame.assign(y=["", *"ab" * 15]))
    made = recipe.apply(frame.assign(y=["", *"ab" * 15]))
    assert list(made) == ["age years", "crp mg/l", "y"]
    assert made["crp mg/l"].tolist()[:2] == [1.5, 2.0]


def test_new_rows_pass_with_and_without_the_header_and_twice():
    frame = read(MERGED)
    recipe = Recipe([find_header(frame).step])
    made = recipe.apply(frame)
    pd.testing.assert_frame_equal(recipe.for_rows(frame), made)
    pd.testing.assert_frame_equal(recipe.for_rows(made), made)
    assert len(recipe.for_rows(frame.iloc[2:5])) == 3  # somebody has taken the header away
    assert recipe.renamed("column 5") == "Outcome"
    assert Recipe.unpack(recipe.pack()) == recipe
    assert "none of the columns" in recipe.steps[0].missing_from(pd.DataFrame({"a": [1]}))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": ["k. A.", "1,5", "2"] * 9, "b": ["k. A.", "3", "4"] * 9}),  # marks
        pd.DataFrame({"a": ["x", "y"] * 9, "b": ["u", "v"] * 9}),  # words below words
        pd.DataFrame({"a": ["mg", *"1234567"], "b": range(8)}),  # one cell alone may be a mistake
        pd.DataFrame({"a": ["12 mg", "9 mg"] * 5, "b": ["5 kg", "6 kg"] * 5}),
        pd.DataFrame({"a": [], "b": []}),
    ],
)
def test_what_is_no_header_is_left_alone(frame):
    assert find_header(frame) is None


@pytest.mark.parametrize("sample", ["heart", "house_votes", "zoo"])
def test_samples_have_one_line_of_names(sample):
    assert find_header(pnb.load_sample(sample)[0].astype(str)) is None


@pytest.mark.parametrize(
    ("rows", "called", "said"),
    [(0, ["a", "b"], "1 to 3 rows"), (1, ["a", "a"], "a name of its own"), (1, ["a"], "a name of its own")],
)
def test_a_strange_step_is_refused(rows, called, said):
    with pytest.raises(DataError, match=said):
        HeaderRows(rows, ["x", "y"], called)
