"""What to measure next, against the definition summed over every combination of states."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import PgmNbError, QueryError
from pgm_nb.explain import next_measurement as prospects

CARDS = (2, 3, 2, 3)
NAMES = tuple("abcd")


def random_table(seed, n=150):
    """Return a table whose attributes depend on the class and on each other."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    columns, before = {}, y
    for name, card in zip(NAMES, CARDS, strict=True):
        mixed = (before + y * rng.integers(0, 2, n) + rng.integers(0, card, n) * rng.integers(0, 2, n)) % card
        columns[name] = [f"{name}{state}" for state in mixed]
        before = mixed
    return pd.DataFrame(columns), pd.Series([f"y{k}" for k in y], name="y")


def full_joint(model):
    """P(y, a, b, c, d) from the scores of all complete rows."""
    grid = np.indices(CARDS).reshape(len(CARDS), -1)
    rows = pd.DataFrame(
        {name: [f"{name}{s}" for s in states] for name, states in zip(NAMES, grid, strict=True)}
    )
    joint = np.exp(model.predict_joint_log_proba(rows)).T.reshape(-1, *CARDS)
    return joint / joint.sum()


def entropy(table):
    table = np.asarray(table).ravel()
    return -sum(p * np.log2(p) for p in table if p > 0)


def given_state(joint, given):
    """P(y, the rest | given), with the axes of what is given kept as ones."""
    for name, state in given.items():
        joint = joint.take([int(state[1])], axis=1 + NAMES.index(name))
    return joint / joint.sum()


def brute_bits(joint, given, asked):
    """H(Y | given) - H(Y | given, asked)."""
    joint = given_state(joint, given)
    away = tuple(1 + i for i, name in enumerate(NAMES) if name not in asked)
    table = joint.sum(axis=away).reshape(len(joint), -1)
    return entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)) - entropy(table)


def brute_saved(joint, given, asked, costs):
    joint = given_state(joint, given)
    away = tuple(1 + i for i, name in enumerate(NAMES) if name not in asked)
    table = joint.sum(axis=away).reshape(len(joint), -1)
    return min(table.sum(axis=1) @ costs) - sum(min(column @ costs) for column in table.T)


JOINT = [
    pnb.NaiveBayes(parameters="generative", smoothing=1.0),
    pnb.TreeAugmentedNaiveBayes(parameters="generative", smoothing=1.0),
    pnb.GeneralizedNaiveBayes(parameters="generative", smoothing=0.5),
]


@pytest.fixture(params=range(6))
def fitted(request):
    model = JOINT[request.param % 3]
    return model.fit(*random_table(request.param))


def test_bits_are_the_definition(fitted):
    joint = full_joint(fitted)
    for given in ({}, {"a": "a1"}, {"b": "b2", "d": "d0"}):
        found = fitted.next_best(given)
        assert list(found.columns) == ["attribute", "information"]
        assert sorted(found["attribute"]) == [name for name in NAMES if name not in given]
        expected = [brute_bits(joint, given, [name]) for name in found["attribute"]]
        np.testing.assert_allclose(found["information"], expected, rtol=0, atol=1e-9)
        assert found["information"].is_monotonic_decreasing


def test_groups_and_prices(fitted):
    joint = full_joint(fitted)
    found = fitted.next_best({"a": "a0"}, cost={"lab": 4, "c": 0.5}, groups={"lab": ["b", "d"]})
    assert list(found.columns) == ["attribute", "information", "price", "per price", "worth"]
    table = found.set_index("attribute")
    assert sorted(table.index) == ["c", "lab"]
    assert table["price"].to_dict() == {"lab": 4.0, "c": 0.5}
    assert table.loc["lab", "information"] == pytest.approx(brute_bits(joint, {"a": "a0"}, "bd"), abs=1e-9)
    assert table.loc["c", "information"] == pytest.approx(brute_bits(joint, {"a": "a0"}, "c"), abs=1e-9)
    np.testing.assert_allclose(table["per price"], table["information"] / table["price"])
    assert found["per price"].is_monotonic_decreasing


