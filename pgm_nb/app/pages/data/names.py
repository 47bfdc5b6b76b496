"""The codebook: names of columns and values, and units, typed into a table or uploaded."""

import io
from functools import partial

import pandas as pd
import streamlit as st

from pgm_nb.app.pages.data.repairs import unnamed_frame
from pgm_nb.app.shell.repairs import repaired, set_recipe
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.data.repairs import Codebook, ReadNumbers, Recipe, read_codebook
from pgm_nb.data.repairs.cells import counted, is_measured
from pgm_nb.errors import DataError

__all__ = ["codebook_of", "edit_names"]

MOST_VALUES = 50  # of a column whose values can be named here
COLUMNS, VALUES, FILE = "names of columns", "names of values", "codebook file"


def edit_names(screen: Screen) -> None:
    """Show the codebook: a table for the columns, one for the values, a file in and out."""
    frame, steps, target = unnamed_frame(screen)
    book = repaired(screen.source).recipe.codebook
    with st.expander("Names and units: the codebook", expanded=False):
        st.write(
            "Give columns, values and classes the names that people use. They stand in every picture, "
            "sentence and file, and are kept with the model."
        )
        columns, values = _columns(frame, steps, book), _values(screen.source.digest, frame, target, book)
        left, right = st.columns(2, gap="medium")
        text = st.column_config.TextColumn
        version = abs(hash(repr((screen.source.digest, book.rows()))))
        with left:
            typed_columns = st.data_editor(
                columns,
                hide_index=True,
                key=f"{COLUMNS} {version}",
                height=318,
                disabled=["column"],
                column_config={
                    "column": text("Column"),
                    "name": text("Name"),
                    "unit": text("Unit", width="small"),
                },
            )
        with right:
            typed_values = st.data_editor(
                values,
                hide_index=True,
                key=f"{VALUES} {version}",
                height=318,
                disabled=["column", "value"],
                column_config={
                    "column": text("Column"),
                    "value": text("Value", width="small"),
                    "name": text("Name"),
                },
            )
        try:
            typed = codebook_of(typed_columns, typed_values)
        except DataError as problem:
            st.error(literal(str(problem)))
            typed = book
        _buttons(steps, book, typed)
        st.file_uploader(
            "A codebook from a file",
            type=["csv", "json", "txt", "tsv"],
            key=FILE,
            on_change=safely(partial(_take_file, steps)),
            help="CSV with the columns column, value, name and unit, or the same as JSON. A row without a "
            "value names its column.",
        )


def _buttons(steps: Recipe, book: Codebook, typed: Codebook) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Use these names",
            key="use names",
            on_click=safely(partial(_use, steps, typed)),
            type="primary",
            disabled=typed == book,
        )
        if book.names:
            st.download_button(
                "Codebook (CSV)", book.as_csv().encode(), "codebook.csv", "text/csv", on_click="ignore"
            )


def codebook_of(columns: pd.DataFrame, values: pd.DataFrame) -> Codebook:
    """Return the codebook that two tables say; empty cells say nothing.

    Examples
    --------
    >>> columns = pd.DataFrame({"column": ["plas"], "name": ["glucose"], "unit": [None]})
    >>> codebook_of(columns, pd.DataFrame({"column": [], "value": [], "name": []})).renames
    {'plas': 'glucose'}
    """
    rows = [*columns.to_dict("records"), *values.to_dict("records")]
    return Codebook.of_rows([{str(key): cell for key, cell in row.items()} for row in rows])


def _use(steps: Recipe, book: Codebook) -> None:
    set_recipe(steps.plus(book))


def _take_file(steps: Recipe) -> None:
    upload = st.session_state.get(FILE)
    if upload is not None:
        file = io.BytesIO(upload.getvalue())
        file.name = upload.name
        _use(steps, read_codebook(file))


def _columns(frame: pd.DataFrame, steps: Recipe, book: Codebook) -> pd.DataFrame:
    """Return every column with its name and unit; a unit that was read is filled in."""
    units = {step.column: step.unit for step in steps.steps if isinstance(step, ReadNumbers) and step.unit}
    rows = [
        {
            "column": str(name),
            "name": book.columns.get(str(name), {}).get("name", ""),
            "unit": book.columns.get(str(name), {}).get("unit", units.get(str(name), "")),
        }
        for name in frame.columns
    ]
    return pd.DataFrame(rows, columns=["column", "name", "unit"])


def _values(digest: str, frame: pd.DataFrame, target: str | None, book: Codebook) -> pd.DataFrame:
    """Return the values of all columns that have few, with their names; the class first."""
    names = {(row["column"], row["value"]): row["name"] for row in book.rows()}
    rows = [
        {"column": column, "value": value, "name": names.get((column, value), "")}
        for column, values in sorted(_few_values(digest, frame), key=lambda found: found[0] != target)
        for value in values
    ]
    return pd.DataFrame(rows, columns=["column", "value", "name"], dtype=str)


@st.cache_data(max_entries=8, show_spinner=False)
def _few_values(digest: str, _frame: pd.DataFrame) -> list[tuple[str, list[str]]]:
    found = []
    for name, cells in _frame.items():
        values = list(counted(cells)) if cells.nunique() <= MOST_VALUES else []
        if values and not (is_measured(cells) and len(values) > 10):
            found.append((str(name), sorted(values)))
    return found
