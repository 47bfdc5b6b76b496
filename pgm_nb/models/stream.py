"""Rows that come in batches: coded, counted, sampled, and what was left out of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pgm_nb.counts import Counts
from pgm_nb.data import MissingReport, as_frame
from pgm_nb.data.row_sample import RowSample
from pgm_nb.errors import DataError
from pgm_nb.models.table_state import TrainingRows

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Flags, Places
    from pgm_nb.data.summary import Coding

__all__ = ["RowStream", "both_reports", "named_target"]


def named_target(y: Any) -> str:
    """Return the name of the class: that of the Series, else "class"."""
    name = getattr(y, "name", None)
    return "class" if name is None else str(name)


def both_reports(one: MissingReport, other: MissingReport) -> MissingReport:
    """Return the report on the missing cells of two parts of a table.

    Examples
    --------
    >>> part = MissingReport("state", 10, 1, 1, {"age": 1}, 0)
    >>> str(both_reports(part, part))
    '2 missing cells in 2 of 20 rows: missing is a state of its own (by column: age 2).'
    """
    names = dict.fromkeys([*one.by_column, *other.by_column])
    return MissingReport(
        one.policy,
        one.n_rows + other.n_rows,
        one.rows + other.rows,
        one.cells + other.cells,
        {name: one.by_column.get(name, 0) + other.by_column.get(name, 0) for name in names},
        one.rows_dropped + other.rows_dropped,
    )


def _rows_kept(codes: Codes, classes: Places, kept: Flags) -> tuple[Codes, Places]:
    return (codes, classes) if kept.all() else (np.ascontiguousarray(codes[:, kept]), classes[kept])


class RowStream:
    """What is known of a stream of rows: how they are coded, their counts so far, and a sample of them.

    Parameters
    ----------
    coding : Coding
        The states of the columns, and the classes.
    target : str
        Name of the class.
    named : bool
        Whether the columns have names of their own.
    missing : {"state", "drop", "mode"}
        What to do with missing cells.
    """

    def __init__(self, coding: Coding, target: str, named: bool, missing: str) -> None:
        self.coding, self.named, self.policy = coding, named, missing
        self.target = target
        while self.target in coding.encoder.names:
            self.target += "_"
        self.counts: Counts | None = None
        self.window: list[tuple[Counts | None, RowStream]] = []  # the batches that count, if older do not
        self.seen = 0  # rows that have gone through the window
        self.sample = RowSample()
        self.report = MissingReport(missing, 0, 0, 0, {}, 0)
        self._cards = np.array(coding.encoder.cards)[:, None]
        self._least_empty = np.array([c.card - c.missing_state for c in coding.encoder.columns])

    def code(self, X: Any, y: Any, start: int | None = None) -> tuple[Codes, Places]:
        """Code rows, note what is missing in them, and take them into the sample.

        A row with a value that has no state is left out, and so counted in the report.
        """
        codes, classes, empty, kept = self._coded(X, y)
        start = self.report.n_rows if start is None else start
        self._note(empty, kept)
        codes, classes = _rows_kept(codes, classes, kept)
        self.sample.add(start, [codes.T, classes])
        return codes, classes

    def recoded(self, X: Any, y: Any) -> tuple[Codes, Places]:
        """Code rows that have been coded before: nothing is noted or sampled again."""
        codes, classes, _, kept = self._coded(X, y)
        return _rows_kept(codes, classes, kept)

    def _coded(self, X: Any, y: Any) -> tuple[Codes, Places, Flags, Flags]:
        """Return codes, classes, which cells are missing (no column if none is), and which rows are kept."""
        frame = as_frame(X)
        codes, classes = self.coding.encoder.encode(frame), self.class_codes(y, len(frame))
        if len(frame) and (codes.max(axis=1) < self._least_empty).all():  # nothing is missing
            return codes, classes, np.zeros((len(codes), 0), dtype=bool), np.ones(len(frame), dtype=bool)
        gaps = codes >= self._cards
        empty = gaps.copy()
        for i, column in enumerate(self.coding.encoder.columns):
            if column.missing_state:
                empty[i] |= codes[i] == column.card - 1
        if self.policy == "mode":
            codes = np.where(gaps, self.coding.fill[:, None].astype(codes.dtype), codes)
            gaps = np.zeros_like(gaps)
        kept: Flags = ~np.any(gaps, axis=0)
        return codes, classes, empty, kept

    def class_codes(self, y: Any, n: int) -> Places:
        """Return the class code of every row; a class that is not one of the stream's is refused."""
        labels = np.asarray(y)
        if labels.shape != (n,):
            raise DataError(f"there must be a class for each of the {n:,} rows, got shape {labels.shape}")
        codes = pd.Index(self.coding.classes).get_indexer(pd.Index(labels))
        if (codes < 0).any():
            strange = labels[np.argmax(codes < 0)]
            raise DataError(
                f"a row has the class {strange!s}, but the classes are "
                f"{', '.join(map(str, self.coding.classes[:10]))}; name all of them with classes="
            )
        return np.asarray(codes, dtype=np.intp)

    def _note(self, empty: Any, kept: Any) -> None:
        old, by_column = self.report, dict(self.report.by_column)
        for i in np.flatnonzero(empty.any(axis=1)).tolist():
            name = self.coding.encoder.names[i]
            by_column[name] = by_column.get(name, 0) + int(empty[i].sum())
        self.report = MissingReport(
            old.policy,
            old.n_rows + len(kept),
            old.rows + int(empty.any(axis=0).sum()),
            old.cells + int(empty.sum()),
            by_column,
            old.rows_dropped + int((~kept).sum()),
        )

    def merge(self, other: RowStream) -> None:
        """Take the sample and the report of another part into account; counts are added elsewhere."""
        self.sample.merge(other.sample)
        self.report = both_reports(self.report, other.report)

    def rows(self) -> TrainingRows:
        """Return the sample as training rows."""
        if self.report.n_rows == self.report.rows_dropped:
            raise DataError("no row is left to learn from: every row has a cell without a state.")
        codes, y = self.sample.rows()
        coding = self.coding
        return TrainingRows(
            self.target,
            coding.classes,
            coding.encoder,
            self.report,
            np.ascontiguousarray(codes.T),
            y,
            whole=self.sample.whole,
        )
