"""Hidden parents compiled to pgmpy: a Markov network with an explicit selector variable per bag.

The hidden parent H_i of Ai has the members of its bag as states. With a factor W_i(H_i) and, for each
member j, a factor g(H_i, Ai, Aj, C) that is P(ai | aj, c) where H_i = j and 1 elsewhere, summing H_i out
gives the mixture exactly, in tables of |bag| v_i v_j k cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteMarkovNetwork

    from pgm_nb.inference.arrays import Floats
    from pgm_nb.inference.hidden import Mixtures
    from pgm_nb.inference.variables import Variables

__all__ = ["hidden_names", "to_markov_network"]


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


def to_markov_network(model: Mixtures, variables: Variables) -> DiscreteMarkovNetwork:
    """Compile to pgmpy; P(C | all attributes) by its inference, once normalised, is the closed formula's."""
    from itertools import combinations

    from pgmpy.models import DiscreteMarkovNetwork

    factors = [_alone(model, variables, None)]
    factors += [_alone(model, variables, column) for column in model.naive.columns]
    for place, name in enumerate(hidden_names(model, variables)):
        factors += _bag(model, variables, place, name)
    network = DiscreteMarkovNetwork()
    network.add_nodes_from(variables.names)
    for factor in factors:
        network.add_edges_from(combinations(factor.variables, 2))
    network.add_factors(*factors)
    network.check_model()
    return network


def _alone(model: Mixtures, variables: Variables, column: int | None) -> DiscreteFactor:
    """P(c), or P(ai | c) of an attribute without a bag."""
    if column is None:
        return _factor(variables, (variables.target.name,), np.exp(model.log_prior))
    names = (variables.target.name, variables.attributes[column].name)
    return _factor(variables, names, np.exp(model.alone.tables[column]))


def _bag(model: Mixtures, variables: Variables, place: int, hidden: str) -> list[DiscreteFactor]:
    """W_i(H_i), and g(H_i, Ai, Aj, C) for every member j."""
    counts, m, owner = model.counts, model.smoothing, int(model.owners[place])
    bag = slice(model.starts[place], model.starts[place + 1])
    members = model.members[bag]
    labels = [variables.attributes[j].name for j in members]
    factors = [_factor(variables, (hidden,), model.weights[bag], {hidden: labels})]
    for state, j in enumerate(members):
        n = np.moveaxis(counts.pair(owner, int(j)), 0, -1)  # (v_i, v_j, k)
        given = (n + m / len(n)) / (n.sum(axis=0) + m)  # P(ai | aj, c)
        table = np.ones((len(members), *n.shape))
        table[state] = given
        names = (hidden, variables.attributes[owner].name, labels[state], variables.target.name)
        factors.append(_factor(variables, names, table, {hidden: labels}))
    return factors


def _factor(
    variables: Variables, names: tuple[str, ...], table: Floats, labels: dict[str, list[str]] | None = None
) -> DiscreteFactor:
    from pgmpy.factors.discrete import DiscreteFactor

    states = labels or {}
    states = {name: states[name] if name in states else list(variables[name].labels) for name in names}
    return DiscreteFactor(list(names), list(table.shape), table, state_names=states)