def test_a_group_of_which_a_part_is_known_is_the_rest_of_it(fitted):
    joint = full_joint(fitted)
    found = fitted.next_best({"b": "b1"}, groups=[["b", "d"]]).set_index("attribute")
    assert found.loc["b + d", "information"] == pytest.approx(brute_bits(joint, {"b": "b1"}, "d"), abs=1e-9)
    assert "b + d" not in set(fitted.next_best({"b": "b1", "d": "d1"}, groups=[["b", "d"]])["attribute"])


def test_looking_ahead_is_the_best_pair_per_price(fitted):
    joint, cost = full_joint(fitted), {"a": 1, "b": 3, "c": 2, "d": 0.5}
    found = fitted.next_best(cost=cost, ahead=2).set_index("attribute")
    alone = {name: brute_bits(joint, {}, name) for name in NAMES}
    pairs = {pair: brute_bits(joint, {}, pair) for pair in combinations(NAMES, 2)}
    assert all(bits >= max(alone[a], alone[b]) - 1e-12 for (a, b), bits in pairs.items())
    for name in NAMES:
        better = {}
        for pair, bits in pairs.items():
            rate = bits / sum(cost[member] for member in pair)
            if name in pair and rate > max(alone[member] / cost[member] for member in pair) + 1e-9:
                better[pair] = rate
        if not better:
            assert found.loc[name, "with"] is None
            continue
        pair = max(better, key=better.get)
        assert {name, found.loc[name, "with"]} == set(pair)
        assert found.loc[name, "together"] == pytest.approx(pairs[pair], abs=1e-9)


def test_soft_evidence_is_summed_over_its_states(fitted):
    joint, weights = full_joint(fitted), np.array([0.2, 0.0, 0.7])
    moved = joint * weights[None, None, :, None, None]
    found = fitted.next_best({"b": {"b0": 0.2, "b2": 0.7}}).set_index("attribute")["information"]
    for name in "acd":
        assert found[name] == pytest.approx(brute_bits(moved / moved.sum(), {}, name), abs=1e-9)


@pytest.mark.parametrize("kind", [pnb.NaiveBayes, pnb.GeneralizedNaiveBayes])
def test_the_class_has_the_posterior_of_predictions(kind):
    X, y = random_table(3, 300)
    model = kind(parameters="class", smoothing="hierarchical").fit(X, y)
    found = model.next_best({"a": "a1"}, groups=[["b", "c"]]).set_index("attribute")["information"]
    states = [(b, c) for b in range(3) for c in range(2)]
    rows = pd.DataFrame([{"a": "a1", "b": f"b{b}", "c": f"c{c}", "d": np.nan} for b, c in states])
    asked = model.query(["b", "c"], {"a": "a1"})["probability"].to_numpy()
    table = (model.predict_proba(rows) * asked[:, None]).T
    expected = entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)) - entropy(table)
    assert found["b + c"] == pytest.approx(expected, abs=1e-9)


def test_hidden_naive_bayes_by_its_own_score():
    X, y = random_table(4)
    model = pnb.HiddenNaiveBayes().fit(X, y)
    rows = pd.DataFrame([{"a": "a0", "b": f"b{s}", "c": np.nan, "d": np.nan} for s in range(3)])
    table = np.exp(model.predict_joint_log_proba(rows)).T
    table /= table.sum()
    found = model.next_best({"a": "a0"}).set_index("attribute")["information"]
    expected = entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)) - entropy(table)
    assert found["b"] == pytest.approx(expected, abs=1e-9)


