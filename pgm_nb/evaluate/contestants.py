"""Which models are compared: ours as they are, scikit-learn's with the preprocessing they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
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

from pgm_nb.data.frame import is_number, numbers
from pgm_nb.data.labels import unique_labels
from pgm_nb.errors import DataError

__all__ = ["PEERS", "named", "seeded", "with_preprocessing"]

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
        titles = [str(getattr(model, "title", type(model).__name__)) for model in several]
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
