"""What the sections of the page share: the models without each fold, and what they have found."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.errors import DataError
from pgm_nb.scoring.parallel import part_of

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.importance import OutOfFold

__all__ = ["Study", "folds_of", "found", "ranked", "rows_predicted"]

FOLDS = 5

FEWER_ROWS = 400  # that a model without tables predicts; it takes longer for each


@dataclass(frozen=True, eq=False)
class Study:
    """Models that were trained without each fold in turn, and what follows from them."""

    folds: "OutOfFold"
    path: "pd.DataFrame"  #: the forward order
    repeated: "pd.DataFrame"  #: what other attributes have said
    rows: int  #: of the table


def found(screen: Screen) -> Study | None:
    """Return what was found, or show how far the work is and return None."""
    frame, settings = screen.frame, screen.settings

    def make(progress: Any) -> Study:
        from pgm_nb.explain.importance import out_of_fold, redundancy_of
        from pgm_nb.explain.importance.orders import forward

        X, y = training_rows(frame, settings)
        folds = out_of_fold(
            settings.estimator(),
            X,
            y,
            cv=folds_of(y),
            max_rows=rows_predicted(settings),
            progress=part_of(progress, 0.0, 0.5),
        )
        path = forward(folds, progress=part_of(progress, 0.5, 0.85))
        return Study(folds, path, redundancy_of(folds, progress=part_of(progress, 0.85, 1.0)), len(X))

    try:
        return work(
            ("importance", screen.source.digest, settings), make, label="Predicting rows it has not seen"
        )
    except DataError as problem:
        st.info(literal(str(problem)))
        return None


def folds_of(y: "pd.Series[Any]") -> int:
    """Return how many folds a table has: five, or fewer where a class has fewer rows.

    Examples
    --------
    >>> import pandas as pd
    >>> folds_of(pd.Series(["a"] * 9 + ["b"] * 4))
    4
    """
    return max(2, min(FOLDS, int(y.value_counts().min())))


def rows_predicted(settings: Settings) -> int:
    """Return how many rows are predicted with attributes hidden."""
    from pgm_nb.explain.importance.out_of_fold import MOST_ROWS

    return MOST_ROWS if settings.bins else FEWER_ROWS


def ranked(screen: Screen, study: Study, method: str) -> "pd.DataFrame | None":
    """Return the ranking of a method, or show how far the work is and return None."""
    from pgm_nb.explain.importance.orders import METHODS

    if method == "forward":
        return study.path
    return work(
        ("importance", screen.source.digest, screen.settings, method),
        lambda progress: METHODS[method](study.folds, progress=progress),
        label="Predicting with attributes hidden",
    )
