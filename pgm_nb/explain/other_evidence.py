"""Evidence that is not one value in an explanation: ranges, alternatives, likelihoods.

The steps of a model are about values. What else is known follows them piece by piece: a piece adds what it
changes in the log of the posterior, all before it known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.explain.explanation import Explanation
from pgm_nb.explain.terms import Terms
from pgm_nb.inference.evidence import Evidence, likelihood
from pgm_nb.inference.terms import log_ratio

__all__ = ["split", "with_evidence", "without_zeros"]


def split(known: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Evidence]]:
    """Return the values of a case, and the evidence of other kinds; a mapping holds likelihoods.

    Examples
    --------
    >>> from pgm_nb.inference.evidence import above
    >>> plain, other = split({"sex": "male", "age": above(60)})
    >>> plain, [*other]
    ({'sex': 'male'}, ['age'])
    """
    plain: dict[str, Any] = {}
    other: dict[str, Evidence] = {}
    for name, value in known.items():
        if isinstance(value, Evidence | Mapping):
            other[name] = value if isinstance(value, Evidence) else likelihood(value)
        else:
            plain[name] = value
    return plain, other


def with_evidence(
    terms: Terms,
    plain: Mapping[str, Any],
    other: Mapping[str, Evidence],
    posterior: Callable[[dict[str, Any]], Floats],
) -> Terms:
    """Return the steps of a case, then one for every piece of other evidence.

    Parameters
    ----------
    terms : Terms
        The steps of the case of which the plain values are known; one row.
    plain, other : mapping
        The values, and the evidence of other kinds.
    posterior : callable
        Gives the probability of every class, (k,), for what is known.
    """
    if not other:
        return terms
    so_far: dict[str, Any] = dict(plain)
    before, added = np.log(posterior(so_far)), []
    for name, value in other.items():
        so_far[name] = value
        with np.errstate(divide="ignore"):
            after = np.log(posterior(so_far))
        added.append(log_ratio(after, before))
        before = after
    steps = np.concatenate([terms.row(0), np.array(added)])
    without = tuple(tuple(a for a in step if a not in other) for step in terms.attributes)  # not known there
    attributes = (*without, *((name,) for name in other))
    return replace(terms, names=(*terms.names, *other), attributes=attributes, values=steps[None])


def without_zeros(why: Explanation) -> Explanation:
    """Leave out the steps that add nothing to any class: those of unknown attributes."""
    terms, steps = why.terms, why.terms.row(0)
    kept = np.flatnonzero((steps != 0).any(axis=1))
    names = tuple(terms.names[i] for i in kept)
    attributes = tuple(terms.attributes[i] for i in kept)
    return replace(why, terms=replace(terms, names=names, attributes=attributes, values=steps[None, kept]))
