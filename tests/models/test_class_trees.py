"""One tree per class: the best tree by brute force, scores and unknown cells by enumeration, pgmpy."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.errors import DataError, StructureError
from pgm_nb.explain.growth import growth_views
from pgm_nb.graphs import ClassTrees
from pgm_nb.models.class_trees import class_dependence
from pgm_nb.views.graph.drawing import elements


def table(seed, n=80, cards=(2, 3, 2, 3)):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    first = rng.integers(0, 3, n)
    columns = {}
    for i, v in enumerate(cards):
        cells = np.where(rng.random(n) < 0.6, (first + y * i) % v, rng.integers(0, v, n))
        columns[f"x{i}"] = pd.Categorical(cells, range(v))
    X = pd.DataFrame(columns)
    return X, np.array(["no", "yes"])[y]


def spanning_trees(d):
    pairs = list(itertools.combinations(range(d), 2))
    for edges in itertools.combinations(pairs, d - 1):
        reached = {0}
        for _ in range(d):
            reached |= {b for a, b in edges if a in reached} | {a for a, b in edges if b in reached}
        if len(reached) == d:
            yield edges


@pytest.mark.parametrize("seed", range(5))
def test_every_tree_is_the_best_of_all(seed):
    X, y = table(seed)
    model = pnb.ClassTreesBayes().fit(X, y)
    rows = model.code_table(X, y)
    counts = count(rows.codes, rows.y, rows.encoder.cards, 2)
    for place, label in enumerate(("no", "yes")):
        inside = rows.codes[:, rows.y == place]
        shared = class_dependence(counts, place)
        for i, j in itertools.combinations(range(4), 2):
            joint = np.histogram2d(inside[i], inside[j], bins=3, range=((0, 3), (0, 3)))[0]
            joint = joint / joint.sum()
            product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
            bits = (joint[joint > 0] * np.log2(joint[joint > 0] / product[joint > 0])).sum()
            assert shared[i, j] == pytest.approx(bits, abs=1e-12)
        best = max(sum(shared[edge] for edge in edges) for edges in spanning_trees(4))
        assert sum(model.structure_.shared[label].values()) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("smoothing", ["hierarchical", 1.0])
def test_scores_and_unknown_cells_by_enumeration(smoothing):
    X, y = table(1)
    model = pnb.ClassTreesBayes(smoothing=smoothing).fit(X, y)
    cards = model.encoder_.cards
    whole = {}
    for row in itertools.product(*(range(v) for v in cards)):
        scores = np.empty(2)
        for place, factors in enumerate(model.factors_):
            scores[place] = factors.log_prior[0]
            for i, mother, logs in zip(factors.columns, factors.mothers, factors.tables, strict=True):
                above = () if mother < 0 else (row[factors.columns[mother]],)
                scores[place] += logs[(0, *above, row[i])]
        whole[row] = np.exp(scores)
    assert sum(whole.values()).sum() == pytest.approx(1, abs=1e-12)  # a joint distribution
    patterns = list(itertools.product(*(range(v + 1) for v in cards)))
    found = np.exp(model.score_codes(np.array(patterns, dtype=np.uint8).T))
    for row, scores in zip(patterns, found, strict=True):
        ranges = [range(v) if cell == v else [cell] for cell, v in zip(row, cards, strict=True)]
        np.testing.assert_allclose(scores, sum(whole[one] for one in itertools.product(*ranges)), rtol=1e-10)


@pytest.mark.parametrize("order", [2, 3])
def test_the_last_weight_is_that_of_the_model(order):
    """KL = sum H(Xi) + H(Y) - H(all) - W, by enumeration with tables as counted."""
    X, y = table(2, n=300)
    model = pnb.ClassTreesBayes(order=order, smoothing=1e-9).fit(X, y)
    rows = model.code_table(X, y)
    whole, times = np.unique(np.vstack([rows.y, rows.codes]), axis=1, return_counts=True)
    share = times / times.sum()
    scores = model.score_codes(whole[1:].astype(np.uint8))[np.arange(len(times)), whole[0]]
    kl = (share * (np.log2(share) - scores / np.log(2))).sum()
    alone = 0.0
    for column in (rows.y, *rows.codes):
        p = np.bincount(column) / len(rows.y)
        alone -= (p[p > 0] * np.log2(p[p > 0])).sum()
    together = -(share * np.log2(share)).sum()
    assert model.trace_.steps[-1].weight == pytest.approx(alone - together - kl, abs=1e-6)


def test_the_trace_is_the_search():
    X, y = table(3)
    model = pnb.ClassTreesBayes().fit(X, y)
    rows, names = model.code_table(X, y), list(X.columns)
    counts = count(rows.codes, rows.y, rows.encoder.cards, 2)
    for place, label in enumerate(("no", "yes")):
        shared, steps = class_dependence(counts, place), [s for s in model.trace_.steps if s.label == label]
        inside = [names.index(steps[0].attribute)]
        assert steps[0].attribute == max(names, key=model.structure_.relevance.__getitem__)
        for step in steps[1:]:
            options = {(i, m): shared[i, m] for i in range(4) if i not in inside for m in inside}
            i, m = names.index(step.attribute), names.index(step.mother)
            assert options[i, m] == max(options.values()) == step.chosen.dependence
            assert model.structure_.trees[label][step.attribute] == step.mother
            rest = [bits for option, bits in options.items() if option != (i, m)]
            best = max(rest, default=None)
            assert (step.runners_up[0].dependence if step.runners_up else None) == best
            inside.append(i)
    assert [s.label for s in model.trace_.steps] == ["no"] * 4 + ["yes"] * 4


@pytest.mark.parametrize("order", [2, 3])
def test_growth_tree_by_tree(order, tmp_path):
    X, y = pnb.load_sample("heart")
    model = pnb.ClassTreesBayes(order=order).fit(X, y)
    frames = pnb.growth(model).story.frames
    assert len(frames) == len(model.trace_.steps)
    assert frames[-1].title.startswith("present: ")
    model.save(tmp_path / "trees.pgmnb")
    loaded = pnb.load(tmp_path / "trees.pgmnb")
    assert loaded.trace_ == model.trace_
    assert pnb.growth(loaded).to_frame().equals(pnb.growth(model).to_frame())
    picture = pnb.growth(model).play()["pictures"][0]
    last = len(model.trace_.steps)
    assert f" s{last}" in picture
    assert f" s{last + 1}" not in picture


def test_many_boxes_grow_as_links():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = pd.DataFrame({f"x{i}": (y + rng.integers(0, 3, 90)) % 3 for i in range(60)}).astype("category")
    model = pnb.ClassTreesBayes().fit(X, y)
    assert growth_views(model) == ("links",)
    found = pnb.growth(model, most=10)
    assert [frame.title[:3] for frame in found.story.frames] == ["0: "] * 10 + ["1: "] * 10 + ["2: "] * 10
    assert " s10" in found.play()["pictures"][0]


def test_an_attribute_that_shares_nothing_stands_alone():
    rows = [(a, b, c) for a in "uv" for b in "wx" for c in "yz"] * 4
    X = pd.DataFrame([row[:2] for row in rows], columns=["a", "b"])
    model = pnb.ClassTreesBayes().fit(X, [row[2] for row in rows])
    frames = pnb.growth(model).story.frames
    assert [frame.title for frame in frames] == [
        "y: a comes first", "y: b stands alone", "z: a comes first", "z: b stands alone"
    ]  # fmt: skip


def test_the_same_tree_in_every_class_is_tan():
    X, y = pnb.load_sample("heart")
    X = X[["age", "thallium scan"]]  # of two attributes there is one tree
    ours = pnb.ClassTreesBayes(n_bins=4).fit(X, y)
    theirs = pnb.TreeAugmentedNaiveBayes(n_bins=4, parameters="generative").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)


def test_pgmpy_agrees():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pgmpy warns of its own deprecated modules
        from pgmpy.inference import VariableElimination

    X, y = pnb.load_sample("iris")
    model = pnb.ClassTreesBayes(n_bins=3).fit(X, y)
    row = X.iloc[[60]].assign(**{"sepal width": np.nan})
    codes = model.encode(row)[:, 0]
    given = {c.name: c.labels[i] for c, i in zip(model.encoder_.columns, codes, strict=True) if i < c.card}
    found = VariableElimination(model.to_pgmpy()).query(["class"], given, show_progress=False).values
    np.testing.assert_allclose(model.predict_proba(row)[0], found / found.sum(), rtol=0, atol=1e-10)


def test_pictures_and_words():
    model = pnb.ClassTreesBayes().fit(*pnb.load_sample("heart"))
    for view in model.structure_.views:
        assert b"<svg" in model.structure_.draw(view)
        for element in elements(model.structure_.drawing(view)).values():
            assert model.describe(element).sentences


@pytest.mark.parametrize(
    ("trees", "shared", "said"),
    [
        ({}, {}, "for every class"),
        ({"no": {"b": "a"}}, {"no": {}}, "missing"),
    ],
)
def test_graphs_are_checked(trees, shared, said):
    with pytest.raises(StructureError, match=said):
        ClassTrees("y", ("a", "b"), trees, shared)


def test_no_smoothing_is_refused():
    with pytest.raises(DataError, match="smoothing"):
        pnb.ClassTreesBayes(smoothing=None).fit(*pnb.load_sample("iris"))


class TestTriples:
    """Cherry trees over the attributes alone, one in every class."""

    @staticmethod
    def shared(inside, child, given):
        """I(Xi;S) among the rows of a class, from whole tables."""
        codes = [inside[child], np.ravel_multi_index([inside[g] for g in given], [4] * len(given))]
        joint = np.histogram2d(*codes, bins=(4, 4 ** len(given)), range=((0, 4), (0, 4 ** len(given))))[0]
        joint = joint / joint.sum()
        product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        return float((joint[joint > 0] * np.log2(joint[joint > 0] / product[joint > 0])).sum())

    @pytest.mark.parametrize("seed", range(4))
    def test_the_search_by_hand(self, seed):
        """Price and all, by a loop over every attribute outside and every linked set inside."""
        X, y = table(seed, n=150, cards=(2, 3, 2, 3, 3))
        model = pnb.ClassTreesBayes(order=3).fit(X, y)
        rows = model.code_table(X, y)
        names = list(X.columns)
        for place, label in enumerate(("no", "yes")):
            inside = rows.codes[:, rows.y == place]
            n, states = inside.shape[1], [len(np.unique(column)) for column in inside]

            def worth(i, given, inside=inside, n=n, states=states):
                extra = 0
                if len(given) == 2:
                    alone = {mother: self.shared(inside, i, [mother]) for mother in given}
                    first = max(sorted(alone), key=alone.__getitem__)
                    both = (states[given[0]] * states[given[1]] - 1) * (states[i] - 1)
                    extra = both - (states[first] - 1) * (states[i] - 1)
                return self.shared(inside, i, given) - extra / (2 * n * np.log(2))

            pairs = list(itertools.combinations(range(5), 2))
            a, b = max(pairs, key=lambda pair: round(worth(pair[0], [pair[1]]), 9))
            sets, joined, total = [(a,), (b,), (a, b)], [a, b], self.shared(inside, a, [b])
            while len(joined) < 5:
                options = [(i, s) for i in range(5) if i not in joined for s in sets]
                i, given = max(options, key=lambda option: round(worth(*option), 9))
                total += self.shared(inside, i, given)
                sets += [(i,), *((g, i) for g in given)]
                joined.append(i)
            graph = model.structure_
            found = sum(graph.shared[label].values()) + sum(graph.added[label].values())
            assert found == pytest.approx(total, abs=1e-9)
            for child, second in graph.seconds[label].items():
                given = [names.index(graph.trees[label][child]), names.index(second)]
                both = graph.shared[label][child] + graph.added[label][child]
                assert both == pytest.approx(self.shared(inside, names.index(child), given), abs=1e-9)

    @pytest.mark.parametrize("smoothing", ["hierarchical", 1.0])
    def test_it_is_a_distribution(self, smoothing):
        X, y = table(1, n=300)
        model = pnb.ClassTreesBayes(order=3, smoothing=smoothing).fit(X, y)
        assert any(model.structure_.seconds.values())
        grid = pd.DataFrame(
            itertools.product(*(column.categories for column in (X[c].cat for c in X))), columns=X.columns
        ).astype(X.dtypes)
        assert np.exp(model.predict_joint_log_proba(grid)).sum() == pytest.approx(1, abs=1e-9)

    def test_saved_and_loaded(self, tmp_path):
        X, y = table(1, n=300)
        model = pnb.ClassTreesBayes(order=3).fit(X, y)
        model.save(tmp_path / "trees.pgmnb")
        loaded = pnb.load(tmp_path / "trees.pgmnb")
        assert loaded.structure_ == model.structure_
        assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
        assert model.structure_.draw("trees")
        assert model.structure_.draw("links")

    def test_mothers_that_are_not_linked(self):
        shared = {"no": {"b": 0.1, "c": 0.1}}
        with pytest.raises(StructureError, match="must be linked with each other"):
            ClassTrees(
                "y",
                ("a", "b", "c", "d"),
                {"no": {"b": "a", "c": "b"}},
                shared,
                None,
                {"no": {"c": "d"}},
                {"no": {"c": 0.1}},
            )

    def test_refusals(self):
        with pytest.raises(DataError, match="order must be a whole number from 2 to 3"):
            pnb.ClassTreesBayes(order=4).fit(*table(0))
