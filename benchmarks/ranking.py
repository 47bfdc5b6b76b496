"""What does readability cost? Our models ranked with scikit-learn's and the explainable boosting machine.

    python benchmarks/ranking.py --data FOLDER [--results FILE] [--machine FILE] [--models NAME ...]
                                 [--docs FOLDER] [--report]

Every ``*.csv`` or ``*.csv.gz`` with a last column ``class`` is used: five stratified folds, the same for
every model, with default parameters. Rows of classes with fewer than five rows are left out;
of tables with more than 10,000 rows a stratified random sample of that size is used. The report says where.
Scores are kept in FILE as they come, fold by fold, so that an interrupted run can continue and several can
share the work; `--report` writes the pages from what is there. The scores of the explainable boosting machine
come from ``boosting_machine.py``.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

import pgm_nb as pnb
from pgm_nb.evaluate import PEERS
from pgm_nb.evaluate.crossvalidate import FAILURES, seeded, with_preprocessing
from pgm_nb.scoring.folds import make_folds
from pgm_nb.scoring.metrics import accuracy, log_loss

FOLDS = 5
MOST_ROWS = 10_000
# Put aside before anything was tuned, and reported on their own: large and mixed, words only, many classes,
# few rows, missing cells.
ASIDE = ("adult", "car", "mfeat-zernike", "parkinsons", "sick")
WAYS = {
    "class": {"smoothing": "hierarchical", "parameters": "class"},
    "tables": {"smoothing": "backoff", "parameters": "generative", "n_bins": 5},
}
GRAPHS = {"nb": pnb.NaiveBayes, "tan": pnb.TreeAugmentedNaiveBayes, "gnb": pnb.GeneralizedNaiveBayes}


def variants() -> dict[str, Callable[[], Any]]:
    """Return NB, TAN and GNB trained for the class and as they once were; their default if it is neither."""
    found: dict[str, Callable[[], Any]] = {}
    for name, kind in GRAPHS.items():
        if default_of(name) == name:
            found[name] = kind
        for ending, options in WAYS.items():
            found[f"{name}-{ending}"] = lambda kind=kind, options=options: kind(**options)
    return found


def default_of(name: str) -> str:
    """Return which of the variants of a graph is its default."""
    kind = GRAPHS[name]
    for ending, options in WAYS.items():
        if all(kind().get_params()[key] == value for key, value in options.items()):
            return f"{name}-{ending}"
    return name


def family() -> dict[str, Callable[[], Any]]:
    """Return all other models; one that counts as several (AODE, WAODE) under its choices."""
    found: dict[str, Callable[[], Any]] = {}
    for kind in pnb.MODELS:
        if kind.about.short_name not in GRAPHS:
            for place, variant in enumerate(kind.about.variants()):
                name = variant.key.replace(" ", "-") if place else kind.about.short_name
                found[name] = lambda kind=kind, variant=variant: kind(**variant.parameters)
    return found


CONTENDERS: dict[str, Callable[[], Any]] = {
    **variants(),
    "gnb-5": lambda: pnb.GeneralizedNaiveBayes(n_bins=5),
    "gnb-order-4": lambda: pnb.GeneralizedNaiveBayes(order=4),
    "gnb-for-class": lambda: pnb.GeneralizedNaiveBayes(search="class"),
    "gnb-for-class-4": lambda: pnb.GeneralizedNaiveBayes(search="class", order=4),
    **family(),
    **{name: make for name, (_, make) in PEERS.items()},
}
COLUMNS = ("model", "data", "fold", "accuracy", "log_loss", "process_seconds", "wall_seconds", "failed")


class Score(NamedTuple):
    """How one model did on one fold."""

    accuracy: float
    log_loss: float
    process_seconds: float
    wall_seconds: float


def tables(folder: Path) -> list[Path]:
    """Return the files of a folder, the small ones first."""
    return sorted(folder.glob("*.csv*"), key=lambda path: path.stat().st_size)


def load(path: Path) -> tuple[pd.DataFrame, pd.Series, str]:
    """Return attributes, classes, and a note on what was left out."""
    frame = pnb.read_table(path)
    y = frame.pop("class").astype(str)
    sizes = y.value_counts()
    rare = sizes.index[sizes < FOLDS]
    notes = [f"without the {sizes[rare].sum()} rows of rare classes"] if len(rare) else []
    frame, y = frame[~y.isin(rare)], y[~y.isin(rare)]
    if len(frame) > MOST_ROWS:
        notes.append(f"{MOST_ROWS:,} of {len(frame):,} rows")
        frame, _, y, _ = train_test_split(frame, y, train_size=MOST_ROWS, stratify=y, random_state=0)
    return frame.reset_index(drop=True), y.reset_index(drop=True), "; ".join(notes)


def folds_of(model: Any, X: pd.DataFrame, y: pd.Series, done: set[int]) -> Iterator[tuple[int, Score]]:
    """Train and score a model on each fold that is not done yet, with one thread for linear algebra."""
    classes, truth = np.unique(y, return_inverse=True)
    for fold in make_folds(X, y.to_numpy(), FOLDS, 0):
        if fold.number in done:
            continue
        fresh = clone(model)
        with threadpool_limits(1):
            wall, own = perf_counter(), process_time()
            fresh.fit(X.iloc[fold.train], y.iloc[fold.train])
            own, wall = process_time() - own, perf_counter() - wall
            given = fresh.predict_proba(X.iloc[fold.test])
        probabilities = np.zeros((len(fold.test), len(classes)))
        probabilities[:, np.searchsorted(classes, fresh.classes_)] = given
        right = truth[fold.test]
        yield fold.number, Score(accuracy(probabilities, right), log_loss(probabilities, right), own, wall)


def note(results: Path, *values: Any) -> None:
    """Add a line to the results."""
    pd.DataFrame([values], columns=COLUMNS).to_csv(
        results, mode="a", header=not results.exists(), index=False
    )


def run(folder: Path, results: Path, models: list[str]) -> None:
    """Score the models on every table and fold that is not in the results yet."""
    warm_up()
    for short in models:
        for path in tables(folder):
            name = path.name.split(".")[0]
            known = pd.read_csv(results) if results.exists() else pd.DataFrame(columns=COLUMNS)
            mine = known[(known["model"] == short) & (known["data"] == name)]
            done = set(mine.loc[mine["failed"].isna(), "fold"])
            if len(done) == FOLDS or mine["failed"].notna().any():
                continue
            X, y, _ = load(path)
            reason = ""
            model = seeded(with_preprocessing(CONTENDERS[short]()), 0)
            try:
                for number, score in folds_of(model, X, y, done):
                    note(results, short, name, number, *score, "")
            except FAILURES as error:
                reason = " ".join(str(error).split())
            if reason:
                note(results, short, name, 0, *[float("nan")] * 4, reason)
            print(f"{short} on {name}: {reason or 'done'}", flush=True)


def warm_up() -> None:
    """Have everything compiled and imported before anything is timed."""
    X, y = pnb.load_sample("iris")
    for make in CONTENDERS.values():
        with_preprocessing(make()).fit(X, y).predict_proba(X)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=Path("ranking.csv"))
    parser.add_argument("--machine", type=Path, default=Path("boosting_machine.csv"))
    parser.add_argument("--models", nargs="+", choices=tuple(CONTENDERS), default=list(CONTENDERS))
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[1] / "docs")
    parser.add_argument("--report", action="store_true", help="write the pages only")
    options = parser.parse_args()
    if not options.report:
        run(options.data, options.results, options.models)
    from ranking_report import report

    report(options.data, options.results, options.machine, options.docs)
