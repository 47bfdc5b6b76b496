"""Queries, most probable states, samples, information and what to measure next, against enumeration."""

import itertools

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.models.forest import ForestClassifier

FORESTS = [kind for kind in pnb.MODELS if issubclass(kind, ForestClassifier)]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(4)
    n = 200
    y = rng.integers(0, 3, n)
    a = (y + rng.integers(0, 2, n)) % 3
    b = (a + (rng.random(n) < 0.3)) % 3
    c = (b * (rng.random(n) < 0.8)).astype(int)
    X = pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.integers(0, 2, n)}).astype(str)
    return X, pd.Series(np.array(["p", "q", "r"])[y], name="y")


@pytest.fixture(scope="module", params=FORESTS, ids=lambda kind: kind.__name__)
def model(request, table):
    counted = {"parameters": "generative"} if request.param.about.has_parameter("parameters") else {}
    return request.param(**counted).fit(*table)


@pytest.fixture(scope="module")
def joint(model):
    """Every combination of states with its probability, straight from the classifier's scores."""
    tree = model.junction_tree()
    names = ("a", "b", "c", "d")
    grid = pd.DataFrame(list(itertools.product(*(tree.variables[n].labels for n in names))), columns=names)
    scores = np.exp(model.predict_joint_log_proba(grid))
    parts = [grid.assign(y=label, p=scores[:, i]) for i, label in enumerate(model.classes_)]
    return pd.concat(parts, ignore_index=True)


def consistent(joint, given):
    """The combinations that agree with the evidence."""
    for name, state in given.items():
        joint = joint[joint[name] == state]
    return joint


def test_the_joint_is_a_distribution(joint):
    assert joint["p"].sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("names", [["y"], ["b"], ["d", "a"], ["c", "y", "a"]])
@pytest.mark.parametrize("given", [{}, {"d": "1"}, {"b": "2", "c": "0"}])
def test_query_equals_enumeration(model, joint, names, given):
    if set(names) & set(given):
        with pytest.raises(QueryError, match="both asked for and given"):
            model.query(names, given=given)
        return
    seen = consistent(joint, given)
    expected = seen.groupby(names)["p"].sum() / seen["p"].sum()
    found = model.query(names, given=given).set_index(names)["probability"]
    assert set(found.index) == set(expected.index)
    np.testing.assert_allclose(found[expected.index], expected, rtol=0, atol=1e-12)


def test_query_apart(model):
    apart = model.query(["a", "y"], joint=False)
    assert list(apart.columns) == ["variable", "state", "probability"]
    for name in ("a", "y"):
        alone = model.query(name)["probability"].to_numpy()
        assert apart[apart["variable"] == name]["probability"].to_numpy() == pytest.approx(alone, abs=1e-15)


@pytest.mark.parametrize("given", [{}, {"d": "1"}, {"y": "q", "a": "0"}])
def test_most_probable_completion(model, joint, given):
    seen = consistent(joint, given)
    best = seen.loc[seen["p"].idxmax()]
    found = model.map_query(given=given)
    assert set(found) == {"a", "b", "c", "d", "y"} - set(given)
    assert found == {name: best[name] for name in found}


def test_most_probable_part_sums_the_rest_out(model, joint):
    expected = joint[joint["d"] == "0"].groupby(["a", "c"])["p"].sum().idxmax()
    assert model.map_query(["a", "c"], given={"d": "0"}) == dict(zip(["a", "c"], expected, strict=True))


def information(joint, a, b, conditions=()):
    """I(a;b|conditions) by its definition, in bits."""
    total = 0.0
    for _, part in joint.groupby(list(conditions)) if conditions else [((), joint)]:
        weight = part["p"].sum()
        pairs = part.groupby([a, b])["p"].sum() / weight
        pa, pb = part.groupby(a)["p"].sum() / weight, part.groupby(b)["p"].sum() / weight
        total += weight * sum(p * np.log2(p / (pa[i] * pb[j])) for (i, j), p in pairs.items())
    return total


def test_mutual_information(model, joint):
    assert model.mutual_information("a", "b") == pytest.approx(information(joint, "a", "b"), abs=1e-12)
    assert model.mutual_information("a", "c", given="y") == pytest.approx(
        information(joint, "a", "c", ["y"]), abs=1e-12
    )
    seen = joint[joint["d"] == "1"].assign(p=lambda t: t["p"] / t["p"].sum())
    assert model.mutual_information("y", "b", given={"d": "1"}) == pytest.approx(
        information(seen, "y", "b"), abs=1e-12
    )


def test_next_best_is_ranked_by_expected_information(model, joint):
    seen = joint[joint["d"] == "1"].assign(p=lambda t: t["p"] / t["p"].sum())
    found = model.next_best({"d": "1"})
    assert found["information"].is_monotonic_decreasing
    assert dict(found.to_numpy()) == pytest.approx(
        {name: information(seen, "y", name) for name in ("a", "b", "c")}, abs=1e-12
    )
    with pytest.raises(QueryError, match="the class 'y' is given"):
        model.next_best({"y": "p"})


def test_samples_follow_the_posterior(model, joint):
    n = 40_000
    rows = model.sample(n, given={"c": "1"}, random_state=0)
    assert len(rows) == n
    assert (rows["c"] == "1").all()
    seen = joint[joint["c"] == "1"]
    expected = seen.groupby(["y", "a", "b", "d"])["p"].sum() / seen["p"].sum()
    counts = rows.groupby(["y", "a", "b", "d"]).size().reindex(expected.index, fill_value=0)
    chi_square = ((counts - n * expected) ** 2 / (n * expected)).sum()
    assert chi_square < len(expected) + 5 * np.sqrt(2 * len(expected))  # five standard deviations


def test_samples_are_reproducible(model):
    one, two = (model.sample(50, random_state=7) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(model.sample(50, random_state=8))
    assert len(model.sample(0)) == 0
    with pytest.raises(QueryError, match="at least 0"):
        model.sample(-1)


def test_log_likelihood_is_the_log_of_the_summed_joint(model, table, joint):
    X, _ = table
    totals = joint.groupby(["a", "b", "c", "d"])["p"].sum()
    expected = [np.log(totals[tuple(row)]) for row in X.head(10).to_numpy()]
    assert model.log_likelihood(X.head(10)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m: m.query([]), "no variable is asked for"),
        (lambda m: m.query("e"), "there is no variable 'e'"),
        (lambda m: m.query(["a", "a"]), "asked for twice"),
        (lambda m: m.query("y", given={"a": "9"}), "'a' has no state '9'"),
        (lambda m: m.query("y", engine="magic"), "engine must be"),
        (lambda m: m.query("y", given={"a": {"0": 1}}, engine="pgmpy"), "evidence on 'a' is soft"),
        (lambda m: m.map_query(given=dict.fromkeys("abcd", "0") | {"y": "p"}), "every variable is given"),
        (lambda m: m.mutual_information("a", "a"), "asked for twice"),
    ],
)
def test_mistakes_get_a_sentence(model, call, sentence):
    with pytest.raises(QueryError, match=sentence):
        call(model)


def test_card_is_escaped_and_shows_the_numbers(table):
    X, y = table
    hostile = X.rename(columns={"a": "<script>alert(1)</script>"})
    model = pnb.GeneralizedNaiveBayes()
    assert "text/html" in model._repr_mimebundle_()
    model.fit(hostile, y)
    html = model._repr_mimebundle_()["text/html"]
    assert "<script>" not in html
    assert f"{model.divergence_.kl:.3f} bits" in html
    assert "<svg" in html
