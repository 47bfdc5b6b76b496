"""How many attributes the kernel model should join at a row: `benchmarks/joining.py DATA [TABLE ...]`.

Ten folds, the same for every model. Prints the share of wrong rows in percent and the log-loss in bits, and
the difference from pairs with its standard error over the rows (the same rows, so differences are paired).
DATA is a folder with the tables as NAME.csv.gz, the class in the last column.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from ranking import load
from sklearn.model_selection import StratifiedKFold

import pgm_nb as pnb

FOLDS = 10
TABLES = ("iris", "wine", "seeds", "parkinsons", "sonar", "heart_cleveland", "vehicle", "wdbc", "banknote")
WAYS = {"none": {"threshold": None}, "pairs": {}, "three": {"max_joined": 3}, "any": {"max_joined": None}}


def losses(X, y, **choices) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows are wrong and the log-loss of each in bits, predicted from the other folds."""
    wrong, bits = np.empty(len(y)), np.empty(len(y))
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        model = pnb.KernelSemiNaiveBayes(kernel="gaussian", **choices).fit(X.iloc[train], y.iloc[train])
        chances = model.predict_proba(X.iloc[test])
        place = np.searchsorted(model.classes_, y.iloc[test].to_numpy())
        wrong[test] = chances.argmax(axis=1) != place
        bits[test] = -np.log2(np.maximum(chances[np.arange(len(test)), place], 1e-15))
    return wrong, bits


def difference(one: np.ndarray, other: np.ndarray) -> str:
    """Return the mean of paired differences, and its standard error."""
    apart = one - other
    return f"{apart.mean():+.3f} ± {apart.std(ddof=1) / np.sqrt(len(apart)):.3f}"


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tables", nargs="*", default=TABLES)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    more = "three − pairs | any − pairs"
    print(f"| table | wrong, %: none, pairs | {more} | log-loss in bits: none, pairs | {more} |")
    print("|---|---|---|---|---|---|---|")
    for name in options.tables:
        X, y, _ = load(options.data / f"{name}.csv.gz")
        found = {way: losses(X, y.astype(str), **choices) for way, choices in WAYS.items()}
        cells = []
        for measure, times in ((0, 100), (1, 1)):
            one = {way: times * result[measure] for way, result in found.items()}
            cells.append(f"{one['none'].mean():.2f}, {one['pairs'].mean():.2f}")
            cells += [difference(one[way], one["pairs"]) for way in ("three", "any")]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
