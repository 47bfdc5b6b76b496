"""Factors: golden scores, unknown attributes against enumeration, pgmpy, and very many attributes."""

import itertools
import json
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.engine.sums import log_joint, normalise
from pgm_nb.errors import DataError
from pgm_nb.information import information
from pgm_nb.learning import greedy, optimal, tan
from pgm_nb.tables.factors import (
    EVEN,
    EVEN_ALONE,
    WEIGHTS,
    Factors,
    backoff_weight,
    estimate,
    estimate_backoff,
    estimate_unsmoothed,
)
from pgm_nb.tables.families import Families, families

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "wdbc_predictions.json").read_text())
SEARCHES = {"greedy": greedy, "optimal": optimal, "tan": tan}
NAMES = tuple(f"x{i}" for i in range(30))


def minus_infinity_for_null(rows):
    return np.array([[-np.inf if v is None else v for v in row] for row in rows])


def mothers_of(graph, names):
    column = {name: i for i, name in enumerate(names)}
    mothers = np.full(len(names), -1)
    for child, mother in graph.mothers.items():
        mothers[column[child]] = column[mother]
    return mothers


@pytest.fixture(scope="module")
def halves(wdbc_codes):
    """Train on the even rows, test on the odd ones."""
    codes, y = wdbc_codes
    counts = count(np.ascontiguousarray(codes[:, ::2]), y[::2], (5,) * 30, 2)
    return counts, codes[:, 1::2], y[1::2]


@pytest.mark.parametrize("name", SEARCHES)
class TestGoldenWdbc:
    def fit(self, name, counts):
        graph, _ = SEARCHES[name](information(counts), NAMES, "y")
        return families(counts, range(30), mothers_of(graph, NAMES))

    def test_unsmoothed_scores_and_their_repair(self, name, halves):
        counts, codes, y = halves
        golden = GOLDEN[name]
        empirical, repaired = estimate_unsmoothed(self.fit(name, counts))
        scores = log_joint(empirical, codes)
        np.testing.assert_allclose(
            scores[:60], minus_infinity_for_null(golden["unsmoothed"]), rtol=0, atol=1e-9
        )
        impossible = np.isneginf(scores).all(axis=1)
        assert np.flatnonzero(impossible).tolist() == golden["impossible_rows"]
        scores[impossible] = log_joint(repaired, codes[:, impossible])
        np.testing.assert_allclose(
            scores[:60], minus_infinity_for_null(golden["repaired"]), rtol=0, atol=1e-9
        )
        assert np.mean(scores.argmax(axis=1) == y) == golden["accuracy"]

    def test_laplace_scores_on_a_given_root(self, name, halves):
        counts, codes, _ = halves
        mothers = rooted(GOLDEN[name]["edges"], root=0)
        factors = estimate(families(counts, range(30), mothers), 5.0)  # m/v = 1: one row per state
        log_prior = np.log((counts.y + 1) / (counts.y.sum() + 2))  # the golden file's own prior
        scores = log_joint(factors, codes[:, :20]) - factors.log_prior + log_prior
        np.testing.assert_allclose(scores, GOLDEN[name]["laplace_rooted_at_column_0"], rtol=0, atol=1e-9)


def rooted(edges, root):
    mothers = np.full(len(edges) + 1, -1)
    reached = [root]
    for node in reached:
        for a, b in edges:
            for near, far in ((a, b), (b, a)):
                if near == node and far not in reached:
                    mothers[far] = near
                    reached.append(far)
    return mothers


def test_naive_bayes_equals_scikit_learn(halves, wdbc_codes):
    from sklearn.naive_bayes import CategoricalNB

    counts, codes, _ = halves
    factors = estimate(families(counts, range(30), np.full(30, -1)), 5.0)  # m/v = 1 is alpha = 1
    empirical_prior = np.log(counts.y / counts.y.sum())  # scikit-learn does not smooth the prior
    posterior = np.exp(
        normalise(log_joint(factors, codes) - factors.log_prior + empirical_prior, empirical_prior)
    )
    np.testing.assert_allclose(posterior[:60], GOLDEN["categorical_nb"], rtol=0, atol=1e-12)
    all_codes, y = wdbc_codes
    peer = CategoricalNB(alpha=1.0, min_categories=5).fit(all_codes[:, ::2].T, y[::2])
    np.testing.assert_allclose(posterior, peer.predict_proba(codes.T), rtol=0, atol=1e-12)


def random_problem(seed, d, k=2, largest=4, n=40):
    rng = np.random.default_rng(seed)
    cards = tuple(int(v) for v in rng.integers(1, largest + 1, d))
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    y = np.r_[np.arange(k), rng.integers(0, k, n - k)]
    mothers = np.array([-1 if i == 0 or rng.random() < 0.2 else rng.integers(0, i) for i in range(d)])
    return rng, count(codes, y, cards, k), cards, codes, mothers


