"""A first pass over a table that does not fit into memory: what its columns hold, and how to code them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.data.blocks import number_blocks
from pgm_nb.data.column import Column
from pgm_nb.data.encode import Encoder
from pgm_nb.data.frame import as_frame, is_number, is_text, numbers
from pgm_nb.data.labels import interval_labels, unique_labels
from pgm_nb.data.learn import DEFAULT_BINS, MOST_STATES, learn_encoder
from pgm_nb.data.quantile_sketch import QuantileSketch, new_sketch
from pgm_nb.data.row_sample import RowSample
from pgm_nb.data.target import encode_target
from pgm_nb.errors import DataError

__all__ = ["Coding", "TableSummary"]

AT_ONCE = 1 << 20  # equal numbers that are sketched together


@dataclass(frozen=True, eq=False)
class Coding:
    """How the rows of a stream become codes."""

    encoder: Encoder
    classes: NDArray[Any]
    fill: Ints  #: the state that takes the place of a missing cell with missing="mode"
    limit: int | None = None  #: the largest key of the sample of the rows that were read


class TableSummary:
    """What a pass over the rows found: words, missing cells, few distinct numbers, and a sample of the rows.

    Parameters
    ----------
    few : int
        Up to how many distinct numbers of a column are remembered.
    sketch : bool
        Whether to sketch the quantiles of every numeric column as well (package ``datasketches``).

    Examples
    --------
    >>> summary = TableSummary()
    >>> summary.add(pd.DataFrame({"age": [30, 40], "sex": ["f", None]}), ["ill", "well"], 0)
    >>> summary.add(pd.DataFrame({"age": [50, 60], "sex": ["m", "m"]}), ["ill", "ill"], 2)
    >>> coding = summary.coding(discretizer="quantile", n_bins=2, missing="state")
    >>> [column.labels for column in coding.encoder.columns]
    [('≤ 45', '> 45'), ('f', 'm', 'missing')]
    """

    def __init__(self, few: int = 16, *, sketch: bool = False) -> None:
        self.few = few
        self.names: tuple[str, ...] = ()
        self.words: dict[str, set[Any]] = {}
        self.numbers: dict[str, Any] = {}  # the distinct numbers of a column, None: too many
        self.missing: dict[str, int] = {}
        self.labels: set[Any] = set()
        self.sample = RowSample()
        self.sketches: dict[str, QuantileSketch] | None = {} if sketch else None
        self.often: dict[str, dict[float, int]] = {}  # of columns that need no sketch so far

    def add(self, X: Any, y: Any, start: int) -> None:
        """Take rows into account; `start` is the number of the first one."""
        frame = as_frame(X)
        names = tuple(map(str, frame.columns))
        if self.names and names != self.names:
            raise DataError(
                "every batch must have the same columns in the same order, but one has "
                f"{', '.join(names[:5])}, ... and another {', '.join(self.names[:5])}, ..."
            )
        self.names = names
        labels = np.asarray(y)
        self.labels.update(pd.unique(pd.Series(labels)).tolist())
        nothing_new = self._seen_before(frame)
        for place, name in enumerate(names):
            if place not in nothing_new:
                self._look(name, frame.iloc[:, place])
        self.sample.add(start, [frame, labels])

    def _seen_before(self, frame: pd.DataFrame) -> set[int]:
        """Return the columns of whole numbers in which nothing is new: their range is filled already."""
        found: set[int] = set()
        for block in number_blocks(frame, "iu")[0] if len(frame) else ():
            ends = block.cells.min(axis=1).tolist(), block.cells.max(axis=1).tolist()
            for i, (place, low, high) in enumerate(zip(block.places.tolist(), *ends, strict=True)):
                name = self.names[place]
                known = self.numbers.get(name, np.zeros(0))
                if known is None:
                    if self.sketches is None:
                        found.add(place)
                elif _fills(known, low, high):
                    found.add(place)
                    if self.sketches is not None:
                        times = np.bincount(block.cells[i].astype(np.int64) - low)
                        self._put_off(name, np.arange(low, high + 1), times)
        return found

    def _look(self, name: str, cells: pd.Series) -> None:
        empty = int(cells.isna().sum())
        if empty:
            self.missing[name] = self.missing.get(name, 0) + empty
        if is_text(cells):
            words = self.words.setdefault(name, set())
            words.update(pd.unique(cells.dropna()).tolist())
            if len(words) > MOST_STATES:
                raise DataError(
                    f"column {name!r} has more than {MOST_STATES:,} distinct words: it looks like an "
                    "identifier; leave it out, or group its values."
                )
            return
        if not is_number(cells):
            return  # declared categories
        found = numbers(cells)
        present = found[~np.isnan(found)] if empty else found
        known = self.numbers.get(name, np.zeros(0))
        if known is not None:
            known = self.numbers[name] = _with_distinct(known, present, self.few)
        if self.sketches is None:
            return
        if known is None:
            self._sketch(name).update(present)
        else:
            self._put_off(name, known, np.array([np.count_nonzero(present == number) for number in known]))

    def _put_off(self, name: str, values: NDArray[Any], times: Ints) -> None:
        """Remember how often a few numbers occur: a column that has no others needs no sketch."""
        often = self.often.setdefault(name, {})
        for value, count in zip(values.tolist(), times.tolist(), strict=True):
            often[float(value)] = often.get(float(value), 0) + count

    def _sketch(self, name: str) -> QuantileSketch:
        assert self.sketches is not None
        if name not in self.sketches:
            new_sketch()  # without the library it ends here, not after the last row
            self.sketches[name] = QuantileSketch()
            self._make_up(name, self.often.pop(name, {}))
        return self.sketches[name]

    def _make_up(self, name: str, often: Mapping[float, int]) -> None:
        """Take into the sketch what was put off."""
        for value, times in often.items():
            for start in range(0, times, AT_ONCE):
                self._sketch(name).update(np.full(min(AT_ONCE, times - start), value))

    def merge(self, other: TableSummary) -> None:
        """Take what another pass found into account, such as that of another partition."""
        if self.names and other.names and self.names != other.names:
            raise DataError("every part of the table must have the same columns in the same order.")
        self.names = self.names or other.names
        self.labels |= other.labels
        for name, words in other.words.items():
            self.words.setdefault(name, set()).update(words)
        for name, empty in other.missing.items():
            self.missing[name] = self.missing.get(name, 0) + empty
        for name, values in other.numbers.items():
            known = self.numbers.get(name, np.zeros(0))
            union = None if known is None or values is None else np.union1d(known, values)
            self.numbers[name] = union if union is not None and len(union) <= self.few else None
        if self.sketches is not None and other.sketches is not None:
            for name, sketch in other.sketches.items():
                self._sketch(name).merge(sketch)
            for name, often in other.often.items():
                if self.numbers[name] is None:
                    self._make_up(name, often)
                else:
                    self._put_off(name, np.array(list(often)), np.array(list(often.values())))
        self.sample.merge(other.sample)

    def coding(
        self,
        *,
        discretizer: Any,
        n_bins: int | None,
        missing: str,
        classes: Any = None,
    ) -> Coding:
        """Learn how columns become codes, from the sample and from what the pass saw of all rows."""
        if self.sample.seen == 0:
            raise DataError("there is no row to learn from: every batch is empty, or there is none.")
        frame, labels = self.sample.rows()
        every, y = self._classes(labels, classes)
        given = self._sketched(discretizer, n_bins, frame) if self.sketches else discretizer
        encoder, codes, _, _ = learn_encoder(frame, y, discretizer=given, n_bins=n_bins, missing=missing)
        most = n_bins or DEFAULT_BINS
        columns = tuple(
            self._completed(column, missing, None if discretizer is None else most)
            for column in encoder.columns
        )
        fill = np.array([int(np.bincount(row).argmax()) for row in codes])
        return Coding(Encoder(columns), every, fill, self.sample.limit)

    def _classes(self, labels: NDArray[Any], classes: Any) -> tuple[NDArray[Any], Any]:
        if classes is None:
            classes, _ = encode_target(np.array(sorted(self.labels), dtype=labels.dtype))
        every = np.asarray(classes)
        return every, pd.Index(every).get_indexer(pd.Index(labels))

    def _completed(self, column: Column, missing: str, most: int | None) -> Column:
        """Add what the sample did not show: rare words and numbers, and a state for missing cells."""
        name, known = column.name, column.states[: len(column.states) - column.missing_state]
        if name in self.words and self.words[name] - set(known):
            known = tuple(sorted(self.words[name]))
            column = replace(column, states=known, missing_state=False)
        elif column.kind == "numeric" and column.cuts is None and name in self.numbers:
            every = self.numbers[name]
            if every is not None and len(every) > len(known) and (most is None or len(every) <= most):
                kind = int if all(isinstance(state, int) for state in known) else float
                column = replace(column, states=tuple(kind(v) for v in every.tolist()), missing_state=False)
            elif every is None or len(every) > len(known):
                cuts = tuple((float(low) + float(high)) / 2 for low, high in pairwise(known))
                column = replace(column, states=interval_labels(cuts), cuts=cuts, missing_state=False)
        if missing == "state" and self.missing.get(name) and not column.missing_state:
            label = unique_labels((*column.labels, "missing"))[-1]
            column = replace(column, states=(*column.states, label), missing_state=True)
        return column

    def _sketched(self, discretizer: Any, n_bins: int | None, frame: pd.DataFrame) -> Mapping[str, Any]:
        """Return cut points from the sketches for the columns that are to be cut at quantiles."""
        own = dict(discretizer) if isinstance(discretizer, Mapping) else {}
        if not own and discretizer != "quantile":
            raise DataError(
                f"bins='sketch' sketches quantiles, but discretizer is {discretizer!r}; use bins='pass'."
            )
        b = n_bins or DEFAULT_BINS
        for name, sketch in (self.sketches or {}).items():
            if name in own or self.numbers.get(name) is not None:
                continue
            edges = np.unique(sketch.quantiles([i / b for i in range(1, b)]))
            edges = edges[edges < sketch.most]
            if len(edges):
                own[name] = edges.tolist()
        return own


def _fills(known: Floats, low: int, high: int) -> bool:
    """Whether every whole number from one to another is among ascending numbers.

    Examples
    --------
    >>> _fills(np.array([0.0, 1.0, 2.0]), 0, 1), _fills(np.array([0.0, 2.0]), 0, 2)
    (True, False)
    """
    inside = known[(known >= low) & (known <= high) & (known == np.floor(known))]
    return len(inside) == high - low + 1


def _with_distinct(known: Floats, values: Floats, most: int) -> Floats | None:
    """Return the known numbers and the other ones among the values, ascending; None if there are too many.

    Comparing with a few numbers takes a fraction of the time of sorting.
    """
    found, compared = np.zeros(len(values), dtype=bool), 0
    while len(known) <= most:
        for number in known[compared:]:
            found |= values == number
        if found.all():
            return np.sort(known)
        compared = len(known)
        values = values[~found]
        found = np.zeros(len(values), dtype=bool)
        known = np.append(known, np.unique(values[: 4 * most]))
    return None
