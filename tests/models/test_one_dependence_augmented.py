"""ODANB: the strongest other attribute is the parent, also both ways; scores by hand."""

import re

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.errors import StructureError
from pgm_nb.graphs import StrongestParents
from pgm_nb.information import conditional_mutual_information
from pgm_nb.views.graph.drawing import elements


def test_parents_and_scores_by_hand():
    X, y = pnb.load_sample("heart")
    model = pnb.OneDependenceAugmented(n_bins=4).fit(X, y)
    rows = model.code_table(X, y)
    counts = count(rows.codes, rows.y, rows.encoder.cards, 2)
    shared = conditional_mutual_information(counts)
    np.fill_diagonal(shared, -1)
    names = list(X.columns)
    parents = {name: model.structure_.parent(name) for name in names}
    assert parents == {name: names[int(shared[i].argmax())] for i, name in enumerate(names)}
    both = {frozenset((name, parents[name])) for name in names if parents[parents[name]] == name}
    assert {frozenset(pair) for pair in model.structure_.pairs} == both
    assert both  # so it is no joint distribution
    for i, name in enumerate(names):
        assert model.structure_.parents[name] == {parents[name]: pytest.approx(shared[i].max(), abs=1e-12)}
    scores = np.log((counts.y + 1 / 2) / (counts.n_rows + 1))[None].repeat(5, axis=0)
    for i, name in enumerate(names):
        j = names.index(parents[name])
        n = counts.pair(j, i) + 1 / counts.cards[i]
        table = n / (counts.single(j) + 1)[:, :, None]
        scores += np.log(table[:, rows.codes[j, :5], rows.codes[i, :5]]).T
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X.iloc[:5]), expected, rtol=0, atol=1e-12)


def test_an_attribute_that_shares_nothing_depends_on_the_class_alone():
    rows = [(a, b, c) for a in "uv" for b in "wx" for c in "yz"] * 4
    X = pd.DataFrame([row[:2] for row in rows], columns=["a", "b"])
    model = pnb.OneDependenceAugmented().fit(X, [row[2] for row in rows])
    assert not model.structure_.parents
    assert [step.mother for step in model.trace_.steps] == [None, None]
    assert model.divergence_ is None


def test_the_trace_names_the_next_best_parents():
    X, y = pnb.load_sample("heart")
    model = pnb.OneDependenceAugmented(n_bins=4).fit(X, y)
    rows = model.code_table(X, y)
    shared = conditional_mutual_information(count(rows.codes, rows.y, rows.encoder.cards, 2))
    names, relevance = list(X.columns), model.structure_.relevance
    steps = model.trace_.steps
    assert [step.attribute for step in steps] == sorted(names, key=lambda name: -relevance[name])
    for step in steps:
        i = names.index(step.attribute)
        others = sorted((other for other in range(13) if other != i), key=lambda other: -shared[i, other])
        near = [step.chosen, *step.runners_up]
        assert [one.mother for one in near] == [names[other] for other in others[:6]]
        assert [one.dependence for one in near] == pytest.approx(
            sorted(shared[i], reverse=True)[:6], abs=1e-12
        )
    assert steps[-1].weight == pytest.approx(sum(relevance.values()), abs=1e-12)


def test_a_parent_is_shown_when_it_is_named():
    model = pnb.OneDependenceAugmented().fit(*pnb.load_sample("heart"))
    first = pnb.growth(model).play()["pictures"][0]
    for number, step in enumerate(model.trace_.steps, start=1):
        for name in (step.attribute, step.mother):
            box = f"n{1 + model.structure_.attributes.index(name)}"
            (shown,) = re.findall(rf'class="node attribute s(\d+)" data-id="{box}"', first)
            assert int(shown) <= number


@pytest.mark.parametrize(
    ("parents", "told"),
    [
        ({"a": {"c": 0.1}}, "not among the attributes"),
        ({"a": {"a": 0.1}}, "another attribute"),
        ({"a": {}}, "leave it out"),
        ({"a": "b"}, "for each attribute"),
        ({"a": {"b": float("nan")}}, "finite number"),
    ],
)
def test_graphs_are_checked(parents, told):
    with pytest.raises(StructureError, match=told):
        StrongestParents("y", ("a", "b"), parents)


def test_words_and_growth(tmp_path):
    model = pnb.OneDependenceAugmented().fit(*pnb.load_sample("heart"))
    for view in model.structure_.views:
        for element in elements(model.structure_.drawing(view)).values():
            assert model.describe(element).sentences
    pnb.growth(model).save(tmp_path / "growth.html")
    first = pnb.growth(model).story.frames[0]
    step = model.trace_.steps[0]
    assert f"Its parent is {step.mother}" in first.sentence
    assert f"The next would be {step.runners_up[0].mother}" in first.sentence
    assert "Its parent is" in (tmp_path / "growth.html").read_text(encoding="utf-8")
