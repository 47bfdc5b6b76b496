"""Questions to a junction tree: the most probable states, shared information, samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pgm_nb.arrays import Floats, Places
from pgm_nb.errors import QueryError
from pgm_nb.inference.clique_beliefs import best_states, drawn_logs
from pgm_nb.inference.junction import JunctionTree

__all__ = ["draw_states", "most_probable", "mutual_information", "sample"]


def most_probable(tree: JunctionTree, names: str | Iterable[str] | None = None) -> dict[str, str]:
    """Return the most probable joint states of some variables.

    By default of all whose state is not certain: those of which nothing is known, and those of which several
    states are possible, by a range or by likelihoods. This is the most probable explanation, by max-product
    on the tree. For a part of the variables it is the maximum of their joint posterior, all others summed
    out.
    """
    open_still = [
        name
        for name in tree.variables.names
        if name not in tree.likelihoods or np.count_nonzero(tree.likelihoods[name]) > 1
    ]
    if names is None and not open_still:
        raise QueryError("every variable is given, so none is left to ask about")
    asked = tuple(open_still) if names is None else tree.variables.check(names, tree.evidence)
    if set(asked) == set(open_still):
        best = _best_completion(tree)
        return {name: best[name] for name in asked}
    table = tree.joint(asked)
    place = np.unravel_index(int(table.argmax()), table.shape)
    return {name: tree.variables[name].labels[i] for name, i in zip(asked, place, strict=True)}


def mutual_information(
    tree: JunctionTree, a: str, b: str, given: Mapping[str, Any] | str | Iterable[str] = ()
) -> float:
    """I(a;b | given) in bits under the model; `given` is evidence, or names of variables to condition on."""
    if isinstance(given, Mapping):
        tree = tree.observe(given)
        conditions: tuple[str, ...] = ()
    else:
        conditions = (given,) if isinstance(given, str) else tuple(given)
    names = tree.variables.check((a, b, *conditions), tree.evidence)
    return _information(tree.joint(names))


def _information(joint: Floats) -> float:
    """Return I(A;B | rest) in bits from P(a, b, rest); the sum over the cells, zero where P is."""
    with_a, with_b = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    rest = joint.sum(axis=(0, 1), keepdims=True)
    ratio = np.divide(joint * rest, with_a * with_b, out=np.ones_like(joint), where=joint > 0)
    return max(0.0, float((joint * np.log2(ratio)).sum()))


def sample(tree: JunctionTree, n: int, random_state: int | np.random.Generator | None = None) -> pd.DataFrame:
    """Draw rows from the model given the evidence: the class first, then every child after her mother."""
    if n < 0:
        raise QueryError(f"the number of rows to draw must be at least 0, but is {n}")
    rng = np.random.default_rng(random_state)
    factors, forest = tree.forest.factors, tree.forest
    y = draw_states(np.repeat(tree.beliefs.classes(), n, axis=0), rng)
    cliques = tree.beliefs.cliques
    upward = tree.beliefs.log_below  # log P(evidence at and below x | x, y)
    drawn: list[Places] = []
    for position, (mother, table) in enumerate(zip(factors.mothers, factors.tables, strict=True)):
        if cliques is not None:
            logs = drawn_logs(cliques, position, y, drawn)
        else:
            below = upward[:, forest.states(position), 0][y]
            logs = (table[y] if mother < 0 else table[y, drawn[mother]]) + below
        drawn.append(draw_states(np.exp(logs - logs.max(axis=1, keepdims=True)), rng))
    columns = {tree.variables.target.name: np.array(tree.variables.target.labels, dtype=object)[y]}
    for variable, states in zip(tree.variables.attributes, drawn, strict=True):
        columns[variable.name] = np.array(variable.labels, dtype=object)[states]
    return pd.DataFrame(columns)


def draw_states(weights: Floats, rng: np.random.Generator) -> Places:
    """Draw one state per row in proportion to its weights."""
    bounds = np.cumsum(weights, axis=1)
    thresholds = rng.random(len(weights))[:, None] * bounds[:, -1:]
    states: Places = (bounds <= thresholds).sum(axis=1)
    np.minimum(states, weights.shape[1] - 1, out=states)  # a threshold rounded up to the last bound
    return states


def _best_completion(tree: JunctionTree) -> dict[str, str]:
    """Return the most probable states of all variables by max-product."""
    _ = tree.beliefs  # refuses impossible evidence
    evidence, class_evidence = tree.log_likelihoods()
    factors, forest = tree.forest.factors, tree.forest
    score = factors.log_prior + class_evidence[:, 0]
    if factors.others:
        known = [evidence[forest.states(position), 0] for position in range(len(factors.tables))]
        return _named(tree, *best_states(factors, known, score))
    k = len(score)
    waiting = [
        np.tile(evidence[forest.states(position), 0], (k, 1)) for position in range(len(factors.tables))
    ]
    best_state: list[Places] = [np.empty(0, dtype=np.intp)] * len(waiting)
    for position in reversed(range(len(waiting))):
        table, mother = factors.tables[position], factors.mothers[position]
        logs = table + (waiting[position] if mother < 0 else waiting[position][:, None, :])
        best_state[position] = logs.argmax(axis=-1)
        if mother < 0:
            score = score + logs.max(axis=-1)
        else:
            waiting[mother] += logs.max(axis=-1)
    y = int(score.argmax())
    chosen: list[int] = []
    for position, mother in enumerate(factors.mothers):
        place = best_state[position][y] if mother < 0 else best_state[position][y, chosen[mother]]
        chosen.append(int(place))
    return _named(tree, y, chosen)


def _named(tree: JunctionTree, y: int, chosen: list[int]) -> dict[str, str]:
    """Return the names of a class and of the states of all attributes."""
    result = {tree.variables.target.name: tree.variables.target.labels[y]}
    for variable, state in zip(tree.variables.attributes, chosen, strict=True):
        result[variable.name] = variable.labels[state]
    return result
