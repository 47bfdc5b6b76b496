"""Draw a whole tree by hand: a mother for every attribute, from nothing, the learned tree or a file."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pgm_nb.app.pages.structure.edit_links import show_price
from pgm_nb.app.pages.structure.shown_graph import Rows, ShownGraph, ViewChoice
from pgm_nb.app.shell.address import keep, put
from pgm_nb.app.shell.edits import can_redo, can_undo, change_tree, keep_tree, redo, undo
from pgm_nb.app.shell.fitting import learn
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.own_key import own_key, said_by
from pgm_nb.app.widgets.picture import clicked, show_picture
from pgm_nb.errors import StructureError
from pgm_nb.inference.exchange.read import ENDINGS, parse_structure
from pgm_nb.learning.own_families import Families, families_from, second_mothers, with_mothers
from pgm_nb.views.graph.drawing import elements
from pgm_nb.views.graph.edited import draft_drawing
from pgm_nb.words import plural

__all__ = ["show_own_tree"]

HOW = "Click a box, then its mother. Every attribute but one, the root, needs a mother."
TWO = (
    " Click a box with a mother and then a second one, if you want her: the two mothers must be linked "
    "themselves."
)
MOST = 200  # attributes of a tree that is drawn by hand
CHILD = "child"
NONE = "no mother"


def show_own_tree(screen: Screen, rows: Rows) -> ShownGraph | None:
    """Show the tree that is being drawn, and beside it the mother of the picked attribute."""
    settings = screen.settings
    if why := settings.kind.why_not_drawn(dict(settings.choices)):
        st.info(literal(f"{why} Choose TAN or GNB on the left."))
        return None
    free = learn(screen.source, settings.free().for_structure()).model
    names = tuple(str(name) for name in free.attribute_names_)
    if len(names) > MOST:
        st.info(
            f"A tree of more than {MOST} attributes is not drawn by hand. Leave columns out, or read it from "
            "a file with pgm-nb fit --structure."
        )
        return None
    most = settings.kind.most_mothers(dict(settings.choices))
    mothers = {child: its[:most] for child, its in keep_tree(names).items()}
    keep(CHILD, names, None)
    child: str | None = st.session_state[CHILD]
    shown = None
    if settings.drawn:
        fitted = learn(screen.source, settings.for_structure())
        shown = ShownGraph(fitted, ViewChoice(fitted.model.structure_.links_view), rows)
    with st.container(key="split"):
        left, right = st.columns([2, 1], gap="medium")
        with left:
            st.caption(HOW + (TWO if most == 2 else ""))
            _show_draft(shown, names, mothers, child, most)
        with right:
            _choose_mother(names, mothers, child, most)
            _show_state(names, mothers)
            _begin(names, families_from(free.structure_, names, settings.target), settings.target)
            if shown is not None:
                show_price(screen, shown.fitted)
    return shown


def _show_draft(
    shown: ShownGraph | None, names: Sequence[str], mothers: Families, child: str | None, most: int
) -> None:
    """Show the finished tree with its numbers, or the draft."""
    if shown is None:
        drawing = draft_drawing(names, mothers)
        svg, found = _drawn(tuple(names), tuple(mothers.items())), elements(drawing)
    else:
        svg, found = shown.picture("svg"), shown.elements
    boxes = {id: element.names[0] for id, element in found.items() if element.kind == "attribute"}
    show_picture(
        svg,
        f"The tree that you draw. {_state(names, mothers)}",
        key="draft",
        labels=boxes,
        selected=next((id for id, name in boxes.items() if name == child), ""),
        on_choice=partial(_take, boxes, mothers, child, most),
        dims=False,
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _drawn(names: tuple[str, ...], mothers: tuple[tuple[str, tuple[str, ...]], ...]) -> bytes:
    from pgm_nb.views.graph.render import draw

    return draw(draft_drawing(names, dict(mothers)))


def _take(boxes: dict[str, str], mothers: Families, child: str | None, most: int) -> None:
    """Take a click: the first box is the child, the second its mother, or its second mother."""
    name = boxes.get(clicked("draft"))
    if name is None or child is None or name == child:
        put(CHILD, name)
        return
    its = mothers.get(child, ())
    more = most == 2 and len(its) == 1 and name in second_mothers(mothers, child)
    change_tree(with_mothers(mothers, child, (*its, name) if more else (name,)))
    put(CHILD, None)


def _choose_mother(names: Sequence[str], mothers: Families, child: str | None, most: int) -> None:
    st.selectbox(
        "Attribute",
        names,
        key=CHILD,
        index=None,
        placeholder="click a box, or choose",
        help="Type to search.",
    )
    if child is None:
        return
    its = mothers.get(child, ())
    options = [NONE, *(name for name in names if name != child)]
    st.selectbox(
        "Its mother",
        options,
        key=own_key("mother", its[0] if its else NONE),
        on_change=safely(partial(_set_mother, mothers, child)),
    )
    near = second_mothers(mothers, child) if most == 2 and its else []
    if near:
        st.selectbox(
            "Its second mother",
            [NONE, *near],
            key=own_key("second mother", its[1] if len(its) == 2 else NONE),
            on_change=safely(partial(_set_mother, mothers, child)),
            help="Those that are linked with the first: only then do the three and the class form a cluster.",
        )


def _set_mother(mothers: Families, child: str) -> None:
    its = mothers.get(child, ())
    chosen = said_by("mother")
    second = said_by("second mother", NONE)
    if chosen == NONE:
        change_tree(with_mothers(mothers, child, ()))
    elif not its or chosen != its[0] or second == NONE:
        change_tree(with_mothers(mothers, child, (chosen,)))
    else:
        change_tree(with_mothers(mothers, child, (chosen, second)))


def _state(names: Sequence[str], mothers: Families) -> str:
    """Say how far the tree is."""
    roots = [name for name in names if name not in mothers]
    if len(roots) == 1:
        return f"The tree is complete; {roots[0]} is its root."
    return (
        f"{plural(len(roots), 'attribute')} have no mother yet. One of them will be the root; until then the "
        "model stays as it was."
    )


def _show_state(names: Sequence[str], mothers: Families) -> None:
    roots = [name for name in names if name not in mothers]
    said = literal(_state(names, mothers))
    st.markdown(said if len(roots) > 1 else f"The tree is complete; {bold(roots[0])} is its root.")
    with st.container(horizontal=True):
        st.button("Undo", key="undo edit", on_click=safely(undo), disabled=not can_undo())
        st.button("Redo", key="redo edit", on_click=safely(redo), disabled=not can_redo())


def _begin(names: Sequence[str], learned: Families, target: str) -> None:
    """Offer the beginnings: nothing, the learned tree, a file."""
    with st.container(horizontal=True):
        st.button(
            "Start from the learned tree", key="learned tree", on_click=safely(partial(change_tree, learned))
        )
        st.button(
            "Start empty",
            key="empty tree",
            on_click=safely(partial(change_tree, {})),
            help="No attribute has a mother; the model is again the one that the data alone make.",
        )
    st.file_uploader(
        "Read a tree from a file",
        type=[ending.lstrip(".") for ending in ENDINGS],
        key="tree file",
        on_change=safely(partial(_read, names, target)),
        max_upload_size=5,
        help="BIF or XMLBIF from programs for Bayesian networks, GraphML, or JSON of this program.",
    )


def _read(names: Sequence[str], target: str) -> None:
    """Take the tree of an uploaded file."""
    file = st.session_state["tree file"]
    if file is None:
        return
    structure = parse_structure(file.name, file.getvalue())
    try:
        mothers = families_from(structure, names, target)
    except StructureError as error:
        raise StructureError(f"{file.name}: {error}") from None
    change_tree(mothers)
