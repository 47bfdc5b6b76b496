"""Edit the tree: require or forbid links one by one, or draw the whole tree by hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.pages.structure.shown_graph import Rows, ShownGraph, ViewChoice, choose_part
from pgm_nb.app.shell.address import keep, keep_texts, put, put_texts
from pgm_nb.app.shell.edits import can_redo, can_undo, change_edits, change_tree, keep_tree, redo, undo
from pgm_nb.app.shell.fitting import FittedModel, Settings, learn, training_rows, unseen_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.clicks import own_key, safely, said_by
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.picture import clicked, show_picture
from pgm_nb.engine.exchange.read import ENDINGS, parse_structure
from pgm_nb.errors import PgmNbError, StructureError
from pgm_nb.evaluate.edit_price import EditPrice, loss_change
from pgm_nb.graphs import Graph
from pgm_nb.learning.by_hand import Edits, Families, Link, families_from, second_mothers, with_mothers
from pgm_nb.views.graph.drawing import Element, elements
from pgm_nb.views.graph.edited import draft_drawing
from pgm_nb.words import SAME_BITS, Scale, in_bits, loss_number, plural, typical

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HOW", "Wishes", "link_buttons", "show_links", "show_own_tree", "show_price"]

HOW = (
    "Click a line, or two boxes one after the other. Then require the link or forbid it: the tree is learned "
    "again at once."
)
PICKED = "picked"
FEW = 200  # attributes up to which the price of a wish is foretold
MANY = 6  # wishes that are shown without scrolling
HOW_TO_DRAW = "Click a box, then its mother. Every attribute but one, the root, needs a mother."
TWO = (
    " Click a box with a mother and then a second one, if you want her: the two mothers must be linked "
    "themselves."
)
MOST = 200  # attributes of a tree that is drawn by hand
CHILD = "child"
NONE = "no mother"


@dataclass(frozen=True)
class Wishes:
    """What a person asks of the tree of a model, and the attributes it is about."""

    edits: Edits
    names: tuple[str, ...]
    target: str
    mothers: int = 1  #: that an attribute can have

    @classmethod
    def of(cls, settings: Settings, structure: Graph) -> "Wishes":
        """Take them from the settings."""
        most = settings.kind.about.most_parents(dict(settings.choices))
        return cls(settings.edits, tuple(structure.attributes), structure.target, most)

    def change(self, to: Edits) -> None:
        """Put others in force, from a callback; raises where no tree meets them."""
        change_edits(to, self.names, self.target, self.mothers)


def show_links(screen: Screen, rows: Rows) -> ShownGraph | None:
    """Show the picture in which links are picked, and beside it what is asked for and its price."""
    settings = screen.settings
    if why := settings.why_not_edited:
        st.info(literal(f"{why} Choose TAN or GNB on the left."))
        return None
    if settings.drawn:
        st.info("The tree was drawn by hand, so every link of it is yours: change it under “Draw a tree”.")
        return None
    fitted = learn(screen.source, settings.for_structure())
    structure: Graph = fitted.model.structure_
    wishes = Wishes.of(settings, structure)
    part = choose_part(fitted.model)
    choice = ViewChoice(structure.links_view, None if part is None else part.of(fitted.model), wishes=True)
    shown = ShownGraph(fitted, choice, rows, scale=screen.scale)
    picked = keep_texts(PICKED, lambda text: text in structure.attributes)[:2]
    with st.container(key="split"):
        left, right = st.columns([2, 1], gap="medium")
        with left:
            st.caption(HOW)
            show_picture(
                shown.picture("svg"),
                f"{fitted.model.about.title}: {shown.sentence()} {HOW}",
                labels=shown.labels,
                selected=_marked(shown.elements, picked),
                on_choice=partial(_pick, shown.elements, picked),
            )
        with right:
            _show_picked(screen, structure, wishes, picked)
            _show_wishes(screen, fitted, wishes)
    return shown


def _marked(elements: Mapping[str, Element], picked: list[str]) -> list[str]:
    """Return what is marked in the picture: the line between two boxes, or else the boxes."""
    if len(picked) == 2:
        lines = [id for id, e in elements.items() if e.kind == "link" and set(e.names) == set(picked)]
        if lines:
            return lines[:1]
    boxes = {element.names[0]: id for id, element in elements.items() if element.kind == "attribute"}
    return [boxes[name] for name in picked if name in boxes]


def _pick(elements: Mapping[str, Element], picked: list[str]) -> None:
    """Take a click: a line is a pair, two boxes are one, the empty page lets go of them."""
    element = elements.get(clicked())
    boxes = {e.names[0] for e in elements.values() if e.kind == "attribute"}
    if element is None:
        put_texts(PICKED, [])
    elif element.kind == "link" and set(element.names) <= boxes:
        put_texts(PICKED, list(element.names))
    elif element.kind == "attribute":
        [name] = element.names
        put_texts(PICKED, [*picked, name] if len(picked) == 1 and name != picked[0] else [name])


def _show_picked(screen: Screen, structure: Graph, wishes: Wishes, picked: list[str]) -> None:
    if not picked:
        st.markdown("##### No link is picked")
        return
    if len(picked) == 1:
        st.markdown(f"##### {literal(picked[0])} and …")
        st.caption("Click a second box.")
        return
    first, second = picked
    st.markdown(f"##### {literal(first)} – {literal(second)}")
    st.markdown(_about(screen, structure, wishes, (first, second)))
    link_buttons(wishes, (first, second))


def _about(screen: Screen, structure: Graph, wishes: Wishes, link: Link) -> str:
    """Say whether the tree has a link, and what asking for it or against it would cost."""
    has = any(structure.mothers.get(child) == mother for child, mother in (link, link[::-1]))
    kind = wishes.edits.kind(*link)
    said = [f"You {'require' if kind == 'required' else 'forbid'} this link." if kind else ""]
    if not kind:
        said = ["The tree has this link." if has else "The tree does not have this link."]
        if len(wishes.names) <= FEW:
            other = wishes.edits.forbid(*link) if has else wishes.edits.require(*link)
            said.append(_foretold(screen, other, "Forbidding" if has else "Requiring"))
    return " ".join(said)


def _foretold(screen: Screen, edits: Edits, doing: str) -> str:
    """Say what a wish would cost on top of those in force."""
    try:
        edits_now = _weight(screen, screen.settings)
        lost = edits_now - _weight(screen, replace(screen.settings, edits=edits))
    except PgmNbError as error:
        return f"{doing} it is not possible: {literal(str(error))}."
    if abs(lost) < SAME_BITS:
        return f"{doing} it would cost nothing."
    return f"{doing} it would {'cost' if lost > 0 else 'gain'} {in_bits(abs(lost), scale=screen.scale)}."


def _weight(screen: Screen, settings: Settings) -> float:
    return _kept_weight(screen.source.digest, settings.for_structure(), screen.frame)


@st.cache_data(max_entries=256, show_spinner=False)
def _kept_weight(digest: str, settings: Settings, _frame: "pd.DataFrame") -> float:
    fitted = settings.estimator().fit(*training_rows(_frame, settings))
    return float(fitted.divergence_.weight)


def link_buttons(wishes: Wishes, link: Link, *, then: Callable[[], None] = lambda: None) -> None:
    """Show buttons that require, forbid or clear a link; `then` is called after each."""
    kind = wishes.edits.kind(*link)
    ways = {
        "Require": (wishes.edits.require, kind == "required", "The tree must have this link."),
        "Forbid": (wishes.edits.forbid, kind == "forbidden", "The tree must not have this link."),
        "Clear": (wishes.edits.clear, not kind, "The search decides about this link."),
    }
    with st.container(horizontal=True):
        for label, (change, idle, help) in ways.items():
            st.button(
                label,
                key=f"link {label}",
                disabled=idle,
                help=help,
                on_click=safely(partial(_change, wishes, change, link, then)),
            )


def _change(
    wishes: Wishes, change: Callable[[str, str], Edits], link: Link, then: Callable[[], None]
) -> None:
    wishes.change(change(*link))
    put_texts(PICKED, [])
    then()


def _show_wishes(screen: Screen, fitted: FittedModel, wishes: Wishes) -> None:
    """List what is asked for with its price, and what all of it costs."""
    if wishes.edits:
        st.markdown("##### What you ask for")
        prices = fitted.model.constraints_
        with st.container(height=250 if len(prices) > MANY else "content", border=False, gap="xsmall"):
            for kind, one, other, price in prices.itertuples(index=False):
                _show_wish(wishes, kind, (str(one), str(other)), float(price), scale=screen.scale)
    with st.container(horizontal=True):
        st.button("Undo", key="undo edit", on_click=safely(undo), disabled=not can_undo())
        st.button("Redo", key="redo edit", on_click=safely(redo), disabled=not can_redo())
        st.button(
            "Clear all",
            key="clear edits",
            on_click=safely(partial(wishes.change, Edits())),
            disabled=not wishes.edits,
            help="Leave every link to the search.",
        )
    if wishes.edits:
        show_price(screen, fitted)


def _show_wish(wishes: Wishes, kind: str, link: Link, price: float, *, scale: Scale | None) -> None:
    costs = (
        "costs nothing"
        if abs(price) < SAME_BITS
        else f"{'costs' if price > 0 else 'gains'} {in_bits(abs(price), scale=scale)}"
    )
    said, away = st.columns([7, 1], vertical_alignment="center")
    said.markdown(f"{bold(link[0])} – {bold(link[1])}: {kind}, {costs}")
    away.button(
        "✕",
        key=f"clear {kind} {link}",
        type="tertiary",
        help="Leave this link to the search.",
        on_click=safely(partial(wishes.change, wishes.edits.clear(*link))),
    )


def show_price(screen: Screen, fitted: FittedModel) -> None:
    """Show what the wishes cost: in bits at once, in log-loss on new rows once that is measured."""
    settings = screen.settings
    lost = _weight(screen, settings.free()) - float(fitted.model.divergence_.weight)
    st.markdown("##### The price")
    bits, loss = st.columns(2)
    plain = screen.scale is not None
    bits.metric(
        "Captured less" if plain else "Weight lost",
        in_bits(lost, scale=screen.scale),
        help="How much less information the tree captures than the one that the data alone make"
        + (", of what the best tree captures." if plain else "."),
    )
    label = "Measuring on new rows"
    free = unseen_rows(screen, label, settings.free())
    edited = None if free is None else unseen_rows(screen, label, settings)  # one bar at a time
    if free is None or edited is None:
        st.markdown(literal(EditPrice(lost, None).sentence))
        return
    change = loss_change(free, edited)
    if plain:
        points = 100 * (typical(change.edited) - typical(change.free))
        loss.metric(
            "True class gets",
            loss_number(change.edited, scale=screen.scale),
            delta=f"{points:+z.1f} points" if abs(points) >= 0.05 else "no change",
            delta_color="normal" if abs(points) >= 0.05 else "off",
            delta_arrow="auto" if abs(points) >= 0.05 else "off",
            help="The probability that a model which has not seen a row typically gives to its true class "
            "(five folds). Below it: the difference from the free tree.",
        )
        st.markdown(literal(EditPrice(lost, change).sentence))
        return
    loss.metric(
        "Log-loss, new rows",
        in_bits(change.edited, scale=screen.scale),
        delta=f"{change.difference:+z.3f} bits",
        delta_color="inverse" if abs(change.difference) >= 0.0005 else "off",
        help="How surprising the true class is on average to a model that has not seen the row (five folds); "
        "less is better. Below it: the difference from the free tree.",
    )
    st.markdown(literal(EditPrice(lost, change).sentence))


def show_own_tree(screen: Screen, rows: Rows) -> ShownGraph | None:
    """Show the tree that is being drawn, and beside it the mother of the picked attribute."""
    settings = screen.settings
    if why := settings.kind.about.why_not_drawn():
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
    most = settings.kind.about.most_parents(dict(settings.choices))
    mothers = {child: its[:most] for child, its in keep_tree(names).items()}
    keep(CHILD, names, None)
    child: str | None = st.session_state[CHILD]
    shown = None
    if settings.drawn:
        fitted = learn(screen.source, settings.for_structure())
        shown = ShownGraph(fitted, ViewChoice(fitted.model.structure_.links_view), rows, scale=screen.scale)
    with st.container(key="split"):
        left, right = st.columns([2, 1], gap="medium")
        with left:
            st.caption(HOW_TO_DRAW + (TWO if most == 2 else ""))
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
