"""AODE and WAODE beside Weka's: `benchmarks/averaged.py DATA --weka JAR [--write DOCUMENT] [TABLE ...]`.

Both are trained on the same codes and asked for the distributions of the same rows in one batch. Three times
are compared: the processor's, ours on one core; the time that passes from coded rows, ours on all cores; and
the time that passes in `predict_proba` from a DataFrame, on all cores, while Weka gets coded rows.
DATA is a folder with the tables as NAME.csv.gz, the class in the last column; drawn-5-2 is none of them, but
100,000 rows of 30 attributes with 5 states and 2 classes, drawn from a tree. Weka 3.6 has both classifiers in
its jar.
"""

import argparse
import os
import re
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from harness import Contender, Table, Target, Timed, compare, ratio, three_digits, write_between
from hidden import FASTER, Coded, Weka
from peers import WEKA
from synthetic import sample_tree

from pgm_nb import AveragedOneDependence
from pgm_nb.engine.sums import posteriors
from pgm_nb.models.averaged_one_dependence import log_scores

TABLES = (
    *("mfeat-zernike", "mfeat-fourier", "optdigits", "mfeat-pixel"),
    *("spambase", "kr-vs-kp", "nursery", "adult", "wdbc"),
    *("drawn-5-2", "drawn-10-2", "drawn-5-5"),
)
DRAWN = re.compile(r"drawn-(\d+)-(\d+)")
HEADER = (
    *("model", "table", "rows x attributes x classes", "one core", "Weka", "times"),
    *("all cores, elapsed", "Weka, elapsed", "times", "from a DataFrame", "times"),
)
TITLE = "Microseconds per row, all rows in one batch"
AGREE = 0.999  # of the rows in the same class: Weka multiplies probabilities, which may underflow


def timed(run: Callable[[], np.ndarray], clock: Callable[[], float]) -> Callable[[], Timed]:
    """Return the work with its time; which class is the most probable is found afterwards, as with Weka."""

    def work() -> Timed:
        start = clock()
        found = run()
        return Timed(clock() - start, found.argmax(axis=1))

    return work


def rows_of(path: Path) -> pd.DataFrame:
    """Read a table, or draw it."""
    drawn = DRAWN.match(path.name)
    if not drawn:
        return pd.read_csv(path)
    codes, y = sample_tree(100_000, 30, *map(int, drawn.groups()))
    cells = np.char.add("s", np.vstack([codes, y]).T.astype(str))
    return pd.DataFrame(cells, columns=[f"x{i}" for i in range(30)] + ["y"]).astype("category")


def against_weka(path: Path, jar: Path, name: str, times: int) -> tuple[tuple[str, ...], list[Target]]:
    """Time all by turns; return a row of the table, and the targets: for users, and for one core."""
    frame = pd.concat([rows_of(path)] * times, ignore_index=True)
    table = Coded(path, frame)
    weighting = None if name == "AODE" else "information"
    model = AveragedOneDependence(weighting=weighting, discretizer="uniform", n_bins=10)
    model.fit(frame.iloc[:, :-1], table.y)

    def codes(n_threads: int | None) -> np.ndarray:
        scores = log_scores(model.factors_, table.codes, kernel="compiled", n_threads=n_threads)
        return posteriors(scores, model.class_log_prior_)

    def whole() -> np.ndarray:
        return model.predict_proba(frame.iloc[:, :-1])

    weka = Weka(jar, table, name, processor=True)
    contenders = [
        Contender("ours", timed(partial(codes, 1), time.thread_time)),
        Contender("all", timed(partial(codes, None), time.perf_counter)),
        Contender("frame", timed(whole, time.perf_counter)),
        Contender("Weka", weka),
    ]
    found = compare(contenders, lambda a, b: np.mean(a == b) >= AGREE, rounds=7, budget=20.0)
    weka.close()
    n, gain = len(table.y), ratio(found["Weka"], found["ours"])
    elapsed = median(weka.elapsed[1:] or weka.elapsed)
    micro = [
        three_digits(1e6 * seconds / n)
        for seconds in (
            *(found["ours"].median, found["Weka"].median, found["all"].median, elapsed),
            found["frame"].median,
        )
    ]
    shape = f"{n:,} x {len(table.cards)} x {table.k}"
    whole_gain, frame_gain = (elapsed / found[way].median for way in ("all", "frame"))
    gains = [f"{times:.1f}" for times in (gain, whole_gain, frame_gain)]
    row = (name, table.name, shape, *micro[:2], gains[0], *micro[2:4], gains[1], micro[4], gains[2])
    ways = (("from a DataFrame", frame_gain), ("one core", gain))
    return row, [Target(f"{name}, {table.name}, {way}", FASTER, times) for way, times in ways]


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--weka", type=Path, default=WEKA)
    parser.add_argument("--times", type=int, default=1, help="repeat the rows of a table so many times")
    parser.add_argument("--write", type=Path, help="put the table between the marks of this document")
    options = parser.parse_intermixed_args()
    if not options.weka.exists():
        sys.exit(f"There is no {options.weka}; --weka says where the jar of Weka 3.6 is")
    busy = os.getloadavg()[0]
    import_module("pgm_nb.models.averaged_compiled")  # compiles before the clock runs
    rows, targets = [], []
    for name in options.tables:
        for classifier in ("AODE", "WAODE"):
            path = options.data / f"{name}.csv.gz"
            row, reached = against_weka(path, options.weka, classifier, options.times)
            rows.append(row)
            targets += reached
            print(*row, flush=True)
    day = datetime.now(UTC).date().isoformat()
    note = f"Measured on {day}; other programs made a load of {busy:.1f} when it began."
    table = Table(TITLE, HEADER, rows, [note])
    print(table.text())
    print(Table("Targets", ("", "wanted", "measured", "met"), [t.row() for t in targets]).text())
    if options.write:
        write_between(options.write, "AODE", table.markdown().split("\n", 2)[2])


if __name__ == "__main__":
    main()
