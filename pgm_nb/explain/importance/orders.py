"""The order in which attributes matter for the class, and what one says that another has said already."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.errors import DataError
from pgm_nb.explain.importance.out_of_fold import MOST_ROWS, Known, OutOfFold, Ranked, out_of_fold
from pgm_nb.scoring.folds import Progress, part_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DROP",
    "FORWARD",
    "METHODS",
    "SHARE",
    "alone",
    "drop",
    "forward",
    "importance",
    "redundancy",
    "redundancy_of",
    "share",
]

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
    return _sorted(folds, *_sampled_shares(folds, max(2, permutations // 2), random_state, progress))


def _exact_shares(folds: OutOfFold, progress: Progress | None) -> Floats:
    """Return the Shapley values by all 2^d sets, (d, rows)."""
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
) -> tuple[Floats, Floats]:
    """Return what each attribute adds in random orders and their reverses, (d, rows), and its error, (d,)."""
    d, rng = len(folds.names), np.random.default_rng(random_state)
    ends = folds.losses(np.array([[False] * d, [True] * d]))
    total, means = np.zeros((d, ends.shape[1])), np.empty((pairs, d))
    prefixes = np.tri(d - 1, d, dtype=bool)  # of 1, 2, ... d - 1 attributes
    for pair in range(pairs):
        order = rng.permutation(d)
        orders = (order, order[::-1])
        known = np.zeros((2, d - 1, d), dtype=bool)
        for one, places in zip(known, orders, strict=True):
            one[:, places] = prefixes
        found = folds.losses(known.reshape(-1, d)).reshape(2, d - 1, -1)
        both = np.zeros_like(total)
        for losses, places in zip(found, orders, strict=True):
            both[places] += -np.diff(np.concatenate([ends[:1], losses, ends[1:]]), axis=0)
        total += both / 2
        means[pair] = both.mean(axis=1) / 2
        if progress is not None:
            progress((pair + 1) / pairs)
    return total / pairs, means.std(axis=0, ddof=1) / np.sqrt(pairs)


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
    """Return the table of values (d, rows), the largest mean first; of equals the first column."""
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


def importance(
    model: Ranked,
    X: Any,
    y: Any,
    method: str = FORWARD,
    *,
    cv: Any = 5,
    random_state: int | None = 0,
    max_rows: int | None = MOST_ROWS,
    permutations: int = PERMUTATIONS,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Rank the attributes by what they add to predicting the class of rows not trained on.

    In every fold a copy of the model is trained once, and then predicts the rows left out with cells hidden;
    nothing is trained again for a smaller set of attributes. All values are bits of log-loss per row: how
    much less surprising the true class becomes.

    Parameters
    ----------
    model : classifier
        A model of this package, or any classifier whose `predict_proba` takes `NaN` for unknown; fitted or
        not, it is copied.
    X, y
        Table and labels.
    method : {"forward", "drop", "share"}
        - ``"forward"``: the path of greedy choices. First the attribute that predicts best on its own, then
          the one that adds most to it, and so on; the value is what the attribute adds to those before it.
          An attribute that repeats an earlier one comes late. In a table of more than 60 attributes the path
          has 30 steps, and the others follow by what each would add at its end.
        - ``"drop"``: what is lost while this attribute is hidden and all others are known. Of two that say
          the same, neither is missed.
        - ``"share"``: the Shapley value, the mean of what the attribute adds over all orders in which the
          attributes can become known. The shares add up to all that the model says about the class. Exact
          where trying every set of attributes takes at most about a million predictions; otherwise from
          sampled orders, with the error of sampling in the interval.
    cv : int, str, splitter of scikit-learn, or iterable of pairs of arrays
        A number of stratified folds; "10x10" for ten times ten; or folds of your own.
    random_state : int, optional
        Which folds, which rows of a large table are predicted, and which orders are sampled.
    max_rows : int or None
        Rows to predict, of all folds together; None for all. The models learn from all rows in any case.
    permutations : int
        Orders to sample for ``"share"``.
    n_jobs : int
        Processes that share the fits; any number gives the same result.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Returns
    -------
    DataFrame
        attribute, value, low, high; the most important first. The interval is 95% by Student's t over the
        rows, corrected as in `compare`, because the models of the folds learn from much the same rows. The
        attributes of the path are chosen on the same folds, so its first values are slightly too large.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing="backoff", n_bins=5)
    >>> pnb.importance(model, *pnb.load_sample("iris")).round(2)
          attribute  value   low  high
    0  petal length   1.11  0.96  1.25
    1   petal width   0.17  0.05  0.29
    2   sepal width   0.05 -0.03  0.13
    3  sepal length  -0.06 -0.13  0.02
    """
    if method not in METHODS:
        raise DataError(f"method must be one of {', '.join(map(repr, METHODS))}, but is {method!r}.")
    settings = {"cv": cv, "random_state": random_state, "max_rows": max_rows, "n_jobs": n_jobs}
    folds = out_of_fold(model, X, y, progress=part_of(progress, 0.0, 0.5), **settings)
    more: dict[str, Any] = {}
    if method == SHARE:
        more = {"permutations": permutations, "random_state": random_state}
    return METHODS[method](folds, progress=part_of(progress, 0.5, 1.0), **more)


