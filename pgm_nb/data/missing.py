"""Missing cells at training: what can be done with them, and the report of what was done."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pgm_nb.errors import DataError
from pgm_nb.words import listed, plural

__all__ = ["POLICIES", "MissingReport", "check_policy"]

POLICIES = ("state", "drop", "mode")


@dataclass(frozen=True)
class MissingReport:
    """How many cells were missing at training, where, and what was done with them.

    Attributes
    ----------
    policy
        ``"state"`` (missing is a state of its own), ``"drop"`` (the row is left out), ``"mode"`` (the most
        frequent state takes its place) or ``"unknown"`` (estimates are made from the other rows).
    n_rows
        Rows of the table as given.
    rows
        Rows with at least one missing cell.
    cells
        Missing cells in all.
    by_column
        Missing cells of each column that has any.
    rows_dropped
        Rows left out: `rows` under ``"drop"``, else 0.

    Examples
    --------
    >>> str(MissingReport("drop", 435, 203, 392, {"crime": 392}, 203))
    '392 missing cells in 203 of 435 rows: those rows were left out (by column: crime 392).'
    """

    policy: str
    n_rows: int
    rows: int
    cells: int
    by_column: Mapping[str, int]
    rows_dropped: int

    @classmethod
    def of(cls, policy: str, absent: Mapping[str, NDArray[np.bool_]], n_rows: int) -> Self:
        """Count the missing cells, given for each column which of its cells are missing.

        Examples
        --------
        >>> print(MissingReport.of("unknown", {"age": np.array([True, False])}, 2))
        1 missing cell in 1 of 2 rows: they are unknown, and no estimate uses them (by column: age 1).
        """
        by_column = {name: int(gaps.sum()) for name, gaps in absent.items() if gaps.any()}
        rows = int(np.any(list(absent.values()), axis=0).sum()) if absent else 0
        return cls(policy, n_rows, rows, sum(by_column.values()), by_column, rows if policy == "drop" else 0)

    def __str__(self) -> str:
        if self.cells == 0:
            return "No cell is missing."
        done = {
            "state": "missing is a state of its own",
            "drop": "those rows were left out",
            "mode": "the most frequent state of the column took their place",
            "unknown": "they are unknown, and no estimate uses them",
        }[self.policy]
        where = listed([f"{name} {count:,}" for name, count in self.by_column.items()])
        return (
            f"{plural(self.cells, 'missing cell')} in {self.rows:,} of {plural(self.n_rows, 'row')}: "
            f"{done} (by column: {where})."
        )


def check_policy(policy: str) -> None:
    """Refuse an unknown policy for coded columns.

    Examples
    --------
    >>> check_policy("state")
    """
    if policy not in POLICIES:
        raise DataError(f"missing must be 'state', 'drop' or 'mode', but it is {policy!r}.")
