"""``pgm-nb samples``: the tables that come with the program."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("samples", help="list the tables that come with the program")
    parser.add_argument("--names", action="store_true", help="print the names alone")
    parser.set_defaults(run=_samples)


def _samples(options: argparse.Namespace) -> int:
    from pgm_nb.data import SAMPLES, load_sample

    for name in SAMPLES:
        if options.names:
            print(name)
        else:
            X, y = load_sample(name)
            classes = ", ".join(sorted(set(map(str, y))))
            print(f"{name:12} {len(X):6} rows {X.shape[1]:3} attributes  classes: {classes}")
    return 0
