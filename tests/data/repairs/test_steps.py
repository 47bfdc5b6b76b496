"""Every step of a recipe: what it does, what it refuses, and that it may be applied again."""

import datetime
import json

import numpy as np
import pandas as pd
import pytest

from pgm_nb.data.repairs import (
    Codebook,
    Cut,
    FromDate,
    HeaderRows,
    KeepCommon,
    LeaveOut,
    LeaveOutRows,
    Merge,
    NotMeasured,
    NumberNames,
    ReadNumbers,
    read_codebook,
)
from pgm_nb.data.repairs.step import STEPS, as_step, mapped
from pgm_nb.data.repairs.steps import date_form, read_texts
from pgm_nb.errors import DataError

ALL = [
    NumberNames(),
    HeaderRows(2, ("Lab", "column 2"), ("Lab CRP", "Lab Crea")),
    LeaveOut(("id",)),
    LeaveOutRows("class"),
    NotMeasured("insulin", (0, "k. A.")),
    ReadNumbers("dose", ",", ".", "mg", ("k. A.",)),
    Cut("age", (40.0, 60.5), ("young", "middle", "old")),
    Merge("colour", {"red": ("crimson", "scarlet")}),
    KeepCommon("ward", ("A", "B"), "elsewhere"),
    FromDate("born", "age", "day.month.year", "2020-06-30"),
    Codebook({"plas": {"name": "glucose", "unit": "mg/dl"}}, {"class": {"0": "healthy"}}),
]


@pytest.mark.parametrize("step", ALL, ids=lambda step: step.do)
def test_a_step_is_read_back_from_plain_values(step):
    assert as_step(step.to_dict()) == step
    assert step.said.endswith(".")


def test_all_steps_are_tried_here():
    assert {step.do for step in ALL} == {*STEPS}


def test_numbers_are_emptied_as_numbers_and_texts_as_texts():
    frame = pd.DataFrame({"n": [0, 1, -999], "t": ["0", "k. A.", "x"], "b": [True, False, True]})
    assert NotMeasured("n", (0, "-999.0")).apply(frame)["n"].tolist()[1] == 1
    assert NotMeasured("n", (0, "-999.0")).apply(frame)["n"].isna().tolist() == [True, False, True]
    assert NotMeasured("t", (0, "k. A.")).apply(frame)["t"].isna().tolist() == [True, True, False]
    assert NotMeasured("b", ("True",)).apply(frame)["b"].isna().tolist() == [True, False, True]
    assert frame["n"].tolist() == [0, 1, -999]  # the given table is not changed


@pytest.mark.parametrize(
    ("texts", "style", "numbers"),
    [
        (["12,5", "8", "-3,25"], (",", "", ""), [12.5, 8, -3.25]),
        (["12,5 mg", "8mg", "9"], (",", "", "mg"), [12.5, 8, 9]),
        (["1.234,5", "12.500", "7"], (",", ".", ""), [1234.5, 12500, 7]),
        (["1,234.5", "12,500", "7.25"], (".", ",", ""), [1234.5, 12500, 7.25]),
        (["1 234,5", "12\u202f500"], (",", " ", ""), [1234.5, 12500]),
        (["<0,5", "> 90", "≤ 3"], (",", "", ""), [0.5, 90, 3]),
        (["\u22125", "+4", "1e-3", ".5", "5."], (".", "", ""), [-5, 4, 0.001, 0.5, 5]),
        (["50 %", "10%"], (".", "", "%"), [50, 10]),
        (["1.2.3", "1,2,3", "abc", "", "12 kg", "1e999"], (",", "", "mg"), [np.nan] * 6),
    ],
)
def test_numbers_are_read_as_people_write_them(texts, style, numbers):
    np.testing.assert_array_equal(read_texts(texts, *style), numbers)


def test_what_is_no_number_is_named_with_its_row():
    frame = pd.DataFrame({"dose": ["1,5", "2", "about 3"]})
    with pytest.raises(DataError, match=r"1 text that cannot be read as numbers, such as “about 3” in row 3"):
        ReadNumbers("dose", ",").apply(frame)


def test_numbers_among_text_as_a_workbook_has_them():
    frame = pd.DataFrame({"dose": [1.5, 2, "k. A.", None]}, dtype=object)
    assert ReadNumbers("dose", not_measured=("k. A.",)).apply(frame)["dose"].tolist()[:2] == [1.5, 2.0]


