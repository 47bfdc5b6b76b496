"""The parser, how mistakes are reported, and the streams that a command reads and writes."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from io import TextIOWrapper
from typing import Any

from pgm_nb.cli.table import COMMANDS, Command
from pgm_nb.errors import PgmNbError
from pgm_nb.version import __version__

__all__ = ["main"]

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
    _open_streams()
    if arguments is None:
        _speak_utf8(sys.argv[1:])
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
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
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
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        added = commands.add_parser(command.name, help=command.help)
        added.waiting = command
        added.set_defaults(run=command)
    return parser


class _Parser(argparse.ArgumentParser):
    """The parser of one command; its options are added when it is called, because some load the models."""

    waiting: Command | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, with all arguments in place."""
        if self.waiting is not None:
            self.waiting.add_options(self)
            self.waiting = None
        return super().parse_known_args(args, namespace)


def _open_streams() -> None:
    """Open what the system has closed (``>&-``), and let a terminal replace what it cannot show.

    A file that a command opens would otherwise take the place of a closed output, and get what others print.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 (until the end)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Write no more to where the output goes, so that Python does not fail once more as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _speak_utf8(arguments: Sequence[str]) -> None:
    """Begin anew in Python's UTF-8 mode where arguments came as bytes that are no text.

    With a language such as ``LC_ALL=C`` and UTF-8 mode off, Python reads arguments as ASCII. The name of a
    column would then not be that of the table, and a file would be saved under another name.
    """
    if sys.flags.utf8_mode or os.name == "nt" or all(map(_is_text, arguments)):
        return
    words = [sys.executable, "-X", "utf8=1", *sys.orig_argv[1:]]  # the first -X is followed
    sys.stdout.flush()
    os.execv(sys.executable, words)


def _is_text(word: str) -> bool:
    r"""Say whether a word was understood, or is not UTF-8 either.

    Examples
    --------
    >>> _is_text("age"), _is_text("größe"), _is_text("\udcff")
    (True, True, True)
    >>> _is_text("größe".encode().decode("ascii", "surrogateescape"))
    False
    """
    try:
        word.encode()
    except UnicodeEncodeError:
        try:
            os.fsencode(word).decode()
        except UnicodeError:
            return True
        return False
    return True
