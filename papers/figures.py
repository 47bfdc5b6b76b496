"""What the papers print, held against ours: difference, standard error, z, mark; as text and pictures."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from pgm_nb.views.style import class_colour, colours
from pgm_nb.views.svg import Panel, document, label
from pgm_nb.words import listed

if TYPE_CHECKING:
    import pandas as pd

    from papers.store import Measured

__all__ = [
    "HEADER",
    "MARKS",
    "NOT_RUN",
    "Extra",
    "Figure",
    "Picture",
    "Reproduction",
    "against",
    "compared",
    "deviation",
    "difference_error",
    "differences",
    "dot_plot",
    "explains",
    "printed",
    "unit",
    "verdict",
]

UNIT = 0.01


@cache
def _record() -> dict[str, Any]:
    text = files("papers").joinpath("figures.json").read_text(encoding="utf-8")
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


def unit(paper: str) -> float:
    """Return the unit of the last digit that a paper prints, in percent; 0.01 if it is not said.

    Examples
    --------
    >>> unit("ptree")
    0.1
    """
    found: float = _record().get(paper, {}).get("unit", UNIT)
    return found


def verdict(paper: str, table: str, system: str) -> str:
    """Return the mark by the paper's printed deviation, found with the paper at hand; empty if none is known.

    Examples
    --------
    >>> verdict("ptree", "spambase", "traditional_nb")
    'not reproduced'
    """
    found: str = _record()[paper].get("verdicts", {}).get(table, {}).get(system, "")
    return found


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
    >>> from papers.store import Measured
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
    >>> from papers.store import Measured
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


MARK_COLOURS = {mark: class_colour(place) for mark, place in zip(MARKS, (0, 2, 1, 7), strict=True)}
SIDE = 380.0  # of the square
ROW = 20.0
THIN = 13.0
BARS = 2.0  # standard errors on either side


def against(title: str, figures: Sequence[Figure]) -> str:
    """Draw our figures against the paper's, with bars of two standard errors and the line of agreement.

    Examples
    --------
    >>> figure = Figure("iris", "NB", "accuracy", theirs=95.5, ours=95.9, error=0.3)
    >>> "iris" in against("A paper", [figure])
    True
    """
    values = [value for figure in figures for value in (figure.theirs, figure.ours)]
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or 1.0
    ends = (low - room, high + room)
    panel = Panel(70, 40, SIDE, SIDE, ends, ends)
    paint = colours("light")
    parts = [panel.frame("light", "the paper, percent", "ours, percent")]
    (x1, y1), (x2, y2) = panel.place(ends[0], ends[0]), panel.place(ends[1], ends[1])
    parts.append(_line(x1, y1, x2, y2, paint["class arc"]))
    parts += [_point(panel, figure) for figure in figures]
    parts.append(label(title, 70 + SIDE / 2, 22, paint["text"]))
    for place, mark in enumerate(MARKS):
        y = 60 + ROW * place
        parts.append(f'<circle cx="{90 + SIDE:.1f}" cy="{y:.1f}" r="4" fill="{MARK_COLOURS[mark]}"/>')
        parts.append(label(mark, 100 + SIDE, y + 4, paint["text"], anchor="start"))
    parts.append(label("bars: two s.e.", 85 + SIDE, 60 + ROW * len(MARKS) + 4, paint["text"], anchor="start"))
    return document(210 + SIDE, 90 + SIDE, title, parts, "auto")


def differences(title: str, figures: Sequence[Figure]) -> str:
    """Draw ours minus theirs, one row for each figure, with bars of two standard errors.

    Examples
    --------
    >>> figure = Figure("iris", "NB", "accuracy", theirs=95.5, ours=95.9, error=0.3)
    >>> "iris, NB" in differences("A paper", [figure])
    True
    """
    reach = [BARS * figure.error if figure.error > 0 else 0.0 for figure in figures]
    far = max(abs(figure.difference) + bar for figure, bar in zip(figures, reach, strict=True)) * 1.05 or 1.0
    panel = Panel(290, 40, 400, THIN * len(figures), (-far, far), (0.0, float(len(figures))))
    paint = colours("light")
    parts = [panel.frame("light", "ours minus theirs, with two s.e. either way", y_ticks=False)]
    middle, _ = panel.place(0.0, 0.0)
    parts.append(_line(middle, panel.top, middle, panel.top + panel.height, paint["class arc"]))
    several = len({figure.measure for figure in figures}) > 1
    for place, (figure, bar) in enumerate(zip(figures, reach, strict=True)):
        height, colour = len(figures) - place - 0.5, MARK_COLOURS[figure.mark]
        x, y = panel.place(figure.difference, height)
        ends = [panel.place(figure.difference + side * bar, height)[0] for side in (-1, 1)]
        name = f"{figure.table}, {figure.system}{f', {figure.measure}' if several else ''}"
        parts += [
            label(name, 282, y + 3, paint["text"], size=9, anchor="end"),
            _line(ends[0], y, ends[1], y, colour),
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>',
        ]
    parts += [label(title, 490, 22, paint["text"])]
    return document(710, panel.height + 85, title, parts, "auto")


def _point(panel: Panel, figure: Figure) -> str:
    colour = MARK_COLOURS[figure.mark]
    x, y = panel.place(figure.theirs, figure.ours)
    bar = ""
    if not math.isnan(figure.error):
        ends = [
            min(max(figure.ours + side * BARS * figure.error, panel.y[0]), panel.y[1]) for side in (-1, 1)
        ]
        bar = _line(
            x, panel.place(figure.theirs, ends[0])[1], x, panel.place(figure.theirs, ends[1])[1], colour
        )
    words = f"{figure.table}, {figure.system}, {figure.measure}: paper {figure.theirs:.2f}"
    words = f"{words}, ours {figure.ours:.2f}"
    return (
        f'<g>{bar}<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/><title>{escape(words)}</title></g>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def dot_plot(title: str, points: Sequence[tuple[str, float, float, float]]) -> str:
    """Draw theirs (ring) and ours (dot, with a bar of two standard errors) in one row per name.

    Examples
    --------
    >>> "spambase" in dot_plot("Gain", [("spambase", 1.0, 2.0, 0.5)])
    True
    """
    values = [
        value for _, theirs, ours, error in points for value in (theirs, ours - 2 * error, ours + 2 * error)
    ]
    room = 0.05 * (max(values) - min(values)) or 1.0
    panel = Panel(
        250, 40, 400, ROW * len(points), (min(values) - room, max(values) + room), (0.0, float(len(points)))
    )
    paint = colours("light")
    parts = [panel.frame("light", "rings: the paper; dots: ours", y_ticks=False)]
    if panel.x[0] < 0 < panel.x[1]:
        x, _ = panel.place(0.0, 0.0)
        parts.append(_line(x, panel.top, x, panel.top + panel.height, paint["class arc"]))
    for place, (name, theirs, ours, error) in enumerate(points):
        height = len(points) - place - 0.5
        (x1, y), (x2, _) = panel.place(theirs, height), panel.place(ours, height)
        bars = [panel.place(ours + side * BARS * error, height)[0] for side in (-1, 1)]
        parts += [
            label(name, 240, y + 4, paint["text"], size=11, anchor="end"),
            _line(bars[0], y, bars[1], y, class_colour(0)),
            f'<circle cx="{x1:.1f}" cy="{y:.1f}" r="5" fill="none" stroke="{class_colour(1)}"/>',
            f'<circle cx="{x2:.1f}" cy="{y:.1f}" r="3.5" fill="{class_colour(0)}"/>',
        ]
    parts.append(label(title, 450, 22, paint["text"]))
    return document(680, panel.height + 85, title, parts, "auto")
