"""A question tree as a flow chart, and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pgm_nb.explain.questions.stations import Station, branch_labels, walk
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.style import class_colour
from pgm_nb.words import percent, probability

__all__ = ["chart", "question", "text"]

LINE = 28  # letters after which a question is wrapped
NOTE = 64  # letters after which a sentence below the chart is wrapped
_WIDEST = 3.0  # points, of the line that all cases take


def question(station: Station) -> tuple[str, tuple[str, ...]]:
    """Return a question as words, and the names of its branches; one with two answers asks for yes or no.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.data import Column
    >>> from pgm_nb.explain.questions.stations import Branch
    >>> end = Station(0.5, np.array([1.0]), 0)
    >>> age = Column("age", "numeric", ("≤ 40", "> 40"), cuts=(40.0,))
    >>> question(Station(1.0, np.array([1.0]), 0, age, None, (Branch((0,), end), Branch((1,), end))))
    ('age > 40?', ('no', 'yes'))
    """
    column = station.column
    if column is None:
        raise ValueError("a station that is an answer asks nothing")
    labels = branch_labels(column, station.branches)
    if len(labels) == 2 and not any(
        column.missing_state and column.card - 1 in b.states for b in station.branches
    ):
        if column.cuts is not None:
            return f"{column.name} {labels[1]}?", ("no", "yes")
        asked = 0 if len(station.branches[0].states) < len(station.branches[1].states) else 1
        if len(station.branches[asked].states) == 1:
            answers = ("yes", "no") if asked == 0 else ("no", "yes")
            return f"{column.name} = {labels[asked]}?", answers
    return f"{column.name}?", labels


def chart(
    root: Station,
    classes: Sequence[str],
    caption: Sequence[str] = (),
    *,
    priced: bool = False,
    given: Sequence[str] = (),
) -> Drawing:
    """Draw a question tree: questions from the top down, answers in the colour of their class."""
    nodes: list[Node] = []
    arcs: list[Arc] = []

    def add(station: Station) -> str:
        name = f"q{len(nodes)}"
        nodes.append(
            _answer(name, station, classes)
            if station.column is None
            else _question(name, station, classes, priced=priced)
        )
        if station.column is not None:
            _, labels = question(station)
            for label, branch in zip(labels, station.branches, strict=True):
                width = 0.8 + _WIDEST * branch.station.reach
                arcs.append(Arc(name, add(branch.station), "tree", label=label, width=width))
        return name

    add(root)
    arcs.sort(key=lambda arc: (int(arc.source[1:]), int(arc.target[1:])))
    known = (f"Known: {', '.join(given)}.",) if given else ()
    said = tuple(line for sentence in (*known, *caption) for line in wrap(sentence, NOTE))
    if said:
        deepest = max(_depths(root), key=lambda pair: pair[1])[0]
        nodes.append(Node("note", said, "note"))
        arcs.append(Arc(f"q{deepest}", "note", "tree", hidden=True))
    return Drawing("questions", tuple(nodes), tuple(arcs))


def _depths(root: Station) -> list[tuple[int, int]]:
    """Return the number of every station, as drawn, and how many questions are before it."""
    return [(number, depth) for number, (_, depth) in enumerate(walk(root))]


def _question(name: str, station: Station, classes: Sequence[str], *, priced: bool) -> Node:
    asked, _ = question(station)
    lines = _wrapped(asked)
    if priced and station.purchase is not None:
        bought = "" if len(station.purchase.attributes) == 1 else f"{station.purchase.name}, "
        lines.append(f"{bought}price {station.purchase.price:g}")
    lines.append(f"so far: {_chance(station, classes)}")
    return Node(name, tuple(lines), "attribute", fill="shade 1", tip=asked)


def _answer(name: str, station: Station, classes: Sequence[str]) -> Node:
    chance = probability(float(station.posterior[station.decision]))
    lines = (*_wrapped(classes[station.decision]), chance, _arrive(station))
    tip = f"{_chance(station, classes)}; {_arrive(station)}"
    colour = class_colour(station.decision)
    return Node(name, lines, "separator", fill="page", tip=tip, outline=colour)


def _wrapped(words: str) -> list[str]:
    return wrap(words, LINE) or [" "]


def _chance(station: Station, classes: Sequence[str]) -> str:
    chance = probability(float(station.posterior[station.decision]))
    return f"{classes[station.decision]}, {chance}"


def _arrive(station: Station) -> str:
    return f"{_of_hundred(station.reach)} of 100 cases end here"


def _of_hundred(share: float) -> str:
    return percent(share).removesuffix("%")


def text(root: Station, classes: Sequence[str], *, priced: bool = False) -> str:
    """Write a question tree as indented text."""
    return "\n".join(_lines(root, classes, "", "", priced))


def _lines(station: Station, classes: Sequence[str], indent: str, before: str, priced: bool) -> Iterator[str]:
    if station.column is None:
        yield f"{indent}{before}{_chance(station, classes)} ({_of_hundred(station.reach)} of 100 cases)"
        return
    asked, labels = question(station)
    price = f" (price {station.purchase.price:g})" if priced and station.purchase is not None else ""
    yield f"{indent}{before}{asked}{price}"
    for label, branch in zip(labels, station.branches, strict=True):
        yield from _lines(branch.station, classes, indent + "  ", f"{label}: ", priced)
