"""Compiled to pgmpy: its own checks pass, and its inference gives our posteriors to 1e-9."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.pgmpy import ask_pgmpy, row_factors, to_network, to_pgmpy_junction_tree
from pgm_nb.engine.sums import log_joint
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.errors import QueryError
from pgm_nb.tables.factors import Factors

MODELS = [
    pnb.NaiveBayes(),
    pnb.TreeAugmentedNaiveBayes(),
    pnb.TreeAugmentedNaiveBayes(smoothing=None),
    pnb.GeneralizedNaiveBayes(parameters="generative"),
    pnb.GeneralizedNaiveBayes(search="exact", max_clusters=5, parameters="generative"),
]


@pytest.fixture(scope="module", params=MODELS, ids=str)
def model(request):
    return request.param.fit(*pnb.load_sample("heart"))


def test_kinds(model):
    compiled = model.to_pgmpy()
    expected = "JunctionTree" if isinstance(model, pnb.GeneralizedNaiveBayes) else "DiscreteBayesianNetwork"
    assert type(compiled).__name__ == expected
    assert compiled.check_model()
    assert model.to_pgmpy("bayesian network").check_model()
    assert model.to_pgmpy("junction tree").check_model()
    with pytest.raises(QueryError, match="form must be"):
        model.to_pgmpy("soup")


def test_network_is_oriented_along_the_mothers(model):
    network = model.to_pgmpy("bayesian network")
    structure = model.structure_
    expected = {(structure.target, name) for name in structure.attributes}
    expected |= {(mother, child) for child, mother in structure.mothers.items()}
    assert set(network.edges) == expected


def test_junction_tree_has_one_factor_per_cluster():
    model = pnb.GeneralizedNaiveBayes(parameters="generative").fit(*pnb.load_sample("wdbc"))
    compiled = model.to_pgmpy()
    assert {frozenset(node) for node in compiled.nodes} == {frozenset(c) for c in model.structure_.clusters}
    assert len(compiled.factors) == 29
    assert compiled.check_model()


def test_class_posterior_by_pgmpy_equals_predict_proba(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pgmpy warns of its own deprecated modules
        from pgmpy.inference import VariableElimination

    X, _ = pnb.load_sample("heart")
    engine = VariableElimination(model.to_pgmpy("bayesian network"))
    variables = [model.junction_tree().variables[name] for name in model.structure_.attributes]
    rows = X.iloc[::37]
    possible = np.isfinite(log_joint(model.factors_, model.encoder_.encode(rows))).any(axis=1)
    assert possible.sum() > 3
    for row, expected in zip(
        rows[possible].to_dict("records"), model.predict_proba(rows[possible]), strict=True
    ):
        evidence = {v.name: v.labels[v.state(row[v.name])] for v in variables}
        factor = engine.query(["class"], evidence=evidence, show_progress=False)
        found = [factor.get_value(**{"class": label}) for label in model.classes_]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
        by_junction_tree = model.query("class", given=evidence, engine="pgmpy")["probability"]
        np.testing.assert_allclose(by_junction_tree, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_two_engines_one_answer(model, seed):
    rng = np.random.default_rng(seed)
    X, y = pnb.load_sample("heart")
    row = X.assign(**{"class": y}).iloc[int(rng.integers(len(X)))]  # a real row: never impossible
    shuffled = [str(name) for name in rng.permutation(model.junction_tree().variables.names)]
    evidence = {name: row[name] for name in shuffled[:3]}
    asked = shuffled[3:5]
    ours = model.query(asked, given=evidence)
    theirs = model.query(asked, given=evidence, engine="pgmpy")
    pd.testing.assert_frame_equal(ours[asked], theirs[asked])
    np.testing.assert_allclose(ours["probability"], theirs["probability"], rtol=0, atol=1e-9)
    apart = model.query(asked, given=evidence, joint=False)
    theirs = model.query(asked, given=evidence, joint=False, engine="pgmpy")
    np.testing.assert_allclose(apart["probability"], theirs["probability"], rtol=0, atol=1e-9)


def test_importing_it_warns_nobody():
    import subprocess
    import sys

    code = (
        "import warnings; warnings.simplefilter('error')\n"
        "import pgm_nb as pnb\n"
        "m = pnb.GeneralizedNaiveBayes(parameters='generative').fit(*pnb.load_sample('iris'))\n"
        "m.to_pgmpy(); m.query('class', given={'petal width': 1.0}, engine='pgmpy')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_scaled_so_that_nothing_underflows():
    logs = {"y": np.log([0.5, 0.5]), "far": np.array([-5000.0, -5001.0]), "near": np.array([3000.0, 3000.0])}
    factors = row_factors("y", ["a", "b"], logs)
    assert [factor.variables for factor in factors] == [["y"]] * 3
    np.testing.assert_allclose(factors[1].values, [1.0, np.exp(-1)])
    product = factors[0].product(factors[1], inplace=False).product(factors[2], inplace=False)
    product.normalize(inplace=True)
    np.testing.assert_allclose(product.values, [1 / (1 + np.exp(-1)), np.exp(-1) / (1 + np.exp(-1))])


def test_what_rules_out_one_class_or_all():
    one, all_of_them = row_factors(
        "y", ["a", "b"], {"one": np.array([0.0, -np.inf]), "all": np.full(2, -np.inf)}
    )
    np.testing.assert_array_equal(one.values, [1, 0])
    np.testing.assert_array_equal(all_of_them.values, [1, 1])


def some_variables(*cards):
    """A class of two, and attributes a, b, c with so many states."""
    attributes = tuple(
        Variable(name, tuple(f"{name}{x}" for x in range(card)))
        for name, card in zip("abc", cards, strict=True)
    )
    return Variables(Variable("y", ("no", "yes")), attributes)


def random_logs(rng, *shape):
    return np.log(rng.dirichlet(np.ones(shape[-1]), size=shape[:-1]))


def test_a_network_with_two_parents_is_compiled_table_by_table():
    rng = np.random.default_rng(0)
    tables = (random_logs(rng, 2, 2), random_logs(rng, 2, 3) + 0.7, random_logs(rng, 2, 2, 3, 4))
    network = Factors(np.log([0.3, 0.7]), (0, 1, 2), (-1, -1, 0), tables, ((), (), (1,)))
    compiled = to_network(some_variables(2, 3, 4), network)
    assert set(compiled.edges) == {("y", "a"), ("y", "b"), ("y", "c"), ("a", "c"), ("b", "c")}
    np.testing.assert_allclose(compiled.get_cpds("y").values, [0.3, 0.7], atol=1e-12)
    np.testing.assert_allclose(compiled.get_cpds("a").values, np.exp(tables[0]).T, atol=1e-12)
    np.testing.assert_allclose(compiled.get_cpds("b").values, np.exp(tables[1] - 0.7).T, atol=1e-12)
    found = compiled.get_cpds("c")
    assert found.variables == ["c", "y", "a", "b"]
    np.testing.assert_allclose(found.values, np.moveaxis(np.exp(tables[2]), -1, 0), atol=1e-12)
    assert found.state_names == {
        "c": ["c0", "c1", "c2", "c3"], "y": ["no", "yes"], "a": ["a0", "a1"], "b": ["b0", "b1", "b2"],
    }  # fmt: skip


@pytest.fixture(scope="module")
def chain():
    rng = np.random.default_rng(1)
    tables = (random_logs(rng, 2, 2), random_logs(rng, 2, 2, 3), random_logs(rng, 2, 3, 4))
    factors = Factors(np.log([0.3, 0.7]), (0, 1, 2), (-1, 0, 1), tables)
    clusters = (("y", "a", "b"), ("y", "b", "c"))
    tree = JunctionTree(some_variables(2, 3, 4), (factors), clusters)
    first, second = np.exp(tables[1]), np.exp(tables[2])
    start = np.array([0.3, 0.7])[:, None] * np.exp(tables[0])
    return tree, start[:, :, None] * first, second


def test_the_first_cluster_holds_its_joint_and_the_next_what_is_new(chain):
    tree, joint, given = chain
    one, two = to_pgmpy_junction_tree(tree).factors
    assert (one.variables, two.variables) == (["y", "a", "b"], ["y", "b", "c"])
    np.testing.assert_allclose(one.values, joint, atol=1e-12)
    np.testing.assert_allclose(two.values, given, atol=1e-12)


def test_pgmpy_answers_for_a_state_and_refuses_soft_evidence(chain):
    tree, joint, given = chain
    whole = (joint[..., None] * given[:, None])[..., 2]  # P(y, a, b, c = c2)
    expected = whole.sum(axis=2).T / whole.sum()
    np.testing.assert_allclose(ask_pgmpy(tree.observe({"c": "c2"}), ("a", "y")), expected, atol=1e-12)
    with pytest.raises(QueryError, match="pgmpy takes states only, but the evidence on 'c' is soft"):
        ask_pgmpy(tree.observe({"c": {"c1": 1.0, "c2": 0.5}}), ("a",))


def test_what_cannot_be_has_no_share_of_what_is_new():
    """b0 never occurs, so the second cluster says nothing beside it."""
    tables = ([[0.5, 0.5]] * 2, [[[0.0, 0.4, 0.6]] * 2] * 2, [[[0.25] * 4] * 3] * 2)
    with np.errstate(divide="ignore"):
        logs = tuple(np.log(np.array(table)) for table in tables)
    factors = Factors(np.log([0.3, 0.7]), (0, 1, 2), (-1, 0, 1), logs)
    clusters = (("y", "a", "b"), ("y", "b", "c"))
    _, two = to_pgmpy_junction_tree(JunctionTree(some_variables(2, 3, 4), (factors), clusters)).factors
    np.testing.assert_allclose(two.values[:, 0], 0.0, atol=1e-12)
    np.testing.assert_allclose(two.values[:, 1:], 0.25, atol=1e-12)
