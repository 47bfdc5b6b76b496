"""Order 4 against order 3 of generalized naive Bayes: how much better it predicts, and how long it takes.

    python benchmarks/order.py --data FOLDER [--tables NAME ...]     ten folds, ten bins, log-loss in bits
    python benchmarks/order.py --speed [--classes 2 5]               1e5 rows x 30 columns, beside TAN

The folds are the same for every model. Classes with fewer than ten rows are left out; of tables with more
than 10,000 rows a stratified sample of that size is used, as in ``ranking.py``.
"""

import argparse
import warnings
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

import pgm_nb as pnb
from pgm_nb.warm_up import warm_up

FOLDS = 10
ORDERS = (3, 4)
WAYS = ("generative", "class")
TABLES = (
    "balance_scale", "banknote", "car", "heart_cleveland", "house_votes_84", "kr-vs-kp", "nursery",
    "vehicle", "wdbc",
)  # fmt: skip


def scores(X: pd.DataFrame, y: pd.Series) -> dict[tuple[str, int], tuple[float, float, float]]:
    """Return log-loss in bits, accuracy and seconds per fold of every order and way."""
    found = {}
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    for way in WAYS:
        for order in ORDERS:
            losses, right = [], []
            start = perf_counter()
            for train, test in folds:
                model = pnb.GeneralizedNaiveBayes(order=order, n_bins=10, parameters=way)
                model.fit(X.iloc[train], y.iloc[train])
                chances = model.predict_proba(X.iloc[test])
                place = np.searchsorted(model.classes_, y.iloc[test].to_numpy())
                losses.extend(-np.log2(np.maximum(chances[np.arange(len(test)), place], 1e-15)))
                right.extend(chances.argmax(axis=1) == place)
            seconds = (perf_counter() - start) / FOLDS
            found[way, order] = float(np.mean(losses)), float(np.mean(right)), seconds
    return found


def compare(folder: Path, tables: list[str]) -> None:
    """Print a line per table: log-loss and accuracy of order 3 and 4, as counted and trained."""
    from ranking import load

    print(f"{'table':<18}" + "".join(f"{way[:5]} {order}: loss  right  " for way in WAYS for order in ORDERS))
    for name in tables:
        X, y, _ = load(folder / f"{name}.csv.gz")
        y = y.astype(str)
        common = y.isin(y.value_counts()[lambda n: n >= FOLDS].index).to_numpy()
        found = scores(X[common].reset_index(drop=True), y[common].reset_index(drop=True))
        line = "".join(f"   {loss:9.4f} {right:6.3f}" for loss, right, _ in found.values())
        print(f"{name:<18}{line}", flush=True)


def speed(classes: int, rows: int = 100_000, columns: int = 30) -> None:
    """Print the least processor time of fit and predict_proba, by turns, and the least elapsed time.

    Elapsed time means something on a quiet machine only.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    base = rng.normal(size=(rows, columns)) + y[:, None] * rng.random(columns)
    X = pd.DataFrame(base + 0.7 * np.roll(base, 1, axis=1) + 0.4 * np.roll(base, 2, axis=1))
    X.columns = [f"x{i}" for i in range(columns)]
    warm_up()
    for n_bins in (5, 10):
        bins = {"n_bins": n_bins}
        models = {
            "TAN": pnb.TreeAugmentedNaiveBayes(**bins),
            "AODE": pnb.AveragedOneDependence(**bins),
            "KDB": pnb.KDependenceBayes(**bins),
            "GNB-4, as counted": pnb.GeneralizedNaiveBayes(order=4, parameters="generative", **bins),
            "GNB-3": pnb.GeneralizedNaiveBayes(**bins),
            "GNB-4": pnb.GeneralizedNaiveBayes(order=4, **bins),
        }
        least, elapsed = dict.fromkeys(models, np.inf), dict.fromkeys(models, np.inf)
        for _ in range(4):
            for name, model in models.items():
                start, began = process_time(), perf_counter()
                model.fit(X, y).predict_proba(X)
                least[name] = min(least[name], process_time() - start)
                elapsed[name] = min(elapsed[name], perf_counter() - began)
        for name, seconds in least.items():
            print(
                f"{classes} classes, {n_bins:>2} intervals, {name:<18}{seconds:7.2f} s "
                f"{seconds / least['TAN']:5.2f} times TAN; "
                f"elapsed {elapsed[name]:.2f} s {elapsed[name] / elapsed['TAN']:5.2f} times TAN",
                flush=True,
            )


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 5], help="for --speed")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.speed:
        for classes in options.classes:
            speed(classes)
    if options.data:
        compare(options.data, options.tables)


if __name__ == "__main__":
    main()
