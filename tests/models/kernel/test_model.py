"""Kernel semi-naive Bayes: equal to the formulas written out, the models' contract."""

import json
from itertools import combinations
from math import exp, inf, log, pi, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.graphs import from_json
from pgm_nb.models.kernel.model import KernelSemiNaiveBayes

VARIANTS = [
    KernelSemiNaiveBayes(),
    KernelSemiNaiveBayes(threshold=None),  # P-tree naive Bayes
    KernelSemiNaiveBayes(threshold=0.3, anticorrelation=True, smoothing=None),
    KernelSemiNaiveBayes(kernel="gaussian"),
    KernelSemiNaiveBayes(max_joined=None),  # groups
    KernelSemiNaiveBayes(discretizer="quantile"),  # discrete semi-naive Bayes
]
every_variant = pytest.mark.parametrize("model", VARIANTS, ids=str)


# ---- the formulas, one row and one number at a time -------------------------------------------------------


def hobbit(x, t, low, high, deviation, bits):
    if high == low:
        return 2.0**-bits
    step = (high - low) / 2**bits
    x, t = (min(int((min(max(v, low), high) - low) / step), 2**bits - 1) for v in (x, t))

    def height(other):
        dropped = next(b for b in range(bits + 1) if x >> b == other >> b)
        distance = 2 ** (dropped - 1) if dropped else 0
        return exp(-0.5 * (distance * step / (deviation / 2)) ** 2)

    return height(t) / sum(height(other) for other in range(2**bits))


def gaussian(x, t, deviation):
    sigma = deviation / 2
    return exp(-0.5 * ((x - t) / sigma) ** 2) / (sigma * sqrt(2 * pi)) if sigma else 1.0


def kernels_of(model, X):
    def kernel(cells):
        if cells.dtype != np.float64:
            return lambda x, t: float(x == t)
        known = cells.dropna()
        low, high, deviation = known.min(), known.max(), known.std(ddof=0)

        def of_numbers(x, t):
            if np.isnan(x) or np.isnan(t):
                return float(np.isnan(x) and np.isnan(t))
            if model.kernel == "gaussian":
                return gaussian(x, t, deviation if high > low else 0.0)
            return hobbit(x, t, low, high, deviation, model.bits)

        return of_numbers

    return [kernel(cells) for _, cells in X.items()]


def log_scores(model, X, y, row):
    """Natural log of prior times densities of one row, by the definitions."""
    classes, n = sorted(set(y)), len(y)
    kernels, had_gaps = kernels_of(model, X), X.isna().any().tolist()
    K = [[k(row[a], t) for t in X.iloc[:, a]] for a, k in enumerate(kernels)]
    known = [a for a in range(len(K)) if not (pd.isna(row[a]) and not had_gaps[a]) and sum(K[a]) > 0]
    factors, strong = [], []
    if model.threshold is not None:
        for a, b in combinations(known, 2):
            together = sum(p * q for p, q in zip(K[a], K[b], strict=True))
            corr = n * together / (sum(K[a]) * sum(K[b])) - 1
            if together > 0 and (abs(corr) if model.anticorrelation else corr) > model.threshold:
                strong.append((-(abs(corr) if model.anticorrelation else corr), a, b))
    groups = [{a} for a in known]
    for _, a, b in sorted(strong):
        one, other = (next(group for group in groups if place in group) for place in (a, b))
        product = [np.prod([K[place][t] for place in one | other]) for t in range(n)]
        if one is not other and len(one | other) <= (model.max_joined or inf) and sum(product) > 0:
            groups = [group for group in groups if group not in (one, other)] + [one | other]
    factors += [[np.prod([K[place][t] for place in group]) for t in range(n)] for group in groups]
    scores = []
    for c in classes:
        size = sum(label == c for label in y)
        score = log(size / n)
        for factor in factors:
            of_class = sum(value for value, label in zip(factor, y, strict=True) if label == c)
            m = model.smoothing or 0.0
            density = (of_class + m * sum(factor) / n) / (size + m)
            score += log(density) if density > 0 else -inf
        scores.append(score)
    return scores


