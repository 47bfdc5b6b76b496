"""``pgm-nb query``: probabilities from a saved model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pgm_nb.cli.known import check_kinds, read_given, rows_of_values
from pgm_nb.cli.population import add_prior, read_prior
from pgm_nb.cli.sure import add_empty, add_rows, load_model, rows_at_hand, say

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
    given = read_given(options.given, model)
    target, prior = model.structure_.target, read_prior(options.prior, model.classes_)
    if options.likeliest:
        for name, state in model.map_query(options.of, given=given, prior=prior).items():
            print(f"{name} = {state}")
        return 0
    asked = options.of or [target]
    X = rows_of_values(model, options.rows)
    check_kinds(model, given, X)
    table = model.query(asked, given=given, joint=not options.apart, prior=prior, X=X)
    rows = rows_at_hand(model, options.rows)
    print(table.to_string(index=False, float_format="{:.6f}".format))
    if asked == [target]:
        say(how_sure(model, given, rows, prior=prior))
    return 0
