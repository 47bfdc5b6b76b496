"""TAN structure and parameters from coded data, beside other libraries and a C program that only counts."""

import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from harness import Contender, Measurement, Table, Target, compare, ratio, three_digits
from limit import SHAPES, compiled_limit
from peers import TAN_PEERS, Coded, Program, Tan
from synthetic import sample_tree

from pgm_nb.counts import Counts, count
from pgm_nb.engine.sums import log_joint
from pgm_nb.information import class_information, information, mutual_information, weight
from pgm_nb.learning import tan
from pgm_nb.learning.trees import grow
from pgm_nb.tables.factors import estimate
from pgm_nb.tables.families import families
from pgm_nb.warm_up import warm_up

__all__ = ["benchmark", "coded", "cores", "our_tan"]

Shape = tuple[int, int, int, int]  # rows, attributes, states, classes
PATIENCE = 60.0  # seconds that one run of a peer may take
CHECKED_ROWS = 20
OURS, ALONE, COUNTING, LIMIT = (
    "pgm_nb, 2 threads",
    "pgm_nb, 1 thread",
    "counting, 1 thread",
    "C counting, 1 core",
)


def benchmark(quick: bool, missing: dict[str, str]) -> tuple[Table, list[Target]]:
    warm_up()
    shapes = SHAPES[:2] if quick else SHAPES
    peers = [name for name in TAN_PEERS if name not in missing]
    header = ("rows x attributes (states, classes)", OURS, ALONE, COUNTING, LIMIT, *peers)
    header = (*header, "fastest peer / ours", "counting / C")
    rows, targets, notes = [], [], [f"{name}: {reason}." for name, reason in missing.items()]
    done: dict[str, dict[Shape, float]] = {name: {} for name in peers}  # seconds of each peer so far
    with tempfile.TemporaryDirectory() as folder:
        limit = compiled_limit(folder)
        for shape in shapes:
            label = _label(shape)
            print(f"TAN, {label} ...", file=sys.stderr, flush=True)
            able = [name for name in peers if _able(name, shape, done[name], notes)]
            times = _race(coded(*shape), limit, able, quick)
            for name in able:
                done[name][shape] = times[name].median
            fastest = min(able, key=lambda name: times[name].median, default=None)
            faster = None if fastest is None else ratio(times[fastest], times[OURS])
            slower = ratio(times[COUNTING], times[LIMIT])
            cells = [times[name].milliseconds() if name in times else "-" for name in header[1:-2]]
            rows.append((label, *cells, "-" if faster is None else three_digits(faster), f"{slower:.2f}"))
            against = "no peer" if fastest is None else fastest
            targets.append(Target(f"TAN from codes, {label}: faster than {against}", 10, faster))
            targets.append(Target(f"Counting, {label}: time of C", 3, slower, at_least=False))
    return Table(
        "TAN from coded data: structure and parameters, ms", header, rows, _notes(peers) + notes
    ), targets


def coded(n: int, d: int, v: int, k: int) -> Coded:
    codes, y = sample_tree(n, d, v, k)
    return Coded(codes, y, v, k, root=int(np.argmax(class_information(count(codes, y, (v,) * d, k)))))


def our_tan(table: Coded, n_threads: int) -> Callable[[], Tan]:
    """Learn as the library does, functions only: counts, information, tree, parameters."""
    names = table.names

    def fit() -> Tan:
        with cores(n_threads):
            counts = count(table.codes, table.y, table.cards, table.k, n_threads=n_threads)
            graph, _ = tan(information(counts), names, "class")
            mothers = np.array([int(graph.mothers.get(name, "x-1")[1:]) for name in names])
            factors = estimate(
                families(counts, range(len(names)), mothers), smoothing=table.v
            )  # one per cell
        return Tan(mothers, lambda m: log_joint(factors, table.codes[:, :m]).argmax(axis=1))

    return fit


