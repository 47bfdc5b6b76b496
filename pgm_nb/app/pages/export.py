"""The Export page: the report, the project, the model, pictures, networks, predictions, and Python lines."""

import io
import zipfile
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell.address import all_choices, keep
from pgm_nb.app.shell.fitting import FittedModel, model_file, training_rows
from pgm_nb.app.shell.launch import started_with
from pgm_nb.app.shell.repairs import KEY as RECIPE
from pgm_nb.app.shell.repairs import recipe_in_force, spelled_out
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.sources import portion, received
from pgm_nb.app.shell.table_choice import FILE, FILE_NAME, TOKEN
from pgm_nb.app.shell.uploads import PROJECT_ENDING
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.downloads import choose_paper, print_size
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.data.excerpt import read_guarded
from pgm_nb.data.text import csv_text
from pgm_nb.errors import DataError, PgmNbError
from pgm_nb.evaluate.predictions import predictions
from pgm_nb.files import file_stem
from pgm_nb.reports import Origin, python_lines
from pgm_nb.words import together

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.graphs import Graph
    from pgm_nb.models.projects import Project

__all__ = [
    "NETWORKS",
    "network",
    "offer",
    "project_of",
    "show",
    "show_networks",
    "show_pictures",
    "show_predictions",
    "show_project",
]

NETWORKS = {
    "bif": "BIF: most programs for Bayesian networks read it.",
    "xmlbif": "XMLBIF: for Weka and others.",
    "bifxml": "The same XMLBIF under another ending, for pyAgrum.",
    "xdsl": "XDSL: for GeNIe.",
    "net": "NET: for Hugin.",
    "uai": "UAI: for inference competitions; a second file holds the names.",
}
MOST = 200  # attributes that a picture can hold
FORMATS = {  # of pictures -> type, for whom
    "svg": ("image/svg+xml", "For web pages and slides; sharp at any size."),
    "png": ("image/png", "Pixels, for any document; the file says its resolution."),
    "pdf": ("application/pdf", "For print."),
    "dot": ("text/vnd.graphviz", "Graphviz text, to draw it in another way."),
}
GRAPHS = {
    "graphml": ("application/graphml+xml", "The graph for Gephi, yEd or Cytoscape."),
    "json": ("application/json", "The graph with its numbers, for programs."),
}
NOTES = "notes of the project"  # in the session: whatever else is to be saved, as JSON can hold it


def show(screen: Screen) -> None:
    """Show the page."""
    fitted = screen.fitted
    stem = file_stem(screen.source.name, fitted.model.about.short_name)
    if screen.has_table:
        _report(screen, fitted, stem)
    show_pictures(fitted, stem)
    left, right = st.columns(2, gap="large")
    with left:
        _model(fitted, stem)
        show_project(screen, fitted, stem)
    with right:
        show_networks(fitted, stem)
    show_predictions(screen, fitted, stem)
    _lines(screen, fitted)


def _report(screen: Screen, fitted: FittedModel, stem: str) -> None:
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
            file_name=f"{stem}-report.html",
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


def _model(fitted: FittedModel, stem: str) -> None:
    st.markdown("#### The model")
    st.write("Everything the model learned, to classify new cases: here, with `pgm-nb predict` or in Python.")
    name = f"{stem}.pgmnb"
    offer(
        "Model file",
        partial(model_file, fitted),
        name,
        "application/zip",
        "The file contains no program code.",
    )


def _origin(screen: Screen) -> Origin:
    """Say where the table came from, for the Python lines."""
    source, settings = screen.source, screen.settings
    data, _ = started_with()
    name = data if data is not None and st.session_state["sample"] == FILE else source.name
    part = source.part if str(portion(source)) else None
    sample, recipe = source.content is None, recipe_in_force(source)
    return Origin(
        name, settings.target, sample=sample, leave_out=settings.leave_out, part=part, recipe=recipe
    )


