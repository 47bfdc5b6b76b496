"""Rows that come in batches: coded, counted, sampled, and what was left out of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from pgm_nb.counts import Counts, count_blocks
from pgm_nb.counts.weighted import count_weighted, scaled
from pgm_nb.data import MissingReport, as_frame, as_labels
from pgm_nb.data.column import code_type
from pgm_nb.data.summary import RowSample, TableSummary
from pgm_nb.errors import DataError
from pgm_nb.models.coded_rows import lost_classes
from pgm_nb.models.table_state import CountedRows, TrainingRows

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Flags, Floats, Ints, Places
    from pgm_nb.data import Encoder
    from pgm_nb.data.summary import Coding

__all__ = ["RowStream", "merged"]

Part = TypeVar("Part", TableSummary, "RowStream")


class RowStream:
    """Rows that were counted: how they are coded, their counts, a sample of them, and what was missing.

    Streams of different rows merge, in any grouping: those of batches, or of the partitions of a table. A row
    with a value that has no state yet adds the state, so what is learned does not depend on which rows come
    first; only cut points are those that the stream began with.

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

    Examples
    --------
    >>> from pgm_nb.data.summary import TableSummary
    >>> summary = TableSummary()
    >>> summary.add(pd.DataFrame({"sex": ["m", "m"]}), [0, 1], 0)
    >>> coding = summary.coding(discretizer=None, n_bins=None, missing="state")
    >>> stream = RowStream(coding, "ill", True, "state").count([(pd.DataFrame({"sex": ["f", "m"]}), [0, 1])])
    >>> stream.coding.encoder.columns[0].states, stream.counts.single(0).tolist()
    (('f', 'm'), [[1, 0], [0, 1]])
    """

    def __init__(self, coding: Coding, target: str, named: bool, missing: str) -> None:
        self.coding, self.named, self.policy = coding, named, missing
        self.target = target
        while self.target in coding.encoder.names:
            self.target += "_"
        self.counts: Counts | None = None
        self.window: list[RowStream] = []  # the batches that count, if older do not
        self.seen = 0  # the number of the next row
        self.sample: RowSample | None = RowSample()  # none if it would not stand for what was counted
        self.report = MissingReport(missing, 0, 0, 0, {}, 0)
        self.class_rows: Ints = np.zeros(len(coding.classes), dtype=np.int64)  # dropped or not

    def empty(self) -> RowStream:
        """Return a stream without rows that goes on where this one ends."""
        found = RowStream(self.coding, self.target, self.named, self.policy)
        found.seen = self.seen
        return found

    def count(self, batches: Iterable[Any], *, n_threads: int | None = None) -> RowStream:
        """Code and count batches of rows (X, y); memory holds the tables and one batch."""
        coded = (block for X, y in batches if len((block := self.code(X, y))[1]))
        for encoder, group in groupby(coded, lambda _: self.coding.encoder):  # until a column gets a state
            part = count_blocks(group, encoder.cards, len(self.coding.classes), n_threads=n_threads)
            self._add(_relaid(part, encoder, self.coding.encoder))
        return self

    def count_weighted(self, X: Any, y: Any, weights: Floats) -> RowStream:
        """Code and count rows with real weights; no sample stands for them."""
        codes, found = self.code(X, y)
        if len(found) < len(weights):
            raise DataError("with real weights missing must be 'state' or 'mode', not 'drop'")
        self._add(count_weighted(codes, found, weights, self.coding.encoder.cards, len(self.coding.classes)))
        self.sample = None
        return self

    def forgotten(self, decay: float) -> RowStream:
        """Return the stream with counts that count less; no sample stands for them."""
        if decay == 1 or self.counts is None:
            return self
        found = copy(self)
        found.counts, found.sample = scaled(self.counts, float(decay)), None
        return found

    def _add(self, counts: Counts) -> None:
        self.counts = counts if self.counts is None else self.counts + counts

    def code(self, X: Any, y: Any) -> tuple[Codes, Places]:
        """Code rows, note what is missing in them, and take them into the sample."""
        codes, classes, empty, kept = self._coded(X, y)
        self._note(empty, kept)
        self.class_rows += np.bincount(classes, minlength=len(self.class_rows))
        codes, classes = _rows_kept(codes, classes, kept)
        if self.sample is not None:
            self.sample.add(self.seen, [codes.T, classes])
        self.seen += len(kept)
        return codes, classes

    def recoded(self, X: Any, y: Any) -> tuple[Codes, Places]:
        """Code rows that have been coded before: nothing is noted or sampled again."""
        codes, classes, _, kept = self._coded(X, y)
        return _rows_kept(codes, classes, kept)

    def _coded(self, X: Any, y: Any) -> tuple[Codes, Places, Flags, Flags]:
        """Return codes, classes, which cells are missing (no column if none is), and which rows are kept."""
        frame, encoder = as_frame(X), self.coding.encoder
        codes, classes = encoder.encode(frame), self.class_codes(y, len(frame))
        kept: Flags = np.ones(len(frame), dtype=bool)
        least_empty = np.array([column.card - column.missing_state for column in encoder.columns])
        if len(frame) and (codes.max(axis=1) < least_empty).all():  # nothing is missing or new
            return codes, classes, np.zeros((len(codes), 0), dtype=bool), kept
        if self.policy == "drop":
            kept = frame.notna().all(axis=1).to_numpy()
        state, most = self.policy == "state", self.coding.most
        self.grow(encoder.grown(frame[kept], codes[:, kept], empty=state, most=most))
        if self.coding.encoder is not encoder:
            encoder = self.coding.encoder
            codes = encoder.encode(frame)
        known = np.array([len(column.known) for column in encoder.columns])[:, None]
        empty = frame.isna().to_numpy().T if self.policy == "drop" else codes >= known
        if self.policy == "mode" and empty.any():
            if self.coding.fill is None:
                raise DataError(
                    "missing='mode' puts the commonest state of all rows into an empty cell, and these are "
                    "not all rows: use missing='state' or 'drop', or fit_batches with all batches"
                )
            codes = np.where(empty, self.coding.fill[:, None].astype(codes.dtype), codes)
        return codes, classes, empty, kept

    def grow(self, encoder: Encoder) -> None:
        """Go on with an encoder that has further states: counts and sample are put into its codes."""
        before = self.coding.encoder
        if encoder is before:
            return
        places, dtype, fill = before.places(encoder), code_type(max(encoder.cards)), self.coding.fill
        if self.counts is not None:
            self.counts = _relaid(self.counts, before, encoder)
        if self.sample is not None:
            self.sample.change(lambda parts: [_recoded(parts[0], places, dtype), parts[1]])
        if fill is not None:
            fill = np.array([place[state] for place, state in zip(places, fill, strict=True)])
        self.coding = replace(self.coding, encoder=encoder, fill=fill)

    def class_codes(self, y: Any, n: int) -> Places:
        """Return the class code of every row; a class that is not one of the stream's is refused."""
        labels = as_labels(y)
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

    def _note(self, empty: Flags, kept: Flags) -> None:
        by_column = {
            self.coding.encoder.names[i]: int(empty[i].sum())
            for i in np.flatnonzero(empty.any(axis=1)).tolist()
        }
        rows, cells, dropped = empty.any(axis=0).sum(), empty.sum(), (~kept).sum()
        self.report += MissingReport(self.policy, len(kept), int(rows), int(cells), by_column, int(dropped))

    def merge(self, other: RowStream) -> None:
        """Take the rows of another stream into account; both must have the same cut points and classes."""
        if not np.array_equal(self.coding.classes, other.coding.classes):
            raise DataError("the parts of a table must have the same classes: name all of them with classes=")
        theirs, sample = other.coding.encoder, other.sample
        self.grow(self.coding.encoder.joined(theirs, most=self.coding.most))
        mine = self.coding.encoder
        if other.counts is not None:
            self._add(_relaid(other.counts, theirs, mine))
        if self.sample is None or sample is None:
            self.sample = None
        else:
            places, dtype = theirs.places(mine), code_type(max(mine.cards))
            same = mine is theirs or mine == theirs
            self.sample.merge(sample, None if same else lambda p: [_recoded(p[0], places, dtype), p[1]])
        self.report += other.report
        self.class_rows = self.class_rows + other.class_rows
        self.seen = max(self.seen, other.seen)

    def rows(self) -> TrainingRows:
        """Return the sample as training rows."""
        coding = self.coding
        if self.counts is None:
            raise DataError("no row is left to learn from: every row has a missing cell; use missing='state'")
        lost = coding.classes[(self.counts.y == 0) & (self.class_rows > 0)]
        if len(lost):
            raise lost_classes(list(map(str, lost)))
        if self.sample is None:
            return CountedRows(self.target, coding.classes, coding.encoder, self.report)
        codes, y = self.sample.rows()
        return TrainingRows(
            self.target,
            coding.classes,
            coding.encoder,
            self.report,
            np.ascontiguousarray(codes.T),
            y,
            whole=self.sample.whole,
        )


def merged(parts: Sequence[Part]) -> Part:
    """Return what several streams, or several summaries, hold together."""
    total: Part = parts[0].empty()
    for part in parts:
        total.merge(part)
    return total


def _rows_kept(codes: Codes, classes: Places, kept: Flags) -> tuple[Codes, Places]:
    return (codes, classes) if kept.all() else (np.ascontiguousarray(codes[:, kept]), classes[kept])


def _relaid(counts: Counts, before: Encoder, now: Encoder) -> Counts:
    return counts if before is now or before == now else counts.relaid(before.places(now), now.cards)


def _recoded(codes: Codes, places: Sequence[Ints], dtype: Any) -> Codes:
    """Return rows (n, d) in the codes of an encoder with more states."""
    columns = [place.astype(dtype)[column] for place, column in zip(places, codes.T, strict=True)]
    return np.stack(columns, axis=1)
