"""Missing cells at training: the three policies, and the report of what was touched."""

from collections.abc import Mapping
from dataclasses import dataclass

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
        ``"state"`` (missing is a state of its own), ``"drop"`` (the row is left out) or ``"mode"`` (the
        most frequent state stands in).
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

    def __str__(self) -> str:
        if self.cells == 0:
            return "No cell is missing."
        done = {
            "state": "missing is kept as a state of its own",
            "drop": "those rows were left out",
            "mode": "the most frequent state of the column stands in",
        }[self.policy]
        where = listed([f"{name} {count:,}" for name, count in self.by_column.items()])
        return (
            f"{plural(self.cells, 'missing cell')} in {self.rows:,} of {plural(self.n_rows, 'row')}: "
            f"{done} (by column: {where})."
        )


def check_policy(policy: str) -> None:
    """Refuse a policy that is not one of the three.

    Examples
    --------
    >>> check_policy("state")
    """
    if policy not in POLICIES:
        raise DataError(f"missing must be one of 'state', 'drop', 'mode', but is {policy!r}.")
