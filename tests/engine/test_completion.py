"""The most probable joint state, against looking at every combination."""

import itertools

import numpy as np
import pytest

from pgm_nb.engine import elimination
from pgm_nb.engine.elimination import best_states
from pgm_nb.errors import QueryError


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_best_of_all_combinations(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 7))
    cards = {v: int(rng.integers(2, 4)) for v in range(d)}
    factors = [((), np.array(rng.normal()))]
    for _ in range(d + 2):
        scope = tuple(int(v) for v in rng.permutation(d)[: rng.integers(1, min(d, 3) + 1)])
        factors.append((scope, rng.normal(size=[cards[v] for v in scope])))

    def score(states):
        return sum(logs[tuple(states[v] for v in scope)] for scope, logs in factors)

    every = {states: score(states) for states in itertools.product(*(range(cards[v]) for v in range(d)))}
    value, states = best_states(factors, cards)
    assert value == pytest.approx(max(every.values()), abs=1e-9)
    assert every[tuple(states[v] for v in range(d))] == pytest.approx(value, abs=1e-9)


def test_what_is_impossible_is_passed_over():
    with np.errstate(divide="ignore"):
        pair = np.log([[0.0, 0.2], [0.7, 0.0]])
        value, states = best_states([((3, 5), pair), ((3,), np.log([1.0, 0.1]))], {3: 2, 5: 2})
        assert (round(float(np.exp(value)), 9), states) == (0.2, {3: 0, 5: 1})
        assert best_states([((0,), np.log([0.0, 0.0]))], {0: 2})[0] == -np.inf


def test_too_large_a_table_is_refused_with_the_names(monkeypatch):
    monkeypatch.setattr(elimination, "MOST_CELLS", 8)
    with pytest.raises(QueryError, match=r"unknown \(age, dose\).*9 combinations.*set values of some"):
        best_states([((0, 1), np.zeros((3, 3)))], {0: 3, 1: 3}, ["age", "dose"])