def test_a_number_equal_to_a_cut_point_belongs_to_the_lower_class():
    cells = pd.DataFrame({"age": [40, 40.5, 60.5, 61, None]})
    cut = Cut("age", (40, 60.5)).apply(cells)["age"]
    assert cut.tolist()[:4] == ["≤ 40", "(40, 60.5]", "(40, 60.5]", "> 60.5"]
    assert cut.isna().tolist() == [False] * 4 + [True]
    with pytest.raises(DataError, match="must hold numbers to be cut, but holds “old”"):
        Cut("age", (40,)).apply(pd.DataFrame({"age": ["old"]}))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Cut("a", ()), "at least one"),
        (lambda: Cut("a", (2, 1)), "must ascend"),
        (lambda: Cut("a", (float("nan"),)), "must be numbers"),
        (lambda: Cut("a", (1,), ("low", "low")), "a name of its own"),
        (lambda: ReadNumbers("a", ";"), "decimal point or comma"),
        (lambda: FromDate("a", "week"), "one of age, month, year"),
        (lambda: FromDate("a", "age"), "an age needs a day"),
        (lambda: Merge("a", {"x": ("b",), "y": ("b",)}), "“b” is in more than one group"),
        (lambda: Merge("a", {"x": ("y",), "z": ("x",)}), "“y” becomes “x”, which itself becomes “z”"),
        (lambda: Codebook({}, {"a": {"1": "2", "2": "1"}}), "give it a name that is not one of the values"),
        (lambda: Codebook({"a": "x", "b": "x"}, {}), "more than one column the name 'x'"),
        (lambda: NotMeasured("a", ({},)), "texts and numbers"),
        (lambda: as_step({"do": "cut", "column": "a"}), "needs 'cuts'"),
        (lambda: as_step({"do": "cut", "column": "a", "cuts": [1], "why": 2}), "has no part 'why'"),
        (lambda: as_step(["cut"]), "a step of a recipe says what it does"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(make, said):
    with pytest.raises(DataError, match=said):
        make()


def test_values_with_an_order_keep_it():
    codes = mapped(pd.Series([3, 1, 2, 1]), {"1": "never", "2": "at times", "3": "often"})
    assert codes.cat.categories.tolist() == ["never", "at times", "often"]
    grades = pd.Series(pd.Categorical(["b", "a"], ["a", "b", "c"], ordered=True))
    assert mapped(grades, {"a": "low"}).cat.categories.tolist() == ["low", "b"]
    assert mapped(grades, {"a": "low"}).cat.ordered


def test_ages_are_completed_years():
    frame = pd.DataFrame({"born": ["01.07.1950", "30.06.1950", None, "??"]})
    ages = FromDate("born", "age", "day.month.year", "2020-06-30").apply(frame)["age from born"]
    assert ages.tolist()[:2] == [69, 70]
    assert ages.isna().tolist() == [False, False, True, True]


def test_dates_of_every_type_have_months_and_years():
    day = datetime.date(2020, 3, 9)
    for cells in ([day], [pd.Timestamp(day)], ["2020-03-09"], ["2020-03-09 10:30"]):
        frame = pd.DataFrame({"seen": cells})
        assert FromDate("seen", "month").apply(frame)["month of seen"].tolist() == ["Mar"]
        assert FromDate("seen", "year").apply(frame)["year of seen"].tolist() == [2020]


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        (["2020-01-05"], "year-month-day"),
        (["05.01.2020", "31.12.19"], None),  # two forms
        (["05.01.2020"], "day.month.year"),
        (["31.12.19"], "day.month.year (2 digits)"),
        (["13/01/2020"], "day/month/year"),
        (["01/13/2020"], "month/day/year"),
        (["2020/01/13"], "year/month/day"),
        (["12.5", "1.2"], None),
        ([], None),
    ],
)
def test_forms_of_dates(cells, form):
    assert date_form(pd.Series(cells, dtype=object)) == form


def test_a_codebook_does_not_make_words_of_a_measurement():
    frame = pd.DataFrame({"insulin": range(100)})
    with pytest.raises(DataError, match="99 numbers without a name"):
        Codebook({}, {"insulin": {"0": "none"}}).apply(frame)


def test_a_codebook_takes_no_name_that_another_column_has():
    with pytest.raises(DataError, match="already has a column 'b'"):
        Codebook({"a": "b"}, {}).apply(pd.DataFrame({"a": [1], "b": [2]}))
    swapped = Codebook({"a": "b", "b": "a"}, {}).apply(pd.DataFrame({"a": [1], "b": [2]}))
    assert swapped.to_dict("list") == {"b": [1], "a": [2]}


def test_classes_that_were_whole_numbers_are_so_again_without_the_gaps():
    frame = pd.DataFrame({"y": [0, 1, None]})
    assert LeaveOutRows("y").apply(frame)["y"].astype(str).tolist() == ["0", "1"]
    assert LeaveOutRows("y").apply(pd.DataFrame({"y": [0.5, None]}))["y"].tolist() == [0.5]


def test_a_codebook_is_written_and_read_back(tmp_path):
    book = Codebook({"plas": {"name": "glucose", "unit": "mg/dl"}}, {"y": {"0": "well", "-1": "ill, very"}})
    (tmp_path / "book.csv").write_text(book.as_csv())
    assert read_codebook(tmp_path / "book.csv") == book
    (tmp_path / "book.json").write_text(json.dumps(book.rows()))
    assert read_codebook(tmp_path / "book.json") == book
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="not a codebook: its first line must have the words"):
        read_codebook(tmp_path / "other.csv")
