"""The Export page: the report, the model, pictures, networks, predictions, and the Python lines."""

import io
import zipfile
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import FittedModel, model_file, training_rows
from pgm_nb.app.shell.launch import started_with
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.sources import portion, received
from pgm_nb.app.shell.table_choice import FILE
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.data.guarded import read_guarded
from pgm_nb.data.text import csv_text
from pgm_nb.errors import DataError, PgmNbError
from pgm_nb.evaluate.predictions import predictions
from pgm_nb.reports import Origin, python_lines
from pgm_nb.words import together

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.graphs import Graph

__all__ = ["show"]

MOST = 200  # attributes that a picture can hold
FORMATS = {  # of pictures -> type, for whom
    "svg": ("image/svg+xml", "For web pages and slides; sharp at any size."),
    "png": ("image/png", "Pixels, for any document."),
    "pdf": ("application/pdf", "For print."),
    "dot": ("text/vnd.graphviz", "Graphviz text, to draw it in another way."),
}
GRAPHS = {
    "graphml": ("application/graphml+xml", "The graph for Gephi, yEd or Cytoscape."),
    "json": ("application/json", "The graph with its numbers, for programs."),
}
NETWORKS = {
    "bif": "BIF: most programs for Bayesian networks read it.",
    "xmlbif": "XMLBIF: for Weka and others.",
    "bifxml": "The same XMLBIF under another ending, for pyAgrum.",
    "xdsl": "XDSL: for GeNIe.",
    "net": "NET: for Hugin.",
    "uai": "UAI: for inference competitions; a second file holds the names.",
}


def show(screen: Screen) -> None:
    """Show the page."""
    fitted = screen.fitted
    _report(screen, fitted)
    _pictures(fitted)
    left, right = st.columns(2, gap="large")
    with left:
        _model(fitted)
    with right:
        _networks(fitted)
    _predictions(screen, fitted)
    _lines(screen, fitted)


def _button(label: str, make: Callable[[], bytes], name: str, mime: str, help: str) -> None:
    """Show a button for a file that is made when it is asked for."""
    st.download_button(
        label, make, file_name=name, mime=mime, key=f"file {name}", help=help, on_click="ignore"
    )


def _report(screen: Screen, fitted: FittedModel) -> None:
    st.markdown("#### The report")
    st.write(
        "One page with the picture, the numbers and what they mean, what matters for the class, scores on "
        "rows the model had not seen, and one case explained. It opens in any browser, works offline and can "
        "be printed."
    )
    wanted = ("report", *fitted.key)
    if st.session_state.get("report wanted") != wanted:
        st.button("Make the report", on_click=safely(partial(_want, wanted)), type="primary")
        return
    X, y = training_rows(screen.frame, screen.settings)
    make = partial(_make_report, fitted.model, X, y, screen.title, _origin(screen))
    text = work(wanted, make, label="Making the report")
    if text is not None:
        st.download_button(
            "Report (HTML)",
            text,
            file_name=f"{fitted.model.short_name}-report.html",
            mime="text/html",
            key="file report",
            on_click="ignore",
            type="primary",
            help=f"One file, {len(text) // 1000:,} kB.",
        )


def _want(wanted: tuple[Any, ...]) -> None:
    st.session_state["report wanted"] = wanted


def _make_report(
    model: Any,
    X: "pd.DataFrame",
    y: "pd.Series",
    title: str,
    origin: Origin,
    progress: Callable[[float], None],
) -> str:
    from pgm_nb.reports import report

    return report(model, X, y, title=title, origin=origin, progress=progress)


def _pictures(fitted: FittedModel) -> None:
    """Show a row of buttons for every view."""
    st.markdown("#### The picture")
    structure, remark = _drawn(fitted.model)
    if remark:
        st.caption(remark)
    name = fitted.model.short_name
    for view in structure.views:
        with st.container(horizontal=True, vertical_alignment="center"):
            title = structure.view(view).title
            st.markdown(f"**{title}**", width=170)
            for format, (mime, help) in FORMATS.items():
                make = partial(structure.draw, view, format=format)
                _button(format.upper(), make, f"{name}-{view}.{format}", mime, f"{title}. {help}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**The graph**", width=170)
        whole: Graph = fitted.model.structure_
        for format, (mime, help) in GRAPHS.items():
            title = {"graphml": "GraphML", "json": "JSON"}[format]
            _button(title, partial(whole.export, format), f"{name}.{format}", mime, help)


def _drawn(model: Any) -> "tuple[Graph, str]":
    """Return the structure that is drawn: of a very large one the part that joined first."""
    structure: Graph = model.structure_
    if len(structure.attributes) <= MOST or not structure.divisible:
        return structure, ""
    said = f"The pictures show {MOST} of {len(structure.attributes):,} attributes, those that joined first."
    return structure.part(tuple(model.importance_["attribute"][:MOST])), said


