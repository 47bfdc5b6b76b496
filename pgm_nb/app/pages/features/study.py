"""The order in which attributes matter, made in the background; Features and What if show the same."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.importance import Study

__all__ = ["found", "order", "ranked"]


def found(screen: Screen) -> "Study | None":
    """Return what was found, or show how far the work is and return None."""
    try:
        return _study(screen, "Predicting rows it has not seen")
    except DataError as problem:
        st.info(literal(str(problem)))
        return None


def order(screen: Screen) -> "pd.DataFrame | None":
    """Return the order of Features alone; None while it is being worked out, or where there is none."""
    try:
        study = _study(screen, "Finding the best order")
    except DataError:
        return None
    return None if study is None else study.path


def _study(screen: Screen, label: str) -> "Study | None":
    frame, settings = screen.frame, screen.settings

    def make(progress: Any) -> "Study":
        from pgm_nb.explain.importance import study_order

        return study_order(settings.estimator(), *training_rows(frame, settings), progress=progress)

    return work(("importance", screen.source.digest, settings), make, label=label)


def ranked(screen: Screen, study: "Study", method: str) -> "pd.DataFrame | None":
    """Return the ranking of a method, or show how far the work is and return None."""
    from pgm_nb.explain.importance.orders import METHODS

    if method == "forward":
        return study.path
    return work(
        ("importance", screen.source.digest, screen.settings, method),
        lambda progress: METHODS[method](study.folds, progress=progress),
        label="Predicting with attributes hidden",
    )
