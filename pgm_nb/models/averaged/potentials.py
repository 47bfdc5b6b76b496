"""Averaged one-dependence as factors of a Markov network, with a hidden variable that chooses the parent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pgm_nb.inference.variables import Potential, Variables
from pgm_nb.models.averaged.scores import OneDependence

__all__ = ["potentials"]

NAIVE = "none"  # the state of the hidden variable in which no attribute is the parent


def potentials(model: OneDependence, variables: Variables) -> Iterator[Potential]:
    """Return the factors one by one; P(C | any attributes) in their product is the model's.

    The hidden variable H has a state for every parent p, and one for naive Bayes where a row can be without
    any parent. The factor of (H, C, Xp) is w_p P(c, xp) where H = p, that of (H, C, Xp, Xj) is P(xj | c, xp)
    there, and both are 1 elsewhere.
    """
    target, attributes = variables.target.name, variables.attributes
    hidden = "parent"
    while hidden in variables.names:
        hidden += "_"
    labels = [attribute.name for attribute in attributes]
    alone = not any(admissible.all() for admissible in model.admissible)
    if alone:
        labels.append(NAIVE if NAIVE not in labels else f"{NAIVE} of them")
    states = {hidden: labels}
    for parent, attribute in enumerate(attributes):
        table = np.ones((len(labels), *model.joint(parent).shape))
        table[parent] = np.exp(model.joint(parent))
        if alone:
            prior, tables = model.naive
            table[-1] = np.where(model.admissible[parent], 0.0, np.exp(tables[parent]))
            if parent == 0:
                table[-1] *= np.exp(prior)[:, None]
        yield Potential((hidden, target, attribute.name), table, states)
        for child, other in enumerate(attributes):
            if child == parent:
                continue
            n, m = model.counts.pair(parent, child), model.rows[child]
            table = np.ones((len(labels), *n.shape))
            table[parent] = (n + m / n.shape[-1]) / (n.sum(axis=-1, keepdims=True) + m)
            yield Potential((hidden, target, attribute.name, other.name), table, states)
