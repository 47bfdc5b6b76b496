"""Hidden parents compiled to pgmpy: a Markov network with an explicit selector variable per bag.

The hidden parent H_i of Ai has the members of its bag as states. With a factor W_i(H_i) and, for each
member j, a factor g(H_i, Ai, Aj, C) that is P(ai | aj, c) where H_i = j and 1 elsewhere, summing H_i out
gives the mixture exactly, in tables of |bag| v_i v_j k cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.inference.variables import Potential, Variables

if TYPE_CHECKING:
    from pgm_nb.models.hidden.mixtures import Mixtures

__all__ = ["hidden_names", "potentials"]


def hidden_names(model: Mixtures, variables: Variables) -> tuple[str, ...]:
    """Name the hidden parents after their attributes, and unlike any variable."""
    names = {*variables.names}
    hidden = []
    for owner in model.owners:
        name = f"hidden parent of {variables.attributes[owner].name}"
        while name in names:
            name += "_"
        names.add(name)
        hidden.append(name)
    return tuple(hidden)


def potentials(model: Mixtures, variables: Variables) -> list[Potential]:
    """Return the factors of the Markov network; P(C | all attributes) in it is the closed formula's."""
    factors = [_alone(model, variables, None)]
    factors += [_alone(model, variables, column) for column in model.naive.columns]
    for place, name in enumerate(hidden_names(model, variables)):
        factors += _bag(model, variables, place, name)
    return factors


def _alone(model: Mixtures, variables: Variables, column: int | None) -> Potential:
    """P(c), or P(ai | c) of an attribute without a bag."""
    if column is None:
        return Potential((variables.target.name,), np.exp(model.log_prior))
    names = (variables.target.name, variables.attributes[column].name)
    return Potential(names, np.exp(model.alone.tables[column]))


def _bag(model: Mixtures, variables: Variables, place: int, hidden: str) -> list[Potential]:
    """W_i(H_i), and g(H_i, Ai, Aj, C) for every member j."""
    counts, m, owner = model.counts, model.smoothing, int(model.owners[place])
    bag = slice(model.starts[place], model.starts[place + 1])
    members = model.members[bag]
    labels = [variables.attributes[j].name for j in members]
    factors = [Potential((hidden,), model.weights[bag], {hidden: labels})]
    for state, j in enumerate(members):
        n = np.moveaxis(counts.pair(owner, int(j)), 0, -1)  # (v_i, v_j, k)
        given = (n + m / len(n)) / (n.sum(axis=0) + m)  # P(ai | aj, c)
        table = np.ones((len(members), *n.shape))
        table[state] = given
        names = (hidden, variables.attributes[owner].name, labels[state], variables.target.name)
        factors.append(Potential(names, table, {hidden: labels}))
    return factors
