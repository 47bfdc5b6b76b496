"""One order everywhere: library, report and command line."""

import re

import pytest

import pgm_nb as pnb
from pgm_nb.cli import main
from pgm_nb.explain.importance import study_order
from pgm_nb.explain.importance.study import folds_of, rows_predicted


@pytest.mark.parametrize("kind", ["nb", "gnb", "hnb", "aode", "gaussian"])
def test_report_and_command_line_have_the_order_of_the_study(kind, tmp_path, capsys):
    X, y = pnb.load_sample("iris")
    model = next(one for one in pnb.MODELS if one.short_name == kind)().fit(X, y)
    path = study_order(model, X, y).path
    expected = path["attribute"].tolist()
    assert expected == pnb.importance(model, X, y, max_rows=rows_predicted(model))["attribute"].tolist()
    text = pnb.report(model, X, y)
    for title in ("What matters", "What to measure first"):
        part = text[text.index(f"{title}") :]
        rows = re.findall(r"<tr><td[^>]*>\d+</td>\s*<td>([^<]+)</td>", part[part.index("<table") :])
        assert rows[:4] == expected
    file = tmp_path / "m.pgmnb"
    model.save(file)
    for command in (
        ["importance", "iris", "--class", "class", "--model", kind],
        ["next", str(file), "--table", "iris"],
    ):
        assert main(command) == 0
        lines = capsys.readouterr().out.splitlines()
        begun = next(i for i, line in enumerate(lines) if line.split()[:1] == ["attribute"])
        assert [" ".join(line.split()[:-3]) for line in lines[begun + 1 : begun + 5]] == expected


def test_without_a_table_each_is_ranked_alone(tmp_path, capsys):
    model = pnb.NaiveBayes(parameters="generative").fit(*pnb.load_sample("iris"))
    model.save(tmp_path / "m.pgmnb")
    assert main(["next", str(tmp_path / "m.pgmnb")]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("Each on its own.")
    assert main(["next", str(tmp_path / "m.pgmnb"), "--given", "petal width=1"]) == 0
    assert "Each on its own." not in capsys.readouterr().out


def test_fewer_folds_where_a_class_has_few_rows():
    assert folds_of(["a"] * 3 + ["b"] * 30) == 3
    assert folds_of(["a", *["b"] * 30]) == 2
