"""``pgm-nb repair``: say what can be repaired in a table, and write the recipe that does it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pgm_nb.cli.tables import add_data, read_data, recipe_of
from pgm_nb.errors import DataError

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "repair", help="say what can be repaired in a table, and write the recipe that does it"
    )
    add_data(parser)
    parser.add_argument(
        "--take",
        type=_numbers,
        metavar="NUMBERS",
        help="which proposals to take, such as 1,3 (default: all); with it, steps that follow from others "
        "are not looked for",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the recipe (JSON), for fit --recipe"
    )
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the repaired table (CSV)")
    parser.set_defaults(run=_repair)


def _numbers(text: str) -> list[int]:
    """Read the numbers of proposals."""
    parts = text.replace(",", " ").split()
    if not parts or not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"numbers of proposals are written 1,3, but got {text!r}")
    return [int(part) for part in parts]


def _repair(options: argparse.Namespace) -> int:
    from pgm_nb.data.class_guess import class_guess
    from pgm_nb.data.repairs import propose, recommended
    from pgm_nb.data.text import csv_text
    from pgm_nb.files import write_atomically
    from pgm_nb.words import plural

    raw = read_data(options.data, duplicates="keep")
    given = recipe_of(options)
    frame = given.apply(raw)
    target = options.target if options.target is None else given.renamed(options.target)
    if target is not None and target not in [str(name) for name in frame.columns]:
        raise DataError(f"class column {target!r} is not in the table")
    if target is None and frame.columns.is_unique:
        guess = class_guess(frame)
        target = None if guess is None else guess.name
        if guess is not None and not guess.named:
            print(f"{target} was guessed to be the class because {guess.why}; if it is not, use --class.")
    found = propose(frame, target)
    if not found:
        print("Nothing to repair was found.")
    for number, proposal in enumerate(found, start=1):
        print(f"{number:3}. {proposal.sentence}")
        others = "".join(f"; or: {label}" for label, _ in proposal.others)
        print(f"     {proposal.button}{others}")
    if options.take is None:
        more = recommended(frame, target)
    else:
        from pgm_nb.data.repairs import Recipe

        wrong = [number for number in options.take if not 1 <= number <= len(found)]
        if wrong:
            raise DataError(f"there is no proposal {wrong[0]}: there are {len(found)}")
        more = Recipe([found[number - 1].step for number in options.take])
    recipe = given.plus(*more.steps)
    if options.table is not None:
        write_atomically(options.table, csv_text(recipe.apply(raw)).encode())
    if options.output is not None:
        recipe.save(options.output)
        print(f"written: {options.output} ({plural(len(recipe.steps), 'step')})")
    if options.table is not None:
        print(f"written: {options.table} ({plural(len(recipe.apply(raw)), 'row')})")
    elif options.output is None and found:
        print(
            "Nothing was changed. Write the recipe with -o recipe.json, and use it: fit --recipe recipe.json"
        )
    return 0
