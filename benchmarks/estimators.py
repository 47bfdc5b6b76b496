"""What users meet: a DataFrame in, an estimator out, beside scikit-learn and pyAgrum, by the least times.

    python benchmarks/estimators.py [--quick | --unknown]

CategoricalNB takes whole numbers only. So it is measured twice: from the codes alone, as if somebody had made
them beforehand, and with the OrdinalEncoder that makes them from the same DataFrame.
"""

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
from harness import Contender, Table, Target, compare, three_digits
from limit import SHAPES
from peers import TAN_PEERS, missing_peers
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from tan import coded

from pgm_nb import (
    AveragedOneDependence,
    ClassTreesBayes,
    GeneralizedNaiveBayes,
    HiddenNaiveBayes,
    KDependenceBayes,
    KernelSemiNaiveBayes,
    NaiveBayes,
    TreeAugmentedNaiveBayes,
    load_sample,
)
from pgm_nb.warm_up import warm_up

__all__ = ["benchmark", "one_row", "unknown_cells"]

PEER = "pyAgrum"
KERNELS = {
    "kernel, default": KernelSemiNaiveBayes(),
    "kernel, Gaussian": KernelSemiNaiveBayes(kernel="gaussian"),
}
SLOW, SLOW_ROWS = ("KDB", "AODE", "class trees"), 10_000
UNKNOWN = {
    "NB": NaiveBayes(),
    "TAN": TreeAugmentedNaiveBayes(),
    "GNB": GeneralizedNaiveBayes(),
    "GNB of order 4": GeneralizedNaiveBayes(order=4),
    "GNB of order 4, as counted": GeneralizedNaiveBayes(order=4, parameters="generative"),
    "HNB": HiddenNaiveBayes(),
    "KDB": KDependenceBayes(),
    "AODE": AveragedOneDependence(),
    "class trees": ClassTreesBayes(),
}
WITH_PEER = 2e8  # rows times squared attributes up to which the peer is timed


def benchmark(quick: bool, missing: dict[str, str]) -> tuple[Table, list[Target]]:
    """Fit and predict at every shape."""
    warm_up()
    rows, targets = [], []
    for shape in SHAPES[:2] if quick else SHAPES:
        n, d, v, k = shape
        table = coded(*shape)
        frame = pd.DataFrame({f"a{i}": column.astype(np.int64) for i, column in enumerate(table.codes)})
        codes = np.ascontiguousarray(table.codes.T).astype(np.int64)
        label = f"{n:,} x {d} ({v}, {k})"
        least = _naive(frame, codes, table.y, v) | _trees(
            frame, table, n * d * d <= WITH_PEER and PEER not in missing
        )
        for what in ("fit", "predict"):
            targets.append(
                Target(f"NB {what}, {label}: faster than CategoricalNB from codes", 1, least[what, "codes"])
            )
        if ("fit", PEER) in least:
            targets.append(Target(f"TAN fit, {label}: faster than {PEER} from codes", 5, least["fit", PEER]))
        order = [(what, way) for what in ("fit", "predict") for way in ("ours", "codes", "frame")]
        order += [("fit", "tan"), ("fit", PEER), ("predict", "tan")]
        rows.append((label, *(three_digits(least[key]) if key in least else "-" for key in order)))
    header = (
        *("rows x attributes (states, classes)", "NB fit, ms", "CategoricalNB / ours, from codes"),
        *("with OrdinalEncoder / ours", "NB predict, ms", "CategoricalNB / ours, from codes"),
        *("with OrdinalEncoder / ours", "TAN fit, ms", f"{PEER} from codes / ours", "TAN predict, ms"),
    )
    notes = ["Least of interleaved runs; ours take a DataFrame of 64-bit integers, with default parameters."]
    return Table("The estimators, from a DataFrame", header, rows, notes), targets


def one_row() -> Table:
    """Measure `predict_proba` of one row of a DataFrame, beside scikit-learn's GaussianNB."""
    rng = np.random.default_rng(0)
    X, y = load_sample("wdbc")
    wide = pd.DataFrame(rng.random((500, 1_000)), columns=[f"a{i}" for i in range(1_000)])
    digits = coded(2_000, 240, 7, 10)
    pixels = pd.DataFrame({f"a{i}": column.astype(np.int64) for i, column in enumerate(digits.codes)})
    long = pd.DataFrame(rng.normal(size=(100_000, 10)), columns=[f"a{i}" for i in range(10)])
    sums = (long.sum(axis=1) > 0).astype(int)
    cases = (
        ("WDBC", X, y, {"NB": NaiveBayes(), "GaussianNB": GaussianNB()}),
        ("1,000 attributes", wide, rng.integers(0, 2, 500), {"NB": NaiveBayes(), "GaussianNB": GaussianNB()}),
        ("240 attributes, 10 classes", pixels, digits.y, {"HNB": HiddenNaiveBayes()}),
        ("WDBC", X, y, KERNELS),
        ("100,000 x 10", long, sums, KERNELS),
    )
    rows = []
    for label, table, labels, models in cases:
        fitted = {name: clone(model).fit(table, labels) for name, model in models.items()}
        row = table.iloc[[3]]
        least = _least({name: partial(model.predict_proba, row) for name, model in fitted.items()}, 50)
        rows += [(label, name, three_digits(time)) for name, time in least.items()]
    return Table("One row of a DataFrame, predict_proba", ("table", "model", "ms, least of 50"), rows)


