"""What is found in tables, and what is not."""

import datetime
import io

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.data.repairs import Cut, FromDate, NumberNames, ReadNumbers
from pgm_nb.data.repairs.find_cells import find_mark, reading_of
from pgm_nb.data.repairs.finding import (
    DATES,
    FREE_TEXT,
    MIXED,
    NAMES_ROWS,
    NUMBERS_ROWS,
    class_proposals,
    idle_columns,
    propose,
    recommended,
)
from pgm_nb.errors import DataError

RNG = np.random.default_rng(7)
PRESSURE = RNG.integers(90, 180, 200).astype(float)
INSULIN = np.where(np.arange(200) % 2, 0, 14 + RNG.gamma(2, 60, 200).round())


@pytest.mark.parametrize("sample", pnb.SAMPLES)
def test_nothing_is_found_in_the_samples(sample):
    X, y = pnb.load_sample(sample)
    assert [found.sentence for found in propose(X.assign(**{"class": y}), "class")] == []


def with_marks(values, *marks):
    cells = np.array(values, dtype=object)
    cells[: 3 * len(marks)] = [mark for mark in marks for _ in range(3)]
    return pd.Series(cells.tolist(), name="x")


@pytest.mark.parametrize(
    ("cells", "marks"),
    [
        (pd.Series(INSULIN, name="x"), (0,)),  # half of them
        (with_marks(PRESSURE, 0), (0,)),
        (with_marks(PRESSURE, -999), (-999,)),
        (with_marks(PRESSURE, -9, -99), (-99, -9)),
        (with_marks(PRESSURE, 9999), (9999,)),
        (with_marks(PRESSURE, 999, 9999), (999, 9999)),
        (with_marks(PRESSURE, -1), (-1,)),
        (with_marks(RNG.integers(1, 3, 200), 9), (9,)),
        (with_marks(RNG.choice(["yes", "no"], 200), "k. A."), ("k. A.",)),
        (with_marks(RNG.choice(["yes", "no"], 200), "unknown", "-"), ("unknown", "-")),
        (pd.Series(RNG.poisson(1.5, 200), name="x"), None),  # counts: 0 is one of them
        (pd.Series(np.where(RNG.random(200) < 0.3, 0, RNG.exponential(1, 200)), name="x"), None),
        (pd.Series([*RNG.integers(20, 99, 200).tolist(), 99, 99], name="x"), None),  # ages up to 99
        (pd.Series(RNG.choice([-1, 0, 1], 200), name="x"), None),
        (pd.Series(RNG.normal(0, 5, 200), name="x"), None),
        (pd.Series([0] * 195 + [7, 8, 9, 10, 11], name="x"), None),
        (pd.Series([True, False] * 5, name="x"), None),
        (pd.Series([np.nan] * 5, name="x"), None),
        (pd.Series(["none", "some"] * 5, name="x"), None),
        (pd.Series([*"UVWXYZ"] * 9, name="x"), None),  # letters: x is one of them
        (pd.Series(["DE", "FR", "NA", "US"] * 9, name="x"), None),  # Namibia
        (pd.Series(["f", "m", "x"] * 9, name="x"), ("x",)),
    ],
)
def test_marks_for_not_measured(cells, marks):
    found = find_mark(cells)
    assert (None if found is None else found.step.values) == marks
    if found is not None:
        assert found.rows == int(found.step.apply(cells.to_frame())["x"].isna().sum())
        assert f"in {found.rows:,} of {len(cells):,} rows" in found.sentence


def test_a_mark_is_asked_for_with_what_it_would_change():
    cells = pd.Series([0, 0, *range(50, 70)], name="x")  # mean 59.5 without the zeros, 1190 / 22 with them
    assert find_mark(cells).sentence == (
        "x is 0 in 2 of 22 rows; no other value lies below 50. Does 0 mean not measured? Then these 2 cells "
        "become empty, and the mean is 59.5 instead of 54.09. If 0 means none, keep it."
    )
    assert not find_mark(cells).doubtful


