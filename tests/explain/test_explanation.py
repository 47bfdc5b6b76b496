import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.errors import QueryError

MODELS = [
    pnb.NaiveBayes(),
    pnb.TreeAugmentedNaiveBayes(),
    pnb.GeneralizedNaiveBayes(),
    pnb.GeneralizedNaiveBayes(smoothing=None),
    pnb.HiddenNaiveBayes(),
    pnb.PackagedHiddenNaiveBayes(),
]


@pytest.fixture(scope="module")
def model(three_classes):
    return pnb.GeneralizedNaiveBayes().fit(*three_classes)


@pytest.fixture(scope="module")
def sharp():
    """No class is possible where another one is."""
    X = pd.DataFrame({"a": ["x", "x", "y", "z"] * 5, "b": ["p", "p", "q", "q"] * 5})
    return pnb.NaiveBayes(smoothing=None).fit(X, ["u", "u", "v", "w"] * 5)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_contributions_sum_to_the_log_odds_of_every_two_classes(model, three_classes, gaps):
    X, y = three_classes
    fitted = clone(model).fit(X, y)
    for row in (X.iloc[0], X.iloc[7], gaps.iloc[3]):
        frame = pd.DataFrame([row])[X.columns]
        posterior = fitted.predict_log_proba(frame.infer_objects())[0]
        why = fitted.explain(row)
        assert why.label == fitted.classes_[posterior.argmax()]
        assert why.probabilities == pytest.approx(np.exp(posterior), abs=1e-9)
        for i, label in enumerate(fitted.classes_):
            for j, against in enumerate(fitted.classes_):
                if i != j and np.isfinite(posterior[[i, j]]).any():
                    pair = why.versus(label, against)
                    assert pair.log_odds == pytest.approx(posterior[i] - posterior[j], abs=1e-9)
                    total = pair.prior_log_odds + sum(part.contribution for part in pair.parts)
                    assert pair.log_odds == pytest.approx(total, abs=1e-12)


def test_by_hand():
    X = pd.DataFrame({"fever": ["yes", "yes", "no", "no"], "cough": ["yes", "no", "yes", "no"]})
    y = np.array(["flu", "flu", "flu", "cold"])
    why = pnb.NaiveBayes(smoothing=1.0).fit(X, y).explain({"fever": "yes"})
    # prior (3.5 / 1.5); P(yes|flu) = 2.5/4, P(yes|cold) = 0.5/2
    assert (why.label, why.against) == ("flu", "cold")
    assert why.prior_log_odds == pytest.approx(np.log(3.5 / 1.5))
    by_name = {part.name: part for part in why.parts}
    assert by_name["fever"].contribution == pytest.approx(np.log((2.5 / 4) / (0.5 / 2)))
    assert by_name["cough"].contribution == 0
    assert by_name["cough"].states == ("unknown",)
    assert why.probability == pytest.approx(3.5 * 2.5 / 4 / (3.5 * 2.5 / 4 + 1.5 * 0.5 / 2))


class TestRows:
    def test_a_mapping_a_series_a_table_and_a_list_say_the_same(self, model, three_classes):
        X, _ = three_classes
        row = X.iloc[5]
        found = [model.explain(r).log_odds for r in (row, dict(row), X.iloc[[5]], row.tolist())]
        assert found == [found[0]] * 4

    def test_what_is_not_given_is_unknown(self, model, three_classes):
        X, _ = three_classes
        partial = model.explain({"stage": "II"}).log_odds
        row = dict.fromkeys(X.columns, np.nan) | {"stage": "II"}
        assert partial == model.explain(row).log_odds

    def test_values_and_states_are_shown(self, model):
        why = model.explain({"weight": 1.25, "stage": "II"})
        cells = {
            name: cell
            for part in why.parts
            for name, *cell in zip(part.attributes, part.values, part.states, strict=True)
        }
        assert cells["stage"] == ["II", "II"]
        assert cells["weight"][0] == "1.25"
        assert cells["weight"][1].startswith("(")

    def test_a_model_of_arrays(self, three_classes):
        X, y = three_classes
        numbers = X[["weight", "height"]].to_numpy()
        fitted = pnb.TreeAugmentedNaiveBayes().fit(numbers, y)
        posterior = fitted.predict_log_proba(numbers[:1])[0]
        order = np.sort(posterior)
        assert fitted.explain(numbers[0]).log_odds == pytest.approx(order[-1] - order[-2], abs=1e-9)
        assert fitted.explain({"x1": numbers[0, 1]}).parts

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ({"wieght": 1.0}, "did you mean 'weight'"),
            ([1, 2], "one value for each of the 5 attributes"),
            (pd.DataFrame({"weight": [1.0, 2.0]}), "one row is explained at a time"),
        ],
    )
    def test_bad_rows_are_refused_in_a_sentence(self, model, row, message):
        with pytest.raises(QueryError, match=message):
            model.explain(row)


