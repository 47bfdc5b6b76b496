"""Evidence that leaves several states possible."""

import numpy as np
import pytest

from pgm_nb.engine import questions as soft
from pgm_nb.engine.questions import Possible, possible_states
from pgm_nb.errors import QueryError


def test_combinations_up_to_the_bound_are_looked_at(monkeypatch):
    likelihoods = {"a": np.array([1.0, 0.5, 0.0]), "b": np.array([0.2, 0.4])}  # 2 states; 1 and nothing known
    monkeypatch.setattr(soft, "MOST_COMBINATIONS", 4)
    states, logs = possible_states(likelihoods)
    assert states.tolist() == [[0, 0, 1, 1], [1, 2, 1, 2]]
    assert np.exp(logs) == pytest.approx([0.2, 0.2, 0.1, 0.1], abs=1e-12)
    monkeypatch.setattr(soft, "MOST_COMBINATIONS", 3)
    with pytest.raises(QueryError, match="leaves 4 combinations of states possible, more than the 3 that"):
        possible_states(likelihoods)


def test_a_mixture_weighs_every_combination_by_how_probable_it_is():
    rng = np.random.default_rng(0)
    possible = Possible(np.zeros((1, 3), dtype=np.intp), np.log([0.5, 0.3, 0.1]))
    chances, posteriors = rng.random((4, 3)), rng.dirichlet(np.ones(2), size=(4, 3))
    chances[3] = 0.0
    with np.errstate(divide="ignore"):
        total, mixed = possible.mix(np.log(chances), posteriors)
    weights = chances * [0.5, 0.3, 0.1]
    np.testing.assert_allclose(np.exp(total), weights.sum(axis=1), rtol=0, atol=1e-12)
    shares = np.vstack([weights[:3] / weights[:3].sum(axis=1, keepdims=True), np.full(3, 1 / 3)])
    np.testing.assert_allclose(mixed, (shares[..., None] * posteriors).sum(axis=1), rtol=0, atol=1e-12)
