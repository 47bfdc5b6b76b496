"""The most probable joint state of many variables: attributes are maximised out one at a time.

It is what summing out does, with the largest value in place of the sum; the states that gave it are read off
on the way back. The attribute whose table is smallest is taken out first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.errors import QueryError
from pgm_nb.inference.elimination import Network
from pgm_nb.words import listed

__all__ = ["MOST_CELLS", "Factor", "best_states", "network_factors"]

MOST_CELLS = 1 << 22  # of a table that is looked at

Factor = tuple[tuple[int, ...], Floats]  # the variables of its axes, and logs


def best_states(
    factors: Sequence[Factor], cards: Mapping[int, int], names: Sequence[str] = ()
) -> tuple[float, dict[int, int]]:
    """Return the largest sum of log factors, and the states that reach it.

    Parameters
    ----------
    factors : sequence of (variables, array)
        Logs, one axis for each variable.
    cards : mapping of int to int
        The number of states of every variable whose state is wanted.
    names : sequence of str
        What the variables are called, for errors.

    Raises
    ------
    QueryError
        If a table of more than `MOST_CELLS` numbers would be needed.

    Examples
    --------
    >>> chance = np.log([[0.9, 0.1], [0.2, 0.8]])  # P(b | a)
    >>> value, states = best_states([((0,), np.log([0.5, 0.5])), ((0, 1), chance)], {0: 2, 1: 2})
    >>> round(float(np.exp(value)), 3), states
    (0.45, {0: 0, 1: 0})
    """
    left = [factor for factor in factors if factor[0]]
    total = sum(float(logs) for scope, logs in factors if not scope)
    steps: list[tuple[int, tuple[int, ...], Places]] = []
    waiting = dict(cards)
    while waiting:
        beside = {v: _beside(v, left) for v in waiting}
        chosen = min(waiting, key=lambda v: (prod(cards[u] for u in beside[v]) * cards[v], v))
        scope = (*beside[chosen], chosen)
        if (cells := prod(cards[u] for u in scope)) > MOST_CELLS:
            unknown = listed([names[v] if names else str(v) for v in sorted(waiting)])
            raise QueryError(
                f"too many attributes that depend on each other are unknown ({unknown}), and a table of "
                f"{cells:,} combinations would be needed; set values of some of them"
            )
        table = np.zeros([cards[u] for u in scope])
        for variables, logs in left:
            if chosen in variables:
                table = table + _laid(variables, logs, scope)
        left = [factor for factor in left if chosen not in factor[0]]
        steps.append((chosen, scope[:-1], table.argmax(axis=-1)))
        best = table.max(axis=-1)
        if scope[:-1]:
            left.append((scope[:-1], best))
        else:
            total += float(best)
        del waiting[chosen]
    states: dict[int, int] = {}
    for variable, others, choice in reversed(steps):
        states[variable] = int(choice[tuple(states[u] for u in others)])
    return total, {v: states[v] for v in cards}


def _beside(variable: int, factors: Sequence[Factor]) -> tuple[int, ...]:
    """Return the variables that share a factor with one of them."""
    found = {v for scope, _ in factors if variable in scope for v in scope}
    return tuple(sorted(found - {variable}))


def _laid(variables: tuple[int, ...], logs: Floats, scope: tuple[int, ...]) -> Floats:
    """Return a factor with an axis for every variable of a scope, of length one where it has none."""
    order = sorted(range(len(variables)), key=lambda axis: scope.index(variables[axis]))
    found = logs.transpose(order)
    present = [variables[axis] for axis in order]
    return found.reshape([found.shape[present.index(v)] if v in present else 1 for v in scope])


def network_factors(network: Network, place: int) -> list[Factor]:
    """Return log P(y, x) of one class of a network as a sum of tables over columns.

    Examples
    --------
    >>> from pgm_nb.inference.elimination import Network
    >>> found = Network(np.log([0.3, 0.7]), (4,), ((),), (np.log([[0.5, 0.5], [0.1, 0.9]]),))
    >>> [(scope, np.exp(logs).round(2).tolist()) for scope, logs in network_factors(found, 1)]
    [((), 0.7), ((4,), [0.1, 0.9])]
    """
    factors: list[Factor] = [((), np.asarray(network.log_prior[place]))]
    for position, (parents, table) in enumerate(zip(network.parents, network.tables, strict=True)):
        family = (*parents, position)
        factors.append((tuple(network.columns[member] for member in family), table[place]))
    return factors
