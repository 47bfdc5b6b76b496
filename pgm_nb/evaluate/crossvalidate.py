"""Models on the same folds: what is prepared for them, training, predicting and scoring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.utils import get_tags
from threadpoolctl import threadpool_limits

from pgm_nb.arrays import Floats, Places
from pgm_nb.data import as_frame, as_labels, encode_target
from pgm_nb.data.frame import is_number, numbers
from pgm_nb.data.labels import unique_labels
from pgm_nb.errors import DataError
from pgm_nb.evaluate.comparison import SCORED, Comparison, Failure
from pgm_nb.scoring.folds import Fold, Progress, drawn_rows, in_parallel, make_folds
from pgm_nb.scoring.metrics import Reliability, accuracy, auc, brier, log_loss, reliability

__all__ = [
    "FAILURES",
    "PEERS",
    "compare",
    "named",
    "rows_and_classes",
    "seeded",
    "train_and_predict",
    "with_preprocessing",
]

MOST_COLUMNS = 64  # that one column of words becomes; the rarest words share one of them


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=2000)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier()


def _boosting() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier()


#: scikit-learn's classifiers most often compared with ours: short name -> (title, how to make one)
PEERS: Mapping[str, tuple[str, Callable[[], Any]]] = MappingProxyType(
    {
        "logistic": ("Logistic regression", _logistic),
        "forest": ("Random forest", _forest),
        "boosting": ("Gradient boosting", _boosting),
    }
)


def named(models: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """Return the classifiers by name; without names they are called by their titles.

    Classifiers with the same title are called by their parameters.

    Raises
    ------
    DataError
        There are none, or one of them is not a classifier that gives probabilities.

    Examples
    --------
    >>> from pgm_nb import GaussianNaiveBayes, NaiveBayes
    >>> list(named([NaiveBayes(), GaussianNaiveBayes()]))
    ['Naive Bayes', 'Gaussian naive Bayes']
    >>> list(named([NaiveBayes(), NaiveBayes(n_bins=3)]))
    ['NaiveBayes()', 'NaiveBayes(n_bins=3)']
    """
    if hasattr(models, "fit") or isinstance(models, str):
        raise DataError("models must be a list of classifiers, or a mapping of names to classifiers.")
    if isinstance(models, Mapping):
        chosen = {str(name): model for name, model in models.items()}
    else:
        several = list(models)
        titles = [m.about.title if hasattr(m, "about") else type(m).__name__ for m in several]
        often = Counter(titles)
        names = [
            repr(model) if often[title] > 1 else title for title, model in zip(titles, several, strict=True)
        ]
        chosen = dict(zip(unique_labels(names), several, strict=True))
    if not chosen:
        raise DataError("there is no model to compare: give at least one.")
    for name, model in chosen.items():
        _check(name, model)
    return chosen


def _check(name: str, model: Any) -> None:
    if isinstance(model, type) or not is_classifier(model):
        raise DataError(
            f"{name!r} must be a classifier, such as NaiveBayes(), but is {model!r}: pass an object, "
            "not a class."
        )
    if not hasattr(model, "predict_proba"):
        raise DataError(
            f"{name!r} gives no probabilities (predict_proba), and log-loss, Brier score and AUC need "
            "them: wrap it in scikit-learn's CalibratedClassifierCV."
        )


def with_preprocessing(model: Any) -> Any:
    """Return a fresh copy of a classifier, with preprocessing in front if it cannot take every table.

    Models of this package and pipelines stay as they are. For other classifiers, each word becomes a column
    of zeros and ones (a missing cell is a word of its own; words not seen in training are ignored). Numbers
    stay as they are if the classifier takes NaN; otherwise missing ones become the median, with a column
    that says so, and all are scaled to mean 0 and variance 1. A column of numbers that is empty in training
    is left out. The result is one estimator, so everything is learned from the training rows.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = pd.DataFrame({"age": [40.0, None, 60.0, 65.0], "sex": ["f", "m", None, "f"]})
    >>> model = with_preprocessing(LogisticRegression()).fit(X, ["well", "well", "ill", "ill"])
    >>> print(model.predict(X))
    ['well' 'well' 'ill' 'ill']
    """
    takes = get_tags(model).input_tags
    if isinstance(model, Pipeline) or (takes.string and takes.allow_nan):
        return clone(model)
    plain: list[Any] = [FunctionTransformer(_as_floats)]
    if not takes.allow_nan:
        plain += [SimpleImputer(strategy="median", add_indicator=True), StandardScaler()]
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_COLUMNS, sparse_output=False
    )
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(*plain), _number_columns),
            ("words", make_pipeline(FunctionTransformer(_as_words), one_hot), _word_columns),
        ]
    )
    return make_pipeline(columns, clone(model))


def seeded(model: Any, random_state: int | None) -> Any:
    """Give the seed to every part of an estimator that has none, so that runs can be repeated.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> seeded(RandomForestClassifier(), 7), seeded(RandomForestClassifier(random_state=1), 7)
    (RandomForestClassifier(random_state=7), RandomForestClassifier(random_state=1))
    """
    unset = [
        name
        for name, value in model.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return model.set_params(**dict.fromkeys(unset, random_state))


def _number_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns of numbers, without those that are empty in the training rows."""
    return [str(name) for name, column in frame.items() if is_number(column) and column.notna().any()]


def _word_columns(frame: pd.DataFrame) -> list[str]:
    return [str(name) for name, column in frame.items() if not is_number(column)]


def _as_floats(frame: pd.DataFrame) -> NDArray[np.float64]:
    return np.column_stack([numbers(column) for _, column in frame.items()])


def _as_words(frame: pd.DataFrame) -> NDArray[Any]:
    """Return words as Python text, and every kind of missing cell as NaN."""
    words = frame.astype(object)
    return words.where(words.notna(), np.nan).astype(object).to_numpy()


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
    frame, labels, classes, truth = rows_and_classes(X, y)
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


def rows_and_classes(X: Any, y: Any) -> tuple[pd.DataFrame, NDArray[Any], NDArray[Any], Places]:
    """Return a table, the labels of its rows, all classes, and the labels as codes.

    Examples
    --------
    >>> _, labels, classes, codes = rows_and_classes([[1], [2]], ["ill", "well"])
    >>> print(labels, classes, codes)
    ['ill' 'well'] ['ill' 'well'] [0 1]
    """
    frame, labels = as_frame(X), as_labels(y)
    if len(frame) != len(labels):
        raise DataError(
            f"every row needs one class, but the table has {len(frame):,} rows and y has {len(labels):,}."
        )
    return frame, labels, *encode_target(labels)


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
