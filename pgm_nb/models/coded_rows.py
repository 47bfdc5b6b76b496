"""Training rows as codes: what every model over binned columns starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing

from pgm_nb.arrays import Codes, Places
from pgm_nb.counts.weighted import checked_weights
from pgm_nb.data import Encoder, MissingReport, learn_encoder
from pgm_nb.errors import DataError

__all__ = [
    "CodedRows",
    "check_classes_survive",
    "code_rows",
    "distinct_rows",
    "lost_classes",
    "revealed",
    "written_out",
]

REPEATED = 1_000_000  # rows up to which frequencies are written out
ADVICE = "use missing='state' or missing='mode'"


@dataclass(frozen=True, eq=False)
class CodedRows:
    """The rows that are learned from."""

    frame: pd.DataFrame
    y: Places  #: class codes
    encoder: Encoder
    codes: Codes  #: (d, n)
    kept: NDArray[np.bool_]  #: which of the rows given these are
    missing: MissingReport


def code_rows(
    frame: pd.DataFrame,
    y: Places,
    *,
    discretizer: str | Mapping[str, str | Sequence[float]] | None,
    n_bins: int | None,
    missing: str,
) -> CodedRows:
    """Learn how columns become codes, code the rows, and leave out those that the missing policy drops.

    Parameters
    ----------
    frame, y
        The rows and their class codes.
    discretizer, n_bins, missing
        As `learn_encoder` takes them.

    Examples
    --------
    >>> frame = pd.DataFrame({"sex": ["m", "f", None]})
    >>> rows = code_rows(frame, np.array([0, 1, 1]), discretizer="quantile", n_bins=None, missing="drop")
    >>> rows.codes, rows.y
    (array([[1, 0]], dtype=uint8), array([0, 1]))
    """
    encoder, codes, kept, report = learn_encoder(
        frame, y, discretizer=discretizer, n_bins=n_bins, missing=missing
    )
    if kept is None:
        return CodedRows(frame, y, encoder, codes, np.ones(len(y), dtype=bool), report)
    return CodedRows(frame[kept], y[kept], encoder, codes, kept, report)


def written_out(X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, Any, Any]:
    """Return the rows that have a weight, repeated as often as whole weights say; and weights that are not.

    Examples
    --------
    >>> written_out(np.array([["a"], ["b"], ["c"]]), [0, 1, 0], [1, 2, 0])[1:]
    (array([0, 1, 1]), None)
    """
    if sample_weight is None:
        return X, y, None
    weights, whole = checked_weights(sample_weight, len(np.asarray(y)))
    repeat = whole and weights.sum() <= REPEATED
    times = weights if repeat else weights > 0
    rows = np.repeat(np.arange(len(weights)), times.astype(np.int64))
    is_table = hasattr(X, "columns") or hasattr(X, "toarray")  # also a sparse one, which fit refuses
    X = _safe_indexing(X if is_table else np.asarray(X), rows)
    y = y.iloc[rows] if hasattr(y, "iloc") else np.asarray(y)[rows]
    return X, y, None if repeat else weights[rows]


def distinct_rows(codes: Codes, cards: Places, known: NDArray[np.bool_]) -> tuple[Places, Places, Places]:
    """Find the rows that differ while only some attributes are known, for many sets of known attributes.

    Parameters
    ----------
    codes : array (d, n)
        Coded rows; a code equal to the number of states means unknown.
    cards : array (d,)
        Numbers of states.
    known : array of bool (sets, d)
        Which attributes are known.

    Returns
    -------
    sets, rows : arrays (m,)
        A set and one row for each combination of known values that occurs.
    places : array (sets, n)
        Where every row of every set is among them.

    Examples
    --------
    >>> codes = np.array([[0, 1, 0, 0], [0, 0, 1, 0]])
    >>> sets, rows, places = distinct_rows(codes, np.array([2, 2]), np.array([[True, False]]))
    >>> rows.tolist(), places.tolist()
    ([0, 1], [[0, 1, 0, 0]])
    """
    n, found, places, start = codes.shape[1], [], [], 0
    for one in known:
        columns = np.flatnonzero(one)
        if np.log(cards[columns] + 1.0).sum() < np.log(n):
            sizes = (1, *(cards[columns] + 1))
            keys = np.ravel_multi_index((np.zeros(n, dtype=np.intp), *codes[columns].astype(np.intp)), sizes)
            _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        else:
            first = place = np.arange(n)
        found.append(first)
        places.append(place + start)
        start += len(first)
    sets = np.repeat(np.arange(len(known)), [len(rows) for rows in found])
    return sets, np.concatenate(found), np.stack(places)


def check_classes_survive(
    classes: NDArray[Any],
    y: Places,
    before: Places,
    advice: str = ADVICE,
) -> None:
    """Refuse rows of which dropping the incomplete ones has lost a class that they had before."""
    now, then = (np.bincount(codes, minlength=len(classes)) for codes in (y, before))
    lost = [str(classes[i]) for i in np.flatnonzero((now == 0) & (then > 0))]
    if lost:
        raise lost_classes(lost, advice)


def lost_classes(lost: Sequence[str], advice: str = ADVICE) -> DataError:
    """Return the error that says that no row is left of some classes."""
    return DataError(
        f"every row of class {', '.join(lost)} has a missing cell, so dropping rows loses the class; {advice}"
    )


def revealed(codes: Codes, cards: Sequence[int], order: Sequence[int]) -> Codes:
    """Return rows with the first 0, 1, ... all of some columns known, (d, (columns + 1) n), others unknown.

    Parameters
    ----------
    codes : array (d, n)
        The rows.
    cards : sequence of int
        Numbers of states of the columns; a code equal to it means unknown.
    order : sequence of int
        The columns, in the order in which they are revealed.

    Examples
    --------
    >>> revealed(np.array([[0], [1]], dtype=np.uint8), (2, 3), [1, 0]).tolist()
    [[2, 2, 0], [3, 1, 1]]
    """
    shown = np.empty((len(codes), len(order) + 1, codes.shape[1]), dtype=codes.dtype)
    shown[:] = np.array(cards, dtype=codes.dtype)[:, None, None]
    for place, column in enumerate(order, start=1):
        shown[column, place:] = codes[column]
    return shown.reshape(len(codes), -1)
