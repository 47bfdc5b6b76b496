"""Mixtures of hidden parents: by hand, against Weka and another program; unknown cells; the two kernels."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.counts import Counts, count
from pgm_nb.engine.sums import log_joint, normalise
from pgm_nb.errors import DataError
from pgm_nb.information import conditional_mutual_information
from pgm_nb.models.hidden.mixtures import log_scores, mixtures, pair_sums, sum_of_logarithms
from pgm_nb.models.hidden.model import average_dependence, parent_weights
from pgm_nb.tables.factors import estimate
from pgm_nb.tables.families import families

GOLDEN = Path(__file__).parents[2] / "golden"
WEKA = ("krvskp_all", "nursery_first2000", "sick_all", "wdbc_bin10")


def posterior(model, codes, **kernel):
    return np.exp(normalise(log_scores(model, codes, **kernel), model.log_prior))


def weka(case):
    """Coded training and test rows, counts, and Weka's distributions."""
    record = json.loads(gzip.decompress((GOLDEN / "weka" / f"{case}.json.gz").read_bytes()))
    *cards, k = record["cards"]
    train, test = (
        np.array([[int(digit) for digit in column] for column in record[part]], dtype=np.uint8)
        for part in ("train", "test")
    )
    return count(train[:-1], train[-1], cards, k), test[:-1], record


def floored_dependence(counts):
    """I(Xi;Xj|Y) as Weka has it: terms of tiny probabilities are dropped."""
    d, n = len(counts.cards), counts.n_rows
    result = np.zeros((d, d))
    p_y = (counts.y / n)[:, None, None]
    for i in range(d):
        for j in range(i + 1, d):
            p = counts.pair(i, j) / n
            p_i, p_j = p.sum(axis=2, keepdims=True), p.sum(axis=1, keepdims=True)
            kept = (p * p_y >= 1e-6) & (p_i * p_j >= 1e-6)
            ratio = np.divide(p * p_y, p_i * p_j, out=np.ones_like(p), where=kept)
            result[i, j] = result[j, i] = (p * np.log2(ratio)).sum()
    return result


@pytest.mark.parametrize("case", WEKA)
def test_hidden_naive_bayes_is_wekas(case):
    counts, rows, record = weka(case)
    dependence = conditional_mutual_information(counts)
    if case == "sick_all":
        dependence = floored_dependence(counts)
    model = mixtures(counts, parent_weights(dependence), 1.0)
    np.testing.assert_allclose(posterior(model, rows), record["HNB"], rtol=0, atol=1e-9)


def test_wekas_floor_matters_on_sick_only():
    for case in WEKA:
        counts, _, _ = weka(case)
        exact, floored = conditional_mutual_information(counts), floored_dependence(counts)
        close = np.allclose(exact, floored, rtol=0, atol=1e-12)
        assert close == (case != "sick_all")


