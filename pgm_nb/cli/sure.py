"""How sure an answer is: ``--rows``, ``--empty``, and the sentences below it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.tables import read_rows
from pgm_nb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.support import RowsBehind

__all__ = ["add_empty", "add_rows", "load_model", "rows_at_hand", "say"]


def add_rows(parser: argparse.ArgumentParser) -> None:
    """Add the option to name the rows that an answer rests on."""
    parser.add_argument(
        "--rows",
        metavar="TABLE",
        help="the training table, or one like it with its class column: then also the rows are counted that "
        "are like this, and values are named that are out of range or that no row has together",
    )


def add_empty(parser: argparse.ArgumentParser) -> None:
    """Add the option to choose what an empty value means."""
    parser.add_argument(
        "--empty",
        choices=("unknown", "missing"),
        help="what an empty cell means in a column that had some in training: unknown, or the state "
        "'missing', as it was in training (the default)",
    )


def load_model(options: argparse.Namespace) -> Any:
    """Load the model, to which an empty cell means what was chosen."""
    from pgm_nb.models import load

    model = load(options.model)
    return model if options.empty is None else model.empty_as(options.empty)


def rows_at_hand(model: Any, named: str | None, frame: pd.DataFrame | None = None) -> RowsBehind | None:
    """Return the rows of a table that was named, or of one that was read anyway, if it has the class.

    Rows without a class that the model knows are left out.
    """
    from pgm_nb.explain.support import rows_behind

    target = str(model.structure_.target)
    if named is not None:
        frame = read_rows(named, model)
        absent = [name for name in (*model.attribute_names_, target) if name not in frame.columns]
        if absent:
            raise DataError(f"--rows {named} has no column '{absent[0]}', which the model was trained on")
    if frame is None or target not in frame.columns:
        return None
    frame = frame[frame[target].isin(model.classes_.tolist())]
    return rows_behind(model, frame[list(model.attribute_names_)], frame[target]) if len(frame) else None


def say(sentences: Iterable[str]) -> None:
    """Print sentences, one to a line."""
    for sentence in sentences:
        print(sentence)
