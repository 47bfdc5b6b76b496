"""ODANB: the strongest other attribute is the parent, also both ways; scores by hand."""

import numpy as np
import pandas as pd

import pgm_nb as pnb
from pgm_nb.counts import count
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
    parents = {name: next(iter(bag)) for name, bag in model.structure_.weights.items()}
    assert parents == {name: names[int(shared[i].argmax())] for i, name in enumerate(names)}
    assert any(parents[parents[name]] == name for name in names)  # so it is no joint distribution
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
    assert not model.structure_.weights
    assert model.divergence_ is None


def test_words_and_growth(tmp_path):
    model = pnb.OneDependenceAugmented().fit(*pnb.load_sample("heart"))
    for view in model.structure_.views:
        for element in elements(model.structure_.drawing(view)).values():
            assert model.describe(element).sentences
    pnb.growth(model).save(tmp_path / "growth.html")
    assert "shares most with" in (tmp_path / "growth.html").read_text(encoding="utf-8")
