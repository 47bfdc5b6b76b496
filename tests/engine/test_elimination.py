"""Several parents: unknown cells by enumeration, and the refusal of sums that are too large."""

import itertools

import numpy as np
import pytest

from pgm_nb.engine import elimination, sums
from pgm_nb.engine.elimination import eliminate, sums_of
from pgm_nb.engine.sums import log_joint
from pgm_nb.errors import QueryError
from pgm_nb.tables.factors import Factors


def network_of(prior, columns, parents, tables, names=()):
    first = tuple(above[0] if above else -1 for above in parents)
    return Factors(prior, tuple(columns), first, tuple(tables), tuple(above[1:] for above in parents), names)


def random_network(seed, cards=(2, 3, 2, 3, 2), k=2, most=3):
    rng = np.random.default_rng(seed)
    parents = tuple(
        tuple(map(int, rng.permutation(i)[: rng.integers(0, most + 1)])) for i in range(len(cards))
    )
    tables = []
    for i, above in enumerate(parents):
        table = rng.dirichlet(np.ones(cards[i]), size=(k, *(cards[p] for p in above)))
        tables.append(np.log(table))
    columns = tuple(map(int, rng.permutation(len(cards))))  # the list need not be in column order
    return network_of(np.log(rng.dirichlet(np.ones(k))), columns, parents, tuple(tables)), cards


def full(network, row):
    """P(y, x) of a complete row, by the product of its tables; the row is by position."""
    scores = np.exp(network.log_prior)
    for i, above in enumerate(network.given):
        scores = scores * np.exp(network.tables[i][(slice(None), *(row[p] for p in above), row[i])])
    return scores


@pytest.mark.parametrize("kernel", ["numpy", "compiled"])
@pytest.mark.parametrize("seed", range(12))
def test_every_pattern_of_unknown_cells_by_enumeration(seed, kernel):
    network, cards = random_network(seed)
    whole = {row: full(network, row) for row in itertools.product(*(range(v) for v in cards))}
    patterns = list(itertools.product(*(range(v + 1) for v in cards)))
    codes = np.empty((len(cards), len(patterns)), dtype=np.uint8)
    codes[list(network.columns)] = np.array(patterns).T
    found = np.exp(log_joint(network, codes, kernel))
    for row, scores in zip(patterns, found, strict=True):
        ranges = [range(v) if cell == v else [cell] for cell, v in zip(row, cards, strict=True)]
        expected = sum(whole[one] for one in itertools.product(*ranges))
        np.testing.assert_allclose(scores, expected, rtol=1e-10)


@pytest.mark.parametrize("seed", range(12))
def test_states_of_one_attribute_are_scored_as_row_by_row(seed, monkeypatch):
    network, cards = random_network(seed)
    states = np.array([cards[network.columns.index(c)] for c in range(len(cards))], dtype=np.uint8)
    taken, widest = [], []
    summed = elimination._summed
    monkeypatch.setattr(elimination, "_summed", lambda *a: taken.append(a[1].shape[1]) or summed(*a))
    for known, asked in itertools.permutations(range(len(cards)), 2):
        codes = np.repeat(states[:, None], states[asked], axis=1)
        codes[known], codes[asked] = 1, np.arange(states[asked])[::-1]
        alone = [eliminate(network, codes[:, [i]])[0] for i in range(codes.shape[1])]
        taken.clear()
        np.testing.assert_allclose(eliminate(network, codes), alone, rtol=1e-12)
        widest.append(max(taken))
        with monkeypatch.context() as tight:  # no room for one attribute more
            tight.setattr(elimination, "MOST_CELLS", max(1, sums_of(network, _unknown(network, codes)).cells))
            np.testing.assert_allclose(eliminate(network, codes), alone, rtol=1e-12)
    assert 1 in widest  # one row for all states


def _unknown(network, codes):
    return np.array([codes[c, 0] >= v for c, v in zip(network.columns, network.cards, strict=True)])


def test_terms_of_complete_rows_add_up():
    network, cards = random_network(3)
    codes = np.empty((len(cards), 72), dtype=np.uint8)
    codes[list(network.columns)] = np.array(list(itertools.product(*(range(v) for v in cards)))).T
    total = network.log_prior + sums.terms(network, codes).sum(axis=1)
    np.testing.assert_allclose(total, log_joint(network, codes), rtol=1e-12)


@pytest.mark.parametrize(("most", "rare"), [(1 << 14, 0.0), (30, 0.0), (1 << 14, 1e-250)])
def test_many_attributes_row_by_row(monkeypatch, most, rare):
    """Rows with too large a table, or too near to zero, are left to NumPy."""
    monkeypatch.setattr(sums, "_MOST_ROOM", most)
    rng = np.random.default_rng(5)
    cards = rng.integers(1, 6, 25)
    parents = [tuple(map(int, rng.permutation(i)[: int(rng.integers(0, 3))])) for i in range(25)]
    tables = []
    for i, above in enumerate(parents):
        table = rng.dirichlet(np.ones(cards[i]), (3, *(cards[p] for p in above)))
        table[..., 0] = np.maximum(table[..., 0] * rare, 0) if rare and cards[i] > 1 else table[..., 0]
        tables.append(np.log(table / table.sum(axis=-1, keepdims=True)))
    network = network_of(np.log([0.2, 0.3, 0.5]), tuple(range(25)), tuple(parents), tuple(tables))
    codes = np.array([rng.integers(0, v, 150) for v in cards])
    codes = np.where(rng.random(codes.shape) < 0.4 * rng.random(150), cards[:, None], codes).astype(np.uint8)
    found, expected = (log_joint(network, codes, kernel) for kernel in ("compiled", "numpy"))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    _, left = sums.scores(network, codes, "compiled")
    assert (len(left) > 0) == (most < 100 or rare > 0)


def test_a_sum_that_is_too_large_is_refused():
    """Twelve unknown parents of one known child: a table of 10^12 numbers."""
    d = 13
    alone = tuple(np.log(np.full((1, 10), 0.1)) for _ in range(d - 1))
    parents = (*((),) * (d - 1), tuple(range(d - 1)))
    child = np.broadcast_to(np.log(0.1), (1, *(10,) * d))
    network = network_of(np.zeros(1), tuple(range(d)), parents, (*alone, child), tuple("abcdefghijklm"))
    codes = np.full((d, 1), 10, dtype=np.uint8)
    assert log_joint(network, codes)[0] == pytest.approx(0)  # nothing known: nothing to sum
    codes[-1] = 0
    with pytest.raises(QueryError, match=r"depend on each other are unknown; .*'a', 'b'") as refused:
        log_joint(network, codes)
    assert refused.value.__notes__ == [
        "1,000,000,000,000 combinations of values to add up; 4,194,304 are the most."
    ]


@pytest.mark.parametrize(("unknown", "cells"), [("ab", 6), ("b", 3), ("a", 2), ("abc", 1), ("", 1)])
def test_the_largest_table_of_a_chain(unknown, cells):
    """a, b and c have two, three and five states: at most two of them are in one table."""
    shapes = ((1, 2), (1, 2, 3), (1, 3, 5))
    tables = tuple(np.log(np.full(shape, 1 / shape[-1])) for shape in shapes)
    chain = network_of(np.zeros(1), (0, 1, 2), ((), (0,), (1,)), tables)
    assert sums_of(chain, np.array([name in unknown for name in "abc"])).cells == cells
