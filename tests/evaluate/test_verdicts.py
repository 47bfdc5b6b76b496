"""What a comparison says in words, on scores made by hand."""

import numpy as np
import pytest

from pgm_nb.evaluate.comparison import SCORED, Comparison
from pgm_nb.evaluate.verdicts import AS_GOOD, BEST, NOT_TESTED, WORSE, finding, meaning_of_p, verdicts
from pgm_nb.scoring.calibration import reliability


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
