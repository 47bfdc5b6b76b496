"""``pgm-nb export``: a picture, a graph, or the network for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands
    from pgm_nb.views.printing import PrintSize

__all__ = ["add", "add_print_size", "print_size"]


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
    add_print_size(parser)
    parser.set_defaults(run=_export)


def add_print_size(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how large a picture is on paper."""
    parser.add_argument(
        "--width-mm",
        type=float,
        metavar="MM",
        help="width of a picture on paper, in millimetres; 85 is a column (default: as drawn)",
    )
    parser.add_argument("--dpi", type=int, help="pixels per inch of a PNG of that width (default: 300)")
    parser.add_argument(
        "--font-size", type=float, metavar="PT", help="size of its text, in points; never beyond the width"
    )
    parser.add_argument("--no-legend", action="store_true", help="do not say below it how to read it")


def print_size(options: argparse.Namespace) -> PrintSize | None:
    """Return how large a picture is on paper, if anything was said about it."""
    from pgm_nb.views.printing import PrintSize

    said = {"width_mm": options.width_mm, "dpi": options.dpi, "font_size": options.font_size}
    asked = {name: value for name, value in said.items() if value is not None}
    if not asked and not options.no_legend:
        return None
    return PrintSize(**asked, legend=not options.no_legend)


def _export(options: argparse.Namespace) -> int:
    from pgm_nb.models import load

    for path in load(options.model).export(options.output, view=options.view, size=print_size(options)):
        print(f"written: {path}")
    return 0