@contextmanager
def cores(number: int) -> Iterator[None]:
    """Let this thread, and those it starts, use at most this many cores."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(allowed)[:number])
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def _race(table: Coded, limit: Callable, peers: list[str], quick: bool) -> dict[str, Measurement]:
    counts = count(table.codes, table.y, table.cards, table.k)
    runs = {name: TAN_PEERS[name](table) for name in peers}

    def alone() -> np.ndarray:
        with cores(1):
            return count(table.codes, table.y, table.cards, table.k, n_threads=1).pairs

    field = [
        Contender(OURS, our_tan(table, 2)),
        Contender(ALONE, our_tan(table, 1)),
        Contender(COUNTING, alone, equal=False),
        Contender(LIMIT, lambda: limit(table.codes, table.y, table.v, table.k), equal=False),
        *(Contender(name, run, equal=name != "pomegranate") for name, run in runs.items()),
    ]
    info = information(counts)

    def agree(ours: Tan, theirs: Tan) -> bool:
        heavy = np.isclose(weight(info, theirs.mothers), weight(info, ours.mothers), rtol=1e-9)
        return bool(heavy) and np.array_equal(ours.classify(CHECKED_ROWS), theirs.classify(CHECKED_ROWS))

    try:
        times = compare(field, agree, rounds=15, budget=3.0 if quick else 10.0)
    finally:
        for run in runs.values():
            if isinstance(run, Program):
                run.close()
    assert np.array_equal(times[COUNTING].result, times[LIMIT].result)
    if "pomegranate" in times:
        assert _is_chow_liu(times["pomegranate"].result, counts)
    return times


def _is_chow_liu(mothers: np.ndarray, counts: Counts) -> bool:
    """Return whether a tree has the largest sum of unconditional mutual information."""
    weights = mutual_information(counts)
    best = grow(weights, [0])[1]
    heavy = [weights[np.flatnonzero(m >= 0), m[m >= 0]].sum() for m in (mothers, best)]
    return bool(np.isclose(*heavy, rtol=1e-4))  # it adds in single precision


def _able(name: str, shape: Shape, done: dict[Shape, float], notes: list[str]) -> bool:
    """Return whether a peer gets this table: pgmpy only the smallest, others if a run is not too long."""
    if not done:
        return True
    if name == "pgmpy":
        return False
    like = min(reversed(done), key=lambda other: abs(math.log(other[0] / shape[0])))  # by the number of rows
    seconds = done[like] * _work(shape) / _work(like)
    if seconds > PATIENCE:
        notes.append(f"{name} not run on {_label(shape)}: by its pace so far a run takes {seconds:,.0f} s.")
    return seconds <= PATIENCE


def _work(shape: Shape) -> float:
    """Return pairs times rows; a pair costs at least as much as 10,000 rows."""
    n, d, _, _ = shape
    return d * (d - 1) / 2 * (n + 10_000)


def _label(shape: Shape) -> str:
    n, d, v, k = shape
    return f"{n:,} x {d} ({v}, {k})"


def _notes(peers: list[str]) -> list[str]:
    notes = [
        "Same work: each peer's tree has the same sum of I(Xi;Xj|Y) as ours to 1e-9, and gives the first "
        f"{CHECKED_ROWS} rows the same classes; the two counting columns give equal integers.",
        "Loading is timed for nobody: peers start from a database, tensor or table of their own.",
    ]
    if "pyAgrum" in peers:
        notes.append(
            "pyAgrum, 2 threads: its informations and parameters with SciPy's spanning tree, which is faster "
            "than its own TAN."
        )
    if "pomegranate" in peers:
        notes.append(
            "pomegranate, 2 threads, has no TAN: a Chow-Liu tree over the attributes without the class, "
            "which is lighter work (checked to be the tree of largest plain mutual information)."
        )
    if "pgmpy" in peers:
        notes.append("pgmpy takes the smallest table only.")
    return notes