class TestClasses:
    def test_the_default_is_the_predicted_class_against_the_runner_up(self, model, three_classes):
        X, _ = three_classes
        why = model.explain(X.iloc[2])
        ranked = np.argsort(-why.probabilities)
        assert (why.label, why.against) == tuple(why.classes[i] for i in ranked[:2])
        assert why.log_odds >= 0

    def test_another_class_is_held_against_the_predicted_one(self, model, three_classes):
        X, _ = three_classes
        why = model.explain(X.iloc[2])
        other = why.classes[int(np.argmin(why.probabilities))]
        assert model.explain(X.iloc[2], label=other).against == why.label

    def test_unknown_and_equal_classes_are_refused(self, model, three_classes):
        X, _ = three_classes
        with pytest.raises(QueryError, match="did you mean 'low'"):
            model.explain(X.iloc[0], label="lw")
        with pytest.raises(QueryError, match="given twice"):
            model.explain(X.iloc[0], label="low", against="low")

    def test_number_classes_are_found_by_their_text(self, three_classes):
        X, y = three_classes
        fitted = pnb.NaiveBayes().fit(X, y.map({"low": 0, "mid": 1, "high": 2}))
        assert fitted.explain(X.iloc[0], label="1").label == 1


class TestImpossible:
    def test_a_class_ruled_out_has_infinite_odds_against_it(self, sharp):
        why = sharp.explain({"a": "y", "b": "q"})
        assert why.label == "v"
        assert why.log_odds == np.inf
        assert sharp.explain({"a": "y", "b": "q"}, label="u").log_odds == -np.inf
        assert why.chart().to_dict()

    def test_two_classes_ruled_out_have_no_odds(self, sharp):
        with pytest.raises(QueryError, match="rules out both"):
            sharp.explain({"a": "y", "b": "q"}, label="u", against="w")

    def test_a_row_no_class_can_have_made_gets_the_prior(self):
        states = pd.CategoricalDtype(["x", "y", "never"])
        X = pd.DataFrame({"a": pd.Series(["x", "x", "y", "y"] * 5, dtype=states)})
        fitted = pnb.NaiveBayes(smoothing=None).fit(X, ["u", "u", "u", "v"] * 5)
        row = pd.DataFrame({"a": pd.Series(["never"], dtype=states)})
        why = fitted.explain(row)
        assert why.probabilities == pytest.approx(fitted.predict_proba(row)[0])
        assert why.log_odds == why.prior_log_odds


class TestShown:
    def test_the_table_sums_to_the_log_odds(self, model, three_classes):
        X, _ = three_classes
        why = model.explain(X.iloc[1])
        table = why.to_frame()
        assert table.columns.tolist() == [
            "part", "attributes", "value", "state", "contribution", "factor", "log_odds"
        ]  # fmt: skip
        assert table["log_odds"].iloc[-1] == pytest.approx(why.log_odds, abs=1e-12)
        assert np.log(table["factor"].to_numpy()) == pytest.approx(table["contribution"].to_numpy())

    def test_names_are_escaped(self, three_classes):
        X, y = three_classes
        hostile = X.rename(columns={"stage": "<script>alert(1)</script>"})
        why = pnb.NaiveBayes().fit(hostile, y).explain(hostile.iloc[0])
        assert "<script" not in why._repr_html_()
        assert "&lt;script&gt;" in why._repr_html_()

    def test_the_sentence(self, model, three_classes):
        X, _ = three_classes
        assert str(model.explain(X.iloc[0])).startswith("risk = ")
