"""``pgm-nb predict``: classify the rows of a table with a saved model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pgm_nb.cli.population import add_prior, read_prior
from pgm_nb.cli.tables import read_data

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("predict", help="classify the rows of a table; writes CSV")
    parser.add_argument("model", type=Path, help="a model saved by fit")
    parser.add_argument("data", help="a file, or the name of a sample; empty cells mean unknown")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="CSV to write (default: print it)")
    add_prior(parser)
    parser.set_defaults(run=_predict)


def _predict(options: argparse.Namespace) -> int:
    from pgm_nb.data.text import csv_text
    from pgm_nb.evaluate.predictions import predictions
    from pgm_nb.files import write_atomically
    from pgm_nb.models import load

    model = load(options.model)
    result = predictions(model, read_data(options.data), prior=read_prior(options.prior, model.classes_))
    text = csv_text(result)
    if options.output is None:
        print(text, end="")
        return 0
    write_atomically(options.output, text.encode())
    print(f"{len(result)} rows classified: {options.output}")
    return 0
