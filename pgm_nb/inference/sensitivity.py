"""How the posterior of the class depends on every entry of the tables: exact, from one calibration.

An entry P(x | mother, y) is moved, and the other entries of its distribution share what is left in their old
proportions. P(class, evidence) and P(evidence) are then linear in the entry (Castillo, Gutiérrez, Hadi 1997),
so two slopes give the posterior for any value of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.inference.junction import JunctionTree

__all__ = ["Entry", "sensitivities"]


@dataclass(frozen=True)
class Entry:
    """One entry of a table, and what the posterior of a class does when it moves.

    Examples
    --------
    >>> Entry("age", 0, None, 1, 0.25, now=0.5, evidence_slope=2.0, class_slope=2.0).after(0.3)
    0.5454545454545454
    """

    attribute: str  #: the name of the class for an entry of the prior
    state: int
    mother_state: int | None
    y: int  #: the class given which the entry holds; for the prior the class itself
    value: float
    now: float  #: P(class | evidence)
    evidence_slope: float  #: d P(evidence) / d entry, over P(evidence)
    class_slope: float  #: d P(class, evidence) / d entry, over P(evidence)
    other_states: tuple[int, ...] = ()  #: of further mothers

    @property
    def derivative(self) -> float:
        """D P(class | evidence) / d entry."""
        return self.class_slope - self.now * self.evidence_slope

    def after(self, value: float) -> float:
        """P(class | evidence), if the entry had this value."""
        step = value - self.value
        return (self.now + step * self.class_slope) / (1 + step * self.evidence_slope)


def sensitivities(tree: JunctionTree, label: int) -> list[Entry]:
    """Return every entry that the posterior of a class depends on, given the evidence of a tree."""
    classes = tree.beliefs.classes()[0]
    now = float(classes[label])
    prior = np.exp(tree.forest.factors.log_prior)
    target = tree.variables.target.name
    entries = []
    for y, (chance, theta) in enumerate(zip(classes, prior, strict=True)):
        if 0 < theta < 1:
            slope = chance / theta - (1 - chance) / (1 - theta)
            of_class = now / theta if y == label else -now / (1 - theta)
            entries.append(Entry(target, y, None, y, float(theta), now, float(slope), float(of_class)))
    for position, (variable, mother) in enumerate(
        zip(tree.variables.attributes, tree.forest.factors.mothers, strict=True)
    ):
        table = np.exp(tree.forest.factors.tables[position])
        if mother < 0:
            joint, theta = tree.beliefs.with_class(position)[0][:, None], table[:, None]
        else:
            joint, theta = tree.beliefs.cluster(position)[0], table
        slopes = _slopes(joint, theta)
        for y, u, *more, x in np.argwhere(np.abs(slopes) > 0).tolist():
            slope = float(slopes[(y, u, *more, x)])
            above = None if mother < 0 else u
            of_class = slope if y == label else 0.0
            value = float(theta[(y, u, *more, x)])
            entries.append(Entry(variable.name, x, above, y, value, now, slope, of_class, tuple(more)))
    return entries


def _slopes(joint: Floats, theta: Floats) -> Floats:
    """Return d log P(evidence) / d entry, with the others in proportion; 0 for entries of 0 or 1."""
    total = joint.sum(axis=-1, keepdims=True)
    inner = (theta > 0) & (theta < 1)
    safe = np.where(inner, theta, 0.5)
    slopes: Floats = np.where(inner, joint / safe - (total - joint) / (1 - safe), 0.0)
    slopes[np.abs(slopes) < 1e-14] = 0.0
    return slopes
