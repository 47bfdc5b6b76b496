"""``pgm-nb app``: open the web app."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pgm_nb.cli.tables import add_data, load_table, read_data

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("app", help="open the web app")
    add_data(parser, required=False)
    parser.add_argument("--port", type=int, help="port on this machine (default: 8501, or the next free one)")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    parser.set_defaults(run=_app)


def _app(options: argparse.Namespace) -> int:
    from pgm_nb.app.launch import launch

    if options.data is not None:  # say what is wrong before a browser opens
        if options.target is None:
            read_data(options.data)  # the app guesses the class, and lets it be chosen
        else:
            load_table(options.data, options.target)
    return launch(options.data, options.target, port=options.port, browser=not options.no_browser)
