"""What models of measured columns share: numbers are checked and never binned, NaN is unknown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api import types
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from pgm_nb.allowed import number_array
from pgm_nb.arrays import Floats, Places
from pgm_nb.data import as_labels, encode_target
from pgm_nb.data.frame import check_characters, is_number, numbers
from pgm_nb.data.target import check_rows, target_name
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.case_values import one_row
from pgm_nb.models.about import About
from pgm_nb.models.base import Classifier, class_labels
from pgm_nb.words import listed

__all__ = [
    "ContinuousClassifier",
    "batch_classes",
    "check_priors",
    "codes_of",
    "number_columns",
    "plain_numbers",
    "stack_numbers",
]

_NUMBERS = "fiu"  # NumPy's letters for floating-point numbers and whole numbers


class ContinuousClassifier(Classifier):
    """A classifier of measured columns; plain number tables go straight to an array."""

    about: ClassVar[About] = About(
        factors_for_pgmpy=", use to_pgmpy(row) for the factors of a row",
        no_divergence="not defined for densities",
    )

    def _read(self, X: Any, *, reset: bool, y: Any = None) -> Floats | pd.DataFrame:
        """Return a checked table: an array when every column is plain numbers, else a frame."""
        if not reset:
            check_is_fitted(self)
        X = self._by_recipe(X, reset=reset)
        values = plain_numbers(X)
        if values is None:
            return self._frame(X, reset=reset, y=y)
        if reset or not self._as_at_training(X):
            validate_data(self, X, reset=reset, skip_check_array=True, **({"y": y} if reset else {}))
        return values

    def _as_at_training(self, X: Any) -> bool:
        """Whether a plain table has the columns of training: then scikit-learn need not look at it again."""
        named = getattr(self, "feature_names_in_", None)
        if isinstance(X, pd.DataFrame):
            return named is not None and list(X.columns) == named.tolist()
        return named is None and bool(X.shape[1] == self.n_features_in_)

    def _row(self, row: Any) -> Any:
        """Return one row, given by names or as a table, as a table like that of training."""
        frame = one_row(row, self.attribute_names_)
        return frame if hasattr(self, "feature_names_in_") else frame.to_numpy()

    def to_pgmpy(self, row: Any = None) -> list[Any]:
        """Return one row as pgmpy factors over the class: the prior, then the likelihoods.

        There is one likelihood per attribute, or one for all of them where they depend on each other within
        a class.

        Parameters
        ----------
        row : mapping, Series or table of one row
            The attributes; NaN where unknown.

        Returns
        -------
        list of DiscreteFactor
            Their normalised product is the posterior of `predict_proba`.
        """
        from pgm_nb.engine.pgmpy import row_factors

        if row is None:
            raise QueryError(
                f"{self.about.title} becomes factors of pgmpy for one row: pass it, to_pgmpy(row)"
            )
        target = self.structure_.target
        logs = {target: self.class_log_prior_} | self._row_logs(self._row(row))
        return row_factors(target, list(map(str, self.classes_.tolist())), logs)

    @abstractmethod
    def _row_logs(self, row: Any) -> dict[str, Floats]:
        """Log-likelihoods of one row, a table like that of training, by attribute or group."""

    def _labels(self, X: Any, y: Any, n_rows: int) -> tuple[str, NDArray[Any], Places]:
        """Check the class labels: the name of the class, the classes and their codes."""
        labels = y if isinstance(y, np.ndarray | pd.Series) and y.ndim == 1 else class_labels(y)
        check_rows(X, labels, n_rows)
        self._leave_out_unseen_classes(y)
        classes, codes = _plain_labels(np.asarray(labels)) or encode_target(labels)
        return target_name(y, self.attribute_names_), classes, codes


def _plain_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], Places] | None:
    """Return classes and codes of two or more whole numbers or words; None for what needs a closer look."""
    if labels.dtype.kind in "iu" and labels.size and np.ptp(labels) > 0:
        classes, numbered = np.unique(labels, return_inverse=True)
        return classes, numbered
    if labels.dtype.kind == "O" and types.infer_dtype(labels, skipna=False) == "string":
        check_characters(labels, "the class column")
        codes, words = pd.factorize(labels, sort=True)
        return (words, codes) if len(words) > 1 else None
    return None


def plain_numbers(X: Any) -> Floats | None:
    """Return the cells of an array or frame of finite numbers and NaN; None for any other table.

    Examples
    --------
    >>> plain_numbers(np.array([[1, 2]]))
    array([[1., 2.]])
    >>> plain_numbers(np.array([["a"]])) is None
    True
    """
    if isinstance(X, pd.DataFrame):
        plain = all(isinstance(dtype, np.dtype) and dtype.kind in _NUMBERS for dtype in X.dtypes)
        if not plain or not X.columns.is_unique or not all(isinstance(name, str) for name in X.columns):
            return None
        check_characters(X.columns, "the names of the columns")
        values = X.to_numpy()
    elif type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in _NUMBERS:
        values = X
    else:
        return None
    if values.size == 0:
        return None
    if values.dtype.kind != "f" or values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(np.add.reduce(values, axis=None, dtype=np.float64)) and np.isinf(values).any():
            return None  # the slower way says which cell
    return values


def number_columns(frame: pd.DataFrame) -> list[int]:
    """Return the places of the columns that are measured: numbers, but neither booleans nor categories.

    Examples
    --------
    >>> number_columns(pd.DataFrame({"age": [40.5], "sex": ["f"], "smoker": [True]}))
    [0]
    """
    return [
        place
        for place, dtype in enumerate(frame.dtypes)
        if types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype)
    ]


def stack_numbers(frame: pd.DataFrame, places: Sequence[int]) -> Floats:
    """Return these columns of a frame as numbers, (n, d); text where numbers belong is refused.

    Examples
    --------
    >>> stack_numbers(pd.DataFrame({"age": [40, None]}), [0])
    array([[40.],
           [nan]])
    """
    cells = np.empty((len(frame), len(places)), order="F")
    for j, place in enumerate(places):
        column = frame.iloc[:, place]
        if not is_number(column):
            example = column.dropna().iloc[0] if column.notna().any() else ""
            raise DataError(
                f"column {str(column.name)!r} must hold numbers, but holds text (such as {str(example)!r}): "
                "write it as a number, or leave the cell empty if the value is unknown."
            )
        cells[:, j] = numbers(column)
    return cells


def check_priors(priors: ArrayLike | None, classes: Sequence[Any] | NDArray[Any]) -> Floats | None:
    """Return class priors as an array: one for each class, not negative, with sum one.

    Examples
    --------
    >>> check_priors([0.25, 0.75], ["a", "b"])
    array([0.25, 0.75])
    """
    if priors is None:
        return None
    prior = number_array("priors", priors, len(classes), f"classes ({listed(list(classes))})")
    if not np.isclose(prior.sum(), 1.0):
        raise DataError(f"priors must sum to one, but are {prior.tolist()}; divide them by their sum.")
    return prior


def batch_classes(classes: ArrayLike | None, known: NDArray[Any] | None) -> NDArray[Any]:
    """Return the classes of a model that learns by batches: named at the first call, and the same ever since.

    Parameters
    ----------
    classes : array-like, optional
        What this call names.
    known : array, optional
        The classes of the calls before; None at the first.

    Examples
    --------
    >>> batch_classes(["b", "a"], None)
    array(['a', 'b'], dtype='<U1')
    """
    if known is None:
        if classes is None:
            raise DataError("classes must be passed on the first call to partial_fit: name all of them.")
        return encode_target(classes)[0]
    if classes is not None and not np.array_equal(np.unique(as_labels(classes)), known):
        raise DataError(
            f"classes={listed(np.asarray(classes).tolist())} differ from those of the first call to "
            f"partial_fit ({listed(known.tolist())}): name the same, or leave them out."
        )
    return known


def codes_of(y: Any, classes: NDArray[Any], n_rows: int) -> Places:
    """Return the code of every label among known classes.

    Examples
    --------
    >>> codes_of(["b", "a"], np.array(["a", "b"]), 2)
    array([1, 0])
    """
    labels = as_labels(column_or_1d(y, warn=True))
    check_rows(None, labels, n_rows)
    codes: Places = pd.Index(classes).get_indexer(pd.Index(labels))
    if (codes < 0).any():
        raise DataError(
            f"class {labels[codes < 0][0]!s} is not among the classes ({listed(classes.tolist())}): name it "
            "in classes= at the first call, or leave its rows out."
        )
    return codes