@pytest.mark.parametrize("case", WEKA)
def test_naive_bayes_is_wekas(case):
    """Weka's naive Bayes adds one to every cell: m-estimates with m = v (attributes) and m = k (class)."""
    counts, rows, record = weka(case)
    scores = np.log((counts.y + 1) / (counts.n_rows + counts.n_classes))
    scores = np.tile(scores, (rows.shape[1], 1))
    for column, v in enumerate(counts.cards):
        model = mixtures(counts, np.zeros((len(counts.cards),) * 2), float(v))
        scores += model.alone.tables[column].T[rows[column]]
    np.testing.assert_allclose(np.exp(normalise(scores, scores[0])), record["NB"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kernel", ["numpy", "compiled"])
@pytest.mark.parametrize(
    ("name", "factor"), [("hnb_m1_exact_cmi", None), ("phnb_m1_avg", 1.0), ("phnb_m1_halfavg", 0.5)]
)
def test_golden_probabilities(wdbc_codes, name, factor, kernel):
    golden = json.loads((GOLDEN / "wdbc_hidden.json").read_text())["models"][name]
    codes, y = wdbc_codes
    counts = count(codes[:, ::2], y[::2], (5,) * 30, 2)
    dependence = conditional_mutual_information(counts)
    threshold = -1.0 if factor is None else factor * average_dependence(dependence)
    if factor is not None:
        assert threshold == pytest.approx(golden["threshold_bits"], abs=1e-12)
    weights = parent_weights(dependence, threshold)
    assert [np.flatnonzero(row).tolist() for row in weights] == golden["bags"]
    found = posterior(mixtures(counts, weights, 1.0), codes[:, 1::2], kernel=kernel)
    np.testing.assert_allclose(found[:60], golden["proba_first60"], rtol=0, atol=1e-9)
    assert (found.argmax(axis=1) == y[1::2]).mean() == golden["accuracy_test"]


def small():
    """Three attributes of 2, 3 and 2 states, two classes, twelve rows."""
    rng = np.random.default_rng(3)
    codes = np.array([rng.integers(0, v, 12) for v in (2, 3, 2)], dtype=np.uint8)
    y = np.array([0, 1] * 6)
    counts = count(codes, y, (2, 3, 2), 2)
    weights = np.array([[0, 0.75, 0.25], [1, 0, 0], [0, 0, 0]])
    return counts, weights, codes, y


def by_hand(counts, weights, row, m):
    """The closed formula with loops; None is unknown."""
    scores = []
    for c in range(counts.n_classes):
        p = (counts.y[c] + m / counts.n_classes) / (counts.n_rows + m)
        for i, a in enumerate(row):
            if a is None:
                continue
            v = counts.cards[i]
            known = [j for j, b in enumerate(row) if b is not None and weights[i, j] > 0]
            if not known:
                p *= (counts.single(i)[c, a] + m / v) / (counts.y[c] + m)
                continue
            mixture = sum(
                weights[i, j] * (counts.pair(i, j)[c, a, row[j]] + m / v) / (counts.single(j)[c, row[j]] + m)
                for j in known
            )
            p *= mixture / sum(weights[i, j] for j in known)
        scores.append(np.log(p))
    return scores


@pytest.mark.parametrize("kernel", ["numpy", "compiled"])
@pytest.mark.parametrize("m", [1.0, 0.3, 1e-40])
def test_every_row_with_every_cell_known_or_not(kernel, m):
    counts, weights, _, _ = small()
    cells = [(*range(v), None) for v in counts.cards]
    rows = [(a, b, c) for a in cells[0] for b in cells[1] for c in cells[2]]
    codes = np.array(
        [[v if row[i] is None else row[i] for row in rows] for i, v in enumerate(counts.cards)],
        dtype=np.uint8,
    )
    found = log_scores(mixtures(counts, weights, m), codes, kernel=kernel)
    np.testing.assert_allclose(
        found, [by_hand(counts, weights, row, m) for row in rows], rtol=1e-13, atol=1e-13
    )


def test_without_bags_it_is_naive_bayes_bit_for_bit():
    counts, _, codes, _ = small()
    naive = estimate(families(counts, [0, 1, 2], np.full(3, -1)), 1.0)
    assert (log_scores(mixtures(counts, np.zeros((3, 3)), 1.0), codes) == log_joint(naive, codes)).all()


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_both_kernels_agree(seed):
    rng = np.random.default_rng(seed)
    d, k, n = rng.integers(2, 8), rng.integers(2, 12), 40
    cards = rng.integers(1, 6, d)
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    counts = count(codes, rng.integers(0, k, n), tuple(cards.tolist()), int(k))
    weights = parent_weights(conditional_mutual_information(counts), rng.choice([-1.0, 0.05, 0.3]))
    model = mixtures(counts, weights, 1.0)
    unknown = rng.random(codes.shape) < 0.2
    codes = np.where(unknown, cards[:, None], codes).astype(np.uint8)
    one, two = (log_scores(model, codes, kernel=kernel) for kernel in ("numpy", "compiled"))
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)


def test_many_rows_in_blocks_and_threads():
    counts, weights, _, _ = small()
    rng = np.random.default_rng(0)
    codes = np.array([rng.integers(0, v + 1, 5000) for v in counts.cards], dtype=np.uint8)
    model = mixtures(counts, weights, 1.0)
    expected = np.vstack([log_scores(model, codes[:, [row]], kernel="numpy") for row in range(0, 5000, 97)])
    for kernel in ("numpy", "compiled"):
        one = log_scores(model, codes, kernel=kernel, n_threads=1)
        assert (log_scores(model, codes, kernel=kernel, n_threads=3) == one).all()
        np.testing.assert_allclose(one[::97], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kernel", ["numpy", "compiled"])
def test_products_of_many_small_probabilities_do_not_vanish(kernel):
    """Copies of one column: each factor is P(a | a, c), 1/6 for a class without a, and 6^-500 is no float."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2, 3, 4], 40)
    codes = np.tile((y + rng.integers(0, 2, len(y))).astype(np.uint8), (500, 1))
    counts = count(codes, y, (6,) * 500, 5)
    weights = np.roll(np.eye(500), 1, axis=1)  # one member each
    found = log_scores(mixtures(counts, weights, 1e-3), codes, kernel=kernel)
    table = np.diagonal(counts.pair(0, 1), axis1=1, axis2=2)  # n(c, a, a) = n(c, a)
    factor = np.log((table + 1e-3 / 6) / (table + 1e-3))
    expected = np.log((counts.y + 1e-3 / 5) / (200 + 1e-3)) + 500 * factor[:, codes[0]].T
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_sums_of_logarithms_take_as_many_factors_as_a_float_holds():
    values = np.random.default_rng(0).uniform(1e-30, 1, (97, 3, 5))
    values[::2] *= 1e-250
    for smallest in (1e-300, 0.0):
        found = sum_of_logarithms(values, smallest)
        np.testing.assert_allclose(found, np.log(values).sum(axis=0).T, rtol=1e-14)
    np.testing.assert_allclose(
        sum_of_logarithms(values[1::2], 1e-30), np.log(values[1::2]).sum(axis=0).T, rtol=1e-14
    )


def test_unknown_kernel_is_refused():
    counts, weights, codes, _ = small()
    with pytest.raises(DataError, match="kernel must be one of"):
        log_scores(mixtures(counts, weights, 1.0), codes, kernel="magic")


def test_each_mixture_sums_to_one_over_its_states():
    counts, weights, _, _ = small()
    codes = np.array([[0, 1], [2, 2], [1, 1]], dtype=np.uint8)  # all states of the first attribute
    sums = pair_sums(mixtures(counts, weights, 1.0).pairs, codes, codes)
    assert sums[0].sum(axis=1) == pytest.approx(1, abs=1e-14)


def test_counts_travel():
    counts, _, _, _ = small()
    description, arrays = counts.pack()
    assert Counts.unpack(json.loads(json.dumps(description)), arrays) == counts
    with pytest.raises(ValueError, match="pairs"):
        Counts.unpack(description, arrays | {"pairs": arrays["pairs"][1:]})