def enumerated(factors, cards, code):
    """Sum the joint over every completion of a row."""
    d = len(cards)
    states = [range(v) if c >= v else (c,) for c, v in zip(code, cards, strict=True)]
    whole = np.array(list(itertools.product(*states)), dtype=np.uint8).T.reshape(d, -1)
    return np.logaddexp.reduce(log_joint(factors, whole), axis=0)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 3))
@settings(max_examples=80)
def test_unknown_attributes_are_summed_out_exactly(seed, d, k):
    rng, counts, cards, codes, mothers = random_problem(seed, d, k)
    fit = families(counts, range(d), mothers)
    rows = codes[:, :6].copy()
    hidden = rng.random(rows.shape) < 0.5
    rows[hidden] = np.broadcast_to(np.array(cards, dtype=np.uint8)[:, None], rows.shape)[hidden]
    for factors in (estimate(fit, 1.0), *estimate_unsmoothed(fit)):
        expected = [enumerated(factors, cards, row) for row in rows.T]
        np.testing.assert_allclose(log_joint(factors, rows), expected, rtol=0, atol=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 5))
@settings(max_examples=40)
def test_smoothed_joint_sums_to_one(seed, d):
    _, counts, cards, _, mothers = random_problem(seed, d, k=3)
    factors = estimate(families(counts, range(d), mothers), 0.5)
    nothing_known = np.array(cards, dtype=np.uint8)[:, None]
    assert np.exp(log_joint(factors, nothing_known)).sum() == pytest.approx(1, abs=1e-12)


def test_the_numbers_of_states_are_worked_out_once():
    """Prediction asks for them at every attribute: it would take the square of the attributes otherwise."""
    factors = Factors(np.log([0.5, 0.5]), (0, 1), (-1, 0), (np.zeros((2, 3)), np.zeros((2, 3, 4))))
    assert factors.cards.tolist() == [3, 4]
    assert factors.cards is factors.cards


def test_estimates_by_hand():
    # two rows of class 0 and one of class 1; x follows u
    codes = np.array([[0, 1, 1], [0, 1, 0]], dtype=np.uint8)
    counts = count(codes, np.array([0, 0, 1]), (2, 2), 2)
    fit = families(counts, [0, 1], np.array([-1, 0]))
    assert fit.tables[1].tolist() == [[[1, 0], [0, 1]], [[0, 0], [1, 0]]]

    plain = estimate(fit, 1.0)
    assert np.exp(plain.log_prior) == pytest.approx([2.5 / 4, 1.5 / 4])
    assert np.exp(plain.tables[0]).tolist() == [pytest.approx([0.5, 0.5]), pytest.approx([0.25, 0.75])]
    assert np.exp(plain.tables[1][0, 0]) == pytest.approx([1.5 / 2, 0.5 / 2])
    assert np.exp(plain.tables[1][1, 0]) == pytest.approx([0.5, 0.5])  # no such mother: 1/v

    empirical, repaired = estimate_unsmoothed(fit)
    assert np.exp(empirical.tables[1][0]).tolist() == [[1, 0], [0, 1]]
    assert np.exp(repaired.tables[1][0]).tolist() == [[1, 0.5], [0.5, 1]]  # P(x|y=0) = 1/2
    # class 1 never had x=1: a zero P(x|y) becomes P(x) = 1/3
    assert np.exp(repaired.tables[1][1, 1]) == pytest.approx([1, 1 / 3])


def test_two_thousand_attributes_do_not_underflow():
    rng = np.random.default_rng(0)
    d, n = 2000, 60
    y = np.arange(n) % 2
    codes = ((rng.random((d, n)) < 0.3) ^ y).astype(np.uint8)
    counts = count(codes, y, (2,) * d, 2)
    chain = estimate(families(counts, range(d), np.arange(-1, d - 1)), 1.0)
    rows = codes[:, :4].copy()
    rows[::3, 2:] = 2  # every third attribute unknown
    scores = log_joint(chain, rows)
    assert np.isfinite(scores).all()
    assert scores.max() < -300
    posterior = np.exp(normalise(scores, chain.log_prior))
    assert posterior.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert posterior.argmax(axis=1).tolist() == [0, 1, 0, 1]


