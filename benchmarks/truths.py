"""Truths to draw from: stars, forests, networks, log odds and bells, with the posterior of the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pgm_nb.engine.sums import log_joint, normalise
from pgm_nb.tables.factors import Factors

__all__ = ["Bells", "Graphs", "Joint", "Logit", "bells", "forest", "graphs", "logit", "star", "tree"]


@dataclass(frozen=True, eq=False)
class Joint:
    """A truth that is a forest given the class."""

    factors: Factors

    def sample(self, rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        """Draw rows, (d, n), and their classes."""
        y = rng.choice(len(self.factors.log_prior), size=n, p=np.exp(self.factors.log_prior))
        columns: list[Any] = []
        for table, mother in zip(self.factors.tables, self.factors.mothers, strict=True):
            shares = np.exp(table[y] if mother < 0 else table[y, columns[mother]])
            ends = shares.cumsum(axis=1) / shares.sum(axis=1, keepdims=True)
            columns.append(np.minimum((ends < rng.random(n)[:, None]).sum(axis=1), table.shape[-1] - 1))
        return np.array(columns, dtype=np.uint8), y

    def hide(self, codes: Any, known: Any) -> Any:
        """Leave only some of the cells known."""
        return np.where(known, codes, self.factors.cards[:, None])

    def table(self, codes: Any) -> pd.DataFrame:
        """Return rows as a table of words."""
        return words(codes, self.factors.cards)

    def posterior(self, codes: Any) -> Any:
        """Return P(class | what is known), (n, k); a code equal to the number of states is unknown."""
        return np.exp(normalise(log_joint(self.factors, codes), self.factors.log_prior))


@dataclass(frozen=True, eq=False)
class Logit:
    """A truth where the log odds of the class add up over a graph; the attributes are what they are."""

    attributes: Joint  # of a single class
    factors: Factors  # of the log odds

    def sample(self, rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        """Draw rows, (d, n), and their classes."""
        codes, _ = self.attributes.sample(rng, n)
        shares = np.exp(normalise(log_joint(self.factors, codes), self.factors.log_prior))
        return codes, (shares.cumsum(axis=1) < rng.random(n)[:, None]).sum(axis=1).clip(
            max=shares.shape[1] - 1
        )

    def hide(self, codes: Any, known: Any) -> Any:
        """Leave only some of the cells known."""
        return np.where(known, codes, self.factors.cards[:, None])

    def table(self, codes: Any) -> pd.DataFrame:
        """Return rows as a table of words."""
        return words(codes, self.factors.cards)

    def posterior(self, codes: Any) -> Any:
        """Sum over everything that is unknown."""
        cards = self.factors.cards
        every = np.indices(cards).reshape(len(cards), -1).astype(np.uint8)
        shares = np.exp(normalise(log_joint(self.factors, every), self.factors.log_prior))
        shares *= np.exp(log_joint(self.attributes.factors, every))
        found = []
        for case in codes.T:
            agree = ((case[:, None] == every) | (case[:, None] == cards[:, None])).all(axis=0)
            total = shares[agree].sum(axis=0)
            found.append(total / total.sum())
        return np.array(found)


@dataclass(frozen=True, eq=False)
class Bells:
    """A truth with a bell curve for every attribute and class."""

    prior: Any
    mean: Any  # (k, d)
    deviation: Any

    def sample(self, rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        """Draw rows, (d, n), and their classes."""
        y = rng.choice(len(self.prior), size=n, p=self.prior)
        return (self.mean[y] + self.deviation[y] * rng.normal(size=(n, self.mean.shape[1]))).T, y

    def hide(self, cells: Any, known: Any) -> Any:
        """Leave only some of the cells known."""
        return np.where(known, cells, np.nan)

    def table(self, cells: Any) -> pd.DataFrame:
        """Return rows as a table of numbers."""
        return pd.DataFrame(cells.T, columns=[f"x{i}" for i in range(len(cells))])

    def posterior(self, cells: Any) -> Any:
        """Return P(class | what is known), (n, k)."""
        apart = (cells.T[:, None, :] - self.mean) / self.deviation
        logs = np.log(self.prior) - np.nansum(
            apart**2 / 2 + np.log(self.deviation) * ~np.isnan(apart), axis=2
        )
        return np.exp(normalise(logs, np.log(self.prior)))


@dataclass(frozen=True, eq=False)
class Graphs:
    """A truth in which every class has its own network."""

    prior: Any
    networks: tuple[Factors, ...]  # of one class each, the columns in the order of their positions

    @property
    def cards(self) -> Any:
        """Numbers of states of the columns."""
        first = self.networks[0]
        return np.array(first.cards)[np.argsort(first.columns)]

    def sample(self, rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        """Draw rows, (d, n), and their classes."""
        y = rng.choice(len(self.prior), size=n, p=self.prior)
        codes = np.empty((len(self.cards), n), dtype=np.uint8)
        for label, network in enumerate(self.networks):
            rows, columns = np.flatnonzero(y == label), []
            for table, above in zip(network.tables, network.given, strict=True):
                shares = np.exp(table[0][tuple(columns[p] for p in above)])
                shares = np.broadcast_to(shares, (len(rows), shares.shape[-1]))
                ends = shares.cumsum(axis=1) / shares.sum(axis=1, keepdims=True)
                below = (ends < rng.random(len(rows))[:, None]).sum(axis=1)
                columns.append(np.minimum(below, table.shape[-1] - 1))
            codes[np.array(network.columns)[:, None], rows] = columns
        return codes, y

    def hide(self, codes: Any, known: Any) -> Any:
        """Leave only some of the cells known."""
        return np.where(known, codes, self.cards[:, None])

    def table(self, codes: Any) -> pd.DataFrame:
        """Return rows as a table of words."""
        return words(codes, self.cards)

    def posterior(self, codes: Any) -> Any:
        """Return P(class | what is known), (n, k)."""
        logs = np.concatenate([log_joint(network, codes) for network in self.networks], axis=1)
        return np.exp(normalise(logs + np.log(self.prior), np.log(self.prior)))


def graphs(rng: np.random.Generator, *, parents: int, own: bool = False, leaning: float = 0.0) -> Graphs:
    """Draw a graph, or one for every class, and its tables; those of one parent less may be leant on."""
    d, k = int(rng.integers(5, 8)), int(rng.integers(2, 4))
    cards, found = rng.integers(2, 5, size=d), []
    for label in range(k):
        if own or not label:
            columns = rng.permutation(d)
            above = [tuple(rng.permutation(i)[:parents].tolist()) for i in range(d)]
        tables = []
        for i, mothers in enumerate(above):
            table = rng.dirichlet(np.full(cards[columns[i]], 1.5), size=1)
            for mother in mothers:
                shape = (*table.shape[:-1], cards[columns[mother]], table.shape[-1])
                rows = np.broadcast_to(leaning * table[..., None, :] if leaning else 1.5, shape)
                drawn = rng.standard_gamma(rows) + 1e-12
                table = drawn / drawn.sum(axis=-1, keepdims=True)
            tables.append(np.log(table + 1e-12))
        first, more = tuple(a[0] if a else -1 for a in above), tuple(tuple(a[1:]) for a in above)
        found.append(Factors(np.zeros(1), tuple(columns.tolist()), first, tuple(tables), more))
    return Graphs(rng.dirichlet(np.full(k, 5.0)), tuple(found))


def forest(
    rng: np.random.Generator, d: int, k: int, lowest: int, *, classes: float = 0.0, mothers: float = 0.0
) -> Factors:
    """Draw a forest given the class; -1 as the lowest mother cuts it here and there.

    Where a number is given for classes or mothers, P(x | y) lies around P(x), or P(x | mother, y) around
    P(x | y), and the number says how many rows the level above is worth.
    """
    if classes or mothers:
        return _leaning(rng, d, k, lowest, classes, mothers)
    cards = rng.integers(2, 5, size=d)
    found = (-1, *(int(rng.integers(lowest, i)) for i in range(1, d)))
    tables = tuple(
        np.log(rng.dirichlet(np.full(cards[i], 1.5), size=(k,) if m < 0 else (k, cards[m])) + 1e-12)
        for i, m in enumerate(found)
    )
    return Factors(np.log(rng.dirichlet(np.full(k, 5.0))), tuple(range(d)), found, tables)


def _leaning(
    rng: np.random.Generator, d: int, k: int, lowest: int, classes: float, mothers: float
) -> Factors:
    cards = rng.integers(2, 5, size=d)
    found = (-1, *(int(rng.integers(lowest, i)) for i in range(1, d)))
    tables = []
    for i, m in enumerate(found):
        table = rng.dirichlet(np.full(cards[i], 1.5), size=k)
        if classes:
            table = _around(rng, np.tile(classes * table[0], (k, 1)))
        if m >= 0:
            table = _around(rng, np.repeat((mothers or 1e9) * table[:, None], cards[m], axis=1))
        tables.append(np.log(table + 1e-12))
    return Factors(np.log(rng.dirichlet(np.full(k, 5.0))), tuple(range(d)), found, tuple(tables))


def _around(rng: np.random.Generator, rows: Any) -> Any:
    """Draw from Dirichlet distributions."""
    drawn = rng.standard_gamma(rows) + 1e-12
    return drawn / drawn.sum(axis=-1, keepdims=True)


def star(rng: np.random.Generator, **alike: float) -> Joint:
    """Draw a truth in which the attributes are independent given the class."""
    found = forest(rng, int(rng.integers(5, 10)), int(rng.integers(2, 4)), -1, **alike)
    tables = tuple(table if table.ndim == 2 else table[:, 0] for table in found.tables)
    return Joint(Factors(found.log_prior, found.columns, (-1,) * len(tables), tables))


def tree(rng: np.random.Generator, lowest: int = 0, **alike: float) -> Joint:
    """Draw a truth in which an attribute depends on the class and one other attribute."""
    return Joint(forest(rng, int(rng.integers(5, 10)), int(rng.integers(2, 4)), lowest, **alike))


def logit(rng: np.random.Generator, *, pairs: bool) -> Logit:
    """Draw attributes that are a tree, and log odds for every state, or pair of another tree."""
    attributes = forest(rng, d := int(rng.integers(5, 8)), 1, 0)
    k, cards = int(rng.integers(2, 4)), attributes.cards
    mothers = (-1, *(int(rng.integers(0, i)) if pairs else -1 for i in range(1, d)))
    tables = []
    for i, m in enumerate(mothers):
        main = rng.normal(scale=0.8, size=(k, cards[i]))
        tables.append(main if m < 0 else main[:, None] + rng.normal(scale=0.5, size=(k, cards[m], cards[i])))
    return Logit(Joint(attributes), Factors(np.zeros(k), tuple(range(d)), mothers, tuple(tables)))


def bells(rng: np.random.Generator) -> Bells:
    """Draw means and deviations."""
    k, d = int(rng.integers(2, 4)), int(rng.integers(4, 9))
    mean, deviation = rng.normal(scale=0.7, size=(k, d)), rng.uniform(0.5, 1.5, size=(k, d))
    return Bells(rng.dirichlet(np.full(k, 5.0)), mean, deviation)


def words(codes: Any, cards: Any) -> pd.DataFrame:
    """Return coded rows as a table of words."""
    found = {
        f"x{i}": pd.Categorical.from_codes(
            np.where(own < card, own.astype(np.intp), -1), [f"s{j}" for j in range(card)]
        )
        for i, (own, card) in enumerate(zip(codes, cards, strict=True))
    }
    return pd.DataFrame(found)
