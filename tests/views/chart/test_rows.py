"""Charts of the rows: what they hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgm_nb.views.chart.rows import PLACES, class_balance, histogram, places


def rows(chart, field):
    return [row for table in chart.to_dict()["datasets"].values() for row in table if field in row]


def test_boxes_are_stacked_without_gaps():
    chart = histogram([0, 1, 2], [[3, 1], [2, 0]], ["<a>", "b"], [0.5], name="$x$")
    boxes = {(box["class"], box["from"]): (box["below"], box["above"]) for box in rows(chart, "above")}
    assert boxes == {("b", 0.0): (0, 2), ("<a>", 0.0): (2, 5), ("<a>", 1.0): (0, 1)}
    assert [row["label"] for row in rows(chart, "cut")] == ["0.5"]


def test_classes_of_one_name_stay_apart():
    assert {row["class"] for row in rows(class_balance(["x", "x"], [1, 2]), "class")} == {"x", "x (2)"}
    assert class_balance([], []).to_dict()["layer"]


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_places_ascend_and_cover_the_range(low, span):
    high = low + span
    found = places(low, high)
    assert len(found) <= PLACES + 1
    assert list(found) == sorted(set(found))
    assert found[0] == pytest.approx(low, abs=span / PLACES + abs(low) * 1e-12)
    assert found[-1] == pytest.approx(high, abs=span / PLACES + abs(high) * 1e-12)
