"""``pgm-nb compare``."""

import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.cli import main
from pgm_nb.errors import DataError

SMALL = ("--folds", "2", "--repeats", "2")


def test_compare_prints_the_table_and_the_tests(run, patients, tmp_path):
    target = tmp_path / "scores.csv"
    code, out, err = run(
        "compare",
        patients,
        "--class",
        "outcome",
        *SMALL,
        "--models",
        "nb,gnb",
        "--with",
        "logistic",
        "-o",
        target,
    )
    assert (code, err) == (0, "")
    assert out.startswith("Comparison: nb, gnb, logistic on 80 rows, 2 repeats of 2 folds")
    assert "accuracy, nb minus the other (p: corrected resampled t-test):" in out
    assert "log-loss (bits), nb minus the other" in out
    written = pd.read_csv(target)
    assert written.shape == (12, 9)
    mean = written.groupby("model")["accuracy"].mean()["gnb"]
    assert f"gnb {mean:.4f} ±" in out


def test_choices_of_a_model_follow_it(run, patients):
    names = "kdb:selected,aode:information,gnb:class:4,class-trees:triples"
    code, out, _ = run("compare", patients, "--class", "outcome", *SMALL, "--models", names)
    assert code == 0
    assert out.startswith(f"Comparison: {names.replace(',', ', ')} on 80 rows")
    X, y = pnb.read_table(patients).drop(columns="outcome"), pnb.read_table(patients)["outcome"]
    same = {"kdb:selected": pnb.KDependenceBayes(select=True)}
    mean = pnb.compare(same, X, y, cv="2x2", random_state=0).to_frame()["accuracy"].iloc[0]
    assert f"kdb:selected {mean:.4f} ±" in out


@pytest.mark.parametrize(
    ("model", "told"),
    [("kdb:most", "'most' (choose from all, selected, 2, 1, 3)"), ("odanb:4", "'4' (it has none)")],
)
def test_a_choice_that_does_not_exist(capsys, model, told):
    with pytest.raises(SystemExit):
        main(["compare", "iris", "--models", model])
    assert f"invalid choice of {model.partition(':')[0]}: {told}" in capsys.readouterr().err


def test_the_seed_decides_the_folds(run, patients):
    def table(seed):
        out = run("compare", patients, "--class", "outcome", *SMALL, "--models", "nb", "--seed", seed)[1]
        return [line.split()[:12] for line in out.splitlines() if line.strip().startswith("nb")]

    assert table(1) == table(1)
    assert table(1) != table(2)


def test_a_model_that_fails_is_named_with_its_reason(run, patients, monkeypatch):
    def refuse(self, X, y):
        raise DataError("column 'cough' must hold numbers")

    monkeypatch.setattr(pnb.LocalPCAMixture, "fit", refuse)
    code, out, _ = run("compare", patients, "--class", "outcome", *SMALL, "--models", "nb,local-pca")
    assert code == 0
    assert "local-pca failed in 4 of 4 folds: column 'cough' must hold numbers" in out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--folds", "70"], "of the 70 folds, but"),
        (["--folds", "1"], "cv must be a number of folds, at least 2"),
        (["--models", ","], "there is no model to compare"),
    ],
)
def test_mistakes(run, patients, options, sentence):
    code, out, err = run("compare", patients, "--class", "outcome", *options)
    assert (code, out) == (2, "")
    assert err.startswith("pgm-nb compare: ")
    assert sentence in err


@pytest.mark.parametrize(
    ("option", "choices"), [("--models", "nb, tan, gnb"), ("--with", "logistic, forest")]
)
def test_models_that_do_not_exist(capsys, option, choices):
    with pytest.raises(SystemExit) as stop:
        main(["compare", "iris", option, "nb,magic" if option == "--models" else "magic"])
    assert stop.value.code == 2
    assert f"invalid choice: 'magic' (choose from {choices}" in capsys.readouterr().err


def test_a_part_of_the_rows_and_what_the_tests_mean(run, patients):
    code, out, _ = run(
        "compare", patients, "--class", "outcome", *SMALL, "--models", "nb,gnb", "--rows", "40"
    )
    assert code == 0
    assert "on 40 of 80 rows" in out
    assert "Tested on 40 of 80 rows, drawn at random" in out
    assert " predicts best: it is right in " in out
    assert "p says how often chance alone" in out
