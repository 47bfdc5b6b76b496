"""Calibration: given evidence, the posterior of the class, of every attribute and of every cluster.

Two sweeps over the clusters (class, parents, attribute). Up from the leaves, every attribute passes what is
known at and below it to the cluster of its last parent; down from the class, every cluster passes what is
known elsewhere to the attributes that hang on it. Many rows of evidence are handled at once. Messages are
kept in logarithms, so nothing underflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.engine.sums import embedded, hooks, log_ratio
from pgm_nb.tables.factors import Factors

__all__ = ["Beliefs", "best_states", "calibrate", "log_likelihoods"]


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The posteriors that calibration found, for `rows` sets of evidence at once.

    Attributes
    ----------
    factors : Factors
        The log tables.
    log_class : array (rows, k)
        log P(y, evidence).
    heard : tuple of arrays (rows, k, parents, v)
        Log of the evidence at each attribute, times what its children say; an axis has length one where
        nothing depends on that parent.
    outside : tuple of arrays (rows, k, parents)
        Log of what is known elsewhere about the parents of each attribute, and the class.
    """

    factors: Factors
    log_class: Floats
    heard: tuple[Floats, ...]
    outside: tuple[Floats, ...]

    @cached_property
    def log_evidence(self) -> Floats:
        """Log P(evidence), (rows,)."""
        total: Floats = np.logaddexp.reduce(self.log_class, axis=1)
        return total

    def _posterior(self, logs: Floats) -> Floats:
        """Divide a joint by P(evidence); zero where the evidence is impossible."""
        shift = np.where(np.isneginf(self.log_evidence), 0.0, self.log_evidence)
        return np.exp(logs - shift.reshape(-1, *(1,) * (logs.ndim - 1)))

    def log_joint(self, position: int) -> Floats:
        """Log P(y, parents, x, evidence) of one attribute, (rows, k, parents, v)."""
        return _log_joint(self.factors.tables[position], self.outside[position], self.heard[position])

    def log_states(self, position: int) -> Floats:
        """Log P(y, x, evidence) of one attribute, (rows, k, v)."""
        return _log_states(self.factors.chances[position], self.outside[position], self.heard[position])

    def classes(self) -> Floats:
        """P(y | evidence), (rows, k)."""
        return self._posterior(self.log_class)

    def with_class(self, position: int) -> Floats:
        """P(y, x | evidence) of one attribute, (rows, k, v)."""
        return self._posterior(self.log_states(position))

    @cached_property
    def states(self) -> Floats:
        """P(x | evidence) of every state of every attribute, (states, rows)."""
        found = [self.with_class(position).sum(axis=1).T for position in range(len(self.heard))]
        return np.concatenate(found)

    def attribute(self, position: int) -> Floats:
        """P(x | evidence) of one attribute, (rows, v)."""
        found: Floats = self.with_class(position).sum(axis=1)
        return found

    def cluster(self, position: int) -> Floats:
        """P(y, parents, x | evidence) of one attribute, (rows, k, parents, v)."""
        return self._posterior(self.log_joint(position))

    def together(self, positions: Sequence[int]) -> Floats | None:
        """P(y, x1, x2, ... | evidence) of attributes of one cluster, (rows, k, ...); None if in none."""
        for position, parents in enumerate(self.factors.given):
            cluster = (*parents, position)
            if set(positions) <= set(cluster):
                return self._posterior(_marginal(self.log_joint(position), cluster, positions))
        return None

    def log_given(self, position: int, y: Places, states: Sequence[Places]) -> Floats:
        """Log weights of the states of an attribute, class and parents in these states, (n, v); one row."""
        parents = tuple(states[parent] for parent in self.factors.given[position])
        table, heard = self.factors.tables[position], self.heard[position][0]
        found: Floats = table[(y, *parents)] + np.broadcast_to(heard, table.shape)[(y, *parents)]
        return found


def calibrate(factors: Factors, evidence: Floats, class_evidence: Floats | None = None) -> Beliefs:
    """Compute every posterior from any evidence, in two sweeps.

    Parameters
    ----------
    factors : Factors
        The log tables of a forest or of a chordal graph, every parent before its children.
    evidence : array (states, rows)
        Log-likelihood of every state of every attribute: 0 where nothing is known, -inf where a state is
        ruled out, anything between for soft evidence.
    class_evidence : array (k, rows), optional
        The same for the class.

    Examples
    --------
    >>> table = np.log([[0.9, 0.1], [0.4, 0.6]])  # P(x|y)
    >>> coin = Factors(np.log([0.5, 0.5]), (0,), (-1,), (table,))
    >>> calibrate(coin, np.log([[1.0], [1e-300]])).classes().round(3)  # the first state
    array([[0.692, 0.308]])
    """
    given, hook = factors.given, hooks(factors.given)
    total, heard, messages = _upwards(factors, evidence)
    if class_evidence is not None:
        total = total + class_evidence.T
    outside: list[Floats] = []
    for position, (parents, message) in enumerate(zip(given, messages, strict=True)):
        around, last = total, hook[position]
        if len(parents) == 1:
            around = _log_states(factors.chances[last], outside[last], heard[last])
        elif parents:
            joint = _log_joint(factors.tables[last], outside[last], heard[last])
            around = _marginal(joint, (*given[last], last), parents)
        outside.append(log_ratio(around, message))
    return Beliefs(factors, total, tuple(heard), tuple(outside))


