"""A case as text: any column name, any cell, there and back."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.explain.case_values import CaseReader, number_text, typical_value

FRAME = pd.DataFrame(
    {
        "age": [30.5, 64.0, np.nan],
        "age=b": ["x=y", "", "missing"],
        "smoker": [True, False, True],
        "sex": pd.Categorical(["f", None, "m"]),
        "class": ["ill", "well", "ill"],
    }
)
READER = CaseReader.of(FRAME, "class")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("age=64", ("age", 64.0)),
        ("age=1e3", ("age", 1000.0)),
        ("age=-0.5", ("age", -0.5)),
        ("age=missing", ("age", None)),
        ("age=b=x=y", ("age=b", "x=y")),
        ("age=b=", ("age=b", "")),
        ("age=b=missing", ("age=b", "missing")),  # a word of the column, not an empty cell
        ("smoker=False", ("smoker", False)),
        ("sex=missing", ("sex", None)),
    ],
)
def test_what_is_evidence(text, read):
    assert READER.read(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "age",
        "age=",
        "age=old",
        "age=inf",
        "age=nan",
        "sex=x",
        "smoker=missing",
        "class=ill",
        "weight=3",
        "=1",
    ],
)
def test_what_is_none(text):
    assert READER.read(text) is None


def test_a_row_is_read_back_as_it_was():
    for row in FRAME.to_dict("records"):
        for name, text in READER.row(row).items():
            read = READER.read(f"{name}={text}")
            assert read is not None
            assert read[0] == name
            assert read[1] == row[name] or (read[1] is None and pd.isna(row[name]))


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
@settings(max_examples=50)
def test_numbers_come_back(value):
    assert float(number_text(value)) == pytest.approx(value, rel=1e-14)


def test_an_interval_without_rows_has_a_value_too():
    cells = np.array([1.0, 2.0, np.nan])
    assert typical_value(cells, 5.0, 6.0) == 6.0
    assert typical_value(cells, 5.0, np.inf) > 5.0
    assert typical_value(cells, -np.inf, 1.5) == 1.0
