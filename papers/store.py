"""Our figures for the papers' experiments, kept in a file: what, how often, when, with which versions."""

from __future__ import annotations

import csv
import io
import math
import platform
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, field, fields
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.data.text import csv_text
from pgm_nb.errors import DataError, FileError
from pgm_nb.files import write_atomically

__all__ = ["Measured", "Results", "measured", "read_results"]

SEED = 0  # of the splits
DIGITS = 6  # after the point


@cache
def _versions() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn"))
    return f"Python {platform.python_version()}, {packages}"


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


@dataclass(frozen=True)
class Measured:
    """One of our figures.

    Parameters
    ----------
    paper, part, table, system, measure : str
        Which experiment of which paper, on which table, with which system, and what was measured.
    value : float
        The mean over the repeats.
    deviation : float
        The standard deviation between repeats; not a number after a single one.
    repeats : int
        How many random splits, or complete cross-validations.
    seed, date, versions
        Of the run.

    Examples
    --------
    >>> Measured("gnb", "tables", "wdbc", "NB", "accuracy", 93.3, 2.7, 50).key
    ('gnb', 'tables', 'wdbc', 'NB', 'accuracy')
    """

    paper: str
    part: str
    table: str
    system: str
    measure: str
    value: float
    deviation: float
    repeats: int
    seed: int = SEED
    date: str = field(default_factory=_today)
    versions: str = field(default_factory=_versions)

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """What is measured, without the outcome."""
        return (self.paper, self.part, self.table, self.system, self.measure)


def measured(where: tuple[str, str, str], system: str, what: str, scores: Floats, each: int = 1) -> Measured:
    """Sum up the scores of one system: the mean over repeats and the deviation between them.

    Parameters
    ----------
    where
        The paper, the part and the table.
    system, what
        The system, and what was measured.
    scores
        One per split; folds of the same cross-validation follow each other.
    each
        Splits per repeat: the number of folds, or 1.

    Examples
    --------
    >>> found = measured(("p", "main", "t"), "NB", "accuracy", np.array([0.0, 8.0, 1.0, 11.0]), each=2)
    >>> found.value, round(found.deviation, 4), found.repeats
    (5.0, 1.4142, 2)
    """
    repeats = scores.reshape(-1, each).mean(axis=1)
    deviation = float(np.std(repeats, ddof=1)) if len(repeats) > 1 else math.nan
    value = round(float(repeats.mean()), DIGITS)
    return Measured(*where, system, what, value, round(deviation, DIGITS), len(repeats))


class Results:
    """Our figures, found by what they measure; new ones take the place of old ones.

    Examples
    --------
    >>> results = Results([Measured("gnb", "tables", "wdbc", "NB", "accuracy", 93.3, 2.7, 50)])
    >>> results.find("gnb", "tables", "wdbc", "NB", "accuracy").value
    93.3
    >>> results.has("gnb", "tables", "heart_cleveland")
    False
    """

    def __init__(self, rows: Iterable[Measured] = ()) -> None:
        self._rows: dict[tuple[str, ...], Measured] = {}
        self.add(rows)

    def __iter__(self) -> Iterator[Measured]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, rows: Iterable[Measured]) -> None:
        """Take figures in."""
        self._rows.update((row.key, row) for row in rows)

    def find(self, paper: str, part: str, table: str, system: str, measure: str) -> Measured | None:
        """Return a figure, or None if it was not measured."""
        return self._rows.get((paper, part, table, system, measure))

    def has(self, paper: str, part: str, table: str) -> bool:
        """Say whether a part of a paper was measured on a table."""
        return any(key[:3] == (paper, part, table) for key in self._rows)

    def of(self, paper: str, part: str = "", table: str = "") -> tuple[Measured, ...]:
        """Return the figures of a paper, of one of its parts, or of one table."""
        return tuple(
            row
            for row in self._rows.values()
            if row.paper == paper and part in ("", row.part) and table in ("", row.table)
        )

    def write(self, path: Path) -> None:
        """Write all figures as CSV, sorted, so that a file that was written twice is the same."""
        import pandas as pd

        rows = [astuple(row) for _, row in sorted(self._rows.items())]
        frame = pd.DataFrame(rows, columns=[column.name for column in fields(Measured)])
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, csv_text(frame).encode())


def read_results(path: Path) -> Results:
    """Read the figures of a file; none if there is no file yet.

    Raises
    ------
    FileError
        If the file cannot be read.
    DataError
        If it is not a file of results.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Results()
    except (OSError, UnicodeDecodeError) as problem:
        raise FileError(f"{path} cannot be read: {problem}") from problem
    reader = csv.DictReader(io.StringIO(text))
    if reader.fieldnames != [column.name for column in fields(Measured)]:
        raise DataError(f"{path} is not a file of results: its first line does not name their columns.")
    rows = []
    for number, row in enumerate(reader, 2):
        try:
            rows.append(_parsed(row))
        except (TypeError, ValueError) as problem:
            raise DataError(f"line {number} of {path} is not a result: {problem}") from problem
    return Results(rows)


def _parsed(row: dict[str, str]) -> Measured:
    return Measured(
        row["paper"], row["part"], row["table"], row["system"], row["measure"], float(row["value"]),
        float(row["deviation"] or "nan"), int(row["repeats"]), int(row["seed"]), row["date"], row["versions"],
    )  # fmt: skip