def test_wide_tables_do_not_change_the_answer():
    """Blocks of messages shrink when tables are large; the result does not notice."""
    rng = np.random.default_rng(1)
    cards, n = (200, 150), 500
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    factors = estimate(families(count(codes, np.arange(n) % 2, cards, 2), [0, 1], np.array([-1, 0])), 1.0)
    codes[0] = 200
    assert log_joint(factors, codes)[:5] == pytest.approx(
        np.array([log_joint(factors, codes[:, i : i + 1])[0] for i in range(5)]), abs=1e-12
    )
    by_hand = np.logaddexp.reduce(factors.tables[0] + factors.tables[1][:, :, codes[1, 0]], axis=1)
    assert log_joint(factors, codes[:, :1])[0] == pytest.approx(factors.log_prior + by_hand, abs=1e-12)


def test_tables_can_be_listed_in_another_order():
    rng = np.random.default_rng(5)
    root, child, other = (
        np.log(rng.dirichlet(np.ones(3), 2)),
        rng.dirichlet(np.ones(4), (2, 3)),
        rng.dirichlet([1, 1], 2),
    )
    factors = Factors(np.log([0.3, 0.7]), (1, 0, 2), (-1, 0, -1), (root, np.log(child), np.log(other)))
    listed = factors.in_order([2, 1, 0])
    assert (listed.columns, listed.mothers) == ((2, 1, 0), (-1, -1, 1))
    codes = np.array(np.meshgrid(range(5), range(4), range(3))).reshape(3, -1).astype(np.uint8)
    np.testing.assert_allclose(log_joint(listed, codes), log_joint(factors, codes), rtol=0, atol=1e-13)


# Backing off, against numbers by hand and against rows that are truly left out.

TABLES = arrays.arrays(np.int64, (2, 3, 4), elements=st.integers(0, 9))


def one_family(counts):
    return Families(counts.sum(axis=(1, 2)), (0, 1), (-1, 0), (counts.sum(axis=2), counts))


def by_hand(counts):
    """P(x|u,y) cell by cell, with the weight found by leaving out one row after the other."""
    k, _, v = counts.shape
    alone = np.array(
        [[(counts[y, :, x].sum() + EVEN_ALONE / v) / (counts[y].sum() + EVEN_ALONE) for x in range(v)]
         for y in range(k)]
    )  # fmt: skip

    def estimate(table, y, m, x, a):
        return (table[y, m, x] + a * alone[y, x] + EVEN / v) / (table[y, m].sum() + a + EVEN)

    def likelihood(a):
        total = 0.0
        for cell in np.argwhere(counts > 0):
            left = counts.copy()
            left[tuple(cell)] -= 1
            total += counts[tuple(cell)] * np.log(estimate(left, *cell, a))
        return total

    scores = [likelihood(a) for a in WEIGHTS]
    return alone, np.array(scores), estimate


@settings(max_examples=60)
@given(TABLES)
def test_the_weight_makes_left_out_rows_most_likely(counts):
    alone, scores, _ = by_hand(counts)
    chosen = WEIGHTS.index(backoff_weight(counts, alone))
    assert scores[chosen] == pytest.approx(scores.max(), abs=1e-9)


