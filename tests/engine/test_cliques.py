"""Tables with several mothers: everything against the full joint distribution, to 1e-9."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from pgm_nb.certainty.draws import TableDraws, TablePosterior, drawn_scores, drawn_terms, in_play
from pgm_nb.engine.beliefs import _log_sum, best_states, calibrate
from pgm_nb.engine.sums import embedded, hooks, log_joint, terms, terms_of
from pgm_nb.tables.factors import Factors, estimate, estimate_backoff, estimate_unsmoothed
from pgm_nb.tables.families import Families
from pgm_nb.tables.hierarchical import estimate_hierarchical, smooth
from pgm_nb.training.cells import Layout

CARDS = (2, 3, 2, 3, 2)
K = 2
GIVEN = ((), (0,), (1, 0), (0, 2), (2, 3))  # (0, 2) are together in the cluster of 2, (2, 3) in that of 3
OF_ORDER_5 = ((), (0,), (1, 0), (2, 0, 1), (3, 1, 2))
STATES = np.array(list(itertools.product(*map(range, CARDS)))).T


def some_families(given=GIVEN, seed=0, n=60):
    rng = np.random.default_rng(seed)
    y, codes = rng.integers(0, K, n), np.array([rng.integers(0, v, n) for v in CARDS])
    tables = []
    for i, mothers in enumerate(given):
        table = np.zeros((K, *(CARDS[m] for m in mothers), CARDS[i]), dtype=np.int64)
        np.add.at(table, (y, *(codes[m] for m in mothers), codes[i]), 1)
        tables.append(table)
    first = tuple(mothers[0] if mothers else -1 for mothers in given)
    more = tuple(mothers[1:] for mothers in given)
    return Families(np.bincount(y, minlength=K), tuple(range(5)), first, tuple(tables), more)


def full_joint(factors, size=5):
    """Log P(y, x) of every combination of states, one number at a time, (combinations, k)."""
    found = np.empty((STATES.shape[1], K))
    for r, states in enumerate(STATES.T):
        for y in range(K):
            entries = (
                table[(y, *states[list(mothers)], states[i])]
                for i, (table, mothers) in enumerate(zip(factors.tables, factors.given, strict=True))
                if i < size
            )
            found[r, y] = factors.log_prior[y] + sum(entries)
    return found


ESTIMATES = {
    "hierarchical": estimate_hierarchical,
    "backoff": estimate_backoff,
    "number": lambda families: estimate(families, 1.0),
    "none": lambda families: estimate_unsmoothed(families)[0],
    "repaired": lambda families: estimate_unsmoothed(families)[1],
}


@pytest.fixture(params=[GIVEN, OF_ORDER_5], ids=["order 4", "order 5"])
def families(request):
    return some_families(request.param)


@pytest.mark.parametrize("name", ["hierarchical", "backoff", "number"])
def test_smoothed_tables_are_a_joint_distribution(families, name):
    factors = ESTIMATES[name](families)
    assert np.exp(full_joint(factors)).sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(log_joint(factors, STATES.astype(np.uint8)), full_joint(factors), atol=1e-9)


def test_a_level_leans_on_the_one_above_by_hand():
    counts = np.array([[[[2, 0], [1, 1]], [[0, 0], [3, 1]]]])  # one class, two mothers
    *_, third, fourth = smooth(counts)
    a = fourth.lean.concentration
    assert fourth.estimate[0, 0, 1, 1] == pytest.approx(
        (1 + a * third.estimate[0, 0, 1]) / (2 + a), abs=1e-12
    )


@pytest.mark.parametrize("kernel", ["numpy", "compiled"])
@pytest.mark.parametrize("name", ESTIMATES)
def test_unknown_attributes_are_summed_out(families, name, kernel):
    """Every prefix of the terms is the marginal of the model of the first attributes, those known."""
    factors = ESTIMATES[name](families)
    prefixes = [full_joint(factors, size) for size in range(1, 6)]
    rng = np.random.default_rng(1)
    for _ in range(60):
        hidden, row = rng.random(5) < 0.5, np.array([rng.integers(0, v) for v in CARDS])
        codes = np.where(hidden, CARDS, row)[:, None].astype(np.uint8)
        added = terms(factors, codes, kernel)[0]
        before = factors.log_prior
        for i, joint in enumerate(prefixes):
            unseen = hidden & (np.arange(5) <= i)
            fits = ((np.where(np.arange(5) > i, 0, row) == STATES.T) | unseen).all(axis=1)
            after = np.logaddexp.reduce(joint[fits], axis=0)
            possible = ~np.isneginf(after)
            np.testing.assert_allclose(added[i][possible], after[possible] - before[possible], atol=1e-9)
            assert np.isneginf(added[i][~possible & ~np.isneginf(before)]).all()
            before = after
        possible = ~np.isneginf(before)
        np.testing.assert_allclose(log_joint(factors, codes)[0][possible], before[possible], atol=1e-9)


@pytest.mark.parametrize("kernel", ["numpy", "compiled"])
def test_each_row_is_scored_by_its_own_model(families, kernel):
    several = [estimate(families, 1.0), estimate(families, 5.0)]
    codes = np.array([[0, 2], [1, 1], [2, 0], [1, 3], [0, 2]], dtype=np.uint8)
    found = terms_of(several, np.array([1, 0]), codes, kernel)
    np.testing.assert_allclose(found[0], terms(several[1], codes[:, :1])[0], atol=1e-12)
    np.testing.assert_allclose(found[1], terms(several[0], codes[:, 1:])[0], atol=1e-12)


def test_rows_near_zero_are_taken_apart_in_logs():
    factors = estimate_hierarchical(some_families())
    tiny = [np.where(np.arange(table.shape[-1]) == 0, table, table - 600) for table in factors.tables]
    far = replace(factors, tables=tuple(tiny))
    codes = np.array([[1], [3], [2], [1], [1]], dtype=np.uint8)  # 1 and 2 are unknown, the rest impossible
    found = terms(far, codes, "compiled")
    assert (found.sum(axis=1) < -1500).all()
    np.testing.assert_allclose(found, terms(far, codes, "numpy"), rtol=1e-12)


def test_both_kernels_agree_on_many_attributes():
    rng = np.random.default_rng(4)
    given = [(), (0,), (0, 1)]
    for i in range(3, 40):
        cluster = (*given[j := int(rng.integers(2, i))], j)
        given.append(tuple(int(m) for m in rng.permutation(cluster)[: int(rng.integers(1, 4))]))
    cards = rng.integers(2, 6, 40)
    tables = [
        np.log(rng.dirichlet(np.ones(cards[i]), (3, *(cards[m] for m in mothers))))
        for i, mothers in enumerate(given)
    ]
    first = tuple(mothers[0] if mothers else -1 for mothers in given)
    factors = Factors(
        np.log([0.2, 0.3, 0.5]), tuple(range(40)), first, tuple(tables), tuple(m[1:] for m in given)
    )
    codes = np.array([rng.integers(0, v, 200) for v in cards], dtype=np.uint8)
    codes = np.where(rng.random(codes.shape) < rng.random(200), cards[:, None], codes)
    found = terms(factors, codes, "compiled")
    np.testing.assert_allclose(found, terms(factors, codes, "numpy"), atol=1e-11)


def test_beliefs_of_every_cluster(families):
    factors = estimate_hierarchical(families)
    joint = np.exp(full_joint(factors))
    rng = np.random.default_rng(2)
    evidence = np.log(rng.random((int(factors.starts[-1]), 3)))
    evidence[3, 1] = -np.inf
    beliefs = calibrate(factors, evidence)
    for row in range(3):
        weights = np.ones(STATES.shape[1])
        for i, states in enumerate(STATES):
            weights *= np.exp(evidence[factors.states(i), row])[states]
        posterior = joint * weights[:, None]
        posterior /= posterior.sum()
        np.testing.assert_allclose(beliefs.classes()[row], posterior.sum(axis=0), atol=1e-9)
        for i, mothers in enumerate(factors.given):
            cluster = np.zeros((K, *(CARDS[m] for m in mothers), CARDS[i]))
            for y in range(K):
                np.add.at(cluster[y], (*STATES[list(mothers)], STATES[i]), posterior[:, y])
            np.testing.assert_allclose(beliefs.cluster(i)[row], cluster, atol=1e-9)
            own = cluster.sum(axis=tuple(range(cluster.ndim - 1)))
            np.testing.assert_allclose(beliefs.attribute(i)[row], own, atol=1e-9)
    together = beliefs.together([2, 1])
    assert together.shape == (3, K, 2, 3)
    assert beliefs.together([0, 4]) is None or families.given[4] == (3, 1, 2)


def test_the_most_probable_states(families):
    factors = estimate_hierarchical(families)
    joint = full_joint(factors)
    y, states = best_states(factors, np.zeros((sum(CARDS), 1)), factors.log_prior)
    place = np.unravel_index(joint.argmax(), joint.shape)
    assert (states, y) == (STATES[:, place[0]].tolist(), place[1])


def test_counts_in_a_file_and_in_another_order(families):
    again = Families.unpack(*families.pack())
    assert (again.given, again.mothers) == (families.given, families.mothers)
    other = families.by_relevance()
    for i, column in enumerate(other.columns):
        mothers = tuple(other.columns[m] for m in other.given[i])
        assert mothers == families.given[column]
        assert all(m < i for m in other.given[i])
    np.testing.assert_array_equal(families.together((1, 0)), families.tables[2].sum(axis=-1))


def test_counts_that_do_not_belong_together_are_refused():
    families = some_families()
    tables = (*families.tables[:4], families.tables[4] + 1)
    with pytest.raises(ValueError, match="do not add up"):
        Families(families.y, families.columns, families.mothers, tables, families.others).check()
    apart = Families(
        families.y, families.columns, (-1, 0, 0, 1, 2), families.tables, ((), (), (1,), (2,), (0,))
    )
    with pytest.raises(ValueError, match=r"in one cluster|add up"):
        apart.check()


def test_cells_add_up_state_pairs_and_triple():
    families = some_families()
    layout = Layout(families, [2, 3, 0, 3, 2])
    theta = np.random.default_rng(3).normal(size=(layout.size, K))
    mains, cells = layout.tables(theta)
    whole, (by_first, by_second) = layout.pair[2], layout.each[2]
    expected = (
        theta[layout.main[2][1]] + theta[whole[2, 0, 1]] + theta[by_first[2, 1]] + theta[by_second[0, 1]]
    )
    np.testing.assert_allclose(cells[2][:, 2, 0, 1], expected, atol=1e-12)
    codes = np.array(
        [[0, 0], [2, 3], [1, 1], [0, 0], [1, 1]], dtype=np.uint8
    )  # in the second row 1 is unknown
    added = layout.added(layout.rows(codes), theta)
    known = sum(cells[i][(slice(None), *codes[list(m), 0], codes[i, 0])] for i, m in enumerate(GIVEN))
    np.testing.assert_allclose(added[0], known, atol=1e-12)
    hidden = cells[0][:, 0] + mains[2][:, 1] + cells[3][:, 0, 1, 0] + cells[4][:, 1, 0, 1]
    np.testing.assert_allclose(added[1], hidden, atol=1e-12)


def test_neighbours_are_pulled_together_in_every_direction():
    families = some_families()
    layout = Layout(families, [0, 3, 0, 0, 0])  # only the states of 1 have an order
    theta = np.zeros(layout.size)
    theta[layout.pair[2][1, 0, 0]] = 1.0  # mother 1 in its middle state: two neighbours
    assert theta @ (layout.laplacian @ theta) == 2
    assert layout.laplacian[layout.pair[4].ravel()].nnz == 0  # neither it nor its mothers have an order


def test_drawn_tables_of_clusters():
    families = some_families(n=400)
    draws = TableDraws(TablePosterior(families), 2000)
    assert in_play(families.mothers, [False] * 4 + [True], families.others) == [True] * 5
    weights = [None, np.array([1.0, 1.0, 0.0]), None, None, np.array([0.0, 1.0])]
    prior, evidence = drawn_scores(draws, weights)
    joint = full_joint(estimate(families, 1.0))
    fits = (STATES[1] < 2) & (STATES[4] == 1)
    point = np.logaddexp.reduce(joint[fits], axis=0)
    np.testing.assert_allclose((prior + evidence).mean(axis=1), point, atol=0.15)
    prior, added = drawn_terms(draws, [1, 0, None, None, 0])
    fits = (STATES[0] == 1) & (STATES[1] == 0) & (STATES[4] == 0)
    point = np.logaddexp.reduce(joint[fits], axis=0)
    np.testing.assert_allclose((prior + added.sum(axis=0)).mean(axis=1), point, atol=0.25)


def test_hooks_and_axes():
    assert hooks(GIVEN) == (-1, 0, 1, 2, 3)
    message = np.arange(6.0).reshape(1, 1, 2, 3)
    assert embedded(message, (3, 1), (1, 0, 3)).shape == (1, 1, 3, 1, 2)
    assert embedded(message, (3, 1), (1, 0, 3))[0, 0, 2, 0, 1] == message[0, 0, 1, 2]


@pytest.mark.parametrize("seed", range(4))
def test_evidence_of_any_kind_on_clusters(families, seed):
    """The best states, the tables of clusters and the weights of draws, against the whole joint table."""
    rng = np.random.default_rng(seed)
    factors = estimate(families, 1.0)
    known = [np.log(rng.random(v)) for v in CARDS]
    known[1] = np.array([-np.inf, 0.0, -1.0])
    log_class = factors.log_prior + np.log([0.2, 0.9])
    logs = full_joint(factors) + np.log([0.2, 0.9])
    for i, states in enumerate(STATES):
        logs = logs + known[i][states][:, None]
    row, y = np.unravel_index(int(logs.argmax()), logs.shape)
    flat = np.concatenate(known)[:, None]
    assert best_states(factors, flat, log_class) == (y, STATES[:, row].tolist())
    beliefs = calibrate(factors, flat, np.log([[0.2], [0.9]]))
    chance = np.exp(beliefs.log_evidence[0])
    for position, mothers in enumerate(factors.given):
        cluster = (position, *mothers)
        expected = np.zeros((K, *(CARDS[i] for i in cluster)))
        for y in range(K):
            np.add.at(expected[y], tuple(STATES[list(cluster)]), np.exp(logs[:, y]))
        found = beliefs.together(cluster)[0] * chance
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        above = [np.zeros(1, dtype=int)] * position
        drawn = np.exp(beliefs.log_given(position, np.array([1]), above))[0]
        share = expected[(1, slice(None), *(0 for _ in mothers))]
        if share.sum() > 0:
            np.testing.assert_allclose(drawn / drawn.sum(), share / share.sum(), rtol=0, atol=1e-12)
    assert beliefs.together((0, 4)) is None


def test_sums_over_clusters_of_numbers_far_apart():
    found = _log_sum(np.array([[0.0, -2000.0], [-np.inf, -np.inf], [-3000.0, -3000.0]]), (1,))
    np.testing.assert_allclose(found, [0.0, -np.inf, np.log(2) - 3000], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kernel", ["numpy", "compiled"])
@pytest.mark.parametrize("given", [GIVEN, ((), (0,), (1,), (0,), (3,))])
def test_few_rows_are_read_as_many_are_where_everything_is_known(given, kernel):
    """Tables that are larger than what is read of them are not laid out for it; the entries are the same."""
    several = [estimate(some_families(given, seed), 1.0) for seed in range(3)]
    few, which = STATES[:, ::17], np.arange(STATES[:, ::17].shape[1]) % 3
    many = np.tile(few, 40)
    assert few.size * K < sum(table.size for one in several for table in one.tables) < many.size * K
    expected = terms_of(several, np.tile(which, 40), many, kernel)[: few.shape[1]]
    np.testing.assert_array_equal(terms_of(several, which, few, kernel), expected)
    for row, number in enumerate(which):
        joint = full_joint(several[number])[::17][row]
        np.testing.assert_allclose(expected[row].sum(axis=0) + several[number].log_prior, joint, atol=1e-12)
