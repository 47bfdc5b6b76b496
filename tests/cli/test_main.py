"""The parser, the exit codes, and how mistakes are told."""

import os
import subprocess
import sys

import pytest

from pgm_nb.cli import main
from pgm_nb.models import load


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
        (["fit", "{patients}", "--class", "outcome", "--max-clusters", "0"], "max_clusters must be"),
    ],
)
def test_mistakes_get_a_sentence_and_code_2(run, patients, model, arguments, sentence):
    code, out, err = run(*(a.format(patients=patients, model=model) for a in arguments))
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


def test_a_reader_that_has_seen_enough_is_no_error():
    samples = f"{sys.executable} -m pgm_nb.cli samples"
    done = subprocess.run(f"{samples} | head -1", shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("wdbc")
    assert done.stderr == ""


def test_a_closed_pipe_does_not_cost_the_model(tmp_path):
    saved = tmp_path / "iris.pgmnb"
    fit = f"{sys.executable} -m pgm_nb.cli fit iris -o {saved}"
    subprocess.run(f"{fit} | head -1", shell=True, capture_output=True, check=True)
    assert load(saved).classes_.tolist() == ["setosa", "versicolor", "virginica"]


def test_a_terminal_without_our_letters_does_not_cost_the_model(tmp_path):
    table = tmp_path / "wörter.csv"
    table.write_text("größe,class\nα,ja\nβ,nein\nα,ja\n", encoding="utf-8")
    saved = tmp_path / "model.pgmnb"
    command = [sys.executable, "-m", "pgm_nb.cli", "fit", str(table), "-o", str(saved)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "gr??e" in done.stdout
    assert load(saved).attribute_names_ == ("größe",)


def test_a_stopped_command_says_so_in_one_line(monkeypatch, capsys, tmp_path):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pgm_nb.models.measuring.count", stopped)
    assert main(["fit", "iris", "-o", str(tmp_path / "m.pgmnb")]) == 130
    assert capsys.readouterr().err == "pgm-nb fit: stopped; nothing half-done was written.\n"
    assert list(tmp_path.iterdir()) == []


def test_a_command_stopped_while_the_models_are_loaded_says_so_too(monkeypatch, capsys):
    def stopped():
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["pgm_nb.cli.main"], "_parser", stopped)
    assert main(["fit", "iris"]) == 130
    assert capsys.readouterr().err == "pgm-nb: stopped; nothing half-done was written.\n"
