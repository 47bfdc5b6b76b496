"""Beside and below the picture: headline numbers, details of what was clicked, attributes, downloads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pgm_nb.app.pages.structure.shown_graph import ShownGraph
from pgm_nb.app.shell.fitting import model_file
from pgm_nb.app.shell.paper import offer_paper
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.print_files import STEM, print_size
from pgm_nb.explain.detail import Detail, DetailTable
from pgm_nb.files import file_stem
from pgm_nb.graphs import Tree
from pgm_nb.words import GLOSSARY, SAME_BITS, scale

__all__ = ["Download", "download_row", "downloads", "show_detail", "show_headlines", "show_ranking"]


def show_headlines(shown: ShownGraph) -> None:
    """Show the numbers that sum up a model, two in a row; a last one has the whole width for its name."""
    found = shown.fitted.model.headlines(shown.row_graph)
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
    if scale() is not None and _has_shares(shown, [number.label for number in found]):
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


def show_ranking(model: Any) -> None:
    """Show what every attribute contributes, in the order they joined or by their information."""
    table = model.importance_
    if isinstance(model.structure_, Tree) or ("kl" in table and table["kl"].notna().all()):
        _show_steps(table, model.trace_.step_numbers())
    else:
        _show_order(table)


def _show_steps(steps: Any, numbers: Mapping[str, int]) -> None:
    st.markdown("#### Attributes in the order they joined")
    steps.insert(0, "step", steps["attribute"].map(numbers))  # the same as on the page Growth
    left_out, steps = steps.loc[steps["step"].isna(), "attribute"], steps[steps["step"].notna()].copy()
    if len(left_out):
        st.caption(f"Left out, because they would not help: {', '.join(map(literal, left_out))}.")
    if steps["kl"].isna().all():
        steps = steps.drop(columns="kl")
    steps["mother"] = steps["mother"].astype(object).where(steps["mother"].notna(), "–")
    number = st.column_config.NumberColumn
    if (of := scale()) is not None:
        _show_shares(steps, of.whole())
        return
    st.dataframe(
        steps,
        hide_index=True,
        column_config={
            "step": number("Step", width=50),
            "attribute": st.column_config.TextColumn("Attribute"),
            "mother": st.column_config.TextColumn("Mother", help=GLOSSARY["mother"]),
            "gain": _bar(
                steps["gain"],
                "Adds (bits)",
                "The information it carries about the class, plus what it shares with its mother given the "
                "class.",
                width=98,
            ),
            "weight": number("Weight", format="%.3f", help=GLOSSARY["weight"]),
            "kl": number("KL divergence", format="%.3f", help=GLOSSARY["KL divergence"], width=104),
        },
    )


def _show_shares(steps: Any, whole: float) -> None:
    """Show the same table with shares of what the best tree captures."""
    steps = steps.drop(columns="kl", errors="ignore").assign(
        gain=100 * steps["gain"] / whole, weight=100 * steps["weight"] / whole
    )
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    st.dataframe(
        steps,
        hide_index=True,
        column_config={
            "step": number("Step", width=50),
            "attribute": text("Attribute"),
            "mother": text("Mother", help=GLOSSARY["mother"]),
            "gain": st.column_config.ProgressColumn(
                "Adds",
                format="%.1f%%",
                min_value=0.0,
                max_value=max(float(steps["gain"].max()), SAME_BITS),
                help="Of the information that the best tree captures: what it says about the class, plus "
                "what it shares with its mother given the class.",
            ),
            "weight": number("Captured so far", format="%.1f%%"),
        },
    )


def _show_order(table: Any) -> None:
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
    if (of := scale()) is not None:
        table = table.drop(columns="weight", errors="ignore")
        table["gain"] *= 100 / max(of.of_class(), SAME_BITS)
        if "shared" in table:
            table["shared"] *= 100 / of.whole()
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
