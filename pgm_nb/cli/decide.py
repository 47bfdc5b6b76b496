"""``pgm-nb decide``: the threshold that costs set, and what is found and missed with it on unseen rows."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from pgm_nb.cli.population import add_prior, read_prior
from pgm_nb.cli.tables import add_data, add_model, build_model, load_table, progress_bar, recipe_of
from pgm_nb.errors import DataError

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands
    from pgm_nb.evaluate import Decisions

__all__ = ["add", "add_costs"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "decide", help="from what a miss and a false alarm cost to a threshold, and how good it is"
    )
    add_data(parser)
    add_model(parser)
    add_costs(parser)
    add_prior(parser)
    parser.add_argument("--folds", type=int, default=10, metavar="K", help="folds (default: 10)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the folds (default: 0)")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write all numbers (.json), or those of every class (.csv)",
    )
    parser.set_defaults(run=_decide)


def add_costs(parser: argparse.ArgumentParser) -> None:
    """Add the class that counts and what mistakes cost to a command."""
    parser.add_argument(
        "--class-that-counts", metavar="CLASS", help="the class to find (default: the rarest one)"
    )
    parser.add_argument(
        "--miss", type=float, default=1.0, metavar="COST", help="cost of missing it (default: 1)"
    )
    parser.add_argument(
        "--false-alarm",
        type=float,
        default=1.0,
        metavar="COST",
        help="cost of deciding it where it is not (default: 1)",
    )


def _decide(options: argparse.Namespace) -> int:
    from pgm_nb.evaluate import decisions
    from pgm_nb.files import write_atomically

    if options.output is not None and options.output.suffix.lower() not in (".json", ".csv"):
        raise DataError(f"the file must end in .json or .csv, but is {str(options.output)!r}")
    if options.folds < 2:
        raise DataError(f"--folds must be at least 2, but is {options.folds}")
    X, y = load_table(options.data, options.target, recipe_of(options))
    prior = read_prior(options.prior, sorted(set(y.dropna().astype(str))))
    with progress_bar() as bar:
        found = decisions(
            build_model(options),
            X,
            y,
            {"miss": options.miss, "false alarm": options.false_alarm},
            label=options.class_that_counts,
            cv=options.folds,
            random_state=options.seed,
            progress=lambda done: bar.update(100 * done - bar.n),
            prior=prior,
        )
    if options.output is not None:  # written before anything is printed: see `fit`
        write_atomically(options.output, _file(found, options.output.suffix.lower()).encode())
    print(_report(found))
    if options.output is not None:
        print(f"written: {options.output}")
    return 0


def _file(found: Decisions, ending: str) -> str:
    from pgm_nb.data.text import csv_text

    if ending == ".csv":
        return csv_text(found.per_class())
    return json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n"


def _report(found: Decisions) -> str:
    """Return the sentences, the table of decisions, and the numbers."""
    from pgm_nb.evaluate.decision_words import said

    number = "{:.4f}".format
    lines = [*said(found), "", "Rows by their true class (down) and the decided one (across):"]
    lines += [found.confusion.to_string(), ""]
    lines += [found.to_frame().to_string(index=False, float_format=number, na_rep="-")]
    if len(found.classes) > 2:
        names = ["class", "rows", "threshold", *found.detection.rates, "auc"]
        lines += ["", "Each class against the rest, at the same costs:"]
        lines += [found.per_class()[names].to_string(index=False, float_format=number, na_rep="-")]
    return "\n".join(lines)
