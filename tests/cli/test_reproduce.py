"""``pgm-nb reproduce``."""

import numpy as np
import pandas as pd
import pytest

from papers import data as datasets
from pgm_nb.cli import main, show


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    frame = pd.DataFrame({f"x{i}": 3 * y + rng.normal(size=60) for i in range(4)}).assign(**{"class": y})
    frame.to_csv(tmp_path / "parkinsons.csv", index=False)
    monkeypatch.setitem(datasets.DATASETS, "parkinsons", datasets.Dataset("parkinsons", 60, 4, 2))
    return tmp_path


def test_prints_the_table_and_writes_it(folder, capsys):
    words = ["reproduce", "gnb", "--data", str(folder), "--tables", "parkinsons", "--repeats", "2"]
    assert main([*words, "-o", str(folder / "gnb.md"), "--figures", str(folder)]) == 0
    printed = capsys.readouterr()
    assert "Kovács" in printed.out
    assert "GNB-A" in printed.out
    assert "parkinsons:" in printed.err  # the progress bar
    assert "| parkinsons | accuracy | GNB-A | 89.33 |" in (folder / "gnb.md").read_text()
    assert (folder / "gnb-parkinsons.svg").read_text().startswith("<svg")
    assert main([*words, "-o", str(folder / "gnb.csv")]) == 0
    assert len(pd.read_csv(folder / "gnb.csv")) == 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["phnb", "--figures", "."], "leave --figures out"),
        (["gnb", "--repeats", "0"], "--repeats must be 1 or more"),
        (["gnb", "-o", "table.doc"], "must end in .md or .csv"),
        (["gnb", "--tables", "irish"], "not among the paper's tables"),
        (["gnb", "--data", "nowhere"], "is not a folder"),
        (["gnb", "--stored", "--docs", "."], "--docs and --stored"),
        (["all", "--stored", "-o", "table.md"], "--docs DIR writes the page"),
    ],
)
def test_what_is_wrong_is_said(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", *words]) == 2
    assert said in capsys.readouterr().err


def test_all_papers_from_stored_results(folder, capsys, monkeypatch):
    table = pd.read_csv(folder / "parkinsons.csv")
    table["class"] = np.where(table["class"] == 1, "Positive", "Negative")
    table.to_csv(folder / "early_diabetes.csv", index=False)
    monkeypatch.setitem(datasets.DATASETS, "early_diabetes", datasets.Dataset("early_diabetes", 60, 4, 2))
    docs = folder / "docs"
    words = ["reproduce", "all", "--data", str(folder), "--tables", "early_diabetes", "--repeats", "2"]
    assert main([*words, "--docs", str(docs)]) == 0
    kept = docs / "reproduction" / "results.csv"
    parts = set(pd.read_csv(kept)["part"])
    assert parts == {"tables", "smoothed", "tried", "tried NB", "curves", "times"}
    content = kept.read_bytes()
    assert "gnb (5 of 6), early_diabetes:" in capsys.readouterr().err  # times, the sixth, take a moment
    assert main([*words, "--docs", str(docs)]) == 0  # times, too, are not taken again
    assert kept.read_bytes() == content
    printed = capsys.readouterr().out
    assert "gnb: 20 figures" in printed
    assert "not measured: gnb, tables, wdbc" in printed
    assert "not measured: gnb, tables, early_diabetes" not in printed
    assert "| early_diabetes | accuracy | GNB-A | 86.92 |" in (docs / "reproduction.md").read_text()
    assert (docs / "reproduction" / "table.html").read_text().count("<tr data-paper") == 20
    kept.unlink()
    assert main(["reproduce", "all", "--stored", "--results", str(kept)]) == 0
    assert "gnb: 0 figures" in capsys.readouterr().out


def test_without_the_sources_it_says_where_the_experiments_are(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(show, "SOURCE", tmp_path / "papers")  # as in what a wheel installs
    assert main(["reproduce", "gnb", "--data", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "`make papers DATA=DIR`" in said
