"""Headers of several rows: names in the first rows of the table, merged cells, a row of units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from pandas.api import types

from pgm_nb.data.labels import unique_labels
from pgm_nb.data.repairs.find_cells import Proposal, is_missing_word, reading_of
from pgm_nb.data.repairs.step import Step, as_text, as_texts
from pgm_nb.data.repairs.steps import quoted_all
from pgm_nb.errors import DataError
from pgm_nb.words import listed, plural

__all__ = ["HeaderRows", "find_header"]

MOST_ROWS = 3  # of a header below the first line
LOOKED_AT = 200  # rows
LEAST = 2  # words above numbers that make a row one of the header
FILLER = "column "  # what `read_table` calls a column without a name


@dataclass(frozen=True)
class HeaderRows(Step):
    """Take the first rows into the names of the columns; they are no cases.

    Parameters
    ----------
    rows
        How many rows of the table belong to its header.
    columns, called
        The names before and after.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": ["years", "50", "61"], "CRP": ["mg/l", "5.1", "4"]})
    >>> HeaderRows(1, ["age", "CRP"], ["age years", "CRP mg/l"]).apply(frame)
       age years  CRP mg/l
    0         50       5.1
    1         61       4.0
    """

    do: ClassVar[str] = "header rows"
    rows: int
    columns: tuple[str, ...]
    called: tuple[str, ...]

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or not 1 <= self.rows <= MOST_ROWS:
            raise DataError(f"a header has 1 to {MOST_ROWS} rows below its first line, not {self.rows!r}.")
        for part in ("columns", "called"):
            object.__setattr__(self, part, as_texts(getattr(self, part), "the names of columns"))
        if len(self.columns) != len(self.called) or len(set(self.called)) < len(self.called):
            raise DataError("every column needs a name of its own after the rows of the header are used.")

    @property
    def renames(self) -> dict[str, str]:
        """Columns that get another name."""
        return {old: new for old, new in zip(self.columns, self.called, strict=True) if old != new}

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        which = "first row is" if self.rows == 1 else f"first {self.rows} rows are"
        return f"The {which} part of the names of the columns."

    def missing_from(self, frame: pd.DataFrame) -> str:
        """Return why the step does not fit a table: it has none of the columns."""
        names = {str(name) for name in frame.columns}
        if names & {*self.columns, *self.called}:
            return ""
        return f"the table has none of the columns {listed(self.columns, 5)}"

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the table with the names, without these rows if they are there."""
        names = [str(name) for name in frame.columns]
        if not any(name in self.renames and name not in self.called for name in names):
            return frame  # it has the names already
        now = [self.renames.get(name, name) for name in names]
        there = _names(frame, self.rows) if len(frame) > self.rows else []
        if 2 * sum(one == other for one, other in zip(there, now, strict=False)) >= len(names):
            frame = frame.iloc[self.rows :].reset_index(drop=True)
        return pd.DataFrame(
            {name: _retyped(frame.iloc[:, place]) for place, name in enumerate(now)}, index=frame.index
        )


def find_header(frame: pd.DataFrame) -> Proposal | None:
    """Find rows that belong to the header: words above columns of numbers.

    Examples
    --------
    >>> columns = {"Lab": ["CRP", *"5454"], "column 2": ["Crea", *"1212"], "ill": [None, *"yyny"]}
    >>> print(find_header(pd.DataFrame(columns)).step.called)
    ('Lab CRP', 'Lab Crea', 'ill')
    """
    names = [str(name) for name in frame.columns]
    rows = _header_rows(frame)
    if not rows:
        return None
    called = unique_labels(_names(frame, rows))
    which = "The first row is no case but" if rows == 1 else f"The first {rows} rows are no cases but"
    sentence = (
        f"{which} part of the header: words stand above columns of numbers. The columns are then called "
        f"{quoted_all(called[:4])}{' and so on' if len(called) > 4 else ''}."
    )
    step = HeaderRows(rows, tuple(names), tuple(called))
    return Proposal("names", "", sentence, f"Use {plural(rows, 'row')} as names", step, rows)


def _header_rows(frame: pd.DataFrame) -> int:
    """Return how many rows belong to the header."""
    body = frame.iloc[MOST_ROWS : MOST_ROWS + LOOKED_AT]
    if len(body) < MOST_ROWS:
        body = frame.iloc[1:]
    words = [place for place in range(frame.shape[1]) if _is_text(frame.iloc[:, place])]
    measured = [place for place in words if len(body) and _holds_numbers(body.iloc[:, place])]
    found = 0
    for row in range(min(MOST_ROWS, len(frame) - 1)):
        cells = frame.iloc[row].tolist()
        above = [place for place in measured if _is_word(cells[place])]
        if len(above) < LEAST:
            break
        found = row + 1
    return found


def _is_text(cells: pd.Series) -> bool:
    return not types.is_numeric_dtype(cells.dtype) and not types.is_datetime64_any_dtype(cells.dtype)


def _holds_numbers(cells: pd.Series) -> bool:
    known = cells.dropna()
    if known.empty:
        return False
    plain = pd.to_numeric(known.astype(str), errors="coerce").notna().mean()
    return bool(plain > 0.9) or reading_of(cells) is not None


def _is_word(cell: object) -> bool:
    """Return whether a cell is a word that can stand in a header."""
    if not isinstance(cell, str) or not cell.strip() or is_missing_word(cell):
        return False
    return not any(letter.isdigit() for letter in cell.split()[0])


def _names(frame: pd.DataFrame, rows: int) -> list[str]:
    """Return the names that the first line and so many rows make; merged cells reach to the right."""
    first = [str(name) for name in frame.columns]
    lines = [["" if name.startswith(FILLER) else name for name in first]]
    for row in range(rows):
        cells = frame.iloc[row].tolist()
        lines.append(["" if cell is None or cell != cell else as_text(cell) for cell in cells])
    used = [line for line in lines if sum(map(bool, line)) > 1]  # not the title of the whole table
    if not used:
        return first
    spread = [*(_to_the_right(line) for line in used[:-1]), *used[-1:]]
    pieces = [list(dict.fromkeys(part for part in parts if part)) for parts in zip(*spread, strict=True)]
    return [" ".join(parts) or old for parts, old in zip(pieces, first, strict=True)]


def _to_the_right(line: Sequence[str]) -> list[str]:
    filled: list[str] = []
    for part in line:
        filled.append(part or (filled[-1] if filled else ""))
    return filled


def _retyped(cells: pd.Series) -> pd.Series:
    """Return cells that were text because of a header among them as the numbers they are, if they are."""
    if not _is_text(cells) or isinstance(cells.dtype, pd.CategoricalDtype):
        return cells
    read = pd.to_numeric(cells, errors="coerce")
    if bool((read.isna() & cells.notna()).any()) or not read.notna().any():
        return cells
    whole = bool(read.notna().all()) and bool((read % 1 == 0).all()) and bool(read.abs().max() < 2**53)
    return read.astype(np.int64 if whole else np.float64)
