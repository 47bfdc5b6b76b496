"""How the log-probability of a case changes with every table of a network: one pass back over the sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgm_nb.arrays import Floats

__all__ = ["summed_with_slopes"]

Scope = tuple[int, ...]


def summed_with_slopes(
    factors: Sequence[tuple[Scope, Floats]], steps: Sequence[int]
) -> tuple[Floats, list[Floats]]:
    """Multiply tables, sum attributes out, and say how probable the cells of each table are.

    Parameters
    ----------
    factors : sequence of (scope, table)
        The attributes of each table and its log, (k, states ...), in the order of the scope.
    steps : sequence of int
        The attributes in the order in which they are summed out: all that are in a scope.

    Returns
    -------
    total : array (k,)
        The log of the sum.
    slopes : list of arrays (k, states ...)
        Its derivative by each log table, which is the posterior of these attributes.

    Examples
    --------
    >>> a, b = np.log([[0.5, 0.5]]), np.log([[0.9, 0.2]])  # P(a), and P(b = 1 | a)
    >>> total, slopes = summed_with_slopes([((0,), a), ((0,), b)], [0])
    >>> np.exp(total).round(3), slopes[0].round(3)
    (array([0.55]), array([[0.818, 0.182]]))
    """
    tables, scopes = [table for _, table in factors], [scope for scope, _ in factors]
    alive = list(range(len(tables)))
    made: list[tuple[int, list[int], Scope, Floats]] = []
    for position in steps:
        parts = [i for i in alive if position in scopes[i]]
        scope = tuple(sorted({member for i in parts for member in scopes[i]} - {position}))
        axes = (*scope, position)
        logs = sum((_aligned(tables[i], scopes[i], axes) for i in parts), start=np.zeros(1))
        top = logs.max(axis=-1, keepdims=True)
        top[np.isneginf(top)] = 0.0
        shares = np.exp(logs - top)
        total = shares.sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares /= total  # P(position | the others of the table)
            tables.append((np.log(total) + top)[..., 0])
        scopes.append(scope)
        made.append((len(tables) - 1, parts, axes, np.nan_to_num(shares, copy=False)))
        alive = [i for i in alive if i not in parts] + [len(tables) - 1]
    slopes = [np.zeros(0)] * len(tables)
    for i in alive:
        slopes[i] = np.ones_like(tables[i])
    score: Floats = np.sum([tables[i] for i in alive], axis=0)
    for result, parts, axes, shares in reversed(made):
        whole = shares * slopes[result][..., None]
        for i in parts:
            slopes[i] = _back(whole, axes, scopes[i])
    return score, slopes[: len(factors)]


def _aligned(table: Floats, scope: Scope, axes: Scope) -> Floats:
    """Return a table with an axis for each of these attributes; of length one for those it does not have."""
    order = sorted(range(len(scope)), key=lambda axis: axes.index(scope[axis]))
    shape = [table.shape[1 + scope.index(member)] if member in scope else 1 for member in axes]
    return table.transpose(0, *(axis + 1 for axis in order)).reshape(len(table), *shape)


def _back(whole: Floats, axes: Scope, scope: Scope) -> Floats:
    """Sum a table over the attributes that a scope does not have, and put the rest in its order."""
    rest = [member for member in axes if member in scope]
    out = tuple(1 + axis for axis, member in enumerate(axes) if member not in scope)
    summed = whole.sum(axis=out) if out else whole
    found: Floats = summed.transpose(0, *(1 + rest.index(member) for member in scope))
    return found
