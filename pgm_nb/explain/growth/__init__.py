"""How a model was learned, frame by frame: a story with pictures that can be played and saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import RenderError

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.protocols import ExplainedModel
    from pgm_nb.views.graph.drawing import Drawing
    from pgm_nb.views.player.page import Play, PlayContender

__all__ = ["ENDINGS", "Contender", "Curve", "Frame", "Growth", "Story", "growth", "growth_views"]

ENDINGS = ("gif", "webp", "html")
MOST = 60  # attributes that are drawn
Pictures = Callable[[str], Sequence[str]]


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


@dataclass(frozen=True, eq=False)
class Growth:
    """The growth of a model: its story, and pictures that go with it.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> found = pnb.growth(pnb.GeneralizedNaiveBayes().fit(*pnb.load_sample("iris")))
    >>> found
    <Growth: Generalized naive Bayes (GNB), 3 frames, view 'tree'>
    >>> print(found.story.frames[1].title)
    sepal length joins
    """

    story: Story
    view: str
    cursor: str  #: what a frame is called
    draw: Pictures  #: the pictures in a theme: one whose elements carry the class ``s<frame>``, or one each
    boxes: Mapping[str, str] = field(default_factory=dict)  #: attribute -> its id in the picture
    homes: Mapping[str, str] = field(default_factory=dict)  #: attribute -> the cluster that brings it

    def to_frame(self) -> pd.DataFrame:
        """One row per frame: title, sentence and numbers."""
        return self.story.to_frame()

    def play(self, theme: str = "auto") -> Play:
        """Return everything the player shows, in a form that JSON can hold."""
        story = self.story
        return {
            "title": story.title,
            "introduction": story.introduction,
            "alternative": f"{story.title}. {story.introduction}",
            "cursor": self.cursor,
            "steps": [
                {
                    "title": frame.title,
                    "parts": list(frame.parts),
                    "facts": [list(fact) for fact in frame.facts],
                    "contenders": [self._contender(each) for each in frame.contenders],
                }
                for frame in story.frames
            ],
            "contest": story.contest,
            "heads": list(story.heads),
            "number": story.number,
            "curves": [
                {
                    "name": curve.name,
                    "numbers": list(curve.numbers),
                    "texts": [curve.text(place) for place in range(len(curve.numbers))],
                }
                for curve in story.curves
            ],
            "chosen": story.chosen,
            "help": dict(story.help),
            "pictures": list(self.draw(theme)),
        }

    def _contender(self, contender: Contender) -> PlayContender:
        """Return a line of the table; a runner-up also says where it is in the picture."""
        drawn = not contender.won and contender.box in self.boxes
        mothers = [self.boxes[name] for name in contender.mothers if drawn and name in self.boxes]
        homes = [self.homes[name] for name in contender.mothers if name in self.homes]
        at_home = bool(homes) and not contender.won
        mark = f"+ {contender.box}: {contender.number}" if at_home else contender.number
        return {
            "names": list(contender.names),
            "number": contender.number,
            "value": contender.value,
            "won": contender.won,
            "box": homes[0] if at_home else self.boxes[contender.box] if drawn else "",
            "mothers": mothers,
            "mark": mark,
            "home": at_home,
        }

    def to_html(self) -> str:
        """Write the player and its data as one HTML page that works offline."""
        from pgm_nb.views.player.page import player_page

        return player_page(self.play())

    def animation(
        self,
        format: str,
        *,
        seconds: float = 0.8,
        theme: str = "light",
        progress: Callable[[float], None] | None = None,
    ) -> bytes:
        """Draw the frames as an animated ``"gif"`` or ``"webp"``; each frame stays for some seconds."""
        from pgm_nb.views.player.animation import animate

        return animate(self.play(theme), format, seconds=seconds, theme=theme, progress=progress)

    def save(
        self,
        path: str | Path,
        *,
        seconds: float = 0.8,
        theme: str = "light",
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Write an animation (.gif, .webp) or a page with the player (.html), by the ending of the path."""
        from pgm_nb.files import write_atomically

        path = Path(path)
        ending = path.suffix.lstrip(".").lower()
        if ending not in ENDINGS:
            raise RenderError(
                f"A growth can be saved as .gif, .webp or .html, but the path is {path.name!r}; change "
                "its ending."
            )
        if ending == "html":
            content = self.to_html().encode()
        else:
            content = self.animation(ending, seconds=seconds, theme=theme, progress=progress)
        write_atomically(path, content)

    def __repr__(self) -> str:
        return f"<Growth: {self.story.title}, {len(self.story.frames)} frames, view {self.view!r}>"


def growth(
    model: ExplainedModel, view: str | None = None, *, X: Any = None, y: Any = None, most: int = MOST
) -> Growth:
    """Describe how a fitted model was learned, frame by frame.

    Trees and stars grow attribute by attribute, hidden parents and bags as the threshold falls, and a
    local-PCA mixture round by round.

    Parameters
    ----------
    model : fitted model
        One of `pgm_nb.MODELS`.
    view : str, optional
        Which picture grows: one of `growth_views(model)`, by default the first.
    X, y : table and labels, optional
        The rows a local-PCA mixture was learned from, for pictures of its clusters.
    most : int
        Attributes that are drawn at most, those that joined first.

    Returns
    -------
    Growth
        With `save("growth.gif")`, `to_html()` and `to_frame()`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> print(pnb.growth(pnb.NaiveBayes().fit(X, y)).story.frames[0].sentence)
    petal width carries 1.349 bits of information about the class. The runner-up is petal length with 1.344
    bits.
    """
    views = growth_views(model, rows=X is not None)
    if view is not None and view not in views:
        known = ", ".join(map(repr, views))
        raise RenderError(
            f"The growth of {model.about.title} has the views {known}, but {view!r} was asked for."
        )
    return model.growth_in(view or views[0], X, y, most)


def growth_views(model: ExplainedModel, *, rows: bool = False) -> tuple[str, ...]:
    """Return the views in which a model can grow; `rows` says whether its training rows are at hand.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> growth_views(pnb.HiddenNaiveBayes().fit(*pnb.load_sample("iris")))
    ('links',)
    """
    return model.growth_views(rows)


def one_picture(drawing: Drawing) -> Pictures:
    """Return what draws one picture whose elements carry the step in which they appear."""

    def draw(theme: str) -> tuple[str]:
        from pgm_nb.views.graph.render import draw as drawn

        return (drawn(drawing, theme=theme).decode(),)

    return draw


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
