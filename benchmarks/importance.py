"""How long it takes to say which attributes matter, and how good the intervals are.

``python benchmarks/importance.py`` times the path of WDBC, from nothing known to all thirty attributes, with
its folds and intervals. Wanted: less than ten seconds. The time of the processor counts, too, since other
programs may run.

``python benchmarks/importance.py --coverage`` draws truths and many tables from each, and counts how often
the 95% interval of one table holds the mean of what is measured on all of them.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from truths import star, tree

import pgm_nb as pnb

WANTED = 10  # seconds
KEPT = ["x0", "x1", "x2"]


def measured(X: Any, y: Any) -> dict[str, Any]:
    """Return value, low and high of everything that has an interval, (m, 3) each."""
    model = pnb.TreeAugmentedNaiveBayes(parameters="generative", smoothing=1.0)
    found = {}
    for method, more in (("forward", {}), ("drop", {}), ("share", {"permutations": 16})):
        table = pnb.importance(model, X, y, method, **more).set_index("attribute").sort_index()
        found[method] = table[["value", "low", "high"]].to_numpy()
    kept = pnb.keep_only(model, X, y, KEPT).to_frame()
    kept.insert(0, "value", kept["after"] - kept["before"])
    found["keep_only"] = kept[["value", "low", "high"]].to_numpy()
    return found


def coverage(n_truths: int, n_tables: int, n_rows: int, seed: int) -> None:
    """Print how often an interval holds the mean of the values of all tables of its truth."""
    held: dict[str, list[float]] = {}
    for number in range(n_truths):
        rng = np.random.default_rng([seed, number])
        truth = (star if number % 2 else tree)(rng)
        seen: dict[str, list[Any]] = {}
        while len(seen.get("drop", ())) < n_tables:
            codes, y = truth.sample(rng, n_rows)
            if np.bincount(y, minlength=len(truth.factors.log_prior)).min() < 10:
                continue  # five folds with every class in each
            for name, values in measured(truth.table(codes), y).items():
                seen.setdefault(name, []).append(values)
        for name, tables in seen.items():
            value, low, high = np.moveaxis(np.array(tables), 2, 0)  # (tables, m) each
            mean = value.mean(axis=0)
            held.setdefault(name, []).extend(((low <= mean) & (mean <= high)).mean(axis=0).tolist())
    print(f"{n_truths} truths, {n_tables} tables of {n_rows} rows from each, seed {seed}")
    for name, shares in held.items():
        print(f"{name}: {np.mean(shares):.1%}; the lowest of {len(shares)} values: {min(shares):.0%}")


def main() -> None:
    """Measure every way to say what matters, once; or the coverage of intervals."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--coverage", action="store_true")
    options.add_argument("--truths", type=int, default=12)
    options.add_argument("--tables", type=int, default=100)
    options.add_argument("--rows", type=int, default=150)
    options.add_argument("--seed", type=int, default=5)
    asked = options.parse_args()
    if asked.coverage:
        coverage(asked.truths, asked.tables, asked.rows, asked.seed)
        return
    X, y = pnb.load_sample("wdbc")
    for method in ("forward", "drop", "share"):
        model = pnb.GeneralizedNaiveBayes(parameters="class", smoothing="hierarchical")
        begun, busy = time.perf_counter(), time.process_time()
        pnb.importance(model, X, y, method=method)
        seconds, own = time.perf_counter() - begun, time.process_time() - busy
        wanted = f"; wanted: less than {WANTED} s" if method == "forward" else ""
        print(f"{method}: {seconds:.1f} s, of the processor {own:.1f} s{wanted}")


if __name__ == "__main__":
    main()
