"""How a model was learned, frame by frame: a story with pictures that can be played and saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import RenderError
from pgm_nb.explain.growth.story import Contender, Story

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.protocols import ExplainedModel
    from pgm_nb.views.player.page import Play, PlayContender

__all__ = ["ENDINGS", "Growth", "growth", "growth_views"]

ENDINGS = ("gif", "webp", "html")
MOST = 60  # attributes that are drawn
Pictures = Callable[[str], Sequence[str]]


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
        raise RenderError(f"The growth of {model.title} has the views {known}, but {view!r} was asked for.")
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
