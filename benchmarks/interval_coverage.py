"""How often 90% credible intervals hold the truth, where the truth is known because it was drawn.

Rows are drawn from a truth, a model learns them, and cases from the same truth are asked about with some of
the attributes known. Counted is how often the interval of the first class holds its true probability. The
truths:

    nb          a star, learned by naive Bayes
    nb twice    the same, with every second attribute in the table twice: only trained weights are right
    nb logit    attributes that depend on each other, and a class whose log odds add up
    tree        a tree given the class; GNB is given the graph
    tree logit  as in nb logit, with a part in the log odds for every pair of the tree; GNB is given the graph
    tan, gnb    a forest given the class; the graph is learned, too
    gaussian    bell curves in every class, learned by Gaussian naive Bayes

    python benchmarks/interval_coverage.py --truths 20 --cases 30 --seed 0
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

import pgm_nb as pnb
from pgm_nb.inference import Factors, log_joint, normalise

ROWS = (150, 500, 2000)
PARAMETERS = ("generative", "class")
KNOWN = ("one", "half", "all")


Key: TypeAlias = tuple[str, str, int, str]  # the truth, the parameters, the rows, what is known


@dataclass
class Tally:
    """What was counted in one setting."""

    held: int = 0
    asked: int = 0
    width: float = 0.0


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


def forest(rng: np.random.Generator, d: int, k: int, lowest: int) -> Factors:
    """Draw a forest given the class; -1 as the lowest mother cuts it here and there."""
    cards = rng.integers(2, 5, size=d)
    mothers = (-1, *(int(rng.integers(lowest, i)) for i in range(1, d)))
    tables = tuple(
        np.log(rng.dirichlet(np.full(cards[i], 1.5), size=(k,) if m < 0 else (k, cards[m])) + 1e-12)
        for i, m in enumerate(mothers)
    )
    return Factors(np.log(rng.dirichlet(np.full(k, 5.0))), tuple(range(d)), mothers, tables)


def star(rng: np.random.Generator) -> Joint:
    """Draw a truth in which the attributes are independent given the class."""
    found = forest(rng, int(rng.integers(5, 10)), int(rng.integers(2, 4)), -1)
    tables = tuple(table if table.ndim == 2 else table[:, 0] for table in found.tables)
    return Joint(Factors(found.log_prior, found.columns, (-1,) * len(tables), tables))


def tree(rng: np.random.Generator, lowest: int = 0) -> Joint:
    """Draw a truth in which an attribute depends on the class and one other attribute."""
    return Joint(forest(rng, int(rng.integers(5, 10)), int(rng.integers(2, 4)), lowest))


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


def with_graph(truth: Any, **options: Any) -> Any:
    """Make a GNB that is given the graph of a truth."""
    names = [f"x{i}" for i in range(len(truth.factors.mothers))]
    mothers = {names[i]: names[m] for i, m in enumerate(truth.factors.mothers) if m >= 0}
    return pnb.GeneralizedNaiveBayes(structure=pnb.CherryTree("class", tuple(names), mothers), **options)


def plain(kind: Any, _: Any, **options: Any) -> Any:
    """Make a model that learns its graph, if it has one."""
    return kind(**options)


TWICE = "nb twice"
SETTINGS: dict[str, tuple[Callable[[np.random.Generator], Any], Callable[..., Any]]] = {
    "nb": (star, partial(plain, pnb.NaiveBayes)),
    TWICE: (star, partial(plain, pnb.NaiveBayes)),
    "nb logit": (partial(logit, pairs=False), partial(plain, pnb.NaiveBayes)),
    "tree": (tree, with_graph),
    "tree logit": (partial(logit, pairs=True), with_graph),
    "tan": (partial(tree, lowest=-1), partial(plain, pnb.TreeAugmentedNaiveBayes)),
    "gaussian": (bells, partial(plain, pnb.GaussianNaiveBayes)),
    "gnb": (partial(tree, lowest=-1), partial(plain, pnb.GeneralizedNaiveBayes)),
}


def study(
    tallies: dict[Key, Tally],
    seed: int,
    settings: list[str],
    sizes: list[int],
    cases: int,
    kinds: list[str],
) -> None:
    """Draw one truth per setting and number of rows; learn each kind of parameters; ask about cases."""
    for (at, name), n in itertools.product(enumerate(SETTINGS), sizes):
        if name not in settings:
            continue
        rng = np.random.default_rng([seed, n, at])
        draw, make = SETTINGS[name]
        truth = draw(rng)
        codes, y = truth.sample(rng, n)
        if len(np.unique(y)) < len(truth.posterior(codes[:, :1])[0]):
            continue
        twice = name == TWICE  # says nothing new, and weights can learn that
        X, labels = repeated(truth.table(codes), twice), pd.Series(y, name="class")
        asked, _ = truth.sample(rng, cases)
        order = rng.random(asked.shape).argsort(axis=0).argsort(axis=0)
        for parameters in kinds if name != "gaussian" else ["generative"]:
            options = {"parameters": parameters, "smoothing": "hierarchical"} if name != "gaussian" else {}
            model = make(truth, **options).fit(X, labels)
            kind = parameters
            if kind == "class" and not model.class_parameters_.changes_something:
                kind = "class, nothing gained"
            for known, number in zip(KNOWN, (1, (len(asked) + 1) // 2, len(asked)), strict=True):
                if twice and known != "all":
                    continue  # weights for any part of the columns do not hold for both copies of some
                tally = tallies.setdefault((name, kind, n, known), Tally())
                hidden = truth.hide(asked, order < number)
                exact = truth.posterior(hidden)[:, 0]
                rows = repeated(truth.table(hidden), twice).iterrows()
                for true, (_, row) in zip(exact, rows, strict=True):
                    found = model.credible_interval(row.dropna().to_dict())
                    low, high = found["low"][0], found["high"][0]
                    tally.held += int(low <= true <= high)
                    tally.width += high - low
                    tally.asked += 1


def words(codes: Any, cards: Any) -> pd.DataFrame:
    """Return coded rows as a table of words."""
    found = {
        f"x{i}": pd.Categorical.from_codes(
            np.where(own < card, own.astype(np.intp), -1), [f"s{j}" for j in range(card)]
        )
        for i, (own, card) in enumerate(zip(codes, cards, strict=True))
    }
    return pd.DataFrame(found)


def repeated(X: pd.DataFrame, twice: bool) -> pd.DataFrame:
    """Return the table, with a copy of every second attribute if it is to have them."""
    return X.assign(**{f"{name} again": X[name] for name in X.columns[::2]}) if twice else X


def table(tallies: dict[Key, Tally]) -> pd.DataFrame:
    """Return the study as a table."""
    return pd.DataFrame(
        [(*key, t.held / t.asked, t.width / t.asked, t.asked) for key, t in sorted(tallies.items())],
        columns=["truth", "parameters", "rows", "known", "coverage", "width", "cases"],
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--truths", type=int, default=20, help="truths per setting and number of rows")
    parser.add_argument(
        "--cases", type=int, default=30, help="cases per truth and number of known attributes"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--settings", default=",".join(SETTINGS))
    parser.add_argument("--rows", default=",".join(map(str, ROWS)))
    parser.add_argument("--parameters", default=",".join(PARAMETERS))
    options = parser.parse_args()
    tallies: dict[Key, Tally] = {}
    rows, kinds = [int(n) for n in options.rows.split(",")], options.parameters.split(",")
    for number in range(options.truths):
        study(tallies, options.seed + number, options.settings.split(","), rows, options.cases, kinds)
    found = table(tallies)
    print(found.to_string(index=False, float_format="{:.3f}".format))
    for by in (["truth", "parameters", "known"], ["truth", "parameters"], ["parameters"]):
        for key, part in found.groupby(by):
            share = (part["coverage"] * part["cases"]).sum() / part["cases"].sum()
            print(f"{', '.join(map(str, key))}: {share:.3f} of {part['cases'].sum():,} cases")


if __name__ == "__main__":
    main()
