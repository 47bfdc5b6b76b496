"""Another population: the same evidence where the classes are more or less common than in training.

What an attribute says about the class stays as it was learned; how common the classes are is replaced. So
P'(y | x) is proportional to P(y | x) p'(y) / p(y), and the odds of two classes change by the same factor
for every row (Elkan 2001, section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.data.labels import class_place
from pgm_nb.errors import QueryError
from pgm_nb.inference.junction import JunctionTree
from pgm_nb.words import listed

__all__ = ["Prior", "base_rate_shift", "log_base_rates", "move_tree"]

Prior = Mapping[Any, float] | None  #: how common each class is; None: as in training

TOLERANCE = 1e-6  # by which shares may miss the sum of one; they are then scaled to it


def log_base_rates(prior: Mapping[Any, Any], classes: Sequence[Any]) -> Floats:
    """Return the log of how common each class is in another population, (k,).

    Parameters
    ----------
    prior : mapping of class to float
        A share for every class; the shares add up to one.
    classes : sequence
        The classes, in order.

    Examples
    --------
    >>> np.exp(log_base_rates({"well": 0.75, "ill": 0.25}, ["ill", "well"])).round(12).tolist()
    [0.25, 0.75]
    >>> log_base_rates({"ill": 0.25}, ["ill", "well"])
    Traceback (most recent call last):
    pgm_nb.errors.QueryError: prior must give a share to every class, but has none for well
    """
    if not isinstance(prior, Mapping):
        raise QueryError(
            f"prior must say how common each class is, such as {{{str(classes[0])!r}: 0.1, ...}}, but is "
            f"{prior!r}"
        )
    shares = np.full(len(classes), np.nan)
    for label, share in prior.items():
        place = class_place(label, classes)
        if isinstance(share, bool) or not isinstance(share, Real) or not 0 <= float(share) <= 1:
            raise QueryError(f"the prior of {str(label)!r} must be a share from 0 to 1, but is {share!r}")
        if not np.isnan(shares[place]):
            raise QueryError(f"the prior of {str(label)!r} is given twice; give it once")
        shares[place] = float(share)
    absent = [str(label) for label, share in zip(classes, shares, strict=True) if np.isnan(share)]
    if absent:
        raise QueryError(f"prior must give a share to every class, but has none for {listed(absent)}")
    total = float(shares.sum())
    if abs(total - 1) > TOLERANCE:
        raise QueryError(f"the shares of a prior must add up to 1, but add up to {total:.6g}")
    return np.log(shares / total, out=np.full(len(shares), -np.inf), where=shares > 0)


def base_rate_shift(log_trained: Floats, log_new: Floats, classes: Sequence[Any]) -> Floats:
    """Return what a change of base rates adds to the log scores of the classes, (k,).

    A class that has no share in training cannot get one.

    Examples
    --------
    >>> np.exp(base_rate_shift(np.log([0.5, 0.5]), np.log([0.2, 0.8]), ["ill", "well"])).round(12).tolist()
    [0.4, 1.6]
    """
    never = np.isneginf(log_trained)
    wanted = [str(label) for label, at in zip(classes, never & ~np.isneginf(log_new), strict=True) if at]
    if wanted:
        raise QueryError(
            f"the model has never seen {listed(wanted)}, so it cannot say how likely a row of it is; its "
            "prior must be 0"
        )
    return np.subtract(log_new, log_trained, out=np.zeros(len(log_new)), where=~never)


def move_tree(tree: JunctionTree, log_shift: Floats) -> JunctionTree:
    """Return a junction tree with other base rates of the class; its evidence stays."""
    forest = tree.forest
    factors = replace(forest.factors, log_prior=forest.factors.log_prior + log_shift)
    return replace(tree, forest=replace(forest, factors=factors))
