"""Small random tables, and what attributes are worth by brute force: one prediction at a time."""

from itertools import combinations, permutations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.scoring.folds import make_folds


def random_table(d, seed, n=90, classes=2):
    """Attributes of two to four states that depend on the class and on each other."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    columns, before = {}, y
    for i in range(d):
        states = int(rng.integers(2, 5))
        noise = rng.integers(0, states, n)
        values = np.where(rng.random(n) < 0.25 + 0.12 * i, noise, (y + before * (i % 2)) % states)
        columns[f"x{i}"] = np.array(list("abcd"))[values]
        before = values
    return pd.DataFrame(columns), pd.Series(np.array(["no", "yes", "maybe"])[y], name="ill")


class BruteForce:
    """The log-loss of every set of attributes: cells are emptied one table at a time."""

    def __init__(self, model, X, y, cv=3, seed=0):
        self.names, self.folds = list(X.columns), []
        codes = np.unique(y, return_inverse=True)[1]
        for fold in make_folds(X, y.to_numpy(), cv, seed):
            fitted = clone(model).fit(X.iloc[fold.train], y.iloc[fold.train])
            self.folds.append((fitted, X.iloc[fold.test], codes[fold.test]))
        self.kept = {}

    def loss(self, known):
        key = frozenset(known)
        if key not in self.kept:
            losses = []
            for fitted, rows, truth in self.folds:
                hidden = rows.copy()
                for name in set(self.names) - key:
                    hidden[name] = np.nan if hidden[name].dtype.kind == "f" else None
                posterior = fitted.predict_proba(hidden)
                losses += [-np.log2(p[t]) for p, t in zip(posterior, truth, strict=True)]
            self.kept[key] = float(np.mean(losses))
        return self.kept[key]

    def forward(self):
        known, found = [], []
        while len(known) < len(self.names):
            left = [name for name in self.names if name not in known]
            best = min(left, key=lambda name: self.loss([*known, name]))
            found.append((best, self.loss(known) - self.loss([*known, best])))
            known.append(best)
        return found

    def drop(self):
        return {name: self.loss(set(self.names) - {name}) - self.loss(self.names) for name in self.names}

    def share(self):
        """Shapley's formula over subsets."""
        d, found = len(self.names), {}
        for name in self.names:
            rest = [other for other in self.names if other != name]
            found[name] = sum(
                factorial(size) * factorial(d - size - 1) / factorial(d)
                * (self.loss(known) - self.loss([*known, name]))
                for size in range(d)
                for known in combinations(rest, size)
            )  # fmt: skip
        return found

    def share_by_orders(self):
        """The mean over all orders in which the attributes become known."""
        total = dict.fromkeys(self.names, 0.0)
        for order in permutations(self.names):
            for place, name in enumerate(order):
                total[name] += self.loss(order[:place]) - self.loss(order[: place + 1])
        return {name: value / factorial(len(self.names)) for name, value in total.items()}


@pytest.fixture(scope="session")
def table():
    return random_table


@pytest.fixture(scope="session")
def brute_force():
    return BruteForce


@pytest.fixture(scope="session")
def trees():
    """Models whose cells are hidden in their codes, with both kinds of parameters."""
    own = {"parameters": "class", "smoothing": "hierarchical"}
    plain = {"parameters": "generative", "smoothing": "backoff"}
    return [
        kind(**settings)
        for kind in (pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.GeneralizedNaiveBayes)
        for settings in (plain, own)
    ]
