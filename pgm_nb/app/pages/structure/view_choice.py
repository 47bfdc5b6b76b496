"""Let the visitor choose what to look at: the view, and how much of a large structure."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pgm_nb.app.pages.structure.shown_graph import Rows, ViewChoice, views_of
from pgm_nb.app.shell.address import keep
from pgm_nb.app.widgets import words
from pgm_nb.graphs import Graph, HiddenParents

__all__ = ["MANY", "MOST", "GraphPart", "choose_part", "choose_view", "choose_view_details"]

MANY = 60  # attributes up to which the whole structure is drawn unasked
MOST = 200  # attributes that a picture can hold
FARTHEST = 6  # links from one attribute
PARTS = {"first": "Most important", "around": "Around one attribute"}


@dataclass(frozen=True)
class GraphPart:
    """How much of a large structure is drawn: the most important attributes, or those around one of them."""

    first: int = 0
    middle: str = ""
    reach: int = 0

    def of(self, model: Any) -> tuple[str, ...] | None:
        """Return the attributes of a model that are drawn; None where its views choose by themselves."""
        structure: Graph = model.structure_
        if not structure.divisible:
            return None
        if self.first:
            return tuple(model.importance_["attribute"][: self.first])
        reach, near = self.reach, structure.around(self.middle, self.reach)
        while len(near) > MOST:
            reach -= 1
            near = structure.around(self.middle, reach)
        return near


def choose_view(model: Any) -> str:
    """Let the visitor choose one of the views of a model."""
    views = views_of(model)
    if len(views) == 1:
        return views[0]
    return _choose_one("view", "View", {view: words.VIEWS[view] for view in views})


def choose_view_details(model: Any, view: str, rows: Rows) -> ViewChoice:
    """Let the visitor choose what a view shows: a part, a hidden parent, a row, a plane."""
    structure = model.structure_
    if view == "row":
        return ViewChoice(view, row=_choose_row(rows))
    if view == "plane":
        return ViewChoice(view, plane=_choose_plane(model))
    if isinstance(structure, HiddenParents):
        return ViewChoice(view, focus=_choose_focus(structure) if view == "focus" else None)
    portion = choose_part(model)
    return ViewChoice(view, part=None if portion is None else portion.of(model))


def choose_part(model: Any) -> GraphPart | None:
    """Let the visitor choose how much of a large structure is drawn; None for all of it."""
    structure = model.structure_
    n_attributes = len(structure.attributes)
    if n_attributes <= MANY or not structure.divisible:
        return None
    left, right = st.columns([2, 3], vertical_alignment="center")
    with left:
        way = _choose_one("part", "Part", PARTS) if structure.mothers else "first"
    with right if structure.mothers else left:
        return _choose_around(model) if way == "around" else _choose_first(n_attributes)


def _choose_first(n_attributes: int) -> GraphPart:
    most = min(n_attributes, MOST)
    keep("shown", range(2, most + 1), MANY)
    n_shown = st.slider(
        f"Attributes in the picture, of {n_attributes:,}",
        2,
        most,
        key="shown",
        help="The most important ones come first; a number such as +3 says how many links of an attribute "
        "lead out of the picture. The numbers beside it and the graph files are about all of them.",
    )
    return GraphPart(first=n_shown)


def _choose_around(model: Any) -> GraphPart:
    names = tuple(model.importance_["attribute"])
    keep("around", names, names[0])
    keep("reach", range(1, FARTHEST + 1), 3)
    one, other = st.columns(2)
    middle = one.selectbox("In the middle", names, key="around", help="Type to find an attribute.")
    reach = other.slider(
        "Links away from it",
        1,
        FARTHEST,
        key="reach",
        help="How far the picture goes; +3 at an attribute says that three of its links lead out of it.",
    )
    return GraphPart(middle=middle, reach=reach)


def _choose_focus(structure: HiddenParents) -> str:
    keep("focus", list(structure.attributes), structure.most_relevant)
    return st.selectbox("Attribute", structure.attributes, key="focus")


def _choose_row(rows: Rows) -> int:
    X, _ = rows()
    keep("row", range(1, len(X) + 1), 1)
    number = st.number_input(
        f"Row of the table, of {len(X):,}",
        1,
        len(X),
        key="row",
        width=260,
        help="This model has no graph of its own: which attributes are joined is decided at every row.",
    )
    return int(number) - 1


def _choose_plane(model: Any) -> tuple[str, str]:
    names = tuple(model.importance_["attribute"])
    keep("across", names, names[0])
    one, other = st.columns(2)
    across = one.selectbox("Across", names, key="across")
    rest = tuple(name for name in names if name != across)
    keep("up", rest, rest[0])
    return across, other.selectbox("Up", rest, key="up")


def _choose_one(key: str, label: str, titles: dict[str, str]) -> str:
    """Offer a few things side by side; the first one is the default."""
    keep(key, [*titles], next(iter(titles)))
    return st.radio(
        label,
        [*titles],
        key=key,
        format_func=titles.__getitem__,
        horizontal=True,
        label_visibility="collapsed",
    )