def test_what_only_an_expert_can_decide_is_never_done_with_the_others():
    tail = [*range(200, 3890, 41), *[30_000] * 5, *[99_999] * 5]
    gains = pd.Series([0] * 900 + tail, name="gain")
    waves = pd.Series([0] * 100 + [*range(24, 64)], name="wave")  # most people have none
    for cells, question in ((gains, "the largest number that could"), (waves, "Does 0 mean none, or not")):
        found = find_mark(cells)
        assert found.doubtful
        assert question in found.sentence
        frame = pd.DataFrame({str(cells.name): cells, "y": ["a", "b"] * (len(cells) // 2)})
        assert not recommended(frame, "y")


def test_one_low_number_among_negative_ones_is_no_mark():
    assert find_mark(pd.Series([-9.0, *np.linspace(-2.7, 1.4, 60)], name="x")) is None


@pytest.mark.parametrize(
    ("cells", "step"),
    [
        (["12,5", "8", "9,25"], ReadNumbers("x", ",")),
        (["12,5 mg", "8 mg", "k. A."], ReadNumbers("x", ",", "", "mg", ("k. A.",))),
        (["1.234,5", "2.000", "7"], ReadNumbers("x", ",", ".")),
        (["1,234.5", "2,000", "7"], ReadNumbers("x", ".", ",")),
        (["120 mmHg", "130 mmHg", "125"], ReadNumbers("x", ".", "", "mmHg")),
        (["<0,5", "1,5", "2,5"], ReadNumbers("x", ",")),
        ([*map(str, range(9)), "not done"], ReadNumbers("x", not_measured=("not done",))),
        ([1.5, 2, "k. A."], ReadNumbers("x", not_measured=("k. A.",))),
        (["p1", "p2", "p3"], None),
        (["2", "3", "4", "5more"], None),
        (["1a", "2b", "3c", "4d"], None),
        (["01.02.2020", "03.02.2020"], None),
        (["<5", ">10", "5-10"], None),
        (["1", "2", "high", "2"], None),  # grades
        ([1.5, 2.5], None),
        ([], None),
    ],
)
def test_numbers_that_were_read_as_text(cells, step):
    assert reading_of(pd.Series(cells, name="x", dtype=None if cells else object)) == step


def test_one_foreign_mark_does_not_cost_a_column():
    """A column of decimal commas with one "k. A." is proposed as numbers and never left out."""
    cells = [f"{value:.2f}".replace(".", ",") for value in RNG.normal(120, 20, 400)]
    cells[5] = "k. A."
    frame = pnb.read_table(io.BytesIO(("bp;y\n" + "\n".join(f"{c};a" for c in cells)).encode()))
    assert "bp" not in idle_columns(frame)
    [found] = [one for one in propose(frame, "y") if one.column == "bp"]
    assert found.step.apply(frame)["bp"].isna().sum() == 1


def test_columns_that_are_left_out_and_columns_that_are_not():
    n = 60
    frame = pd.DataFrame(
        {
            "row": np.arange(1, n + 1),
            "patient_id": np.arange(n) * 37 + 5,
            "name": [f"patient {i}" for i in range(n)],
            "note": [f"came with pain in finger number {i} since yesterday" for i in range(n)],
            "seen": [datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in range(n)],
            "born": [f"{i % 28 + 1:02d}.03.{1930 + i}" for i in range(n)],
            "site": "B",
            "mixture": [1, "a", 2.5, "b"] * 15,
            "whole": np.arange(n) * 37 + 5,
            "measured": np.arange(n) / 7,
            "text": [f"{i},5" for i in range(n)],
            "few": ["a", "b", "c"] * 20,
        }
    )
    found = idle_columns(frame)
    assert found == {
        "row": NUMBERS_ROWS,
        "patient_id": NUMBERS_ROWS,
        "name": NAMES_ROWS,
        "note": FREE_TEXT,
        "seen": DATES,
        "born": DATES,
        "site": "One value only: it carries no information.",
        "mixture": MIXED,
    }
    assert {one.column for one in propose(frame) if one.usual} == {*found} - {"seen", "born"}


def test_two_columns_of_the_same_name_come_before_all_else():
    frame = pd.DataFrame([[1, 2, None]], columns=["a", "a", "y"])
    [found] = propose(frame, "y")
    assert found.step == NumberNames()
    assert "“a”" in found.sentence
    assert "“a (2)”" in found.sentence


def test_a_measured_class_is_cut_at_its_median_or_in_three():
    [found] = class_proposals(pd.Series([1.5, 2.5, 3.5, 4.5, 5.5, 6.5], name="y"))
    assert found.step == Cut("y", (4.0,))
    assert [step for _, step in found.others] == [Cut("y", (3.16667, 4.83333))]
    assert class_proposals(pd.Series([0, 1, 2, 1, 0], name="y")) == ()
    assert class_proposals(pd.Series([-999.0, 1.0, 2.0], name="y")) == ()  # codes of a class are its own


def test_rare_classes_and_rare_values_can_be_merged():
    cells = pd.Series(["a"] * 30 + ["b"] * 20 + ["c", "d", "e"], name="y")
    [found] = class_proposals(cells)
    assert found.step.apply(cells.to_frame())["y"].value_counts().to_dict() == {"a": 30, "b": 20, "other": 3}
    wards = pd.Series([f"w{i}" for i in range(40) for _ in range(3)] + ["A"] * 300, name="ward")
    [found] = propose(wards.to_frame())
    assert found.step.keep == ("A",)
    assert found.button == "Merge 40 rare values"


def test_spellings_are_merged_into_the_commonest():
    frame = pd.DataFrame({"sex": ["Male", "male", "male", "female", "Fe male"]})
    [found] = propose(frame)
    assert found.step.apply(frame)["sex"].tolist() == ["male", "male", "male", "female", "female"]


def test_days_of_birth_become_ages_on_the_day_of_another_column():
    frame = pd.DataFrame(
        {
            "born": [f"01.03.{year}" for year in range(1930, 1990)],
            "seen": [f"{day % 28 + 1:02d}.06.2021" for day in range(60)],
        }
    )
    born, seen = propose(frame)
    assert born.step == FromDate("born", "age", "day.month.year", "seen")
    assert [step.to for _, step in born.others] == ["month", "year"]
    assert seen.step.to == "month"
    assert propose(frame[["born"]], today=datetime.date(2026, 11, 17))[0].step.on == "2026-11-17"


def test_an_ugly_table_becomes_one_that_can_be_learned():
    n = 90
    frame = pd.DataFrame(
        {
            "id": np.arange(n),
            "dose": [f"{5 + i % 40},5 mg" for i in range(n)],
            "bp": np.where(np.arange(n) % 9, 100 + np.arange(n) % 50, -999),
            "born": [f"{i % 28 + 1:02d}.04.{1930 + i % 60}" for i in range(n)],
            "sex": ["Male", "male", "female"] * 30,
            "y": ["ill", "well", "ill", "well", None] * 18,
        }
    )
    recipe = recommended(frame, "y", today=datetime.date(2026, 11, 17))
    repaired = recipe.apply(frame)
    assert list(repaired) == ["dose", "bp", "age from born", "sex", "y"]
    assert len(repaired) == 72
    model = pnb.NaiveBayes(n_bins=5).fit(repaired.drop(columns="y"), repaired["y"])
    assert model.classes_.tolist() == ["ill", "well"]


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx", "t.parquet", "t.arff"])
def test_files_with_two_columns_of_the_same_name(name, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / name
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    if name == "t.csv":
        path.write_text("a,a\n1,2\n3,4\n")
    elif name == "t.xlsx":
        frame.to_excel(path, index=False)
    elif name == "t.parquet":
        parquet.write_table(pa.Table.from_arrays([pa.array([1, 3]), pa.array([2, 4])], ["a", "a"]), path)
    else:
        path.write_text("@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n3,4\n")
    with pytest.raises(DataError, match="more than one column named 'a'"):
        pnb.read_table(path)
    kept = pnb.read_table(path, duplicates="keep")
    assert recommended(kept).apply(kept).to_dict("list") == {"a": [1, 3], "a (2)": [2, 4]}


def test_marks_in_a_measured_class_are_asked_for_before_it_is_cut():
    cells = pd.Series(np.where(np.arange(200) % 9, PRESSURE, 0), name="bp")
    assert [type(one.step).__name__ for one in class_proposals(cells)] == ["NotMeasured", "Cut"]


def test_commas_before_three_digits_divide_thousands_unless_somebody_knows_better():
    pay = pd.Series([f"{1 + i},{137 * i % 1000:03d}" for i in range(40)] + ["950"], name="pay")
    [found] = propose(pd.DataFrame({"pay": pay}))
    assert found.step.apply(pd.DataFrame({"pay": pay}))["pay"].tolist()[:2] == [1000.0, 2137.0]
    [(label, other)] = found.others
    assert label == "Decimal commas"
    assert other.apply(pd.DataFrame({"pay": pay}))["pay"].tolist()[:2] == [1.0, 2.137]
    assert reading_of(pd.Series(["0,125", "0,250", "1,375", "2,125", "1,500", "3,125"])).decimal == ","
