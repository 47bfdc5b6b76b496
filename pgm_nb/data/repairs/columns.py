"""Steps on whole columns and rows: names that occur twice, columns and rows that are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from pandas.api import types

from pgm_nb.data.labels import unique_labels
from pgm_nb.data.repairs.cells import as_texts, replaced
from pgm_nb.data.repairs.step import Step
from pgm_nb.words import together

__all__ = ["LeaveOut", "LeaveOutRows", "NumberNames"]


@dataclass(frozen=True)
class NumberNames(Step):
    """Number the columns whose name occurs before: ``dose``, ``dose (2)``.

    Examples
    --------
    >>> twice = pd.DataFrame([[1, 2]], columns=["dose", "dose"])
    >>> list(NumberNames().apply(twice))
    ['dose', 'dose (2)']
    """

    do: ClassVar[str] = "number names"

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the table with a name of its own for every column."""
        return frame.set_axis(list(unique_labels(str(name) for name in frame.columns)), axis=1)

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        return "Columns with the same name are numbered."


@dataclass(frozen=True)
class LeaveOut(Step):
    """Leave columns out.

    Examples
    --------
    >>> list(LeaveOut(["id"]).apply(pd.DataFrame({"id": [1], "age": [40]})))
    ['age']
    """

    do: ClassVar[str] = "leave out"
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", as_texts(self.columns, "the columns to leave out"))

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the table without the columns."""
        return frame.drop(columns=[name for name in self.columns if name in frame.columns])

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        return f"{together(self.columns)}: left out."

    def missing_from(self, frame: pd.DataFrame) -> str:
        """Return nothing: a column that is not there need not be left out."""
        return ""


@dataclass(frozen=True)
class LeaveOutRows(Step):
    """Leave out the rows in which a column, the class, is empty; rows to be classified stay.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [40, 50], "class": ["ill", None]})
    >>> len(LeaveOutRows("class").apply(frame)), len(LeaveOutRows("class").apply(frame, new=True))
    (1, 2)
    """

    do: ClassVar[str] = "leave out rows"
    column: str

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the rows in which the column is not empty."""
        if new:
            return frame
        kept = frame[self.column].notna().to_numpy(dtype=np.bool_)
        if kept.all():
            return frame
        frame = frame[kept].reset_index(drop=True)
        cells = frame[self.column]
        if types.is_float_dtype(cells.dtype) and len(cells) and bool((cells % 1 == 0).all()):
            frame = replaced(frame, self.column, cells.astype(np.int64))  # 0 and 1 were 0.0 beside gaps
        return frame

    @property
    def names(self) -> tuple[str, ...]:
        """The column it needs."""
        return (self.column,)

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        return f"Rows in which {self.column} is empty are left out."