def log_likelihoods(factors: Factors, evidence: Floats) -> Floats:
    """Return log P(y, evidence), (rows, k), for evidence as in `calibrate`, by the first sweep alone."""
    return _upwards(factors, evidence)[0]


def _upwards(factors: Factors, evidence: Floats) -> tuple[Floats, list[Floats], list[Floats]]:
    """Return log P(y, evidence), what every attribute has heard, and its message about its parents."""
    given, hook = factors.given, hooks(factors.given)
    total, heard = np.tile(factors.log_prior, (evidence.shape[1], 1)), _evidence(factors, evidence)
    messages: list[Floats] = [np.zeros(0)] * len(heard)
    for position in reversed(range(len(heard))):
        message = messages[position] = _message(factors.chances[position], heard[position])
        if hook[position] < 0:
            total = total + message
        else:
            above = (*given[hook[position]], hook[position])
            heard[hook[position]] = heard[hook[position]] + embedded(message, given[position], above)
    return total, heard, messages


def best_states(factors: Factors, evidence: Floats, log_class: Floats) -> tuple[int, list[int]]:
    """Return the class and the states of all attributes that are most probable together, by max-product.

    Parameters
    ----------
    factors : Factors
        The log tables of a forest or of a chordal graph.
    evidence : array (states, 1)
        As in `calibrate`.
    log_class : array (k,)
        Log prior and evidence of the class.
    """
    given, hook, score = factors.given, hooks(factors.given), log_class
    waiting = [
        table + logs[0] for table, logs in zip(factors.tables, _evidence(factors, evidence), strict=True)
    ]
    for position in reversed(range(len(waiting))):
        best = waiting[position].max(axis=-1)
        if hook[position] < 0:
            score = score + best
        else:
            above = (*given[hook[position]], hook[position])
            waiting[hook[position]] = waiting[hook[position]] + embedded(best, given[position], above)
    y = int(score.argmax())
    chosen: list[int] = []
    for logs, parents in zip(waiting, given, strict=True):
        chosen.append(int(logs[(y, *(chosen[parent] for parent in parents))].argmax()))
    return y, chosen


def _evidence(factors: Factors, evidence: Floats) -> list[Floats]:
    """Return the evidence of each attribute, with an axis for class and parents, (rows, 1, ..., v)."""
    parts = (evidence[factors.states(position)].T for position in range(len(factors.tables)))
    return [
        part.reshape(len(part), *(1,) * (table.ndim - 1), -1)
        for part, table in zip(parts, factors.tables, strict=True)
    ]


def _scaled(logs: Floats, axes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return numbers without logs, the largest one, and the log that was taken off."""
    top = logs.max(axis=axes, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    return np.exp(logs - top), top


def _logarithm(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        found: Floats = np.log(values)
    return found


def _message(chances: Floats, heard: Floats) -> Floats:
    """Log of sum_x P(x | parents, y) exp(heard), (rows, k, parents)."""
    weights, top = _scaled(heard, (-1,))
    if heard.size == len(heard) * heard.shape[1] * heard.shape[-1]:  # of the attribute's own states alone
        rows, (k, *above, v) = len(heard), chances.shape
        flat = np.broadcast_to(weights.reshape(rows, -1, v), (rows, k, v)).swapaxes(0, 1)
        total = (flat @ chances.reshape(k, -1, v).swapaxes(1, 2)).swapaxes(0, 1).reshape(rows, k, *above)
    else:
        total = (chances * weights).sum(axis=-1)
    return _logarithm(total) + top[..., 0]


def _log_states(chances: Floats, outside: Floats, heard: Floats) -> Floats:
    """Log P(y, x, evidence), (rows, k, v), from what is known of the parents and at the attribute."""
    rows, (k, *above, v) = len(outside), chances.shape
    weights, top = _scaled(outside.reshape(rows, k, -1), (2,))
    if heard.size == len(heard) * heard.shape[1] * v:
        total = (weights.swapaxes(0, 1) @ chances.reshape(k, -1, v)).swapaxes(0, 1)
        return _logarithm(total) + top + heard.reshape(rows, -1, v)
    joint = _log_joint(_logarithm(chances), outside, heard)
    return _log_sum(joint, tuple(range(2, 2 + len(above))))


def _log_joint(table: Floats, outside: Floats, heard: Floats) -> Floats:
    """Log P(y, parents, x, evidence), (rows, k, parents, v)."""
    joint: Floats = outside[..., None] + table + heard
    return joint


def _marginal(table: Floats, cluster: Sequence[int], wanted: Sequence[int]) -> Floats:
    """Sum logs (rows, k, cluster) down to some of the attributes, in the order wanted."""
    gone = tuple(2 + axis for axis, place in enumerate(cluster) if place not in wanted)
    kept = [place for place in cluster if place in wanted]
    return _log_sum(table, gone).transpose([0, 1, *(2 + kept.index(place) for place in wanted)])


def _log_sum(logs: Floats, axes: tuple[int, ...]) -> Floats:
    """Log of the sum of exponentials over some axes; over none it is the same."""
    if not axes:
        return logs
    values, top = _scaled(logs, axes)
    return _logarithm(values.sum(axis=axes)) + top.squeeze(axis=axes)
