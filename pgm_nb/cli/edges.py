"""``--require A:B``, ``--forbid A:B`` and ``--structure FILE``: what an expert knows about the tree."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from pgm_nb.errors import DataError, StructureError

__all__ = ["add_edges", "constrained", "loss_lines", "price_lines", "read_edge"]

FLAGS = {"required": "--require", "forbidden": "--forbid"}  # parameter of the model -> how it is written


def add_edges(parser: argparse.ArgumentParser) -> None:
    """Add the edges that a tree must or must not have to a command."""
    for parameter, flag in FLAGS.items():
        parser.add_argument(
            flag,
            dest=parameter,
            action="append",
            default=[],
            metavar="A:B",
            help=f"two attributes that {'are' if parameter == 'required' else 'are not'} joined in the tree; "
            "may be repeated. A name may contain colons: the piece is split where both sides are attributes",
        )

    parser.add_argument(
        "--structure",
        default="",
        metavar="FILE",
        help="a tree of your own, which is fitted as it is, from JSON, GraphML, BIF or XMLBIF",
    )
    parser.add_argument(
        "--price",
        action="store_true",
        help="also say what the required and forbidden links cost in log-loss on new rows (five folds)",
    )


def constrained(model: Any, options: argparse.Namespace, names: Sequence[str], target: str) -> Any:
    """Hand the edges or the tree over to a model that is not fitted yet, and return it."""
    for parameter, flag in FLAGS.items():
        pieces: list[str] = getattr(options, parameter)
        if not pieces:
            continue
        _check_able(model, parameter, flag)
        model.set_params(**{parameter: [read_edge(piece, flag, names) for piece in pieces]})
    return model if not options.structure else _given(model, options.structure, names, target)


def _given(model: Any, path: str, names: Sequence[str], target: str) -> Any:
    """Hand a tree from a file over to a model."""
    from pgm_nb.inference.exchange import read_structure
    from pgm_nb.learning.own_tree import mothers_from

    _check_able(model, "structure", "--structure")
    structure = read_structure(path)
    try:
        mothers_from(structure, names, target)
    except StructureError as error:
        raise StructureError(f"{path}: {error}") from None
    return model.set_params(structure=structure)


def _check_able(model: Any, parameter: str, flag: str) -> None:
    if not model.has_parameter(parameter):
        from pgm_nb.models import MODELS

        able = [f"--model {kind.short_name}" for kind in MODELS if kind.has_parameter(parameter)]
        raise DataError(f"{model.title} has no option {flag}: leave it out, or use {' or '.join(able)}")


def read_edge(piece: str, flag: str, names: Sequence[str]) -> tuple[str, str]:
    """Split A:B into two attributes; where names contain colons, at the colon that leaves two attributes.

    Examples
    --------
    >>> read_edge("age:blood: sugar", "--require", ["age", "blood: sugar"])
    ('age', 'blood: sugar')
    """
    colons = [place for place, letter in enumerate(piece) if letter == ":"]
    if not colons:
        raise DataError(f"an edge is written A:B, such as {flag} age:pulse, but {piece!r} has no colon")
    ways = [(piece[:place], piece[place + 1 :]) for place in colons]
    known = [(first, second) for first, second in ways if first in names and second in names]
    if len(known) > 1:
        read = " or ".join(f"{first!r} and {second!r}" for first, second in known)
        raise DataError(f"{flag} {piece} can be read in two ways, as {read}: rename one of these columns")
    return known[0] if known else ways[0]


def price_lines(model: Any) -> list[str]:
    """Return a line for every edge that was required or forbidden: what it costs."""
    found = getattr(model, "constraints_", None)
    if found is None or found.empty:
        return []
    return [
        "",
        "what was required and forbidden, and its price in bits:",
        found.to_string(index=False, float_format="{:.4f}".format),
    ]


def loss_lines(model: Any, X: Any, y: Any) -> list[str]:
    """Return in a sentence what was asked of a model costs, in bits and on rows it has not seen."""
    from pgm_nb.evaluate.edit_price import edit_price

    return ["", edit_price(model, X, y).sentence]
