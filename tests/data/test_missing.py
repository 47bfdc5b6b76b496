import numpy as np
import pandas as pd
import pytest

from pgm_nb.data import as_frame, learn_encoder
from pgm_nb.errors import DataError

frame = as_frame(
    pd.DataFrame(
        {"n": [1.0, np.nan, 3.0, 3.0, np.nan], "c": ["x", "y", None, "y", None], "k": [0, 0, 0, 0, 1]}
    )
)


def test_state_keeps_everything():
    encoder, codes, kept, report = learn_encoder(frame, None, missing="state")
    assert kept is None
    assert encoder.cards == (3, 3, 2)
    assert codes.tolist() == [[0, 2, 1, 1, 2], [0, 1, 2, 1, 2], [0, 0, 0, 0, 1]]
    assert (report.rows, report.cells, report.by_column, report.rows_dropped) == (3, 4, {"n": 2, "c": 2}, 0)
    assert str(report) == (
        "4 missing cells in 3 of 5 rows: missing is a state of its own (by column: n 2, c 2)."
    )


def test_drop_leaves_rows_out_before_learning():
    encoder, codes, kept, report = learn_encoder(frame, None, missing="drop")
    assert kept.tolist() == [True, False, False, True, False]
    assert codes.tolist() == [[0, 1], [0, 1], [0, 0]]
    assert encoder.columns[2].states == (0,)
    assert (report.n_rows, report.rows, report.cells, report.rows_dropped) == (5, 3, 4, 3)
    assert "those rows were left out" in str(report)


def test_drop_gives_mdlp_the_classes_of_the_kept_rows():
    table = as_frame(pd.DataFrame({"a": [np.nan, *range(20)]}))
    encoder = learn_encoder(table, np.array([1] + [0] * 10 + [1] * 10), missing="drop", discretizer="mdlp")[0]
    assert encoder.columns[0].cuts == (9.5,)


def test_mode_fills_in_the_first_most_frequent_state():
    encoder, codes, kept, report = learn_encoder(frame, None, missing="mode")
    assert kept is None
    assert encoder.cards == (2, 2, 2)
    assert codes.tolist() == [[0, 1, 1, 1, 1], [0, 1, 1, 1, 1], [0, 0, 0, 0, 1]]
    assert (report.cells, report.rows_dropped) == (4, 0)
    tie = learn_encoder(as_frame(pd.DataFrame({"a": ["y", "x", None]})), None, missing="mode")[1]
    assert tie.tolist() == [[1, 0, 0]]


@pytest.mark.parametrize("missing", ["state", "drop", "mode"])
def test_nothing_missing(missing):
    _, codes, kept, report = learn_encoder(frame[["k"]], None, missing=missing)
    assert kept is None
    assert codes.shape == (1, 5)
    assert str(report) == "No cell is missing."


def test_an_empty_column():
    table = as_frame(pd.DataFrame({"gone": [np.nan, np.nan], "k": [1, 2]}))
    encoder, codes, _, _ = learn_encoder(table, None)
    assert encoder.columns[0].states == ("missing",)
    assert codes[0].tolist() == [0, 0]
    test = as_frame(pd.DataFrame({"gone": ["text", None], "k": [1, 2]}))
    assert encoder.encode(test).tolist() == [[1, 0], [0, 1]]
    for policy in ("mode", "drop"):
        with pytest.raises(DataError, match=r"'gone' has no value in any row.*leave the column out"):
            learn_encoder(table, None, missing=policy)


def test_dropping_every_row_is_refused():
    table = as_frame(pd.DataFrame({"a": [1.0, np.nan], "b": [np.nan, 1.0]}))
    with pytest.raises(DataError, match="every one of the 2 rows has a missing cell"):
        learn_encoder(table, None, missing="drop")
