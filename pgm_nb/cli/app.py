"""``pgm-nb app``: open the web app."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pgm_nb.cli.tables import add_data, is_sample, read_data

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]

LAST_PORT = 65_535


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("app", help="open the web app")
    add_data(parser, required=False)
    parser.add_argument(
        "--port", type=_port, help="port on this machine (default: 8501, or the next that is free)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    parser.add_argument(
        "--address", help="address to listen on, as 0.0.0.0 in a container (default: this machine only)"
    )
    parser.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="NAME",
        help="name under which a proxy passes visitors on (repeat for several); others are refused",
    )
    parser.set_defaults(run=_app)


def _port(text: str) -> int:
    """Read the number of a port."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= LAST_PORT:
        raise argparse.ArgumentTypeError(f"a port is a whole number from 1 to {LAST_PORT}, but got {text!r}")
    return int(text)


def _app(options: argparse.Namespace) -> int:
    from pgm_nb.app.shell.launch import launch

    if options.data is not None:
        _check(options.data, options.target)
    return launch(
        options.data,
        options.target,
        port=options.port,
        browser=not options.no_browser,
        address=options.address,
        hosts=options.host,
    )


def _check(data: str, target: str | None) -> None:
    """Say what is wrong with a table, model or project before a browser opens.

    Without a class, the app lets it be chosen.
    """
    from pgm_nb.data import split_target
    from pgm_nb.data.portions import read_portion
    from pgm_nb.data.read import file_bytes
    from pgm_nb.models.files import load
    from pgm_nb.models.projects import ENDING, load_project

    if data.lower().endswith(ENDING):
        load_project(data)
        return
    if data.lower().endswith(".pgmnb"):
        load(data)
        return
    if is_sample(data):
        frame = read_data(data)
    else:
        content, name = file_bytes(data)
        frame = read_portion(name, content, target=target, duplicates="keep").frame
    if target is not None and frame.columns.is_unique:  # what else is wrong, the Data page repairs
        split_target(frame.dropna(subset=[target]) if target in frame.columns else frame, target)