def test_exclusive_or_is_found_by_looking_ahead():
    states = [(a, b, n) for a in "01" for b in "01" for n in "012"] * 10
    X = pd.DataFrame(states, columns=["left", "right", "noise"])
    y = pd.Series(np.where(X["left"] == X["right"], "same", "different"), name="y")
    model = pnb.GeneralizedNaiveBayes(parameters="generative", smoothing=1e-6).fit(X, y)
    alone = model.next_best()
    np.testing.assert_allclose(alone["information"], 0, atol=1e-9)
    found = model.next_best(ahead=2).set_index("attribute")
    assert list(found.index[:2]) == ["left", "right"]
    assert (found.loc["left", "with"], found.loc["right", "with"]) == ("right", "left")
    assert found.loc["left", "together"] == pytest.approx(1, abs=1e-4)
    assert found.loc["noise", "with"] is None
    priced = model.next_best(cost={"left": 3}, ahead=2, least=0.2)
    assert priced.set_index("attribute")["worth"].to_dict() == {"left": True, "right": True, "noise": False}
    assert not model.next_best(cost={"left": 3}, ahead=2, least=0.3)["worth"].any()  # 1 bit for 4


def test_nothing_left_is_worth_its_price(fitted):
    most = fitted.next_best()["information"].max()
    assert fitted.next_best(cost=2.0, least=most / 2 * 0.99)["worth"].sum() == 1
    assert not fitted.next_best(cost=2.0, least=most / 2 * 1.01)["worth"].any()


def test_what_is_free_comes_first(fitted):
    last = fitted.next_best()["attribute"].iloc[-1]
    found = fitted.next_best(cost={last: 0})
    assert found["attribute"][0] == last
    assert found["per price"][0] == np.inf


