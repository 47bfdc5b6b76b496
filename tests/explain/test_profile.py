"""What is said about each column."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.data.repairs import finding
from pgm_nb.errors import DataError
from pgm_nb.explain.profile import class_codes, profile, profiles

DAYS = pd.date_range("2024-01-01", periods=40)


@pytest.mark.parametrize(
    ("cells", "kind", "remark", "better_out"),
    [
        (np.arange(40) / 7, "number", "", False),
        (np.arange(40) % 3, "number", "", False),
        (["a", "b"] * 20, "category", "", False),
        (["Yes", "No"] * 20, "yes / no", "", False),
        ([True, False] * 20, "yes / no", "", False),
        (pd.Categorical(["S", "L"] * 20, ["S", "L"], ordered=True), "ordered", "", False),
        (["x"] * 40, "category", finding.ONE_VALUE, True),
        ([5.0] * 40, "number", finding.ONE_VALUE, True),
        ([5.0] * 39 + [np.nan], "number", "One value, or empty.", False),
        ([np.nan] * 40, "number", finding.EMPTY, True),
        ([f"patient {i}" for i in range(40)], "category", finding.NAMES_ROWS, True),
        ([*(f"{i},5" for i in range(38)), "k. A.", "k. A."], "category", "Numbers, but for “k. A.”, read "
         "as text: Repairs offers to read them as numbers.", False),
        ([*(f"{i}.5" for i in range(19)), *(f"p{i}" for i in range(21))], "category",
         finding.NAMES_ROWS, True),
        (np.arange(101, 141), "number", finding.NUMBERS_ROWS, True),
        (np.arange(40) * 3, "number", "", False),
        (DAYS, "date", finding.DATES, True),
        (DAYS.date, "date", finding.DATES, True),
        (DAYS.strftime("%d.%m.%Y"), "category", finding.DATES, True),
        ([1, "a"] * 20, "?", "Column 'x' mixes number (1 in row 1) and text ('a' in row 2): make all its "
         "cells numbers, or all text.", True),
        ([[1], [2]] * 20, "?", None, True),
    ],
)  # fmt: skip
def test_kinds_and_remarks(cells, kind, remark, better_out):
    found = profile(pd.Series(cells, name="x"), np.arange(40) % 2, "quantile")
    assert (found.kind, found.better_out) == (kind, better_out)
    assert remark is None or found.remark == remark


def test_bits_are_those_of_the_models():
    X, y = pnb.load_sample("wine")
    _, codes = class_codes(y)
    for way in ("quantile", "uniform", "mdlp", "order", "kmeans", "caim"):
        model = pnb.NaiveBayes(discretizer=way).fit(X, y)
        found = {p.name: p.bits for p in profiles(X, codes, {}, way, None)}
        assert found == pytest.approx(dict(model.structure_.relevance), abs=1e-12)
    cuts = {"alcohol": (12.5, 13.0), "ash": "mdlp"}
    model = pnb.NaiveBayes(discretizer=cuts | dict.fromkeys(X.columns[2:], "uniform") | cuts).fit(X, y)
    found = {p.name: p.bits for p in profiles(X, codes, cuts, "uniform", None)}
    assert found["alcohol"] == pytest.approx(model.structure_.relevance["alcohol"], abs=1e-12)
    assert found["ash"] == pytest.approx(model.structure_.relevance["ash"], abs=1e-12)


def test_without_a_class_nothing_is_told():
    found = profile(pd.Series([1.0, 2.0], name="x"), None, "mdlp")
    assert found.bits is None
    assert found.groups == ("1", "2")


def test_an_empty_class_cell_is_counted():
    with pytest.raises(DataError, match="'y' is empty in 1 of 3 rows"):
        class_codes(pd.Series(["a", None, "b"], name="y"))
