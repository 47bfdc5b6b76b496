import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pgm_nb as pnb
from pgm_nb.data import encode_target, split_target
from pgm_nb.data.target import as_labels, check_class, check_rows
from pgm_nb.errors import DataError

frame = pd.DataFrame({"age": [40, 50, 60], "class": ["b", "a", "b"]})


def test_split():
    X, y = split_target(frame, "class")
    assert list(X) == ["age"]
    assert y.tolist() == ["b", "a", "b"]


@pytest.mark.parametrize(
    ("table", "target", "sentence"),
    [
        (frame, "clas", r"'clas' is not in the table; did you mean 'class'\? \(columns: age, class\)"),
        (frame[["class"]], "class", "no attributes"),
        (frame.iloc[:0], "class", "no rows"),
        (
            frame.assign(**{"class": ["a", None, None]}),
            "class",
            r"missing \(NaN\) in 2 rows of 3 \(row 2, 3\)",
        ),
    ],
)
def test_bad_class_columns_are_refused(table, target, sentence):
    with pytest.raises(DataError, match=sentence):
        split_target(table, target)


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        (["no", "yes", "no"], ["no", "yes"], [0, 1, 0]),
        (np.array([3, 1, 3]), [1, 3], [1, 0, 1]),
        (np.array([2.0, -1.0]), [-1.0, 2.0], [1, 0]),
        (np.array([True, False]), [False, True], [1, 0]),
        (np.array([2, 1], dtype=object), [1, 2], [1, 0]),
        (np.array([2.0, 1.0], dtype=object), [1.0, 2.0], [1, 0]),
        (pd.Series(["b", "a"], dtype="string"), ["a", "b"], [1, 0]),
        (pd.Series(pd.array([5, 4], dtype="Int64")), [4, 5], [1, 0]),
        (pd.Series(pd.Categorical(["b", "a"], ["c", "b", "a"])), ["a", "b", "c"], [1, 0]),
        (pl.Series(["b", "a"]), ["a", "b"], [1, 0]),
    ],
)
def test_classes_ascend_and_declared_ones_count(y, classes, codes):
    found, coded = encode_target(y)
    assert found.tolist() == classes
    assert coded.tolist() == codes


@pytest.mark.parametrize("dtype", ["<U3", np.int32, np.float32, bool])
def test_classes_keep_their_type(dtype):
    y = np.array([1, 0, 1]).astype(dtype)
    assert encode_target(y)[0].dtype == y.dtype


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (["a", "a"], r"two classes are needed.*only one class \(a\)"),
        ([], "no rows"),
        ([1.0, np.nan], "missing"),
        (["a", None], "missing"),
        ([0.5, 1.5], "Unknown label type.*0.5"),
        ([1.0, np.inf], "infinity"),
        (np.array([1, "a"], dtype=object), "Unknown label type.*mixed"),
        ([[1], [2]], "1d array"),
        ([1j, 2j], "Complex data not supported"),
    ],
)
def test_bad_classes_are_refused(y, sentence):
    with pytest.raises(DataError, match=sentence):
        encode_target(y)


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


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], "are of type date, such as datetime.date"),
        ([(1, 2), (3, 4)], r"are of type tuple, such as \(1, 2\)"),
        ([1, "a"], "are mixed, such as 1, 'a'"),
    ],
)
def test_labels_of_no_use_are_named(labels, said):
    values = np.empty(4, dtype=object)
    values[:] = [*labels, *labels]
    with pytest.raises(DataError, match=said):
        encode_target(values)


def test_rows_with_the_same_labels_in_another_order_are_said_aloud(recwarn):
    table = pd.DataFrame({"x": [1, 2, 3]}, index=["p", "q", "r"])
    y = pd.Series(["a", "b", "a"], index=["q", "p", "r"])
    with pytest.warns(UserWarning, match=r"same row labels in a different order.*y\.loc\[X\.index\]"):
        check_rows(table, y, 3)
    recwarn.clear()
    check_rows(table, y.loc[table.index], 3)
    check_rows(table, y.reset_index(drop=True), 3)
    check_rows(table, list(y), 3)
    assert not recwarn


@pytest.mark.parametrize("model", [pnb.NaiveBayes, pnb.GaussianNaiveBayes, pnb.KernelSemiNaiveBayes])
def test_every_model_looks_at_the_rows_of_table_and_class(model):
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    y = pd.Series(["a", "b", "a", "b"])
    with pytest.warns(UserWarning, match="in a different order"):
        model().fit(table, y[::-1])
    with pytest.raises(DataError, match="the table has 4 rows, but the class column has 3: give one class"):
        model().fit(table, y[:-1])
    with pytest.raises(DataError, match=r"a dictionary is not yet a table: pass pandas\.DataFrame\(X\)"):
        model().fit(table.to_dict("list"), y)


def test_labels_of_any_type_become_those_of_numpy():
    for given, kind in [
        (np.array([1, 0, 1], dtype=object), "i"),
        (np.array([2**63, 0, 2**63], dtype=object), "u"),
        (np.array([True, False, True], dtype=object), "b"),
        (np.array([1.0, 0.0, 1.0], dtype=object), "f"),
        (pd.array([1, 0, 1], dtype="Int64"), "i"),
        (pd.array([True, False, True], dtype="boolean"), "b"),
        (pd.array(["b", "a", "b"], dtype="string"), "O"),
        (pd.Categorical([1, 0, 1]), "i"),
    ]:
        labels = as_labels(given)
        assert labels.dtype.kind == kind
        assert labels.tolist() == list(given)
        classes, codes = encode_target(given)
        assert classes.dtype.kind == kind
        assert codes.tolist() == [1, 0, 1]
        X = pd.DataFrame({"x": [1, 2, 1] * 4})
        model = pnb.NaiveBayes().fit(X, np.tile(labels, 4))
        assert 0 <= model.score(X, np.tile(np.array(given, dtype=object), 4)) <= 1


def test_labels_that_nothing_can_hold_are_refused():
    for given, said in [
        ([10**400, 1], "64 bits"),
        ([Decimal("sNaN"), Decimal(1)], "missing"),
        ([Decimal(2), Decimal(1)], "of type Decimal"),
        (["\ud800", "a"], "broken text"),
        ([b"a", b"b"], "of type bytes"),
        ([pd.NA, 1], "missing"),
    ]:
        with pytest.raises(DataError, match=said):
            as_labels(np.array(given, dtype=object))
    with pytest.raises(DataError, match="broken text"):
        as_labels(np.array(["\ud800", "a"]))
    with pytest.raises(DataError, match="in the name of the class is broken text"):
        pnb.NaiveBayes().fit(frame[["age"]], pd.Series([0, 1, 0], name="\udfff"))
