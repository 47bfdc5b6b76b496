"""Known values on the structure: bars inside the boxes, which follow when a value is set."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pgm_nb.app.pages.structure.shown_graph import ShownGraph, choose_part
from pgm_nb.app.pages.what_if import headline
from pgm_nb.app.pages.what_if.case import Case, keep_base_rates, open_case, show_known, where_it_comes_from
from pgm_nb.app.shell import evidence
from pgm_nb.app.shell.address import keep, put
from pgm_nb.app.shell.fitting import Settings
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.clicks import calmly, safely
from pgm_nb.app.widgets.downloads import offer_prints
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.monitors import Box, show_monitors
from pgm_nb.app.widgets.monitors import clicked as clicked_monitor
from pgm_nb.app.widgets.picture import clicked, clicked_state, show_picture
from pgm_nb.engine.evidence import Evidence
from pgm_nb.explain.known_picture import case_bars, marked_boxes, roomy_drawing
from pgm_nb.explain.protocols import Known
from pgm_nb.graphs import Graph
from pgm_nb.views.graph.bars import Bars, with_marks
from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.views.graph.layout import FONT_SIZE
from pgm_nb.views.printing import print_svg

__all__ = ["show_values"]

HOW = (
    "Click a bar to set a value, and once more to take it back; click a name to see all its values. The same "
    "values are known on every page."
)
BOX = "box"


def show_values(screen: Screen) -> ShownGraph | None:
    """Show the structure with what is known, and how likely everything else is."""
    case = open_case(screen)
    keep_base_rates(case.analysis.classes)
    structure: Graph = screen.fitted.model.structure_.in_shares(screen.scale)
    part = choose_part(screen.fitted.model)
    names = None if part is None else part.of(screen.fitted.model)
    keep(BOX, [case.target, *case.analysis.attributes], None)
    _board(case, screen, structure if names is None else structure.part(names), names)
    return None


@st.fragment
@calmly()
def _board(case: Case, screen: Screen, structure: Graph, part: tuple[str, ...] | None) -> None:
    """Everything that follows from what is known; a click runs this part of the page alone."""
    case = where_it_comes_from(case)
    known = case.known
    bars = case_bars(case.analysis, known)
    svg, drawing = _layout(screen.fitted.key, part, screen.scale is None, structure, bars)
    marks = marked_boxes(svg, drawing, bars)
    boxes = {node.id: node.names[0] for node in drawing.nodes if node.room}
    st.markdown(headline(case, known, case.analysis.posterior(known)))
    at = st.session_state.get(BOX)
    with st.container(key="split"):
        left, right = st.columns([3, 1], gap="medium")
        with left:
            st.caption(HOW)
            show_picture(
                svg.encode(),
                f"{screen.fitted.model.about.title} with what is known. {_spoken(case, bars, known)}",
                key="values",
                labels=boxes,
                selected=next((id for id, name in boxes.items() if name == at), ""),
                on_choice=partial(_look_at, boxes),
                dims=False,
                marks=marks,
                on_state=partial(_set_in_picture, case, boxes),
            )
        with right:
            _show_box(case, bars, at if at in bars and at != case.target else case.target)
            show_known(case, known)
            _downloads(with_marks(svg, marks))


@st.cache_data(max_entries=64, show_spinner="Drawing …")
def _layout(
    key: tuple[str, Settings],
    part: tuple[str, ...] | None,
    numbers: bool,
    _structure: Graph,
    _bars: Mapping[str, Bars],
) -> tuple[str, Drawing]:
    from pgm_nb.views.graph.render import draw

    drawing = roomy_drawing(_structure, _bars)
    return draw(drawing).decode(), drawing


def _spoken(case: Case, bars: Mapping[str, Bars], known: Known) -> str:
    """Say what is known and the most probable class, for those who cannot see the picture."""
    facts = [f"{name}: {bars[name].known}" for name in known if name in bars]
    return "; ".join([*facts, f"{case.target}: {bars[case.target].best()}"])


def _look_at(boxes: Mapping[str, str]) -> None:
    put(BOX, boxes.get(clicked("values")))


def _set_in_picture(case: Case, boxes: Mapping[str, str]) -> None:
    click = clicked_state("values")
    if click is not None and boxes.get(click[0]) is not None:
        _set(case, boxes[click[0]], click[1])


def _set_in_box(case: Case) -> None:
    click = clicked_monitor("value box")
    if click is not None:
        _set(case, *click)


def _set(case: Case, name: str, state: int) -> None:
    """Set an attribute to a state, or to unknown where it has that one."""
    attribute = case.analysis.attributes.get(name)
    if attribute is None:  # the class is what is asked for
        return
    known = case.known
    is_set = name in known and not isinstance(known[name], Evidence) and attribute.state(known[name]) == state
    evidence.change(case.reader, name, None if is_set else attribute.texts[state])
    put(BOX, name)


def _show_box(case: Case, bars: Mapping[str, Bars], name: str) -> None:
    """Show all states of one variable, to be clicked unless it is the class."""
    shown, before = bars[name], case_bars(case.analysis, {})[name]
    if name == case.target:  # every other box bears its name
        st.markdown(f"##### {literal(name)}")
    if shown.shares is None:
        st.caption(literal(f"{case.analysis.model.about.title} has no probabilities of its attributes."))
    box = Box(name, shown.labels, shown.state, shown.known, shown.shares, before.shares)
    show_monitors("value box", [box], partial(_set_in_box, case), large=name == case.target)
    if name != case.target:
        st.button(
            "Back to the class",
            key="back to class",
            type="tertiary",
            on_click=safely(partial(put, BOX, None)),
        )


def _downloads(svg: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        offer_prints(partial(print_svg, svg, font=FONT_SIZE), "known")
