"""``pgm-nb export``: a picture, a graph, or the network for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError
from pgm_nb.files import write_atomically
from pgm_nb.words import listed

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
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="draw the first picture with what is known and what follows from it in its boxes: a value as in "
        "the table (age=64), a range (age=40..50), one of several (colour=red|blue); may be repeated",
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

    if options.given:
        path = options.output
        write_atomically(path, _known(load(options.model), options))
        print(f"written: {path}")
        return 0
    for path in load(options.model).export(options.output, view=options.view, size=print_size(options)):
        print(f"written: {path}")
    return 0


def _known(model: Any, options: argparse.Namespace) -> bytes:
    """Draw the structure with what is known."""
    from pgm_nb.explain.case_reader import CaseReader
    from pgm_nb.explain.known_picture import draw_known
    from pgm_nb.models.stand_in import no_stand_in, stand_in
    from pgm_nb.views.graph.layout import FONT_SIZE
    from pgm_nb.views.printing import FORMATS, PrintSize, print_svg

    ending = options.output.suffix.lstrip(".").lower()
    if ending not in FORMATS:
        raise DataError(f"known values are drawn as {', '.join(FORMATS)}, but {ending!r} was asked for")
    if options.view is not None:
        raise DataError("known values are drawn in the first picture of a model; leave --view or --given out")
    if why := no_stand_in(model):
        raise DataError(why)
    target = str(model.structure_.target)
    frame = stand_in(model)
    reader, given = CaseReader.of(frame, target), {}
    for piece in options.given:
        found = reader.read(piece)
        if found is None:
            raise DataError(
                f"--given {piece!r} is not an attribute of the model with one of its values; write "
                f"NAME=VALUE, where NAME is one of {listed(list(model.attribute_names_))}"
            )
        given[found[0]] = found[1]
    svg = draw_known(model, frame.drop(columns=target), given)
    size = print_size(options)
    if size is None and ending == "svg":
        return svg.encode()
    return print_svg(svg, ending, size or PrintSize(), font=FONT_SIZE)
