"""Cross-validate several models on the same folds: which is better, by how much, how surely, how fast."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from pgm_nb.arrays import Floats, Places
from pgm_nb.data import as_frame, encode_target
from pgm_nb.errors import DataError
from pgm_nb.evaluate.comparison import SCORED, Comparison, Failure
from pgm_nb.evaluate.contestants import named, seeded, with_preprocessing
from pgm_nb.scoring.calibration import Reliability, reliability
from pgm_nb.scoring.drawn import drawn_rows
from pgm_nb.scoring.folds import Fold, make_folds
from pgm_nb.scoring.metrics import accuracy, auc, brier, log_loss
from pgm_nb.scoring.parallel import Progress, in_parallel

__all__ = ["FAILURES", "FoldResult", "compare", "train_and_predict"]

Watch = Callable[[Comparison], object]  #: takes the comparison of the folds that are finished
#: what any classifier may raise when it cannot handle a fold
FAILURES = (ValueError, TypeError, ArithmeticError, LookupError, RuntimeError, MemoryError)


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What one model predicted for one fold and how long it took, or why it failed."""

    probabilities: Floats | None
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    reason: str = ""


def compare(
    models: Mapping[str, Any] | Iterable[Any],
    X: Any,
    y: Any,
    *,
    cv: Any = "10x10",
    random_state: int | None = 0,
    n_jobs: int = 1,
    most_rows: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Comparison:
    """Cross-validate classifiers on the same folds of one table.

    Parameters
    ----------
    models : mapping of name to classifier, or several classifiers
        Ours and any of scikit-learn's. One that cannot take words or missing cells gets the preprocessing it
        needs (`with_preprocessing`), learned from the training rows of each fold.
    X : table
        The attributes.
    y : array
        The class of every row.
    cv : int, str, splitter, or iterable of pairs of arrays
        Number of stratified folds; ``"RxK"`` or ``"R×K"`` for R repeats of K folds; a scikit-learn splitter;
        or pairs of training rows and test rows.
    random_state : int or None
        Seed of the folds, and of every model that has none of its own. The same seed gives the same scores
        for any `n_jobs`.
    n_jobs : int
        Number of processes (-1: one per core), each with one thread for linear algebra. Times are comparable
        only with 1.
    most_rows : int, optional
        Draw about this many rows at random if there are more, each class by its share; by default all rows.
    progress : callable, optional
        Called with the fraction done, from 0 to 1. If it raises, the work stops.
    watch : callable, optional
        Called with the comparison so far whenever all models have finished a fold, except the last one.

    Returns
    -------
    Comparison
        Scores per fold, a table per model, tests per pair, calibration, and charts. A model that fails in
        a fold has no scores there; `Comparison.failures` says why.

    Raises
    ------
    DataError
        The table, the models or the folds cannot be used, or no model finished any fold.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> result = pnb.compare([pnb.NaiveBayes(), pnb.GaussianNaiveBayes()], X, y, cv=5)
    >>> result.to_frame()[["model", "accuracy", "accuracy_se"]].round(1)
                      model  accuracy  accuracy_se
    0           Naive Bayes       0.9          0.0
    1  Gaussian naive Bayes       1.0          0.0
    """
    if not (random_state is None or (isinstance(random_state, int | np.integer) and random_state >= 0)):
        raise DataError(f"random_state must be a whole number from 0, or None, but it is {random_state!r}.")
    contestants = {
        name: seeded(with_preprocessing(model), random_state) for name, model in named(models).items()
    }
    frame, labels = as_frame(X), np.asarray(y)
    classes, truth = encode_target(labels)
    if len(frame) != len(labels):
        raise DataError(
            f"every row needs one class, but the table has {len(frame):,} rows and y has {len(labels):,}."
        )
    if n_jobs == 0:
        raise DataError("n_jobs must be a number of processes, or -1 for one per core, but it is 0.")
    if not (most_rows is None or (isinstance(most_rows, int | np.integer) and most_rows >= 2)):
        raise DataError(f"most_rows must be a number of rows, at least 2, or None, but it is {most_rows!r}.")
    of_rows, rows = len(frame), drawn_rows(truth, most_rows, random_state)
    if len(rows) < of_rows:
        frame, labels, truth = frame.iloc[rows].reset_index(drop=True), labels[rows], truth[rows]
    folds = make_folds(frame, labels, cv, random_state)
    tasks = [(model, fold) for fold in folds for model in contestants.values()]
    work = partial(train_and_predict, frame, labels, classes)
    summed_up = partial(_comparison, tuple(contestants), classes, truth, folds, of_rows)

    def look(results: list[FoldResult]) -> None:
        whole = len(results) % len(contestants) == 0 and len(results) < len(tasks)
        if watch is not None and whole and any(result.probabilities is not None for result in results):
            watch(summed_up(results))

    results = in_parallel(work, tasks, n_jobs=n_jobs, progress=progress, watch=look)
    if all(result.probabilities is None for result in results):
        raise DataError(
            f"no model finished any fold; {next(iter(contestants))} failed with: {results[0].reason}"
        )
    return summed_up(results)


def _comparison(
    models: tuple[str, ...],
    classes: NDArray[Any],
    truth: Places,
    asked: tuple[Fold, ...],
    of_rows: int,
    results: list[FoldResult],
) -> Comparison:
    """Sum up the folds that all models have finished; results come fold by fold."""
    folds = asked[: len(results) // len(models)]
    by_model = [results[place :: len(models)] for place in range(len(models))]
    return Comparison(
        models=models,
        classes=tuple(map(str, classes)),
        n_rows=len(truth),
        folds=np.array([(fold.repeat, fold.number, len(fold.train), len(fold.test)) for fold in folds]),
        values=np.stack(
            [[_score(a, truth[f.test]) for a, f in zip(m, folds, strict=True)] for m in by_model]
        ),
        reliabilities=tuple(_reliability(results, folds, truth) for results in by_model),
        failed=tuple(
            Failure(name, fold.repeat, fold.number, result.reason)
            for name, results in zip(models, by_model, strict=True)
            for fold, result in zip(folds, results, strict=True)
            if result.probabilities is None
        ),
        of_rows=of_rows,
        asked=len(asked),
    )


def train_and_predict(
    frame: pd.DataFrame, labels: NDArray[Any], classes: NDArray[Any], task: tuple[Any, Fold]
) -> FoldResult:
    """Train on the training rows of a fold and give the class probabilities of its test rows."""
    model, fold = task
    train, test = frame.iloc[fold.train], frame.iloc[fold.test]
    try:
        model = clone(model)
        with threadpool_limits(1):  # the same for every model; threads that wait for a core are slow
            begin = perf_counter()
            model.fit(train, labels[fold.train])
            learned = perf_counter()
            given = np.asarray(model.predict_proba(test), dtype=np.float64)
            end = perf_counter()
        probabilities = np.zeros((len(fold.test), len(classes)))  # a class missing from training gets 0
        probabilities[:, np.searchsorted(classes, model.classes_)] = given
        if not np.isfinite(probabilities).all():
            return FoldResult(None, reason="its probabilities are not all numbers")
    except FAILURES as error:
        return FoldResult(None, reason=" ".join(str(error).split()) or type(error).__name__)
    return FoldResult(probabilities, learned - begin, end - learned)


def _score(result: FoldResult, truth: Places) -> list[float]:
    """Return the scores of one fold in the order of SCORED; NaN where the model failed."""
    given = result.probabilities
    if given is None:
        return [float("nan")] * len(SCORED)
    quality = [score(given, truth) for score in (accuracy, log_loss, brier, auc)]
    return [*quality, result.fit_seconds, result.predict_seconds]


def _reliability(results: list[FoldResult], folds: tuple[Fold, ...], truth: Places) -> Reliability:
    """Return the calibration over the test rows of all folds that the model finished."""
    done = [(a.probabilities, truth[f.test]) for a, f in zip(results, folds, strict=True)]
    pairs = [(given, right) for given, right in done if given is not None]
    if not pairs:
        return reliability(np.empty((0, 1)), np.empty(0, np.intp))
    return reliability(np.concatenate([p for p, _ in pairs]), np.concatenate([t for _, t in pairs]))
