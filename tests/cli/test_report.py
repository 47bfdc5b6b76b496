"""``pgm-nb report``: one HTML file."""

import re
from html import unescape


def test_a_report_of_a_file(run, patients, tmp_path):
    path = tmp_path / "report.html"
    code, out, err = run(
        "report", patients, "--class", "outcome", "--model", "tan", "--bins", "3", "-o", path,
        "--title", "Our patients", "--case", "3", "--folds", "2", "--date", "1 May 2026",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert str(path) in out
    text = path.read_text(encoding="utf-8")
    assert "<h1>Our patients</h1>" in text
    assert "Row 3 is" in text
    assert "1 May 2026" in text
    assert "Tree augmented naive Bayes (TAN), learned from 80 rows" in text
    lines = re.search(r"<pre><code>(.*?)</code>", text, re.DOTALL)[1]
    assert "n_bins=3" in lines
    assert "patients.csv" in lines


def test_a_report_of_a_sample(run, tmp_path):
    path = tmp_path / "iris.html"
    assert run("report", "iris", "-o", path, "--folds", "0")[0] == 0
    assert 'load_sample("iris")' in unescape(path.read_text(encoding="utf-8"))


def test_a_wrong_case_gets_a_sentence(run, patients, tmp_path):
    code, _, err = run(
        "report", patients, "--class", "outcome", "-o", tmp_path / "r.html", "--case", "99", "--folds", "0"
    )
    assert code == 2
    assert "row from 1 to 80" in err
    assert not (tmp_path / "r.html").exists()
