"""What each attribute adds to predicting the class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError
from pgm_nb.explain.importance.orders import FORWARD, METHODS, PERMUTATIONS, SHARE
from pgm_nb.explain.importance.out_of_fold import MOST_ROWS, Ranked, out_of_fold
from pgm_nb.scoring.parallel import Progress, part_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["importance"]


def importance(
    model: Ranked,
    X: Any,
    y: Any,
    method: str = FORWARD,
    *,
    cv: Any = 5,
    random_state: int | None = 0,
    max_rows: int | None = MOST_ROWS,
    permutations: int = PERMUTATIONS,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Rank the attributes by what they add to predicting the class of rows not trained on.

    In every fold a copy of the model is trained once, and then predicts the rows left out with cells hidden;
    nothing is trained again for a smaller set of attributes. All values are bits of log-loss per row: how
    much less surprising the true class becomes.

    Parameters
    ----------
    model : classifier
        A model of this package, or any classifier whose `predict_proba` takes `NaN` for unknown; fitted or
        not, it is copied.
    X, y
        Table and labels.
    method : {"forward", "drop", "share"}
        - ``"forward"``: the path of greedy choices. First the attribute that predicts best on its own, then
          the one that adds most to it, and so on; the value is what the attribute adds to those before it.
          An attribute that repeats an earlier one comes late. In a table of more than 60 attributes the path
          has 30 steps, and the others follow by what each would add at its end.
        - ``"drop"``: what is lost while this attribute is hidden and all others are known. Of two that say
          the same, neither is missed.
        - ``"share"``: the Shapley value, the mean of what the attribute adds over all orders in which the
          attributes can become known. The shares add up to all that the model says about the class. Exact
          where trying every set of attributes takes at most about a million predictions; otherwise from
          sampled orders, with the error of sampling in the interval.
    cv : int, str, splitter of scikit-learn, or iterable of pairs of arrays
        A number of stratified folds; "10x10" for ten times ten; or folds of your own.
    random_state : int, optional
        Which folds, which rows of a large table are predicted, and which orders are sampled.
    max_rows : int or None
        Rows to predict, of all folds together; None for all. The models learn from all rows in any case.
    permutations : int
        Orders to sample for ``"share"``.
    n_jobs : int
        Processes that share the fits; any number gives the same result.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Returns
    -------
    DataFrame
        attribute, value, low, high; the most important first. The interval is 95% by Student's t over folds.
        The attributes of the path are chosen on the same folds, so its first values are slightly too large.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing="backoff", n_bins=5)
    >>> pnb.importance(model, *pnb.load_sample("iris")).round(2)
          attribute  value   low  high
    0  petal length   1.11  0.94  1.27
    1   petal width   0.17  0.13  0.21
    2   sepal width   0.05 -0.04  0.13
    3  sepal length  -0.06 -0.12  0.01
    """
    if method not in METHODS:
        raise DataError(f"method must be one of {', '.join(map(repr, METHODS))}, but is {method!r}.")
    folds = out_of_fold(
        model,
        X,
        y,
        cv=cv,
        random_state=random_state,
        max_rows=max_rows,
        n_jobs=n_jobs,
        progress=part_of(progress, 0.0, 0.5),
    )
    more: dict[str, Any] = {}
    if method == SHARE:
        more = {"permutations": permutations, "random_state": random_state}
    return METHODS[method](folds, progress=part_of(progress, 0.5, 1.0), **more)
