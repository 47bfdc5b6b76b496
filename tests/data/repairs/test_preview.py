"""What a step would change."""

import pandas as pd

from pgm_nb.data.repairs import FromDate, LeaveOut, LeaveOutRows, NumberNames, ReadNumbers
from pgm_nb.data.repairs.recipe import preview

FRAME = pd.DataFrame(
    {
        "dose": ["1,5", "k. A.", "1,5"],
        "born": ["01.02.1950"] * 3,
        "seen": ["01.02.2020"] * 3,
        "y": ["a", None, "b"],
    }
)


def shown(step, frame=FRAME):
    return [tuple(row) for row in preview(frame, step).itertuples(index=False)]


def test_cells_rows_columns_and_names():
    assert shown(ReadNumbers("dose", ",", not_measured=("k. A.",))) == [
        ("1,5", "1.5", 2),
        ("k. A.", "(empty)", 1),
    ]
    assert shown(FromDate("born", "age", "day.month.year", "seen")) == [("01.02.1950", "70", 3)]
    assert shown(LeaveOutRows("y")) == [("y (empty)", "the row is left out", 1)]
    assert shown(LeaveOut(("y",))) == [("y", "left out", 3)]
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    assert shown(NumberNames(), twice) == [("a", "a (2)", 1)]
    assert shown(ReadNumbers("dose"), pd.DataFrame({"dose": ["7", "7"]})) == [("7", "7", 2)]
