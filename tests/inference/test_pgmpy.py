"""Compiled to pgmpy: its own checks pass, and its inference gives our posteriors to 1e-9."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.inference import log_joint
from pgm_nb.inference.pgmpy import row_factors

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