def _lines(screen: Screen, fitted: FittedModel) -> None:
    st.markdown("#### The same in Python")
    if not screen.has_table:
        name = repr(screen.source.name)
        st.code(f"import pgm_nb as pnb\n\nmodel = pnb.load({name})", language="python")
        return
    st.write("These lines learn the same model from the same rows.")
    view = st.session_state.get("view")
    views = fitted.model.structure_.views
    st.code(
        python_lines(fitted.model, _origin(screen), view if view in views else views[0]), language="python"
    )


def offer(label: str, make: Callable[[], bytes], name: str, mime: str, help: str) -> None:
    """Show a button for a file that is made when it is asked for."""
    st.download_button(
        label, make, file_name=name, mime=mime, key=f"file {name}", help=help, on_click="ignore"
    )


def show_networks(fitted: FittedModel, stem: str) -> None:
    """Offer the network in every form that other programs read."""
    st.markdown("#### For other programs")
    model = fitted.model
    if not model.about.is_network:
        st.write(
            f"{literal(model.about.title)} is not a Bayesian network, so other programs cannot read it as "
            f"one. {literal(together(_networks_offered()))} are. The graph is available above as GraphML or "
            "JSON."
        )
        return
    st.write("The Bayesian network with its probability tables.")
    for ending, files in (("bif", "All files but UAI"), ("uai", "UAI")):
        if about := model.about_network(ending):
            st.write(f"{files}: {about}")
    with st.container(horizontal=True):
        for ending, help in NETWORKS.items():
            several = ending == "uai"
            name = f"{stem}.{ending}{'.zip' if several else ''}"
            mime = "application/zip" if several else "application/octet-stream"
            offer(ending.upper(), partial(network, model, ending), name, mime, help)


def _networks_offered() -> list[str]:
    from pgm_nb.models import MODELS

    return [kind.about.title for kind in MODELS if kind.about.is_network]


def network(model: Any, ending: str) -> bytes:
    """Return the network as one file; two files are put into an archive."""
    files: dict[str, bytes] = model.exported(f"{model.about.short_name}.{ending}")
    if len(files) == 1:
        return next(iter(files.values()))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():  # with a fixed date: a clock before 1980 does no harm
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def show_pictures(fitted: FittedModel, stem: str) -> None:
    """Show a row of buttons for every view."""
    st.markdown("#### Pictures for print")
    choose_paper()
    st.caption("This holds for all pictures below, and for the SVG, PDF and PNG of the charts on every page.")
    structure, remark = _drawn(fitted.model)
    if remark:
        st.caption(remark)
    for view in structure.views:
        with st.container(horizontal=True, vertical_alignment="center"):
            title = structure.view(view).title
            st.markdown(f"**{title}**", width=170)
            for format, (mime, help) in FORMATS.items():
                size = None if format == "dot" else print_size()
                make = partial(structure.draw, view, format=format, size=size)
                offer(format.upper(), make, f"{stem}-{view}.{format}", mime, f"{title}. {help}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**The graph**", width=170)
        whole: Graph = fitted.model.structure_
        for format, (mime, help) in GRAPHS.items():
            title = {"graphml": "GraphML", "json": "JSON"}[format]
            offer(title, partial(whole.export, format), f"{stem}.{format}", mime, help)


def _drawn(model: Any) -> "tuple[Graph, str]":
    """Return the structure that is drawn: of a very large one the part that joined first."""
    structure: Graph = model.structure_
    if len(structure.attributes) <= MOST or not structure.divisible:
        return structure, ""
    said = f"The pictures show {MOST} of {len(structure.attributes):,} attributes, those that joined first."
    return structure.part(tuple(model.importance_["attribute"][:MOST])), said


def show_predictions(screen: Screen, fitted: FittedModel, stem: str) -> None:
    """Classify rows, and offer the predictions as a file."""
    st.markdown("#### Predictions")
    choice = _choose_rows() if screen.has_table else "other"
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
    offer(
        "Predictions (CSV)",
        lambda: csv_text(found).encode(),
        f"{stem}-predictions.csv",
        "text/csv",
        "The most probable class of every row, and the probability of each class.",
    )


