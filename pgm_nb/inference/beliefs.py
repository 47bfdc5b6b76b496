"""Calibration: given evidence, the posterior of the class, of every attribute and of every cluster.

Given the class the attributes form a forest, so two sweeps over arrays (k, v_mother, v) do it: up from the
leaves, where every attribute passes the evidence below it to its mother, and down from the class, where every
mother passes the evidence elsewhere to her child. Attributes of the same depth and shape are handled at once,
and so are many rows of evidence. Sums are taken in logs, so nothing underflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.inference.clique_beliefs import Cliques, calibrate_cliques
from pgm_nb.inference.factors import Factors

__all__ = ["Beliefs", "Forest", "calibrate"]


@dataclass(frozen=True, eq=False)
class Group:
    """Attributes of one depth and one shape, handled at once.

    `own` and `mother` hold places of their states in the flat layout, (g, v) and (g, v_mother);
    `tables` P(x | mother, y) as (k, g, v_mother, v), where an attribute without a mother has v_mother = 1.
    """

    positions: Places
    own: Places
    mother: Places | None
    tables: Floats


@dataclass(frozen=True, eq=False)
class Forest:
    """Factors arranged for calibration: states side by side, attributes grouped by depth and shape.

    Attributes
    ----------
    factors : Factors
        The log tables.
    starts : array of int
        Where each attribute's states begin in the flat layout; the last entry is their number.
    groups : tuple of Group
        From the roots down.
    """

    factors: Factors
    starts: Places
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, factors: Factors) -> Forest:
        """Arrange the factors once; calibrating then costs two sweeps."""
        starts = np.concatenate([[0], np.cumsum(factors.cards)]).astype(np.intp)
        if factors.others:  # clusters are calibrated one by one
            return cls(factors, starts, ())
        depth: list[int] = []
        for above in factors.mothers:
            depth.append(0 if above < 0 else depth[above] + 1)
        shapes: dict[tuple[int, ...], list[int]] = {}
        for position, table in enumerate(factors.tables):
            shapes.setdefault((depth[position], *table.shape[1:]), []).append(position)
        groups = []
        for shape, members in sorted(shapes.items()):
            positions = np.array(members)
            own = starts[positions][:, None] + np.arange(shape[-1])
            mother: Places | None = None
            if shape[0] > 0:
                mothers = np.array([factors.mothers[p] for p in members])
                mother = starts[mothers][:, None] + np.arange(shape[1])
            tables = np.exp(np.stack([factors.tables[p] for p in members], axis=1))
            groups.append(Group(positions, own, mother, tables if mother is not None else tables[:, :, None]))
        return cls(factors, starts, tuple(groups))

    def no_evidence(self, rows: int = 1) -> Floats:
        """Return the log-likelihoods of the states without evidence: zeros, (states, rows)."""
        return np.zeros((int(self.starts[-1]), rows))

    def states(self, position: int) -> slice:
        """Return the place of the states of an attribute in the flat layout."""
        return slice(int(self.starts[position]), int(self.starts[position + 1]))


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The posteriors that calibration found, for `rows` sets of evidence at once.

    Attributes
    ----------
    log_class : array (k, rows)
        log P(y, evidence).
    log_joint : array (k, states, rows)
        log P(y, x, evidence) for every state x of every attribute.
    """

    forest: Forest
    log_class: Floats
    log_joint: Floats
    log_below: Floats  #: log P(evidence at and below x | x, y), (k, states, rows)
    _messages: tuple[Floats, ...]  # of each group to its mothers, (k, g, v_mother, rows)
    cliques: Cliques | None = None  #: the clusters of a graph in which attributes have several mothers

    @cached_property
    def log_evidence(self) -> Floats:
        """Log P(evidence), (rows,)."""
        total: Floats = np.logaddexp.reduce(self.log_class, axis=0)
        return total

    @cached_property
    def _shift(self) -> Floats:
        """Log P(evidence), which turns a joint into a posterior; zero where the evidence is impossible."""
        return np.where(np.isneginf(self.log_evidence), 0, self.log_evidence)

    def classes(self) -> Floats:
        """P(y | evidence), (rows, k)."""
        return np.exp(self.log_class - self._shift).T

    def with_class(self, position: int) -> Floats:
        """P(y, x | evidence) of one attribute, (rows, k, v)."""
        part = self.log_joint[:, self.forest.states(position)]
        return np.exp(part - self._shift).transpose(2, 0, 1)

    @cached_property
    def states(self) -> Floats:
        """P(x | evidence) of every state of every attribute, (states, rows)."""
        posterior: Floats = np.exp(self.log_joint - self._shift).sum(axis=0)
        return posterior

    def attribute(self, position: int) -> Floats:
        """P(x | evidence) of one attribute, (rows, v)."""
        return self.states[self.forest.states(position)].T

    def cluster(self, position: int) -> Floats:
        """P(y, mother, x | evidence) of an attribute that has a mother, (rows, k, v_mother, v)."""
        if self.cliques is not None:
            logs = self.cliques.joint[position]
            return np.exp(logs - self._shift.reshape(-1, *(1,) * (logs.ndim - 1)))
        for group, message in zip(self.forest.groups, self._messages, strict=True):
            found = np.flatnonzero(group.positions == position)
            if len(found) and group.mother is not None:
                g = int(found[0])
                outside = _without(self.log_joint[:, group.mother[g]], message[:, g])  # (k, v_mother, rows)
                below = self.log_below[:, group.own[g]]  # (k, v, rows)
                with np.errstate(divide="ignore"):
                    table = np.log(group.tables[:, g])[..., None]
                joint = outside[:, :, None] + table + below[:, None] - self._shift
                return np.exp(joint).transpose(3, 0, 1, 2)
        raise KeyError(f"attribute {position} has no mother")

    def together(self, positions: Sequence[int]) -> Floats | None:
        """P(y, x1, x2, ... | evidence) of attributes of one cluster, (rows, k, ...); None if not at hand."""
        logs = None if self.cliques is None else self.cliques.together(positions)
        return None if logs is None else np.exp(logs - self._shift.reshape(-1, *(1,) * (logs.ndim - 1)))


