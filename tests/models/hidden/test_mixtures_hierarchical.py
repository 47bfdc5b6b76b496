"""Hierarchical smoothing of hidden parents: against tables smoothed one by one, pgmpy and a refit."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.engine.sums import normalise
from pgm_nb.information import conditional_mutual_information
from pgm_nb.models.hidden.mixtures import Hierarchical, hidden_terms, log_scores, mixtures
from pgm_nb.models.hidden.model import folds, parent_weights, threshold_path, validate_thresholds
from pgm_nb.tables.hierarchical import smooth

KINDS = [pnb.HiddenNaiveBayes, pnb.PackagedHiddenNaiveBayes]
ORDERED = (0, 3, 4, 0)
CARDS = (2, 3, 5, 1)  # words, intervals, intervals and missing cells, a constant


def small(k=3, n=60):
    rng = np.random.default_rng(4)
    y = rng.integers(0, k, n)
    codes = np.array([(rng.integers(0, v, n) + y * rng.integers(0, 2, n)) % v for v in CARDS], dtype=np.uint8)
    weights = np.array([[0, 0.7, 0.2, 0.1], [0.5, 0, 0.5, 0], [0.25, 0.75, 0, 0], [0, 0, 0, 0.0]])
    return count(codes, y, CARDS, k), weights


def by_hand(counts, weights, row):
    """The closed formula with loops, every table smoothed alone; None is unknown."""
    scores = []
    for c in range(counts.n_classes):
        p = (counts.y[c] + 1 / counts.n_classes) / (counts.n_rows + 1)
        for i, a in enumerate(row):
            if a is None:
                continue
            known = [j for j, b in enumerate(row) if b is not None and weights[i, j] > 0]
            if not known:
                p *= smooth(counts.single(i), ORDERED[i])[-1].estimate[c, a]
                continue
            mixture = sum(
                weights[i, j] * smooth(counts.pair(j, i), ORDERED[i])[-1].estimate[c, row[j], a]
                for j in known
            )
            p *= mixture / sum(weights[i, j] for j in known)
        scores.append(np.log(p))
    return scores


@pytest.mark.parametrize("kernel", ["numpy", "compiled"])
def test_tables_are_those_of_a_tree_with_this_mother(kernel):
    counts, weights = small()
    rng = np.random.default_rng(0)
    rows = [[None if code == v else int(code) for code, v in zip(row, CARDS, strict=True)]
            for row in rng.integers(0, np.array(CARDS) + 1, (40, 4))]  # fmt: skip
    codes = np.array(
        [[v if r[i] is None else r[i] for r in rows] for i, v in enumerate(CARDS)], dtype=np.uint8
    )
    model = mixtures(counts, weights, Hierarchical(ORDERED).levels(counts))
    expected = [by_hand(counts, weights, row) for row in rows]
    np.testing.assert_allclose(log_scores(model, codes, kernel=kernel), expected, rtol=0, atol=1e-12)
    terms = hidden_terms(model, codes).sum(axis=1) + model.log_prior
    np.testing.assert_allclose(terms, expected, rtol=0, atol=1e-12)


def test_threads_and_pieces_give_the_same_digits(wdbc_codes, monkeypatch):
    codes, y = wdbc_codes
    counts = count(codes, y, (5,) * 30, 2)
    weights = parent_weights(conditional_mutual_information(counts))
    levels = Hierarchical((5,) * 30).levels(counts)
    one = mixtures(counts, weights, levels)
    monkeypatch.setattr("pgm_nb.models.hidden.mixtures._CELLS", 999)
    other = mixtures(counts, weights, levels, n_threads=3)
    np.testing.assert_array_equal(one.tables.cells, other.tables.cells)
    assert one.smallest == min(one.tables.cells.min(), *(np.exp(t).min() for t in one.alone.tables))
    same = 0
    for place, (i, j) in enumerate(zip(one.owners[one.owner_of], one.members, strict=True)):
        if place % 29 == 0:
            table = one.tables.cells[one.tables.begin[place] :][:50].reshape(2, 5, 5)
            np.testing.assert_allclose(table.sum(axis=2), 1)
            same += np.allclose(table, smooth(counts.pair(int(j), int(i)), 5)[-1].estimate, atol=1e-12)
    assert same == 30  # trying every second concentration first leads to the same ones


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_pgmpy_gives_the_same_class_posterior(kind):
    from pgmpy.inference import VariableElimination

    X, y = pnb.load_sample("heart")
    X = X.iloc[:, :8]
    model = kind(smoothing="hierarchical", n_bins=5).fit(X, y)
    engine = VariableElimination(model.to_pgmpy())
    rows = X.iloc[:: len(X) // 3]
    codes = model.encoder_.encode(rows)
    for place, expected in enumerate(model.predict_proba(rows)):
        given = {c.name: c.labels[codes[i, place]] for i, c in enumerate(model.encoder_.columns)}
        values = engine.query([model.learned_.target], evidence=given, show_progress=False).values
        assert values / values.sum() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("attribute", "label"), [("feathers", "bird"), ("milk", "mammal")])
def test_one_certain_piece_of_evidence_is_believed(kind, attribute, label):
    """All 20 feathered animals of the zoo are birds, all 41 that give milk are mammals."""
    X, y = pnb.load_sample("zoo")
    model = kind(smoothing="hierarchical").fit(X, y)
    row = pd.DataFrame([dict.fromkeys(X.columns, np.nan) | {attribute: "yes"}])
    posterior = dict(zip(model.classes_, model.predict_proba(row)[0], strict=True))
    assert posterior[label] > 0.95


def test_without_bags_it_is_naive_bayes():
    X, y = pnb.load_sample("heart")
    packed = pnb.PackagedHiddenNaiveBayes(threshold=9.0, smoothing="hierarchical", n_bins=5).fit(X, y)
    naive = pnb.NaiveBayes(smoothing="hierarchical", parameters="generative", n_bins=5).fit(X, y)
    np.testing.assert_allclose(packed.predict_proba(X), naive.predict_proba(X), rtol=0, atol=1e-12)


def test_it_is_saved_and_read(tmp_path):
    X, y = pnb.load_sample("wine")
    model = pnb.PackagedHiddenNaiveBayes(threshold="auto", smoothing="hierarchical").fit(X, y)
    model.save(tmp_path / "wine.pgmnb")
    read = pnb.load(tmp_path / "wine.pgmnb")
    assert read.smoothing == "hierarchical"
    np.testing.assert_array_equal(read.predict_proba(X), model.predict_proba(X))


def test_the_path_of_thresholds_equals_a_refit_per_value(wdbc_codes):
    codes, y = wdbc_codes
    codes, cards, y = np.ascontiguousarray(codes[:5, ::3]), (5,) * 5, y[::3]
    way = Hierarchical((5, 5, 0, 5, 0))
    path = threshold_path(conditional_mutual_information(count(codes, y, cards, 2)))
    fold = folds(codes, y, range(5))
    loss = np.zeros(len(path))
    for number in range(5):
        test = fold == number
        counts = count(codes[:, ~test], y[~test], cards, 2)
        for place, threshold in enumerate(path):
            weights = parent_weights(conditional_mutual_information(counts), threshold)
            model = mixtures(counts, weights, way.levels(counts))
            found = normalise(log_scores(model, codes[:, test]), model.log_prior)
            loss[place] -= found[np.arange(test.sum()), y[test]].sum() / np.log(2) / len(y)
    np.testing.assert_allclose(validate_thresholds(codes, y, cards, 2, path, way, fold)[0], loss, atol=1e-12)
