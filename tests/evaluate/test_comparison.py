"""Comparisons: their tables, tests and charts, and what they say in words."""

import numpy as np
import pytest
from scipy import stats

from pgm_nb.errors import DataError
from pgm_nb.evaluate.comparison import (
    AS_GOOD,
    BEST,
    NOT_TESTED,
    SCORED,
    WORSE,
    Comparison,
    finding,
    meaning_of_p,
    verdicts,
)
from pgm_nb.scoring.metrics import reliability

HOSTILE = '<script>alert(1)</script> & "co"'


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    values = rng.random((3, 4, len(SCORED)))
    values[1, :, 0] = values[0, :, 0]  # the second is as accurate as the first
    values[2, 3] = np.nan  # and the third failed once
    given = rng.dirichlet([1, 1], 40)
    curves = tuple(reliability(given**power, np.arange(40) % 2) for power in (0.5, 1.0, 2.0))
    folds = np.array([(1, 1, 30, 10), (1, 2, 30, 10), (2, 1, 30, 10), (2, 2, 30, 10)])
    return Comparison(("NB", "TAN", HOSTILE), ("a", "b"), 40, folds, values, curves)


def test_scores_are_long(result):
    scores = result.scores
    assert scores.columns.tolist() == ["model", "repeat", "fold", *SCORED]
    assert scores["model"].tolist() == ["NB"] * 4 + ["TAN"] * 4 + [HOSTILE] * 4
    assert scores[["repeat", "fold"]].to_numpy()[4:8].tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
    np.testing.assert_array_equal(scores[list(SCORED)].to_numpy(), result.values.reshape(12, -1))
    scores.loc[0, "accuracy"] = 5.0
    assert result.scores.loc[0, "accuracy"] != 5.0


def test_one_row_per_model(result):
    table = result.to_frame().set_index("model")
    assert table["failed"].tolist() == [0, 0, 1]
    own = result.values[0, :, 1]
    assert table.loc["NB", "log_loss"] == pytest.approx(own.mean())
    assert table.loc["NB", "log_loss_se"] == pytest.approx(np.sqrt((1 / 4 + 1 / 3) * own.var(ddof=1)))
    assert table.loc["NB", "fit_seconds"] == pytest.approx(np.median(result.values[0, :, 4]))
    assert table.loc[HOSTILE, "brier"] == pytest.approx(result.values[2, :3, 2].mean())
    assert table["ece"].tolist() == [curve.error for curve in result.reliabilities]


def test_pairs(result):
    pairs = result.pairs("log_loss")
    assert pairs[["model", "other", "folds"]].to_numpy().tolist() == [
        ["NB", "TAN", 4],
        ["NB", HOSTILE, 3],
        ["TAN", HOSTILE, 3],
    ]
    difference = result.values[0, :, 1] - result.values[1, :, 1]
    t = difference.mean() / np.sqrt((1 / 4 + 1 / 3) * difference.var(ddof=1))
    assert pairs.loc[0, ["difference", "t", "p"]].to_list() == pytest.approx(
        [difference.mean(), t, 2 * stats.t.sf(abs(t), 3)]
    )
    assert pairs.loc[0, "wilcoxon_p"] == stats.wilcoxon(difference).pvalue
    for p in ("p", "wilcoxon_p"):
        assert pairs[f"{p}_holm"].min() == pytest.approx(min(1.0, 3 * pairs[p].min()))
    same = result.pairs("accuracy").iloc[0]
    assert (same["difference"], same["p"], same["wilcoxon_p"]) == (0.0, 1.0, 1.0)


def test_one_model_has_no_pairs(result):
    alone = Comparison(("NB",), ("a", "b"), 40, result.folds, result.values[:1], result.reliabilities[:1])
    assert alone.pairs().shape == (0, 11)
    assert alone.pairs().columns.tolist() == result.pairs().columns.tolist()


def test_calibration(result):
    table = result.calibration()
    assert table.columns.tolist() == ["model", "bin", "predicted", "observed", "rows"]
    assert table.groupby("model", sort=False)["rows"].sum().tolist() == [40, 40, 40]
    assert table.loc[table["model"] == "TAN", "predicted"].to_list() == list(
        result.reliabilities[1].predicted
    )