def test_unknown_values_and_everything_known(fitted):
    pd.testing.assert_frame_equal(fitted.next_best({"a": np.nan, "b": None}), fitted.next_best())
    assert fitted.next_best({name: f"{name}0" for name in NAMES}).empty


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cost": {"aa": 1}}, "neither an attribute of this model nor a group"),
        ({"cost": {"a": -1}}, "price of 'a' must be a number from 0"),
        ({"cost": {"a": "dear"}}, "must be a number"),
        ({"groups": [["a", "z"]]}, "no attribute of this model"),
        ({"groups": [["a", "b"], ["b", "c"]]}, "'b' is in 'a \\+ b' and in"),
        ({"groups": ["ab"]}, "is a list of attributes"),
        ({"groups": {"a": ["b"]}}, "name of an attribute"),
        ({"groups": {"lab": []}}, "has no attributes"),
        ({"groups": [["a", "b"]], "cost": {"a": 1, "b": 2}}, "have different ones"),
        ({"ahead": 3}, "ahead must be 1 or 2"),
        ({"least": -1}, "least must be"),
        ({"given": {"y": "y1"}}, "the class 'y' is given"),
        ({"given": {"q": "y1"}}, "no attribute 'q'"),
    ],
)
def test_what_cannot_be_asked_gets_a_sentence(options, said):
    model = JOINT[0].fit(*random_table(0))
    with pytest.raises(QueryError, match=said):
        model.next_best(**options)


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_every_model_answers(kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    found = model.next_best({"sepal width": 3.0}, X=X, ahead=2, cost={"petal width": 2.0})
    assert sorted(found["attribute"]) == ["petal length", "petal width", "sepal length"]
    assert (found["information"] >= 0).all()
    best = model.next_best({"sepal width": 3.0}, X=X)["attribute"][0]
    assert best in ("petal length", "petal width")
    known = model.next_best({"petal length": 1.4, "petal width": 0.2}, X=X)
    open_still = 0.3 if kind.about.own_states else 0.1  # two states of a number leave more open than ten
    assert known["information"].max() < open_still  # a setosa, whatever its sepals


def test_models_of_densities_say_what_they_need():
    X, y = pnb.load_sample("iris")
    with pytest.raises(QueryError, match="pass X=, the training table"):
        pnb.GaussianNaiveBayes().fit(X, y).next_best()


def test_gaussian_with_nothing_known_expects_intervals_as_in_the_table():
    X, y = pnb.load_sample("iris")
    model = pnb.GaussianNaiveBayes().fit(X, y)
    case = model.prospects({}, X)
    ((chances, _),) = case.outcomes([(case.nothing, (0,))])
    column = case.columns[0]
    counted = np.bincount(column.encode(X[column.name]), minlength=column.card) + 1 / column.card
    np.testing.assert_allclose(chances, counted / counted.sum(), atol=1e-12)


def test_many_attributes_together_are_drawn(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = pd.DataFrame({f"x{i}": ((y + (rng.random(400) < 0.3)) % 2).astype(str) for i in range(16)})
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, pd.Series(y, name="y"))

    def together():
        found = model.next_best({"x0": "0", "x1": "1", "x2": "1"}, groups={"all": list(X)})
        return found.set_index("attribute").loc["all", "information"]

    exact = together()  # 2^13 combinations
    monkeypatch.setattr(prospects, "MOST_COMBINATIONS", 2)
    assert together() == pytest.approx(exact, abs=0.02)
    assert together() != exact


def test_cost_saved(fitted):
    joint = full_joint(fitted)
    costs = {(a, b): 10.0 * (i + 1) for i, a in enumerate(fitted.classes_) for b in fitted.classes_ if a != b}
    matrix = np.array([[costs.get((a, b), 0.0) for b in fitted.classes_] for a in fitted.classes_])
    given = {"c": "c1"}
    found = fitted.next_best(given, cost={"a": 0.4, "b": 0.3}, groups=[["a", "d"]], costs=costs)
    table = found.set_index("attribute")
    assert list(table.columns) == ["saved", "price", "per price", "worth"]
    for name, members in (("b", "b"), ("a + d", "ad")):
        expected = brute_saved(joint, given, members, matrix)
        assert table.loc[name, "saved"] == pytest.approx(expected, abs=1e-9)
        assert table.loc[name, "worth"] == (expected > table.loc[name, "price"])


@pytest.mark.parametrize("parameters", ["generative", "class"])
def test_information_starts_from_the_mean_of_the_answers(parameters):
    """Which is what the model says now where it is a joint distribution, and not where it is trained."""
    model = pnb.GeneralizedNaiveBayes(parameters=parameters, n_bins=3).fit(*pnb.load_sample("heart"))
    given, asked = {"age": 60}, "chest pain type"
    states = model.query(asked, given=given)
    after = np.array(
        [model.query("class", given={**given, asked: state})["probability"] for state in states[asked]]
    )
    chances = states["probability"].to_numpy()
    before = chances @ after
    found = model.next_best(given).set_index("attribute")["information"][asked]
    assert found == pytest.approx(entropy(before) - chances @ [entropy(each) for each in after], abs=1e-9)
    now = model.query("class", given=given)["probability"].to_numpy()
    assert (np.abs(now - before).max() < 1e-9) == (parameters == "generative")


def test_values_that_cannot_be_are_refused_and_empty_columns_are_not_asked_for():
    X, y = pnb.load_sample("iris")
    X = X.assign(empty=np.nan, word=["u", "v", "w"] * 50)
    for model in (pnb.NaiveBayes(), pnb.GaussianNaiveBayes(), pnb.KernelSemiNaiveBayes()):
        model.fit(X, y)
        asked = set(model.next_best({}, X=X)["attribute"])
        assert asked >= {"petal width", "word"}
        if not model.about.bins:
            assert "empty" not in asked
        for given in ({"petal width": 10**400}, {"petal width": 10**5000}, {"word": "\ud800"}):
            for ask in (model.next_best, lambda given, X, model=model: model.query("class", given, X=X)):
                with pytest.raises(PgmNbError):
                    ask(given, X=X)
            with pytest.raises(PgmNbError):
                model.explain(given)
    for make in (pnb.above, pnb.below, lambda end: pnb.between(0, end)):
        with pytest.raises(QueryError, match=r"must be a (finite )?number from"):
            make(10**400)
