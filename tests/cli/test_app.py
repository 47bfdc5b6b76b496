"""``pgm-nb app``: what is wrong is said before a browser opens."""

import pytest

import pgm_nb as pnb
from pgm_nb.cli import main


@pytest.fixture
def launched(monkeypatch):
    calls = []
    monkeypatch.setattr("pgm_nb.app.shell.launch.launch", lambda *given, **options: calls.append(given) or 0)
    return calls


@pytest.fixture
def patients(tmp_path):
    file = tmp_path / "patients.csv"
    file.write_text("age,outcome\n" + "40,ill\n50,well\n" * 10)
    return str(file)


def test_a_table_and_its_class_are_handed_on(launched, patients):
    assert main(["app", patients, "--class", "outcome"]) == 0
    assert main(["app", patients]) == 0  # the class is chosen in the app
    assert main(["app", "iris"]) == 0
    assert main(["app"]) == 0
    assert launched == [(patients, "outcome"), (patients, None), ("iris", None), (None, None)]


def test_a_class_that_is_not_there_is_refused(launched, patients, capsys):
    assert main(["app", patients, "--class", "outcom"]) != 0
    assert "did you mean 'outcome'?" in capsys.readouterr().err
    assert launched == []


def test_a_file_that_is_not_there_is_refused(launched, tmp_path, capsys):
    assert main(["app", str(tmp_path / "nobody.csv")]) != 0
    assert "there is no file" in capsys.readouterr().err
    assert launched == []


def test_a_class_beyond_the_columns_that_are_used_is_found(launched, tmp_path, monkeypatch):
    monkeypatch.setattr("pgm_nb.data.excerpt.MOST_COLUMNS", 3)
    file = tmp_path / "wide.csv"
    file.write_text("a,b,c,d,kind,e,f\n" + "1,2,3,4,p,5,6\n2,3,4,5,q,6,7\n" * 10)
    assert main(["app", str(file), "--class", "kind"]) == 0
    assert launched == [(str(file), "kind")]


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "8501.0", "٣", "9" * 5000])
def test_ports_that_are_none(port, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["app", f"--port={port}"])
    assert "a port is a whole number from 1 to 65535" in capsys.readouterr().err


def test_a_model_or_a_project_is_opened(launched, tmp_path, capsys):
    model, project = tmp_path / "iris.pgmnb", tmp_path / "iris.pgmnbproj"
    pnb.NaiveBayes().fit(*pnb.load_sample("iris")).save(model)
    pnb.Project("iris", is_sample=True).save(project)
    assert main(["app", str(model)]) == 0
    assert main(["app", str(project)]) == 0
    assert launched == [(str(model), None), (str(project), None)]
    project.write_bytes(model.read_bytes())
    assert main(["app", str(project)]) != 0
    assert "is not a pgm_nb project, but a pgm_nb model" in capsys.readouterr().err
