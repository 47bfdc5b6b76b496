"""Are the probabilities to be relied on? Log-loss, accuracy and calibration, with much and little known.

    python benchmarks/probabilities.py --data FOLDER [--results FILE] [--bins 5 10 mdlp] [--only TABLE ...]

Every ``*.csv`` or ``*.csv.gz`` with a column ``class`` takes part, in the folds of ``ranking.py``. On one
greedy cherry tree per fold the same structure gets three sets of parameters: today's (back-off), hierarchical
smoothing, and weights and cells learned for the class on top of it; naive Bayes likewise. Logistic regression
and a random forest stand beside them. Calibration is judged with one attribute known, a quarter, half and
all, the others hidden at random. Results are kept in FILE as they come.
"""

import argparse
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from ranking import FOLDS, load
from sklearn.model_selection import RepeatedStratifiedKFold

from pgm_nb import GeneralizedNaiveBayes
from pgm_nb.evaluate import PEERS, with_preprocessing
from pgm_nb.evaluate.contestants import seeded
from pgm_nb.inference import Families, log_joint
from pgm_nb.inference.class_parameters import class_scores
from pgm_nb.inference.class_trained import fit_class_parameters, hide
from pgm_nb.inference.conditional import class_losses
from pgm_nb.inference.factors import estimate_backoff
from pgm_nb.inference.hierarchical import estimate_hierarchical, smoothing_plan

