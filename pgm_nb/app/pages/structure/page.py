"""The Structure page: the picture, what it shows, its numbers, its attributes, and downloads."""

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.structure.draw_tree import show_own_tree
from pgm_nb.app.pages.structure.edit_links import Wishes, link_buttons, show_links
from pgm_nb.app.pages.structure.panel import download_row, show_detail, show_headlines, show_ranking
from pgm_nb.app.pages.structure.set_values import show_values
from pgm_nb.app.pages.structure.shown_graph import Rows, ShownGraph, ViewChoice, find_row_graph
from pgm_nb.app.pages.structure.view_choice import (
    LEARNING,
    MANY,
    choose_mode,
    choose_part,
    choose_view,
    choose_view_details,
)
from pgm_nb.app.shell.address import keep, put
from pgm_nb.app.shell.fitting import FittedModel, Settings, learn, training_rows, variants
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.picture import clicked, show_picture
from pgm_nb.data.class_guess import FEW
from pgm_nb.data.repairs.find_numbers import reading_of
from pgm_nb.data.target import names_rows
from pgm_nb.explain.detail import TABLE_STYLE
from pgm_nb.graphs.compare import compare
from pgm_nb.views.graph.drawing import Element
from pgm_nb.views.style import colours
from pgm_nb.words import GLOSSARY, listed, together

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["legend", "models_to_compare", "show"]

HINT = "Click a box or a line in the picture to see its numbers, its table, and why it is there."
SPLIT = """
<style>
@media (max-width: 1240px) {
  .st-key-split > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
  .st-key-split > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"]
    > [data-testid="stColumn"] { min-width: 100%; }
}
</style>
"""


def show(screen: Screen) -> None:
    """Show the page."""

    def table() -> "tuple[pd.DataFrame, pd.Series[Any]]":
        return training_rows(screen.frame, screen.settings)

    st.html(TABLE_STYLE + SPLIT)
    above = st.container(gap="small")
    mode = choose_mode(rows=screen.has_table)
    editing = mode in LEARNING  # a click there needs the tree at once, and its probabilities later
    fitted = learn(screen.source, screen.settings.for_structure()) if editing else screen.fitted
    about, remarks = _about(fitted.key, fitted, table) if screen.has_table else ("", [])
    with above:
        if about:
            st.caption(literal(about))
        for remark in remarks:
            st.warning(literal(remark))
    if mode == "links":
        _below(fitted, show_links(screen, table))
        return
    if mode == "tree":
        _below(fitted, show_own_tree(screen, table))
        return
    if mode == "values":
        _below(fitted, show_values(screen))
        return
    offered = models_to_compare(screen.settings) if screen.has_table else {}
    keep("against", [*offered], None)
    other = offered.get(st.session_state["against"])
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        view = (
            choose_view(fitted.model, rows=screen.has_table)
            if other is None
            else fitted.model.structure_.links_view
        )
        _choose_other(offered, chosen=other is not None)
    shown = _show_one(screen, view, table) if other is None else _show_two(screen, *other, table)
    _below(fitted, shown)


def _below(fitted: FittedModel, shown: ShownGraph | None) -> None:
    show_ranking(fitted.model)
    if shown is not None:
        download_row(shown)
    _glossary()


@st.cache_data(max_entries=64, show_spinner=False)
def _about(key: tuple[str, Settings], _fitted: FittedModel, _table: Rows) -> tuple[str, list[str]]:
    """Describe the table that a model was learned from, and name the columns better left out."""
    model, (X, y) = _fitted.model, _table()
    counts = y.value_counts()
    classes = ", ".join(f"{label} {counts.get(label, 0):,}" for label in model.classes_)
    about = f"{len(X):,} rows, {model.n_features_in_:,} attributes. {model.structure_.target}: {classes}."
    values = X.nunique()
    idle = [str(name) for name in values.index[(values <= 1) & X.notna().all()]]
    coded = model.case_columns(X) if model.codes_numbers else ()
    many = {column.name: column.card for column in coded if column.card > FEW}
    read = {name: found for name in many if (found := reading_of(X[name]))}
    naming = [name for name, card in many.items() if names_rows(card, len(X)) and name not in read]
    remarks = []
    if read:
        marks = [
            f"“{mark}”" for mark in dict.fromkeys(m for found in read.values() for m in found.not_measured)
        ]
        named = together([*read]) if len(read) < 6 else listed([*read], 5)
        remarks.append(
            f"{named} {'has' if len(read) == 1 else 'have'} numbers that were read as text"
            + (f", beside {together(marks)}" if marks else "")
            + ", so every number counts as a state of its own. On Data, a button reads them as numbers."
        )
    if idle:
        remarks.append(f"These columns have only one value, so they carry no information: {listed(idle)}.")
    if naming:
        remarks.append(
            f"These columns have a different value in almost every row: {listed(naming)}. They identify rows "
            "and say nothing about new ones; leave them out (on the left, under Columns and values)."
        )
    return f"{about} {model.missing_}", remarks


