"""Why a row gets its class: contributions add up to the posterior."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.engine.sums import log_joint
from pgm_nb.errors import QueryError
from pgm_nb.explain.explanation import Terms
from pgm_nb.models import MODELS
from pgm_nb.models.table import TableClassifier

EXPLAINED = [
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


@pytest.mark.parametrize("model", EXPLAINED, ids=str)
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


FORESTS = [
    pnb.NaiveBayes(),
    pnb.TreeAugmentedNaiveBayes(),
    pnb.GeneralizedNaiveBayes(parameters="generative"),
    pnb.GeneralizedNaiveBayes(search="optimal", smoothing=0.5, parameters="generative"),
    pnb.GeneralizedNaiveBayes(search="exact", max_clusters=2, parameters="generative"),
]
UNSMOOTHED = [
    pnb.NaiveBayes(smoothing=None),
    pnb.TreeAugmentedNaiveBayes(smoothing=None),
    pnb.GeneralizedNaiveBayes(smoothing=None),
]
HIDDEN = [pnb.HiddenNaiveBayes(), pnb.PackagedHiddenNaiveBayes(), pnb.PackagedHiddenNaiveBayes(threshold=9.0)]


class TestModels:
    @pytest.mark.parametrize("model", [*FORESTS, *HIDDEN], ids=str)
    def test_terms_sum_to_the_score(self, model, three_classes, gaps):
        X, y = three_classes
        fitted = clone(model).fit(X, y)
        for rows in (X, gaps):
            terms = fitted.terms(rows)
            assert terms.scores() == pytest.approx(fitted.predict_joint_log_proba(rows), abs=1e-11)
            assert terms.names == tuple(fitted.importance_["attribute"])
            assert [about[0] for about in terms.attributes] == list(terms.names)

    @pytest.mark.parametrize("model", FORESTS, ids=str)
    def test_the_fast_terms_are_those_of_the_chain_rule(self, model, three_classes, gaps):
        X, y = three_classes
        fitted = clone(model).fit(X, y)
        for rows in (X, gaps):
            codes = fitted.encode(rows)
            fast, general = fitted.coded_terms(codes), TableClassifier.coded_terms(fitted, codes)
            assert (fast.names, fast.attributes) == (general.names, general.attributes)
            np.testing.assert_allclose(fast.prior, general.prior, rtol=0, atol=1e-9)
            np.testing.assert_allclose(fast.values, general.values, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("model", HIDDEN, ids=str)
    def test_the_terms_of_mixtures_have_the_sum_of_the_chain_rule(self, model, three_classes, gaps):
        """A mixture changes when a member becomes known, so only the sums can be the same."""
        X, y = three_classes
        fitted = clone(model).fit(X, y)
        for rows in (X, gaps):
            codes = fitted.encode(rows)
            fast, general = fitted.coded_terms(codes), TableClassifier.coded_terms(fitted, codes)
            np.testing.assert_allclose(fast.prior, TableClassifier.class_log_prior_.fget(fitted), atol=1e-9)
            np.testing.assert_allclose(fast.scores(), general.scores(), rtol=0, atol=1e-9)

    @pytest.mark.parametrize("model", UNSMOOTHED, ids=str)
    def test_repaired_rows_sum_to_their_score(self, model, three_classes, gaps):
        X, y = three_classes
        fitted = clone(model).fit(X[:60], y[:60])
        repaired = 0
        for rows in (X, gaps):
            expected = fitted.predict_joint_log_proba(rows)
            np.testing.assert_allclose(fitted.terms(rows).scores(), expected, rtol=0, atol=1e-11)
            codes = fitted.encoder_.encode(rows)
            repaired += np.isneginf(log_joint(fitted.factors_, codes)).all(axis=1).sum()
        assert repaired > 5 or isinstance(model, pnb.NaiveBayes)

    @pytest.mark.parametrize("search", ["greedy", "optimal"])  # the best tree with k clusters is no prefix
    @pytest.mark.parametrize("smoothing", [2.0, None])
    def test_a_prefix_is_the_smaller_model(self, search, smoothing, wdbc):
        X, y = wdbc
        X, train = X.iloc[:, ::2], np.arange(len(X)) % 3 > 0
        rules = {"search": search, "smoothing": smoothing, "parameters": "generative"}
        whole = pnb.GeneralizedNaiveBayes(**rules).fit(X[train], y[train])
        prefixes = whole.prefix_scores(X[~train])
        for clusters in (1, 2, 5, 14):
            small = pnb.GeneralizedNaiveBayes(**rules, max_clusters=clusters)
            expected = small.fit(X[train], y[train]).predict_joint_log_proba(X[~train])
            np.testing.assert_allclose(prefixes[:, clusters + 1], expected, rtol=0, atol=1e-11)

    def test_mothers_are_named(self, three_classes):
        X, y = three_classes
        fitted = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        terms = fitted.terms(X)
        assert {about[0]: about[1] for about in terms.attributes[1:]} == dict(fitted.structure_.mothers)


def test_terms_cannot_be_changed():
    terms = Terms(("a",), (("a",),), np.zeros(2), np.zeros((1, 1, 2)))
    with pytest.raises(ValueError, match="read-only"):
        terms.values[0, 0, 0] = 1.0


GIVEN = {"petal width": 1.6, "petal length": pnb.between(4.0, 5.5), "sepal width": pnb.above(2.8)}


@pytest.fixture(scope="module")
def iris():
    return pnb.load_sample("iris")


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_explains_what_it_answers(kind, iris):
    X, y = iris
    model = kind().fit(X, y)
    answer = model.query(y.name, GIVEN, X=X).set_index(y.name)["probability"]
    why = model.explain(GIVEN, label="virginica", against="versicolor", X=X)
    assert why.log_odds == pytest.approx(np.log(answer["virginica"] / answer["versicolor"]), abs=1e-9)
    parts = why.to_frame().set_index("part")["contribution"]
    assert parts.sum() == pytest.approx(why.log_odds, abs=1e-9)
    before = model.query(y.name, {n: GIVEN[n] for n in ("petal width", "petal length")}, X=X)
    before = before.set_index(y.name)["probability"]
    last = np.log(answer["virginica"] / answer["versicolor"])
    last -= np.log(before["virginica"] / before["versicolor"])
    assert parts.get("sepal width", 0.0) == pytest.approx(last, abs=1e-9)


def test_a_range_of_naive_bayes_by_hand():
    X = pd.DataFrame({"colour": ["red", "red", "blue", "green"] * 5, "size": ["s", "l", "s", "l"] * 5})
    y = pd.Series(["ill", "ill", "well", "well"] * 5, name="state")
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    tables = model.junction_tree().conditionals()["colour"]  # (class, colour)
    labels = list(model.encoder_.columns[0].labels)
    red, blue = labels.index("red"), labels.index("blue")
    both = tables[:, [red, blue]].sum(axis=1)
    why = model.explain({"colour": pnb.one_of("red", "blue")}, label="ill")
    assert why.parts[0].contribution == pytest.approx(np.log(both[0] / both[1]), abs=1e-12)
    assert why.parts[0].values == ("red or blue",)
    soft = model.explain({"colour": {"red": 0.5, "blue": 0.25}}, label="ill")
    weighed = 0.5 * tables[:, red] + 0.25 * tables[:, blue]
    assert soft.log_odds - soft.prior_log_odds == pytest.approx(np.log(weighed[0] / weighed[1]), abs=1e-12)
    rates = {"ill": 0.1, "well": 0.9}
    moved = model.explain({"colour": pnb.one_of("red", "blue")}, label="ill", prior=rates)
    assert moved.prior_log_odds == pytest.approx(np.log(1 / 9), abs=1e-12)
    assert moved.parts[0].contribution == pytest.approx(why.parts[0].contribution, abs=1e-12)


def test_what_cannot_be_explained_is_said(iris):
    X, y = iris
    with pytest.raises(QueryError, match="did you mean 'petal width'"):
        pnb.NaiveBayes().fit(X, y).explain({"petal widht": pnb.above(1.0)})
    with pytest.raises(QueryError, match="pass X="):
        pnb.GaussianNaiveBayes().fit(X, y).explain({"petal width": pnb.above(1.0)})


def test_steps_before_a_range_do_not_show_it():
    X, y = pnb.load_sample("iris")
    why = pnb.TreeAugmentedNaiveBayes().fit(X, y).explain(GIVEN)
    ranges = {"petal length", "sepal width"}
    own = [part for part in why.parts if part.name in ranges]
    assert [part.attributes for part in own] == [("petal length",), ("sepal width",)]
    assert not any(ranges & set(part.attributes) for part in why.parts if part not in own)