def _model(fitted: FittedModel) -> None:
    st.markdown("#### The model")
    st.write("Everything the model learned, to classify new cases with `pgm-nb predict` or in Python.")
    name = f"{fitted.model.short_name}.pgmnb"
    _button(
        "Model file",
        partial(model_file, fitted.model),
        name,
        "application/zip",
        "The file contains no program code.",
    )


def _networks(fitted: FittedModel) -> None:
    st.markdown("#### For other programs")
    model = fitted.model
    if not model.is_joint:
        st.write(
            f"{literal(model.title)} is not a Bayesian network, so other programs cannot read it as one. "
            f"{literal(together(_networks_offered()))} are. The graph is available above as GraphML or JSON."
        )
        return
    st.write("The Bayesian network with its probability tables.")
    with st.container(horizontal=True):
        for ending, help in NETWORKS.items():
            several = ending == "uai"
            name = f"{model.short_name}.{ending}{'.zip' if several else ''}"
            mime = "application/zip" if several else "application/octet-stream"
            _button(ending.upper(), partial(_network, model, ending), name, mime, help)


def _networks_offered() -> list[str]:
    from pgm_nb.models import MODELS

    return [kind.title for kind in MODELS if kind.is_joint]


def _network(model: Any, ending: str) -> bytes:
    """Return the network as one file; two files are put into an archive."""
    files: dict[str, bytes] = model.exported(f"{model.short_name}.{ending}")
    if len(files) == 1:
        return next(iter(files.values()))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():  # with a fixed date: a clock before 1980 does no harm
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _predictions(screen: Screen, fitted: FittedModel) -> None:
    st.markdown("#### Predictions")
    keep("rows", ["this", "other"], "this")
    choice = st.radio(
        "Which rows do you want to classify?",
        ["this", "other"],
        key="rows",
        format_func={"this": "The rows of this table", "other": "The rows of another table"}.__getitem__,
        horizontal=True,
    )
    try:
        found = _classified(screen, fitted, other=choice == "other")
    except PgmNbError as problem:
        st.error(literal(str(problem)))
        return
    if found is None:
        return
    if choice == "this":
        st.caption("The model has learned from these rows; on new rows it will be right less often.")
    number = st.column_config.NumberColumn(format="%.4f")
    chances = {str(name): number for name in found.columns if str(name).startswith("P(")}
    st.dataframe(found.head(100), hide_index=True, height=213, key="predictions", column_config=chances)
    _button(
        "Predictions (CSV)",
        lambda: csv_text(found).encode(),
        "predictions.csv",
        "text/csv",
        "The most probable class of every row, and the probability of each class.",
    )


def _classified(screen: Screen, fitted: FittedModel, *, other: bool) -> "pd.DataFrame | None":
    """Return the predictions, once they are there."""
    frame, digest = screen.frame, ""
    if other:
        upload = st.file_uploader(
            "The other table",
            key="new rows",
            help="It needs the same columns, in any order; other columns are ignored. Empty cells are "
            "unknown.",
        )
        if upload is None:
            return None
        source = received(upload)
        digest, taken = source.digest, read_guarded(source.name, source.content or b"")
        if len(taken.frame) < taken.n_rows or taken.frame.shape[1] < taken.n_columns:
            raise DataError(
                f"{source.name} is too large to be classified at once ({taken.n_rows:,} rows): split it into "
                "smaller files, or use pgm-nb predict."
            )
        frame = taken.frame

    def make(progress: Callable[[float], None]) -> "pd.DataFrame":
        found = predictions(fitted.model, frame, progress)
        target = fitted.model.structure_.target
        if target in frame.columns:
            found.insert(0, target, frame[target].to_numpy())
        found.insert(0, "row", range(1, len(found) + 1))
        return found

    return work(("predictions", *fitted.key, digest), make, label="Classifying the rows")


def _origin(screen: Screen) -> Origin:
    """Say where the table came from, for the Python lines."""
    source, settings = screen.source, screen.settings
    data, _ = started_with()
    name = data if data is not None and st.session_state["sample"] == FILE else source.name
    part = source.part if str(portion(source)) else None
    sample = source.content is None
    return Origin(name, settings.target, sample=sample, leave_out=settings.leave_out, part=part)


def _lines(screen: Screen, fitted: FittedModel) -> None:
    st.markdown("#### The same in Python")
    st.write("These lines learn the same model from the same rows.")
    view = st.session_state.get("view")
    views = fitted.model.structure_.views
    st.code(
        python_lines(fitted.model, _origin(screen), view if view in views else views[0]), language="python"
    )
