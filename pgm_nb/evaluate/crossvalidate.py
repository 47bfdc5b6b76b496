"""Models on the same folds: who learns better, by how much, how surely, and how fast."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from pgm_nb.data import as_frame, encode_target
from pgm_nb.errors import DataError
from pgm_nb.evaluate.comparison import SCORED, Comparison, Failure
from pgm_nb.evaluate.entered import as_entered, named, seeded
from pgm_nb.scoring.folds import Fold, make_folds
from pgm_nb.scoring.metrics import Reliability, accuracy, auc, brier, log_loss, reliability
from pgm_nb.scoring.parallel import Progress, in_parallel

__all__ = ["compare"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
#: what a model of any origin may raise when a fold does not suit it
FAILURES = (ValueError, TypeError, ArithmeticError, LookupError, RuntimeError, MemoryError)


@dataclass(frozen=True, eq=False)
class Answer:
    """What one model said about one fold: probabilities and seconds, or why it failed."""

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
    progress: Progress | None = None,
) -> Comparison:
    """Cross-validate classifiers on the same folds of one table.

    Parameters
    ----------
    models : mapping of name to classifier, or several classifiers
        Ours and any of scikit-learn's, with their parameters. One that cannot take words or missing cells
        gets the preprocessing it needs (`as_entered`), learned from the training rows of each fold.
    X : table
        The attributes.
    y : array
        The class of every row.
    cv : int, str or splitter
        Number of stratified folds, ``"RxK"`` for R repeats of K folds, or a scikit-learn splitter.
    random_state : int or None
        Seed of the folds, and of every model that has none of its own. The same seed gives the same scores,
        whatever `n_jobs` is.
    n_jobs : int
        Processes that work side by side (-1: one per core), each with one thread for linear algebra. Times
        are fair with 1 only.
    progress : callable, optional
        Called with the finished fraction, from 0 to 1. If it raises, the work stops.

    Returns
    -------
    Comparison
        Scores per fold, a table per model, tests per pair, calibration, and charts. A model that fails in
        a fold has no scores there; `Comparison.failures` says why.

    Raises
    ------
    DataError
        The table, the models or the folds cannot be used as they are, or no model finished any fold.

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
        raise DataError(f"random_state must be a whole number from 0 up, or None, but is {random_state!r}.")
    entered = {name: seeded(as_entered(model), random_state) for name, model in named(models).items()}
    frame, labels = as_frame(X), np.asarray(y)
    classes, truth = encode_target(labels)
    if len(frame) != len(labels):
        raise DataError(f"the table has {len(frame):,} rows, but {len(labels):,} classes were given.")
    if n_jobs == 0:
        raise DataError("n_jobs must be a number of processes, or -1 for one per core, but is 0.")
    folds = make_folds(frame, labels, cv, random_state)
    tasks = [(model, fold) for fold in folds for model in entered.values()]
    work = partial(_answer, frame, labels, classes)
    answers = in_parallel(work, tasks, n_jobs=n_jobs, progress=progress)
    by_model = [answers[place :: len(entered)] for place in range(len(entered))]
    if all(answer.probabilities is None for answer in answers):
        raise DataError(f"no model finished any fold; {next(iter(entered))} says: {answers[0].reason}")
    return Comparison(
        models=tuple(entered),
        classes=tuple(map(str, classes)),
        n_rows=len(frame),
        folds=np.array([(fold.repeat, fold.number, len(fold.train), len(fold.test)) for fold in folds]),
        values=np.stack(
            [[_score(a, truth[f.test]) for a, f in zip(m, folds, strict=True)] for m in by_model]
        ),
        reliabilities=tuple(_reliability(answers, folds, truth) for answers in by_model),
        failed=tuple(
            Failure(name, fold.repeat, fold.number, answer.reason)
            for name, answers in zip(entered, by_model, strict=True)
            for fold, answer in zip(folds, answers, strict=True)
            if answer.probabilities is None
        ),
    )


def _answer(
    frame: pd.DataFrame, labels: NDArray[Any], classes: NDArray[Any], task: tuple[Any, Fold]
) -> Answer:
    """Train on the training rows of a fold and give the class probabilities of its test rows."""
    model, fold = task
    train, test = frame.iloc[fold.train], frame.iloc[fold.test]
    try:
        model = clone(model)
        with threadpool_limits(1):  # the same for everyone, and threads that wait for a core are slow
            begin = perf_counter()
            model.fit(train, labels[fold.train])
            learned = perf_counter()
            given = np.asarray(model.predict_proba(test), dtype=np.float64)
            end = perf_counter()
        probabilities = np.zeros((len(fold.test), len(classes)))  # a class that was not in training: never
        probabilities[:, np.searchsorted(classes, model.classes_)] = given
        if not np.isfinite(probabilities).all():
            return Answer(None, reason="it gave probabilities that are not numbers")
    except FAILURES as error:
        return Answer(None, reason=" ".join(str(error).split()) or type(error).__name__)
    return Answer(probabilities, learned - begin, end - learned)


def _score(answer: Answer, truth: Places) -> list[float]:
    """Return the scores of one fold in the order of SCORED; NaN where the model failed."""
    given = answer.probabilities
    if given is None:
        return [float("nan")] * len(SCORED)
    quality = [score(given, truth) for score in (accuracy, log_loss, brier, auc)]
    return [*quality, answer.fit_seconds, answer.predict_seconds]


def _reliability(answers: list[Answer], folds: tuple[Fold, ...], truth: Places) -> Reliability:
    """Return the calibration over all test rows of all folds that the model finished."""
    done = [(a.probabilities, truth[f.test]) for a, f in zip(answers, folds, strict=True)]
    pairs = [(given, right) for given, right in done if given is not None]
    if not pairs:
        return reliability(np.empty((0, 1)), np.empty(0, np.intp))
    return reliability(np.concatenate([p for p, _ in pairs]), np.concatenate([t for _, t in pairs]))