def test_a_score_that_does_not_exist(result):
    for ask in (result.pairs, result.chart):
        with pytest.raises(DataError, match="there is no score 'acuracy'; did you mean 'accuracy'"):
            ask("acuracy")


def test_html_escapes_names(result):
    html = result._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "2 repeats of 2 folds" in html


@pytest.mark.parametrize("metric", ["log_loss", "fit_seconds", "calibration"])
def test_charts_become_pictures(result, metric):
    import vl_convert

    for theme in ("light", "dark"):
        chart = (
            result.calibration_chart(theme=theme)
            if metric == "calibration"
            else result.chart(metric, theme=theme)
        )
        svg = vl_convert.vegalite_to_svg(chart.to_json())
        assert "<script>" not in svg
        assert "TAN" in svg


def test_the_result_is_frozen(result):
    with pytest.raises(ValueError, match="read-only"):
        result.values[0, 0, 0] = 1.0
    with pytest.raises(AttributeError):
        result.models = ()


def compared(losses, accuracies=None):
    """Return a comparison with these log-losses per model and fold."""
    losses = {name: np.asarray(values, dtype=float) for name, values in losses.items()}
    n = len(next(iter(losses.values())))
    values = np.zeros((len(losses), n, len(SCORED)))
    for place, (name, own) in enumerate(losses.items()):
        values[place, :, SCORED.index("log_loss")] = own
        values[place, :, SCORED.index("accuracy")] = 0.9 if accuracies is None else accuracies[name]
    values[np.isnan(values[:, :, SCORED.index("log_loss")])] = np.nan
    folds = np.array([(1, k + 1, 80, 20) for k in range(n)])
    curve = reliability(np.array([[0.9, 0.1]]), np.array([0]))
    return Comparison(tuple(losses), ("a", "b"), 100, folds, values, (curve,) * len(losses))


@pytest.fixture
def three():
    return compared(
        {
            "near": [0.21, 0.19, 0.23, 0.17, 0.22],
            "far": [0.90, 0.91, 0.89, 0.92, 0.90],
            "lead": [0.20, 0.20, 0.20, 0.20, 0.20],
        }
    )


def test_the_others_are_held_against_the_best(three):
    table = verdicts(three)
    assert table["model"].tolist() == ["lead", "near", "far"]
    assert table["verdict"].tolist() == [BEST, AS_GOOD, WORSE]
    np.testing.assert_allclose(
        table["difference"], [0.0, 0.004, 0.704], atol=1e-12
    )  # the other minus the best
    pairs = three.pairs("log_loss").set_index(["model", "other"])["p_holm"]
    np.testing.assert_allclose(table["p"][1:], [pairs["near", "lead"], pairs["far", "lead"]])


def test_more_is_better_where_it_is():
    result = compared({"a": [0.2, 0.3], "b": [0.2, 0.3]}, {"a": [0.7, 0.8], "b": [0.9, 0.95]})
    assert verdicts(result, "accuracy")["model"].tolist() == ["b", "a"]
    assert result.best("accuracy") == "b"
    assert result.best("log_loss") == "a"  # the first of equals


def test_one_fold_decides_nothing():
    result = compared({"a": [0.2], "b": [0.3]})
    assert verdicts(result)["verdict"].tolist() == [BEST, NOT_TESTED]
    assert finding(result) == (
        "a predicts best: it is right in 90.0% of the rows, with a log-loss of 0.200 bits."
    )


def test_models_that_failed_everywhere_are_left_out():
    result = compared({"a": [0.2, 0.2], "gone": [np.nan, np.nan]})
    assert verdicts(result)["model"].tolist() == ["a"]
    assert compared({"gone": [np.nan]}).best() is None
    assert finding(compared({"gone": [np.nan]})) == "None of the models could be tested on this table."


def test_what_is_said(three):
    # differences 0.01 -0.01 0.03 -0.03 0.02: t = 0.004 / sqrt((1/5 + 1/4) 0.00058) = 0.248, 4 degrees
    assert finding(three).endswith("Its lead over near may be chance (p = 0.82).")
    assert "corrected for the 3 pairs of models" in meaning_of_p(three)
    assert "With 5 folds" in meaning_of_p(three)
    assert "pairs" not in meaning_of_p(compared({"a": [0.1] * 10, "b": [0.2] * 10}))
    assert "unnoticed" not in meaning_of_p(compared({"a": [0.1] * 10, "b": [0.2] * 10}))
