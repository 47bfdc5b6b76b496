"""A question tree: learned from a model, followed by hand, with the error it makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pgm_nb.allowed import SHARE, whole
from pgm_nb.arrays import Floats, Places
from pgm_nb.data import as_frame, as_labels
from pgm_nb.errors import MissingPackageError, QueryError
from pgm_nb.explain.protocols import check_model
from pgm_nb.explain.questions.stations import Limits, Station, branch_labels, grow, simplified, walk
from pgm_nb.scoring.folds import make_folds
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.style import class_colour
from pgm_nb.words import percent, probability

if TYPE_CHECKING:
    from pgm_nb.explain.next_measurement import Groups, Prices
    from pgm_nb.views.printing import PrintSize

__all__ = ["HeldOut", "QuestionTree", "chart", "question", "question_tree", "text"]

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


def _wrong_of_hundred(share: float) -> str:
    return f"{100 * share:.1f}" if 0 < share < 0.095 else f"{100 * share:.0f}"


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


@dataclass(frozen=True)
class HeldOut:
    """How trees do on rows that neither they nor their model were learned from.

    Attributes
    ----------
    error : float
        Share of the rows that are put into the wrong class.
    model_error : float
        The same for the model itself, which looks at every attribute.
    questions, price : float
        Questions asked and price paid, per row.
    n_rows, folds : int
        Rows, and folds of the cross-validation.
    """

    error: float
    model_error: float
    questions: float
    price: float
    n_rows: int
    folds: int


@dataclass(frozen=True, eq=False)
class QuestionTree:
    """A few questions that lead to a class, as a flow chart to be used without a computer.

    Attributes
    ----------
    root : Station
        The first question.
    target : str
        Name of the class.
    classes : tuple of str
        The classes.
    priced : bool
        Whether measuring has prices.
    held_out : HeldOut or None
        The error on rows not learned from, if a table was given.
    given : tuple of str
        What is known before the first question.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> quintiles = {"discretizer": "quantile", "n_bins": 5, "smoothing": 1.0, "parameters": "generative"}
    >>> tree = pnb.question_tree(pnb.NaiveBayes(**quintiles).fit(X, y), max_questions=1)
    >>> print(tree.text())
    petal width?
      ≤ 1.15: setosa, 82.4% (40 of 100 cases)
      (1.15, 1.55]: versicolor, 91.2% (25 of 100 cases)
      > 1.55: virginica, 89.1% (35 of 100 cases)
    """

    root: Station
    target: str
    classes: tuple[str, ...]
    priced: bool = False
    held_out: HeldOut | None = None
    given: tuple[str, ...] = ()

    @property
    def stations(self) -> tuple[Station, ...]:
        """Every question and answer, each before those below it."""
        return tuple(station for station, _ in walk(self.root))

    @property
    def error(self) -> float:
        """Share of the cases that are put into the wrong class, if the model is right."""
        return sum(s.reach * float(1 - s.posterior[s.decision]) for s in self.stations if s.column is None)

    @property
    def questions(self) -> float:
        """Questions asked per case, if the model is right."""
        return sum(s.reach for s in self.stations if s.column is not None)

    @property
    def price(self) -> float:
        """Price paid per case, if the model is right."""
        return sum(s.reach * s.purchase.price for s in self.stations if s.purchase is not None)

    def to_frame(self) -> pd.DataFrame:
        """Return the answers as a table: the way there, class, probability, and share of the cases."""
        rows = [
            (
                " and ".join(way) or "always",
                len(way),
                self.classes[s.decision],
                s.posterior[s.decision],
                s.reach,
            )
            for way, s in _ways(self.root, ())
            if s.column is None
        ]
        return pd.DataFrame(rows, columns=["if", "questions", "class", "probability", "reached"])

    def text(self) -> str:
        """Write the tree as indented text."""
        return text(self.root, self.classes, priced=self.priced)

    def __str__(self) -> str:
        return self.text()

    def drawing(self) -> Drawing:
        """Return the flow chart before it is laid out."""
        return chart(self.root, self.classes, self.caption(), priced=self.priced, given=self.given)

    def caption(self) -> tuple[str, ...]:
        """Say how good the tree is, in sentences for below the chart."""
        said = [f"Of 100 cases, {_wrong_of_hundred(self.error)} are expected to get the wrong class."]
        held = self.held_out
        if held is not None:
            said[0] = (
                f"Of 100 cases not used in learning, {_wrong_of_hundred(held.error)} got the wrong class; "
                f"with every attribute known, {_wrong_of_hundred(held.model_error)} ({held.folds}-fold "
                f"cross-validation, {held.n_rows:,} rows)."
            )
        asked = f"{self.questions:.1f} questions are asked on average"
        said.append(asked + (f", at a price of {self.price:.3g}." if self.priced else "."))
        said.append("If an answer is not known, stop and take the class that the question names.")
        return tuple(said)

    def draw(
        self, format: str = "svg", *, theme: str = "light", dpi: int = 144, size: PrintSize | None = None
    ) -> bytes:
        """Draw the flow chart as svg, pdf, png or dot; parameters as for every picture."""
        from pgm_nb.views.graph.render import draw

        return draw(self.drawing(), format=format, theme=theme, dpi=dpi, size=size)

    def save(self, path: str | Path, *, theme: str = "light", size: PrintSize | None = None) -> None:
        """Write the flow chart to a file whose ending says the format: svg, pdf, png or dot."""
        from pgm_nb.files import write_atomically

        path = Path(path)
        write_atomically(path, self.draw(path.suffix.lstrip(".").lower(), theme=theme, size=size))

    def _repr_svg_(self) -> str | None:
        try:
            return self.draw(theme="auto").decode()
        except MissingPackageError:
            return None

    def follow(self, X: Any) -> Places:
        """Return the number of the station, as in `stations`, at which each row of a table ends.

        A row in which the answer to a question is not known ends at that question.
        """
        frame = as_frame(X)
        number = {id(station): i for i, station in enumerate(self.stations)}
        ends = np.zeros(len(frame), dtype=np.intp)
        waiting = [(self.root, np.arange(len(frame)))]
        while waiting:
            station, rows = waiting.pop()
            ends[rows] = number[id(station)]
            if station.column is not None and len(rows):
                codes = station.column.encode(frame[station.column.name].iloc[rows])
                waiting += [(b.station, rows[np.isin(codes, b.states)]) for b in station.branches]
        return ends

    def predict_proba(self, X: Any) -> Floats:
        """Probability of every class at the station where each row ends, (n, k)."""
        return np.array([station.posterior for station in self.stations])[self.follow(X)]


def _ways(station: Station, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Station]]:
    yield way, station
    if station.column is not None:
        labels = branch_labels(station.column, station.branches)
        for label, branch in zip(labels, station.branches, strict=True):
            yield from _ways(branch.station, (*way, f"{station.column.name}: {label}"))


def question_tree(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    max_questions: int = 3,
    given: Mapping[str, Any] | None = None,
    cost: Prices = None,
    groups: Groups = None,
    costs: Any = None,
    label: Any = None,
    least: float | None = None,
    ahead: int = 1,
    sure: float | None = 0.95,
    rare: float = 0.02,
    folds: int = 5,
    random_state: int = 0,
) -> QuestionTree:
    """Make a flow chart of a few questions from a fitted model.

    Every question is the one that `next_best` ranks first, given the answers before it. Neighbouring
    intervals that lead to the same questions and classes are joined, and a question whose answer does not
    change the class is left out.

    Parameters
    ----------
    model : fitted model
        Any model of `pgm_nb`.
    X, y : table and labels, optional
        The training table. With both, trees are made anew in every fold of a cross-validation, and their
        error on the rows left out is in `held_out`. `X` alone is needed by models that do not bin numbers.
    max_questions : int
        The most questions on any way through the chart.
    given : mapping, optional
        What is known before the first question.
    cost, groups, costs, label, least, ahead
        As in `next_best`; nothing is asked that is not worth its price.
    sure : float or None
        Ask no more once a class has this probability; None: go on.
    rare : float
        Ask no more where a smaller share of the cases arrives.
    folds, random_state : int
        Folds of the cross-validation, and the seed of their shuffling.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("wdbc")
    >>> quintiles = {"discretizer": "quantile", "n_bins": 5, "smoothing": 1.0, "parameters": "generative"}
    >>> tree = pnb.question_tree(pnb.NaiveBayes(**quintiles).fit(X, y), max_questions=2)
    >>> tree.root.column.name, round(tree.error, 3)
    ('worst perimeter', 0.035)
    """
    check_model(model, "measuring_rule", "A question tree")
    limits = _limits(max_questions, sure, rare)
    options = {"cost": cost, "groups": groups, "costs": costs, "label": label, "least": least, "ahead": ahead}
    rule = model.measuring_rule(**options)
    root = simplified(grow(model.prospects(given, X), rule, limits), rule.costs)
    tree = QuestionTree(
        root,
        str(model.structure_.target),
        tuple(map(str, model.classes_.tolist())),
        rule.priced,
        None,
        tuple(f"{name}: {value}" for name, value in (given or {}).items()),
    )
    if y is None:
        return tree
    if given:
        raise QueryError(
            "the error of a tree that begins with something known cannot be measured on all rows; leave y "
            "out, or given"
        )
    return replace(tree, held_out=_held_out(model, X, y, limits, options, folds, random_state))


def _limits(questions: Any, sure: float | None, rare: float) -> Limits:
    most = whole(1).check("max_questions", questions, QueryError)
    enough = replace(SHARE, low=1e-9, words=(None,)).check("sure", sure, QueryError)
    few = replace(SHARE, high=1 - 1e-9).check("rare", rare, QueryError)
    return Limits(most, 2.0 if enough is None else enough, few)


def _held_out(
    model: Any, X: Any, y: Any, limits: Limits, options: dict[str, Any], folds: int, random_state: int
) -> HeldOut:
    from sklearn.base import clone

    frame, labels = as_frame(X), as_labels(y)
    wrong, wrong_model, asked, paid, n_rows = 0.0, 0.0, 0.0, 0.0, 0
    series = y if isinstance(y, pd.Series) else pd.Series(labels)
    for fold in make_folds(frame, labels, folds, random_state):
        fitted = clone(model).fit(frame.iloc[fold.train], series.iloc[fold.train])
        rule = fitted.measuring_rule(**options)
        case = fitted.prospects(None, frame.iloc[fold.train])
        root = simplified(grow(case, rule, limits), rule.costs)
        tree = QuestionTree(root, "", tuple(map(str, fitted.classes_.tolist())))
        rows, truth = frame.iloc[fold.test], labels[fold.test]
        ends = tree.follow(rows)
        places = _before(root)
        decided = np.array([station.decision for station in tree.stations])[ends]
        wrong += float((fitted.classes_[decided] != truth).sum())
        wrong_model += float((fitted.predict(rows) != truth).sum())
        asked += float(np.array([questions for questions, _ in places])[ends].sum())
        paid += float(np.array([price for _, price in places])[ends].sum())
        n_rows += len(truth)
    return HeldOut(wrong / n_rows, wrong_model / n_rows, asked / n_rows, paid / n_rows, n_rows, folds)


def _before(station: Station, questions: int = 0, price: float = 0.0) -> list[tuple[int, float]]:
    """Return the questions answered and the price paid before every station."""
    found = [(questions, price)]
    paid = price + (0.0 if station.purchase is None else station.purchase.price)
    for branch in station.branches:
        found += _before(branch.station, questions + 1, paid)
    return found
