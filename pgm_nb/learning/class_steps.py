"""The trace of trees that are learned in every class by itself: step by step, tree after tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.learning.constraints import Constraints
from pgm_nb.learning.trace import Step, retrace, star_steps

if TYPE_CHECKING:
    from pgm_nb.arrays import Floats, Places
    from pgm_nb.information import Information

__all__ = ["steps_of_classes", "steps_of_tree"]


def steps_of_tree(
    information: Information, shared: Floats, names: Sequence[str], order: Places, mothers: Places
) -> tuple[Step, ...]:
    """Return the steps in which the tree of one class grew from the attribute that says most about the class.

    Parameters
    ----------
    information : Information
        Of all rows; the root is chosen by its relevance.
    shared : array (d, d)
        I(Xi;Xj | Y = y) in bits among the rows of the class.
    names : sequence of str
        Attribute names in column order.
    order, mothers : arrays of int
        The attributes in the order in which they joined, and the mother of each, -1 for none.

    Examples
    --------
    >>> from pgm_nb.information import Information
    >>> shared = np.array([[0, 0.5, 0.25], [0.5, 0, 0.125], [0.25, 0.125, 0]])
    >>> info = Information(9, 1.0, np.zeros(3), np.array([0.75, 0.5, 0.0]), shared)
    >>> steps = steps_of_tree(info, shared, "abc", np.array([0, 1, 2]), np.array([-1, 0, 0]))
    >>> [(step.attribute, step.mother, step.gain) for step in steps]
    [('a', None, 0.75), ('b', 'a', 0.5), ('c', 'a', 0.25)]
    """
    root = replace(star_steps(information.relevance, names)[0], weight=0.0)
    inside = replace(information, relevance=np.zeros(len(names)), dependence=shared)
    rest = retrace(inside, names, order, mothers, Constraints(len(names)), start=1, criterion="dependence")
    return (root, *rest[1:])


def steps_of_classes(
    trees: Mapping[str, Sequence[Step]], frequencies: Sequence[float], start: float
) -> tuple[Step, ...]:
    """Return the steps of all trees, one tree after the other, with the weight of the whole so far.

    The weight is that of naive Bayes, `start`, and then for every link what it shares among the rows of its
    class, times how frequent this class is.

    Examples
    --------
    >>> from pgm_nb.learning.trace import Candidate
    >>> step = Step(Candidate("b", "a", 0.0, 0.5), 0.5, ())
    >>> found = steps_of_classes({"no": [step], "yes": [step]}, [0.75, 0.25], 1.0)
    >>> [(one.label, one.weight) for one in found]
    [('no', 1.375), ('yes', 1.5)]
    """
    found: list[Step] = []
    weight = start
    for (label, steps), share in zip(trees.items(), frequencies, strict=True):
        for step in steps:
            weight += share * step.chosen.dependence
            found.append(replace(step, weight=weight, label=label))
    return tuple(found)
