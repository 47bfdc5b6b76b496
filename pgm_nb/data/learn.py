"""Learn from the training rows how columns become codes, and what to do with missing cells."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pgm_nb.arrays import Codes
from pgm_nb.data.discretize import mdlp_cuts, quantile_cuts, readable_cuts, uniform_cuts
from pgm_nb.data.encode import Column, Encoder, in_threads, plain_states, stack
from pgm_nb.data.frame import is_text, numbers
from pgm_nb.data.labels import interval_labels, unique_labels
from pgm_nb.data.missing import MissingReport, check_policy
from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed, plural

__all__ = ["DEFAULT_BINS", "METHODS", "MOST_STATES", "learn_encoder"]

MOST_STATES = 1_000
DEFAULT_BINS = 10
Way = str | tuple[float, ...]  # how a numeric column becomes intervals: the name of a method, or cut points
METHODS = ("quantile", "uniform", "mdlp")

Discretizer = str | Mapping[str, Any] | None


def learn_encoder(
    frame: pd.DataFrame,
    y: NDArray[np.integer] | None,
    *,
    discretizer: Discretizer = "quantile",
    n_bins: int | None = None,
    missing: str = "state",
    n_threads: int | None = None,
) -> tuple[Encoder, Codes, NDArray[np.bool_] | None, MissingReport]:
    """Learn how the columns become codes, from the training rows alone.

    Parameters
    ----------
    frame
        The attributes as `as_frame` gives them.
    y
        Class codes 0, 1, ... of the rows; only ``"mdlp"`` uses them.
    discretizer
        For numeric columns. ``"quantile"``: at most `n_bins` equally filled bins. ``"uniform"``: `n_bins`
        of equal width. Both leave a column with no more than `n_bins` distinct values as it is.
        ``"mdlp"``: cuts chosen by the class (Fayyad & Irani 1993); a column without any is one state.
        A mapping from column names to cut points or to one of these three names; columns that are not in
        it get quantiles. None: every distinct value is a state.
    n_bins
        Bins for ``"quantile"`` and ``"uniform"`` (default 10), also in a mapping.
    missing
        ``"state"``: a column with missing cells gets one more state. ``"drop"``: rows with a missing cell
        are left out. ``"mode"``: the column's most frequent state (the first of a tie) takes their place.
    n_threads
        Number of threads; None lets the machine decide. The result does not depend on it.

    Returns
    -------
    encoder : Encoder
    codes : ndarray of shape (columns, rows kept)
    kept : boolean ndarray or None
        The rows kept by ``"drop"``; None if all are.
    report : MissingReport

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": range(10), "sex": ["m", "f"] * 5})
    >>> encoder, codes, kept, report = learn_encoder(frame, None, n_bins=2)
    >>> encoder.columns[0].labels, encoder.columns[1].labels
    (('≤ 4.5', '> 4.5'), ('f', 'm'))
    >>> print(codes, report)
    [[0 0 0 0 0 1 1 1 1 1]
     [1 0 1 0 1 0 1 0 1 0]] No cell is missing.
    >>> frame = pd.DataFrame({"age": range(10), "dose": range(10)})
    >>> encoder, *_ = learn_encoder(frame, None, discretizer={"age": [4, 7], "dose": "uniform"}, n_bins=2)
    >>> [column.labels for column in encoder.columns]
    [('≤ 4', '(4, 7]', '> 7'), ('≤ 4.5', '> 4.5')]
    """
    check_policy(missing)
    rule = _Rule.of(discretizer, n_bins, frame, y)
    kept, before = None, None
    if missing == "drop":
        kept, before = _complete_rows(frame)
        if kept is not None:
            frame, rule = frame[kept], rule.only(kept)
    jobs = [cells for _, cells in frame.items()]
    learned = in_threads(lambda column: _learn(column, rule, missing), jobs, frame.size, n_threads)
    encoder = Encoder(tuple(column for column, _, _ in learned))
    codes = stack([coded for _, coded, _ in learned], encoder.cards)
    absent = {column.name: gaps for column, _, gaps in learned if gaps is not None}
    return encoder, codes, kept, before or MissingReport.of(missing, absent, len(frame))


@dataclass(frozen=True)
class _Rule:
    """How numeric columns are cut: the checked discretizer, and the classes it uses."""

    method: str | None
    n_bins: int | None
    own: Mapping[str, str | tuple[float, ...]]  #: columns with a method or cut points of their own
    y: NDArray[np.integer] | None

    @classmethod
    def of(
        cls, discretizer: Discretizer, n_bins: int | None, frame: pd.DataFrame, y: NDArray[np.integer] | None
    ) -> "_Rule":
        own: Mapping[str, str | tuple[float, ...]] = {}
        if isinstance(discretizer, Mapping):
            own = {name: _check_own(name, way, frame) for name, way in discretizer.items()}
            discretizer = "quantile"
        if discretizer not in (*METHODS, None):
            raise DataError(
                "discretizer must be 'quantile', 'uniform', 'mdlp', None or a mapping from column names to "
                f"cut points, but it is {discretizer!r}."
            )
        if n_bins is not None and (
            isinstance(n_bins, bool)
            or not isinstance(n_bins, int | np.integer)
            or not 2 <= n_bins <= MOST_STATES
        ):
            raise DataError(f"n_bins must be a whole number from 2 to {MOST_STATES:,}, but it is {n_bins!r}.")
        by_class = "mdlp" in (discretizer, *own.values())
        if by_class and y is None:
            raise DataError("discretizer 'mdlp' chooses its cuts by the class: it needs y.")
        return cls(discretizer, None if n_bins is None else int(n_bins), own, y if by_class else None)

    def only(self, rows: NDArray[np.bool_]) -> "_Rule":
        return replace(self, y=None if self.y is None else self.y[rows])

    def bins(self) -> int:
        return self.n_bins or DEFAULT_BINS


def _check_own(name: str, way: object, frame: pd.DataFrame) -> str | tuple[float, ...]:
    """Check the entry of a mapping for one column: the name of a method, or cut points."""
    names = [str(column) for column in frame.columns]
    if name not in names:
        raise DataError(
            f"discretizer has cut points for {name!r}, which is not a column{did_you_mean(name, names)}"
            f" (columns: {listed(names)})."
        )
    column = frame.iloc[:, names.index(name)]
    if not types.is_numeric_dtype(column.dtype) or types.is_bool_dtype(column.dtype):
        raise DataError(
            f"discretizer has cut points for {name!r}, which is not a numeric column: leave it out."
        )
    if isinstance(way, str):
        if way not in METHODS:
            raise DataError(
                f"the discretizer of {name!r} must be 'quantile', 'uniform', 'mdlp' or cut points, but it is "
                f"{way!r}."
            )
        return way
    return _check_cuts(name, way)


def _check_cuts(name: str, points: object) -> tuple[float, ...]:
    wrong = DataError(
        f"the cut points of {name!r} must be finite numbers, strictly ascending, but they are {points!r}."
    )
    try:
        cuts = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise wrong from None
    if cuts.ndim != 1 or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise wrong
    if len(cuts) >= MOST_STATES:
        raise DataError(
            f"{name!r} has {plural(len(cuts), 'cut point')}; at most {MOST_STATES - 1:,} are allowed."
        )
    return tuple(cuts.tolist())


def _complete_rows(frame: pd.DataFrame) -> tuple[NDArray[np.bool_] | None, MissingReport]:
    """Return which rows have no missing cell (None: all), and the report."""
    absent = {}
    for position, name in enumerate(frame.columns):
        gaps = frame.iloc[:, position].isna().to_numpy()
        if gaps.all():
            raise DataError(
                f"column {name!r} has no value in any row, so missing='drop' would leave no rows: leave the "
                "column out, or use missing='state'."
            )
        if gaps.any():
            absent[name] = gaps
    report = MissingReport.of("drop", absent, len(frame))
    if report.rows == len(frame):
        raise DataError(
            f"every one of the {plural(len(frame), 'row')} has a missing cell, so missing='drop' would leave "
            "none: use missing='state' or missing='mode'."
        )
    return (~np.any(list(absent.values()), axis=0) if absent else None), report


def _learn(cells: pd.Series, rule: _Rule, missing: str) -> tuple[Column, Codes, NDArray[np.bool_] | None]:
    """Return the column, its codes, and where its cells are missing (None: nowhere)."""
    if is_text(cells):
        cells = cells.astype("category")
        column = Column(str(cells.name), "categorical", plain_states(cells.cat.categories))
    elif isinstance(cells.dtype, pd.CategoricalDtype):
        kind = "ordered" if cells.cat.ordered else "categorical"
        column = Column(str(cells.name), kind, plain_states(cells.cat.categories))
    elif types.is_bool_dtype(cells.dtype):
        column = Column(str(cells.name), "boolean", (False, True))
    else:
        column = _learn_numeric(cells, rule)
    if column.card > MOST_STATES:
        raise DataError(_too_many_states(column, cells))
    codes = column.encode(cells)
    gaps = codes == column.card  # every value in training has a state, so only missing cells get this code
    if not gaps.any():
        return column, codes, None
    if missing == "mode":
        codes[gaps] = _mode(column, codes[~gaps])
        return column, codes, gaps
    label = unique_labels((*column.labels, "missing"))[-1]
    return replace(column, states=(*column.states, label), missing_state=True), codes, gaps


def _mode(column: Column, codes: Codes) -> int:
    if len(codes) == 0:
        raise DataError(
            f"column {column.name!r} has no value in any row, so missing='mode' has nothing to put in: "
            "leave the column out, or use missing='state'."
        )
    return int(np.bincount(codes).argmax())


def _learn_numeric(cells: pd.Series, rule: _Rule) -> Column:
    name, values = str(cells.name), numbers(cells)
    way = rule.own.get(name, rule.method)
    if isinstance(way, tuple):
        return _binned(name, way)
    ordered = np.sort(values)  # NaN last
    ordered = ordered[: np.searchsorted(ordered, np.nan)]
    new = np.empty(len(ordered), dtype=bool)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    n_distinct = int(np.count_nonzero(new))
    if way == "mdlp" and rule.y is not None and n_distinct:
        present = ~np.isnan(values)
        return _binned(name, readable_cuts(mdlp_cuts(values[present], rule.y[present]), ordered))
    n_bins = rule.bins()
    if way is None or n_distinct <= n_bins:
        as_written = int if types.is_integer_dtype(cells.dtype) else float
        return Column(name, "numeric", tuple(as_written(value) for value in ordered[new] + 0.0))
    if way == "uniform":
        return _binned(name, readable_cuts(uniform_cuts(ordered, n_bins), ordered, centre=False))
    return _binned(name, readable_cuts(quantile_cuts(ordered, n_bins), ordered))


def _binned(name: str, cuts: Iterable[float]) -> Column:
    cuts = tuple(float(cut) for cut in cuts)
    return Column(name, "numeric", interval_labels(cuts), cuts)


def _too_many_states(column: Column, cells: pd.Series) -> str:
    what = (
        f"column {column.name!r} has {column.card:,} distinct values; at most {MOST_STATES:,} can be states."
    )
    if column.kind == "numeric":
        return f"{what} Bin it with a discretizer ('quantile', 'uniform' or 'mdlp'), or leave it out."
    words = pd.Series(column.states, dtype=object)
    not_numbers = pd.to_numeric(words, errors="coerce").isna()
    if not_numbers.mean() < 0.5:
        row = int((cells == words[not_numbers].iloc[0]).argmax()) if not_numbers.any() else 0
        return (
            f"{what} Most of its cells are numbers, but {str(cells.iloc[row])!r} in row {row + 1} is text: "
            "correct such cells or leave them empty, and make the column numeric."
        )
    return f"{what} It looks like an identifier: leave it out, or group its values."
