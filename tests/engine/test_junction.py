"""The junction tree as an object: its shape, evidence that comes and goes, soft evidence, joint tables."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.pgmpy import ask_pgmpy, to_bayesian_network
from pgm_nb.engine.sums import log_joint, normalise
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.errors import QueryError
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.tables.factors import Factors, estimate
from pgm_nb.tables.families import families

FORESTS = [kind for kind in pnb.MODELS if issubclass(kind, ForestClassifier)]


@pytest.fixture(scope="module")
def heart():
    return pnb.load_sample("heart")


@pytest.fixture(scope="module", params=FORESTS, ids=lambda kind: kind.__name__)
def model(request, heart):
    counted = {"parameters": "generative"} if request.param.about.has_parameter("parameters") else {}
    return request.param(**counted).fit(*heart)


@pytest.fixture(scope="module")
def cherry(heart):
    return pnb.GeneralizedNaiveBayes(parameters="generative").fit(*heart)


class TestShape:
    def test_clusters_and_separators_are_those_of_the_structure(self, cherry):
        tree = cherry.junction_tree()
        assert tree.clusters == cherry.structure_.clusters
        assert tree.separators == cherry.structure_.separators

    def test_it_is_a_tree_with_running_intersection(self, model):
        tree = model.junction_tree()
        graph = nx.Graph([(tree.clusters[a], tree.clusters[b]) for a, b in tree.edges])
        assert nx.is_tree(graph)
        assert tree.has_running_intersection()
        for (a, b), separator in zip(tree.edges, tree.separators, strict=True):
            assert set(separator) == set(tree.clusters[a]) & set(tree.clusters[b])

    def test_running_intersection_is_really_checked(self, cherry):
        tree = cherry.junction_tree()
        broken = replace(tree)
        object.__setattr__(broken, "_hooks", (None, *[0] * 11))  # hang every cluster on the first
        assert not broken.has_running_intersection()

    def test_neighbours_and_paths(self, model):
        tree = model.junction_tree()
        graph = nx.Graph([(tree.clusters[a], tree.clusters[b]) for a, b in tree.edges])
        for cluster in tree.clusters:
            assert set(tree.neighbours(cluster)) == set(graph[cluster])
            assert list(tree.path(tree.clusters[3], cluster)) == nx.shortest_path(
                graph, tree.clusters[3], cluster
            )

    def test_naive_bayes_hangs_on_the_class_alone(self, heart):
        tree = pnb.NaiveBayes().fit(*heart).junction_tree()
        assert len(tree.clusters) == 13
        assert set(tree.separators) == {("class",)}

    def test_unknown_cluster(self, cherry):
        with pytest.raises(QueryError, match="there is no cluster"):
            cherry.junction_tree().neighbours(("class", "age", "nonsense"))


class TestEvidence:
    def test_it_is_added_changed_and_taken_back(self, cherry):
        empty = cherry.junction_tree()
        one = empty.observe({"age": 60})
        two = one.observe({"sex": "male", "age": "≤ 42.5"})
        assert dict(two.evidence) == {"age": "≤ 42.5", "sex": "male"}
        assert dict(empty.evidence) == {}
        assert dict(two.retract("age").evidence) == {"sex": "male"}
        assert dict(two.retract().evidence) == {}
        assert two.factors is empty.factors  # nothing was rebuilt
        with pytest.raises(QueryError, match="no evidence on 'thallium scan'"):
            two.retract("thallium scan")

    def test_beliefs_are_consistent_across_the_tree(self, model):
        """Neighbouring clusters agree on their separator: the definition of calibrated."""
        tree = model.junction_tree().observe({"age": 60, "sex": "male"}).calibrate()
        for (a, b), separator in zip(tree.edges, tree.separators, strict=True):
            sums = [
                tree.belief(tree.clusters[i]).groupby(list(separator), sort=True)["probability"].sum()
                for i in (a, b)
            ]
            np.testing.assert_allclose(*sums, rtol=0, atol=1e-12)
            assert sums[0].sum() == pytest.approx(1, abs=1e-12)

    def test_a_numbers_bin_and_its_name_are_the_same_evidence(self, cherry):
        tree = cherry.junction_tree()
        by_name = tree.observe({"age": "≤ 42.5"}).marginal("class")["probability"]
        assert (tree.observe({"age": 31}).marginal("class")["probability"] == by_name).all()
        assert (tree.observe({"age": "31"}).marginal("class")["probability"] == by_name).all()

    def test_soft_evidence_is_a_mixture_of_hard_evidence(self, cherry):
        """P(y | soft) = sum over x of likelihood(x) P(x) P(y | x), normalised."""
        tree = cherry.junction_tree()
        likelihood = {"female": 0.2, "male": 0.7}
        prior = tree.marginal("sex").set_index("sex")["probability"]
        mixed = sum(
            weight * prior[state] * tree.marginal("class", given={"sex": state})["probability"]
            for state, weight in likelihood.items()
        )
        found = tree.observe({"sex": likelihood}).marginal("class")["probability"]
        np.testing.assert_allclose(found, mixed / mixed.sum(), rtol=0, atol=1e-12)

    def test_soft_evidence_on_the_class(self, cherry):
        tree = cherry.junction_tree().observe({"age": 60})
        plain = tree.marginal("class")["probability"]
        found = tree.observe({"class": {"absent": 3, "present": 1}}).marginal("sex")["probability"]
        weights = plain * [3, 1]
        by_class = [tree.marginal("sex", given={"class": c})["probability"] for c in ("absent", "present")]
        expected = (weights[0] * by_class[0] + weights[1] * by_class[1]) / weights.sum()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            ({"agee": 60}, "there is no variable 'agee'.*did you mean 'age'"),
            ({"sex": "mael"}, "'sex' has no state 'mael'.*did you mean 'male'"),
            ({"sex": {"male": -1}}, "must be a number from 0"),
            ({"sex": {"male": 0.0}}, "rules out every state"),
            ({"age": "old"}, "'age' has no state 'old'"),
        ],
    )
    def test_mistakes(self, cherry, given, sentence):
        with pytest.raises(QueryError, match=sentence):
            cherry.junction_tree().observe(given)

    def test_contradictory_evidence_names_the_pieces_that_conflict(self, heart):
        model = pnb.TreeAugmentedNaiveBayes(smoothing=None).fit(*heart)
        fit = model.learned_.counts
        names = [model.encoder_.names[c] for c in fit.columns]
        position, (mother_state, state) = next(  # states of a mother and her child never seen together
            (i, np.argwhere((table == 0).all(axis=0))[0])
            for i, table in enumerate(fit.tables)
            if table.ndim == 3 and (table == 0).all(axis=0).any()
        )
        mother, child = names[fit.mothers[position]], names[position]
        tree = model.junction_tree()
        given = {
            "class": "absent",
            mother: tree.variables[mother].labels[mother_state],
            child: tree.variables[child].labels[state],
        }
        with pytest.raises(QueryError, match="probability zero") as error:
            tree.observe(given).calibrate()
        assert mother in str(error.value)
        assert child in str(error.value)
        assert "class" not in str(error.value)


class TestJointTables:
    def test_joint_marginals_are_the_single_ones(self, model):
        tree = model.junction_tree().observe({"age": 60})
        names = ["thallium scan", "class", "sex", "ST slope"]
        joint = tree.marginal(names)
        assert list(joint.columns) == [*names, "probability"]
        for name in names:
            single = tree.marginal(name).set_index(name)["probability"]
            summed = joint.groupby(name)["probability"].sum()
            np.testing.assert_allclose(summed[single.index], single, rtol=0, atol=1e-12)

    @given(st.randoms(use_true_random=False))
    @settings(max_examples=15)
    def test_conditioning_is_dividing(self, cherry, random):
        """P(a, b | e) = P(a | b, e) P(b | e)."""
        tree = cherry.junction_tree()
        a, b, e = random.sample(list(tree.variables.names), 3)
        state = random.choice(tree.variables[e].labels)
        tree = tree.observe({e: state})
        joint = tree.joint((a, b))
        for i, label in enumerate(tree.variables[b].labels):
            given_b = tree.observe({b: label}).joint((a,))
            np.testing.assert_allclose(joint[:, i], given_b * tree.joint((b,))[i], rtol=0, atol=1e-12)

    def test_too_large_a_table_is_refused(self, cherry):
        names = list(cherry.structure_.attributes)
        with pytest.raises(QueryError, match="too many to compute"):
            cherry.junction_tree().marginal(names)

    def test_a_variable_called_probability(self):
        import pandas as pd

        X = pd.DataFrame({"probability": [0, 1] * 10, "z": [0, 0, 1, 1] * 5})
        tree = (
            pnb.GeneralizedNaiveBayes(parameters="generative")
            .fit(X, ["a", "b", "b", "a"] * 5)
            .junction_tree()
        )
        assert list(tree.marginal("probability").columns) == ["probability", "probability_"]


def test_a_forest_of_several_parts_hangs_together_by_the_class():
    """Two trees and a lone attribute given the class: clusters, queries and pgmpy's own tree all work."""
    rng = np.random.default_rng(7)
    names, mothers = ("a", "b", "c", "d", "e"), {"b": "a", "d": "c"}
    codes = rng.integers(0, 3, (5, 60)).astype(np.uint8)
    y = np.arange(60) % 2
    column_mothers = np.array([-1, 0, -1, 2, -1])
    factors = estimate(families(count(codes, y, (3,) * 5, 2), range(5), column_mothers), 1.0)
    order = [names[c] for c in factors.columns]
    variables = Variables(
        Variable("y", ("no", "yes")), tuple(Variable(name, ("low", "mid", "high")) for name in order)
    )
    clusters = (("y", "a", "b"), ("y", "c", "d"), ("y", "e"))
    tree = JunctionTree(variables, (factors), clusters)
    assert tree.separators == (("y",), ("y",))
    assert tree.has_running_intersection()

    seen = tree.observe({"b": "low", "d": "high"})
    rows = codes[:, :1].copy()
    rows[[1, 3]] = [[0], [2]]
    rows[[0, 2, 4]] = 3  # unknown
    expected = np.exp(normalise(log_joint(factors, rows), factors.log_prior))[0]
    np.testing.assert_allclose(seen.joint(("y",)), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        ask_pgmpy(seen, ("y", "a", "c")), seen.joint(("y", "a", "c")), rtol=0, atol=1e-9
    )
    network = to_bayesian_network(tree)
    assert network.check_model()
    assert {edge for edge in network.edges if edge[0] != "y"} == {(m, c) for c, m in mothers.items()}


