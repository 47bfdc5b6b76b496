"""``pgm-nb explain``: why one row gets its class, part by part."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.known import check_kinds, once, read_pieces, rows_of_values
from pgm_nb.cli.population import add_prior, read_prior
from pgm_nb.cli.sure import add_empty, add_rows, load_model, rows_at_hand, say
from pgm_nb.cli.tables import named_values, read_rows
from pgm_nb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("explain", help="explain why a row gets its class, part by part")
    parser.add_argument("model", type=Path, help="a model saved by fit")
    parser.add_argument("data", nargs="?", help="a file, or the name of a sample, that holds the row")
    parser.add_argument("--row", type=int, default=1, metavar="N", help="which row of it (the first is 1)")
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value instead of the row's, or without a table all that is known; also a range (age=40..50, "
        "age>60), one of several (colour=red|blue), not this one (colour!=red), or likelihoods "
        "(colour=red:0.7|blue:0.2); may be repeated",
    )
    parser.add_argument("--label", metavar="CLASS", help="the class to explain (default: the predicted one)")
    parser.add_argument(
        "--against", metavar="CLASS", help="the class to compare it with (default: the likeliest other)"
    )
    add_prior(parser)
    add_rows(parser)
    add_empty(parser)
    parser.set_defaults(run=_explain)


def _explain(options: argparse.Namespace) -> int:
    from pgm_nb.explain.sure import how_sure

    model = load_model(options)
    row: dict[str, Any] = {}
    frame = None if options.data is None else read_rows(options.data, model)
    if frame is not None:
        row = _row(frame, options.row, model.attribute_names_)
    given = _values(options.given, model)
    row |= given
    prior = read_prior(options.prior, model.classes_)
    X = rows_of_values(model, options.rows or options.data)
    check_kinds(model, given, X)
    why = model.explain(row, label=options.label, against=options.against, prior=prior, X=X)
    rows = rows_at_hand(model, options.rows, frame)
    print(why)
    table = why.to_frame().drop(columns="attributes")
    print(table.to_string(index=False, float_format="{:.4f}".format))
    say(how_sure(model, row, rows, label=why.label, prior=prior))
    return 0


def _row(frame: pd.DataFrame, number: int, names: Sequence[str]) -> dict[str, Any]:
    """Return the attributes of one row; columns that the model does not know (the class) are left out."""
    if not 1 <= number <= len(frame):
        raise DataError(f"the table has rows 1 to {len(frame):,}, but --row is {number}")
    row = {name: frame[name].iloc[number - 1] for name in names if name in frame.columns}
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(f"the table has no column '{absent[0]}', which the model was trained on")
    return row


def _values(pieces: Sequence[str], model: Any) -> dict[str, Any]:
    """Read what is given: ranges, alternatives and likelihoods as for query, values as the table has them."""
    from pgm_nb.inference import Evidence

    other: list[tuple[str, Any]] = []
    plain: list[str] = []
    for piece in pieces:
        found, _ = read_pieces([piece], model)
        if found and isinstance(found[0][1], Evidence):
            other += found
        else:
            plain.append(piece)
    texts = named_values(plain, model.attribute_names_)
    return once([*other, *((name, _value(text, name, model)) for name, text in texts.items())])


def _value(text: str, name: str, model: Any) -> Any:
    """Read a value as the model's column has it: words stay words, numbers and truths become such.

    A word that the model has never seen is refused: here it is a slip, not a cell of a table.
    """
    from pgm_nb.inference import Variable

    columns = {column.name: column for column in getattr(getattr(model, "encoder_", None), "columns", ())}
    if name in columns and columns[name].kind not in ("numeric", "boolean"):
        Variable(name, columns[name].labels, columns[name]).state(text)
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        return text
