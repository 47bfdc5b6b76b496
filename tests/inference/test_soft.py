"""Evidence that leaves several states possible."""

import numpy as np
import pytest

from pgm_nb.errors import QueryError
from pgm_nb.inference import soft
from pgm_nb.inference.soft import possible_states


def test_combinations_up_to_the_bound_are_looked_at(monkeypatch):
    likelihoods = {"a": np.array([1.0, 0.5, 0.0]), "b": np.array([0.2, 0.4])}  # 2 states; 1 and nothing known
    monkeypatch.setattr(soft, "MOST_COMBINATIONS", 4)
    states, logs = possible_states(likelihoods)
    assert states.tolist() == [[0, 0, 1, 1], [1, 2, 1, 2]]
    assert np.exp(logs) == pytest.approx([0.2, 0.2, 0.1, 0.1], abs=1e-12)
    monkeypatch.setattr(soft, "MOST_COMBINATIONS", 3)
    with pytest.raises(QueryError, match="leaves 4 combinations of states possible, more than the 3 that"):
        possible_states(likelihoods)
