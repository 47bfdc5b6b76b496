"""The Structure page: the picture, what it shows, its numbers, its attributes, and downloads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.structure.edit import Wishes, link_buttons, show_links, show_own_tree
from pgm_nb.app.pages.structure.set_values import show_values
from pgm_nb.app.pages.structure.shown_graph import (
    LEARNING,
    MANY,
    Rows,
    ShownGraph,
    ViewChoice,
    choose_mode,
    choose_part,
    choose_view,
    choose_view_details,
    find_row_graph,
)
from pgm_nb.app.shell.address import keep, put
from pgm_nb.app.shell.fitting import FittedModel, Settings, learn, model_file, training_rows, variants
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.downloads import STEM, offer_paper, print_size
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.picture import clicked, show_picture
from pgm_nb.data.repairs.find_cells import reading_of
from pgm_nb.data.target import FEW, names_rows
from pgm_nb.explain.detail import TABLE_STYLE, Detail, DetailTable
from pgm_nb.files import file_stem
from pgm_nb.graphs import Tree
from pgm_nb.graphs.compare import compare
from pgm_nb.views.graph.drawing import Element
from pgm_nb.views.style import colours
from pgm_nb.words import GLOSSARY, SAME_BITS, Scale, listed, together

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Download",
    "download_row",
    "downloads",
    "legend",
    "models_to_compare",
    "show",
    "show_detail",
    "show_headlines",
    "show_ranking",
]

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
        _below(screen, fitted, show_links(screen, table))
        return
    if mode == "tree":
        _below(screen, fitted, show_own_tree(screen, table))
        return
    if mode == "values":
        _below(screen, fitted, show_values(screen))
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
    _below(screen, fitted, shown)


def _below(screen: Screen, fitted: FittedModel, shown: ShownGraph | None) -> None:
    show_ranking(fitted.model, scale=screen.scale)
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
    shown = ShownGraph(fitted, choice, table, row_graph=graph, scale=screen.scale)
    st.markdown(shown.sentence(bold))
    at = _keep_choice(shown)
    with st.container(key="split"):
        left, right = st.columns([2, 1], gap="medium")
        with left:
            _show_picture(shown, at, f"{fitted.model.about.title}, {shown.title.lower()}")
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
            scale=screen.scale,
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
    if not settings.kind.about.links_compare:
        return {}
    own = settings.variant.key
    free = {"free": ("The tree without your wishes", settings.free())} if settings.edited else {}
    return free | {
        variant.key: (variant.title, other)
        for kind, variant, other in variants(settings)
        if kind.about.links_compare and variant.key != own
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
    found = shown.model.describe(element, graph=shown.row_graph, row=shown.row, mark=bold)
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


def show_headlines(shown: ShownGraph) -> None:
    """Show the numbers that sum up a model, two in a row; a last one has the whole width for its name."""
    found = shown.model.headlines(None if shown.row_graph is None else shown.structure)
    for start in range(0, len(found), 2):
        pair = found[start : start + 2]
        for column, number in zip(st.columns(len(pair)), pair, strict=True):
            column.metric(
                number.label,
                number.value,
                delta=number.note or None,
                delta_arrow="off",
                help=literal(number.help) or None,
            )
    if shown.scale is not None and _has_shares(shown, [number.label for number in found]):
        st.caption("100% is the information that the best tree captures.")
    if about := shown.fitted.model.about_probabilities_:
        st.caption(literal(about))


def _has_shares(shown: ShownGraph, labels: list[str]) -> bool:
    """Say whether amounts on the page are shares of what the best tree captures."""
    links = any(edge.kind == "tree" and edge.weight is not None for edge in shown.structure.edges)
    return links or not {"Captured", "Threshold"}.isdisjoint(labels)


def show_detail(detail: Detail, theme: str) -> None:
    """Show what is known about one element of the picture."""
    st.markdown(f"##### {literal(detail.title)}")
    st.markdown("  \n".join(detail.sentences))
    for column, number in zip(st.columns(2), detail.numbers, strict=False):
        column.metric(number.label, number.value, help=literal(number.help) or None)
    _show_tables(detail.tables, theme)
    if detail.more:
        with st.expander("Together with its mother" if detail.attribute else "More"):
            _show_tables(detail.more, theme)


def _show_tables(tables: tuple[DetailTable, ...], theme: str) -> None:
    for table in tables:
        st.html(table.html(theme))


def show_ranking(model: Any, *, scale: Scale | None) -> None:
    """Show what every attribute contributes, in the order they joined or by their information."""
    table = model.importance_
    if isinstance(model.structure_, Tree) or ("kl" in table and table["kl"].notna().all()):
        _show_steps(table, model.trace_.step_numbers(), scale=scale)
    else:
        _show_order(table, scale=scale)


def _show_steps(steps: Any, numbers: Mapping[str, int], *, scale: Scale | None) -> None:
    st.markdown("#### Attributes in the order they joined")
    steps.insert(0, "step", steps["attribute"].map(numbers))  # the same as on the page Growth
    left_out, steps = steps.loc[steps["step"].isna(), "attribute"], steps[steps["step"].notna()].copy()
    if len(left_out):
        st.caption(f"Left out, because they would not help: {', '.join(map(literal, left_out))}.")
    if steps["kl"].isna().all():
        steps = steps.drop(columns="kl")
    steps["mother"] = steps["mother"].astype(object).where(steps["mother"].notna(), "–")
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    said = "about the class, plus what it shares with its mother given the class."
    if scale is None:
        adds = _bar(steps["gain"], "Adds (bits)", f"The information it carries {said}", width=98)
        weight = number("Weight", format="%.3f", help=GLOSSARY["weight"])
    else:  # shares of what the best tree captures
        steps = steps.drop(columns="kl", errors="ignore").assign(
            gain=100 * steps["gain"] / scale.whole, weight=100 * steps["weight"] / scale.whole
        )
        of_what = f"Of the information that the best tree captures: what it says {said}"
        adds = _bar(steps["gain"], "Adds", of_what, format="%.1f%%")
        weight = number("Captured so far", format="%.1f%%")
    st.dataframe(
        steps,
        hide_index=True,
        column_config={
            "step": number("Step", width=50),
            "attribute": text("Attribute"),
            "mother": text("Mother", help=GLOSSARY["mother"]),
            "gain": adds,
            "weight": weight,
            "kl": number("KL divergence", format="%.3f", help=GLOSSARY["KL divergence"], width=104),
        },
    )


def _show_order(table: Any, *, scale: Scale | None) -> None:
    """Show the attributes of a model that is no joint distribution."""
    st.markdown("#### Attributes by their information about the class")
    table = table.dropna(axis="columns", how="all")
    table.insert(0, "step", range(1, len(table) + 1))
    for column in {"strongest", "mother", "parent"}.intersection(table):
        table[column] = table[column].astype(object).where(table[column].notna(), "–")
    if "share" in table:
        table["share"] *= 100
    number = st.column_config.NumberColumn
    gain = partial(_bar, label="Information (bits)", help=GLOSSARY["bits"])
    if (of := scale) is not None:
        table = table.drop(columns="weight", errors="ignore")
        table["gain"] *= 100 / max(of.of_class, SAME_BITS)
        if "shared" in table:
            table["shared"] *= 100 / of.whole
        said = "How much of what there is to know about the class it says on its own."
        gain = partial(_bar, label="Says about the class", help=said, format="%.0f%%")
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "step": number("Rank", width="small"),
            "attribute": st.column_config.TextColumn("Attribute"),
            "gain": gain(table["gain"]),
            "weight": number("Sum so far", format="%.3f", help="The bits of this and all attributes above."),
            "members": number("Mixed from", help=GLOSSARY["hidden parent"]),
            "strongest": st.column_config.TextColumn("Largest share"),
            "mother": st.column_config.TextColumn("Strongest parent"),
            "parent": st.column_config.TextColumn("Parent"),
            "shared": number(
                "Shares with it" if of is not None else "Shares with it (bits)",
                format="%.3f" if of is None else "%.1f%%",
                help="What it shares with its parent, given the class.",
            ),
            "counts": number("Counts", format="× %.2f", help="How many times; in naive Bayes once."),
            "share": number(
                "Share",
                format="%.0f%%",
                help="How much it counts beside the others; all shares add up to 100%.",
            ),
        },
    )


def _bar(values: Any, label: str, help: str, width: int | None = None, format: str = "%.3f") -> Any:
    most = max(float(values.max()), SAME_BITS)
    return st.column_config.ProgressColumn(
        label, format=format, min_value=0.0, max_value=most, help=help, width=width
    )


@dataclass(frozen=True)
class Download:
    """One file to download; its content is made when it is asked for."""

    label: str
    ending: str
    mime: str
    help: str
    make: Callable[[], bytes]


def downloads(shown: ShownGraph) -> tuple[Download, ...]:
    """Return what can be downloaded: pictures of what is shown, the whole graph, and the model."""
    size = print_size()
    wide = f"{size.width_mm:g} mm wide"
    model = shown.fitted.model
    graph = model.structure_ if shown.row_graph is None else shown.row_graph
    files = (
        Download("SVG", "svg", "image/svg+xml", f"This picture, {wide}; sharp at any size.",
                 lambda: shown.printed("svg", size)),
        Download("PNG", "png", "image/png", f"This picture as pixels, {wide}, {size.dpi} dpi.",
                 lambda: shown.printed("png", size)),
        Download("PDF", "pdf", "application/pdf", f"This picture for print, {wide}.",
                 lambda: shown.printed("pdf", size)),
        Download("DOT", "dot", "text/vnd.graphviz", "This picture as Graphviz text.",
                 lambda: shown.picture("dot")),
        Download("GraphML", "graphml", "application/graphml+xml", "The graph for Gephi, yEd or Cytoscape.",
                 lambda: graph.to_graphml().encode()),
        Download("JSON", "json", "application/json", "The graph with its numbers, for programs.",
                 lambda: graph.to_json().encode()),
        Download("Model", "pgmnb", "application/zip", "The classifier, for pgm-nb predict or Python.",
                 lambda: model_file(shown.fitted)),
    )  # fmt: skip
    return tuple(file for file in files if file.ending != "dot" or not shown.is_chart)


def download_row(shown: ShownGraph) -> None:
    """Show a button for every download; pictures are drawn only when clicked."""
    st.markdown("#### Downloads")
    name = file_stem(st.session_state.get(STEM, ""), shown.choice.view)
    with st.container(horizontal=True):
        offer_paper()
        for file in downloads(shown):
            st.download_button(
                file.label,
                file.make,
                file_name=f"{name}.{file.ending}",
                mime=file.mime,
                key=f"download {file.ending}",
                help=file.help,
                on_click="ignore",
            )
