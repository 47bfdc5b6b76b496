"""``pgm-nb query``: probabilities from a saved model."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.population import add_prior, read_prior
from pgm_nb.cli.sure import add_empty, add_rows, load_model, rows_at_hand, say
from pgm_nb.cli.tables import named_values, read_data
from pgm_nb.errors import DataError

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    query = commands.add_parser("query", help="compute the probability of any variables, given any evidence")
    _add_evidence(query)
    query.add_argument(
        "--of",
        action="append",
        metavar="NAME",
        help="the class (the default) or an attribute; may be repeated",
    )
    query.add_argument(
        "--apart", action="store_true", help="each variable on its own instead of all combinations"
    )
    query.add_argument(
        "--likeliest",
        action="store_true",
        help="the most likely case like this: the most probable values, together, of --of, or of everything "
        "that is not given",
    )
    add_prior(query)
    add_rows(query)
    add_empty(query)
    query.set_defaults(run=_query)


def _add_evidence(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, help="a model saved by fit")
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what is known: a value as in the table (age=64) or the name of a state, a range (age=40..50, "
        "age>60), one of several (colour=red|blue), not this one (colour!=red), or likelihoods "
        "(colour=red:0.7|blue:0.2); may be repeated",
    )


def _query(options: argparse.Namespace) -> int:
    from pgm_nb.explain.sure import how_sure

    model = load_model(options)
    given = _given(options.given, model)
    target, prior = model.structure_.target, read_prior(options.prior, model.classes_)
    if options.likeliest:
        for name, state in model.map_query(options.of, given=given, prior=prior).items():
            print(f"{name} = {state}")
        return 0
    asked = options.of or [target]
    X = _values(model, options.rows)
    _check_kinds(model, given, X)
    table = model.query(asked, given=given, joint=not options.apart, prior=prior, X=X)
    rows = rows_at_hand(model, options.rows)
    print(table.to_string(index=False, float_format="{:.6f}".format))
    if asked == [target]:
        say(how_sure(model, given, rows, prior=prior))
    return 0


def _check_kinds(model: Any, given: dict[str, Any], X: Any) -> None:
    """Name the option that a model without intervals needs for evidence other than plain values."""
    from pgm_nb.inference import Evidence

    if X is None and not model.codes_numbers and any(isinstance(value, Evidence) for value in given.values()):
        raise DataError(
            f"{model.title} does not sort numbers into intervals, so ranges and alternatives need a table "
            "that says which values to expect: name it with --rows TABLE, the training table or one like it"
        )


def _given(pieces: Sequence[str], model: Any) -> dict[str, Any]:
    """Read the evidence; a piece that is none gets the sentence of a plain value that does not exist."""
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
    plain = named_values(unread, every)
    names = [*plain, *(read[0] for read in found if read is not None)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{twice!r} is given twice: keep one value for it")
    return dict(read for read in found if read is not None) | plain


def _values(model: Any, named: str | None) -> Any:
    """Return the rows that show a model without intervals which values to expect; None if none are named."""
    if model.codes_numbers or named is None:
        return None
    frame = read_data(named)
    return frame[list(model.attribute_names_)] if set(model.attribute_names_) <= set(frame.columns) else None
