"""The cases of a table with what a model that has not seen them says: to filter and to sort."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pgm_nb.arrays import Places
from pgm_nb.errors import DataError
from pgm_nb.evaluate.out_of_fold import UnseenRows, predict_unseen
from pgm_nb.inference.evidence import Between, Likelihood, Not, OneOf

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ORDERS", "case_list", "cases", "having"]

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
        As in `pgm_nb.evaluate.out_of_fold.predict_unseen`.

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
    >>> from pgm_nb.inference.evidence import above, not_
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
