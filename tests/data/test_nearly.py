"""Columns that would be numbers but for a few cells."""

import pandas as pd
import pytest

from pgm_nb.data.nearly import foreign_marks


@pytest.mark.parametrize(
    ("cells", "marks"),
    [
        (["1,5", "2", "-3.25", "1e-3", " 4 ", "k. A."], ("k. A.",)),
        (["1", "2", "3", "4", "n. b.", "?!", "n. b."], ("n. b.", "?!")),
        (["1", "2", None, "x"], ("x",)),
        (["1", "x", "x", "x"], ()),  # less than half are numbers
        (["1,5", "2,5"], ()),  # nothing foreign
        ([*map(str, range(9)), *"abcdef"], ()),  # six texts are not one mark
        ([*map(str, range(9)), *"abcde"], tuple("abcde")),
        (["12 mg", "13 mg"], ()),
        ([], ()),
        ([1.5, 2.5], ()),
    ],
)
def test_marks(cells, marks):
    assert foreign_marks(pd.Series(cells)) == marks


def test_days_have_none():
    assert foreign_marks(pd.Series(pd.date_range("2020-01-01", periods=3))) == ()
