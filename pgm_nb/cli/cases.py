"""``pgm-nb cases`` and ``pgm-nb case``: rows by a model that has not seen them, and more about one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.sure import add_empty, load_model, rows_at_hand, say
from pgm_nb.cli.tables import add_data, add_model, build_model, load_table, progress_bar, read_rows, recipe_of
from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.cli.tables import Commands

__all__ = ["add"]

SHOWN = 20  # rows that are printed


def add(commands: Commands) -> None:
    """Add both commands to the parser."""
    parser = commands.add_parser(
        "cases", help="list the rows of a table with what a model that has not seen them says"
    )
    add_data(parser)
    add_model(parser)
    order = parser.add_mutually_exclusive_group()
    for flag, value, said in (
        ("--wrong-first", "wrong", "the wrong ones first (the default)"),
        ("--doubt-first", "doubt", "those first of which the model is least sure"),
        ("--sure-first", "sure", "those first of which it is most sure"),
        ("--by-row", "row", "in the order of the table"),
    ):
        order.add_argument(flag, dest="order", action="store_const", const=value, help=said)
    parser.add_argument(
        "--id", metavar="COLUMN", help="the column that names the rows: shown, and no attribute"
    )
    parser.add_argument("--folds", type=int, default=10, metavar="K", help="folds (default: 10)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the folds (default: 0)")
    parser.add_argument(
        "--most", type=int, default=SHOWN, metavar="N", help=f"rows to print (default: {SHOWN})"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write all rows as CSV")
    parser.set_defaults(run=_cases, order="wrong")

    one = commands.add_parser("case", help="ask more about one case: what could change it, what is like it")
    one.add_argument("model", type=Path, help="a model saved by fit")
    one.add_argument("data", help="the table it was learned from, or one like it: a file, or a sample")
    one.add_argument("--row", type=int, metavar="N", help="the case: a row of the table (the first is 1)")
    one.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what is known instead, or without --row all that is known, as for query; may be repeated",
    )
    one.add_argument("--label", metavar="CLASS", help="the class asked about (default: the most probable)")
    one.add_argument(
        "--unknowns", action="store_true", help="how far each unknown value could move the probability"
    )
    one.add_argument(
        "--changes", action="store_true", help="the fewest changes of known values for another class"
    )
    one.add_argument("--to", metavar="CLASS", help="the class to reach (default: the next most probable)")
    one.add_argument(
        "--changeable",
        action="append",
        metavar="NAME",
        help="an attribute that can change (default: all); may be repeated",
    )
    one.add_argument(
        "--numbers", action="store_true", help="the ten entries of the tables that it depends on most"
    )
    one.add_argument("--alike", type=int, metavar="N", help="the N rows most like --row")
    one.add_argument("--beside", type=int, metavar="N", help="compare with this row of the table")
    add_empty(one)
    one.set_defaults(run=_case)


def _cases(options: argparse.Namespace) -> int:
    from pgm_nb.data.text import csv_text
    from pgm_nb.evaluate import cases
    from pgm_nb.files import write_atomically

    if options.folds < 2:
        raise DataError(f"--folds must be at least 2, but is {options.folds}")
    X, y = load_table(options.data, options.target, recipe_of(options))
    if options.id is not None:
        if options.id not in X.columns or X.shape[1] == 1:
            raise DataError(
                f"--id {options.id} is no column of the table besides its class"
                f"{did_you_mean(options.id, X.columns)}"
            )
        X = X.set_index(options.id)
        y = y.set_axis(X.index)
    with progress_bar() as bar:
        table = cases(
            build_model(options),
            X,
            y,
            order=options.order,
            cv=options.folds,
            random_state=options.seed,
            progress=lambda done: bar.update(100 * done - bar.n),
        )
    if options.output is not None:
        write_atomically(options.output, csv_text(table).encode())
    wrong = int(table["wrong"].sum())
    print(f"{wrong} of {len(table)} rows get a wrong class from a model that has not seen them")
    _print(table.head(options.most))
    return 0


def _case(options: argparse.Namespace) -> int:
    from pgm_nb.data.labels import class_place
    from pgm_nb.explain import (
        CaseAnalysis,
        compare_cases,
        most_alike,
        parameter_sensitivity,
        tornado,
        what_changes,
    )
    from pgm_nb.explain.sure import how_sure
    from pgm_nb.words import probability

    model = load_model(options)
    frame = read_rows(options.data, model)
    absent = [name for name in model.attribute_names_ if name not in frame.columns]
    if absent:
        raise DataError(f"the table has no column '{absent[0]}', which the model was trained on")
    X = frame[list(model.attribute_names_)]
    case = CaseAnalysis.of(model, X)
    known = case.usable(_known(options, X))
    if not (options.unknowns or options.changes or options.numbers or options.alike or options.beside):
        options.unknowns = options.changes = True
        shares = case.posterior(known).classes
        place = int(shares.argmax()) if options.label is None else class_place(options.label, case.classes)
        print(f"{case.target} = {case.classes[place]} with probability {probability(shares[place])}")
        say(how_sure(model, known, rows_at_hand(model, None, frame), label=case.classes[place]))
    if options.unknowns:
        found = tornado(case, known, options.label)
        print(found)
        if not (swings := found.to_frame()).empty:
            _print(swings)
    if options.changes:
        changes = what_changes(case, known, options.to, changeable=options.changeable)
        print(changes)
        if changes.found:
            _print(changes.to_frame())
    if options.numbers:
        for said in parameter_sensitivity(model, case.given(known), options.label)["sentence"]:
            print(said)
    if options.alike or options.beside:
        number = _number(options.row, X, "--row")
    if options.alike:
        alike = most_alike(model, X, number - 1, options.alike)
        _print(alike.assign(row=alike["row"] + 1))
    if options.beside:
        other = case.usable(_row(X, _number(options.beside, X, "--beside")))
        pair = compare_cases(case, known, other, options.label)
        print(pair)
        _print(pair.to_frame())
    return 0


def _number(number: int | None, X: pd.DataFrame, flag: str) -> int:
    if number is None:
        raise DataError("name the case with --row N")
    if not 1 <= number <= len(X):
        raise DataError(f"the table has rows 1 to {len(X):,}, but {flag} is {number}")
    return number


def _row(X: pd.DataFrame, number: int) -> dict[str, Any]:
    from pgm_nb.explain import CaseReader

    reader = CaseReader.of(X, "")
    read = {name: reader.value(name, text) for name, text in reader.row(X.iloc[number - 1].to_dict()).items()}
    return {name: found[0] for name, found in read.items() if found}


def _known(options: argparse.Namespace, X: pd.DataFrame) -> dict[str, Any]:
    """Return what is known: the row, with what was given in its place."""
    from pgm_nb.explain import CaseReader

    known = {} if options.row is None else _row(X, _number(options.row, X, "--row"))
    reader = CaseReader.of(X, "")
    for piece in options.given:
        found = reader.read(piece)
        if found is None:
            raise DataError(
                f"{piece!r} says nothing that a column of the table can have; write NAME=VALUE, such as "
                "age=64, age>60, age=40..50, colour=red|blue or colour!=red"
            )
        known[found[0]] = found[1]
    return known


def _print(table: pd.DataFrame) -> None:
    print(table.to_string(index=False, float_format="{:.4f}".format))
