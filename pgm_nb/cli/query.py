"""``pgm-nb query`` and ``pgm-nb next``: ask a saved model for probabilities, and what to measure next."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add both commands to the parser."""
    query = commands.add_parser("query", help="ask for the probability of anything, given anything")
    _add_evidence(query)
    query.add_argument(
        "--of",
        action="append",
        metavar="NAME",
        help="what is asked for: the class (the default) or an attribute; may be repeated",
    )
    query.add_argument("--apart", action="store_true", help="each on its own instead of their combinations")
    query.set_defaults(run=_query)

    following = commands.add_parser("next", help="rank what is unknown by what it would tell about the class")
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
    asked = options.of or [model.learned_.target]
    table = model.query(asked, given=_evidence(options.given, model), joint=not options.apart)
    print(table.to_string(index=False, float_format="{:.6f}".format))
    return 0


def _next(options: argparse.Namespace) -> int:
    from pgm_nb.models import load

    model = _answering(load(options.model))
    table = model.next_best(given=_evidence(options.given, model))
    print(table.to_string(index=False, float_format="{:.4f}".format))
    return 0


def _answering(model: Any) -> Any:
    """Refuse questions to a model that has no joint distribution to ask."""
    if not hasattr(model, "query"):
        raise DataError(
            f"{model.title} classifies rows (pgm-nb predict) and has no joint distribution to ask; "
            "fit nb, tan or gnb for such questions"
        )
    return model


def _evidence(given: Sequence[str], model: Any) -> dict[str, str]:
    """Read NAME=VALUE; a name may hold an equals sign itself."""
    names = sorted([model.learned_.target, *model.encoder_.names], key=len, reverse=True)
    evidence = {}
    for piece in given:
        if "=" not in piece:
            raise DataError(
                f"evidence is written NAME=VALUE, such as --given age=64, but {piece!r} has no '='"
            )
        name = next((name for name in names if piece.startswith(f"{name}=")), piece.partition("=")[0])
        evidence[name] = piece[len(name) + 1 :]
    return evidence
