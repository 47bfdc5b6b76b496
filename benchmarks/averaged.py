"""AODE and WAODE beside Weka's: `benchmarks/averaged.py DATA --weka JAR [TABLE ...]`.

Both are trained on the same codes and asked for the distributions of the same rows in one batch. What is
compared is processor time, ours on one core: elapsed time would include the other work on the machine. DATA
is a folder with the tables as NAME.csv.gz, the class in the last column. Weka 3.6 has both classifiers in its
jar.
"""

import argparse
from importlib import import_module
from pathlib import Path

import numpy as np
from harness import Contender, Table, Target, compare, ratio, three_digits
from hidden import FASTER, TABLES, Coded, Weka, on_the_processor
from peers import WEKA

from pgm_nb.counts import count
from pgm_nb.information import information
from pgm_nb.models.averaged.scores import OneDependence, log_scores

AGREE = 0.999  # of the rows in the same class: Weka multiplies probabilities, which may underflow


def classify(table: Coded, weighting: str | None):
    """Return the work: the distributions of all rows and the most probable classes."""
    d = len(table.cards)
    weights, smoothing = np.full(d, 1 / d), None
    if weighting is not None:
        relevance = information(table.counts).relevance
        weights, smoothing = relevance / relevance.sum(), 1.0
    model = OneDependence(table.counts, weights, smoothing, 0 if weighting else 1)

    def run() -> np.ndarray:
        scores = log_scores(model, table.codes, kernel="products", n_threads=1)
        return np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)).argmax(axis=1)

    return on_the_processor(run)


def against_weka(table: Coded, jar: Path, name: str, weighting: str | None) -> tuple[tuple[str, ...], Target]:
    """Time both by turns; return a row of the table and the target."""
    weka = Weka(jar, table, name, processor=True)
    contenders = [Contender("ours", classify(table, weighting)), Contender("Weka", weka)]
    found = compare(contenders, lambda a, b: np.mean(a == b) >= AGREE, rounds=7, budget=20.0)
    weka.close()
    n, gain = len(table.y), ratio(found["Weka"], found["ours"])
    shape = f"{n:,} x {len(table.cards)} x {table.k}"
    times = [three_digits(1e6 * found[one].median / n) for one in ("ours", "Weka")]
    return (name, table.name, shape, *times, f"{gain:.1f}"), Target(f"{name}, {table.name}", FASTER, gain)


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--weka", type=Path, default=WEKA)
    parser.add_argument("--times", type=int, default=1, help="repeat the rows of a table so many times")
    options = parser.parse_intermixed_args()
    import_module("pgm_nb.models.averaged.compiled")  # compiles before the clock runs
    rows, targets = [], []
    for name in options.tables:
        table = Coded(options.data / f"{name}.csv.gz")
        table.codes = np.tile(table.codes, (1, options.times))
        table.y = np.tile(table.y, options.times)
        table.counts = count(table.codes, table.y, table.cards, table.k)
        for classifier, weighting in (("AODE", None), ("WAODE", "information")):
            row, target = against_weka(table, options.weka, classifier, weighting)
            rows.append(row)
            targets.append(target)
            print(*row, flush=True)
    header = ("model", "table", "rows x attributes x classes", "ours", "Weka", "ratio")
    print(Table("Microseconds of the processor per row, all rows in one batch", header, rows).text())
    print(Table("Targets", ("", "wanted", "measured", "met"), [t.row() for t in targets]).text())


if __name__ == "__main__":
    main()
