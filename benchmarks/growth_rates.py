"""How time and memory grow with rows, attributes, states and classes: exponents against the mathematics.

    python benchmarks/growth_rates.py

Each size is doubled three times and the slope of log time over log size is fitted. The run fails if a slope
exceeds the exponent of the mathematics by more than 0.3.
"""

import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pandas as pd
from harness import Table
from synthetic import sample_tree

from pgm_nb import NaiveBayes, TreeAugmentedNaiveBayes
from pgm_nb.warm_up import warm_up

__all__ = ["benchmark", "exponent"]

MARGIN = 0.3
ROUNDS = 5
Shape = tuple[int, int, int, int]  # rows, attributes, states, classes
BASE: Shape = (20_000, 24, 4, 2)
STARTS = {"rows": 50_000, "attributes": 40, "states": 4, "classes": 2}
# the exponents of the mathematics, in the order of STARTS
FIT_NB, FIT_TAN, PREDICT = (1, 1, 1, 1), (1, 2, 2, 1), (1, 1, 1, 1)
MEMORY_NB, MEMORY_TAN = (1, 1, 1, 1), (1, 2, 2, 1)


def exponent(sizes: list[int], values: list[float]) -> float:
    """Return the slope of log value over log size."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def benchmark() -> tuple[Table, list[str]]:
    """Return the exponents, and a sentence for each that is too large."""
    warm_up()
    kinds: list[tuple[str, Callable, tuple[int, ...]]] = [
        ("NB fit", lambda frame, y: _seconds(lambda: NaiveBayes().fit(frame, y)), FIT_NB),
        ("TAN fit", lambda frame, y: _seconds(lambda: TreeAugmentedNaiveBayes().fit(frame, y)), FIT_TAN),
        ("NB predict", _predicting(NaiveBayes), PREDICT),
        ("TAN predict", _predicting(TreeAugmentedNaiveBayes), PREDICT),
        ("NB fit, memory", lambda frame, y: _bytes(lambda: NaiveBayes().fit(frame, y)), MEMORY_NB),
        (
            "TAN fit, memory",
            lambda frame, y: _bytes(lambda: TreeAugmentedNaiveBayes().fit(frame, y)),
            MEMORY_TAN,
        ),
    ]
    found: dict[str, list[float]] = {name: [] for name, _, _ in kinds}
    for place, start in enumerate(STARTS.values()):
        sizes = [start * 2**step for step in range(4)]
        tables = [_table(place, size) for size in sizes]
        for name, measure, _ in kinds:
            found[name].append(exponent(sizes, [measure(*table) for table in tables]))
    rows, wrong = [], []
    for name, _, allowed in kinds:
        rows.append(
            (
                name,
                *(f"{slope:.2f} (at most {most})" for slope, most in zip(found[name], allowed, strict=True)),
            )
        )
        wrong += [
            f"{name} grows with {what} by the power {slope:.2f}, but the mathematics has {most}"
            for what, slope, most in zip(STARTS, found[name], allowed, strict=True)
            if slope > most + MARGIN
        ]
    return Table("Growth: fitted exponents", ("", *STARTS), rows), wrong


def _table(place: int, size: int) -> tuple[pd.DataFrame, np.ndarray]:
    shape = list(BASE)
    shape[place] = size
    codes, y = sample_tree(*shape)
    return pd.DataFrame({f"a{i}": column.astype(np.int64) for i, column in enumerate(codes)}), y


def _predicting(model: type) -> Callable:
    def measure(frame: pd.DataFrame, y: np.ndarray) -> float:
        fitted = model().fit(frame, y)
        return _seconds(lambda: fitted.predict(frame))

    return measure


def _seconds(run: Callable) -> float:
    """Return the least processor time of a few runs: other programs on the machine disturb it little."""
    least = float("inf")
    for _ in range(ROUNDS + 1):
        start = time.process_time()
        run()
        least = min(least, time.process_time() - start)
    return least


def _bytes(run: Callable) -> float:
    """Return the largest memory that a run holds at a time."""
    tracemalloc.start()
    run()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return float(most)


if __name__ == "__main__":
    table, wrong = benchmark()
    print(table.text())
    sys.exit("\n".join(wrong) or 0)
