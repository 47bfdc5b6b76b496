"""Run a paper's protocol, and hold its figures against ours: difference, standard error, z, mark."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.errors import DataError
from pgm_nb.evaluate.papers.splits import RunOptions, Watch, unwatched
from pgm_nb.words import did_you_mean, listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MARKS",
    "PAPERS",
    "Figure",
    "Reproduction",
    "deviation",
    "difference_error",
    "printed",
    "reproduce",
]

PAPERS = {  # what a paper is called -> the module of its protocol
    "gnb": "gnb",
    "phnb": "phnb",
    "ptree": "ptree",
    "local-pca": "local_pca",
    "gaussian": "gaussian",
}

MARKS = ("reproduced", "better", "not reproduced", "not judged")
HEADER = ("table", "measure", "system", "paper", "ours", "difference", "s.e.", "z", "mark", "ours, smoothed")
SURE = 2.0  # standard errors within which two means count as equal
PLACES = 9  # of z: beyond them is the rounding of binary fractions


@dataclass(frozen=True)
class Figure:
    """One number of a paper, and ours.

    Parameters
    ----------
    table, system, measure : str
        The data, the system, and what was measured.
    theirs, ours : float
        The paper's number, and ours with the paper's rules.
    error : float
        Standard error of the difference (`difference_error`); not a number where nothing says how much the
        protocol varies.
    higher : bool
        Whether more is better.
    usual : float, optional
        Ours with bins from the training rows, smoothed.
    why : str
        What is known about a difference.

    Examples
    --------
    >>> Figure("iris", "NB", "accuracy", theirs=95.5, ours=95.9, error=0.3).mark
    'reproduced'
    >>> Figure("iris", "NB", "error", theirs=4.5, ours=2.0, error=0.3, higher=False).mark
    'better'
    >>> Figure("iris", "NB", "accuracy", theirs=95.5, ours=95.9, error=0.2).z
    2.0
    """

    table: str
    system: str
    measure: str
    theirs: float
    ours: float
    error: float
    higher: bool = True
    usual: float | None = None
    why: str = ""

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours - self.theirs

    @property
    def z(self) -> float:
        """The difference in standard errors."""
        if self.difference == 0 and not math.isnan(self.error):
            return 0.0
        ratio = self.difference / self.error if self.error else math.copysign(math.inf, self.difference)
        return round(ratio, PLACES)

    @property
    def mark(self) -> str:
        """One of `MARKS`; up to two standard errors count as reproduced."""
        if math.isnan(self.z):
            return "not judged"
        if abs(self.z) <= SURE:
            return "reproduced"
        return "better" if (self.difference > 0) == self.higher else "not reproduced"


@dataclass(frozen=True)
class Reproduction:
    """The outcome of a paper's protocol.

    Examples
    --------
    >>> figure = Figure("iris", "NB", "accuracy", theirs=95.5, ours=95.9, error=0.3)
    >>> found = Reproduction("gnb", "A paper", "ten folds", (figure,))
    >>> found.marks
    {'reproduced': 1, 'better': 0, 'not reproduced': 0, 'not judged': 0}
    """

    paper: str
    source: str
    protocol: str
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()

    @property
    def marks(self) -> dict[str, int]:
        """How many figures have each mark."""
        counted = Counter(figure.mark for figure in self.figures)
        return {mark: counted[mark] for mark in MARKS}

    def to_frame(self) -> pd.DataFrame:
        """One row per figure."""
        import pandas as pd

        rows = [
            (
                f.table,
                f.measure,
                f.system,
                f.theirs,
                f.ours,
                f.difference,
                f.error,
                f.z,
                f.mark,
                f.usual,
                f.why,
            )
            for f in self.figures
        ]
        names = [
            "table",
            "measure",
            "system",
            "paper",
            "ours",
            "difference",
            "error",
            "z",
            "mark",
            "usual",
            "why",
        ]
        return pd.DataFrame(rows, columns=names)

    def text(self) -> str:
        """Return the table for a terminal: figures in columns, then the reasons and the notes."""
        rows = [HEADER, *(self._cells(figure) for figure in self.figures)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        return "\n".join([f"{self.source}. {self.protocol}", "", *lines, "", *self._remarks()])

    def markdown(self) -> str:
        """Return the table as Markdown."""
        rows = [HEADER, ("---",) * len(HEADER), *(self._cells(figure) for figure in self.figures)]
        lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
        remarks = [f"- {line}" for line in self._remarks()]
        return "\n".join([f"{self.source}. {self.protocol}", "", *lines, "", *remarks, ""])

    @staticmethod
    def _cells(figure: Figure) -> tuple[str, ...]:
        usual = "" if figure.usual is None else f"{figure.usual:.2f}"
        return (
            *(figure.table, figure.measure, figure.system),
            *(
                f"{figure.theirs:.2f}",
                f"{figure.ours:.2f}",
                f"{figure.difference:+.2f}",
                "" if math.isnan(figure.error) else f"{figure.error:.2f}",
                "" if math.isnan(figure.z) else f"{figure.z:+.1f}",
            ),
            *(figure.mark, usual),
        )

    def _remarks(self) -> list[str]:
        """Return the count of marks, the reasons that are known, and the notes."""
        counted = ", ".join(f"{n} {mark}" for mark, n in self.marks.items() if n or mark != "not judged")
        reasons: dict[str, list[str]] = {}
        for figure in self.figures:
            if figure.why and figure.mark != "reproduced":
                reasons.setdefault(figure.why, []).append(f"{figure.table} {figure.system}")
        explained = [f"{', '.join(dict.fromkeys(where))}: {why}" for why, where in reasons.items()]
        return [f"{len(self.figures)} figures: {counted}.", *explained, *self.notes]


def reproduce(
    paper: str,
    folder: str | Path | None = None,
    *,
    repeats: int | None = None,
    tables: tuple[str, ...] = (),
    n_jobs: int = 1,
    watch: Watch | None = None,
) -> Reproduction:
    """Run a paper's protocol and compare its printed figures with ours.

    Parameters
    ----------
    paper : {"gnb", "phnb", "ptree", "local-pca", "gaussian"}
        Which one.
    folder : path, optional
        Folder with the tables; those that are not there are fetched from OpenML or UCI.
    repeats : int, optional
        How often the rows are split, or divided into folds; by default the protocol's own number.
    tables : tuple of str
        Only these of its tables.
    n_jobs : int
        Number of processes; the result does not depend on it.
    watch : callable, optional
        Called with the current table, how many models have been trained, and of how many.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> reproduce("gbn")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pgm_nb.errors.DataError: there is no paper 'gbn'; did you mean 'gnb'? (gnb, phnb, ptree, local-pca, ...
    """
    if paper not in PAPERS:
        raise DataError(f"there is no paper {paper!r}{did_you_mean(paper, [*PAPERS])} ({listed([*PAPERS])}).")
    protocol = import_module(f"pgm_nb.evaluate.papers.{PAPERS[paper]}")
    place = None if folder is None else Path(folder)
    times = protocol.REPEATS if repeats is None else repeats
    options = RunOptions(place, times, n_jobs, tables, watch or unwatched)
    found: Reproduction = protocol.run(options)
    return found


def difference_error(scores: Floats, theirs: float, *, each: int = 1, printed: float | None = None) -> float:
    """Return the standard error of the difference between our figure and the paper's, by one rule for all.

    If the paper prints a deviation s of its figure, ours is as uncertain, and the error is s sqrt(2).
    Otherwise s is the deviation between our repeats (of a random split, or of one whole cross-validation),
    and the error is s sqrt(1/ours + 1/theirs), with the numbers of repeats on both sides. With a single
    repeat it is unknown (nan). The folds of one cross-validation are no repeats: they test different rows,
    but together the whole table, here as in the paper.

    Parameters
    ----------
    scores
        Ours, one per split; folds of the same cross-validation follow each other.
    theirs
        Repeats behind the paper's figure.
    each
        Splits per repeat: the number of folds, or 1.
    printed
        The deviation that the paper prints.

    Examples
    --------
    >>> round(difference_error(np.array([0.0, 2.0]), 2), 6)
    1.414214
    >>> round(difference_error(np.array([0.0, 2.0]), 2, printed=0.5), 6)
    0.707107
    """
    if printed is not None:
        return math.sqrt(2) * printed
    repeats = scores.reshape(-1, each).mean(axis=1)
    deviation = float(np.std(repeats, ddof=1)) if len(repeats) > 1 else math.nan
    return deviation * math.sqrt(1 / len(repeats) + 1 / theirs)


@cache
def _record() -> dict[str, Any]:
    text = files("pgm_nb.evaluate.papers").joinpath("figures.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    return record


def printed(paper: str) -> tuple[str, Mapping[str, Mapping[str, Any]]]:
    """Return a paper's source and its printed figures.

    Examples
    --------
    >>> printed("gnb")[1]["accuracy"]["wdbc"]["GNB-A"]
    0.9349
    """
    record = _record()[paper]
    return record["source"], record["figures"]


def deviation(paper: str, table: str, system: str) -> float | None:
    """Return the deviation that a paper prints behind a figure, if it is on record.

    Examples
    --------
    >>> deviation("gnb", "wdbc", "GNB-A") is None
    True
    """
    found: float | None = _record()[paper].get("deviations", {}).get(table, {}).get(system)
    return found
