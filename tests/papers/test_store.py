"""The file of results: figures are kept, found again, and replaced."""

import math

import numpy as np
import pytest

from papers.store import Measured, Results, measured, read_results
from pgm_nb.errors import DataError

ROW = Measured("gnb", "tables", "wdbc", "NB", "accuracy", 93.3, 2.7, 50, 0, "2026-11-17", "Python 3, numpy 2")


def test_what_is_written_is_read(tmp_path):
    once = measured(("phnb", "best", "sick"), "PHNB, best threshold", "accuracy", np.array([97.4]))
    path = tmp_path / "deeper" / "results.csv"
    Results([ROW, once]).write(path)
    found = read_results(path)
    assert found.find(*ROW.key) == ROW
    again = found.find(*once.key)
    assert (again.value, again.repeats) == (97.4, 1)
    assert math.isnan(again.deviation)
    content = path.read_bytes()
    found.write(path)
    assert path.read_bytes() == content


def test_a_new_figure_takes_the_place_of_the_old_one():
    results = Results([ROW])
    results.add([Measured(*ROW.key, 94.0, 2.0, 100)])
    assert len(results) == 1
    assert results.find(*ROW.key).value == 94.0


def test_figures_are_found_by_part_and_table():
    other = Measured("gnb", "times", "wdbc", "NB", "milliseconds", 4.0, 0.5, 5)
    results = Results([ROW, other])
    assert results.of("gnb") == (ROW, other)
    assert results.of("gnb", "times") == (other,)
    assert results.of("gnb", table="iris") == ()
    assert results.has("gnb", "times", "wdbc")
    assert not results.has("gnb", "times", "iris")
    assert results.find("gnb", "tables", "wdbc", "TAN", "accuracy") is None
    assert list(results) == [ROW, other]


def test_without_a_file_there_are_no_results(tmp_path):
    assert len(read_results(tmp_path / "none.csv")) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "is not a file of results"),
        (
            "HEAD\ngnb,tables,wdbc,NB,accuracy,high,2.7,50,0,2026-11-17,Python\n",
            "line 2 of .* is not a result",
        ),
        ("HEAD\ngnb,tables\n", "line 2 of .* is not a result"),
    ],
)
def test_a_broken_file_is_refused(tmp_path, text, said):
    path = tmp_path / "results.csv"
    Results([ROW]).write(path)
    path.write_text(text.replace("HEAD", path.read_text().splitlines()[0]))
    with pytest.raises(DataError, match=said):
        read_results(path)
