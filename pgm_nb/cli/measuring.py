"""``pgm-nb next`` and ``pgm-nb questions``: what to measure next, and a flow chart of questions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.export import add_print_size, print_size
from pgm_nb.cli.population import add_prior, read_prior
from pgm_nb.cli.tables import load_table, named_values, progress_bar, read_rows
from pgm_nb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add both commands to the parser."""
    following = commands.add_parser(
        "next", help="rank what is not known by what it would say about the class, also per price"
    )
    _add_common(following)
    add_prior(following)
    following.set_defaults(run=_next)

    questions = commands.add_parser(
        "questions", help="draw a few questions that lead to a class as a flow chart, for use on paper"
    )
    _add_common(questions)
    questions.add_argument(
        "--most", type=int, default=3, metavar="N", help="ask at most so many questions (default: 3)"
    )
    questions.add_argument(
        "--sure",
        type=float,
        default=0.95,
        metavar="P",
        help="ask no more once a class has this probability (default: 0.95)",
    )
    questions.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the chart: .svg, .pdf, .png or .dot"
    )
    add_print_size(questions)
    questions.set_defaults(run=_questions)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, help="a model saved by fit")
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what is known: a value as in the table (age=64), the name of a state, or more, as for query; "
        "may be repeated",
    )
    parser.add_argument(
        "--cost",
        action="append",
        default=[],
        metavar="NAME=PRICE",
        help="the price of measuring an attribute or a group; what is not named costs 1; may be repeated",
    )
    parser.add_argument(
        "--group",
        action="append",
        default=[],
        metavar="NAME=A,B,...",
        help="attributes that are measured together for one price; may be repeated",
    )
    parser.add_argument("--miss", type=float, metavar="COST", help="what it costs to miss the class --label")
    parser.add_argument(
        "--false-alarm", type=float, metavar="COST", help="what it costs to see it where it is not"
    )
    parser.add_argument("--label", metavar="CLASS", help="the class that counts, for --miss")
    parser.add_argument(
        "--least",
        type=float,
        metavar="RATE",
        help="what measuring must be good for, per price, to be worth it (default: anything in bits; with "
        "--miss more than its price)",
    )
    parser.add_argument(
        "--ahead",
        type=int,
        choices=(1, 2),
        default=1,
        help="2: look at pairs, too, which may say more together than each alone",
    )
    parser.add_argument(
        "--table",
        metavar="FILE",
        help="the training table or a sample: needed by models that do not sort numbers into intervals, and "
        "for the error of a flow chart on rows not learned from",
    )
    parser.add_argument("--class", dest="target", metavar="COLUMN", help="the class column of the table")


def _next(options: argparse.Namespace) -> int:
    from pgm_nb.models import load

    model = load(options.model)
    X, y = _table(options, model)
    prior, rule = read_prior(options.prior, model.classes_), _rule(options, model)
    plain = not options.given and prior is None and rule["ahead"] == 1
    plain = plain and all(rule[name] is None for name in ("cost", "groups", "costs", "least"))
    if plain and X is not None and y is not None:
        return _first(model, X, y)
    table = model.next_best(_given(options.given, model, X), X=X, prior=prior, **rule)
    shown = table.astype({"with": object}).fillna({"with": ""}) if "with" in table else table
    print(shown.to_string(index=False, float_format="{:.4f}".format, na_rep=""))
    if "worth" in table and not table["worth"].any():
        print("Nothing left is worth its price.")
    if plain:
        print("Each on its own. With --table TABLE: the best first, then what adds most to those above it.")
    return 0


def _first(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> int:
    """Print the order in which to measure while nothing is known, as `pgm-nb importance` has it."""
    from pgm_nb.explain.importance import study_order
    from pgm_nb.explain.importance.sentences import in_words

    with progress_bar() as bar:
        path = study_order(model, X, y, progress=lambda done: bar.update(100 * done - bar.n)).path
    print(in_words(path, "forward", model.structure_.target))
    print()
    print(path.to_string(index=False, float_format="{:.4f}".format))
    return 0


def _questions(options: argparse.Namespace) -> int:
    from pgm_nb.explain.questions import question_tree
    from pgm_nb.models import load

    model = load(options.model)
    X, y = _table(options, model)
    given = _given(options.given, model, X)
    tree = question_tree(
        model,
        X,
        None if given else y,
        max_questions=options.most,
        sure=options.sure,
        given=given,
        **_rule(options, model),
    )
    if options.output is not None:
        tree.save(options.output, size=print_size(options))
    print(tree.text())
    print()
    print("\n".join(tree.caption()))
    if options.output is not None:
        print(f"Wrote {options.output}.")
    return 0


def _table(options: argparse.Namespace, model: Any) -> tuple[pd.DataFrame | None, pd.Series[Any] | None]:
    if options.table is None:
        return None, None
    target = options.target or model.structure_.target
    if model.recipe_ is None:
        return load_table(options.table, target)
    from pgm_nb.data import split_target

    frame = read_rows(options.table, model)
    return split_target(frame.dropna(subset=[target]) if target in frame.columns else frame, target)


def _rule(options: argparse.Namespace, model: Any) -> dict[str, Any]:
    """Return the options as `next_best` takes them."""
    groups = {
        name: [member.strip() for member in text.split(",")]
        for name, text in named_values(options.group, []).items()
    }
    prices = named_values(options.cost, [*model.attribute_names_, *groups])
    costs = None
    if (options.miss is None) != (options.false_alarm is None):
        raise DataError("--miss and --false-alarm belong together: give both, or neither")
    if options.miss is not None:
        costs = {"miss": options.miss, "false alarm": options.false_alarm}
    return {
        "cost": {name: _number(name, text) for name, text in prices.items()} if prices else None,
        "groups": groups or None,
        "costs": costs,
        "label": options.label,
        "least": options.least,
        "ahead": options.ahead,
    }


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DataError(f"the price of {name!r} must be a number, such as --cost {name}=20") from None


def _given(pieces: Sequence[str], model: Any, X: Any) -> dict[str, Any]:
    """Read the evidence; a piece that is none gets the sentence of a plain value that does not exist."""
    from pgm_nb.errors import QueryError
    from pgm_nb.inference import Variable
    from pgm_nb.inference.reading import read_evidence

    columns = {measure.column.name: measure.column for measure in model.measures(X)}

    def value(name: str, text: str) -> tuple[Any] | None:
        column = columns.get(name)
        if column is None:
            return None
        try:
            Variable(name, column.labels, column).state(text)
        except QueryError:
            return None
        if column.cuts is not None and text not in column.labels:
            return (float(text),)
        return (text,)

    names = [model.structure_.target, *columns]
    found = [read_evidence(piece, names, value) for piece in pieces]
    unread = [piece for piece, read in zip(pieces, found, strict=True) if read is None]
    return dict(read for read in found if read is not None) | named_values(unread, names)
