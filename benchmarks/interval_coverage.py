"""How often 90% credible intervals hold the truth, where the truth is known because it was drawn.

A truth is a random tree or star over a few attributes given the class. Rows are drawn from it, a model learns
them, and cases from the same truth are asked about with some attributes known. Counted is how often the
interval of the first class holds its true probability.

    python benchmarks/interval_coverage.py --truths 20 --cases 30 --seed 0
"""

from __future__ import annotations

import argparse
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import pgm_nb as pnb
from pgm_nb.inference import Factors, log_joint, normalise

REPEATED = "nb twice"
MODELS = {
    REPEATED: pnb.NaiveBayes,
    "nb": pnb.NaiveBayes,
    "tan": pnb.TreeAugmentedNaiveBayes,
    "gnb": pnb.GeneralizedNaiveBayes,
}
ROWS = (150, 500, 2000)
PARAMETERS = ("generative", "class")
KNOWN = ("one", "half", "all")


@dataclass
class Tally:
    """What was counted in one setting."""

    held: int = 0
    asked: int = 0
    width: float = 0.0
    trained: int = 0
    models: int = 0


def truth(rng: np.random.Generator, d: int, k: int, *, star: bool) -> Factors:
    """Draw a model that is a star, or a forest given the class; every table is drawn evenly."""
    cards = rng.integers(2, 5, size=d)
    mothers = (-1, *(-1 if star else int(rng.integers(-1, i)) for i in range(1, d)))
    tables = tuple(
        np.log(rng.dirichlet(np.full(cards[i], 1.5), size=(k,) if m < 0 else (k, cards[m])) + 1e-12)
        for i, m in enumerate(mothers)
    )
    return Factors(np.log(rng.dirichlet(np.full(k, 5.0))), tuple(range(d)), mothers, tables)


def sampled(rng: np.random.Generator, factors: Factors, n: int) -> tuple[Any, Any]:
    """Draw rows, (d, n), and their classes."""
    y = rng.choice(len(factors.log_prior), size=n, p=np.exp(factors.log_prior))
    columns: list[Any] = []
    for table, mother in zip(factors.tables, factors.mothers, strict=True):
        shares = np.exp(table[y] if mother < 0 else table[y, columns[mother]])
        ends = shares.cumsum(axis=1) / shares.sum(axis=1, keepdims=True)
        columns.append(np.minimum((ends < rng.random(n)[:, None]).sum(axis=1), table.shape[-1] - 1))
    return np.array(columns, dtype=np.uint8), y


def study(
    tallies: dict[tuple[str, str, int, str], Tally], seed: int, models: list[str], rows: list[int], cases: int
) -> None:
    """Draw one truth per model and number of rows; learn both kinds of parameters; ask about cases."""
    for short, n in itertools.product(models, rows):
        rng = np.random.default_rng([seed, n, len(short), ord(short[0])])
        d, k = int(rng.integers(5, 10)), int(rng.integers(2, 4))
        real = truth(rng, d, k, star=MODELS[short] is pnb.NaiveBayes)
        codes, y = sampled(rng, real, n)
        if len(np.unique(y)) < k:
            continue
        names = [f"x{i}" for i in range(d)]
        states = [pd.CategoricalDtype([f"s{j}" for j in range(card)]) for card in real.cards]
        X = pd.DataFrame(
            {
                name: pd.Categorical.from_codes(c, dtype=t)
                for name, c, t in zip(names, codes, states, strict=True)
            }
        )
        twice = names[: d // 2] if short == REPEATED else []  # says nothing new, and weights can learn that
        X = X.assign(**{f"{name} again": X[name] for name in twice})
        asked, _ = sampled(rng, real, cases)
        order = rng.random((d, cases)).argsort(axis=0).argsort(axis=0)
        for parameters in PARAMETERS:
            model = MODELS[short](parameters=parameters, smoothing="hierarchical").fit(X, y)
            trained = parameters == "class" and bool(
                model.class_parameters_.strength or (model.class_parameters_.weights != 1).any()
            )
            for known, number in zip(KNOWN, (1, (d + 1) // 2, d), strict=True):
                if twice and known != "all":
                    continue
                tally = tallies.setdefault((short, parameters, n, known), Tally())
                tally.models += 1
                tally.trained += trained
                hidden = np.where(order < number, asked, real.cards[:, None])
                exact = np.exp(normalise(log_joint(real, hidden), real.log_prior))[:, 0]
                for i in range(cases):
                    given = {
                        name: f"s{code}"
                        for name, code, card in zip(names, hidden[:, i], real.cards, strict=True)
                        if code < card
                    }
                    if known == "all":
                        given |= {f"{name} again": given[name] for name in twice}
                    found = model.credible_interval(given)
                    low, high = found["low"][0], found["high"][0]
                    tally.held += int(low <= exact[i] <= high)
                    tally.width += high - low
                    tally.asked += 1


def table(tallies: dict[tuple[str, str, int, str], Tally]) -> pd.DataFrame:
    """Return the study as a table."""
    return pd.DataFrame(
        [
            (*key, t.held / t.asked, t.width / t.asked, t.trained / t.models, t.asked)
            for key, t in sorted(tallies.items())
        ],
        columns=["model", "parameters", "rows", "known", "coverage", "width", "trained", "cases"],
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--truths", type=int, default=20, help="truths per model and number of rows")
    parser.add_argument(
        "--cases", type=int, default=30, help="cases per truth and number of known attributes"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--rows", default=",".join(map(str, ROWS)))
    options = parser.parse_args()
    tallies: dict[tuple[str, str, int, str], Tally] = {}
    rows = [int(n) for n in options.rows.split(",")]
    for number in range(options.truths):
        study(tallies, options.seed + number, options.models.split(","), rows, options.cases)
    found = table(tallies)
    print(found.to_string(index=False, float_format="{:.3f}".format))
    for parameters, part in found.groupby("parameters"):
        share = (part["coverage"] * part["cases"]).sum() / part["cases"].sum()
        print(f"{parameters}: {share:.3f} of {part['cases'].sum():,} cases")


if __name__ == "__main__":
    main()
