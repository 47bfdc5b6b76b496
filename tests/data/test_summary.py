"""What a first pass remembers of numbers: the distinct ones, while they are few."""

import numpy as np
import pandas as pd
import pytest

from pgm_nb.data import summary
from pgm_nb.data.summary import RowSample, TableSummary, _with_distinct


@pytest.mark.parametrize("seed", range(40))
def test_distinct_numbers_are_those_of_sorting(seed):
    rng = np.random.default_rng(seed)
    most = int(rng.integers(1, 17))
    known = np.unique(rng.integers(0, most, 3)).astype(float)[:most]
    values = rng.integers(0, rng.integers(1, 30), rng.integers(0, 200)).astype(float)
    if seed % 3 == 0:
        values = np.append(values, [999.5])  # a rare one, behind all others
    union = np.union1d(known, values)
    found = _with_distinct(known, values, most)
    if len(union) > most:
        assert found is None
    else:
        np.testing.assert_array_equal(found, union)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, np.float64])
@pytest.mark.parametrize("seed", range(5))
def test_whole_numbers_of_all_batches(seed, dtype):
    """A batch of a range that is filled already is not looked at; one with a gap or a new number is."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {"a": rng.integers(0, 5, 90), "b": 2 * rng.integers(0, 4, 90), "c": rng.integers(0, 99, 90)}
    )
    table = table.astype(dtype)
    table.loc[80, "a"], table.loc[85, "b"] = 7, 3
    found = TableSummary()
    for start in range(0, 90, 10):
        found.add(table[start : start + 10], np.zeros(10), start)
    for name in ("a", "b"):
        np.testing.assert_array_equal(found.numbers[name], np.unique(table[name]))
    assert found.numbers["c"] is None


def test_a_stream_that_is_read_again_gives_the_same_sample():
    first = RowSample(30)
    for start in range(0, 500, 100):
        first.add(start, [np.arange(start, start + 100)])
    again = RowSample(30, limit=first.limit)
    held = 0
    for start in range(0, 500, 50):
        again.add(start, [np.arange(start, start + 50)])
        held = again._held
    assert held == 30
    np.testing.assert_array_equal(again.rows()[0], first.rows()[0])
    assert again.seen == first.seen


def sketched(*batches):
    found, start = TableSummary(few=3, sketch=True), 0
    for batch in batches:
        found.add(batch, np.zeros(len(batch)), start)
        start += len(batch)
    return found


@pytest.fixture
def sketch(monkeypatch, remembering):
    module = type(summary)("datasketches")
    module.kll_doubles_sketch = remembering
    monkeypatch.setitem(__import__("sys").modules, "datasketches", module)
    monkeypatch.setattr(summary, "AT_ONCE", 2)


@pytest.mark.parametrize("dtype", [int, float])
def test_a_sketch_begins_when_numbers_are_many_and_has_them_all(sketch, dtype):
    few = pd.DataFrame({"x": [1, 2, 1, 1, 2], "y": [0, 0, 0, 1, 1]}, dtype=dtype)
    many = pd.DataFrame({"x": [5, 6, 7, 8, 9], "y": [1, 1, 1, 0, 0]}, dtype=dtype)
    found = sketched(few, few, many, few)
    assert list(found.sketches) == ["x"]
    np.testing.assert_array_equal(
        np.sort(found.sketches["x"].filled().values), np.sort([*few["x"].tolist() * 3, *many["x"]])
    )
    assert found.often == {"y": {0.0: 11, 1.0: 9}}


@pytest.mark.parametrize("dtype", [int, float])
def test_merged_sketches_have_all_numbers(sketch, dtype):
    parts = [
        pd.DataFrame({"x": values}, dtype=dtype) for values in ([1, 2, 2], [3, 4, 4], [4, 5], [1, 9, 10, 11])
    ]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        total = TableSummary(few=3, sketch=True)
        for place in order:
            total.merge(sketched(parts[place]))
        assert np.sort(total.sketches["x"].filled().values).tolist() == sorted(pd.concat(parts)["x"])
        assert total.often.get("x", {}) == {}
