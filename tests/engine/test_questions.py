"""Questions to a tree against its joint table; information where some combinations cannot be; samples."""

import numpy as np
import pytest

from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.questions import _information, draw_states, most_probable, mutual_information, sample
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.errors import QueryError
from pgm_nb.tables.factors import Factors


def entropy(table):
    shares = table[table > 0]
    return -float((shares * np.log2(shares)).sum())


@pytest.mark.parametrize("shape", [(2, 3), (3, 2, 4), (2, 2, 2, 3)])
@pytest.mark.parametrize("zeros", [0.0, 0.5])
def test_information_is_a_sum_of_entropies(shape, zeros):
    rng = np.random.default_rng(0)
    for _ in range(5):
        joint = rng.random(shape) * (rng.random(shape) >= zeros)
        joint[(0,) * len(shape)] = 0.1
        joint /= joint.sum()
        rest = joint.sum(axis=(0, 1))
        expected = entropy(joint.sum(axis=1)) + entropy(joint.sum(axis=0)) - entropy(joint) - entropy(rest)
        assert _information(joint) == pytest.approx(expected, abs=1e-12)


def test_two_that_are_always_the_same_share_a_bit():
    assert _information(np.diag([0.5, 0.5])) == 1.0


CARDS, K = (2, 3, 4, 2), 3
FOREST, CLUSTERS = ((-1, 0, 0, 2), ()), ((-1, 0, 0, 2), ((), (), (1,), (0,)))


def random_tree(rng, mothers, others):
    """A tree over four attributes with random tables, and the joint of all of them by multiplication."""
    above = [[m for m in (mother,) if m >= 0] for mother in mothers]
    for more, extra in zip(above, others, strict=False):
        more.extend(extra)
    tables = [
        rng.dirichlet(np.ones(card), size=(K, *(CARDS[m] for m in given)))
        for card, given in zip(CARDS, above, strict=True)
    ]
    prior = rng.dirichlet(np.ones(K))
    factors = Factors(np.log(prior), (0, 1, 2, 3), mothers, tuple(map(np.log, tables)), others)
    attributes = tuple(
        Variable(name, tuple(f"{name}{x}" for x in range(v))) for name, v in zip("abcd", CARDS, strict=True)
    )
    variables = Variables(Variable("y", ("y0", "y1", "y2")), attributes)
    clusters = tuple(
        ("y", *("abcd"[m] for m in given), name) for name, given in zip("abcd", above, strict=True) if given
    )
    joint = np.empty((K, *CARDS))
    for y, *states in np.ndindex(joint.shape):
        joint[(y, *states)] = prior[y] * np.prod(
            [
                table[(y, *(states[m] for m in given), x)]
                for table, given, x in zip(tables, above, states, strict=True)
            ]
        )
    return JunctionTree(variables, (factors), clusters), joint


EVIDENCE = [
    {},
    {"b": "b1"},
    {"d": "d0", "y": {"y0": 0.2, "y1": 1.0, "y2": 0.7}},
    {"c": {"c0": 0.3, "c3": 0.9}, "a": "a1"},
    {"y": "y2", "c": "c1"},
]


def known(joint, evidence):
    """The joint times what the evidence says, scaled to one."""
    for name, said in evidence.items():
        axis = "yabcd".index(name)
        weights = np.zeros(joint.shape[axis])
        for state, weight in (said if isinstance(said, dict) else {said: 1.0}).items():
            weights[int(state[1])] = weight
        joint = joint * weights.reshape([-1 if place == axis else 1 for place in range(5)])
    return joint / joint.sum()


@pytest.mark.parametrize("evidence", EVIDENCE)
@pytest.mark.parametrize(("mothers", "others"), [FOREST, CLUSTERS])
def test_the_most_probable_states_of_all_and_of_some(mothers, others, evidence):
    rng = np.random.default_rng(len(evidence))
    for _ in range(6):
        tree, joint = random_tree(rng, mothers, others)
        seen, joint = tree.observe(evidence), known(joint, evidence)
        best = dict(zip("yabcd", np.unravel_index(joint.argmax(), joint.shape), strict=True))
        certain = [name for name, said in evidence.items() if isinstance(said, str)]
        found = most_probable(seen)  # with what is known by likelihoods
        assert found == {name: f"{name}{best[name]}" for name in "yabcd" if name not in certain}
        some = [name for name in "yb" if name not in evidence][::-1] or ["d"]
        part = joint.sum(axis=tuple("yabcd".index(name) for name in "yabcd" if name not in some)).T
        states = np.unravel_index(part.argmax(), part.shape)
        assert most_probable(seen, some) == {name: f"{name}{x}" for name, x in zip(some, states, strict=True)}


@pytest.mark.parametrize(("mothers", "others"), [FOREST, CLUSTERS])
def test_what_is_known_by_likelihoods_is_summed_out_if_the_others_are_asked_for(mothers, others):
    evidence, asked, unlike = {"c": {"c0": 0.5, "c1": 0.6, "c3": 0.9}}, ("d", "y", "a", "b"), 0
    rng = np.random.default_rng(0)
    for _ in range(20):
        tree, joint = random_tree(rng, mothers, others)
        seen, joint = tree.observe(evidence), known(joint, evidence)
        part = np.einsum(joint, [0, 1, 2, 3, 4], ["yabcd".index(name) for name in asked])
        best = np.unravel_index(part.argmax(), part.shape)
        found = most_probable(seen, asked)
        assert found == {name: f"{name}{state}" for name, state in zip(asked, best, strict=True)}
        unlike += found != {name: state for name, state in most_probable(seen).items() if name != "c"}
    assert unlike > 0  # the best whole case is another one


