"""``pgm-nb report``: a table and its model in one HTML file that opens anywhere."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pgm_nb.cli.decide import add_costs
from pgm_nb.cli.tables import (
    add_data,
    add_keep,
    add_model,
    build_model,
    is_sample,
    keep_columns,
    load_table,
    progress_bar,
    recipe_of,
)

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("report", help="write one HTML file with the pictures and all numbers")
    add_data(parser)
    add_model(parser)
    add_keep(parser, "an attribute to keep, all others are left out; may be repeated (default: all)")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="the file, e.g. report.html"
    )
    parser.add_argument("--title", help="title of the report (default: name of the table)")
    parser.add_argument(
        "--case", type=int, default=1, metavar="ROW", help="row that is explained (default: 1, the first)"
    )
    add_costs(parser)
    parser.add_argument(
        "--folds",
        type=int,
        default=5,
        metavar="K",
        help="folds of the cross-validation; 0: none (default: 5)",
    )
    parser.add_argument("--date", help="date on the report (default: today)")
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    from pgm_nb.files import write_atomically
    from pgm_nb.reports import Origin, report

    recipe = recipe_of(options)
    X, y = load_table(options.data, options.target, recipe)
    left_out = [str(name) for name in X.columns] if options.keep else []
    X = keep_columns(X, options.keep)
    left_out = [name for name in left_out if name not in X.columns]
    model = build_model(options).fit(X, y)
    with progress_bar() as bar:
        text = report(
            model,
            X,
            y,
            title=options.title or Path(options.data).name,
            origin=Origin(
                options.data,
                str(y.name),
                sample=is_sample(options.data),
                leave_out=tuple(left_out),
                recipe=recipe,
            ),
            case=options.case,
            costs={"miss": options.miss, "false alarm": options.false_alarm},
            label=options.class_that_counts,
            folds=options.folds,
            date=options.date,
            progress=lambda done: bar.update(100 * done - bar.n),
        )
    write_atomically(options.output, text.encode())
    print(f"written: {options.output}")
    return 0
