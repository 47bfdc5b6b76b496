"""Hidden naive Bayes and its packaged form, as classifiers."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError


@pytest.fixture(scope="module")
def heart():
    return pnb.load_sample("heart")


@pytest.fixture(scope="module")
def hidden(heart):
    return pnb.HiddenNaiveBayes().fit(*heart)


def test_a_threshold_below_everything_is_hidden_naive_bayes(heart, hidden):
    X, _ = heart
    for threshold in (-1.0, 0):
        packed = pnb.PackagedHiddenNaiveBayes(threshold=threshold).fit(*heart)
        assert (packed.predict_proba(X) == hidden.predict_proba(X)).all()
        assert packed.structure_.weights == hidden.structure_.weights


@pytest.mark.parametrize("smoothing", [1.0, 3.5])
def test_a_threshold_above_everything_is_naive_bayes(heart, smoothing):
    X, _ = heart
    packed = pnb.PackagedHiddenNaiveBayes(threshold=50, smoothing=smoothing).fit(*heart)
    naive = pnb.NaiveBayes(smoothing=smoothing, n_bins=5).fit(*heart)
    assert packed.structure_.in_naive_bag == tuple(X.columns)
    assert (packed.predict_proba(X) == naive.predict_proba(X)).all()


def test_bags_hold_what_is_at_least_the_average(heart):
    model = pnb.PackagedHiddenNaiveBayes().fit(*heart)
    half = pnb.PackagedHiddenNaiveBayes(threshold=model.threshold_ / 2).fit(*heart)
    for name in model.structure_.attributes:
        assert set(model.structure_.bag(name)) <= set(half.structure_.bag(name))
    assert model.trace_.algorithm == "average"
    assert model.trace_.threshold == model.threshold_
    assert model.trace_.to_frame()["mean_size"].iloc[0] == len(heart[0].columns) - 1


def test_auto_takes_the_best_of_its_curve(heart):
    model = pnb.PackagedHiddenNaiveBayes(threshold="auto").fit(*heart)
    curve = model.trace_.to_frame()
    best = curve.loc[curve["log_loss"].idxmin()]
    assert model.threshold_ == best["threshold"]
    assert curve["accuracy"].between(0.5, 1).all()
    assert curve["in_bags"].is_monotonic_decreasing
    assert curve["in_bags"].iloc[-1] == 0
    assert best["log_loss"] <= curve["log_loss"].iloc[[0, -1]].min()  # no worse than HNB and NB


def test_an_unknown_contributor_leaves_the_mixture(heart, hidden):
    """By hand: only age and sex are known, so each is all that is left in the hidden parent of the other."""
    X, _ = heart
    row = pd.DataFrame([[np.nan] * X.shape[1]], columns=X.columns)
    row["age"], row["sex"] = X["age"].iloc[0], X["sex"].iloc[0]
    row = row.astype({name: X[name].dtype if name in ("age", "sex") else object for name in X.columns})
    age, sex = (hidden.encoder_.names.index(name) for name in ("age", "sex"))
    codes = hidden.encoder_.encode(X.iloc[[0]])[:, 0]
    counts = hidden.learned_.counts
    joint = counts.pair(age, sex)[:, codes[age], codes[sex]]
    score = (counts.y + 0.5) / (counts.n_rows + 1)
    score = score * (joint + 1 / counts.cards[age]) / (counts.single(sex)[:, codes[sex]] + 1)
    score = score * (joint + 1 / counts.cards[sex]) / (counts.single(age)[:, codes[age]] + 1)
    assert hidden.predict_proba(row)[0] == pytest.approx(score / score.sum(), abs=1e-12)


def test_five_intervals_unless_others_are_asked_for(heart):
    assert pnb.HiddenNaiveBayes().fit(*heart).encoder_.cards[0] == 5
    assert pnb.HiddenNaiveBayes(n_bins=8).fit(*heart).encoder_.cards[0] == 8


def test_one_attribute_is_naive_bayes(heart):
    X, y = heart[0][["age"]], heart[1]
    for model in (pnb.HiddenNaiveBayes(), pnb.PackagedHiddenNaiveBayes(threshold="auto")):
        expected = pnb.NaiveBayes(smoothing=1.0, n_bins=5).fit(X, y).predict_proba(X)
        assert (model.fit(X, y).predict_proba(X) == expected).all()


def test_a_constant_column_takes_no_part(heart):
    X, y = heart
    plain = pnb.HiddenNaiveBayes().fit(X, y)
    with_constant = pnb.HiddenNaiveBayes().fit(X.assign(same="x"), y)
    assert with_constant.structure_.in_naive_bag == ("same",)
    np.testing.assert_allclose(
        with_constant.predict_proba(X.assign(same="x")), plain.predict_proba(X), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("smoothing", [None, 0, -1.0, np.inf, "much"])
def test_smoothing_must_be_a_positive_number(heart, smoothing):
    with pytest.raises(DataError, match="smoothing must be"):
        pnb.HiddenNaiveBayes(smoothing=smoothing).fit(*heart)


@pytest.mark.parametrize("threshold", ["best", None, np.nan, np.inf, True, [0.1]])
def test_threshold_must_be_a_number_or_a_rule(heart, threshold):
    with pytest.raises(DataError, match="threshold must be"):
        pnb.PackagedHiddenNaiveBayes(threshold=threshold).fit(*heart)


def test_the_card_says_why_there_is_no_divergence(hidden):
    html = hidden._repr_html_()
    assert "not a joint distribution" in html
    assert "<svg" in html


@pytest.mark.parametrize("sample", ["kr_vs_kp", "nursery", "wdbc"])
@pytest.mark.parametrize("kind", [pnb.HiddenNaiveBayes, pnb.PackagedHiddenNaiveBayes])
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_pgmpy_gives_the_same_class_posterior(sample, kind):
    from pgmpy.inference import VariableElimination

    X, y = pnb.load_sample(sample)
    model = kind().fit(X, y)
    engine = VariableElimination(model.to_pgmpy())
    rows = X.iloc[:: len(X) // 3]
    codes = model.encoder_.encode(rows)
    for place, expected in enumerate(model.predict_proba(rows)):
        given = {c.name: c.labels[codes[i, place]] for i, c in enumerate(model.encoder_.columns)}
        values = engine.query([model.learned_.target], evidence=given, show_progress=False).values
        assert values / values.sum() == pytest.approx(expected, abs=1e-9)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_network_names_its_hidden_parents(heart):
    X, y = heart
    model = pnb.PackagedHiddenNaiveBayes().fit(X, y)
    network = model.to_pgmpy()
    hidden = [node for node in network.nodes if node.startswith("hidden parent of ")]
    assert len(hidden) == len(model.structure_.weights)
    for name, bag in model.structure_.weights.items():
        [factor] = [f for f in network.factors if f.variables == [f"hidden parent of {name}"]]
        assert factor.state_names[f"hidden parent of {name}"] == list(bag)
        assert factor.values == pytest.approx(list(bag.values()))
