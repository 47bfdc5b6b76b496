"""``pgm-nb count``: count a table, so that its counts can be shared and fitted without its rows."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pgm_nb.cli.tables import add_data, load_table, recipe_of
from pgm_nb.words import plural

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("count", help="count a table for others to fit: no row leaves the house")
    add_data(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", required=True, help="the file to write, e.g. here.counts"
    )
    parser.add_argument(
        "--like", type=Path, metavar="FILE", help="counts whose bins, states and classes are taken over"
    )
    parser.add_argument(
        "--min-cell",
        type=int,
        default=1,
        metavar="N",
        help="leave out rows until no shared cell holds fewer than N, unless it is empty",
    )
    parser.add_argument("--bins", type=int, metavar="N", help="bins per number (default: 10)")
    parser.set_defaults(run=_count)


def _count(options: argparse.Namespace) -> int:
    from pgm_nb.models.counted import count_table, load_counts

    like = None if options.like is None else load_counts(options.like)
    target = options.target if options.target or like is None else like.target
    X, y = load_table(options.data, target, recipe_of(options))
    found = count_table(X, y, like=like, min_cell=options.min_cell, n_bins=options.bins)
    found.save(options.output)
    print(f"{plural(found.n_rows, 'row')} counted, {len(found.encoder.columns)} attributes: {options.output}")
    print(found.missing)
    if options.min_cell > 1:
        withheld = plural(found.rows_withheld, "row")
        print(f"{withheld} left out, so that no cell holds fewer than {options.min_cell}.")
    return 0
