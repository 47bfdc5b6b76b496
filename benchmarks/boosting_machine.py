"""The explainable boosting machine on the folds of the ranking, one fold after the other.

    python benchmarks/boosting_machine.py --data FOLDER [--results FILE] [--minutes 6] [--folds 5]
                                          [--only TABLE ...]

`interpret-core` (see peers.txt) is needed here and nowhere else. Default settings, one process; tables of two
classes first, small before large, because more classes cost it much more. Scores are kept in FILE as they
come, so that an interrupted run can continue. With `--folds 1` only the first fold of each table is learned.
A table whose folds would take more than the given minutes of processor time is given up; FILE then has the
folds that finished, and a line that says why there are no more.
"""

import argparse
import multiprocessing
import resource
import signal
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd
from ranking import FOLDS, load, tables

from pgm_nb.data.frame import is_number
from pgm_nb.scoring.folds import make_folds
from pgm_nb.scoring.metrics import accuracy, log_loss
from pgm_nb.words import plural

TOO_LONG = 3  # what a process returns when the table would take longer than allowed
COLUMNS = ("data", "fold", "accuracy", "log_loss", "process_seconds", "wall_seconds", "failed")


def rows_of(path):
    """Return the attributes as the machine takes them, and the classes."""
    X, y, _ = load(path)
    words = {
        name: X[name].astype(object).where(X[name].notna(), None) for name in X if not is_number(X[name])
    }
    return X.assign(**words), y


def note(results, *values):
    """Add a line to the results."""
    pd.DataFrame([values], columns=COLUMNS).to_csv(
        results, mode="a", header=not results.exists(), index=False
    )


def study(path, name, results, done, seconds, folds):
    """Score the folds of one table that are not in the results yet, within the limit."""
    from interpret.glassbox import ExplainableBoostingClassifier
    from threadpoolctl import threadpool_limits

    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time() + seconds), resource.RLIM_INFINITY))
    X, y = rows_of(path)
    classes, truth = np.unique(y, return_inverse=True)
    for fold in make_folds(X, y.to_numpy(), FOLDS, 0):
        if fold.number in done or fold.number > folds:
            continue
        model = ExplainableBoostingClassifier(n_jobs=1, random_state=0)
        with threadpool_limits(1):
            wall, own = perf_counter(), process_time()
            model.fit(X.iloc[fold.train], y.iloc[fold.train])
            own, wall = process_time() - own, perf_counter() - wall
        given = np.zeros((len(fold.test), len(classes)))
        given[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X.iloc[fold.test])
        right = truth[fold.test]
        note(results, name, fold.number, accuracy(given, right), log_loss(given, right), own, wall, "")
        if own * folds > seconds:
            raise SystemExit(TOO_LONG)


def run(path, name, results, minutes, folds):
    """Study one table in a process of its own, which ends at the limit."""
    known = pd.read_csv(results) if results.exists() else pd.DataFrame(columns=COLUMNS)
    mine = known[known["data"] == name]
    done = set(mine.loc[mine["failed"].isna(), "fold"])
    if len(done) >= folds or mine["failed"].notna().any():
        return
    child = multiprocessing.get_context("spawn").Process(
        target=study, args=(path, name, results, done, 60 * minutes, folds)
    )
    child.start()
    child.join()
    if child.exitcode in (-signal.SIGXCPU, TOO_LONG):
        reason = f"{plural(folds, 'fold')} would take more than {minutes:g} minutes of processor time"
    else:
        reason = f"ended with code {child.exitcode}" if child.exitcode else ""
    if reason:
        note(results, name, 0, *[float("nan")] * 4, reason)
    print(f"{name}: {reason or 'done'}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=Path("boosting_machine.csv"))
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--folds", type=int, default=FOLDS, choices=range(1, FOLDS + 1))
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    chosen = {path.name.split(".")[0]: path for path in tables(options.data)}
    chosen = {name: path for name, path in chosen.items() if not options.only or name in options.only}
    for short in sorted(chosen, key=lambda name: load(chosen[name])[1].nunique() > 2):
        run(chosen[short], short, options.results, options.minutes, options.folds)