def _choose_other(offered: Mapping[str, tuple[str, Settings]], *, chosen: bool) -> None:
    if offered:
        st.selectbox(
            "Compare with",
            [*offered],
            key="against",
            index=None,
            format_func=lambda key: offered[key][0],
            placeholder="Compare with …",
            label_visibility="visible" if chosen else "collapsed",
            width=380,
        )


def _show_one(screen: Screen, view: str, table: Rows) -> ShownGraph | None:
    """Show the picture, and beside it the numbers of the model or of what was clicked; None if not ready."""
    fitted = screen.fitted
    choice = choose_view_details(fitted.model, view, table)
    graph = None if choice.row is None else find_row_graph(fitted, choice.row, table)
    if choice.row is not None and graph is None:
        return None
    shown = ShownGraph(fitted, choice, table, row_graph=graph)
    st.markdown(shown.sentence(bold))
    at = _keep_choice(shown)
    with st.container(key="split"):
        left, right = st.columns([2, 1], gap="medium")
        with left:
            _show_picture(shown, at, f"{fitted.model.title}, {shown.title.lower()}")
        with right:
            _show_beside(shown, at)
    return shown


def _show_two(screen: Screen, title: str, settings: Settings, table: Rows) -> ShownGraph:
    """Show two models side by side; returns the one that was chosen first."""
    fitted, other = screen.fitted, learn(screen.source, settings.for_structure())
    found = compare(fitted.model.structure_, other.model.structure_)
    names = screen.settings.variant.title, title
    part = choose_part(fitted.model)
    pair = [
        ShownGraph(
            one,
            ViewChoice(
                one.model.structure_.links_view, None if part is None else part.of(one.model), against=against
            ),
            table,
            found,
        )
        for one, against in ((fitted, settings), (other, screen.settings))
    ]
    st.markdown(found.sentence(*names, bold))
    st.html(legend(*names, _theme()))
    at = _keep_choice(*pair)
    with st.container(key="split"):
        for place, column in enumerate(st.columns(2, gap="medium")):
            with column:
                st.markdown(f"##### {literal(names[place])}")
                _show_picture(pair[place], at, names[place], key=f"picture {place}")
                _show_beside(pair[place], at, place)
    return pair[0]


def models_to_compare(settings: Settings) -> dict[str, tuple[str, Settings]]:
    """Return the models that the chosen one can be compared with: key -> (title, settings).

    Examples
    --------
    >>> [*models_to_compare(Settings("class", model="tan"))][:4]
    ['nb', 'gnb greedy', 'gnb optimal', 'gnb exact']
    >>> models_to_compare(Settings("class", model="local-pca"))
    {}
    """
    if not settings.kind.links_compare:
        return {}
    own = settings.variant.key
    free = {"free": ("The tree without your wishes", settings.free())} if settings.edited else {}
    return free | {
        variant.key: (variant.title, other)
        for kind, variant, other in variants(settings)
        if kind.links_compare and variant.key != own
    }


