"""Cut points as the address and the editor write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgm_nb.app.pages.data.cuts import parse_points
from pgm_nb.app.shell.repairs import MOST_CUTS, format_cuts, parse_cuts

points = st.lists(st.floats(-1e12, 1e12), max_size=MOST_CUTS).map(
    lambda cuts: tuple(sorted({float(f"{cut:.15g}") + 0.0 for cut in cuts}))
)


@given(st.text(), st.one_of(points, st.sampled_from(["quantile", "uniform", "mdlp", "kmeans", "caim"])))
def test_what_is_written_is_read_back(name, way):
    assert parse_cuts(format_cuts(name, way)) == (name, way)


@pytest.mark.parametrize("text", ["age", "age:old", "age:1;2", "age:nan", "age:inf", "age:1,,2"])
def test_what_is_no_cut_is_none(text):
    assert parse_cuts(text) is None


def test_too_many_cuts_are_none():
    assert parse_cuts("age:" + ",".join(map(str, range(MOST_CUTS)))) is not None
    assert parse_cuts("age:" + ",".join(map(str, range(MOST_CUTS + 1)))) is None


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("", ()),
        ("  ", ()),
        ("40", (40.0,)),
        ("65.5, 40", (40.0, 65.5)),
        ("1 2  3", (1.0, 2.0, 3.0)),
        ("1,5; 2,5", (1.5, 2.5)),
        ("1,5;", (1.5,)),
        ("-0, 1e3", (0.0, 1000.0)),
        ("40 years", None),
        ("1; 2 3", None),
        ("inf", None),
        (" ".join(map(str, range(99))), None),
    ],
)
def test_typed_points(typed, read):
    assert parse_points(typed) == read
