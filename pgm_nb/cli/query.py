"""``pgm-nb query`` and ``pgm-nb next``: probabilities from a saved model, and what to measure next."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.tables import named_values
from pgm_nb.errors import DataError
from pgm_nb.words import listed

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add both commands to the parser."""
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
    query.set_defaults(run=_query)

    following = commands.add_parser(
        "next", help="rank the unknown attributes by what they would say about the class"
    )
    _add_evidence(following)
    following.set_defaults(run=_next)


def _add_evidence(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, help="a model saved by fit")
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what is known: a state by its name, or a value as in the table; may be repeated",
    )


def _query(options: argparse.Namespace) -> int:
    from pgm_nb.models import load

    model = _answering(load(options.model))
    asked = options.of or [model.structure_.target]
    table = model.query(asked, given=_given(options.given, model), joint=not options.apart)
    print(table.to_string(index=False, float_format="{:.6f}".format))
    return 0


def _next(options: argparse.Namespace) -> int:
    from pgm_nb.models import load

    model = _answering(load(options.model))
    table = model.next_best(given=_given(options.given, model))
    print(table.to_string(index=False, float_format="{:.4f}".format))
    return 0


def _answering(model: Any) -> Any:
    """Refuse questions to a model that has no joint distribution to ask."""
    from pgm_nb.models import MODELS

    if not model.is_joint:
        others = listed([kind.short_name for kind in MODELS if kind.is_joint])
        raise DataError(
            f"{model.title} classifies rows (pgm-nb predict) and has no joint distribution to ask; "
            f"fit one of these for such questions: {others}"
        )
    return model


def _given(pieces: Sequence[str], model: Any) -> dict[str, str]:
    return named_values(pieces, [model.structure_.target, *model.attribute_names_])
