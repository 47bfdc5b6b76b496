"""What models over binned columns promise beyond the general contract: words, states, weights, sums."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.models import TABLE_MODELS

EVERY_MODEL = [
    *(model() for model in TABLE_MODELS),
    pnb.GeneralizedNaiveBayes(search="optimal"),
    pnb.GeneralizedNaiveBayes(search="exact"),
    pnb.GeneralizedNaiveBayes(search="greedy", max_clusters=2),
    pnb.TreeAugmentedNaiveBayes(smoothing=None),
    pnb.NaiveBayes(smoothing=1.0, missing="mode", discretizer="uniform"),
    pnb.PackagedHiddenNaiveBayes(threshold="auto"),
    pnb.PackagedHiddenNaiveBayes(threshold=0.02, smoothing=0.5),
]
HIDDEN = (pnb.HiddenNaiveBayes, pnb.PackagedHiddenNaiveBayes)  # no joint distribution, so no KL and no sum
every_model = pytest.mark.parametrize("model", EVERY_MODEL, ids=str)


@every_model
class TestTables:
    def test_explicit_graph_and_numbers(self, model, mixed):
        X, y = mixed
        fitted = clone(model).fit(X, y)
        assert fitted.structure_.target == "risk"
        assert set(fitted.structure_.attributes) <= set(X.columns)
        numbers, importance = fitted.divergence_, fitted.importance_
        assert importance["attribute"].tolist() == list(dict.fromkeys(importance["attribute"]))
        assert set(importance["attribute"]) == set(fitted.structure_.attributes)
        assert (numbers is None) == (not model.about.is_joint)
        if isinstance(model, HIDDEN):
            assert importance["gain"].is_monotonic_decreasing
            assert dict(importance[["attribute", "gain"]].to_numpy()) == fitted.structure_.relevance
        if numbers is None:
            return
        assert importance["weight"].iloc[-1] == pytest.approx(numbers.weight, abs=1e-12)
        assert importance["kl"].iloc[-1] == pytest.approx(numbers.kl, abs=1e-12)
        assert (importance["gain"] >= 0).all()
        assert numbers.gap >= 0
        assert numbers.kl >= 0
        for row in importance.itertuples():
            expected = fitted.structure_.mothers.get(row.attribute)
            assert (row.mother if isinstance(row.mother, str) else None) == expected

    def test_rows_in_another_order_change_nothing(self, model, mixed):
        X, y = mixed
        shuffled = np.random.default_rng(1).permutation(len(X))
        one = clone(model).fit(X, y)
        two = clone(model).fit(X.iloc[shuffled], y.iloc[shuffled])
        assert one.structure_ == two.structure_
        assert one.divergence_ == two.divergence_
        assert (one.predict_proba(X) == two.predict_proba(X)).all()

    def test_other_column_and_state_names_change_only_names(self, model, mixed):
        X, y = mixed
        names = {name: f"n{i}<&\"'>" for i, name in enumerate(X.columns)}
        renamed = X.rename(columns=names)
        renamed[names["sex"]] = X["sex"].map({"f": "α", "m": "ω"})
        one, two = clone(model).fit(X, y), clone(model).fit(renamed, y)
        arcs = [
            (names[e.source], names[e.target], e.weight) for e in one.structure_.edges if e.kind != "class"
        ]
        assert arcs == [(e.source, e.target, e.weight) for e in two.structure_.edges if e.kind != "class"]
        assert one.divergence_ == two.divergence_
        assert (one.predict_proba(X) == two.predict_proba(renamed)).all()

    def test_columns_in_another_order_change_nothing(self, model, mixed):
        X, y = mixed
        one, two = clone(model).fit(X, y), clone(model).fit(X[X.columns[::-1]], y)
        if model.about.is_joint:
            assert one.divergence_.weight == pytest.approx(two.divergence_.weight, abs=1e-12)
        edges = [
            {frozenset((e.source, e.target)) for e in m.structure_.edges if e.kind != "class"}
            for m in (one, two)
        ]
        assert edges[0] == edges[1]
        np.testing.assert_allclose(
            one.predict_proba(X), two.predict_proba(X[X.columns[::-1]]), rtol=0, atol=1e-12
        )

    def test_an_unseen_state_is_unknown(self, model, mixed):
        X, y = mixed
        fitted = clone(model).fit(X, y)
        unseen, unknown = X.head(5).copy(), X.head(5).copy()
        unseen["sex"] = "x"
        unknown["sex"] = np.nan
        assert (fitted.predict_proba(unseen) == fitted.predict_proba(unknown.astype({"sex": object}))).all()

    def test_a_row_of_nothing_gets_the_prior(self, model, mixed):
        X, y = mixed
        fitted = clone(model).fit(X, y)
        nothing = pd.DataFrame([[np.nan] * 5], columns=X.columns).astype({"sex": object, "stage": object})
        prior = softmax(fitted.class_log_prior_)
        assert fitted.predict_proba(nothing)[0] == pytest.approx(prior, abs=1e-12)
        shares = y.value_counts(normalize=True).reindex(fitted.classes_)
        assert prior == pytest.approx(shares.to_numpy(), abs=0.01)

    def test_saved_and_loaded_is_the_same_model(self, model, mixed, tmp_path):
        X, y = mixed
        fitted = clone(model).fit(X, y)
        fitted.save(tmp_path / "model.pgmnb")
        loaded = pnb.load(tmp_path / "model.pgmnb")
        assert type(loaded) is type(fitted)
        assert loaded.get_params() == fitted.get_params()
        assert loaded.structure_ == fitted.structure_
        assert loaded.trace_ == fitted.trace_
        assert loaded.divergence_ == fitted.divergence_
        assert loaded.missing_ == fitted.missing_
        assert loaded.feature_names_in_.tolist() == list(X.columns)
        assert (loaded.predict_proba(X) == fitted.predict_proba(X)).all()
        assert (loaded.predict(X) == fitted.predict(X)).all()
        fitted.save(tmp_path / "again.pgmnb")
        assert (tmp_path / "again.pgmnb").read_bytes() == (tmp_path / "model.pgmnb").read_bytes()

    def test_many_classes(self, model):
        X, y = pnb.load_sample("zoo")
        fitted = clone(model).fit(X, y)
        assert len(fitted.classes_) == 7
        assert fitted.score(X, y) > 0.9

    def test_constant_and_duplicate_columns_are_kept(self, model, mixed):
        X, y = mixed
        X = X.assign(constant="same", twin=X["weight"])
        fitted = clone(model).fit(X, y)
        assert np.isfinite(fitted.predict_joint_log_proba(X)).any(axis=1).all()
        if getattr(model, "max_clusters", None) is None:
            importance = fitted.importance_.set_index("attribute")
            assert importance.loc["constant", "gain"] == pytest.approx(0, abs=1e-12)


# the unsmoothed rule repairs impossible rows, so it is no joint distribution to sum over
@pytest.mark.parametrize(
    "model", [m for m in EVERY_MODEL if m.smoothing is not None and m.about.is_joint], ids=str
)
def test_nan_equals_summing_the_attribute_out(model, mixed):
    X, y = mixed
    counted = {"parameters": "generative"} if model.about.has_parameter("parameters") else {}
    fitted = clone(model).set_params(**counted).fit(X, y)
    X = X.head(12).astype({"smoker": object, "stage": object})
    whole = {column.name for column in fitted.encoder_.columns if not column.cuts}  # states to write down
    attributes = [name for name in fitted.structure_.attributes if name in whole]
    for hidden in itertools.combinations(attributes, 2):
        unknown = X.copy()
        unknown[list(hidden)] = np.nan
        columns = [fitted.encoder_.columns[fitted.encoder_.names.index(name)] for name in hidden]
        scores = []
        for states in itertools.product(*(column.states for column in columns)):
            completed = X.copy()
            for name, state in zip(hidden, states, strict=True):
                completed[name] = pd.Series([state] * len(X), index=X.index, dtype=object)
            scores.append(fitted.predict_joint_log_proba(completed.infer_objects()))
        np.testing.assert_allclose(
            fitted.predict_joint_log_proba(unknown), np.logaddexp.reduce(scores), rtol=0, atol=1e-12
        )


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_weights_are_ordered_on_random_tables(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, rng.integers(2, 5, 6), (30, 6)), columns=list("abcdef"))
    y = (X["a"] + X["b"] * (rng.random(30) < 0.5)) % 2
    if y.nunique() < 2:
        return
    weights = [
        model.fit(X, y).divergence_.weight
        for model in (
            pnb.NaiveBayes(),
            *(
                pnb.GeneralizedNaiveBayes(search=s, parameters="generative")
                for s in ("greedy", "optimal", "exact")
            ),
        )
    ]
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(weights))
    assert weights[-1] == pytest.approx(pnb.TreeAugmentedNaiveBayes().fit(X, y).divergence_.weight, abs=1e-12)


def test_structures_are_json(mixed):
    for model in EVERY_MODEL:
        assert json.loads(clone(model).fit(*mixed).structure_.to_json())


@pytest.mark.parametrize("sample", pnb.SAMPLES)
def test_factors_follow_the_structure(sample):
    X, y = pnb.load_sample(sample)
    for kind in (kind for kind in pnb.MODELS if kind.about.is_joint):
        for variant in kind.about.variants():
            counted = {"parameters": "generative"} if kind.about.has_parameter("parameters") else {}
            model = kind(**variant.parameters | counted).fit(X, y)
            names = [model.encoder_.names[column] for column in model.factors_.columns]
            above = zip(names, model.factors_.mothers, strict=True)
            found = {name: names[mother] for name, mother in above if mother >= 0}
            assert found == dict(model.structure_.mothers)
