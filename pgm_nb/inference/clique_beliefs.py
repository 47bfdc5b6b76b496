"""Calibration of a chordal graph: attributes with several mothers, all of them in one cluster.

As in `beliefs`, two sweeps: up from the leaves, where every attribute passes what is known below it to the
cluster of its last mother, and down from the class. The arrays are (rows, k, mothers, v), one per attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.inference.cliques import embedded, hooks, log_ratio
from pgm_nb.inference.factors import Factors

__all__ = ["Cliques", "best_states", "calibrate_cliques", "drawn_logs"]


@dataclass(frozen=True, eq=False)
class Cliques:
    """What calibration found in every cluster (class, mothers, attribute).

    Attributes
    ----------
    given : tuple of tuples of int
        The mothers of each attribute, in the order of the axes.
    joint : tuple of arrays (rows, k, mothers, v)
        log P(y, mothers, x, evidence).
    below : tuple of arrays (rows, k, mothers, v)
        log of the table times what is known at and below the attribute.
    log_class : array (k, rows)
        log P(y, evidence).
    """

    given: tuple[tuple[int, ...], ...]
    joint: tuple[Floats, ...]
    below: tuple[Floats, ...]
    log_class: Floats

    def states(self, position: int) -> Floats:
        """Log P(y, x, evidence) of one attribute, (k, v, rows)."""
        table = self.joint[position]
        return _log_sum(table, tuple(range(2, table.ndim - 1))).transpose(1, 2, 0)

    def together(self, positions: Sequence[int]) -> Floats | None:
        """Log P(y, x1, x2, ..., evidence) of attributes of one cluster, (rows, k, ...); None if in none."""
        for position, mothers in enumerate(self.given):
            cluster = (*mothers, position)
            if set(positions) <= set(cluster):
                return _marginal(self.joint[position], cluster, positions)
        return None


def calibrate_cliques(factors: Factors, evidence: Sequence[Floats], log_class: Floats) -> Cliques:
    """Compute the posterior of every cluster.

    Parameters
    ----------
    factors : Factors
        The log tables, every mother before her children.
    evidence : sequence of arrays (rows, v)
        Log-likelihood of every state of each attribute.
    log_class : array (k, rows)
        Log prior and evidence of the class.
    """
    given, hook = factors.given, hooks(factors.given)
    below = [
        table[None] + logs.reshape(len(logs), *(1,) * (table.ndim - 1), -1)
        for table, logs in zip(factors.tables, evidence, strict=True)
    ]
    total = log_class.T.copy()
    messages: list[Floats] = [np.zeros(0)] * len(below)
    for position in reversed(range(len(below))):
        message = messages[position] = _log_sum(below[position], (-1,))
        if hook[position] < 0:
            total += message
        else:
            above = (*given[hook[position]], hook[position])
            below[hook[position]] += embedded(message, given[position], above)
    joint: list[Floats] = []
    for position, (own, message) in enumerate(zip(below, messages, strict=True)):
        around = total
        if hook[position] >= 0:
            above = (*given[hook[position]], hook[position])
            around = _marginal(joint[hook[position]], above, given[position])
        joint.append(log_ratio(around, message)[..., None] + own)
    return Cliques(given, tuple(joint), tuple(below), total.T)


def best_states(factors: Factors, evidence: Sequence[Floats], log_class: Floats) -> tuple[int, list[int]]:
    """Return the class and the states of all attributes that are most probable together, by max-product."""
    given, hook = factors.given, hooks(factors.given)
    waiting = [
        table + logs.reshape(*(1,) * (table.ndim - 1), -1)
        for table, logs in zip(factors.tables, evidence, strict=True)
    ]
    score = log_class.copy()
    for position in reversed(range(len(waiting))):
        best = waiting[position].max(axis=-1)
        if hook[position] < 0:
            score += best
        else:
            above = (*given[hook[position]], hook[position])
            waiting[hook[position]] += embedded(best, given[position], above)
    y = int(score.argmax())
    chosen: list[int] = []
    for logs, mothers in zip(waiting, given, strict=True):
        chosen.append(int(logs[(y, *(chosen[mother] for mother in mothers))].argmax()))
    return y, chosen


def _marginal(table: Floats, cluster: Sequence[int], wanted: Sequence[int]) -> Floats:
    """Sum logs (rows, k, cluster) down to some of the attributes, in the order wanted."""
    gone = tuple(2 + axis for axis, place in enumerate(cluster) if place not in wanted)
    kept = [place for place in cluster if place in wanted]
    return _log_sum(table, gone).transpose([0, 1, *(2 + kept.index(place) for place in wanted)])


def _log_sum(logs: Floats, axes: tuple[int, ...]) -> Floats:
    """Log of the sum of exponentials over some axes; over none it is the same."""
    if not axes:
        return logs
    top = logs.max(axis=axes, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        total: Floats = np.log(np.exp(logs - top).sum(axis=axes)) + top.squeeze(axis=axes)
    return total


def drawn_logs(cliques: Cliques, position: int, y: Places, drawn: Sequence[Places]) -> Floats:
    """Return log weights of the states of an attribute for rows whose class and mothers are drawn, (n, v)."""
    index = tuple(drawn[mother] for mother in cliques.given[position])
    found: Floats = cliques.below[position][0][(y, *index)]
    return found