# thresholds that no correlation of few rows equals: rounding would decide
@pytest.mark.parametrize("kernel", ["hobbit", "gaussian"])
@pytest.mark.parametrize("smoothing", [None, 1.5])
@pytest.mark.parametrize(
    ("threshold", "anticorrelation", "max_joined"),
    [
        (None, False, 2),
        (0.0512, False, 2),
        (0.0512, False, 3),
        (0.0512, False, None),
        (0.3012, True, 2),
        (0.3012, True, None),
    ],
)
@given(st.integers(0, 10**6))
@settings(max_examples=6)
def test_scores_are_the_formulas_written_out(kernel, smoothing, threshold, anticorrelation, max_joined, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 25))
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.lognormal(size=n),
            "word": rng.choice(list("xyz"), n).astype(object),
            "gaps": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
            "same": np.full(n, 0.1),
        }
    )
    X.loc[0, "gaps"] = 0.5
    X["b"] += X["a"].clip(lower=0)
    y = np.array(["no", "yes", *rng.choice(["no", "yes"], n - 2)])
    model = KernelSemiNaiveBayes(
        kernel=kernel,
        smoothing=smoothing,
        threshold=threshold,
        anticorrelation=anticorrelation,
        max_joined=max_joined,
        bits=int(rng.integers(1, 6)),
    ).fit(X, y)
    new = pd.DataFrame(
        {
            "a": [0.1, np.nan, 3.0],
            "b": [1.0, 0.2, np.nan],
            "word": pd.Series(["x", "unseen", None], dtype=object),
            "gaps": [np.nan, 0.0, 0.3],
            "same": [0.1, 5.0, np.nan],
        }
    )
    expected = [log_scores(model, X, y, row) for row in new.itertuples(index=False)]
    np.testing.assert_allclose(model.predict_joint_log_proba(new), expected, rtol=0, atol=1e-9)


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_discretised_first_is_naive_bayes_when_nothing_is_joined(seed):
    rng = np.random.default_rng(seed)
    X, y = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc")), rng.integers(0, 2, 40)
    ours = KernelSemiNaiveBayes(threshold=None, discretizer="quantile", smoothing=None).fit(X, y)
    theirs = pnb.NaiveBayes(discretizer="quantile", smoothing=None).fit(X, y)
    possible = np.isfinite(ours.predict_joint_log_proba(X)).all(axis=1)
    np.testing.assert_allclose(
        ours.predict_proba(X)[possible], theirs.predict_proba(X)[possible], rtol=0, atol=1e-12
    )


# ---- the contract ------------------------------------------------------------------------------------------


@every_variant
class TestContract:
    def test_explicit_graph(self, model, mixed):
        X, y = mixed
        fitted = clone(model).fit(X, y)
        assert fitted.structure_.target == "risk"
        assert fitted.structure_.attributes == tuple(X.columns)
        assert fitted.importance_["gain"].is_monotonic_decreasing
        assert json.loads(fitted.structure_.to_json())

    def test_an_unseen_state_is_unknown(self, model, mixed):
        X, y = mixed
        fitted = clone(model).fit(X, y)
        unseen, unknown, declared = (X.head(5).copy() for _ in range(3))
        unseen["sex"] = "x"
        unknown["sex"] = np.nan
        assert (fitted.predict_proba(unseen) == fitted.predict_proba(unknown.astype({"sex": object}))).all()
        declared["stage"] = pd.Categorical(["IV"] * 5, X["stage"].cat.categories, ordered=True)
        unknown = X.head(5).assign(stage=pd.Categorical([None] * 5, X["stage"].cat.categories, ordered=True))
        assert (fitted.predict_proba(declared) == fitted.predict_proba(unknown)).all()

    def test_nan_is_a_factor_of_one(self, model, mixed):
        X, y = mixed
        without = clone(model).fit(X.drop(columns="weight"), y)
        fitted = clone(model).fit(X, y)
        assert fitted.predict_joint_log_proba(X.assign(weight=np.nan)) == pytest.approx(
            without.predict_joint_log_proba(X.drop(columns="weight")), abs=1e-12
        )

    def test_a_row_of_nothing_gets_the_prior(self, model, mixed):
        X, y = mixed
        fitted = clone(model).fit(X, y)
        nothing = pd.DataFrame([[np.nan] * 5], columns=X.columns).astype({"sex": object, "stage": object})
        prior = y.value_counts(normalize=True).sort_index()
        assert fitted.predict_proba(nothing)[0] == pytest.approx(prior.to_numpy(), abs=1e-12)
        assert fitted.structure_for(nothing).unknown == tuple(X.columns)

    def test_saved_and_loaded_is_the_same_model(self, model, mixed, tmp_path):
        X, y = mixed
        X = X.assign(constant=3.5, gaps=X["weight"].where(X["weight"] > 0))
        fitted = clone(model).set_params(log_columns=["dose"]).fit(X, y)
        fitted.save(tmp_path / "model.pgmnb")
        loaded = pnb.load(tmp_path / "model.pgmnb")
        assert type(loaded) is type(fitted)
        assert loaded.get_params() == fitted.get_params()
        assert loaded.structure_ == fitted.structure_
        assert loaded.missing_ == fitted.missing_
        assert loaded.attributes_ == fitted.attributes_
        assert loaded.feature_names_in_.tolist() == list(X.columns)
        assert (loaded.predict_proba(X) == fitted.predict_proba(X)).all()
        fitted.save(tmp_path / "again.pgmnb")
        assert (tmp_path / "again.pgmnb").read_bytes() == (tmp_path / "model.pgmnb").read_bytes()

    def test_many_classes(self, model):
        X, y = pnb.load_sample("zoo")
        assert clone(model).fit(X, y).score(X, y) > 0.9

    def test_constant_and_duplicate_columns_are_kept(self, model, mixed):
        X, y = mixed
        fitted = clone(model).fit(X.assign(constant=7.0, twin=X["weight"]), y)
        assert fitted.structure_.relevance["constant"] == 0
        moved = X.assign(constant=8.0, twin=X["weight"])
        assert fitted.predict_proba(moved).sum(axis=1) == pytest.approx(1, abs=1e-12)

    def test_pgmpy_factors_multiply_to_the_posterior(self, model, mixed):
        X, y = mixed
        fitted = clone(model).fit(X, y)
        for place in range(8):
            row = X.iloc[[place]].assign(dose=np.nan if place == 3 else X["dose"].iloc[place])
            factors = fitted.to_pgmpy(row)
            assert len(factors) == 1 + len(fitted.structure_for(row).groups)
            product = np.prod([factor.values for factor in factors], axis=0)
            assert product / product.sum() == pytest.approx(fitted.predict_proba(row)[0], abs=1e-9)


