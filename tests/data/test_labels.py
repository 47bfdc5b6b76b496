import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgm_nb.data.labels import interval_labels, number_label, unique_labels

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("cuts", "labels"),
    [
        ([11.366], ("≤ 11.366", "> 11.366")),
        ([0.00001234567], ("≤ 1.234567e-05", "> 1.234567e-05")),
        ([1234567.21, 1234567.78], ("≤ 1234567.21", "(1234567.21, 1234567.78]", "> 1234567.78")),
        ([1.00001, 1.00002], ("≤ 1.00001", "(1.00001, 1.00002]", "> 1.00002")),
        ([-1.5, 0.0, 100.0], ("≤ -1.5", "(-1.5, 0]", "(0, 100]", "> 100")),
    ],
)
def test_interval_labels(cuts, labels):
    assert interval_labels(cuts) == labels


@given(st.lists(finite, min_size=1, max_size=8, unique=True))
def test_interval_labels_are_distinct(cuts):
    labels = interval_labels(sorted(cuts))
    assert len(set(labels)) == len(labels) == len(cuts) + 1


@given(finite)
def test_a_full_number_label_reads_back(value):
    assert math.isclose(float(number_label(value)), value, rel_tol=0, abs_tol=0)


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "missing"]), max_size=8))
def test_labels_are_unique_and_first_ones_unchanged(names):
    labels = unique_labels(names)
    assert len(set(labels)) == len(names)
    assert all(label == name for label, name in zip(labels, names, strict=True) if names.count(name) == 1)
