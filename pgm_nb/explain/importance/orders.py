"""Which attributes matter for predicting the class: three answers, all in bits of log-loss.

Let L(S) be the log-loss on rows not trained on while only the attributes S are known, in bits per row.

- forward: the path of greedy choices. The i-th value is L(before) - L(before and this one).
- drop: L(all but this one) - L(all), what is lost while one attribute is hidden.
- share: the Shapley value of the gain L(nothing) - L(S), which divides L(nothing) - L(all) fairly.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.explain.importance.out_of_fold import Known, OutOfFold
from pgm_nb.scoring.parallel import Progress

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DROP", "FORWARD", "METHODS", "SHARE", "alone", "drop", "forward", "share"]

FORWARD, DROP, SHARE = "forward", "drop", "share"
MOST_EXACT = 1 << 20  # predictions up to which every set of attributes is tried
PERMUTATIONS = 64  # orders that are sampled otherwise, half of them the reverse of the other half
MOST_STEPS = 60  # attributes that get a step of their own on the forward path; in wider tables, `FEWER_STEPS`
FEWER_STEPS = 30
_ROUNDING = 1e-12  # losses that differ by no more are equal


def forward(folds: OutOfFold, *, steps: int | None = None, progress: Progress | None = None) -> pd.DataFrame:
    """Rank by the best next attribute: what each adds to those before it.

    Parameters
    ----------
    folds : OutOfFold
        The models.
    steps : int, optional
        Length of the path; the attributes left are ranked by what each would add at its end. By default all,
        or 30 in a table of more than 60 attributes.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.
    """
    d = len(folds.names)
    if steps is None:
        steps = d if d <= MOST_STEPS else FEWER_STEPS
    steps = min(max(steps, 1), d)
    known, left = np.zeros(d, dtype=bool), list(range(d))
    before = folds.losses(known[None])[0]
    order, gains = [], []
    total, done = sum(range(d, d - steps, -1)), 0
    for step in range(steps):
        losses = folds.losses(_each_added(known, left))
        mean = losses.mean(axis=1)
        best = int(np.flatnonzero(mean <= mean.min() + _ROUNDING)[0])
        if step == steps - 1:  # the rest is ranked as it now stands
            ranked = [best, *(int(i) for i in np.argsort(mean, kind="stable") if i != best)]
            order += [left[i] for i in ranked]
            gains += [before - losses[i] for i in ranked]
            break
        order.append(left[best])
        gains.append(before - losses[best])
        known[left.pop(best)] = True
        before = losses[best]
        done += len(left) + 1
        if progress is not None:
            progress(done / total)
    return _table(folds, order, np.array(gains))


def drop(folds: OutOfFold, *, progress: Progress | None = None) -> pd.DataFrame:
    """Rank by what is lost while one attribute is hidden and all others are known."""
    d = len(folds.names)
    every = folds.losses(np.ones((1, d), dtype=bool))
    lost = folds.losses(~np.eye(d, dtype=bool)) - every
    return _sorted(folds, lost)


def alone(folds: OutOfFold) -> pd.DataFrame:
    """Rank by what each attribute says on its own, with nothing else known."""
    d = len(folds.names)
    nothing = folds.losses(np.zeros((1, d), dtype=bool))
    return _sorted(folds, nothing - folds.losses(np.eye(d, dtype=bool)))


def share(
    folds: OutOfFold,
    *,
    permutations: int = PERMUTATIONS,
    random_state: int | None = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Rank by the Shapley share of what the model says about the class; the shares add up to all of it.

    Every set of attributes is tried where that takes at most about a million predictions. Otherwise random
    orders in which attributes become known are sampled, each with its reverse; the error of sampling is part
    of the interval.

    Parameters
    ----------
    folds : OutOfFold
        The models.
    permutations : int
        Orders to sample.
    random_state : int, optional
        Which orders.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.
    """
    d = len(folds.names)
    if d <= 20 and (1 << d) * folds.n_rows <= MOST_EXACT:
        return _sorted(folds, _exact_shares(folds, progress))
    sampled = _sampled_shares(folds, max(2, permutations // 2), random_state, progress)  # (pairs, d, folds)
    error = sampled.mean(axis=2).std(axis=0, ddof=1) / np.sqrt(len(sampled))
    return _sorted(folds, sampled.mean(axis=0), error)


def _exact_shares(folds: OutOfFold, progress: Progress | None) -> Floats:
    """Return the Shapley values by all 2^d sets, (d, folds)."""
    d = len(folds.names)
    sets = np.arange(1 << d)
    known = (sets[:, None] >> np.arange(d) & 1).astype(bool)
    losses = _in_parts(folds, known, progress)
    size = known.sum(axis=1)
    chance = np.array([1 / (d * comb(d - 1, s)) for s in range(d)])
    values = []
    for i in range(d):
        without = sets[~known[:, i]]
        gain = losses[without] - losses[without | 1 << i]
        values.append(chance[size[without]] @ gain)
    return np.array(values)


def _sampled_shares(
    folds: OutOfFold, pairs: int, random_state: int | None, progress: Progress | None
) -> Floats:
    """Return what each attribute adds in random orders, the mean of an order and its reverse."""
    d, rng = len(folds.names), np.random.default_rng(random_state)
    ends = folds.losses(np.array([[False] * d, [True] * d]))
    values = np.empty((pairs, d, ends.shape[1]))
    prefixes = np.tri(d - 1, d, dtype=bool)  # of 1, 2, ... d - 1 attributes
    for pair in range(pairs):
        order = rng.permutation(d)
        orders = (order, order[::-1])
        known = np.zeros((2, d - 1, d), dtype=bool)
        for one, places in zip(known, orders, strict=True):
            one[:, places] = prefixes
        found = folds.losses(known.reshape(-1, d)).reshape(2, d - 1, -1)
        both = np.zeros((d, ends.shape[1]))
        for losses, places in zip(found, orders, strict=True):
            both[places] += -np.diff(np.concatenate([ends[:1], losses, ends[1:]]), axis=0)
        values[pair] = both / 2
        if progress is not None:
            progress((pair + 1) / pairs)
    return values


def _in_parts(folds: OutOfFold, known: Known, progress: Progress | None) -> Floats:
    parts = np.array_split(known, max(1, min(20, len(known) // 8)))
    found = []
    for part in parts:
        found.append(folds.losses(part))
        if progress is not None:
            progress(len(found) / len(parts))
    return np.concatenate(found)


def _each_added(known: Known, left: list[int]) -> Known:
    """Return the sets with one more attribute known, for each of those left."""
    sets = np.repeat(known[None], len(left), axis=0)
    sets[np.arange(len(left)), left] = True
    return sets


def _sorted(folds: OutOfFold, values: Floats, more: Floats | float = 0.0) -> pd.DataFrame:
    """Return the table of values (d, folds), the largest mean first; of equals the first column."""
    mean = np.round(values.mean(axis=1) / _ROUNDING) * _ROUNDING
    order = np.argsort(-mean, kind="stable")
    more = more[order] if isinstance(more, np.ndarray) else more
    return _table(folds, order.tolist(), values[order], more)


def _table(folds: OutOfFold, order: list[int], values: Floats, more: Floats | float = 0.0) -> pd.DataFrame:
    import pandas as pd

    mean, low, high = folds.interval(values, more)
    names = [folds.names[i] for i in order]
    return pd.DataFrame({"attribute": names, "value": mean, "low": low, "high": high})


METHODS: dict[str, Callable[..., pd.DataFrame]] = {FORWARD: forward, DROP: drop, SHARE: share}
