"""Another population: base rates shift, odds follow exactly; decisions of least expected cost."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError

OTHER = {"setosa": 0.2, "versicolor": 0.75, "virginica": 0.05}
RATES = np.array(list(OTHER.values()))


@pytest.fixture(scope="module")
def iris():
    X, y = pnb.load_sample("iris")
    rows = np.random.default_rng(0).choice(len(X), 110, replace=False)  # classes of unequal size
    return X.iloc[rows], y.iloc[rows]


def variants():
    for kind in pnb.MODELS:
        yield pytest.param((kind, {}), id=kind.about.short_name)
        if kind.about.has_parameter("parameters"):
            yield pytest.param((kind, {"parameters": "generative"}), id=f"{kind.about.short_name} generative")
            yield pytest.param((kind, {"parameters": "class"}), id=f"{kind.about.short_name} class")


@pytest.fixture(scope="module", params=variants())
def model(request, iris):
    kind, parameters = request.param
    return kind(**parameters).fit(*iris)


def some_rows(X):
    rows = X.iloc[:30].astype(float).copy()
    rows.iloc[::3, 0] = np.nan
    rows.iloc[5, :] = np.nan
    return rows


def by_hand(posterior, trained, rates):
    weighed = posterior * rates / trained
    return weighed / weighed.sum(axis=-1, keepdims=True)


class TestEveryModel:
    def test_odds_follow_exactly(self, model, iris):
        rows, trained = some_rows(iris[0]), np.exp(model.class_log_prior_)
        before, after = model.predict_proba(rows), model.predict_proba(rows, prior=OTHER)
        np.testing.assert_allclose(after, by_hand(before, trained, RATES), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(rows, prior=OTHER)), after, rtol=1e-12)
        np.testing.assert_array_equal(model.predict(rows, prior=OTHER), model.classes_[after.argmax(axis=1)])

    def test_the_rates_of_training_change_nothing(self, model, iris):
        same = dict(zip(model.classes_, np.exp(model.class_log_prior_), strict=True))
        rows = some_rows(iris[0])
        np.testing.assert_allclose(
            model.predict_proba(rows, prior=same), model.predict_proba(rows), rtol=1e-12
        )

    def test_nothing_known_gives_the_base_rates(self, model, iris):
        row = iris[0].iloc[[0]] * np.nan
        np.testing.assert_allclose(model.predict_proba(row, prior=OTHER)[0], RATES, rtol=1e-12)

    def test_a_class_that_does_not_occur_there(self, model, iris):
        rows = some_rows(iris[0])
        none = {"setosa": 0.5, "versicolor": 0.5, "virginica": 0.0}
        found = model.predict_proba(rows, prior=none)
        assert (found[:, 2] == 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)

    def test_the_explanation_adds_up(self, model, iris):
        row = iris[0].iloc[[3]]
        why, before = model.explain(row, prior=OTHER), model.explain(row)
        np.testing.assert_allclose(why.probabilities, model.predict_proba(row, prior=OTHER)[0], rtol=1e-9)
        same = before.versus(why.label, why.against)
        shift = model.base_rate_shift(OTHER)
        one, other = (list(model.classes_).index(c) for c in (why.label, why.against))
        assert why.log_odds - same.log_odds == pytest.approx(shift[one] - shift[other], abs=1e-9)
        assert [p.contribution for p in why.parts] == [p.contribution for p in same.parts]

    def test_decisions_are_of_least_expected_cost(self, model, iris):
        rows = some_rows(iris[0])
        costs = pd.DataFrame([[0, 1, 8], [2, 0, 9], [5, 3, 0]], model.classes_, model.classes_)
        for prior in (None, OTHER):
            expected = model.predict_proba(rows, prior=prior) @ costs.to_numpy()
            decided = model.decide(rows, costs, prior=prior)
            np.testing.assert_array_equal(decided, model.classes_[expected.argmin(axis=1)])

    def test_a_miss_and_a_false_alarm(self, model, iris):
        rows = some_rows(iris[0])
        chance = model.predict_proba(rows)[:, 2]
        decided = model.decide(rows, {"miss": 4, "false alarm": 1}, label="virginica")
        np.testing.assert_array_equal(decided == "virginica", chance >= 0.2)


class TestQueries:
    @pytest.fixture(params=["nb", "tan", "gnb"])
    def asked(self, request, iris):
        kind = next(kind for kind in pnb.MODELS if kind.about.short_name == request.param)
        return kind(parameters="generative").fit(*iris)

    @pytest.mark.parametrize("parameters", ["generative", "class"])
    @pytest.mark.parametrize("kind", [kind for kind in pnb.MODELS if kind.about.is_joint])
    def test_the_class(self, kind, parameters, iris):
        model = kind(**{"parameters": parameters} if kind.about.has_parameter("parameters") else {}).fit(
            *iris
        )
        given = {"petal width": 1.6, "sepal width": 2.9}
        before = model.query("class", given)["probability"].to_numpy()
        after = model.query("class", given, prior=OTHER)["probability"].to_numpy()
        np.testing.assert_allclose(after, by_hand(before, np.exp(model.class_log_prior_), RATES), rtol=1e-12)
        row = pd.DataFrame([given], columns=iris[0].columns)
        np.testing.assert_allclose(after, model.predict_proba(row, prior=OTHER)[0], rtol=1e-9)

    def test_attributes_follow(self, asked):
        """P'(x | e) is the mean of P(x | y, e) over the moved classes."""
        given = {"petal width": 1.6}
        moved = asked.query("class", given, prior=OTHER)["probability"].to_numpy()
        within = [
            asked.query("sepal length", given | {"class": label})["probability"].to_numpy()
            for label in asked.classes_
        ]
        found = asked.query("sepal length", given, prior=OTHER)["probability"].to_numpy()
        np.testing.assert_allclose(found, moved @ np.array(within), rtol=1e-10)

    def test_the_joint_and_each_apart_agree(self, asked):
        given, names = {"petal width": 1.6}, ["class", "sepal length"]
        joint = asked.query(names, given, prior=OTHER)
        apart = asked.query(names, given, prior=OTHER, joint=False)
        for name in names:
            np.testing.assert_allclose(
                joint.groupby(name, sort=False)["probability"].sum().to_numpy(),
                apart.loc[apart["variable"] == name, "probability"].to_numpy(),
                rtol=1e-10,
            )

    def test_pgmpy_agrees(self, asked):
        given = {"petal width": 1.6}
        for names in ("class", ["sepal length", "class"]):
            ours, theirs = (
                asked.query(names, given, prior=OTHER, engine=engine)["probability"]
                for engine in ("messages", "pgmpy")
            )
            np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        ({"setosa": 1.0}, "a share to every class, but has none for versicolor, virginica"),
        (dict.fromkeys(OTHER, 0.5), "must add up to 1, but add up to 1.5"),
        ({**OTHER, "setos": 0.1}, "there is no class 'setos'; did you mean 'setosa'?"),
        ({**OTHER, "setosa": -0.2}, "the prior of 'setosa' must be a share from 0 to 1, but is -0.2"),
        ({**OTHER, "setosa": "many"}, "must be a share from 0 to 1, but is 'many'"),
        ({**OTHER, "setosa": True}, "must be a share from 0 to 1, but is True"),
        (0.5, "prior must say how common each class is"),
    ],
)
def test_mistakes_get_a_sentence(iris, prior, sentence):
    model = pnb.NaiveBayes().fit(*iris)
    with pytest.raises(QueryError) as error:
        model.predict_proba(iris[0], prior=prior)
    assert sentence in str(error.value)


