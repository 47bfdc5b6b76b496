"""Let the visitor choose what to see: the view, and how much of a large structure."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pgm_nb.app.pages.structure.shown_graph import Rows, ViewChoice
from pgm_nb.app.shell.address import keep
from pgm_nb.graphs import Graph

__all__ = [
    "LEARNING",
    "MANY",
    "MOST",
    "GraphPart",
    "choose_mode",
    "choose_part",
    "choose_view",
    "choose_view_details",
]

MANY = 60  # attributes up to which the whole structure is drawn without asking
MOST = 200  # attributes that a picture can hold
FARTHEST = 6  # links from one attribute
MODES = {"look": "Look", "values": "Known values", "links": "Edit links", "tree": "Draw a tree"}
LEARNING = ("links", "tree")  # modes in which the tree is learned again
PARTS = {"first": "Most important", "around": "Around one attribute"}


@dataclass(frozen=True)
class GraphPart:
    """How much of a large structure is drawn: the attributes that joined first, or those around one."""

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


def choose_mode(*, rows: bool) -> str:
    """Let the visitor choose what a click in the picture is for; without rows nothing is learned again."""
    offered = [mode for mode in MODES if rows or mode not in LEARNING]
    keep("do", offered, offered[0])
    return (
        st.segmented_control(
            "What a click does",
            offered,
            key="do",
            format_func=MODES.__getitem__,
            label_visibility="collapsed",
        )
        or "look"
    )


def choose_view(model: Any, *, rows: bool = True) -> str:
    """Let the visitor choose one of the views of a model; that of a row only where there are rows."""
    titles = {name: view.title for name, view in model.views_.items() if rows or name != "row"}
    return _choose_one("view", "View", titles) if len(titles) > 1 else next(iter(titles))


def choose_view_details(model: Any, view: str, rows: Rows) -> ViewChoice:
    """Let the visitor choose what a view shows: a row, a plane, one attribute, or a part of the graph."""
    if view == "row":
        return ViewChoice(view, row=_choose_row(rows))
    if view == "plane":
        return ViewChoice(view, plane=_choose_plane(model))
    if view == "focus":
        return ViewChoice(view, focus=_choose_focus(model.structure_))
    part = choose_part(model)
    return ViewChoice(view, part=None if part is None else part.of(model))


def choose_part(model: Any) -> GraphPart | None:
    """Let the visitor choose how much of a large structure is drawn; None for all of it."""
    structure: Graph = model.structure_
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
        help="Attributes that joined first come first. A number such as +3 counts the links of an attribute "
        "that lead out of the picture. The numbers beside the picture and the graph files cover all "
        "attributes.",
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
        help="How far the picture reaches. A number such as +3 counts the links of an attribute that lead "
        "out of the picture.",
    )
    return GraphPart(middle=middle, reach=reach)


def _choose_focus(structure: Graph) -> str:
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
        help="This model has no single graph: which attributes are joined is decided at every row.",
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
    """Offer a few choices side by side; the first one is the default."""
    keep(key, [*titles], next(iter(titles)))
    return st.radio(
        label,
        [*titles],
        key=key,
        format_func=titles.__getitem__,
        horizontal=True,
        label_visibility="collapsed",
    )
