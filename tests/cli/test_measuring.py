"""``pgm-nb next`` and ``pgm-nb questions``."""

import pytest

import pgm_nb as pnb


def test_next_with_prices(run, model):
    code, out, _ = run("next", model, "--given", "age=40..60", "--cost", "fever=2", "--ahead", "2")
    assert code == 0
    assert out.split()[:6] == ["attribute", "information", "price", "per", "price", "with"]
    code, out, _ = run("next", model, "--given", "age=50", "--cost", "fever=2")
    best = pnb.load(model).next_best({"age": 50}, cost={"fever": 2}).iloc[0]
    assert out.splitlines()[1].split()[:2] == [best["attribute"], f"{best['information']:.4f}"]


def test_next_says_when_to_stop(run, model):
    code, out, _ = run("next", model, "--cost", "fever=5", "--least", "3", "--group", "talk=age,cough")
    assert code == 0
    assert "talk" in out
    assert out.splitlines()[-1] == "Nothing left is worth its price."


def test_next_by_cost_saved(run, model):
    costs = ("--miss", "50", "--false-alarm", "5", "--label", "ill")
    code, out, _ = run("next", model, "--cost", "fever=1", *costs)
    assert code == 0
    assert out.split()[1] == "saved"


def test_next_of_a_model_of_densities(run, patients, tmp_path, capsys):
    path = tmp_path / "g.pgmnb"
    assert run("fit", patients, "--class", "outcome", "--model", "gaussian", "-o", path)[0] == 0
    code, _, said = run("next", path)
    assert code == 2
    assert "needs a table" in said
    code, out, _ = run("next", path, "--table", patients, "--given", "age=50.5")
    assert code == 0
    assert out.split()[:3] == ["attribute", "information", "fever"]


def test_questions(run, model, patients, tmp_path):
    chart = tmp_path / "chart.svg"
    code, out, _ = run("questions", model, "--most", "2", "--table", patients, "-o", chart)
    assert code == 0
    assert out.startswith("fever")
    assert "Of 100 cases not used in learning" in out
    assert "of 100 cases end here" in chart.read_text(encoding="utf-8")
    code, out, _ = run("questions", model, "--given", "fever=38")
    assert code == 0
    assert "are expected to get the wrong class" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cost", "fever=much"], "the price of 'fever' must be a number"),
        (["--cost", "feverr=1"], "did you mean 'fever'"),
        (["--miss", "1"], "belong together"),
        (["--given", "fever=hot"], "has no state 'hot'"),
        (["--given", "outcome=ill"], "is given"),
    ],
)
def test_mistakes(run, model, options, said):
    code, _, error = run("next", model, *options)
    assert code == 2
    assert said in error
