"""What a model says about the rows of a table; what one says that has not seen them; the list of cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pgm_nb.arrays import Floats, Places
from pgm_nb.engine.evidence import Between, Likelihood, Not, OneOf
from pgm_nb.engine.questions import Prior, base_rate_shift, log_base_rates
from pgm_nb.engine.sums import posteriors
from pgm_nb.errors import DataError
from pgm_nb.evaluate.crossvalidate import rows_and_classes, seeded, train_and_predict, with_preprocessing
from pgm_nb.scoring.folds import Progress, drawn_rows, in_parallel, make_folds
from pgm_nb.words import did_you_mean, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["UnseenRows", "case_list", "cases", "having", "predict_unseen", "predictions"]

ROWS_AT_ONCE = 2_000  # rows between two reports of progress


def predictions(
    model: Any,
    frame: pd.DataFrame,
    progress: Callable[[float], None] | None = None,
    *,
    prior: Mapping[Any, float] | None = None,
) -> pd.DataFrame:
    """Classify the rows of a table; an empty cell is unknown, and columns the model does not use are ignored.

    Parameters
    ----------
    model
        A fitted model.
    frame
        The table; it has all columns that the model was trained on, raw if the model keeps a recipe.
    progress
        Called with the fraction done.
    prior
        How common the classes are where the rows come from, if not as in training.

    Returns
    -------
    pandas.DataFrame
        Per row the prediction, and the probability of each class.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> found = predictions(pnb.NaiveBayes().fit(X, y), X.head(2))
    >>> found.columns.tolist()
    ['prediction', 'P(setosa)', 'P(versicolor)', 'P(virginica)']
    >>> found["prediction"].tolist()
    ['setosa', 'setosa']
    """
    if model.recipe_ is not None:  # here as well, because a raw table may have other names
        frame = model.recipe_.for_rows(frame)
    names = list(model.attribute_names_)
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(
            f"the table has no column {listed([repr(name) for name in absent])}, which the model was trained "
            f"on{did_you_mean(absent[0], map(str, frame.columns))}"
        )
    parts = []
    for start in range(0, len(frame), ROWS_AT_ONCE):
        parts.append(model.predict_proba(frame[names].iloc[start : start + ROWS_AT_ONCE], prior=prior))
        if progress is not None:
            progress(min(1.0, (start + ROWS_AT_ONCE) / len(frame)))
    chances = np.vstack(parts) if parts else np.empty((0, len(model.classes_)))
    result = pd.DataFrame({"prediction": model.classes_[chances.argmax(axis=1)]})
    for label, column in zip(model.classes_, chances.T, strict=True):
        result[f"P({label})"] = column
    return result


@dataclass(frozen=True, eq=False)
class UnseenRows:
    """Rows with the probabilities that a model gave them without having learned from them."""

    classes: tuple[Any, ...]
    rows: Places  #: which rows of the table these are
    truth: Places  #: class codes, (n,)
    probabilities: Floats  #: (n, k)
    n_rows: int  #: of the whole table
    folds: int
    base_rates: Floats | None = None  #: share of each class in another population, (k,); None: as in the rows

    @property
    def shares(self) -> Floats:
        """The share of each class among the rows, (k,)."""
        counts = np.bincount(self.truth, minlength=len(self.classes))
        shares: Floats = counts / counts.sum()
        return shares

    @property
    def weights(self) -> Floats | None:
        """How many cases of the population each row stands for, (n,), one on average; None: one each."""
        if self.base_rates is None:
            return None
        weights: Floats = (self.base_rates / np.where(self.shares > 0, self.shares, 1.0))[self.truth]
        return weights

    def in_population(self, prior: Prior) -> UnseenRows:
        """Return the rows as they are in a population with these base rates: the odds of each move.

        The base rates that are replaced are the shares among these rows, which differ from those of the
        other folds by a fraction of a row.
        """
        if prior is None:
            return self
        with np.errstate(divide="ignore"):
            trained, scores = np.log(self.shares), np.log(self.probabilities)
        rates = log_base_rates(prior, self.classes)
        shift = base_rate_shift(trained, rates, self.classes)
        moved = posteriors(scores + shift, rates)
        return replace(self, probabilities=moved, base_rates=np.exp(rates))


def predict_unseen(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    random_state: int = 0,
    most_rows: int | None = None,
    progress: Progress | None = None,
) -> UnseenRows:
    """Learn from all folds but one, predict that one, and so on: every row is predicted once.

    Parameters
    ----------
    model
        A classifier of ours or of scikit-learn; it is copied, not changed.
    X, y
        The table and the class of every row.
    cv : int
        Number of stratified folds; a class of few rows makes fewer. Or a splitter as in `compare` that tests
        every row once.
    random_state : int
        Seed of the folds, and of the rows that are drawn.
    most_rows : int, optional
        Draw this many rows at random if there are more, each class by its share.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Raises
    ------
    DataError
        A class has one row only, a row is in no fold or in several, or the model fails.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> found = predict_unseen(pnb.GaussianNaiveBayes(), *pnb.load_sample("iris"), cv=5)
    >>> found.probabilities.shape, found.folds
    ((150, 3), 5)
    """
    frame, labels, classes, truth = rows_and_classes(X, y)
    rows = drawn_rows(truth, most_rows, random_state)
    frame, labels, truth = frame.iloc[rows].reset_index(drop=True), labels[rows], truth[rows]
    if isinstance(cv, int) and not isinstance(cv, bool):
        cv = max(2, min(cv, int(np.bincount(truth).min())))
    folds = make_folds(frame, labels, cv, random_state)
    if not np.array_equal(np.sort(np.concatenate([fold.test for fold in folds])), np.arange(len(truth))):
        raise DataError(
            "every row must be tested once: give a number of folds, or a splitter without repeats."
        )
    prepared = seeded(with_preprocessing(model), random_state)
    work = partial(train_and_predict, frame, labels, classes)
    found = in_parallel(work, [(prepared, fold) for fold in folds], progress=progress)
    probabilities = np.empty((len(truth), len(classes)))
    for fold, result in zip(folds, found, strict=True):
        if result.probabilities is None:
            raise DataError(f"the model could not be tested on rows it had not seen: {result.reason}")
        probabilities[fold.test] = result.probabilities
    return UnseenRows(tuple(classes.tolist()), rows, truth, probabilities, len(y), len(folds))


WRONG, DOUBT, SURE, ROW = "wrong", "doubt", "sure", "row"
ORDERS = {
    WRONG: "wrong ones first",
    DOUBT: "most in doubt first",
    SURE: "surest first",
    ROW: "by row",
}


def cases(
    model: Any,
    X: Any,
    y: Any,
    *,
    order: str = WRONG,
    cv: Any = 10,
    random_state: int = 0,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """List the rows of a table with the probabilities that a model gives them without having seen them.

    The model is learned again without each fold, and predicts the fold: no probability here comes from a
    model that was trained on the row.

    Parameters
    ----------
    model
        A classifier of ours; it is copied, not changed.
    X, y
        The table and the class of every row.
    order : {"wrong", "doubt", "sure", "row"}
        Wrong ones first, those first to which the model gave the least probability; the least sure first;
        the surest first; or by row.
    cv, random_state, progress
        As in `pgm_nb.evaluate.predictions.predict_unseen`.

    Returns
    -------
    pandas.DataFrame
        `row` (from 1), `class`, `predicted`, `wrong`, `probability` (of the predicted class) and
        `probability_of_class` (of the true class). After `row` comes `id`, if the rows of X have names of
        their own (its index).

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> table = pnb.cases(pnb.GaussianNaiveBayes(), *pnb.load_sample("iris"), cv=5)
    >>> table[["row", "class", "predicted", "wrong"]].head(1).to_dict("records")
    [{'row': 107, 'class': 'virginica', 'predicted': 'versicolor', 'wrong': True}]
    """
    unseen = predict_unseen(model, X, y, cv=cv, random_state=random_state, progress=progress)
    table = case_list(unseen, order)
    if isinstance(X, pd.DataFrame) and not X.index.equals(pd.RangeIndex(len(X))):
        table.insert(1, "id", X.index[table["row"].to_numpy() - 1])
    return table


def case_list(unseen: UnseenRows, order: str = WRONG) -> pd.DataFrame:
    """List rows whose probabilities are there; see `cases`."""
    if order not in ORDERS:
        raise DataError(f"order must be one of {', '.join(ORDERS)}, but is {order!r}")
    chances, truth = unseen.probabilities, unseen.truth
    best = chances.argmax(axis=1)
    classes = np.array([str(label) for label in unseen.classes], dtype=object)
    table = pd.DataFrame(
        {
            "row": unseen.rows + 1,
            "class": classes[truth],
            "predicted": classes[best],
            "wrong": best != truth,
            "probability": chances[np.arange(len(best)), best],
            "probability_of_class": chances[np.arange(len(truth)), truth],
        }
    )
    return table.iloc[_order(table, order)].reset_index(drop=True)


def _order(table: pd.DataFrame, order: str) -> Places:
    rows = table["row"].to_numpy()
    keys = {
        WRONG: (rows, table["probability_of_class"], ~table["wrong"]),
        DOUBT: (rows, table["probability"]),
        SURE: (rows, -table["probability"]),
        ROW: (rows,),
    }
    return np.lexsort(keys[order])


def having(frame: pd.DataFrame, name: str, value: Any) -> NDArray[np.bool_]:
    """Say which rows of a table have a value of a column, or one that fits other evidence; None: none.

    Examples
    --------
    >>> from pgm_nb.engine.evidence import above, not_
    >>> ages = pd.DataFrame({"age": [30, 64, None], "sex": ["f", "m", None]})
    >>> having(ages, "age", above(40)).tolist(), having(ages, "sex", not_("f")).tolist()
    ([False, True, False], [False, True, False])
    """
    cells = frame[name]
    found: NDArray[np.bool_]
    if isinstance(value, Between):
        numbers = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float)
        inside = (numbers > value.low) & (numbers < value.high)
        if not value.strict:
            inside |= (numbers == value.low) | (numbers == value.high)
        found = inside
        return found
    if isinstance(value, Not):
        return ~having(frame, name, OneOf(value.values)) & cells.notna().to_numpy()
    if isinstance(value, Likelihood):
        value = OneOf(tuple(each for each, weight in value.weighed if weight))
    if isinstance(value, OneOf):
        found = np.zeros(len(frame), dtype=bool)
        for each in dict.fromkeys(value.values):
            found |= having(frame, name, each)
        return found
    if value is None:
        return cells.isna().to_numpy()
    equal: NDArray[np.bool_] = (cells == value).to_numpy(dtype=bool, na_value=False)
    return equal
