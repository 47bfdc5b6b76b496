"""Guessing and checking the class column."""

import numpy as np
import pandas as pd
import pytest

from pgm_nb.data.class_column import check_class, guess_class
from pgm_nb.errors import DataError


@pytest.mark.parametrize(
    ("columns", "guess"),
    [
        ({"diagnosis": ["m", "b"], "sex": ["f", "m"]}, "diagnosis"),
        ({"label": [0, 1], " Class ": [1, 0], "sex": ["f", "m"]}, " Class "),
        ({"sex": ["f", "m"], "smoker": ["y", "n"], "same": ["x", "x"]}, "smoker"),
        ({"grade": [1.0, 2.0], "size": [1.5, 2.5]}, "grade"),
        ({"size": [1.5, 2.5], "same": [1, 1]}, None),
        ({"number": list(range(21))}, None),
        ({"number": list(range(20))}, "number"),
        ({"sex": ["f", "m"], "cells": [[1], [2]]}, "sex"),
    ],
)
def test_guess(columns, guess):
    assert guess_class(pd.DataFrame(columns)) == guess


def test_missing_cells_do_not_hide_a_class():
    assert guess_class(pd.DataFrame({"grade": [1.0, 2.0, np.nan], "size": [0.5, 1.5, 2.5]})) == "grade"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (np.arange(500), "'x' has 500 different values in 500 rows, so it looks like a measurement"),
        (np.arange(500) / 7, "looks like a measurement"),
        ([f"patient {i}" for i in range(21)], "looks like a name or an identifier"),
    ],
)
def test_too_many_classes(values, says):
    with pytest.raises(DataError, match=says):
        check_class(pd.Series(values, name="x"))


def test_a_hundred_classes_are_allowed():
    check_class(pd.Series([*range(100)] * 2, name="species"))
    check_class(pd.Series(range(20), name="species"))
