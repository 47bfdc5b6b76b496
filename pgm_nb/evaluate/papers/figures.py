"""A paper's figures held against ours: difference, standard error, z, mark; as text, Markdown or a table."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pgm_nb.evaluate.papers.record import unit
from pgm_nb.words import listed

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate.papers.store import Measured

__all__ = [
    "FEWEST",
    "HEADER",
    "MARKS",
    "NOT_RUN",
    "Extra",
    "Figure",
    "Picture",
    "Reproduction",
    "compared",
    "difference_error",
    "explains",
]

MARKS = ("reproduced", "better", "not reproduced", "not judged")
HEADER = (
    *("table", "measure", "system", "paper", "ours", "difference", "repeats", "s.e.", "z", "mark"),
    "ours, smoothed",
)
NOT_RUN = "unknown; what was to be tried was not run"
FEWEST = 3  # repeats whose deviation is taken at its word
SURE = 2.0  # standard errors within which two means count as equal
PLACES = 9  # of z: beyond them is the rounding of binary fractions


def difference_error(
    deviation: float, ours: int, theirs: int, *, printed: float | None = None, unit: float = 0.0
) -> float:
    """Return the standard error of the difference between our figure and the paper's, by one rule for all.

    If the paper prints a deviation s of its figure, ours is as uncertain, and the error is s sqrt(2).
    Otherwise s is the deviation between our repeats (of a random split, or of one whole cross-validation),
    and the error is s sqrt(1/ours + 1/theirs), with the numbers of repeats on both sides. With a single
    repeat it is unknown (nan). The folds of one cross-validation are no repeats: they test different rows,
    but together the whole table, here as in the paper. The error is never less than that of a figure
    that is rounded or cut off, the unit of its last digit / sqrt(3).

    Parameters
    ----------
    deviation
        Between our repeats.
    ours, theirs
        Repeats behind our figure, and behind the paper's.
    printed
        The deviation that the paper prints.
    unit
        Of the last digit that the paper prints.

    Examples
    --------
    >>> round(difference_error(1.0, 2, 2), 6)
    1.0
    >>> round(difference_error(0.0, 2, 2, unit=0.01), 6)
    0.005774
    >>> round(difference_error(1.0, 2, 2, printed=0.5), 6)
    0.707107
    """
    rounding = unit / math.sqrt(3)  # anything within a unit either way
    if printed is not None:
        return max(math.sqrt(2) * printed, rounding)
    return max(deviation * math.sqrt(1 / ours + 1 / theirs), rounding)  # nan stays: it is compared first


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
    stated : str
        The mark by the paper's own deviation, where that is known but the deviation is not on record.
    repeats : int
        How many random splits, or complete cross-validations, ours rests on.

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
    stated: str = ""
    repeats: int = 1

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours - self.theirs

    @property
    def z(self) -> float:
        """The difference in standard errors."""
        if self.difference == 0 and not math.isnan(self.error):
            return 0.0
        return round(self.difference / self.error, PLACES)

    @property
    def mark(self) -> str:
        """One of `MARKS`; up to two standard errors count as reproduced."""
        if self.stated:
            return self.stated
        if math.isnan(self.z):
            return "not judged"
        if abs(self.z) <= SURE:
            return "reproduced"
        return "better" if (self.difference > 0) == self.higher else "not reproduced"

    @property
    def cells(self) -> tuple[str, ...]:
        """The figure as words, one for each of `HEADER`."""
        return (
            *(self.table, self.measure, self.system),
            *(f"{self.theirs:.2f}", f"{self.ours:.2f}", f"{self.difference:+z.2f}", str(self.repeats)),
            "" if math.isnan(self.error) else f"{self.error:.2f}",
            "" if math.isnan(self.z) else f"{self.z:+z.1f}",
            f"{self.mark}, by the printed ±" if self.stated else self.mark,
            "" if self.usual is None else f"{self.usual:.2f}",
        )


def compared(
    found: Measured, theirs: float, repeats: int, *, printed: float | None = None, higher: bool = True,
    usual: float | None = None, why: str = "", stated: str = "",
) -> Figure:  # fmt: skip
    """Hold one of our figures against the paper's; `repeats` are the paper's. Two of ours are not judged.

    Examples
    --------
    >>> from pgm_nb.evaluate.papers.store import Measured
    >>> compared(Measured("p", "main", "t", "NB", "accuracy", 91.0, 0.5, 10), 90.0, 10).mark
    'better'
    """
    least = unit(found.paper)
    known = found.deviation if found.repeats >= FEWEST else math.nan  # of two it says nearly nothing
    error = difference_error(known, found.repeats, repeats, printed=printed, unit=least)
    figure = (found.table, found.system, found.measure, theirs, found.value, error)
    return Figure(*figure, higher, usual, why, stated, found.repeats)


def explains(tried: Figure, ours: Measured | None) -> bool:
    """Say whether what was tried explains a figure: it reproduces it, and leaves at most half the difference.

    Examples
    --------
    >>> from pgm_nb.evaluate.papers.store import Measured
    >>> ours = Measured("p", "main", "t", "NB", "accuracy", 94.0, 0.5, 10)
    >>> explains(Figure("t", "NB, other", "accuracy", theirs=90.0, ours=91.0, error=1.0), ours)
    True
    >>> explains(Figure("t", "NB, other", "accuracy", theirs=90.0, ours=93.0, error=3.0), ours)
    False
    """
    left = math.inf if ours is None else abs(ours.value - tried.theirs) / 2
    return tried.mark == "reproduced" and abs(tried.difference) <= left


class Picture(NamedTuple):
    """A picture of the page.

    Examples
    --------
    >>> Picture("curve", "accuracy against rows", "<svg/>").name
    'curve'
    """

    name: str
    caption: str
    svg: str


class Extra(NamedTuple):
    """What a paper shows beyond its table of figures: words, a table, pictures.

    Examples
    --------
    >>> print(Extra("Times", "In seconds.", ("table", "ours"), (("iris", "0.1"),)).markdown())
    ### Times
    <BLANKLINE>
    In seconds.
    <BLANKLINE>
    | table | ours |
    | --- | --- |
    | iris | 0.1 |
    <BLANKLINE>
    """

    title: str
    text: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    pictures: tuple[Picture, ...] = ()

    def markdown(self, folder: str = "") -> str:
        """Return it as Markdown, with pictures from a folder."""
        shown = [f"![{picture.caption}]({folder}{picture.name}.svg)\n" for picture in self.pictures]
        table = [markdown_table(self.header, self.rows), ""] if self.header else []
        return "\n".join([f"### {self.title}", "", self.text, "", *table, *shown])


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
    extras: tuple[Extra, ...] = ()

    @property
    def marks(self) -> dict[str, int]:
        """How many figures have each mark."""
        counted = Counter(figure.mark for figure in self.figures)
        return {mark: counted[mark] for mark in MARKS}

    def to_frame(self) -> pd.DataFrame:
        """One row per figure."""
        import pandas as pd

        names = [
            *("table", "measure", "system", "theirs", "ours", "difference", "repeats", "error", "z", "mark"),
            *("usual", "why"),
        ]
        rows = [[getattr(figure, name) for name in names] for figure in self.figures]
        return pd.DataFrame(rows, columns=names).rename(columns={"theirs": "paper"})

    def text(self) -> str:
        """Return the table for a terminal: figures in columns, then the reasons and the notes."""
        rows = [HEADER, *(figure.cells for figure in self.figures)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        return "\n".join([f"{self.source}. {self.protocol}", "", *lines, "", *self.remarks()])

    def markdown(self) -> str:
        """Return the table as Markdown, without columns that are empty."""
        rows = [figure.cells for figure in self.figures]
        used = [i for i in range(len(HEADER)) if any(row[i] for row in rows)]
        header, *body = [tuple(row[i] for i in used) for row in (HEADER, *rows)]
        table = markdown_table(header, tuple(body))
        remarks = [f"- {line}" for line in self.remarks()]
        return "\n".join([f"{self.source}. {self.protocol}", "", table, "", *remarks, ""])

    def remarks(self) -> list[str]:
        """Return the count of marks, the reasons that are known, and the notes."""
        counted = ", ".join(f"{n} {mark}" for mark, n in self.marks.items() if n or mark != "not judged")
        reasons: dict[str, dict[str, list[str]]] = {}
        for figure in self.figures:
            if figure.why and figure.mark not in ("reproduced", "not judged"):
                where = reasons.setdefault(figure.why, {})
                where.setdefault(f"{figure.table} {figure.system}", []).append(figure.measure)
        several = len({figure.measure for figure in self.figures}) > 1
        explained = []
        for why, where in reasons.items():
            names = [f"{name} ({listed(what)})" if several else name for name, what in where.items()]
            explained.append(f"{', '.join(names)}: {why}")
        return [f"{len(self.figures)} figures: {counted}.", *explained, *self.notes]


def markdown_table(header: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    """Return a table as Markdown."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in lines)
