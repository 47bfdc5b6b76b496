"""What people give to be explained: a table with its labels, or one row in any form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pgm_nb.data import as_frame
from pgm_nb.data.blocks import number_blocks
from pgm_nb.data.frame import is_empty
from pgm_nb.data.labels import number_label
from pgm_nb.errors import DataError, QueryError
from pgm_nb.words import did_you_mean, listed

__all__ = ["first_cells", "left_out", "one_row", "rows_and_labels", "shown"]

UNKNOWN = "unknown"


def rows_and_labels(X: Any, y: Any) -> tuple[pd.DataFrame, pd.Series]:
    """Return the table as a frame and the labels as a Series of the same length, numbered from zero.

    Classes that are declared and that no row has are left out: they cannot be tested.
    """
    frame = as_frame(X).reset_index(drop=True)
    labels = pd.Series(y).reset_index(drop=True)
    if isinstance(labels.dtype, pd.CategoricalDtype):
        labels = labels.cat.remove_unused_categories()
    if len(frame) != len(labels):
        raise DataError(
            f"every row needs one label, but the table has {len(frame):,} rows and there are "
            f"{len(labels):,} labels."
        )
    return frame, labels


def one_row(row: Any, names: Sequence[str]) -> pd.DataFrame:
    """Return the row as a table of one row with these columns; what is not given is missing.

    Parameters
    ----------
    row : mapping, Series, one-row DataFrame, or sequence
        Values by name; a sequence gives one for every name. An empty mapping: nothing is known.
    names : sequence of str
        The columns, in order.

    Examples
    --------
    >>> one_row({"age": 50}, ["age", "sex"])
       age  sex
    0   50  NaN
    """
    values, wanted = _by_name(row, names), set(names)
    for name in values:
        if name not in wanted:
            raise QueryError(
                f"the row has {name!r}, which is no attribute of the model{did_you_mean(name, names)} "
                f"(attributes: {listed(names)}); leave it out"
            )
    cells = {name: np.nan if is_empty(value) else value for name, value in values.items()}
    ordered = [cells.get(name, np.nan) for name in names]
    if all(isinstance(cell, float) for cell in ordered):
        return pd.DataFrame(np.array([ordered]), columns=list(names))
    return pd.DataFrame({name: [cell] for name, cell in zip(names, ordered, strict=True)})


def first_cells(frame: pd.DataFrame) -> list[Any]:
    """Return the cells of the first row, each of the type of its column.

    Examples
    --------
    >>> first_cells(pd.DataFrame({"age": [50], "sex": ["f"]}))
    [np.int64(50), 'f']
    """
    cells: list[Any] = [None] * frame.shape[1]
    blocks, others = number_blocks(frame)
    for block in blocks:
        for place, cell in zip(block.places.tolist(), block.cells[:, 0], strict=True):
            cells[place] = cell
    for place in others:
        cells[place] = frame.iloc[0, place]
    return cells


def left_out(row: Any, names: Sequence[str]) -> list[int]:
    """Return the places of the names that a row does not mention at all, not even as an empty cell.

    Examples
    --------
    >>> left_out({"age": 50, "sex": None}, ["age", "sex", "dose"])
    [2]
    """
    values = _by_name(row, names)
    return [place for place, name in enumerate(names) if name not in values]


def shown(value: object) -> str:
    """Write a cell for people.

    Examples
    --------
    >>> shown(0.3), shown(True), shown(None)
    ('0.3', 'True', 'unknown')
    """
    if is_empty(value):
        return UNKNOWN
    if isinstance(value, float | np.floating):
        return number_label(float(value))
    return str(value)


def _by_name(row: Any, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(row, pd.DataFrame):
        if len(row) != 1:
            raise QueryError(
                f"one row is explained at a time, but the table has {len(row):,}; choose one: X.iloc[0]"
            )
        return dict(zip(map(str, row.columns), first_cells(row), strict=True))
    if isinstance(row, pd.Series):
        return {str(name): value for name, value in row.items()}
    if isinstance(row, Mapping):
        return {str(name): value for name, value in row.items()}
    values = np.asarray(row, dtype=object)
    if values.ndim == 2 and len(values) == 1:
        values = values[0]
    if values.ndim != 1 or len(values) != len(names):
        raise QueryError(
            f"a row must give one value for each of the {len(names)} attributes, or values by name, "
            f"but what was given has shape {values.shape}"
        )
    return dict(zip(names, values.tolist(), strict=True))
