"""Attribute weights: the conditions of the maximum, naive Bayes as a limit, the nomogram, pgmpy."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.explain.nomogram import nomogram
from pgm_nb.models.attribute_weighted import class_weights


def objective(weights, log_prior, logs, y, penalty):
    scores = log_prior[:, None] + np.tensordot(weights, logs, 1)
    likelihood = scores[y, np.arange(len(y))] - np.logaddexp.reduce(scores, axis=0)
    return likelihood.sum() - penalty / 2 * ((weights - 1) ** 2).sum()


@pytest.mark.parametrize("penalty", [0.3, 1.0, 30.0])
def test_no_step_away_is_better(penalty):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 120)
    logs = np.log(rng.dirichlet(np.ones(4), (5, 3)))  # (d, k, v)
    codes = rng.integers(0, 4, (5, 120))
    logs = np.stack([table[:, code] for table, code in zip(logs, codes, strict=True)])
    prior = np.log(np.array([0.5, 0.3, 0.2]))
    found = class_weights(prior, logs, y, penalty)
    assert (found >= 0).all()
    best = objective(found, prior, logs, y, penalty)
    for i in range(5):
        for step in (-1e-3, 1e-3):
            moved = found.copy()
            moved[i] = max(0.0, moved[i] + step)
            assert objective(moved, prior, logs, y, penalty) <= best + 1e-9
    assert (found == 0).any() or penalty > 1  # tables at random say nothing


def test_a_strong_pull_is_naive_bayes():
    X, y = pnb.load_sample("heart")
    ours = pnb.AttributeWeightedNaiveBayes(penalty=1e9).fit(X, y)
    theirs = pnb.NaiveBayes(parameters="generative").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-5)


def test_twins_share_their_weight():
    X, y = pnb.load_sample("wdbc")
    X = X[["worst radius", "worst texture"]]
    alone = pnb.AttributeWeightedNaiveBayes(penalty=1e-3, smoothing=1.0).fit(X, y)
    twins = X.assign(twin=X["worst radius"])
    both = pnb.AttributeWeightedNaiveBayes(penalty=1e-3, smoothing=1.0).fit(twins, y)
    pair = both.weights_["worst radius"] + both.weights_["twin"]
    assert pair == pytest.approx(alone.weights_["worst radius"], abs=0.01)


def test_the_nomogram_gives_its_probabilities():
    X, y = pnb.load_sample("heart")
    model = pnb.AttributeWeightedNaiveBayes().fit(X, y)
    found = nomogram(model)
    assert {scale.name for scale in found.scales} == set(X.columns)
    tables = model.potentials_
    scores = tables.log_prior + sum(
        table[:, code].T for table, code in zip(tables.tables, model.encode(X), strict=True)
    )
    np.testing.assert_allclose(scores, model.predict_joint_log_proba(X), rtol=0, atol=1e-10)


def test_the_picture_shows_the_weights(tmp_path):
    model = pnb.AttributeWeightedNaiveBayes().fit(*pnb.load_sample("heart"))
    drawn = {node.names[0]: node.number for node in model.structure_.drawing().nodes if node.number}
    assert drawn == {name: f"× {weight:.2f}" for name, weight in model.weights_.items()}
    top = max(model.weights_, key=model.weights_.__getitem__)
    assert f"that of {top} most, {model.weights_[top]:.2f} times" in model.structure_.sentence()
    model.save(tmp_path / "weighted.pgmnb")
    assert pnb.load(tmp_path / "weighted.pgmnb").structure_ == model.structure_


def test_an_unknown_attribute_is_left_out():
    X, y = pnb.load_sample("heart")
    model = pnb.AttributeWeightedNaiveBayes().fit(X, y)
    row = pd.DataFrame([{"age": 60.0}], columns=X.columns)
    place = X.columns.get_loc("age")
    code = model.encode(row)[place, 0]
    logs = model.class_log_prior_ + model.weights_["age"] * model.factors_.tables[place][:, code]
    expected = np.exp(logs) / np.exp(logs).sum()
    np.testing.assert_allclose(model.predict_proba(row)[0], expected, rtol=0, atol=1e-12)


def test_pgmpy_with_everything_known():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pgmpy warns of its own deprecated modules
        from pgmpy.inference import VariableElimination

    X, y = pnb.load_sample("iris")
    model = pnb.AttributeWeightedNaiveBayes(n_bins=4).fit(X, y)
    codes = model.encode(X.iloc[[70]])[:, 0]
    given = {c.name: c.labels[code] for c, code in zip(model.encoder_.columns, codes, strict=True)}
    found = VariableElimination(model.to_pgmpy()).query(["class"], given, show_progress=False).values
    np.testing.assert_allclose(model.predict_proba(X.iloc[[70]])[0], found / found.sum(), rtol=0, atol=1e-10)


@pytest.mark.parametrize("parameters", [{"penalty": 0}, {"smoothing": None}])
def test_refusals(parameters):
    with pytest.raises(DataError, match=next(iter(parameters))):
        pnb.AttributeWeightedNaiveBayes(**parameters).fit(*pnb.load_sample("iris"))
