"""The command line as a person uses it."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.cli import main


@pytest.fixture
def patients(tmp_path):
    rng = np.random.default_rng(0)
    n = 80
    outcome = rng.choice(["well", "ill"], n)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "fever": np.where(outcome == "ill", 39.0, 37.0) + rng.normal(size=n),
            "cough": rng.choice(["yes", "no"], n),
            "outcome": outcome,
        }
    )
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def model(patients, tmp_path, capsys):
    path = tmp_path / "patients.pgmnb"
    assert main(["fit", str(patients), "--class", "outcome", "-o", str(path)]) == 0
    capsys.readouterr()
    return path


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_samples_lists_every_sample(capsys):
    code, out, _ = run(capsys, "samples")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(pnb.SAMPLES)
    assert "569 rows  30 attributes  classes: benign, malignant" in out.splitlines()[0]


def test_fit_prints_the_numbers_and_saves(capsys, tmp_path):
    code, out, _ = run(capsys, "fit", "wdbc", "-o", tmp_path / "wdbc.pgmnb")
    assert code == 0
    for figure in ("28.4868 bits", "8.7858", "28.6229", "32.9706 bits", "0.1361 bits", "worst radius"):
        assert figure in out
    assert pnb.load(tmp_path / "wdbc.pgmnb").search == "greedy"


def test_fit_says_when_the_tree_is_the_best_there_is(capsys):
    assert "proven optimal" in run(capsys, "fit", "wdbc", "--search", "exact")[1]
    assert "proven optimal" in run(capsys, "fit", "wdbc", "--search", "optimal")[1]
    assert "proven optimal" not in run(capsys, "fit", "iris", "--search", "optimal")[1]


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["--model", "nb", "--smoothing", "none"], {"smoothing": None}),
        (
            ["--model", "tan", "--smoothing", "0.5", "--missing", "mode"],
            {"smoothing": 0.5, "missing": "mode"},
        ),
        (["--search", "exact", "--max-clusters", "2"], {"search": "exact", "max_clusters": 2}),
        (["--discretizer", "uniform", "--bins", "3"], {"discretizer": "uniform", "n_bins": 3}),
        (["--discretizer", "none"], {"discretizer": None}),
    ],
)
def test_fit_options_reach_the_model(capsys, patients, tmp_path, options, parameters):
    out = tmp_path / "m"
    assert run(capsys, "fit", patients, "--class", "outcome", *options, "-o", out)[0] == 0
    model = pnb.load(out)
    assert {name: getattr(model, name) for name in parameters} == parameters


def test_predict_writes_csv_in_row_order(capsys, patients, model, tmp_path):
    target = tmp_path / "predictions.csv"
    code, out, _ = run(capsys, "predict", model, patients, "-o", target)
    assert (code, "80 rows" in out) == (0, True)
    written = pd.read_csv(target)
    fitted = pnb.load(model)
    rows = pd.read_csv(patients)[["age", "fever", "cough"]]
    assert written.columns.tolist() == ["prediction", "P(ill)", "P(well)"]
    assert written["prediction"].tolist() == fitted.predict(rows).tolist()
    assert written[["P(ill)", "P(well)"]].to_numpy() == pytest.approx(fitted.predict_proba(rows), abs=1e-15)


def test_predict_prints_when_no_file_is_named(capsys, patients, model):
    code, out, _ = run(capsys, "predict", model, patients)
    assert code == 0
    assert out.splitlines()[0] == "prediction,P(ill),P(well)"
    assert len(out.splitlines()) == 81


def test_predict_with_unknown_cells_and_extra_columns(capsys, model, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("note,cough,fever,age\nhello,yes,,\nworld,,39.5,40\n")
    code, out, _ = run(capsys, "predict", model, path)
    assert code == 0
    assert len(out.splitlines()) == 3


@pytest.mark.parametrize(
    "ending", ["dot", "svg", "png", "pdf", "json", "graphml", "bif", "xmlbif", "bifxml", "xdsl", "net", "uai"]
)
def test_export(capsys, model, tmp_path, ending):
    target = tmp_path / f"tree.{ending}"
    assert run(capsys, "export", model, "-o", target, "--view", "junction")[0] == 0
    assert target.stat().st_size > 100


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fit", "nowhere.csv"], "nowhere.csv"),
        (["fit", "{patients}"], "which column of"),
        (["fit", "{patients}", "--class", "outcom"], "outcome"),
        (["predict", "nowhere.pgmnb", "{patients}"], "there is no file nowhere.pgmnb"),
        (["predict", "{model}", "iris"], "has no column 'age', 'fever', 'cough'"),
        (["export", "{model}", "-o", "tree.docx"], "docx"),
        (["export", "{model}", "-o", "tree.svg", "--view", "cloud"], "cloud"),
        (["fit", "{patients}", "--class", "outcome", "--max-clusters", "0"], "at least 1"),
    ],
)
def test_mistakes_get_a_sentence_and_code_2(capsys, patients, model, arguments, sentence):
    code, out, err = run(capsys, *(a.format(patients=patients, model=model) for a in arguments))
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.startswith(f"pgm-nb {arguments[0]}: ")
    assert "Traceback" not in err


def test_help_teaches(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    for word in ("samples", "fit", "predict", "export", "app", "examples:"):
        assert word in out


def test_no_command_is_a_mistake(capsys):
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2


def test_import_is_light():
    """`import pgm_nb` loads none of the heavy libraries."""
    heavy = ["pandas", "sklearn", "scipy", "networkx", "pgmpy", "streamlit", "pygraphviz", "numba", "pyarrow"]
    code = f"import sys, pgm_nb; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_query_and_next(capsys, model):
    code, out, _ = run(capsys, "query", model, "--given", "fever=40", "--given", "cough=yes")
    assert code == 0
    table = pnb.load(model).query("outcome", given={"fever": 40, "cough": "yes"})
    assert out.split() == ["outcome", "probability", "ill", f"{table['probability'][0]:.6f}", "well",
                           f"{table['probability'][1]:.6f}"]  # fmt: skip
    code, out, _ = run(capsys, "query", model, "--of", "cough", "--of", "outcome", "--apart")
    assert (code, out.split()[:3]) == (0, ["variable", "state", "probability"])
    code, out, _ = run(capsys, "next", model, "--given", "fever=40")
    assert code == 0
    assert sorted(line.split()[0] for line in out.splitlines()[1:]) == ["age", "cough"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["query", "{model}", "--given", "fever"], "NAME=VALUE"),
        (["query", "{model}", "--given", "fevr=40"], "did you mean 'fever'"),
        (["query", "{model}", "--given", "cough=ja"], "'cough' has no state 'ja'"),
        (["query", "{model}", "--of", "outcom"], "did you mean 'outcome'"),
        (["next", "{model}", "--given", "outcome=ill"], "is given"),
    ],
)
def test_mistakes_in_questions(capsys, model, arguments, sentence):
    code, out, err = run(capsys, *(a.format(model=model) for a in arguments))
    assert (code, out) == (2, "")
    assert sentence in err


def test_a_reader_that_has_seen_enough_is_no_error():
    samples = f"{sys.executable} -m pgm_nb.cli samples"
    done = subprocess.run(f"{samples} | head -1", shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("wdbc")
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["--model", "hnb"], {"smoothing": 1.0}),
        (
            ["--model", "phnb", "--threshold", "auto", "--smoothing", "0.5"],
            {"threshold": "auto", "smoothing": 0.5},
        ),
        (["--model", "phnb", "--threshold", "0.01"], {"threshold": 0.01}),
        (["--model", "phnb"], {"threshold": "average"}),
    ],
)
def test_hidden_parents_on_the_command_line(capsys, patients, tmp_path, options, parameters):
    path = tmp_path / "hidden.pgmnb"
    code, out, _ = run(capsys, "fit", patients, "--class", "outcome", *options, "-o", path)
    assert code == 0
    assert "KL divergence    not defined: " in out
    model = pnb.load(path)
    assert {name: model.get_params()[name] for name in parameters} == parameters
    code, out, _ = run(capsys, "predict", path, patients)
    assert code == 0
    assert out.splitlines()[0] == "prediction,P(ill),P(well)"
    code, _, _ = run(capsys, "export", path, "-o", tmp_path / "map.svg", "--view", "heatmap")
    assert code == 0
    code, _, err = run(capsys, "export", path, "-o", tmp_path / "network.bif")
    assert code == 2
    assert "holds a Bayesian network" in err
    for question in ("query", "next"):
        code, _, err = run(capsys, question, path)
        assert code == 2
        assert "has no joint distribution to ask" in err


def test_a_model_that_does_not_exist(capsys, patients):
    with pytest.raises(SystemExit):
        main(["fit", str(patients), "--model", "magic"])
    assert "choose from nb, tan, gnb, hnb, phnb" in capsys.readouterr().err
