"""``pgm-nb growth``: how a saved model was learned, as an animation or a page with a player."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pgm_nb.cli.tables import progress_bar

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("growth", help="show how a model was learned, as an animation or a page")
    parser.add_argument("model", type=Path, help="a model saved by fit")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="its ending sets the format: .gif or .webp for an animation, .html for a page with a player "
        "that works offline",
    )
    parser.add_argument(
        "--view",
        help="which of the model's pictures grows (default: its first one); an unknown name lists them",
    )
    parser.add_argument(
        "--seconds", type=float, default=0.8, help="how long a step of an animation stays (default: 0.8)"
    )
    parser.set_defaults(run=_growth)


def _growth(options: argparse.Namespace) -> int:
    from pgm_nb.explain.growth import growth
    from pgm_nb.models import load

    found = growth(load(options.model), options.view)
    with progress_bar() as bar:
        found.save(
            options.output,
            seconds=options.seconds,
            progress=lambda done: bar.update(100 * done - bar.n),
        )
    print(f"{len(found.story.frames)} steps: {options.output}")
    return 0
