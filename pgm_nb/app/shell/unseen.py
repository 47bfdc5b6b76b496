"""Predictions of rows by models that have not seen them, made once for all pages that ask."""

from typing import TYPE_CHECKING, Any

from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work

if TYPE_CHECKING:
    from pgm_nb.evaluate.out_of_fold import UnseenRows

__all__ = ["unseen_rows"]

FOLDS = 5
MOST_ROWS = 5_000  # that are predicted; of larger tables a part is drawn at random


def unseen_rows(screen: Screen, label: str, other: Settings | None = None) -> "UnseenRows | None":
    """Return the predictions if they are there; else have them made, and show under this label how far.

    They are those of the model on the screen, or of one with other settings.
    """
    frame, settings = screen.frame, screen.settings if other is None else other

    def make(progress: Any) -> "UnseenRows":
        from pgm_nb.evaluate.out_of_fold import predict_unseen

        return predict_unseen(
            settings.estimator(),
            *training_rows(frame, settings),
            cv=FOLDS,
            most_rows=MOST_ROWS,
            progress=progress,
        )

    return work(("unseen rows", screen.source.digest, settings), make, label=label)
