"""The Export page: the report, the project, the model, pictures, networks, predictions, and Python lines."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.export.button import offer
from pgm_nb.app.pages.export.networks import show_networks
from pgm_nb.app.pages.export.pictures import show_pictures
from pgm_nb.app.pages.export.predictions import show_predictions
from pgm_nb.app.pages.export.project import show_project
from pgm_nb.app.shell.fitting import FittedModel, model_file, training_rows
from pgm_nb.app.shell.launch import started_with
from pgm_nb.app.shell.repairs import recipe_in_force
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.sources import portion
from pgm_nb.app.shell.table_choice import FILE
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.files import file_stem
from pgm_nb.reports import Origin, python_lines

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["show"]


def show(screen: Screen) -> None:
    """Show the page."""
    fitted = screen.fitted
    stem = file_stem(screen.source.name, fitted.model.short_name)
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
