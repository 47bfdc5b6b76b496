"""Gaussian naive Bayes compared with scikit-learn's: times. (Accuracy: `pgm-nb reproduce gaussian`.)

python benchmarks/gaussian.py
"""

import numpy as np
from harness import Contender, Table, Target, compare, ratio, three_digits
from sklearn.naive_bayes import GaussianNB

from pgm_nb import load_sample
from pgm_nb.models.gaussian_naive_bayes import GaussianNaiveBayes

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


if __name__ == "__main__":
    table, targets = benchmark()
    print(table.text())
    for target in targets:
        print(*target.row(), sep=" | ")
