"""``pgm-nb decide``."""

import json

import pandas as pd
import pytest

import pgm_nb as pnb


def test_numbers_are_those_of_decisions(run, patients, tmp_path):
    target = tmp_path / "decisions.json"
    code, out, err = run(
        "decide", patients, "--class", "outcome", "--class-that-counts", "ill", "--miss", "10",
        "--model", "nb", "--folds", "4", "-o", target,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.startswith(
        "A miss costs as much as 10 false alarms. So ill is decided from a probability of 9.1%"
    )
    frame = pd.read_csv(patients)
    found = pnb.decisions(
        pnb.NaiveBayes(),
        frame.drop(columns="outcome"),
        frame["outcome"],
        {"miss": 10, "false alarm": 1},
        label="ill",
        cv=4,
    )
    assert json.loads(target.read_text(encoding="utf-8")) == found.to_dict()
    assert f"{found.detection.sensitivity.value:.4f}" in out


def test_a_table_of_all_classes(run, tmp_path):
    target = tmp_path / "classes.csv"
    code, out, _ = run("decide", "iris", "--model", "gaussian", "--folds", "3", "-o", target)
    assert code == 0
    assert "Each class against the rest" in out
    assert pd.read_csv(target)["class"].tolist() == ["setosa", "versicolor", "virginica"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--class-that-counts", "il"], "did you mean 'ill'"),
        (["--miss", "0"], "the cost of a miss must be a positive number"),
        (["--folds", "1"], "--folds must be at least 2"),
        (["-o", "x.txt"], "must end in .json or .csv"),
    ],
)
def test_mistakes(run, patients, arguments, sentence):
    code, out, err = run(
        "decide", patients, "--class", "outcome", "--model", "nb", "--folds", "2", *arguments
    )
    assert (code, out) == (2, "")
    assert sentence in err
