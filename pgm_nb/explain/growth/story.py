"""The story of a search, frame by frame: what happened and why, the runners-up, and the numbers so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Contender", "Curve", "Frame", "Story", "joined", "said"]


@dataclass(frozen=True, slots=True)
class Contender:
    """One line of the comparison at a frame: names, a number, and the length of its bar.

    Examples
    --------
    >>> Contender(("age", "sex"), "0.420 bits", 0.42, won=True).won
    True
    """

    names: tuple[str, ...]
    number: str
    value: float
    won: bool = False
    box: str = ""  #: the attribute whose box it is in the picture; empty for none
    mothers: tuple[str, ...] = ()  #: the attributes that it would be linked with


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a story.

    Examples
    --------
    >>> frame = Frame("age joins", ("", "age", " joins."), (("Adds", "0.420 bits"),), ())
    >>> frame.sentence
    'age joins.'
    """

    title: str
    parts: tuple[str, ...]  #: the sentence in pieces, every second one a name
    facts: tuple[tuple[str, str], ...]  #: numbers so far, as label and value
    contenders: tuple[Contender, ...]  #: the winner and its runners-up

    @property
    def sentence(self) -> str:
        """Why this happened now, as plain text."""
        return "".join(self.parts)


@dataclass(frozen=True, slots=True)
class Curve:
    """A number at every frame; None where it is not known.

    Examples
    --------
    >>> Curve("Weight", "bits", (1.0, None)).text(0)
    '1.000 bits'
    """

    name: str
    unit: str
    numbers: tuple[float | None, ...]
    digits: int = 3

    def text(self, place: int) -> str:
        """Write the number at a frame with its unit."""
        value = self.numbers[place]
        if value is None:
            return "–"
        percent = self.unit == "%"
        number = f"{100 * value if percent else value:,.{self.digits}f}"
        return f"{number}%" if percent else f"{number} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Story:
    """A search described frame by frame.

    Examples
    --------
    >>> frame = Frame("age joins", ("", "age", " joins."), (), ())
    >>> story = Story("Naive Bayes", "Attributes join.", (frame,), "Runners-up", ("Attribute",), "Bits", ())
    >>> len(story.frames), story.to_frame()["sentence"].tolist()
    (1, ['age joins.'])
    """

    title: str  #: what grew
    introduction: str  #: how it grows, in a sentence
    frames: tuple[Frame, ...]
    contest: str  #: title of the table of contenders
    heads: tuple[str, ...]  #: of the columns of names in it
    number: str  #: head of its last column
    curves: tuple[Curve, ...]
    chosen: int | None = None  #: the frame the model uses, where it is not the last
    help: tuple[tuple[str, str], ...] = ()  #: what the labels of the facts mean

    def to_frame(self) -> pd.DataFrame:
        """One row per frame: title, sentence and the numbers of the curves."""
        import pandas as pd

        table = pd.DataFrame(
            {
                "frame": range(1, len(self.frames) + 1),
                "title": [frame.title for frame in self.frames],
                "sentence": [frame.sentence for frame in self.frames],
            }
        )
        for curve in self.curves:
            table[curve.name] = pd.Series(curve.numbers, dtype=float)
        return table


def said(template: str, *names: str) -> tuple[str, ...]:
    """Return a sentence in pieces; names go where the template has ``{}`` and stay apart from the text.

    Examples
    --------
    >>> said("{} depends on {}.", "age", "sex")
    ('', 'age', ' depends on ', 'sex', '.')
    """
    texts = template.split("{}")
    pieces: list[str] = [texts[0]]
    for name, text in zip(names, texts[1:], strict=True):
        pieces += [name, text]
    return tuple(pieces)


def joined(*sentences: Sequence[str]) -> tuple[str, ...]:
    """Return sentences in pieces as one, with a space between them.

    Examples
    --------
    >>> joined(said("{} joins.", "age"), said("Good."))
    ('', 'age', ' joins. Good.')
    """
    pieces: list[str] = [""]
    for sentence in sentences:
        if not sentence:
            continue
        gap = " " if len(pieces) > 1 or pieces[0] else ""
        pieces[-1] += gap + sentence[0]
        pieces += sentence[1:]
    return tuple(pieces)
