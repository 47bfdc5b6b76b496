"""``pgm-nb export``: a picture, a graph, or the network for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("export", help="write a picture, a graph, or the network for other programs")
    parser.add_argument("model", type=Path, help="a model saved by fit")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="its ending sets the format: .svg .png .pdf for a picture, .dot .json .graphml for the graph, "
        ".bif .xmlbif .bifxml .xdsl .net .uai for the network with its tables",
    )
    parser.add_argument(
        "--view",
        help="which of the model's pictures (default: its first one); an unknown name lists them",
    )
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    from pgm_nb.models import load

    for path in load(options.model).export(options.output, view=options.view):
        print(f"written: {path}")
    return 0
