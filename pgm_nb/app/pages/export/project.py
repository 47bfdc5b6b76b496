"""The whole work as one file, to go on another day or on another computer."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.pages.export.button import offer
from pgm_nb.app.shell.address import all_choices
from pgm_nb.app.shell.fitting import FittedModel, model_file
from pgm_nb.app.shell.opened_file import PROJECT_ENDING
from pgm_nb.app.shell.repairs import KEY as RECIPE
from pgm_nb.app.shell.repairs import spelled_out
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.table_choice import FILE_NAME, TOKEN

if TYPE_CHECKING:
    from pgm_nb.models.projects import Project

__all__ = ["project_of", "show_project"]

NOTES = "notes of the project"  # in the session: whatever else is to be saved, as JSON can hold it


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
