"""``pgm-nb explain``."""

import pandas as pd
import pytest

import pgm_nb as pnb


def test_a_row_of_a_table(run, model, patients):
    code, out, _ = run("explain", model, patients, "--row", "3")
    assert code == 0
    why = pnb.load(model).explain(pd.read_csv(patients).iloc[2].drop("outcome"))
    assert out.splitlines()[0] == str(why)
    lines = [line.split() for line in out.splitlines()[2 : 3 + len(why.parts)]]
    assert [float(line[-3]) for line in lines] == pytest.approx(
        [why.prior_log_odds, *(part.contribution for part in why.parts)], abs=1e-4
    )
    assert float(lines[-1][-1]) == pytest.approx(why.log_odds, abs=1e-4)


def test_what_is_known(run, model):
    code, out, _ = run("explain", model, "--given", "fever=40", "--given", "cough=yes", "--label", "well")
    assert code == 0
    why = pnb.load(model).explain({"fever": 40, "cough": "yes"}, label="well")
    assert out.splitlines()[0] == str(why)
    assert "unknown" in out


def test_a_row_with_another_value(run, model, patients):
    _, cold, _ = run("explain", model, patients, "--given", "fever=36.0", "--label", "ill")
    _, hot, _ = run("explain", model, patients, "--given", "fever=41.0", "--label", "ill")
    probability = [float(out.split("probability ")[1].split("%")[0].strip("<>")) for out in (cold, hot)]
    assert probability[0] < probability[1]


def test_a_range_and_alternatives(run, model, patients):
    code, out, _ = run("explain", model, patients, "--given", "fever>38", "--given", "cough=yes|no")
    assert code == 0
    row = pd.read_csv(patients).iloc[0].drop("outcome").to_dict()
    why = pnb.load(model).explain(row | {"fever": pnb.above(38), "cough": pnb.one_of("yes", "no")})
    assert out.splitlines()[0] == str(why)
    assert "above 38" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--given", "fever"], "NAME=VALUE"),
        (["--given", "fevr>40"], "which does not exist; did you mean 'fever'"),
        (["--given", "fever>40", "--given", "fever=41"], "'fever' is given twice"),
        (["--given", "cough=yes|perhaps"], "'cough' has no state 'yes|perhaps'"),
        (["--given", "fevr=40"], "did you mean 'fever'"),
        (["--given", "fever=hot"], "was numeric at training"),
        (["--given", "fever=40", "--label", "il"], "did you mean 'ill'"),
        (["{patients}", "--row", "81"], "rows 1 to 80"),
        (["{patients}", "--row", "0"], "rows 1 to 80"),
        (["iris"], "no column 'age'"),
    ],
)
def test_mistakes(run, model, patients, arguments, sentence):
    code, out, err = run("explain", model, *(a.format(patients=patients) for a in arguments))
    assert (code, out) == (2, "")
    assert sentence in err