def unknown_cells(names: Sequence[str] = (), shapes: Sequence[str] = ()) -> Table:
    """Measure rows with unknown cells: processor time of `predict` over that of complete rows."""
    X, y = load_sample("wdbc")
    table = coded(100_000, 30, 5, 2)
    frame = pd.DataFrame({f"a{i}": column.astype(float) for i, column in enumerate(table.codes)})
    rng = np.random.default_rng(0)
    numbers = frame + 0.9 * rng.random(frame.shape)
    every = {"WDBC": (X, y), "five states": (frame, table.y), "ten bins": (numbers, table.y)}
    tables = {name: given for name, given in every.items() if not shapes or name in shapes}
    shares, rows = (0.3, 0.003), []
    unknown = {
        (name, share): _by_column(rows_given.mask(rng.random(rows_given.shape) < share))
        for name, (rows_given, _) in tables.items()
        for share in shares
    }
    for label, model in UNKNOWN.items():
        if names and label not in names:
            continue
        found = []
        for name, (complete, classes) in tables.items():
            fitted = clone(model).fit(complete.iloc[:20_000], np.asarray(classes)[:20_000])
            given = {"0": _by_column(complete)} | {str(share): unknown[name, share] for share in shares}
            few = {key: frame.iloc[: SLOW_ROWS if label in SLOW else None] for key, frame in given.items()}
            least = _least_processor({key: partial(fitted.predict, frame) for key, frame in few.items()})
            found += [three_digits(least[str(share)] / least["0"]) for share in shares]
        rows.append((label, *found))
    header = ("model", *(f"{name}, {share:.1%}" for name in tables for share in shares))
    notes = [
        "Processor time of predict with some cells unknown over that of complete rows, least of seven.",
        f"100,000 rows of 30 attributes, but WDBC and {', '.join(SLOW)}: up to {SLOW_ROWS:,} rows.",
    ]
    return Table("Rows with unknown cells, processor time", header, rows, notes)


def _by_column(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the same table with its columns one after the other in memory, so that coding takes the same."""
    return pd.DataFrame({name: column.to_numpy().copy() for name, column in frame.items()})


def _least_processor(runs: dict, rounds: int = 7, budget: float = 6.0) -> dict:
    """Return the least processor time of each run; they take turns."""
    least, begin = dict.fromkeys(runs, np.inf), time.monotonic()
    for turn in range(rounds):
        if turn > 1 and time.monotonic() - begin > budget:
            break
        for key, run in runs.items():
            start = time.process_time()
            run()
            least[key] = min(least[key], time.process_time() - start)
    return least


def _naive(frame: pd.DataFrame, codes: np.ndarray, y: np.ndarray, v: int) -> dict[tuple[str, str], float]:
    """Return our times, and how many times as long CategoricalNB takes."""
    ours, theirs = NaiveBayes().fit(frame, y), CategoricalNB(min_categories=v).fit(codes, y)
    whole = make_pipeline(OrdinalEncoder(), CategoricalNB(min_categories=v)).fit(frame, y)
    runs = {
        ("fit", "ours"): lambda: NaiveBayes().fit(frame, y),
        ("fit", "codes"): lambda: CategoricalNB(min_categories=v).fit(codes, y),
        ("fit", "frame"): lambda: make_pipeline(OrdinalEncoder(), CategoricalNB(min_categories=v)).fit(
            frame, y
        ),
        ("predict", "ours"): lambda: ours.predict(frame),
        ("predict", "codes"): lambda: theirs.predict(codes),
        ("predict", "frame"): lambda: whole.predict(frame),
    }
    least = _least(runs, 5)
    return {
        (what, way): time if way == "ours" else time / least[what, "ours"]
        for (what, way), time in least.items()
    }


def _trees(frame: pd.DataFrame, table, with_peer: bool) -> dict[tuple[str, str], float]:
    fitted = TreeAugmentedNaiveBayes().fit(frame, table.y)
    runs = {
        ("fit", "tan"): lambda: TreeAugmentedNaiveBayes().fit(frame, table.y),
        ("predict", "tan"): lambda: fitted.predict(frame),
    }
    if with_peer:
        runs["fit", PEER] = TAN_PEERS[PEER](table)
    least = _least(runs, 4)
    if with_peer:
        least["fit", PEER] /= least["fit", "tan"]
    return least


def _least(runs: dict, rounds: int) -> dict:
    """Return the least time of each run in milliseconds; they take turns."""
    field = [Contender(str(name), run, equal=False) for name, run in runs.items()]
    times = compare(field, lambda *_: True, rounds=rounds, budget=8.0)
    return {name: 1e3 * min(times[str(name)].seconds) for name in runs}


def main(say: Callable[[str], None] = print) -> None:
    warm_up()
    if "--unknown" in sys.argv:
        say(unknown_cells().text())
        return
    table, targets = benchmark("--quick" in sys.argv, missing_peers())
    say(table.text())
    say(one_row().text())
    say(unknown_cells().text())
    for target in targets:
        say("  ".join(target.row()))


if __name__ == "__main__":
    main()
