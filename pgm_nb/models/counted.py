"""The counts of a table without its rows: added up over places, shared in a file, fitted by a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Places, revived
from pgm_nb.counts import Counts, count
from pgm_nb.data import Encoder, MissingReport, as_frame
from pgm_nb.data.column import MOST_STATES
from pgm_nb.data.learn import DEFAULT_BINS
from pgm_nb.data.summary import TableSummary
from pgm_nb.data.target import target_name
from pgm_nb.errors import DataError
from pgm_nb.files import write_atomically
from pgm_nb.models.files import pack_classes, packed_parts, reading, unpack_classes
from pgm_nb.models.stream import RowStream
from pgm_nb.models.streaming import coding_of
from pgm_nb.models.table_state import CountedRows, TrainingRows

__all__ = ["CountedTable", "count_table", "load_counts"]

FORMAT = "pgm_nb counts"
VERSION = 1


@dataclass(frozen=True, eq=False)
class CountedTable:
    """n(y), n(y, xi) and n(y, xi, xj) of a table, with the states they are counts of; no row is in it.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> counts = pnb.count_table(X, y, n_bins=3)
    >>> counts.n_rows, (counts + counts).n_rows
    (150, 300)
    """

    target: str
    classes: NDArray[Any]
    encoder: Encoder
    missing: MissingReport
    counts: Counts
    named: bool
    min_cell: int = 1  #: no cell that is not empty holds fewer rows
    rows_withheld: int = 0  #: rows that were left out so that this is so

    @property
    def n_rows(self) -> int:
        """The number of rows counted."""
        return int(self.counts.n_rows)

    def __add__(self, other: CountedTable) -> CountedTable:
        if not isinstance(other, CountedTable):
            return NotImplemented
        if self.target != other.target or not np.array_equal(
            self.classes.astype(str), other.classes.astype(str)
        ):
            raise DataError(
                "counts can be added only when they have the same class: count the second table with like= "
                "the first, or --like on the command line"
            )
        try:
            encoder = self.encoder.joined(other.encoder, most=MOST_STATES)
        except DataError as error:
            raise DataError(
                f"{error}: count the second table with like= the first, or --like on the command line"
            ) from error
        mine, theirs = (
            table.counts.relaid(table.encoder.places(encoder), encoder.cards) for table in (self, other)
        )
        return replace(
            self,
            encoder=encoder,
            missing=self.missing + other.missing,
            counts=mine + theirs,
            min_cell=min(self.min_cell, other.min_cell),
            rows_withheld=self.rows_withheld + other.rows_withheld,
        )

    def rows(self) -> TrainingRows:
        """Return what `TrainingRows` says about the table, without any row."""
        return CountedRows(self.target, self.classes, self.encoder, self.missing)

    def save(self, path: str | Path) -> None:
        """Write the counts to one file that `pgm_nb.load_counts` reads: JSON and arrays, no pickle."""
        from pgm_nb.version import __version__

        counts, arrays = self.counts.pack()
        description = {
            "format": FORMAT,
            "version": VERSION,
            "written_by": f"pgm_nb {__version__}",
            "target": self.target,
            "classes": pack_classes(self.classes),
            "named": self.named,
            "encoder": self.encoder.to_dict(),
            "missing": asdict(self.missing),
            "min_cell": self.min_cell,
            "rows_withheld": self.rows_withheld,
            "counts": counts,
        }
        write_atomically(path, packed_parts(description, arrays))


def count_table(
    X: Any,
    y: Any,
    *,
    like: Any = None,
    min_cell: int = 1,
    discretizer: Any = "quantile",
    n_bins: int | None = None,
    missing: str = "state",
    classes: Any = None,
) -> CountedTable:
    """Count a table, so that a model can be fitted without its rows.

    Parameters
    ----------
    X, y
        The table and its classes, as in `fit`.
    like : CountedTable or fitted model, optional
        Take cut points, states and classes from it, so that the counts can be added to its own. States that
        it lacks are added.
    min_cell : int
        The smallest number of rows that a cell of the shared tables may hold, unless it is empty. Rows in
        smaller cells are left out, again and again until none is left; `rows_withheld` says how many.
    discretizer, n_bins, missing
        As in `NaiveBayes`, where `like` is not given.
    classes : array-like, optional
        All classes; by default those that occur.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> counts = pnb.count_table(X, y, n_bins=3, min_cell=5)
    >>> counts.rows_withheld, int(counts.counts.pairs[counts.counts.pairs > 0].min())
    (26, 5)
    """
    if like is None:
        summary = TableSummary(drop=missing == "drop")
        summary.add(X, y, 0)
        coding = summary.coding(discretizer=discretizer, n_bins=n_bins, missing=missing, classes=classes)
    else:
        coding = coding_of(like, classes, n_bins or DEFAULT_BINS)
    stream = RowStream(coding, target_name(y), hasattr(X, "columns"), missing)
    codes, found = stream.code(as_frame(X), y)
    coding = stream.coding
    codes, found, withheld = large_cells(codes, found, coding.encoder.cards, len(coding.classes), min_cell)
    counts = count(codes, found, coding.encoder.cards, len(coding.classes))
    target = stream.target if like is None else getattr(like, "target", stream.target)
    return CountedTable(
        target, coding.classes, coding.encoder, stream.report, counts, stream.named, min_cell, withheld
    )


def large_cells(
    codes: Codes, y: Places, cards: tuple[int, ...], n_classes: int, least: int
) -> tuple[Codes, Places, int]:
    """Leave out rows until no cell of a pair, of an attribute or of the class holds fewer than `least` rows.

    Examples
    --------
    >>> codes, y, withheld = large_cells(np.array([[0, 0, 1, 0]]), np.array([0, 0, 0, 0]), (2,), 1, 2)
    >>> codes, withheld
    (array([[0, 0, 0]]), 1)
    """
    if least < 1:
        raise DataError(f"min_cell must be at least 1, but is {least}")
    before = len(y)
    while least > 1 and len(y):
        small = np.bincount(y, minlength=n_classes)[y] < least
        for i, v in enumerate(cards):
            mine = y * v + codes[i]
            small |= np.bincount(mine)[mine] < least
            for j in range(i + 1, len(cards)):
                cell = mine * cards[j] + codes[j]
                small |= np.bincount(cell)[cell] < least
        if not small.any():
            break
        codes, y = np.ascontiguousarray(codes[:, ~small]), y[~small]
    if len(y) == 0:
        raise DataError(
            f"no row is left when every cell must hold at least {least} rows; use fewer bins, fewer columns "
            "or a smaller min_cell"
        )
    return codes, y, before - len(y)


def load_counts(path: str | Path) -> CountedTable:
    """Read counts that `CountedTable.save` wrote.

    Examples
    --------
    >>> import tempfile, pathlib, pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.counts"
    >>> pnb.count_table(X, y, n_bins=3).save(path)
    >>> pnb.load_counts(path).n_rows
    150
    """
    with reading(Path(path), FORMAT, VERSION) as (description, arrays):
        return _read(description, arrays)


def _read(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> CountedTable:
    encoder, counts = Encoder.from_dict(description["encoder"]), Counts.unpack(description["counts"], arrays)
    classes = unpack_classes(description["classes"])
    if not counts.fits(encoder.cards) or counts.n_classes != len(classes):
        raise ValueError("the counts are not those of the classes and columns")
    least, withheld = description["min_cell"], description["rows_withheld"]
    named, target = description["named"], description["target"]
    if not (isinstance(least, int) and isinstance(withheld, int) and isinstance(named, bool)):
        raise ValueError("it does not say how the rows were counted")
    if not isinstance(target, str) or target in encoder.names:
        raise ValueError("it does not say how the class is called")
    missing = revived(MissingReport, description["missing"])
    json.dumps(asdict(missing))
    return CountedTable(target, classes, encoder, missing, counts, named, least, withheld)
