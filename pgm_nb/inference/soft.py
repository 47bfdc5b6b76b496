"""Evidence that leaves several states possible, for a posterior of the class that takes one state each.

Let e be what is known for certain, and l(x) the likelihoods of what was observed of an attribute. Then

    P(y | e, l)  =  sum_x P(x | e, l) P(y | e, x),    P(x | e, l) proportional to l(x) P(x | e):

the posterior of the class for every state that is possible, weighed by how probable the state is. What all
likelihoods have in common says nothing: as if, with that share, nothing had been observed. So it is taken
off, and weighs the posterior of the class with the attribute unknown. One state alone gives the posterior of
that state, equal likelihoods the posterior without the attribute, and what lies between is continuous. For
a joint distribution this is its posterior given the likelihoods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.errors import QueryError
from pgm_nb.words import listed

__all__ = ["Possible", "possible_states"]

MOST_COMBINATIONS = 4096  # of states, each of which is looked at


class Possible(NamedTuple):
    """Combinations of states that evidence leaves possible.

    Attributes
    ----------
    states : array (s, m)
        The state of each attribute in each combination; the number of its states means unknown.
    logs : array (m,)
        Log of what each combination is multiplied with, beside how probable it is.
    """

    states: Places
    logs: Floats

    def mix(self, logs: Floats, posteriors: Floats) -> tuple[Floats, Floats]:
        """Sum over the combinations.

        Parameters
        ----------
        logs : array (..., m)
            Log of how probable the combinations are, up to one constant.
        posteriors : array (..., m, k)
            The posterior of the class with each of them.

        Returns
        -------
        array (...), array (..., k)
            Log of how probable the evidence is, up to the same constant, and the posterior of the class.
        """
        weighed = logs + self.logs
        total: Floats = np.logaddexp.reduce(weighed, axis=-1)
        impossible = np.isneginf(total)[..., None]
        shares = np.exp(weighed - np.where(impossible, 0.0, total[..., None]))
        shares = np.where(impossible, 1 / len(self.logs), shares)
        return total, (shares[..., None] * posteriors).sum(axis=-2)


def possible_states(likelihoods: Mapping[str, Floats]) -> Possible:
    """Return the combinations of states that evidence on some attributes leaves possible.

    Parameters
    ----------
    likelihoods : mapping of name to array
        For each attribute the likelihood of every state.

    Examples
    --------
    >>> states, logs = possible_states({"colour": np.array([0.5, 0.2, 0.2])})
    >>> states, np.exp(logs).round(1)  # the first state, or nothing observed
    (array([[0, 3]]), array([0.3, 0.2]))
    """
    weights = []
    for likelihood in likelihoods.values():
        common = likelihood.min()
        weights.append(np.append(likelihood - common, common))
    states = [np.flatnonzero(weight) for weight in weights]
    count = float(np.prod([len(places) for places in states], dtype=float))
    if count > MOST_COMBINATIONS:
        raise QueryError(
            f"the evidence on {listed(list(likelihoods))} leaves {count:,.0f} combinations of states "
            f"possible, more than the {MOST_COMBINATIONS:,} that can be looked at; give one state for some "
            "of them"
        )
    chosen = np.indices([len(places) for places in states], dtype=np.intp).reshape(len(states), int(count))
    logs = np.zeros(int(count))
    for i, (places, weight) in enumerate(zip(states, weights, strict=True)):
        chosen[i] = places[chosen[i]]
        logs += np.log(weight[chosen[i]])
    return Possible(chosen, logs)