@pytest.mark.parametrize("evidence", EVIDENCE)
@pytest.mark.parametrize(("mothers", "others"), [FOREST, CLUSTERS])
def test_joint_tables_given_evidence_of_any_kind(mothers, others, evidence):
    tree, joint = random_tree(np.random.default_rng(1), mothers, others)
    seen, joint = tree.observe(evidence), known(joint, evidence)
    for cluster in tree.clusters:
        expected = np.einsum(joint, [0, 1, 2, 3, 4], ["yabcd".index(name) for name in cluster])
        np.testing.assert_allclose(seen.belief(cluster)["probability"], expected.ravel(), rtol=0, atol=1e-12)
    for names in (("a", "c"), ("c", "y", "a"), ("b", "d"), ("y", "d", "b", "a")):
        if not set(names) & set(evidence):
            expected = np.einsum(joint, [0, 1, 2, 3, 4], ["yabcd".index(name) for name in names])
            np.testing.assert_allclose(seen.joint(names), expected, rtol=0, atol=1e-12)


def test_nothing_is_left_to_ask():
    tree, _ = random_tree(np.random.default_rng(0), *FOREST)
    with pytest.raises(QueryError, match="every variable is given"):
        most_probable(tree.observe({"y": "y0", "a": "a0", "b": "b0", "c": "c0", "d": "d0"}))


def test_information_given_a_state_or_a_variable():
    tree, joint = random_tree(np.random.default_rng(2), *FOREST)
    three = joint.sum(axis=(3, 4))  # y, a, b
    given = three.transpose(1, 2, 0)
    assert mutual_information(tree, "a", "b", "y") == pytest.approx(_information(given), abs=1e-12)
    assert mutual_information(tree, "a", "b", ["y"]) == pytest.approx(_information(given), abs=1e-12)
    state = given[..., 1] / given[..., 1].sum()
    assert mutual_information(tree, "a", "b", {"y": "y1"}) == pytest.approx(_information(state), abs=1e-12)


class Dice:
    """A generator that throws what it is told."""

    def __init__(self, *throws):
        self.throws = np.array(throws)

    def random(self, n):
        assert n == len(self.throws)
        return self.throws


def test_a_state_is_drawn_by_its_share():
    weights = np.tile([1.0, 2.0, 1.0], (7, 1))
    throws = Dice(0.0, 0.2, 0.25, 0.7, 0.75, 0.99, 1.0)  # the last as if rounded up
    assert draw_states(weights, throws).tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert draw_states(np.array([[0.0, 1.0]]), Dice(0.0)).tolist() == [1]  # what cannot be is never drawn


@pytest.mark.parametrize("evidence", EVIDENCE[1:4])
@pytest.mark.parametrize(("mothers", "others"), [FOREST, CLUSTERS])
def test_rows_are_drawn_as_often_as_they_are_probable(mothers, others, evidence):
    tree, joint = random_tree(np.random.default_rng(3), mothers, others)
    drawn, n = sample(tree.observe(evidence), 4000, 0), 4000
    joint = known(joint, evidence)
    codes = [drawn[name].str[1:].astype(int).to_numpy() for name in "yabcd"]
    counts = np.zeros(joint.shape)
    np.add.at(counts, tuple(codes), 1)
    assert not counts[joint == 0].any()
    for pair in ((0, 1), (1, 2), (1, 3), (2, 3), (3, 4), (0, 4)):
        shares = np.einsum(joint, [0, 1, 2, 3, 4], list(pair))
        found = np.einsum(counts, [0, 1, 2, 3, 4], list(pair)) / n
        assert (np.abs(found - shares) <= 4.5 * np.sqrt(shares * (1 - shares) / n) + 1e-12).all()


def test_no_row_may_be_drawn_but_not_fewer():
    tree, _ = random_tree(np.random.default_rng(0), *FOREST)
    assert list(sample(tree, 0).columns) == ["y", "a", "b", "c", "d"]
    assert len(sample(tree, 0)) == 0
    with pytest.raises(QueryError, match="must be at least 0, but is -1"):
        sample(tree, -1)


@pytest.mark.parametrize(("mothers", "others"), [FOREST, CLUSTERS])
def test_rows_are_drawn_although_what_is_known_is_hardly_possible(mothers, others):
    tree, joint = random_tree(np.random.default_rng(4), mothers, others)
    evidence = {"b": {"b0": 1.0, "b2": 2.0}}
    shares = known(joint, evidence).sum(axis=(0, 1, 3, 4))
    drawn = sample(tree.observe({"b": {"b0": 1e-250, "b2": 2e-250}}), 2000, 0)["b"]
    assert (drawn == "b2").mean() == pytest.approx(shares[2], abs=4.5 * np.sqrt(0.25 / 2000))
    assert set(drawn) == {"b0", "b2"}
