"""Which defaults? Accuracy and log-loss of smoothing and of bins over many tables.

    python benchmarks/defaults.py DATA_FOLDER [--final] [--only smoothing|bins] [--results FILE]

Every ``*.csv`` or ``*.csv.gz`` with a column ``class`` is used, with at most 5,000 rows and without classes
of fewer than seven. A fifth of the rows of every table is set aside and never used; the rest is
cross-validated in five folds. For smoothing the structure is learned once per fold and only the parameters
change. With --final the contenders are trained on the four fifths and scored on the rows set aside: not to
choose, but to see whether the choice holds. Scores are kept in FILE as they come, so that an interrupted run
can go on.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from harness import Table
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, train_test_split

from pgm_nb import GeneralizedNaiveBayes, NaiveBayes, TreeAugmentedNaiveBayes, read_table
from pgm_nb.engine.sums import log_joint, normalise
from pgm_nb.errors import PgmNbError
from pgm_nb.tables.factors import estimate, estimate_backoff
from pgm_nb.tables.hierarchical import estimate_hierarchical

MODELS = {
    "NB": NaiveBayes(),
    "TAN": TreeAugmentedNaiveBayes(),
    "GNB": GeneralizedNaiveBayes(parameters="generative"),
}
TRAINED = {"GNB, trained for the class": GeneralizedNaiveBayes()}  # its parameters are learned from rows
SMOOTHING = {"hierarchical": estimate_hierarchical, "backoff": estimate_backoff} | {
    f"m = {m:g}": lambda families, m=m: estimate(families, m) for m in (0.5, 1, 2, 5, 10)
}
BINS = {
    **{f"quantile, {n}": {"discretizer": "quantile", "n_bins": n} for n in (3, 5, 7, 10, 20)},
    **{f"equal width, {n}": {"discretizer": "uniform", "n_bins": n} for n in (5, 10)},
    "by the class (MDLP)": {"discretizer": "mdlp"},
}
MOST_ROWS, FEWEST = 5_000, 7
LEAST = -36.0  # natural log of the smallest probability that counts


def prepare(path):
    """Return the rows that may be used, and those set aside."""
    frame = read_table(path)
    frame = frame.sample(min(len(frame), MOST_ROWS), random_state=0)
    y = frame["class"].astype(str)
    frame, y = frame[y.map(y.value_counts()) >= FEWEST], y[y.map(y.value_counts()) >= FEWEST]
    parts = train_test_split(np.arange(len(y)), train_size=0.8, random_state=0, stratify=y)
    X = frame.drop(columns="class")
    return [(X.iloc[part], y.iloc[part]) for part in parts]


def judge(log_posterior, truth):
    own = np.maximum(log_posterior[np.arange(len(truth)), truth], LEAST)
    return -own.sum() / np.log(2), int((log_posterior.argmax(axis=1) == truth).sum())


def smoothed(model, X, y, X_test, truth):
    fitted = clone(model).fit(X, y)
    codes = fitted.encoder_.encode(X_test)
    for name, make in SMOOTHING.items():
        factors = make(fitted.learned_.counts)
        yield name, judge(normalise(log_joint(factors, codes), factors.log_prior), truth)


def binned(model, X, y, X_test, truth):
    for name, parameters in BINS.items():
        fitted = clone(model).set_params(**parameters).fit(X, y)
        yield name, judge(fitted.predict_log_proba(X_test), truth)


def splits(seen, aside, final):
    """Yield pairs of tables to train on and to score."""
    if final:
        return [(seen, aside)]
    X, y = seen
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
    return [((X.iloc[train], y.iloc[train]), (X.iloc[test], y.iloc[test])) for train, test in folds]


def study(contenders, pairs):
    """Return rows (model, contender, log-loss, accuracy) of one table."""
    models = MODELS if contenders is smoothed else MODELS | TRAINED
    for model_name, model in models.items():
        found: dict[str, list] = {}
        for (X, y), (X_test, y_test) in pairs:
            truth = np.searchsorted(np.unique(y), y_test)
            for name, scores in contenders(model, X, y, X_test, truth):
                found.setdefault(name, []).append(scores)
        n_rows = sum(len(y_test) for _, (_, y_test) in pairs)
        for name, scores in found.items():
            loss, right = np.sum(scores, axis=0) / n_rows
            yield model_name, name, loss, right


COLUMNS = ["what", "data", "model", "contender", "loss", "accuracy"]


def run(options) -> pd.DataFrame:
    """Return the scores of all tables, those of an earlier run included."""
    done = pd.read_csv(options.results) if options.results.exists() else pd.DataFrame(columns=COLUMNS)
    for path in sorted(options.folder.glob("*.csv*"), key=lambda path: path.stat().st_size):
        name = path.name.split(".")[0]
        if name in set(done["data"]):
            continue
        rows = []
        try:
            seen, aside = prepare(path)
            numeric, pairs = seen[0].select_dtypes("number"), splits(seen, aside, options.final)
            for what, contenders in (("smoothing", smoothed), ("bins", binned)):
                if options.only in (None, what) and (what == "smoothing" or (numeric.nunique() > 10).any()):
                    rows += [(what, name, *row) for row in study(contenders, pairs)]
        except PgmNbError as error:
            print(f"{path.name}: left out: {error}", flush=True)
            continue
        table = pd.DataFrame(rows, columns=COLUMNS)
        table.to_csv(options.results, mode="a", header=not options.results.exists(), index=False)
        done = pd.concat([done, table]) if len(done) else table
        print(path.name, "done", flush=True)
    return done


def report(table: pd.DataFrame) -> None:
    """Print one table for each model, means over the tables and mean ranks."""
    for (what, model), part in table.groupby(["what", "model"], sort=False):
        wide = part.pivot_table(index="data", columns="contender", values=["loss", "accuracy"], sort=False)
        loss, accuracy = wide["loss"], wide["accuracy"]
        ranks = loss.rank(axis=1).mean(), accuracy.rank(axis=1, ascending=False).mean()
        shown = [
            (name, f"{loss[name].mean():.4f}", f"{ranks[0][name]:.2f}", f"{100 * accuracy[name].mean():.2f}",
             f"{ranks[1][name]:.2f}")
            for name in loss.columns
        ]  # fmt: skip
        header = (what, "log-loss (bits)", "mean rank", "accuracy (%)", "mean rank")
        print(Table(f"{model}, {len(wide)} tables", header, shown).text())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--final", action="store_true")
    parser.add_argument("--only", choices=("smoothing", "bins"))
    parser.add_argument("--results", type=Path, default=Path("defaults.csv"))
    chosen = parser.parse_args()
    report(run(chosen))