def test_classes_that_are_numbers():
    X = pd.DataFrame({"a": [0, 0, 1, 1, 1, 0]})
    model = pnb.NaiveBayes(parameters="generative").fit(X, [0, 0, 0, 1, 1, 1])
    rates = model.predict_proba(X, prior={0: 0.9, 1: 0.1})
    np.testing.assert_array_equal(rates, model.predict_proba(X, prior={"0": 0.9, "1": 0.1}))
    np.testing.assert_allclose(rates, by_hand(model.predict_proba(X), np.array([0.5, 0.5]), [0.9, 0.1]))


class TestQuestions:
    """What is asked of a joint distribution, against brute force in the moved one."""

    @pytest.fixture
    def joint(self, iris):
        return pnb.NaiveBayes(parameters="generative", n_bins=3, smoothing=1.0).fit(*iris)

    def test_the_most_probable_case(self, joint):
        names = [joint.structure_.target, *joint.attribute_names_]
        table = joint.query(names, prior=OTHER)
        best = table.loc[table["probability"].idxmax(), names].to_dict()
        assert joint.map_query(prior=OTHER) == best
        assert joint.map_query(names[0], prior=OTHER) == {names[0]: "versicolor"}

    def test_samples(self, joint):
        drawn = joint.sample(20_000, random_state=0, prior=OTHER)
        shares = drawn[joint.structure_.target].value_counts(normalize=True)
        for label, rate in OTHER.items():
            assert shares[label] == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / 20_000))


def test_what_to_measure_next(model, iris):
    """Information is that of the joint distribution of class and attribute in the population."""
    X = iris[0]
    found = model.next_best(X=X, prior=OTHER).set_index("attribute")["information"]
    trained = np.exp(model.class_log_prior_)
    own = model.prospects(X=X)
    for place, column in enumerate(own.columns):
        chances, posteriors = own.outcomes([(own.nothing, (place,))])[0]
        joint = chances[:, None] * posteriors * (RATES / trained)
        joint /= joint.sum()
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        bits = (joint * np.log2(np.divide(joint, apart, out=np.ones_like(joint), where=joint > 0))).sum()
        assert found[column.name] == pytest.approx(bits, abs=1e-9)
