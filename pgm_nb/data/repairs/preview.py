"""What a step would change, to look at before it is done."""

from __future__ import annotations

import pandas as pd

from pgm_nb.data.repairs.cells import as_text
from pgm_nb.data.repairs.columns import LeaveOut, LeaveOutRows
from pgm_nb.data.repairs.step import Step

__all__ = ["preview"]

EMPTY = "(empty)"


def preview(frame: pd.DataFrame, step: Step, most: int = 8) -> pd.DataFrame:
    """Return what a step changes: before, after, and in how many rows; the commonest changes first.

    Parameters
    ----------
    frame
        The table to which it would be applied.
    step
        The step.
    most
        How many different changes are listed.

    Examples
    --------
    >>> from pgm_nb.data.repairs import NotMeasured
    >>> preview(pd.DataFrame({"insulin": [0, 14, 0]}), NotMeasured("insulin", (0,)))
      before    after  rows
    0      0  (empty)     2
    """
    if isinstance(step, LeaveOutRows):
        rows = len(frame) - len(step.apply(frame))
        return _listed([(f"{step.column} {EMPTY}", "the row is left out", rows)])
    if isinstance(step, LeaveOut):
        return _listed([(name, "left out", len(frame)) for name in step.columns])
    if not step.names:
        after = [str(name) for name in step.apply(frame.head(1)).columns]
        changed = zip(map(str, frame.columns), after, strict=True)
        return _listed([(old, new, len(frame)) for old, new in changed if old != new])
    [name, *_] = step.names
    used = frame[[column for column in step.names if column in frame.columns]]
    after_cells = step.apply(used).iloc[:, 0]
    pairs = pd.DataFrame({"before": _texts(frame[name]), "after": _texts(after_cells)})
    differ = pairs[pairs["before"] != pairs["after"]]
    counts = (pairs if differ.empty else differ).value_counts().head(most)  # the same, read as numbers
    return counts.rename("rows").reset_index()


def _texts(cells: pd.Series) -> pd.Series:
    return cells.astype(object).map(as_text, na_action="ignore").where(cells.notna(), EMPTY)


def _listed(changes: list[tuple[str, str, int]]) -> pd.DataFrame:
    return pd.DataFrame(changes, columns=["before", "after", "rows"])
