"""``pgm-nb repair``, and --recipe and --codebook wherever a table is learned from."""

import io

import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.cli import main

CODEBOOK = "column,value,name,unit\nplas,,glucose,mg/dl\ny,0,healthy,\ny,1,diabetic,\n"


@pytest.fixture
def ugly(tmp_path):
    rows = "".join(
        f"{i};{i % 23},5 mg;{0 if i % 4 == 0 else 80 + i % 70};{i % 3};{'' if i % 10 == 0 else i % 2}\n"
        for i in range(80)
    )
    path = tmp_path / "ugly.csv"
    path.write_text(f"id;dose;plas;dose;y\n{rows}")
    return path


def test_proposals_are_listed_and_nothing_is_changed(ugly, capsys):
    before = ugly.read_bytes()
    assert main(["repair", str(ugly)]) == 0
    out = capsys.readouterr().out
    assert "1. More than one column is called “dose”" in out
    assert "Nothing was changed" in out
    assert ugly.read_bytes() == before


def test_from_an_ugly_table_to_readable_predictions(ugly, tmp_path, capsys):
    recipe, book, model = (str(tmp_path / name) for name in ("recipe.json", "book.csv", "m.pgmnb"))
    (tmp_path / "book.csv").write_text(CODEBOOK)
    assert main(["repair", str(ugly), "--class", "y", "-o", recipe, "--table", str(tmp_path / "t.csv")]) == 0
    assert len(pnb.read_table(tmp_path / "t.csv")) == 72
    assert [step["do"] for step in pnb.Recipe.read(recipe).to_list()] == [
        "number names",
        "leave out rows",
        "read numbers",
        "not measured",
        "leave out",
    ]
    fit = ["fit", str(ugly), "--class", "y", "--recipe", recipe, "--codebook", book, "--model", "nb"]
    assert main([*fit, "-o", model]) == 0
    assert "glucose (mg/dl)" in capsys.readouterr().out
    assert main(["predict", model, str(ugly)]) == 0  # the raw table
    found = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert list(found.columns) == ["prediction", "P(diabetic)", "P(healthy)"]
    assert len(found) == 80
    assert main(["explain", model, str(ugly), "--row", "2"]) == 0
    assert "glucose" in capsys.readouterr().out
    assert main(["next", model, "--table", str(ugly)]) == 0


def test_chosen_proposals_alone(ugly, tmp_path, capsys):
    clean = tmp_path / "clean.csv"
    clean.write_text("a,y\n" + "".join(f"{'x' if i % 2 else 'X'},{'p' if i % 3 else ''}\n" for i in range(9)))
    assert main(["repair", str(clean), "--class", "y", "--take", "2", "-o", str(tmp_path / "r.json")]) == 0
    assert [step["do"] for step in pnb.Recipe.read(tmp_path / "r.json").to_list()] == ["merge"]
    assert main(["repair", str(clean), "--take", "7"]) == 2
    assert "there is no proposal 7" in capsys.readouterr().err
    assert main(["repair", "iris"]) == 0
    assert "Nothing to repair was found" in capsys.readouterr().out


def test_the_report_says_what_was_repaired(ugly, tmp_path, capsys):
    recipe, page = tmp_path / "r.json", tmp_path / "report.html"
    assert main(["repair", str(ugly), "--class", "y", "-o", str(recipe)]) == 0
    arguments = ["--class", "y", "--recipe", str(recipe), "--model", "nb", "--folds", "0", "-o", str(page)]
    assert main(["report", str(ugly), *arguments]) == 0
    text = page.read_text()
    assert "plas: 0 means not measured." in text
    assert "pnb.Recipe(" in text


def test_a_recipe_needs_one_table_and_must_fit(ugly, tmp_path, capsys):
    recipe = tmp_path / "r.json"
    recipe.write_text('[{"do": "not measured", "column": "bp", "values": [0]}]')
    assert main(["fit", "iris", "--recipe", str(recipe)]) == 2
    assert "step 1 of the recipe (bp: 0 means not measured.) does not fit" in capsys.readouterr().err
    assert main(["fit", str(ugly), str(ugly), "--recipe", str(recipe)]) == 2
    assert "--recipe needs all rows at once" in capsys.readouterr().err
