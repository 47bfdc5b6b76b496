"""``pgm-nb query``: probabilities from a saved model."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.population import add_prior, read_prior
from pgm_nb.cli.sure import add_empty, add_rows, load_model, rows_at_hand, say
from pgm_nb.cli.tables import named_values
from pgm_nb.errors import DataError
from pgm_nb.words import listed

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

    model = _answering(load_model(options))
    given = _given(options.given, model)
    target, prior = model.structure_.target, read_prior(options.prior, model.classes_)
    if options.likeliest:
        _likeliest(model)
        for name, state in model.map_query(options.of, given=given, prior=prior).items():
            print(f"{name} = {state}")
        return 0
    asked = options.of or [target]
    table = model.query(asked, given=given, joint=not options.apart, prior=prior)
    rows = rows_at_hand(model, options.rows)
    print(table.to_string(index=False, float_format="{:.6f}".format))
    if asked == [target]:
        say(how_sure(model, given, rows, prior=prior))
    return 0


def _answering(model: Any) -> Any:
    """Refuse questions to a model that has no joint distribution to ask."""
    from pgm_nb.models import MODELS

    if not hasattr(model, "query"):
        others = listed([kind.short_name for kind in MODELS if kind.is_joint])
        raise DataError(
            f"{model.title} classifies rows (pgm-nb predict) and has no joint distribution to ask; "
            f"fit one of these for such questions: {others}"
        )
    return model


def _likeliest(model: Any) -> None:
    """Refuse the likeliest case of a model that has no junction tree to find it."""
    if not model.is_joint:
        raise DataError(
            f"{model.title} has no search for the likeliest case; leave --likeliest out, or fit naive Bayes, "
            "TAN or GNB"
        )


def _given(pieces: Sequence[str], model: Any) -> dict[str, Any]:
    """Read the evidence; a piece that is none gets the sentence of a plain value that does not exist."""
    from pgm_nb.errors import QueryError
    from pgm_nb.inference.reading import read_evidence

    variables = model.asked_variables()

    def value(name: str, text: str) -> tuple[str] | None:
        try:
            variables[name].state(text)
        except QueryError:
            return None
        return (text,)

    found = [read_evidence(piece, variables.names, value) for piece in pieces]
    unread = [piece for piece, read in zip(pieces, found, strict=True) if read is None]
    plain = named_values(unread, variables.names)
    names = [*plain, *(read[0] for read in found if read is not None)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{twice!r} is given twice: keep one value for it")
    return dict(read for read in found if read is not None) | plain
