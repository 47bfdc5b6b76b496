"""What an attribute says about the class that another one has already said.

L(S) is the log-loss on rows not trained on while only the attributes S are known. On its own an attribute
says L(nothing) - L(i). Once j is known it still adds L(j) - L(i, j). What is missing between the two has
been said by j already. The other attribute named is the one after which least is left to add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.explain.importance.out_of_fold import MOST_ROWS, OutOfFold, Ranked, out_of_fold
from pgm_nb.scoring.parallel import Progress, part_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["redundancy", "redundancy_of"]

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
        bits it still adds once the other is known, between `low` and `high` (95%, over folds). `share`: the
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
    folds = out_of_fold(
        model,
        X,
        y,
        cv=cv,
        random_state=random_state,
        max_rows=max_rows,
        n_jobs=n_jobs,
        progress=part_of(progress, 0.0, 0.5),
    )
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
    left = _still_added(folds, single, others, progress)  # (d, d, folds): what the first adds after the other
    mean = left.mean(axis=2)
    mean[np.arange(d), np.arange(d)] = np.inf
    other = mean.argmin(axis=1) if d > 1 else np.zeros(d, dtype=np.intp)
    if d == 1:
        left = np.broadcast_to((nothing - single)[:, None], (1, 1, single.shape[1]))
    adds, low, high = folds.interval(left[np.arange(d), other])
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
    """L(j) - L(i, j) for every i and these j, (d, d, folds); infinite elsewhere."""
    d = len(folds.names)
    left = np.full((d, d, single.shape[1]), np.inf)
    tried = np.zeros(d, dtype=bool)
    for done, j in enumerate(others, 1):
        rest = np.flatnonzero(~tried & (np.arange(d) != j))  # a pair is scored once
        if len(rest):
            known = np.zeros((len(rest), d), dtype=bool)
            known[:, j] = known[np.arange(len(rest)), rest] = True
            both = folds.losses(known)
            left[rest, j] = single[j] - both
            within = np.isin(rest, others)
            left[j, rest[within]] = single[rest[within]] - both[within]
        tried[j] = True
        if progress is not None:
            progress(done / len(others))
    return left
