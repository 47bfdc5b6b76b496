"""``--prior``: how common the classes are where the rows come from."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from pgm_nb.cli.tables import named_values
from pgm_nb.errors import DataError

__all__ = ["add_prior", "read_prior"]


def add_prior(parser: argparse.ArgumentParser) -> None:
    """Add the option to a command."""
    parser.add_argument(
        "--prior",
        action="append",
        default=[],
        metavar="CLASS=SHARE",
        help="how common a class is where the rows come from, such as ill=0.01, if not as in training; once "
        "for every class, or for all but one, which gets the rest",
    )


def read_prior(pieces: Sequence[str], labels: Iterable[Any]) -> dict[str, float] | None:
    """Return the base rates that were given; the one class that is left out gets the rest."""
    if not pieces:
        return None
    classes = [str(label) for label in labels]
    rates: dict[str, float] = {}
    for name, text in named_values(pieces, classes).items():
        try:
            rates[name] = float(text)
        except ValueError:
            raise DataError(f"--prior {name}={text}: the share must be a number, such as 0.01") from None
    left_out = [name for name in classes if name not in rates]
    if len(left_out) == 1 and all(name in classes for name in rates) and sum(rates.values()) <= 1:
        rates[left_out[0]] = 1 - sum(rates.values())
    return rates
