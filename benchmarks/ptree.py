"""Cost of classifying one row against the number of training rows: P-trees, and sums over all rows.

    python benchmarks/ptree.py [PICTURE.svg]

Two classes; three correlated numbers, two skewed ones and a category; joining at threshold 0.05. Both
contenders sum the same HOBbit kernels and must reach the same scores to 1e-9; the second visits every row.
Processor time runs from the row's values to its scores, without the handling of tables. Prints a table
and draws cost against rows, both axes logarithmic.
"""

import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from pgm_nb.models.kernel.model import KernelSemiNaiveBayes, join
from pgm_nb.models.kernel.sums import HobbitColumn, hobbit_distance, hobbit_log_weights, pair_places

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
QUERIES = 20


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    common = rng.normal(size=n) + 0.8 * y
    X = pd.DataFrame({f"number {i}": common + rng.normal(size=n) for i in range(3)})
    X["dose"], X["days"] = rng.lognormal(size=n) * (1 + y), rng.exponential(size=n)
    X["ward"] = rng.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1])
    return X, y


def over_all_rows(model, values):
    """Return the scores of one row by the same kernels, summed over every training row."""
    columns: list[HobbitColumn] = [attribute.hobbit for attribute in model.attributes_]
    codes = [attribute.integers(v)[0] for attribute, v in zip(model.attributes_, values, strict=True)]
    kernel = np.array(
        [
            np.exp(hobbit_log_weights(column.sigma, column.number_bits))[hobbit_distance(rows, code)]
            if column.number_bits
            else (rows == code).astype(float)
            for column, rows, code in zip(columns, model.learned_.rows.astype(np.int64), codes, strict=True)
        ]
    )
    a, b = pair_places(len(columns))
    ends = np.searchsorted(model.learned_.y, np.arange(len(model.classes_) + 1))
    parts = [kernel[:, start:stop] for start, stop in pairwise(ends)]
    single = np.log([part.sum(axis=1) for part in parts]).T[None]
    joint = np.log([(part @ part.T)[a, b] for part in parts]).T[None]
    found = join(
        single,
        joint,
        np.ones((1, len(columns)), dtype=bool),
        model._class_sizes,
        threshold=model.threshold,
        anticorrelation=model.anticorrelation,
        smoothing=model.smoothing,
    )
    return found.log_likelihood


def measure(n):
    X, y = table(n)
    new, _ = table(QUERIES, seed=1)
    started = time.perf_counter()
    model = KernelSemiNaiveBayes().fit(X, y)
    fitted = time.perf_counter() - started
    times = {"P-tree": [], "all rows": []}
    for place in range(QUERIES):
        values = model._values(new.iloc[[place]])
        for tree in model._index.trees:
            tree._ranges.clear()  # every query finds its ranges anew
        started = time.process_time()
        ours = model._join(values).log_likelihood
        times["P-tree"].append(time.process_time() - started)
        started = time.process_time()
        theirs = over_all_rows(model, values)
        times["all rows"].append(time.process_time() - started)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    size = sum(tree.nbytes for tree in model._index.trees)
    plain = n * sum(attribute.hobbit.bits for attribute in model.attributes_) / 8
    return {"rows": n, "fit s": fitted, "index / plain bits": size / plain} | {
        f"{name} ms": 1e3 * float(np.median(spent)) for name, spent in times.items()
    }


def svg(results):
    """Draw cost against rows, both axes logarithmic, beside a line of cost in proportion to the rows."""
    rows, ours = results["rows"].to_numpy(float), results["P-tree ms"].to_numpy()
    lines = {
        "P-tree": (ours, "#0072b2", ""),
        "sums over all rows": (results["all rows ms"].to_numpy(), "#d55e00", ""),
        "in proportion to the rows": (ours[0] * rows / rows[0], "#7f7f7f", "4 4"),
    }
    top = np.ceil(np.log10(max(values.max() for values, _, _ in lines.values())))
    bottom = np.floor(np.log10(min(values.min() for values, _, _ in lines.values())))
    left, right = np.log10(rows[[0, -1]])

    def x(value):
        return 70 + 380 * (np.log10(value) - left) / (right - left)

    def y(value):
        return 330 - 290 * (np.log10(value) - bottom) / (top - bottom)

    parts = []
    for power in np.arange(left, right + 1):
        at = x(10.0**power)
        parts.append(f'<line x1="{at:.1f}" y1="40" x2="{at:.1f}" y2="330" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="348" text-anchor="middle">{10**power:,.0f}</text>')
    for power in np.arange(bottom, top + 1):
        at = y(10.0**power)
        parts.append(f'<line x1="70" y1="{at:.1f}" x2="450" y2="{at:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="64" y="{at + 4:.1f}" text-anchor="end">{10**power:g}</text>')
    for place, (name, (values, colour, dashes)) in enumerate(lines.items()):
        points = " ".join(f"{x(n):.1f},{y(ms):.1f}" for n, ms in zip(rows, values, strict=True))
        style = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"'
        parts.append(f'<polyline points="{points}" {style}/>')
        parts.append(f'<text x="84" y="{58 + 17 * place}" fill="{colour}">{name}</text>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 390" '
        'font-family="Helvetica,Arial,sans-serif" font-size="12">'
        '<rect width="480" height="390" fill="white"/>'
        '<text x="70" y="24" font-size="14">Processor milliseconds for one row to classify</text>'
        f'{"".join(parts)}<text x="260" y="374" text-anchor="middle">training rows</text></svg>\n'
    )


def main(path: Path | None) -> None:
    results = pd.DataFrame([measure(n) for n in SIZES])
    print(results.round(3).to_string(index=False))
    for name in ("P-tree", "all rows"):
        slope = np.polyfit(np.log(results["rows"]), np.log(results[f"{name} ms"]), 1)[0]
        last = np.log(results[f"{name} ms"].iloc[-1] / results[f"{name} ms"].iloc[-3]) / np.log(10)
        print(f"{name}: cost grows as rows^{slope:.2f}; from 1e5 to 1e6 as rows^{last:.2f}")
    if path is not None:
        path.write_text(svg(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