MOST_TRIED = 60  # attributes of which every one may be the other; in wider tables, the first `FEWER`
FEWER = 30
LEAST = 0.001  # bits; an attribute that says less on its own says nothing that could be repeated


def redundancy(
    model: Ranked,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    random_state: int | None = 0,
    max_rows: int | None = MOST_ROWS,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Say for each attribute how much of what it says about the class another attribute says already.

    Parameters
    ----------
    model, X, y, cv, random_state, max_rows, n_jobs, progress
        As in `importance`.

    Returns
    -------
    DataFrame
        One row per attribute, those that say most on their own first. `alone`: bits that the attribute takes
        off the log-loss with nothing else known. `other`: the attribute after which it adds least. `adds`:
        bits it still adds once the other is known, between `low` and `high` (95%). `share`: the
        part of `alone` that the other has said, 0 to 1; missing where an attribute says less than 0.001 bits
        on its own. In a table of more than 60 attributes the other is one of the 30 that say most.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing="backoff", n_bins=5)
    >>> found = pnb.redundancy(model, *pnb.load_sample("iris"))
    >>> found[["attribute", "alone", "other", "adds", "share"]].round(2)
          attribute  alone         other  adds  share
    0  petal length   1.11   petal width  0.21   0.81
    1   petal width   1.07  petal length  0.17   0.84
    2  sepal length   0.56  petal length -0.02   1.00
    3   sepal width   0.28  petal length  0.07   0.74
    """
    settings = {"cv": cv, "random_state": random_state, "max_rows": max_rows, "n_jobs": n_jobs}
    folds = out_of_fold(model, X, y, progress=part_of(progress, 0.0, 0.5), **settings)
    return redundancy_of(folds, progress=part_of(progress, 0.5, 1.0))


def redundancy_of(folds: OutOfFold, *, progress: Progress | None = None) -> pd.DataFrame:
    """Return the table of `redundancy` from models that are trained already."""
    import pandas as pd

    d = len(folds.names)
    nothing = folds.losses(np.zeros((1, d), dtype=bool))
    single = folds.losses(np.eye(d, dtype=bool))
    alone = (nothing - single).mean(axis=1)
    order = np.argsort(-alone, kind="stable")
    others = order if d <= MOST_TRIED else order[:FEWER]
    other = _still_added(folds, single.mean(axis=1), others, progress).argmin(axis=1)
    both = np.eye(d, dtype=bool)
    both[np.arange(d), other] = True
    adds, low, high = folds.interval((single[other] if d > 1 else nothing) - folds.losses(both))
    says = alone >= LEAST
    share = np.clip(1 - np.divide(adds, alone, out=np.ones(d), where=says), 0.0, 1.0)
    table = pd.DataFrame(
        {
            "attribute": folds.names,
            "alone": alone,
            "other": [folds.names[i] for i in other] if d > 1 else None,
            "adds": adds,
            "low": low,
            "high": high,
            "share": np.where(says, share, np.nan),
        }
    )
    return table.iloc[order].reset_index(drop=True)


def _still_added(folds: OutOfFold, single: Floats, others: Places, progress: Progress | None) -> Floats:
    """L(j) - L(i, j) for every i and these j, (d, d); infinite elsewhere."""
    d = len(folds.names)
    left = np.full((d, d), np.inf)
    tried = np.zeros(d, dtype=bool)
    for done, j in enumerate(others, 1):
        rest = np.flatnonzero(~tried & (np.arange(d) != j))  # a pair is scored once
        if len(rest):
            known = np.zeros((len(rest), d), dtype=bool)
            known[:, j] = known[np.arange(len(rest)), rest] = True
            both = folds.losses(known).mean(axis=1)
            left[rest, j] = single[j] - both
            within = np.isin(rest, others)
            left[j, rest[within]] = single[rest[within]] - both[within]
        tried[j] = True
        if progress is not None:
            progress(done / len(others))
    return left