# ---- the graph of a row ------------------------------------------------------------------------------------


def test_the_graph_of_a_row_says_what_is_joined_and_by_how_much():
    # K_a K_b by hand: with categories Corr(a,b) = n n(a,b) / (n(a) n(b)) - 1
    X = pd.DataFrame({"a": list("xxxyyyyy"), "b": list("pppqqqpq"), "c": list("mnmnmnmn")})
    model = KernelSemiNaiveBayes(threshold=0.3).fit(X, [0, 1] * 4)
    graph = model.structure_for(pd.DataFrame({"a": ["x"], "b": ["p"], "c": [None]}))
    assert dict(graph.joined) == {"b": "a"}
    assert graph.correlation["b"] == pytest.approx(8 * 3 / (3 * 4) - 1, abs=1e-12)
    assert graph.unknown == ("c",)
    apart = model.structure_for(pd.DataFrame({"a": ["y"], "b": ["p"], "c": ["n"]}))
    assert apart.groups == (("a",), ("b",), ("c",))
    assert from_json(graph.to_json()) == graph


def test_joining_depends_on_the_row():
    X, y = pnb.load_sample("heart")
    model = KernelSemiNaiveBayes(threshold=0.3).fit(X, y)
    assert len({model.structure_for(X.iloc[[place]]).groups for place in range(10)}) > 1


def test_the_graph_is_that_of_one_row(mixed):
    X, y = mixed
    with pytest.raises(DataError, match="one row, but 2 were given"):
        KernelSemiNaiveBayes().fit(X, y).structure_for(X.head(2))


# ---- scores taken apart ------------------------------------------------------------------------------------


@every_variant
def test_terms_sum_to_the_score(model, mixed):
    X, y = mixed
    fitted = clone(model).fit(X, y)
    rows = X.assign(weight=X["weight"].where(X.index % 3 != 0))
    terms = fitted.terms(rows)
    joined = any(len(fitted.structure_for(rows.iloc[[i]]).groups) < 5 for i in (1, 2, 4, 5))
    if joined:
        assert list(terms.names) == list(fitted.importance_["attribute"])
    np.testing.assert_allclose(terms.scores(), fitted.predict_joint_log_proba(rows), rtol=0, atol=1e-9)


def test_the_steps_of_one_row_are_its_groups():
    X, y = pnb.load_sample("heart")
    fitted = KernelSemiNaiveBayes(threshold=0.3).fit(X, y)
    for place in range(5):
        row = X.iloc[[place]]
        terms, graph = fitted.terms(row), fitted.structure_for(row)
        assert {frozenset(step) for step in terms.attributes} == {frozenset(group) for group in graph.groups}
        ranking = list(fitted.importance_["attribute"])
        assert [ranking.index(step[0]) for step in terms.attributes] == sorted(
            min(ranking.index(name) for name in group) for group in graph.groups
        )
        np.testing.assert_allclose(terms.scores(), fitted.predict_joint_log_proba(row), rtol=0, atol=1e-9)
        why = fitted.explain(X.iloc[place])
        assert why.probability == pytest.approx(fitted.predict_proba(row).max(), abs=1e-9)
