"""How sure an answer is, on the command line: intervals, rows, remarks, and what an empty cell means."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.words import credible


@pytest.fixture
def generative(patients, tmp_path):
    frame = pnb.read_table(patients)
    path = tmp_path / "generative.pgmnb"
    kind = pnb.NaiveBayes(parameters="generative", smoothing=1.0, n_bins=4, discretizer="quantile")
    kind.fit(frame.drop(columns="outcome"), frame["outcome"]).save(path)
    return path


def test_query_gives_interval_rows_and_remarks(run, generative, patients):
    code, out, _ = run("query", generative, "--given", "fever=55", "--given", "cough=yes", "--rows", patients)
    assert code == 0
    said = out.splitlines()[3:]
    model, frame = pnb.load(generative), pnb.read_table(patients)
    hot = model.encode(frame.drop(columns="outcome"))[1] == 3
    agree = frame[hot & (frame["cough"] == "yes").to_numpy()]
    ill = int((agree["outcome"] == "ill").sum())
    assert said[0] == f"{ill} of {len(agree)} such rows have outcome = ill."
    ends = model.credible_interval({"fever": 55, "cough": "yes"})
    assert said[1] == f"The probability of ill is {credible(ends['low'][0], ends['high'][0])}."
    assert said[2].startswith("fever = 55 is out of range: the rows have ")
    assert len(said) == 3


def test_base_rates_move_the_interval(run, generative):
    _, out, _ = run("query", generative, "--given", "fever=37", "--prior", "ill=0.001")
    assert out.splitlines()[3] == "The probability of well is above 99% (90% credible)."


def test_questions_about_attributes_get_no_interval(run, generative):
    assert "credible" not in run("query", generative, "--of", "cough")[1]
    assert "credible" not in run("query", generative, "--of", "cough", "--given", "outcome=ill")[1]


def test_explain_counts_the_rows_of_the_table_it_reads(run, generative, patients):
    _, out, _ = run("explain", generative, patients, "--row", "3")
    assert " such row" in out.splitlines()[-2] or "nearest" in out.splitlines()[-2]
    assert out.splitlines()[-1].endswith("(90% credible).")
    _, out, _ = run("explain", generative, "--given", "cough=yes", "--label", "well")
    assert out.splitlines()[-1].startswith("The probability of well is between ")


def test_a_cell_never_seen_counts_as_unknown_and_a_slip_is_refused(run, generative, patients, tmp_path):
    frame = pnb.read_table(patients).head(1).assign(cough="perhaps").drop(columns="outcome")
    new = tmp_path / "new.csv"
    frame.to_csv(new, index=False)
    code, out, _ = run("explain", generative, new)
    assert code == 0
    assert out.splitlines()[-1] == "cough = perhaps was not seen in training, so it counts as unknown."
    code, out, err = run("explain", generative, "--given", "cough=perhaps")
    assert (code, out) == (2, "")
    assert "'cough' has no state 'perhaps'" in err


def test_case_says_how_sure_first(run, generative, patients):
    code, out, _ = run("case", generative, patients, "--given", "cough=yes", "--label", "ill")
    frame = pnb.read_table(patients)
    coughs = frame[frame["cough"] == "yes"]
    first, rows, interval = out.splitlines()[:3]
    assert code == 0
    assert first.startswith("outcome = ill with probability ")
    assert rows == f"{(coughs['outcome'] == 'ill').sum()} of {len(coughs)} such rows have outcome = ill."
    assert interval.startswith("The probability of ill is between ")


def test_rows_without_a_class_are_left_out_and_a_table_without_columns_is_refused(
    run, generative, patients, tmp_path
):
    frame = pnb.read_table(patients)
    frame.loc[:9, "outcome"] = np.nan
    some = tmp_path / "some.csv"
    frame.to_csv(some, index=False)
    assert "of all 70 rows" in run("query", generative, "--rows", some)[1]
    frame.drop(columns="age").to_csv(some, index=False)
    code, _, err = run("query", generative, "--rows", some)
    assert code == 2
    assert "has no column 'age'" in err


def test_an_empty_cell_is_what_was_chosen(run, tmp_path):
    X = pd.DataFrame({"test": ["pos", "neg", None, None] * 10, "class": ["ill", "well", "ill", "ill"] * 10})
    table, path = tmp_path / "table.csv", tmp_path / "table.pgmnb"
    X.to_csv(table, index=False)
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X[["test"]], X["class"])
    model.save(path)
    empty = pd.DataFrame({"test": [None]})
    chances = []
    for meaning in ("missing", "unknown"):
        _, out, _ = run("explain", path, table, "--row", "3", "--empty", meaning, "--label", "ill")
        chances.append(float(out.split("probability ")[1].split("%")[0]))
        expected = model.empty_as(meaning).predict_proba(empty)[0, 0]
        assert chances[-1] == pytest.approx(100 * expected, abs=0.06)
    assert chances[0] > chances[1]
    gaussian = tmp_path / "gaussian.pgmnb"
    pnb.GaussianNaiveBayes().fit(*pnb.load_sample("iris")).save(gaussian)
    code, _, err = run("explain", gaussian, "iris", "--empty", "missing")
    assert code == 2
    assert "always unknown" in err
