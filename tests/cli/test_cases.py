"""``pgm-nb cases`` and ``pgm-nb case``."""

import pandas as pd
import pytest

import pgm_nb as pnb


def test_wrong_ones_first(run, patients, tmp_path):
    few = ("--class", "outcome", "--folds", "4", "--most", "3")
    code, out, _ = run("cases", patients, *few, "--wrong-first", "-o", tmp_path / "cases.csv")
    table = pnb.read_table(patients)
    expected = pnb.cases(pnb.GeneralizedNaiveBayes(), table.drop(columns="outcome"), table["outcome"], cv=4)
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith(f"{expected['wrong'].sum()} of 80 rows get a wrong class from a model")
    assert [line.split()[0] for line in lines[2:]] == [str(row) for row in expected["row"][:3]]
    assert len(pnb.read_table(tmp_path / "cases.csv")) == 80
    by_row = run("cases", patients, *few, "--by-row")[1]
    assert [line.split()[0] for line in by_row.splitlines()[2:]] == ["1", "2", "3"]


def test_one_case(run, patients, model):
    table = pnb.read_table(patients).drop(columns="outcome")
    fitted = pnb.load(model)
    case = pnb.CaseAnalysis.of(fitted, table)
    code, out, _ = run("case", model, patients, "--given", "fever>38", "--unknowns", "--label", "ill")
    assert code == 0
    assert out.splitlines()[0] == str(pnb.tornado(case, {"fever": pnb.above(38)}, "ill"))
    code, out, _ = run("case", model, patients, "--row", "2", "--changes", "--changeable", "fever")
    row = table.iloc[1].to_dict()
    assert code == 0
    assert out.splitlines()[0] == str(pnb.what_changes(case, row, changeable=["fever"]))
    code, out, _ = run("case", model, patients, "--row", "2", "--alike", "3")
    alike = pnb.most_alike(fitted, table, 1, 3)["row"] + 1
    assert [line.split()[0] for line in out.splitlines()[1:]] == [str(row) for row in alike]
    code, out, _ = run("case", model, patients, "--row", "2", "--beside", "5")
    assert (code, "makes" in out.splitlines()[0]) == (0, True)
    assert run("case", model, patients, "--row", "2")[0] == 0


def test_numbers(run, patients, tmp_path):
    table = pnb.read_table(patients)
    path = tmp_path / "generative.pgmnb"
    kind = pnb.NaiveBayes(parameters="generative", n_bins=3)
    kind.fit(table.drop(columns="outcome"), table["outcome"]).save(path)
    code, out, _ = run("case", path, patients, "--given", "fever>38", "--numbers")
    assert code == 0
    assert len(out.splitlines()) == 8  # two of the class, three intervals of the fever in each


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--given", "fevr=3", "--unknowns"], "says nothing that a column of the table can have"),
        (["--row", "81"], "the table has rows 1 to 80, but --row is 81"),
        (["--alike", "3"], "name the case with --row N"),
        (["--row", "1", "--changes", "--changeable", "fevr"], "did you mean 'fever'"),
        (["--row", "1", "--changes", "--to", "sick"], "there is no class 'sick'"),
    ],
)
def test_mistakes(run, model, patients, arguments, sentence):
    code, _, err = run("case", model, patients, *arguments)
    assert code == 2
    assert sentence in err


def test_a_case_with_everything_known_has_no_empty_table(run, tmp_path):
    pnb.NaiveBayes(parameters="generative").fit(*pnb.load_sample("iris")).save(tmp_path / "m.pgmnb")
    code, out, _ = run("case", str(tmp_path / "m.pgmnb"), "iris", "--row", "60")
    assert code == 0
    assert "no attribute is unknown" in out
    assert "Empty DataFrame" not in out


def test_a_column_that_names_the_rows(run, patients, tmp_path):
    table = pd.read_csv(patients)
    table.insert(0, "patient", [f"P{place}" for place in range(len(table))])
    table.to_csv(tmp_path / "named.csv", index=False)
    code, out, _ = run(
        "cases", tmp_path / "named.csv", "--class", "outcome", "--id", "patient", "--model", "nb"
    )
    assert code == 0
    _, plain, _ = run("cases", patients, "--class", "outcome", "--model", "nb")
    rows = [line.split() for line in out.splitlines()[2:]]
    assert all(name == f"P{int(row) - 1}" for row, name, *_ in rows)
    assert [[row, *rest] for row, _, *rest in rows] == [line.split() for line in plain.splitlines()[2:]]
    code, _, err = run("cases", tmp_path / "named.csv", "--class", "outcome", "--id", "patent")
    assert (code, "did you mean 'patient'" in err) == (2, True)
