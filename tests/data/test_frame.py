import decimal
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pgm_nb.data.encode import Encoder
from pgm_nb.data.frame import as_frame
from pgm_nb.data.learn import learn_encoder
from pgm_nb.errors import DataError
from pgm_nb.models.continuous import plain_numbers


def learn(X, **options) -> Encoder:
    return learn_encoder(as_frame(X), None, **options)[0]


def test_arrays_get_names_and_lists_keep_their_types():
    assert list(as_frame(np.zeros((2, 3)))) == ["x0", "x1", "x2"]
    frame = as_frame([[1, "a"], [2, "b"]])
    assert frame["x0"].dtype == np.float64
    assert frame["x1"].tolist() == ["a", "b"]


def test_a_float_frame_is_not_copied():
    given = pd.DataFrame(np.arange(6.0).reshape(3, 2))
    assert np.shares_memory(as_frame(given)["0"].to_numpy(), given[0].to_numpy())


def test_the_given_frame_stays_as_it_was():
    given = pd.DataFrame({0: pd.Series([1, None], dtype=object), "b": ["x", "y"]})
    before = given.copy()
    as_frame(given)
    pd.testing.assert_frame_equal(given, before)


@pytest.mark.parametrize(
    ("cells", "kind", "states"),
    [
        (pd.array([3, 1, None], dtype="Int64"), "numeric", (1, 3, "missing")),
        (pd.array([3.5, 1.0, None], dtype="Float64"), "numeric", (1.0, 3.5, "missing")),
        (pd.array([3, 1, None], dtype=pd.ArrowDtype(pa.int32())), "numeric", (1, 3, "missing")),
        (pd.arrays.SparseArray([0.0, 0.0, 2.0]), "numeric", (0.0, 2.0)),
        ([decimal.Decimal("1.5"), None, decimal.Decimal(2)], "numeric", (1.5, 2.0, "missing")),
        ([True, False, None], "boolean", (False, True, "missing")),
        ([True, True, True], "boolean", (False, True)),
        (pd.array([True, None, True], dtype="boolean"), "boolean", (False, True, "missing")),
        (pd.array([True, True, None], dtype=pd.ArrowDtype(pa.bool_())), "boolean", (False, True, "missing")),
        (["b", "a", None], "categorical", ("a", "b", "missing")),
        (pd.array(["b", "a", None], dtype="string"), "categorical", ("a", "b", "missing")),
        (pd.array(["b", "a", "b"], dtype=pd.ArrowDtype(pa.string())), "categorical", ("a", "b")),
        (pd.Categorical(["b", "b", "a"], categories=["c", "b", "a"]), "categorical", ("c", "b", "a")),
        (pd.Categorical([2, 1, 2], categories=[3, 2, 1], ordered=True), "ordered", (3, 2, 1)),
        (pd.cut([0.5, 1.5, 1.6], [0, 1, 2]), "ordered", ("(0, 1]", "(1, 2]")),
        ([None, None, None], "numeric", ("missing",)),
    ],
)
def test_kinds_and_states(cells, kind, states):
    (column,) = learn(pd.DataFrame({"a": cells})).columns
    assert (column.kind, column.states) == (kind, states)
    assert [type(state) for state in column.states] == [type(state) for state in states]