# Put aside before anything was tuned, and reported on their own: large and mixed, words only, many classes,
# few rows, missing cells.
ASIDE = ("adult", "car", "mfeat-zernike", "parkinsons", "sick")
BINS = {"5": {"n_bins": 5}, "10": {"n_bins": 10}, "20": {"n_bins": 20}, "mdlp": {"discretizer": "mdlp"}}
KNOWN = {"one": lambda d: 1, "a quarter": lambda d: max(1, d // 4), "half": lambda d: max(1, d // 2)}
LEAST = float(np.finfo(np.float64).eps)
GROUPS = 10  # of rows by their largest probability, for the calibration error
PEER_NAMES = ("logistic", "forest")


def ordered_states(model, families):
    """How many states of each attribute have an order: the intervals of numbers, not the missing cells."""
    columns = [model.encoder_.columns[c] for c in families.columns]
    return tuple(
        (c.card - c.missing_state) if c.kind in ("numeric", "ordered") else 0 for c in columns
    )  # fmt: skip


def star(families):
    """The same attributes without mothers: naive Bayes."""
    alone = tuple(np.ascontiguousarray(families.marginal(i)) for i in range(len(families.tables)))
    return Families(families.y, families.columns, (-1,) * len(alone), alone)


def parameter_sets(families, codes, y, ordered):
    """Yield name, scorer of coded rows, and seconds of processor time."""
    start = process_time()
    old = estimate_backoff(families)
    yield "today", lambda rows: log_joint(old, rows), process_time() - start
    start = process_time()
    plan = smoothing_plan(families, ordered)
    factors = estimate_hierarchical(families, ordered, plan)
    yield "hierarchical", lambda rows: log_joint(factors, rows), process_time() - start
    trained = fit_class_parameters(
        families, codes, y, lambda some: estimate_hierarchical(some, ordered, plan), ordered
    )
    if not trained.converged:
        print("  did not converge: generative", flush=True)
    yield (
        "for the class",
        lambda rows: class_scores(trained, factors, rows),
        process_time() - start,
    )


def ours(bins, X, y, train, test_rows):
    """Yield (contender, known, posteriors, seconds) of one fold."""
    model = GeneralizedNaiveBayes(**BINS[bins]).fit(X.iloc[train], y.iloc[train])
    codes, test = (model.encoder_.encode(X.iloc[rows]) for rows in (train, test_rows))
    truth = np.searchsorted(model.classes_, y.iloc[train])
    families = model.learned_.counts
    ordered = ordered_states(model, families)
    for graph, counts in (("GNB", families), ("NB", star(families))):
        for name, score, seconds in parameter_sets(counts, codes, truth, ordered):
            d = len(counts.tables)
            for known, rows in {
                **{word: hide(counts, test, number(d)) for word, number in KNOWN.items()},
                "all": test,
            }.items():
                nobody = np.zeros(test.shape[1], dtype=int)
                yield f"{graph} {bins}, {name}", known, class_losses(score(rows), nobody)[1], seconds


def peers(X, y, train, test_rows):
    """The same for scikit-learn's, which take complete rows only."""
    for name in PEER_NAMES:
        start = process_time()
        model = seeded(with_preprocessing(PEERS[name][1]()), 0).fit(X.iloc[train], y.iloc[train])
        yield name, "all", model.predict_proba(X.iloc[test_rows]), process_time() - start


def calibration_error(posteriors, truth):
    """Mean distance of the largest probability from how often it is right, over groups of rows."""
    sure, right = posteriors.max(axis=1), posteriors.argmax(axis=1) == truth
    group = np.minimum((sure * GROUPS).astype(int), GROUPS - 1)
    sums = [np.bincount(group, weights, GROUPS) for weights in (sure, right.astype(float))]
    return float(np.abs(sums[0] - sums[1]).sum() / len(truth))


def study(path, bins):
    """Rows (contender, known, log-loss, accuracy, calibration error, seconds) of one table."""
    X, y, _ = load(path)
    classes = np.unique(y)
    found: dict[tuple[str, str], list] = {}
    splitter = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=1, random_state=0)  # as `compare` does
    for fold in splitter.split(X, y):
        truth = np.searchsorted(classes, y.iloc[fold[1]])
        runs = [run for choice in bins for run in ours(choice, X, y, *fold)]
        for contender, known, posteriors, seconds in [*runs, *peers(X, y, *fold)]:
            found.setdefault((contender, known), []).append((posteriors, truth, seconds))
    for (contender, known), parts in found.items():
        losses, right = [], []  # means of folds, as in the ranking
        for posteriors, truth, _ in parts:
            own = posteriors[np.arange(len(truth)), truth]
            losses.append(-np.log2(np.maximum(own, LEAST)).mean())
            right.append((posteriors.argmax(axis=1) == truth).mean())
        everything = [np.concatenate(part) for part in list(zip(*parts, strict=True))[:2]]
        error = calibration_error(*everything)
        seconds = np.mean([part[2] for part in parts])
        yield contender, known, np.mean(losses), np.mean(right), error, seconds


def report(scores):
    """Print one line per table, and the means: all tables, those tuned on, those put aside."""
    full = scores[scores["known"] == "all"]
    for metric, title in (("log_loss", "Log-loss (bits per row)"), ("accuracy", "Accuracy")):
        print(f"\n## {title}, everything known\n")
        print(
            full.pivot_table(index="data", columns="contender", values=metric, sort=False)
            .round(3)
            .to_string()
        )
    names = {"all tables": full["data"].unique(), "put aside": ASIDE}
    names["tuned on"] = [name for name in names["all tables"] if name not in ASIDE]
    for title, tables in names.items():
        part = scores[scores["data"].isin(tables)]
        columns = ["log_loss", "accuracy", "calibration_error", "seconds"]
        means = part.groupby(["known", "contender"], sort=False)[columns].mean().round(4)
        print(f"\n## Means over {part['data'].nunique()} tables: {title}\n\n{means.to_string()}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=Path("probabilities.csv"))
    parser.add_argument("--bins", nargs="+", choices=tuple(BINS), default=["5"])
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    done = set(pd.read_csv(options.results)["data"]) if options.results.exists() else set()
    names = ["contender", "known", "log_loss", "accuracy", "calibration_error", "seconds"]
    for path in sorted(options.data.glob("*.csv*"), key=lambda path: path.stat().st_size):
        name = path.name.split(".")[0]
        if name in done or (options.only and name not in options.only):
            continue
        rows = pd.DataFrame(study(path, options.bins), columns=names).assign(data=name)
        rows.to_csv(options.results, mode="a", header=not options.results.exists(), index=False)
        print(f"{name}: done", flush=True)
    report(pd.read_csv(options.results))
