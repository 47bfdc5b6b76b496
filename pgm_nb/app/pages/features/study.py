"""What the sections of the page share: the models without each fold, and what they have found."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.scoring.parallel import part_of

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.importance import OutOfFold

__all__ = ["Study", "found", "ranked"]

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
        from pgm_nb.explain.importance.out_of_fold import MOST_ROWS

        X, y = training_rows(frame, settings)
        folds = out_of_fold(
            settings.estimator(),
            X,
            y,
            max_rows=MOST_ROWS if settings.bins else FEWER_ROWS,
            progress=part_of(progress, 0.0, 0.5),
        )
        path = forward(folds, progress=part_of(progress, 0.5, 0.85))
        return Study(folds, path, redundancy_of(folds, progress=part_of(progress, 0.85, 1.0)), len(X))

    return work(("importance", screen.source.digest, settings), make, label="Predicting rows it has not seen")


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
