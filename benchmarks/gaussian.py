"""Gaussian naive Bayes compared with scikit-learn's: times, and accuracy against the size of the test set.

    python benchmarks/gaussian.py [FIGURE.svg]

The figure is that of Henriksen's note: accuracy on the seeds table against the share of rows kept for
testing, 100 random splits per size, ours and scikit-learn's overlaid (they coincide).
"""

import sys
from pathlib import Path

import numpy as np
from harness import Contender, Table, Target, compare, ratio, three_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from pgm_nb import load_sample
from pgm_nb.models.gaussian.model import GaussianNaiveBayes
from pgm_nb.views.style import class_colour, colours
from pgm_nb.views.svg import Panel, document, label

SIZES = [round(0.05 * i, 2) for i in range(1, 19)]  # share of rows kept for testing
TRIALS = 100
OURS, THEIRS = "pgm_nb", "scikit-learn"
MODELS = {OURS: GaussianNaiveBayes, THEIRS: GaussianNB}


def close(one: object, other: object) -> bool:
    return np.allclose(one, other, rtol=1e-9, atol=1e-10)


def race(X: np.ndarray, y: np.ndarray, loops: int) -> dict[str, dict[str, float]]:
    """Return the median seconds of one call, by task and contender."""
    fitted = {name: kind().fit(X, y) for name, kind in MODELS.items()}

    def fit(name):
        for _ in range(loops):
            model = MODELS[name]().fit(X, y)
        return model.var_

    def predict(name):
        for _ in range(loops):
            answer = fitted[name].predict(X)
        return np.searchsorted(fitted[name].classes_, answer)

    def posterior(name):
        for _ in range(loops):
            answer = fitted[name].predict_proba(X)
        return answer

    times = {}
    for task, work in (("fit", fit), ("predict", predict), ("predict_proba", posterior)):
        runs = [Contender(name, lambda work=work, name=name: work(name)) for name in MODELS]
        times[task] = compare(runs, close, rounds=15 if loops > 1 else 5, budget=20.0)
    return times


def benchmark() -> tuple[Table, list[Target]]:
    seeds_X, seeds_y = load_sample("seeds")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1_000_000)
    big = rng.normal(size=(1_000_000, 30)) + y[:, None]
    words = seeds_y.to_numpy()
    tables = {
        "210 x 7, array": (seeds_X.to_numpy(), np.unique(words, return_inverse=True)[1], 20, 2.0),
        "210 x 7, array, classes as text": (seeds_X.to_numpy(), words, 20, 2.0),
        "210 x 7, frame": (seeds_X, seeds_y, 20, 2.0),
        "1,000,000 x 30, array": (big, y, 1, 1.0),
    }
    rows, targets = [], []
    for title, (X, labels, loops, wanted) in tables.items():
        for task, times in race(X, labels, loops).items():
            faster = ratio(times[THEIRS], times[OURS])
            cells = [three_digits(1e3 * times[name].median / loops) for name in MODELS]
            rows.append((f"{title}: {task}", *cells, f"{faster:.2f}"))
            targets.append(Target(f"Gaussian NB, {title}, {task}: faster than scikit-learn", wanted, faster))
    return Table("Gaussian naive Bayes, ms", ("task", *MODELS, "scikit-learn / ours"), rows), targets


def accuracies() -> dict[str, np.ndarray]:
    """Return the accuracy of every model, size and trial."""
    X, y = (part.to_numpy() for part in load_sample("seeds"))
    results = {name: np.empty((len(SIZES), TRIALS)) for name in MODELS}
    for i, size in enumerate(SIZES):
        for trial in range(TRIALS):
            parts = train_test_split(X, y, test_size=size, random_state=trial, stratify=None)
            for name, kind in MODELS.items():
                results[name][i, trial] = (
                    kind().fit(parts[0], parts[2]).predict(parts[1]) == parts[3]
                ).mean()
    return results


def figure(results: dict[str, np.ndarray]) -> str:
    """Draw mean accuracy with a band of one standard deviation; ours as a line, scikit-learn's as rings."""
    low = min((r.mean(axis=1) - r.std(axis=1)).min() for r in results.values())
    panel = Panel(70, 40, 520, 320, (0.0, 0.95), (float(low) - 0.01, 1.0))
    text = colours("light")["text"]
    parts = [panel.frame("light", "share of rows kept for testing", "accuracy")]
    ours, theirs = results[OURS], results[THEIRS]
    upper = list(zip(SIZES, np.minimum(ours.mean(axis=1) + ours.std(axis=1), 1.0), strict=True))
    lower = list(zip(SIZES, ours.mean(axis=1) - ours.std(axis=1), strict=True))
    band = " ".join("{:.1f},{:.1f}".format(*panel.place(x, y)) for x, y in [*upper, *lower[::-1]])
    parts.append(f'<polygon points="{band}" fill="{class_colour(0)}" fill-opacity="0.15"/>')
    line = [panel.place(x, y) for x, y in zip(SIZES, ours.mean(axis=1), strict=True)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
    parts.append(f'<polyline points="{path}" fill="none" stroke="{class_colour(0)}" stroke-width="2"/>')
    for x, y in zip(SIZES, theirs.mean(axis=1), strict=True):
        across, down = panel.place(x, y)
        ring = f'<circle cx="{across:.1f}" cy="{down:.1f}" r="5" fill="none" stroke="{class_colour(1)}"'
        parts.append(f'{ring} stroke-width="2"/>')
    words = (
        f"Seeds, {TRIALS} splits per size: pgm_nb (line, band: one standard deviation), scikit-learn (rings)"
    )
    parts.append(label(words, 330, 24, text))
    return document(640, 420, "Accuracy against the size of the test set", parts)


def main(path: Path | None) -> None:
    table, targets = benchmark()
    print(table.text())
    for target in targets:
        print(*target.row(), sep=" | ")
    results = accuracies()
    apart = max(abs(results[OURS] - results[THEIRS]).max(), 0.0)
    print(f"\nSeeds: largest difference in accuracy between the two over all splits: {apart:g}")
    for size, mean in zip(SIZES, results[OURS].mean(axis=1), strict=True):
        print(f"  test share {size:.2f}: accuracy {mean:.4f}")
    if path is not None:
        path.write_text(figure(results), encoding="utf-8")
        print(f"Figure: {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
