"""Whether evidence is in conflict with itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pgm_nb.inference.junction import JunctionTree

__all__ = ["RARE", "conflict"]

RARE = 10.0  # values this many times rarer together than apart are in conflict


def conflict(tree: JunctionTree) -> tuple[float, str] | None:
    """Return how many times rarer the known values are together than apart, and which one fits least.

    None if that is less than `RARE` times. The measure is prod P(e_i) / P(e) of Jensen, Chamberlain,
    Nordahl and Jensen (1991), over the attributes that are known; a class that is known counts as unknown.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("zoo")
    >>> tree = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y).junction_tree()
    >>> times, odd = conflict(tree.observe({"milk": "yes", "feathers": "yes", "backbone": "no"}))
    >>> round(times), odd
    (27, 'milk')
    """
    if tree.variables.target.name in tree.evidence:
        tree = tree.retract(tree.variables.target.name)
    known, nothing = dict(tree.evidence), tree.retract()
    if len(known) < 2:
        return None
    before, together = nothing.beliefs.states[:, 0], tree.log_evidence
    apart = {}
    for name in known:
        states = before[tree.forest.states(tree.variables.position(name))]
        apart[name] = float(np.log(states @ tree.likelihoods[name]))
    factor = float(np.exp(min(sum(apart.values()) - together, 700.0)))
    if factor < RARE:
        return None
    rest = {name: tree.retract(name).log_evidence for name in known}
    return factor, max(known, key=lambda name: rest[name] + apart[name] - together)
