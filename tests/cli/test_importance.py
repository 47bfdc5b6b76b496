"""``pgm-nb importance``: the rankings of the library, in words and numbers."""

import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.cli.table import METHODS
from pgm_nb.explain.importance.orders import METHODS as KNOWN

TAN = ("--model", "tan", "--parameters", "generative")


def test_every_method_of_the_library():
    assert (*KNOWN, "redundancy") == METHODS


@pytest.mark.parametrize("method", METHODS)
def test_it_prints_and_writes_the_table(run, tmp_path, method):
    written = tmp_path / "ranking.csv"
    code, out, _ = run("importance", "iris", *TAN, "--method", method, "--folds", "3", "-o", str(written))
    assert code == 0
    model, (X, y) = pnb.TreeAugmentedNaiveBayes(parameters="generative"), pnb.load_sample("iris")
    expected = (
        pnb.redundancy(model, X, y, cv=3)
        if method == "redundancy"
        else pnb.importance(model, X, y, method, cv=3)
    )
    pd.testing.assert_frame_equal(pd.read_csv(written), expected)
    said = {"forward": "says most about", "drop": "missed", "share": "largest share", "redundancy": "petal"}
    assert said[method] in out
    assert expected["attribute"][0] in out
    assert f"written: {written}" in out


def test_the_cost_of_keeping_some(run):
    code, out, _ = run("importance", "iris", *TAN, "--keep", "petal width", "--keep", "sepal width")
    kept = pnb.keep_only(
        pnb.TreeAugmentedNaiveBayes(parameters="generative"),
        *pnb.load_sample("iris"),
        ["petal width", "sepal width"],
    )
    assert code == 0
    assert out.startswith(str(kept))


def test_fit_keeps_only_some(run, tmp_path):
    saved = tmp_path / "small.pgmnb"
    code, _, _ = run("fit", "iris", "--keep", "petal width", "--keep", "sepal width", "-o", str(saved))
    assert code == 0
    assert pnb.load(saved).attribute_names_ == ("sepal width", "petal width")


def test_a_report_of_some(run, tmp_path):
    page = tmp_path / "small.html"
    code, _, _ = run("report", "iris", "--keep", "petal width", "--keep", "sepal width", "--folds", "0",
                     "-o", str(page))  # fmt: skip
    assert code == 0
    assert "drop(columns=" in page.read_text()


@pytest.mark.parametrize("command", ["fit", "importance"])
def test_a_name_that_is_none(run, command):
    code, _, problem = run(command, "iris", "--keep", "petal widht")
    assert code == 2
    assert "'petal widht' is no attribute of the table; did you mean 'petal width'?" in problem
