"""``--prior`` of predict, query and explain."""

import io

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb

RATES = {"ill": 0.01, "well": 0.99}


def test_predict_query_and_explain(run, model, patients):
    fitted, rows = pnb.load(model), pd.read_csv(patients)[["age", "fever", "cough"]]
    expected = fitted.predict_proba(rows, prior=RATES)
    code, out, _ = run("predict", model, patients, "--prior", "ill=0.01")  # the other class gets the rest
    assert code == 0
    np.testing.assert_allclose(pd.read_csv(io.StringIO(out))[["P(ill)", "P(well)"]], expected, rtol=1e-9)
    code, out, _ = run("query", model, "--given", "fever=40", "--prior", "ill=0.01", "--prior", "well=0.99")
    table = fitted.query("outcome", {"fever": 40}, prior=RATES)
    assert code == 0
    assert f"{table['probability'][0]:.6f}" in out
    code, out, _ = run("explain", model, patients, "--row", "3", "--prior", "ill=0.01")
    assert code == 0
    assert str(fitted.explain(rows.iloc[[2]], prior=RATES)) in out


def test_next_decide_and_likeliest(run, model, patients):
    fitted = pnb.load(model)
    code, out, _ = run("next", model, "--prior", "ill=0.01")
    first = fitted.next_best(prior=RATES).iloc[0]
    assert code == 0
    assert out.splitlines()[1].split() == [first["attribute"], f"{first['information']:.4f}"]
    code, out, _ = run("query", model, "--likeliest", "--prior", "ill=0.01")
    assert code == 0
    assert "outcome = well" in out
    ask = (
        "decide",
        patients,
        "--class",
        "outcome",
        "--model",
        "nb",
        "--class-that-counts",
        "ill",
        "--folds",
        "2",
    )
    assert "for the table's own mix" in run(*ask)[1]
    code, out, _ = run(*ask, "--prior", "ill=0.01")
    assert code == 0
    assert "This is for your base rate: 1.0% are ill" in out
    assert run(*ask, "--prior", "il=0.01")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["query", "{model}", "--prior", "il=0.5"], "there is no class 'il'; did you mean 'ill'?"),
        (["query", "{model}", "--prior", "ill=often"], "the share must be a number"),
        (["query", "{model}", "--prior", "ill=1.5"], "must be a share from 0 to 1"),
        (["query", "{model}", "--prior", "ill=0.5", "--prior", "well=0.1"], "must add up to 1"),
    ],
)
def test_mistakes(run, model, arguments, sentence):
    code, out, err = run(*(a.format(model=model) for a in arguments))
    assert (code, out) == (2, "")
    assert sentence in err