def legend(first: str, second: str, theme: str) -> str:
    """Return the key to the colours and dashes as HTML.

    Examples
    --------
    >>> "only in &lt;b&gt;" in legend("<b>", "TAN", "light")
    True
    """
    paint = colours(theme)
    lines = (
        ("in both", paint["tree arc"], "solid"),
        (f"only in {first}", paint["first arc"], "dashed"),
        (f"only in {second}", paint["second arc"], "dotted"),
    )
    parts = "".join(
        '<span style="display: inline-flex; align-items: center; gap: 0.4rem">'
        f'<span style="width: 2.1rem; border-top: 3px {dash} {colour}"></span>{escape(said)}</span>'
        for said, colour, dash in lines
    )
    style = "display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; font-size: 0.875rem"
    return f'<div style="{style}">{parts}</div>'


def _show_picture(shown: ShownGraph, at: str | None, heading: str, key: str = "picture") -> None:
    keys = _keys(shown.elements)
    show_picture(
        shown.picture("svg"),
        f"{heading}: {shown.sentence()}",
        key=key,
        labels=shown.labels,
        legible=0.45 if shown.comparison is None else 0.35,  # to compare, the whole is wanted
        selected="" if at is None else _id(shown, at),
        on_choice=partial(_take_choice, key, keys),
    )


def _show_beside(shown: ShownGraph, at: str | None, place: int = 0) -> None:
    element = None if at is None else _element(shown, at)
    if element is None:
        show_headlines(shown)
        if shown.elements:
            st.caption(HINT)
        return
    model = shown.fitted.model
    found = model.describe(element, graph=shown.row_graph, row=shown.row, mark=bold)
    show_detail(found, _theme())
    settings, names = shown.fitted.key[1], model.structure_.attributes
    if element.kind == "link" and set(element.names) <= set(names) and not settings.why_not_edited:
        wishes = Wishes.of(settings, model.structure_)
        link_buttons(wishes, (element.names[0], element.names[1]), then=partial(put, "do", "links"))
    with st.container(horizontal=True):
        large = len(model.structure_.attributes) > MANY and model.structure_.mothers
        if found.attribute is not None and large:
            st.button(
                "Look around it", key=f"around {place}", on_click=safely(_look_around), args=[found.attribute]
            )
        st.button(
            "Back to the whole picture", key=f"back {place}", on_click=safely(_forget_choice), type="tertiary"
        )


def _element(shown: ShownGraph, at: str) -> Element | None:
    """Return what a choice is about; an attribute need not have a box of its own in what is drawn."""
    drawn = shown.elements.get(_id(shown, at))
    if at not in shown.fitted.model.structure_.attributes or shown.row_graph is not None:
        return drawn
    return None if shown.is_chart else Element("attribute", (at,))


def _keys(elements: Mapping[str, Element]) -> dict[str, str]:
    """Name what can be clicked, for the address: an attribute by its name, all else with its kind."""
    return {
        id: element.names[0]
        if element.kind == "attribute"
        else f"{element.kind}: {' → '.join(element.names)}"
        for id, element in elements.items()
    }


def _keep_choice(*shown: ShownGraph) -> str | None:
    """Keep what was clicked; a chosen attribute stays so in views where it has no box of its own."""
    known = [
        key
        for one in shown
        for key in (*_keys(one.elements).values(), *one.fitted.model.structure_.attributes)
    ]
    keep("at", known, None)
    at: str | None = st.session_state["at"]
    return at


def _id(shown: ShownGraph, at: str) -> str:
    """Return where a choice is in the picture: itself, or else the box that brings the attribute."""
    for id, key in _keys(shown.elements).items():
        if key == at:
            return id
    boxes = {id: found.names for id, found in shown.elements.items() if found.kind in ("cluster", "table")}
    brought = [id for id, names in boxes.items() if names[-1] == at]
    return next(iter([*brought, *(id for id, names in boxes.items() if at in names)]), "")


def _take_choice(key: str, keys: Mapping[str, str]) -> None:
    st.session_state["at"] = keys.get(clicked(key))


def _forget_choice() -> None:
    st.session_state["at"] = None


def _look_around(attribute: str) -> None:
    st.session_state["part"] = "around"
    st.session_state["around"] = attribute


def _theme() -> str:
    return st.context.theme.type or "light"


def _glossary() -> None:
    with st.expander("What the words mean"):
        st.markdown("\n".join(f"- **{word}**: {meaning}" for word, meaning in GLOSSARY.items()))