def test_polars_and_arrow_tables():
    colour = pl.Series("colour", ["red", "blue", None], dtype=pl.Categorical)
    taste = pl.Series("taste", ["bitter", "sweet", "sweet"], dtype=pl.Categorical)
    size = pl.Series("size", ["S", "L", None], dtype=pl.Enum(["S", "M", "L"]))
    X = pl.DataFrame(
        [colour, taste, size, pl.Series("ill", [True, None, False]), pl.Series("n", [1, None, 3])]
    )
    by_name = {column.name: column for column in learn(X).columns}
    assert by_name["colour"].states == ("blue", "red", "missing")
    assert by_name["taste"].states == ("bitter", "sweet")
    assert by_name["size"].states == ("S", "M", "L", "missing")
    assert by_name["ill"].states == (False, True, "missing")
    assert by_name["n"].states == (1.0, 3.0, "missing")
    assert learn(X.to_arrow()).names == learn(X).names


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (pd.DataFrame({"a": []}), "no rows"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (np.zeros(3), "Reshape your data"),
        (pd.Series([1.0, 2.0]), "Reshape your data"),
        (pl.Series([1.0, 2.0]), "Reshape your data"),
        ([[1, 2], [3]], "differ in length"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' occurs more than once"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "'1' occurs more than once"),
        (pd.DataFrame({"a": [1.0, 2.0, np.inf]}), "'a' contains infinity in row 3"),
        (pd.DataFrame({"a": [np.nan, -np.inf, np.inf]}), "'a' contains infinity in row 2"),
        (pd.DataFrame({"a": pd.array([1.0, np.inf], dtype="Float64")}), "infinity in row 2"),
        (pd.DataFrame({"a": pd.Series([1, np.inf], dtype=object)}), "infinity in row 2"),
        (
            pd.DataFrame({"a": [1, "x", 2.5]}, dtype=object),
            r"'a' mixes number \(1 in row 1\) and text \('x' in",
        ),
        (pd.DataFrame({"a": [None, True, "x"]}, dtype=object), r"boolean \(True in row 2\) and text"),
        (pd.DataFrame({"a": [1.0, {"b": 1}]}), "'a' holds a dict in row 2.*must be a string or a number"),
        (pd.DataFrame({"a": ["x", ["b"]]}), "'a' holds a list in row 2"),
        (pd.DataFrame({"a": [1 + 2j]}), "Complex data not supported"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), "'a' holds dates or times.*age in days"),
        (pd.DataFrame({"a": pd.to_timedelta([1], unit="D")}), "'a' holds dates or times"),
        (pa.table({"a": pa.array([18000], pa.date32())}), "'a' holds dates or times"),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(X, sentence):
    with pytest.raises(DataError, match=sentence):
        as_frame(X)


def test_sparse_matrices_are_refused():
    from scipy import sparse

    with pytest.raises(DataError, match=re.escape("X.toarray()")):
        as_frame(sparse.eye_array(3))


def test_numbers_that_no_float_holds_and_broken_text_are_refused():
    for cells, said in [
        ([10**400, 1], "column 'x' holds a number beyond 1.8e308 in row 1"),
        ([1, None, -(10**5000)], "in row 3"),
        ([decimal.Decimal("sNaN"), "a", 1], "column 'x' mixes"),
        (["\ud800", "a"], "in column 'x' is broken text"),
    ]:
        with pytest.raises(DataError, match=said):
            as_frame(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))
    empty = as_frame(pd.DataFrame({"x": pd.Series([decimal.Decimal("sNaN"), decimal.Decimal(2)])}))
    assert np.array_equal(empty["x"], [np.nan, 2.0], equal_nan=True)
    words = pd.Index(["\udc00", "a"], dtype=object)
    with pytest.raises(DataError, match="broken text"):
        as_frame(pd.DataFrame({"x": pd.Categorical.from_codes([0, 1], words)}))
    for take in (as_frame, plain_numbers):
        with pytest.raises(DataError, match="in the names of the columns is broken text"):
            take(pd.DataFrame([[1, 2]], columns=words))
    with pytest.raises(DataError, match="broken text"):
        as_frame(np.array([["\ud800"], ["a"]]))


def test_whole_numbers_of_eight_bits_can_all_be_states():
    for cells in (np.arange(-128, 128).astype(np.int8), np.arange(256).astype(np.uint8)):
        column = learn(pd.DataFrame({"x": cells}), n_bins=256).columns[0]
        assert column.states == tuple(cells.tolist())


def test_a_zero_character_in_a_name_of_polars_ends_no_process():
    with pytest.raises(DataError, match="zero character"):
        as_frame(pl.DataFrame({"a\0": [1, 2]}))