@settings(max_examples=60)
@given(TABLES)
def test_the_tables_are_those_of_the_formula(counts):
    factors = estimate_backoff(one_family(counts))
    alone, _, estimate = by_hand(counts)
    a = backoff_weight(counts, alone)
    expected = [[[estimate(counts, y, m, x, a) for x in range(4)] for m in range(3)] for y in range(2)]
    np.testing.assert_allclose(np.exp(factors.tables[1]), expected, rtol=1e-12)
    for table in factors.tables:
        np.testing.assert_allclose(np.exp(table).sum(axis=-1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(factors.log_prior).sum(), 1.0, rtol=1e-12)


def test_one_cell_by_hand():
    counts = np.array([[[3, 1], [0, 2]]])  # one class, two states of the mother
    alone = np.array([[(3 + 2.5) / 11, (3 + 2.5) / 11]])
    assert backoff_weight(counts, alone) == 1.0  # log-likelihood -3.9433, the largest of the ten
    table = np.exp(estimate_backoff(one_family(counts)).tables[1])
    assert table[0, 0, 0] == pytest.approx((3 + 1.0 * 0.5 + 1) / (4 + 1.0 + 2))


def test_naive_bayes_has_five_even_rows():
    X, y = pnb.load_sample("iris")
    back = pnb.NaiveBayes(smoothing="backoff").fit(X, y)
    plain = pnb.NaiveBayes(smoothing=EVEN_ALONE).fit(X, y)
    for table, other in zip(back.factors_.tables, plain.factors_.tables, strict=True):
        np.testing.assert_allclose(table, other, rtol=1e-12)


def test_other_words_are_refused():
    X, y = pnb.load_sample("iris")
    with pytest.raises(DataError, match=r"'hierarchical', 'backoff', a positive number from .* or None"):
        pnb.TreeAugmentedNaiveBayes(smoothing="back-off").fit(X, y)
    with pytest.raises(DataError, match="a positive number"):
        pnb.HiddenNaiveBayes(smoothing="backoff").fit(X, y)


@pytest.mark.parametrize("far", [0.0, -1.7e8, -1e17, 1e17])
def test_posteriors_sum_to_one_however_far_the_scores_are_from_zero(far):
    posterior = np.exp(
        normalise(np.array([[far, far], [far, -np.inf], [-np.inf, -np.inf]]), np.log([0.25, 0.75]))
    )
    assert posterior == pytest.approx(np.array([[0.5, 0.5], [1.0, 0.0], [0.25, 0.75]]), abs=1e-15)


def test_sums_that_underflow_are_made_in_logs():
    """The only state that the mother allows is one that the children make all but impossible."""
    far = -900.0  # its exponential is zero
    chances = np.log([[[1.0, 1e-300], [0.5, 0.5]]])
    chances[0, 0, 0] = -np.inf
    children = np.array([[[0.0, -1.0], [far, far - 1.0]]])
    prior = np.array([[np.log(0.25), np.log(0.75)]])
    factors = Factors(np.zeros(1), (0, 1, 2), (-1, 0, 1), (prior, chances, children))
    codes = np.array([[0, 1], [2, 2], [0, 1]], dtype=np.uint8)
    expected = [
        prior[0, 0] + chances[0, 0, 1] + far,
        prior[0, 1] + np.logaddexp(np.log(0.5) - 1.0, np.log(0.5) + far - 1.0),
    ]
    np.testing.assert_allclose(log_joint(factors, codes)[:, 0], expected, rtol=1e-15)


def test_a_thousand_states_and_gaps_take_little_time():
    rng = np.random.default_rng(0)
    table = np.log(rng.dirichlet(np.ones(1000), size=(2, 1000)))
    prior = np.log(rng.dirichlet(np.ones(1000), size=2))
    factors = Factors(np.log([0.5, 0.5]), (0, 1, 2), (-1, 0, 1), (prior, table, table))
    codes = rng.integers(0, 1001, (3, 200)).astype(np.uint16)
    codes[1, ::2] = 1000
    begun = process_time()
    log_joint(factors, codes)
    assert process_time() - begun < 5.0  # one row after the other took eighteen seconds


@pytest.mark.parametrize("weight", [1, 0.1])
def test_unsmoothed_tables_are_frequencies_however_small_the_weights(weight):
    """A mother's state with less than one row's weight: her column is still a distribution."""
    pair = np.array([[[3, 1, 0], [0, 0, 0]], [[1, 0, 1], [2, 3, 0]]]) * weight
    chain = Families(pair.sum(axis=(1, 2)), (0, 1), (-1, 0), (pair.sum(axis=2), pair))
    empirical, repaired = (np.exp(factors.tables[1]) for factors in estimate_unsmoothed(chain))
    expected = [[[0.75, 0.25, 0], [0, 0, 0]], [[0.5, 0, 0.5], [0.4, 0.6, 0]]]
    np.testing.assert_allclose(empirical, expected, atol=1e-12)
    # a zero becomes P(x|y), and P(x) = 1/11 for the third state, which no row of the first class has
    mended = [[[0.75, 0.25, 1 / 11], [0.75, 0.25, 1 / 11]], [[0.5, 3 / 7, 0.5], [0.4, 0.6, 1 / 7]]]
    np.testing.assert_allclose(repaired, mended, atol=1e-12)


@pytest.mark.parametrize("times", [1, 5])
def test_complete_rows_read_one_entry_per_attribute_with_any_number_of_mothers(times):
    """Few rows are looked up all at once, many attribute by attribute."""
    rng, cards, given = np.random.default_rng(0), (2, 3, 2, 2), ((), (0,), (0, 1), (1, 0, 2))
    tables = [
        rng.normal(size=(2, *(cards[m] for m in above), v)) for above, v in zip(given, cards, strict=True)
    ]
    factors = Factors(np.log([0.3, 0.7]), (0, 1, 2, 3), (-1, 0, 0, 1), tuple(tables), ((), (), (1,), (0, 2)))
    codes = np.tile(np.array([*np.ndindex(cards)], dtype=np.uint8).T, times)
    found = log_joint(factors, codes)
    for row, x in enumerate(codes.T.tolist()):
        entries = [
            table[(slice(None), *(x[m] for m in above), x[i])]
            for i, (table, above) in enumerate(zip(tables, given, strict=True))
        ]
        np.testing.assert_allclose(found[row], np.log([0.3, 0.7]) + sum(entries), rtol=0, atol=1e-12)
