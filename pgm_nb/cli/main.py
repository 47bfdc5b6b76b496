"""The parser, the list of commands, and how mistakes are reported."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from functools import partial

from pgm_nb.cli import (
    app,
    cases,
    compare,
    count,
    decide,
    explain,
    export,
    fit,
    growth,
    importance,
    measuring,
    predict,
    query,
    repair,
    report,
    reproduce,
    samples,
)
from pgm_nb.cli.streams import drop_output, open_streams, speak_utf8
from pgm_nb.cli.tables import Command
from pgm_nb.errors import PgmNbError
from pgm_nb.version import __version__

__all__ = ["COMMANDS", "main"]

COMMANDS = (  # in the order of the help; each has add(commands), and imports what is heavy when it runs
    samples,
    repair,
    fit,
    count,
    predict,
    query,
    measuring,
    explain,
    cases,
    importance,
    compare,
    decide,
    export,
    growth,
    report,
    reproduce,
    app,
)

EXAMPLES = """\
examples:
  pgm-nb samples                                   tables that come with the program
  pgm-nb repair patients.csv --class outcome -o recipe.json   what can be repaired, and the recipe for it
  pgm-nb fit wdbc -o wdbc.pgmnb                    learn a cherry tree from a sample
  pgm-nb fit patients.csv --class outcome --model tan -o patients.pgmnb
  pgm-nb fit part-*.parquet --class outcome -o patients.pgmnb    more rows than memory: batch by batch
  pgm-nb count here.csv --class outcome --min-cell 10 -o here.counts
  pgm-nb fit here.counts there.counts -o both.pgmnb         counts of several places, without a row
  pgm-nb predict patients.pgmnb new.csv -o predictions.csv
  pgm-nb query patients.pgmnb --given age=64 --given sex=female --of outcome
  pgm-nb next patients.pgmnb --given age=64        what to measure next
  pgm-nb questions patients.pgmnb -o chart.svg     a flow chart of a few questions
  pgm-nb explain patients.pgmnb new.csv --row 3    why a row gets its class
  pgm-nb case patients.pgmnb patients.csv --row 3  what could change it, what would have to
  pgm-nb cases patients.csv --class outcome        every row by a model that has not seen it, wrong ones first
  pgm-nb importance patients.csv --class outcome   which attributes matter for the class
  pgm-nb compare patients.csv --class outcome --models nb,tan,gnb --with logistic
  pgm-nb decide patients.csv --class outcome --class-that-counts ill --miss 10
  pgm-nb export patients.pgmnb -o tree.svg --view junction
  pgm-nb growth patients.pgmnb -o growth.gif       how the model was learned, step by step
  pgm-nb report patients.csv --class outcome -o report.html   one page with everything
  pgm-nb reproduce gnb --data DIR                  a paper's table next to ours
  pgm-nb app patients.csv --class outcome          explore it in the browser
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code.

    Examples
    --------
    >>> main(["samples", "--names"])  # doctest: +ELLIPSIS
    wdbc
    ...
    0
    """
    open_streams()
    if arguments is None:
        speak_utf8(sys.argv[1:])
    name = "pgm-nb"
    try:
        options = _parser().parse_args(arguments)  # which loads the models
        name = f"pgm-nb {options.command}"
        with warnings.catch_warnings():
            warnings.showwarning = partial(_warned, options.command)
            result: int = options.run(options)
        sys.stdout.flush()
    except PgmNbError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: stopped; nothing half-done was written.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has stopped (pgm-nb samples | head -1)
        drop_output()
        return 0
    except OSError as error:
        drop_output()
        where = error.filename or "the output"
        reason = error.strerror or str(error)
        print(f"{name}: {where} cannot be written or read ({reason}).", file=sys.stderr)
        return 2
    return result


def _warned(command: str, message: Warning | str, *_: object) -> None:
    """Write a warning as a sentence, without the place in the program that it comes from."""
    print(f"pgm-nb {command}: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pgm-nb",
        description="The structure explorer for the naive Bayes family: a table with a class column goes "
        "in; an explicit graph, its numbers and a classifier come out.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pgm-nb {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Command)
    for command in COMMANDS:
        command.add(commands)
    return parser
