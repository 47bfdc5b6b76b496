"""Groups of attributes that are joined at a row: by hand, with a limit, in a window, and in words."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pgm_nb as pnb
from pgm_nb.graphs import from_json
from pgm_nb.models.kernel.model import KernelSemiNaiveBayes
from pgm_nb.models.kernel.sums import paired, strongest_groups, strongest_pairs
from pgm_nb.views.graph.drawing import Element


@given(st.integers(0, 10**6))
def test_groups_of_at_most_two_are_the_pairs(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    strength = rng.choice([0.1, 0.2, 0.4, 0.5, 0.9], (3, d * (d - 1) // 2))
    pairs = paired(strongest_pairs(strength, 0.3, d), d)
    assert (strongest_groups(strength, 0.3, d, 2, lambda row, place: np.array([True])) == pairs).all()


def test_a_group_of_three_by_hand():
    # a and b agree in all rows, and c with both in six of eight: Corr(a,b) = 1, Corr(a,c) = Corr(b,c) = 0.5
    X = pd.DataFrame({"a": list("xxxxyyyy"), "b": list("ppppqqqq"), "c": list("mmmnmnnn")})
    row, y = X.iloc[[0]], [0, 0, 1, 1, 0, 1, 1, 1]
    pairs = KernelSemiNaiveBayes(threshold=0.3, smoothing=None).fit(X, y)
    assert pairs.structure_for(row).groups == (("a", "b"), ("c",))
    model = KernelSemiNaiveBayes(threshold=0.3, smoothing=None, max_joined=None).fit(X, y)
    graph = model.structure_for(row)
    assert graph.groups == (("a", "b", "c"),)
    assert dict(graph.joined) == {"b": "a", "c": "a"}
    assert graph.correlation == pytest.approx({"b": 8 * 4 / (4 * 4) - 1, "c": 8 * 3 / (4 * 4) - 1}, abs=1e-12)
    assert from_json(graph.to_json()) == graph
    # rows like it: two of the three of class 0, one of the five of class 1
    assert np.exp(model.predict_joint_log_proba(row)) == pytest.approx(
        np.array([[3 / 8 * 2 / 3, 5 / 8 * 1 / 5]]), abs=1e-12
    )
    assert model.terms(row).names == ("c, a, b",)  # c says most about the class
    # x, p and n: a with b, but no chain leads to c
    assert model.structure_for(X.iloc[[3]]).groups == (("a", "b"), ("c",))


def test_values_that_no_row_has_at_once_are_not_one_group():
    # every two of the three values occur together, but no row has all three
    X = pd.DataFrame({"a": list("xxuuuuuu"), "b": list("pwpwwwww"), "c": list("vmmvvvvv")})
    model = KernelSemiNaiveBayes(threshold=0.3, max_joined=None).fit(X, [0, 1] * 4)
    graph = model.structure_for(pd.DataFrame({"a": ["x"], "b": ["p"], "c": ["m"]}))
    assert graph.groups == (("a", "b"), ("c",))


@pytest.mark.parametrize("kernel", ["hobbit", "gaussian"])
def test_groups_in_a_window_and_a_limit_of_three(kernel):
    X, y = pnb.load_sample("iris")
    model = KernelSemiNaiveBayes(kernel=kernel, max_joined=3, window=100)
    model.partial_fit(X[:100], y[:100], classes=y.unique())
    model.partial_fit(X[100:], y[100:])
    again = KernelSemiNaiveBayes(kernel=kernel, max_joined=3).fit(X[50:], y[50:])
    sizes = {len(group) for place in range(60, 70) for group in again.structure_for(X.iloc[[place]]).groups}
    assert max(sizes) == 3
    lived = [list(model.classes_).index(label) for label in again.classes_]
    np.testing.assert_allclose(
        model.predict_joint_log_proba(X)[:, lived], again.predict_joint_log_proba(X), rtol=0, atol=1e-9
    )


def test_the_words_about_a_group():
    X, y = pnb.load_sample("iris")
    model = KernelSemiNaiveBayes(max_joined=None).fit(X, y)
    row = X.iloc[[0]]
    graph = model.structure_for(row)
    assert graph.groups == (tuple(X.columns),)
    assert graph.headlines()[0].value == "1 group"
    assert "At this row 1 group of attributes is joined" in graph.sentence("joined")
    box = next(node for node in graph.drawing("joined").nodes if node.kind == "cluster")
    said = " ".join(model.describe(Element("cluster", box.names), graph=graph, row=row).sentences)
    assert "times as often as by chance, and all 4 count as one factor." in said