def calibrate(forest: Forest, evidence: Floats, class_evidence: Floats | None = None) -> Beliefs:
    """Compute every posterior from any evidence, in two sweeps.

    Parameters
    ----------
    forest : Forest
        The arranged factors.
    evidence : array (states, rows)
        Log-likelihood of every state of every attribute: 0 where nothing is known, -inf where a state is
        ruled out, anything between for soft evidence.
    class_evidence : array (k, rows), optional
        The same for the class.
    """
    log_prior = forest.factors.log_prior[:, None]
    log_class = np.repeat(log_prior, evidence.shape[1], axis=1)
    if class_evidence is not None:
        log_class = log_class + class_evidence
    if forest.factors.others:
        parts = [evidence[forest.states(place)].T for place in range(len(forest.factors.tables))]
        cliques = calibrate_cliques(forest.factors, parts, log_class)
        joint = np.concatenate([cliques.states(place) for place in range(len(parts))], axis=1)
        return Beliefs(forest, cliques.log_class, joint, np.empty(0), (), cliques)
    upward = np.repeat(evidence[None], len(log_prior), axis=0)
    messages: list[Floats] = []
    for group in reversed(forest.groups):
        message = _log_product(group.tables, upward[:, group.own])  # (k, g, v_mother or 1, rows)
        messages.append(message)
        if group.mother is None:
            log_class += message[:, :, 0].sum(axis=1)
        else:
            np.add.at(upward.swapaxes(0, 1), group.mother, message.transpose(1, 2, 0, 3))
    messages.reverse()

    log_joint = np.empty_like(upward)
    for group, message in zip(forest.groups, messages, strict=True):
        around = log_class[:, None, None] if group.mother is None else log_joint[:, group.mother]
        outside = _without(around, message)
        log_joint[:, group.own] = _log_product(group.tables.swapaxes(2, 3), outside) + upward[:, group.own]
    return Beliefs(forest, log_class, log_joint, upward, tuple(messages))


def _log_product(tables: Floats, logs: Floats) -> Floats:
    """Log of tables @ exp(logs), (..., a, b) and (..., b, rows), safe from underflow."""
    top = logs.max(axis=-2, keepdims=True)
    top = np.where(np.isneginf(top), 0, top)
    with np.errstate(divide="ignore"):
        product: Floats = np.log(tables @ np.exp(logs - top)) + top
    return product


def _without(around: Floats, message: Floats) -> Floats:
    """Remove a message; what was impossible stays impossible."""
    impossible = np.isneginf(message)
    return np.where(impossible, -np.inf, around - np.where(impossible, 0, message))
