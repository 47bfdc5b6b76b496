"""How a model came about, frame by frame: a story with pictures that can be played and saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.errors import RenderError
from pgm_nb.explain.growth.story import Story
from pgm_nb.explain.growth.tree_story import tree_story
from pgm_nb.graphs.pictures import growing
from pgm_nb.information import Information
from pgm_nb.learning.structures import naive
from pgm_nb.learning.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.protocols import ExplainedModel
    from pgm_nb.views.player import Play

__all__ = ["ENDINGS", "Growth", "growth", "growth_views", "tree_growth"]

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

    def to_frame(self) -> pd.DataFrame:
        """One row per frame: title, sentence and numbers."""
        return self.story.to_frame()

    def play(self, theme: str = "auto") -> Play:
        """Return all that a player shows, as JSON can hold it."""
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
                    "rivals": [
                        {"names": list(r.names), "number": r.number, "value": r.value, "won": r.won}
                        for r in frame.rivals
                    ],
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

    def to_html(self) -> str:
        """Write the player with all it shows as one HTML page that works offline."""
        from pgm_nb.views.player import player_page

        return player_page(self.play())

    def animation(
        self,
        format: str,
        *,
        seconds: float = 0.8,
        theme: str = "light",
        progress: Callable[[float], None] | None = None,
    ) -> bytes:
        """Draw the frames as an animated ``"gif"`` or ``"webp"``; a frame stays for some seconds."""
        from pgm_nb.views.animation import animate

        return animate(self.play(theme), format, seconds=seconds, theme=theme, progress=progress)

    def save(
        self,
        path: str | Path,
        *,
        seconds: float = 0.8,
        theme: str = "light",
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Write an animation (.gif, .webp) or the player as a page (.html), as the path's ending says."""
        from pgm_nb.files import write_atomically

        path = Path(path)
        ending = path.suffix.lstrip(".").lower()
        if ending not in ENDINGS:
            raise RenderError(
                f"A growth is written as .gif, .webp or .html, but {path.name!r} was asked for; change "
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
    """Tell how a fitted model came about, frame by frame.

    Trees and stars grow attribute by attribute; hidden naive Bayes and its bags by a falling threshold; a
    local-PCA mixture by its rounds.

    Parameters
    ----------
    model : fitted model
        One of `pgm_nb.MODELS`.
    view : str, optional
        Which picture grows: one of `growth_views(model)`, by default the first.
    X, y : table and labels, optional
        The rows a local-PCA mixture was learned from, for pictures of its clusters.
    most : int
        Attributes that are drawn at most, the most important ones.

    Returns
    -------
    Growth
        With `save("growth.gif")`, `to_html()` and `to_frame()`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> pnb.growth(pnb.NaiveBayes().fit(X, y)).story.frames[0].sentence
    'petal width tells 1.202 bits about the class. Next is petal length with 1.194 bits.'
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


def tree_growth(model: ExplainedModel, view: str, most: int) -> Growth:
    """Tell how a tree or star grew, attribute by attribute, with the trace of its search or a ranking."""
    trace = getattr(model, "trace_", None)
    if not isinstance(trace, Trace):
        trace = _ranking(model)
    structure = model.structure_
    divergence = getattr(model, "divergence_", None)
    clusters = hasattr(structure, "clusters")
    kl = None if divergence is None else divergence.kl
    story = tree_story(trace, model.title, structure.target, kl=kl, clusters=clusters)
    steps: dict[str, int] = {}
    for number, step in enumerate(trace.steps, start=1):
        for name in (step.mother, step.attribute):
            if name is not None:
                steps.setdefault(name, number)
    shown = sorted(steps, key=steps.__getitem__)[:most]
    n_frames = max(steps[name] for name in shown)
    drawn_graph = structure.part(shown) if structure.divisible else structure
    drawing = growing(drawn_graph, view, steps)

    def draw(theme: str) -> tuple[str]:
        from pgm_nb.views.graph.render import draw as drawn

        return (drawn(drawing, theme=theme).decode(),)

    return Growth(_first(story, n_frames), view, "Step", draw)


def _first(story: Story, n_frames: int) -> Story:
    """Return the beginning of a story."""
    curves = tuple(replace(curve, numbers=curve.numbers[:n_frames]) for curve in story.curves)
    return replace(story, frames=story.frames[:n_frames], curves=curves)


def _ranking(model: ExplainedModel) -> Trace:
    """Rank the attributes of a model that searches nothing by what they tell about the class."""
    structure = model.structure_
    relevance = np.array([(structure.relevance or {}).get(name, 0.0) for name in structure.attributes])
    d = len(relevance)
    told = Information(0, 0.0, np.zeros(d), relevance, np.zeros((d, d)))
    return naive(told, structure.attributes, structure.target)[1]
