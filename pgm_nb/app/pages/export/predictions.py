"""Predictions of the rows of this table or of another one."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.pages.export.button import offer
from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import FittedModel
from pgm_nb.app.shell.repairs import recipe_in_force
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.sources import received
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.data.guarded import read_guarded
from pgm_nb.data.text import csv_text
from pgm_nb.errors import DataError, PgmNbError
from pgm_nb.evaluate.predictions import predictions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["show_predictions"]


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
