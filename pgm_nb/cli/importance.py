"""``pgm-nb importance``: which attributes matter for the class, and what keeping only some of them costs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pgm_nb.cli.tables import add_data, add_keep, add_model, build_model, load_table, progress_bar, recipe_of

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.cli.tables import Commands

__all__ = ["add"]

REDUNDANCY = "redundancy"
METHODS = ("forward", "drop", "share", REDUNDANCY)  # checked against the library by the tests


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "importance", help="rank the attributes by what they add to predicting the class"
    )
    add_data(parser)
    add_model(parser)
    parser.add_argument(
        "--method",
        choices=METHODS,
        default=METHODS[0],
        help="forward: the best next attribute, and what it adds to those before it (the default); drop: "
        "what is lost while one attribute is unknown; share: its Shapley share of all that is said about the "
        "class; redundancy: how much of what it says another attribute has said already",
    )
    parser.add_argument("--folds", type=int, default=5, metavar="K", help="folds (default: 5)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the folds (default: 0)")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes to run in parallel (default: 1)"
    )
    add_keep(parser, "say what it costs to keep only this attribute, instead of ranking; may be repeated")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="CSV to write")
    parser.set_defaults(run=_importance)


def _importance(options: argparse.Namespace) -> int:
    from pgm_nb.data.text import csv_text
    from pgm_nb.files import write_atomically

    X, y = load_table(options.data, options.target, recipe_of(options))
    with progress_bar() as bar:
        table, said = _found(options, X, y, lambda done: bar.update(100 * done - bar.n))
    if options.output is not None:  # written before anything is printed: see `fit`
        write_atomically(options.output, csv_text(table).encode())
    print(said)
    print()
    print(table.to_string(index=False, float_format="{:.4f}".format, na_rep="-"))
    if options.output is not None:
        print(f"written: {options.output}")
    return 0


def _found(
    options: argparse.Namespace, X: pd.DataFrame, y: pd.Series, progress: object
) -> tuple[pd.DataFrame, str]:
    """Return the table, and what it says in words."""
    from pgm_nb.explain.importance import importance, keep_only, redundancy
    from pgm_nb.explain.importance.sentences import in_words, repeats
    from pgm_nb.explain.importance.study import folds_of, rows_predicted

    model = build_model(options)
    settings = {
        "cv": folds_of(y, options.folds),
        "max_rows": rows_predicted(model),
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "progress": progress,
    }
    if options.keep:
        kept = keep_only(model, X, y, options.keep, **settings)
        return kept.to_frame(), str(kept)
    if options.method == REDUNDANCY:
        table = redundancy(model, X, y, **settings)
        return table, "\n".join(repeats(table)) or "No attribute follows from another one."
    table = importance(model, X, y, options.method, **settings)
    return table, in_words(table, options.method, str(y.name))
