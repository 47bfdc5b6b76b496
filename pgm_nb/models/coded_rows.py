"""Training rows as codes: what every model over binned columns starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Places
from pgm_nb.data import Encoder, MissingReport, learn_encoder
from pgm_nb.errors import DataError

__all__ = ["CodedRows", "check_classes_survive", "code_rows"]


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


def check_classes_survive(
    classes: NDArray[Any], y: Places, advice: str = "use missing='state' or missing='mode'"
) -> None:
    """Refuse rows of which dropping the incomplete ones has lost a class."""
    lost = [str(classes[i]) for i in np.flatnonzero(np.bincount(y, minlength=len(classes)) == 0)]
    if lost:
        raise DataError(
            f"every row of class {', '.join(lost)} has a missing cell, so dropping rows loses the class; "
            f"{advice}"
        )