def by_hand(prior, tables, mothers, clusters):
    """A tree over attributes a, b, c ... with these probabilities."""
    with np.errstate(divide="ignore"):
        factors = Factors(
            np.log(prior),
            tuple(range(len(tables))),
            mothers,
            tuple(np.log(np.array(table)) for table in tables),
        )
    names = "abcdef"[: len(tables)]
    attributes = tuple(
        Variable(name, tuple(f"{name}{x}" for x in range(table.shape[-1])))
        for name, table in zip(names, factors.tables, strict=True)
    )
    return JunctionTree(Variables(Variable("y", ("no", "yes")), attributes), (factors), clusters)


def small_tree(clusters=(("y", "a", "b"),)):
    """P(b | a, y) with a context that is never seen and one that does not add up."""
    alone, pair = (
        [[0.3, 0.7], [1.0, 0.0]],
        [[[0.2, 0.3, 0.5], [1, 0, 0]], [[0.1, 0.1, 0.2], [0.0, 0.0, 0.0]]],
    )
    return by_hand([0.4, 0.6], [alone, pair], (-1, 0), clusters)


def test_conditionals_add_up_to_one():
    tables = small_tree().conditionals()
    np.testing.assert_allclose(tables["y"], [0.4, 0.6], atol=1e-12)
    expected = [[[0.2, 0.3, 0.5], [1, 0, 0]], [[0.25, 0.25, 0.5], [1 / 3, 1 / 3, 1 / 3]]]
    np.testing.assert_allclose(tables["b"], expected, atol=1e-12)


