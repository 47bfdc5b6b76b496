"""One order everywhere: library, report and command line."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.cli import main
from pgm_nb.errors import DataError
from pgm_nb.explain.importance import out_of_fold, study_order
from pgm_nb.explain.importance.study import folds_of, in_words, repeats, rows_predicted, sure_steps
from pgm_nb.scoring.folds import make_folds
from pgm_nb.scoring.metrics import accuracy, log_loss


@pytest.mark.parametrize("kind", ["nb", "gnb", "hnb", "aode", "gaussian"])
def test_report_and_command_line_have_the_order_of_the_study(kind, tmp_path, capsys):
    X, y = pnb.load_sample("iris")
    model = next(one for one in pnb.MODELS if one.about.short_name == kind)().fit(X, y)
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


def ranking(*rows):
    return pd.DataFrame(rows, columns=["attribute", "value", "low", "high"])


def test_a_path():
    path = ranking(("a", 0.5, 0.4, 0.6), ("b", 0.2, 0.1, 0.3), ("c", 0.1, 0.05, 0.2))
    assert in_words(path, "forward", "class", str.upper) == (
        "A says most about the class: 0.500 bits. Then B adds 0.200 bits and C adds 0.100 bits."
    )
    assert sure_steps(path) == 3
    unsure = ranking(("a", 0.5, -0.1, 0.6), ("b", 0.2, 0.1, 0.3))
    assert sure_steps(unsure) == 1
    assert in_words(unsure, "forward", "ill").endswith("0.500 bits. What the rest adds may be chance.")


def test_what_is_lost():
    missed = ranking(("a", 0.05, 0.01, 0.09), ("b", 0.0, -0.1, 0.1))
    assert in_words(missed, "drop", "ill") == (
        "a would be missed most: while it is unknown, prediction loses 0.050 bits."
    )
    assert in_words(missed.assign(low=-0.1), "drop", "ill").startswith("No single attribute would clearly")


def test_shares():
    shares = ranking(("a", 0.3, 0.2, 0.4), ("b", 0.1, 0.0, 0.2))
    assert in_words(shares, "share", "ill") == (
        "Together the attributes say 0.400 bits about ill. The largest share has a: 0.300 bits, 75% of it."
    )


def test_nothing_helps():
    assert in_words(ranking(("a", -0.1, -0.2, 0.0)), "forward", "ill").startswith(
        "No attribute helps to predict ill"
    )


def test_two_that_say_the_same_are_named_once():
    table = pd.DataFrame(
        {
            "attribute": ["radius", "area", "sex", "age", "hair"],
            "alone": [0.5, 0.4, 0.06, 0.06, 0.04],  # what says less than a tenth of the best is left out
            "other": ["area", "radius", "area", "sex", "sex"],
            "share": [0.95, 1.0, 0.85, 0.3, 1.0],
        }
    )
    assert repeats(table) == [
        "radius and area say much the same about the class.",
        "sex follows from area: of what it says about the class, area has said 85%.",
    ]


MODEL = pnb.GeneralizedNaiveBayes(parameters="generative", smoothing="backoff")


def test_the_costs_are_those_of_the_two_models(table):
    X, y = table(5, seed=2, n=150)
    names = ["x3", "x0"]
    kept = pnb.keep_only(MODEL, X, y, names, cv=3)
    codes = np.unique(y, return_inverse=True)[1]
    found = []
    for columns in (list(X.columns), ["x0", "x3"]):
        for fold in make_folds(X, y.to_numpy(), 3, 0):
            fitted = clone(MODEL).fit(X.iloc[fold.train][columns], y.iloc[fold.train])
            posterior = fitted.predict_proba(X.iloc[fold.test][columns])
            found.append((log_loss(posterior, codes[fold.test]), accuracy(posterior, codes[fold.test])))
    before, after = np.array(found).reshape(2, 3, 2).mean(axis=1)
    assert (kept.log_loss.before, kept.accuracy.before) == pytest.approx(tuple(before), abs=1e-12)
    assert (kept.log_loss.after, kept.accuracy.after) == pytest.approx(tuple(after), abs=1e-12)
    assert kept.log_loss.low < after[0] - before[0] < kept.log_loss.high
    assert kept.names == ("x0", "x3")
    assert kept.left_out == ("x1", "x2", "x4")
    assert (kept.model.predict_proba(X[["x0", "x3"]]) == clone(MODEL).fit(X[["x0", "x3"]], y).predict_proba(
        X[["x0", "x3"]])).all()  # fmt: skip


def test_models_at_hand_are_not_trained_again(table):
    X, y = table(3, seed=2)
    whole = out_of_fold(MODEL, X, y)
    one, two = (pnb.keep_only(MODEL, X, y, ["x1"], **more) for more in ({}, {"whole": whole}))
    assert one.log_loss == two.log_loss
    assert one.accuracy == two.accuracy


def test_nothing_left_out_costs_nothing(table):
    X, y = table(3, seed=2)
    kept = pnb.keep_only(MODEL, X, y, list(X.columns))
    assert kept.log_loss.before == kept.log_loss.after
    assert not kept.log_loss.sure
    assert "With 3 of 3 attributes" in str(kept)


def test_names_are_checked(table):
    X, y = table(3, seed=2)
    with pytest.raises(DataError, match=r"'x9' is no attribute of the table.*attributes: x0, x1, x2"):
        pnb.keep_only(MODEL, X, y, ["x9"])
    with pytest.raises(DataError, match="no attribute would be left"):
        pnb.keep_only(MODEL, X, y, [])
