"""Run a paper's protocol, and hold its figures against ours: the difference, its standard error, a mark."""

from __future__ import annotations

import json
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

__all__ = ["MARKS", "PAPERS", "Figure", "Reproduction", "difference_error", "printed", "reproduce"]

PAPERS = {  # what a paper is called -> the module of its protocol
    "gnb": "gnb",
    "phnb": "phnb",
    "ptree": "ptree",
    "local-pca": "local_pca",
    "gaussian": "gaussian",
}

MARKS = ("reproduced", "better", "not reproduced")
HEADER = ("table", "measure", "system", "paper", "ours", "difference", "s.e.", "mark", "ours, smoothed")
SURE = 2.0  # standard errors within which two means count as equal


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
        Standard error of the difference; ours is a mean over splits, and so is theirs.
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
    def mark(self) -> str:
        """One of `MARKS`; up to two standard errors count as reproduced."""
        if abs(self.difference) <= SURE * self.error:
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
    {'reproduced': 1, 'better': 0, 'not reproduced': 0}
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
            (f.table, f.measure, f.system, f.theirs, f.ours, f.difference, f.error, f.mark, f.usual, f.why)
            for f in self.figures
        ]
        names = ["table", "measure", "system", "paper", "ours", "difference", "error", "mark", "usual", "why"]
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
                f"{figure.error:.2f}",
            ),
            *(figure.mark, usual),
        )

    def _remarks(self) -> list[str]:
        """Return the count of marks, the reasons that are known, and the notes."""
        counted = ", ".join(f"{n} {mark}" for mark, n in self.marks.items())
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


def difference_error(scores: Floats, independent: float, theirs: float) -> float:
    """Return the standard error of the difference between our mean over splits and the paper's.

    Both draw their splits at random from the same table. A mean over m independent samples has variance
    s^2/m, where s is the standard deviation over our splits.

    Parameters
    ----------
    scores
        Ours, one per split.
    independent, theirs
        Independent samples behind our mean and behind theirs; repeated cross-validation counts its folds
        once, because repeats add no rows.

    Examples
    --------
    >>> round(difference_error(np.array([0.0, 2.0]), 2, 2), 6)
    1.414214
    """
    deviation = float(np.std(scores, ddof=1)) if len(scores) > 1 else float("nan")
    return deviation * float(np.sqrt(1 / independent + 1 / theirs))


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
