"""K-dependence Bayes: parents by hand, naive Bayes and a chain as limits, selection by brute force, pgmpy."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import Parents
from pgm_nb.information import information
from pgm_nb.models.k_dependence import ParentCounts, count_parents, estimates, left_out_errors
from pgm_nb.views.graph.drawing import elements


@pytest.fixture(scope="module")
def heart():
    return pnb.load_sample("heart")


def test_parents_are_the_strongest_before(heart):
    X, y = heart
    model = pnb.KDependenceBayes(k=2, n_bins=4).fit(X, y)
    rows = model.code_table(X, y)
    info = information(count(rows.codes, rows.y, rows.encoder.cards, len(rows.classes)))
    names = list(rows.encoder.names)
    order = model.structure_.attributes
    relevance = [info.relevance[names.index(name)] for name in order]
    assert relevance == sorted(relevance, reverse=True)
    for place, name in enumerate(order):
        found = list(model.structure_.parents.get(name, ()))
        assert len(found) == min(place, 2)
        shared = {other: info.dependence[names.index(name), names.index(other)] for other in order[:place]}
        assert found == sorted(shared, key=lambda other: -shared[other])[:2]


def test_the_growth_shows_every_link(heart):
    X, y = heart
    model = pnb.KDependenceBayes(k=2, n_bins=4).fit(X, y)
    rows = model.code_table(X, y)
    info = information(count(rows.codes, rows.y, rows.encoder.cards, len(rows.classes)))
    names = list(rows.encoder.names)
    assert [step.attribute for step in model.trace_.steps] == list(model.structure_.attributes)
    growth = pnb.growth(model)
    assert len(growth.story.frames) == len(names)
    for place, (step, frame) in enumerate(zip(model.trace_.steps, growth.story.frames, strict=True)):
        own = names.index(step.attribute)
        ranked = sorted(
            (float(info.dependence[own, names.index(o)]) for o in model.structure_.attributes[:place]),
            reverse=True,
        )
        assert [c.value for c in frame.contenders] == pytest.approx(ranked[:7], abs=1e-12)
        assert [c.won for c in frame.contenders] == [i < 2 for i in range(len(frame.contenders))]
        for parent, bits in model.structure_.parents.get(step.attribute, {}).items():
            assert parent in frame.sentence
            assert f"{bits:.3f} bits" in frame.sentence
    total = sum(info.relevance) + sum((model.structure_.shared or {}).values())
    assert model.trace_.steps[-1].weight == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("smoothing", ["hierarchical", 1.0])
def test_without_parents_it_is_naive_bayes(heart, smoothing):
    X, y = heart
    ours = pnb.KDependenceBayes(k=0, smoothing=smoothing).fit(X, y)
    theirs = pnb.NaiveBayes(smoothing=smoothing, parameters="generative").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)


def test_one_parent_is_the_tree_of_these_mothers(heart):
    X, y = heart
    ours = pnb.KDependenceBayes(k=1, n_bins=5).fit(X, y)
    tree = pnb.Tree(ours.structure_.target, tuple(X.columns), dict(ours.structure_.mothers))
    theirs = pnb.GeneralizedNaiveBayes(structure=tree, parameters="generative", n_bins=5).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)
    holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.4)
    np.testing.assert_allclose(
        ours.empty_as("unknown").predict_proba(holes),
        theirs.empty_as("unknown").predict_proba(holes),
        rtol=0,
        atol=1e-10,
    )


@pytest.mark.parametrize("smoothing", [1.0, 0.5])
def test_selection_is_that_of_a_loop_over_rows(smoothing):
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, (4, 40)).astype(np.uint8)
    y = (codes[0] + codes[1] + rng.integers(0, 2, 40)) % 2
    cards, order, parents = (3,) * 4, [1, 0, 3, 2], [[], [1], [0, 1], [3, 0]]
    counts = count_parents(codes, y, cards, 2, order, parents)
    found = left_out_errors(counts, [estimates(t, 0, smoothing) for t in counts.tables], codes, y)
    expected = np.zeros((3, 5))
    for row in range(40):
        kept = np.arange(40) != row
        for most in range(3):
            scores = np.empty(2)
            for c in range(2):
                inside = kept & (y == c)
                scores[c] = inside.sum() + 1 / 2
            for n_attributes in range(5):
                if n_attributes:
                    column, above = order[n_attributes - 1], parents[n_attributes - 1][:most]
                    for c in range(2):
                        same = kept & (y == c)
                        for parent in above:
                            same &= codes[parent] == codes[parent, row]
                        hits = (same & (codes[column] == codes[column, row])).sum()
                        scores[c] *= (hits + smoothing / 3) / (same.sum() + smoothing)
                expected[most, n_attributes] += (1 - scores[y[row]] / scores.sum()) ** 2 / 40
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_selection_leaves_noise_out():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    noise = {f"noise {i}": rng.integers(0, 6, 400).astype(str) for i in range(12)}
    X = pd.DataFrame({"sign": (y ^ (rng.random(400) < 0.1)).astype(str), **noise})
    model = pnb.KDependenceBayes(select=True).fit(X, y)
    assert "sign" in model.structure_.attributes
    assert len(model.structure_.attributes) < 6
    assert set(model.importance_["attribute"]) == set(model.structure_.attributes)


def test_pgmpy_gives_the_same_posterior(heart):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pgmpy warns of its own deprecated modules
        from pgmpy.inference import VariableElimination

    X, y = heart
    model = pnb.KDependenceBayes(k=2, n_bins=3).fit(X, y)
    network = model.to_pgmpy()
    engine = VariableElimination(network)
    known = ["age", "chest pain type", "thallium scan", "maximum heart rate"]
    rows = X.iloc[::90].copy()
    rows[[name for name in X.columns if name not in known]] = np.nan
    codes = model.encode(rows)
    for place in range(len(rows)):
        given = {
            column.name: column.labels[code]
            for column, code in zip(model.encoder_.columns, codes[:, place], strict=True)
            if code < column.card
        }
        found = engine.query([model.structure_.target], given, show_progress=False).values
        np.testing.assert_allclose(model.predict_proba(rows.iloc[[place]])[0], found, rtol=0, atol=1e-10)
    cliques = {frozenset(node) for node in model.to_pgmpy("junction tree").nodes}
    assert all(any(set(family) <= clique for clique in cliques) for family in families(model.structure_))
    with pytest.raises(ValueError, match="form must be"):
        model.to_pgmpy("tree")


def families(graph):
    return [(graph.target, name, *graph.parents.get(name, ())) for name in graph.attributes]


def test_cliques_hold_every_family_and_are_chordal(heart):
    import networkx as nx

    model = pnb.KDependenceBayes(k=3).fit(*heart)
    graph = model.structure_
    cliques = graph.cliques()
    assert all(any(set(family) <= set(clique) for clique in cliques) for family in families(graph))
    joined = nx.Graph()
    for clique in cliques:
        joined.update(nx.complete_graph(clique))
    assert nx.is_chordal(joined)
    assert {frozenset(c) for c in nx.find_cliques(joined)} == {frozenset(c) for c in cliques}
    assert graph.width == max(map(len, cliques)) - 1
    assert {frozenset(edge) for edge in graph.moral_edges()} <= {frozenset(edge) for edge in joined.edges}


def test_terms_with_gaps_add_up(heart):
    X, y = heart
    model = pnb.KDependenceBayes().fit(X, y)
    holes = X.mask(np.random.default_rng(2).random(X.shape) < 0.3)
    terms = model.terms(holes)
    np.testing.assert_allclose(terms.scores(), model.predict_joint_log_proba(holes), rtol=0, atol=1e-9)


def test_pictures_and_words(heart):
    model = pnb.KDependenceBayes().fit(*heart)
    graph = model.structure_
    for view in graph.views:
        assert b"<svg" in graph.draw(view)
        for element in elements(graph.drawing(view)).values():
            assert model.describe(element).sentences
    name = graph.attributes[5]
    assert len(graph.drawing("focus", focus=name).arcs) >= 4
    part = graph.part(graph.attributes[:4])
    assert set(part.parents) == set(graph.attributes[1:4])


@pytest.mark.parametrize(
    ("parents", "said"),
    [
        ({"a": {"b": 0.1}}, "stand before"),
        ({"b": {"c": 0.1}}, "not among"),
        ({"b": {}}, "without parents"),
        ({"b": {"a": float("nan")}}, "finite"),
    ],
)
def test_graphs_are_checked(parents, said):
    with pytest.raises(StructureError, match=said):
        Parents("y", ("a", "b"), parents)


@pytest.mark.parametrize("parameters", [{"k": -1}, {"k": 1.5}, {"smoothing": None}, {"smoothing": "backoff"}])
def test_refusals(parameters):
    with pytest.raises(DataError, match=next(iter(parameters))):
        pnb.KDependenceBayes(**parameters).fit(*pnb.load_sample("iris"))


def test_files_that_do_not_agree_are_refused(heart):
    model = pnb.KDependenceBayes().fit(*heart)
    description, arrays = model.learned_.counts.pack()
    assert ParentCounts.unpack(description, arrays).parents == model.learned_.counts.parents
    with pytest.raises(ValueError, match="add up"):
        ParentCounts.unpack(description, arrays | {"y": arrays["y"] + 1})
    with pytest.raises(ValueError, match="before"):
        ParentCounts.unpack({**description, "parents": [(3,), *description["parents"][1:]]}, arrays)


def test_a_table_that_is_too_large_is_refused():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.integers(0, 400, 2000).astype(str) for name in "abc"})
    with pytest.raises(DataError, match="fewer parents"):
        pnb.KDependenceBayes().fit(X, rng.integers(0, 2, 2000))
