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
    kdb         every attribute has two parents, at random; KDB is given the graph
    kdb leaning the same, where the states of a parent change little
    kdb star    a star, in which KDB takes every attribute to have two parents
    trees       a tree in every class, at random; class trees are given them
    trees star  a star, in which class trees link what they find
    tree tan    a tree given the class, as in tree; TAN learns the graph
    tree gnb    the same; GNB learns the graph
    tree leaning  a tree, with P(x | y) around P(x) and P(x | mother, y) around P(x | y), worth ten rows each
    tree alike  a tree, where only the states of a mother change little
    nb leaning  a star, with P(x | y) around P(x), worth ten rows
    selective   a star, learned by selective naive Bayes
    selective kept  the same; asked is the true probability given the attributes that the model keeps

    python benchmarks/interval_coverage.py --truths 20 --cases 30 --seed 0
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import pandas as pd
from truths import Graphs, bells, graphs, logit, star, tree

import pgm_nb as pnb

ROWS = (150, 500, 2000)
PARAMETERS = ("generative", "class")
KNOWN = ("one", "half", "all")


Key: TypeAlias = tuple[str, str, int, str]  # the truth, the parameters, the rows, what is known


@dataclass
class Tally:
    """What was counted in one setting."""

    by_truth: list[float] = field(default_factory=list)  # shares held: the cases of a truth go together
    asked: int = 0
    width: float = 0.0

    @property
    def coverage(self) -> float:
        """How often intervals held the truth."""
        return float(np.mean(self.by_truth))

    @property
    def error(self) -> float:
        """Its standard error over truths."""
        return float(np.std(self.by_truth) / np.sqrt(max(1, len(self.by_truth) - 1)))


@contextmanager
def told(truth: Any) -> Iterator[None]:
    """Let KDB and class trees take the graph of the truth for what they found."""
    if not isinstance(truth, Graphs):
        yield
        return
    network = truth.networks[0]
    order = list(network.columns)
    parents = [[order[p] for p in above] for above in network.parents]

    def dependence(_: Any, label: int) -> Any:
        matrix = np.zeros((len(order), len(order)))
        own = truth.networks[label]
        for column, above in zip(own.columns, own.parents, strict=True):
            for p in above:
                matrix[column, own.columns[p]] = matrix[own.columns[p], column] = 1.0
        return matrix

    with (
        patch("pgm_nb.models.k_dependence.choose_parents", lambda *_: (order, parents)),
        patch("pgm_nb.models.class_trees.class_dependence", dependence),
    ):
        yield


def with_graph(truth: Any, **options: Any) -> Any:
    """Make a GNB that is given the graph of a truth."""
    names = [f"x{i}" for i in range(len(truth.factors.mothers))]
    mothers = {names[i]: names[m] for i, m in enumerate(truth.factors.mothers) if m >= 0}
    return pnb.GeneralizedNaiveBayes(structure=pnb.CherryTree("class", tuple(names), mothers), **options)


def plain(kind: Any, _: Any, **options: Any) -> Any:
    """Make a model that learns its graph, if it has one."""
    return kind(**options)


TWICE = "nb twice"
KEPT = "selective kept"
COUNTED = {
    "gaussian",
    "kdb",
    "kdb leaning",
    "kdb star",
    "trees",
    "trees star",
    "selective",
    KEPT,
}  # never trained for the class
SETTINGS: dict[str, tuple[Callable[[np.random.Generator], Any], Callable[..., Any]]] = {
    "nb": (star, partial(plain, pnb.NaiveBayes)),
    TWICE: (star, partial(plain, pnb.NaiveBayes)),
    "nb logit": (partial(logit, pairs=False), partial(plain, pnb.NaiveBayes)),
    "tree": (tree, with_graph),
    "tree logit": (partial(logit, pairs=True), with_graph),
    "tan": (partial(tree, lowest=-1), partial(plain, pnb.TreeAugmentedNaiveBayes)),
    "gaussian": (bells, partial(plain, pnb.GaussianNaiveBayes)),
    "gnb": (partial(tree, lowest=-1), partial(plain, pnb.GeneralizedNaiveBayes)),
    "kdb": (partial(graphs, parents=2), partial(plain, pnb.KDependenceBayes)),
    "kdb leaning": (partial(graphs, parents=2, leaning=10.0), partial(plain, pnb.KDependenceBayes)),
    "kdb star": (star, partial(plain, pnb.KDependenceBayes)),
    "trees": (partial(graphs, parents=1, own=True), partial(plain, pnb.ClassTreesBayes)),
    "trees star": (star, partial(plain, pnb.ClassTreesBayes)),
    "tree tan": (tree, partial(plain, pnb.TreeAugmentedNaiveBayes)),
    "tree gnb": (tree, partial(plain, pnb.GeneralizedNaiveBayes)),
    "tree leaning": (partial(tree, classes=10.0, mothers=10.0), with_graph),
    "tree alike": (partial(tree, mothers=10.0), with_graph),
    "nb leaning": (partial(star, classes=10.0), partial(plain, pnb.NaiveBayes)),
    "selective": (star, partial(plain, pnb.SelectiveNaiveBayes)),
    KEPT: (star, partial(plain, pnb.SelectiveNaiveBayes)),
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
        for parameters in kinds if name not in COUNTED else ["generative"]:
            options = {"parameters": parameters, "smoothing": "hierarchical"} if name not in COUNTED else {}
            with told(truth):
                model = make(truth, **options).fit(X, labels)
            kind = parameters
            if kind == "class" and not model.class_parameters_.changes_something:
                kind = "class, nothing gained"
            for known, number in zip(KNOWN, (1, (len(asked) + 1) // 2, len(asked)), strict=True):
                if twice and known != "all":
                    continue  # weights for any part of the columns do not hold for both copies of some
                tally = tallies.setdefault((name, kind, n, known), Tally())
                hidden = truth.hide(asked, order < number)
                exact = truth.posterior(kept(truth, model, hidden) if name == KEPT else hidden)[:, 0]
                rows = repeated(truth.table(hidden), twice).iterrows()
                held = []
                for true, (_, row) in zip(exact, rows, strict=True):
                    found = model.credible_interval(row.dropna().to_dict())
                    low, high = found["low"][0], found["high"][0]
                    held.append(low <= true <= high)
                    tally.width += high - low
                    tally.asked += 1
                tally.by_truth.append(float(np.mean(held)))


def kept(truth: Any, model: Any, codes: Any) -> Any:
    """Return coded cases in which only attributes that a selective model keeps are known."""
    used = [f"x{i}" not in model.structure_.apart for i in range(len(codes))]
    return truth.hide(codes, np.broadcast_to(np.array(used)[:, None], codes.shape))


def repeated(X: pd.DataFrame, twice: bool) -> pd.DataFrame:
    """Return the table, with a copy of every second attribute if it is to have them."""
    return X.assign(**{f"{name} again": X[name] for name in X.columns[::2]}) if twice else X


def table(tallies: dict[Key, Tally]) -> pd.DataFrame:
    """Return the study as a table."""
    return pd.DataFrame(
        [(*key, t.coverage, t.error, t.width / t.asked, t.asked) for key, t in sorted(tallies.items())],
        columns=["truth", "parameters", "rows", "known", "coverage", "error", "width", "cases"],
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