def _choose_rows() -> str:
    keep("rows", ["this", "other"], "this")
    return st.radio(
        "Which rows do you want to classify?",
        ["this", "other"],
        key="rows",
        format_func={"this": "The rows of this table", "other": "The rows of another table"}.__getitem__,
        horizontal=True,
    )


def _classified(screen: Screen, fitted: FittedModel, *, other: bool) -> "pd.DataFrame | None":
    """Return the predictions, once they are there."""
    digest = ""
    if not other:
        frame = screen.frame
    else:
        upload = st.file_uploader(
            "The other table" if screen.has_table else "The table to classify",
            key="new rows",
            help="It needs the same columns, in any order; other columns are ignored. Empty cells are "
            "unknown.",
        )
        if upload is None:
            return None
        source = received(upload)
        recipe = recipe_in_force(screen.source)
        same_names = "keep" if recipe or fitted.model.recipe_ else "refuse"
        taken = read_guarded(source.name, source.content or b"", duplicates=same_names)
        digest = source.digest
        if len(taken.frame) < taken.n_rows or taken.frame.shape[1] < taken.n_columns:
            raise DataError(
                f"{source.name} is too large to be classified at once ({taken.n_rows:,} rows): split it into "
                "smaller files, or use pgm-nb predict."
            )
        frame = recipe.for_rows(taken.frame)

    def make(progress: Callable[[float], None]) -> "pd.DataFrame":
        found = predictions(fitted.model, frame, progress)
        target = fitted.model.structure_.target
        if target in frame.columns:
            found.insert(0, target, frame[target].to_numpy())
        found.insert(0, "row", range(1, len(found) + 1))
        return found

    return work(("predictions", *fitted.key, digest), make, label="Classifying the rows")


def show_project(screen: Screen, fitted: FittedModel, stem: str) -> None:
    """Offer the project: table, everything that was chosen on all pages, and the model."""
    if not screen.has_table:
        return
    st.markdown("#### The project")
    st.write(
        "The table, everything that was chosen on all pages (class, columns, cut points, constraints, known "
        "values) and the model, in one file. To go on, upload it on the left."
    )
    whole = screen.source.content is None or st.checkbox(
        "With the table",
        value=True,
        key="project with table",
        help="Without it, the file only knows how to recognise the table: no row leaves this computer, and "
        "the table must be uploaded again to go on with the rows.",
    )
    choices = all_choices()
    if RECIPE in choices:
        choices[RECIPE] = spelled_out(choices[RECIPE])
    offer(
        "Save project",
        partial(_saved, screen, fitted, choices, dict(st.session_state.get(NOTES, {})), whole),
        f"{stem}{PROJECT_ENDING}",
        "application/zip",
        "One file without program code; it can be opened only with this program.",
    )


def _saved(
    screen: Screen,
    fitted: FittedModel,
    choices: dict[str, list[str]],
    notes: dict[str, object],
    whole: bool,
) -> bytes:
    return project_of(screen, fitted, choices, notes, whole=whole).saved()


def project_of(
    screen: Screen,
    fitted: FittedModel,
    choices: dict[str, list[str]],
    notes: dict[str, object],
    *,
    whole: bool,
) -> "Project":
    """Return everything about the present work as a project."""
    from pgm_nb.models.projects import Project, fingerprint

    source = screen.source
    mine = {key: texts for key, texts in choices.items() if key not in ("sample", FILE_NAME, TOKEN)}
    if source.recipe:  # also one that is too long for the address
        mine["recipe"] = [source.recipe]
    return Project(
        source.name,
        source.content if whole else None,
        is_sample=source.content is None,
        table_print="" if source.content is None else fingerprint(source.content),
        choices=mine,
        model=model_file(fitted),
        notes=notes,
    )
