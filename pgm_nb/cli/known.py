"""What is known of a case on the command line: ``--given age=64``, ``--given "age>60"``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pgm_nb.cli.tables import named_values, read_data
from pgm_nb.errors import DataError

__all__ = ["check_kinds", "once", "read_given", "read_pieces", "rows_of_values"]


def check_kinds(model: Any, given: dict[str, Any], X: Any) -> None:
    """Name the option that a model without intervals needs for evidence other than plain values."""
    from pgm_nb.inference import Evidence

    if X is None and not model.codes_numbers and any(isinstance(value, Evidence) for value in given.values()):
        raise DataError(
            f"{model.title} does not sort numbers into intervals, so ranges and alternatives need a table "
            "that says which values to expect: name it with --rows TABLE, the training table or one like it"
        )


def read_given(pieces: Sequence[str], model: Any) -> dict[str, Any]:
    """Read the evidence; a piece that is none gets the sentence of a plain value that does not exist."""
    found, unread = read_pieces(pieces, model)
    plain = named_values(unread, [model.structure_.target, *model.attribute_names_])
    return once([*found, *plain.items()])


def once(given: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return what is given by name; refuse a name that is there twice.

    Examples
    --------
    >>> once([("age", 64.0), ("sex", "male")])
    {'age': 64.0, 'sex': 'male'}
    """
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{twice!r} is given twice: keep one value for it")
    return dict(given)


def read_pieces(pieces: Sequence[str], model: Any) -> tuple[list[tuple[str, Any]], list[str]]:
    """Return names with values or evidence, and apart from them the pieces that are neither."""
    from pgm_nb.errors import QueryError
    from pgm_nb.inference.reading import read_evidence

    variables = model.asked_variables()
    numbers = [name for name in model.attribute_names_ if name not in variables.names]
    every = [*variables.names, *numbers]

    def value(name: str, text: str) -> tuple[Any] | None:
        try:
            if name in numbers:
                return (float(text),)
            variable = variables[name]
            variable.state(text)
            if (
                variable.column is not None
                and variable.column.cuts is not None
                and text not in variable.labels
            ):
                return (float(text),)
        except (QueryError, ValueError):
            return None
        return (text,)

    found = [read_evidence(piece, every, value) for piece in pieces]
    unread = [piece for piece, read in zip(pieces, found, strict=True) if read is None]
    return [read for read in found if read is not None], unread


def rows_of_values(model: Any, named: str | None) -> Any:
    """Return the rows that show a model without intervals which values to expect; None if none are named."""
    if model.codes_numbers or named is None:
        return None
    frame = read_data(named)
    return frame[list(model.attribute_names_)] if set(model.attribute_names_) <= set(frame.columns) else None