def test_a_cluster_may_list_the_child_before_the_mother():
    turned = small_tree((("y", "b", "a"),))
    found = turned.belief(("y", "b", "a"))
    assert list(found.columns[:3]) == ["y", "b", "a"]
    whole = small_tree().marginal(["y", "b", "a"])
    np.testing.assert_allclose(found["probability"], whole["probability"], atol=1e-12)
    assert found[["y", "b", "a"]].equals(whole[["y", "b", "a"]])


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ({"a": "a1", "b": "b1"}, "a = a1, b = b1 cannot occur together;"),
        ({"y": "yes", "a": "a1"}, "y = yes, a = a1 cannot occur together;"),
        ({"c": "c1", "b": "b1"}, "zero: c = c1 cannot occur;"),
    ],
)
def test_impossible_evidence_is_named(evidence, said):
    tables = [
        [[0.3, 0.7], [1.0, 0.0]],
        [[[0.2, 0.3, 0.5], [1, 0, 0]], [[0.1, 0.1, 0.8], [0.0, 0.5, 0.5]]],
        [[1.0, 0.0], [1.0, 0.0]],
    ]
    tree = by_hand([0.4, 0.6], tables, (-1, 0, -1), (("y", "a", "b"), ("y", "c")))
    with pytest.raises(QueryError, match=said):
        _ = tree.observe(evidence).beliefs


def test_a_cluster_joins_the_one_that_brought_her_last_mother():
    tree = small_tree((("y", "a", "b"), ("y", "b", "c"), ("y", "b", "c", "d"), ("y", "a", "e")))
    assert tree.edges == ((0, 1), (1, 2), (0, 3))
    assert tree.separators == (("y", "b"), ("y", "b", "c"), ("y", "a"))


def test_the_largest_joint_table(monkeypatch):
    monkeypatch.setattr("pgm_nb.engine.junction.MOST_CELLS", 12)  # of a, b and the class
    assert small_tree().joint(("a", "b")).shape == (2, 3)
    monkeypatch.setattr("pgm_nb.engine.junction.MOST_CELLS", 11)
    with pytest.raises(QueryError, match="has 6 cells, too many to compute"):
        small_tree().joint(("a", "b"))
