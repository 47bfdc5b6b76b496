"""The table of commands: what each is called, the options it takes, and the function that runs it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pgm_nb.cli.shared import add_model, add_models, peer_names

__all__ = ["COMMANDS", "Command", "Option", "option"]

METHODS = ("forward", "drop", "share", "redundancy")  # checked against the library by the tests
PAPERS = ("gnb", "phnb", "ptree", "local-pca", "gaussian")
SHOWN = 20  # rows that are printed
LAST_PORT = 65_535


@dataclass(frozen=True)
class Option:
    """An argument of a command, as `argparse` takes it."""

    flags: tuple[str, ...]
    settings: dict[str, Any]

    def but(self, **settings: Any) -> Option:
        """Return the option with other settings, as another command has it."""
        return Option(self.flags, self.settings | settings)

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the option to the parser of a command."""
        parser.add_argument(*self.flags, **self.settings)


@dataclass(frozen=True)
class Command:
    """A command: its name, its line in the help, its options, and where the function is that runs it.

    Options are records, or functions that add arguments only the models know. The function is named as
    ``module.function`` of this folder, so that no command loads what only others need.
    """

    name: str
    help: str
    run: str
    options: tuple[Option | Callable[[argparse.ArgumentParser], None], ...]

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options to the parser of the command."""
        for each in self.options:
            each.add(parser) if isinstance(each, Option) else each(parser)

    def __call__(self, options: argparse.Namespace) -> int:
        """Run the command; returns the exit code."""
        module, _, name = self.run.partition(".")
        result: int = getattr(import_module(f"pgm_nb.cli.{module}"), name)(options)
        return result


def option(*flags: str, **settings: Any) -> Option:
    """Return an option with these flags; the settings are those of ``add_argument``."""
    return Option(flags, settings)


def flag(name: str, help: str) -> Option:
    """Return an option that is said or not."""
    return Option((name,), {"action": "store_true", "help": help})


def several(name: str, metavar: str, help: str, **settings: Any) -> Option:
    """Return an option that may be repeated."""
    return Option((name,), {"action": "append", "default": [], "metavar": metavar, "help": help} | settings)


def count_of(name: str, metavar: str, help: str, default: int | None = None) -> Option:
    """Return an option that takes a whole number."""
    return Option((name,), {"type": int, "default": default, "metavar": metavar, "help": help})


def number(name: str, metavar: str, help: str, default: float | None = None) -> Option:
    """Return an option that takes a number."""
    return Option((name,), {"type": float, "default": default, "metavar": metavar, "help": help})


def output(help: str, *, required: bool = False) -> Option:
    """Return the option that names the file to write."""
    settings = {"type": Path, "metavar": "FILE", "required": required, "help": help}
    return Option(("-o", "--output"), settings)


def keep(help: str) -> Option:
    """Return the option that names the attributes to keep."""
    return several("--keep", "NAME", help)


def given(help: str) -> Option:
    """Return the option that says what is known."""
    return several("--given", "NAME=VALUE", f"{help}; may be repeated")


def folds(default: int, help: str = "folds") -> Option:
    """Return the option that says in how many parts the rows are split."""
    return count_of("--folds", "K", f"{help} (default: {default})", default)


def port(text: str) -> int:
    """Read the number of a port."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= LAST_PORT:
        raise argparse.ArgumentTypeError(f"a port is a whole number from 1 to {LAST_PORT}, but got {text!r}")
    return int(text)


def proposals(text: str) -> list[int]:
    """Read the numbers of proposals."""
    parts = text.replace(",", " ").split()
    if not parts or not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"numbers of proposals are written 1,3, but got {text!r}")
    return [int(part) for part in parts]


def add_orders(parser: argparse.ArgumentParser) -> None:
    """Add the orders of rows, of which one can be chosen."""
    group = parser.add_mutually_exclusive_group()
    for name, value, said in (
        ("--wrong-first", "wrong", "the wrong ones first (the default)"),
        ("--doubt-first", "doubt", "those first of which the model is least sure"),
        ("--sure-first", "sure", "those first of which it is most sure"),
        ("--by-row", "row", "in the order of the table"),
    ):
        group.add_argument(name, dest="order", action="store_const", const=value, default="wrong", help=said)


FORMATS = "a CSV, TSV, Parquet, ARFF or Excel file, or the name of a sample"
DATA = option("data", help=FORMATS)
TARGET = option(
    "--class",
    "--target",
    dest="target",
    metavar="COLUMN",
    help="the class column (default: the column called 'class')",
)
RECIPE = (
    option(
        "--recipe", metavar="FILE", help="repair the table first, by a recipe (JSON; pgm-nb repair writes it)"
    ),
    option(
        "--codebook",
        metavar="FILE",
        help="names of columns and values, and units (CSV: column,value,name,unit)",
    ),
)
TABLE = (DATA, TARGET, *RECIPE)
MODEL = option("model", type=Path, help="a model saved by fit")
KEEP = keep("an attribute to keep, all others are left out; may be repeated (default: all)")
SEED = option("--seed", type=int, default=0, help="seed of the folds (default: 0)")
JOBS = count_of("--jobs", "N", "processes to run in parallel (default: 1)", 1)
EVIDENCE = (
    "a range (age=40..50, age>60), one of several (colour=red|blue), not this one (colour!=red), or "
    "likelihoods (colour=red:0.7|blue:0.2)"
)
PRIOR = several(
    "--prior",
    "CLASS=SHARE",
    "how common a class is where the rows come from, such as ill=0.01, if not as in training; once for every "
    "class, or for all but one, which gets the rest",
)
ROWS = option(
    "--rows",
    metavar="TABLE",
    help="the training table, or one like it with its class column: then also the rows are counted that are "
    "like this, and values are named that are out of range or that no row has together",
)
EMPTY = option(
    "--empty",
    choices=("unknown", "missing"),
    help="what an empty cell means in a column that had some in training: unknown, or the state 'missing', "
    "as it was in training (the default)",
)
COSTS = (
    option("--class-that-counts", metavar="CLASS", help="the class to find (default: the rarest one)"),
    number("--miss", "COST", "cost of missing it (default: 1)", 1.0),
    number("--false-alarm", "COST", "cost of deciding it where it is not (default: 1)", 1.0),
)
MEASURING = (
    MODEL,
    given("what is known: a value as in the table (age=64), the name of a state, or more, as for query"),
    several(
        "--cost",
        "NAME=PRICE",
        "the price of measuring an attribute or a group; what is not named costs 1; may be repeated",
    ),
    several(
        "--group", "NAME=A,B,...", "attributes that are measured together for one price; may be repeated"
    ),
    number("--miss", "COST", "what it costs to miss the class --label"),
    number("--false-alarm", "COST", "what it costs to see it where it is not"),
    option("--label", metavar="CLASS", help="the class that counts, for --miss"),
    number(
        "--least",
        "RATE",
        "what measuring must be good for, per price, to be worth it (default: anything in bits; with --miss "
        "more than its price)",
    ),
    option(
        "--ahead",
        type=int,
        choices=(1, 2),
        default=1,
        help="2: look at pairs, too, which may say more together than each alone",
    ),
    option(
        "--table",
        metavar="FILE",
        help="the training table or a sample: needed by models that do not sort numbers into intervals, and "
        "for the error of a flow chart on rows not learned from",
    ),
    option("--class", dest="target", metavar="COLUMN", help="the class column of the table"),
)
PRINT_SIZE = (
    number(
        "--width-mm", "MM", "width of a picture on paper, in millimetres; 85 is a column (default: as drawn)"
    ),
    option("--dpi", type=int, help="pixels per inch of a PNG of that width (default: 300)"),
    number("--font-size", "PT", "size of its text, in points; never beyond the width"),
    flag("--no-legend", "do not say below it how to read it"),
)
EDGE = "joined in the tree; may be repeated. A name may contain colons: the piece is split where both sides"
EDGES = (
    several("--require", "A:B", f"two attributes that are {EDGE} are attributes", dest="required"),
    several("--forbid", "A:B", f"two attributes that are not {EDGE} are attributes", dest="forbidden"),
    option(
        "--structure",
        default="",
        metavar="FILE",
        help="a tree of your own, which is fitted as it is, from JSON, GraphML, BIF or XMLBIF",
    ),
    flag(
        "--price", "also say what the required and forbidden links cost in log-loss on new rows (five folds)"
    ),
)

COMMANDS = (  # in the order of the help
    Command(
        "samples",
        "list the tables that come with the program",
        "learn.samples",
        (flag("--names", "print the names alone"),),
    ),
    Command(
        "repair",
        "say what can be repaired in a table, and write the recipe that does it",
        "learn.repair",
        (
            *TABLE,
            option(
                "--take",
                type=proposals,
                metavar="NUMBERS",
                help="which proposals to take, such as 1,3 (default: all); with it, steps that follow from "
                "others are not looked for",
            ),
            output("write the recipe (JSON), for fit --recipe"),
            option("--table", type=Path, metavar="FILE", help="write the repaired table (CSV)"),
        ),
    ),
    Command(
        "fit",
        "learn a structure and its classifier from a table",
        "learn.fit",
        (
            DATA.but(
                nargs="+",
                help=f"{FORMATS}; several Parquet or CSV files are read in batches; or counts of several "
                "places (pgm-nb count)",
            ),
            TARGET,
            *RECIPE,
            KEEP,
            *EDGES,
            output("save the model, e.g. model.pgmnb"),
            flag(
                "--calibration",
                "say how far the probabilities can be relied on, with much and little known (five folds)",
            ),
            add_model,
        ),
    ),
    Command(
        "count",
        "count a table for others to fit: no row leaves the house",
        "learn.count",
        (
            *TABLE,
            output("the file to write, e.g. here.counts", required=True),
            option(
                "--like",
                type=Path,
                metavar="FILE",
                help="counts whose bins, states and classes are taken over",
            ),
            count_of(
                "--min-cell",
                "N",
                "leave out rows until no shared cell holds fewer than N, unless it is empty",
                1,
            ),
            count_of("--bins", "N", "bins per number (default: 10)"),
        ),
    ),
    Command(
        "predict",
        "classify the rows of a table; writes CSV",
        "ask.predict",
        (
            MODEL,
            DATA.but(help="a file, or the name of a sample; empty cells mean unknown"),
            output("CSV or Parquet to write (default: print CSV)"),
            PRIOR,
        ),
    ),
    Command(
        "query",
        "compute the probability of any variables, given any evidence",
        "ask.query",
        (
            MODEL,
            given(f"what is known: a value as in the table (age=64) or the name of a state, {EVIDENCE}"),
            several("--of", "NAME", "the class (the default) or an attribute; may be repeated", default=None),
            flag("--apart", "each variable on its own instead of all combinations"),
            flag(
                "--likeliest",
                "the most likely case like this: the most probable values, together, of --of, or of "
                "everything that is not given",
            ),
            PRIOR,
            ROWS,
            EMPTY,
        ),
    ),
    Command(
        "next",
        "rank what is not known by what it would say about the class, also per price",
        "ask.following",
        (*MEASURING, PRIOR),
    ),
    Command(
        "questions",
        "draw a few questions that lead to a class as a flow chart, for use on paper",
        "ask.questions",
        (
            *MEASURING,
            count_of("--most", "N", "ask at most so many questions (default: 3)", 3),
            number("--sure", "P", "ask no more once a class has this probability (default: 0.95)", 0.95),
            output("the chart: .svg, .pdf, .png or .dot"),
            *PRINT_SIZE,
        ),
    ),
    Command(
        "explain",
        "explain why a row gets its class, part by part",
        "ask.explain",
        (
            MODEL,
            DATA.but(nargs="?", help="a file, or the name of a sample, that holds the row"),
            count_of("--row", "N", "which row of it (the first is 1)", 1),
            given(f"a value instead of the row's, or without a table all that is known; also {EVIDENCE}"),
            option("--label", metavar="CLASS", help="the class to explain (default: the predicted one)"),
            option(
                "--against",
                metavar="CLASS",
                help="the class to compare it with (default: the likeliest other)",
            ),
            PRIOR,
            ROWS,
            EMPTY,
        ),
    ),
    Command(
        "cases",
        "list the rows of a table with what a model that has not seen them says",
        "judge.cases",
        (
            *TABLE,
            add_orders,
            option("--id", metavar="COLUMN", help="the column that names the rows: shown, and no attribute"),
            folds(10),
            SEED,
            count_of("--most", "N", f"rows to print (default: {SHOWN})", SHOWN),
            output("write all rows as CSV"),
            add_model,
        ),
    ),
    Command(
        "case",
        "ask more about one case: what could change it, what is like it",
        "ask.case",
        (
            MODEL,
            DATA.but(help="the table it was learned from, or one like it: a file, or a sample"),
            count_of("--row", "N", "the case: a row of the table (the first is 1)"),
            given("what is known instead, or without --row all that is known, as for query"),
            option("--label", metavar="CLASS", help="the class asked about (default: the most probable)"),
            flag("--unknowns", "how far each unknown value could move the probability"),
            flag("--changes", "the fewest changes of known values for another class"),
            option("--to", metavar="CLASS", help="the class to reach (default: the next most probable)"),
            several(
                "--changeable",
                "NAME",
                "an attribute that can change (default: all); may be repeated",
                default=None,
            ),
            flag("--numbers", "the ten entries of the tables that it depends on most"),
            count_of("--alike", "N", "the N rows most like --row"),
            count_of("--beside", "N", "compare with this row of the table"),
            EMPTY,
        ),
    ),
    Command(
        "importance",
        "rank the attributes by what they add to predicting the class",
        "judge.importance",
        (
            *TABLE,
            option(
                "--method",
                choices=METHODS,
                default=METHODS[0],
                help="forward: the best next attribute, and what it adds to those before it (the default); "
                "drop: what is lost while one attribute is unknown; share: its Shapley share of all that is "
                "said about the class; redundancy: how much of what it says another attribute has said "
                "already",
            ),
            folds(5),
            SEED,
            JOBS,
            keep("say what it costs to keep only this attribute, instead of ranking; may be repeated"),
            output("CSV to write"),
            add_model,
        ),
    ),
    Command(
        "compare",
        "compare models on the same folds",
        "judge.compare",
        (
            *TABLE,
            option(
                "--with",
                dest="peers",
                type=peer_names,
                default=[],
                metavar="NAMES",
                help="classifiers of scikit-learn: logistic, forest, boosting (default: none)",
            ),
            folds(10),
            count_of("--repeats", "R", "how often the folds are drawn anew (default: 10)", 10),
            SEED,
            JOBS.but(help="processes to run in parallel; -1: one per core (default: 1)"),
            count_of(
                "--rows",
                "N",
                "draw about N rows at random from a larger table, each class by its share (default: all "
                "rows)",
            ),
            output("CSV to write, a row per model and fold"),
            add_models,
        ),
    ),
    Command(
        "decide",
        "from what a miss and a false alarm cost to a threshold, and how good it is",
        "judge.decide",
        (
            *TABLE,
            *COSTS,
            PRIOR,
            folds(10),
            SEED,
            output("write all numbers (.json), or those of every class (.csv)"),
            add_model,
        ),
    ),
    Command(
        "export",
        "write a picture, a graph, or the network for other programs",
        "show.export",
        (
            MODEL,
            output(
                "its ending sets the format: .svg .png .pdf for a picture, .dot .json .graphml for the "
                "graph, .bif .xmlbif .bifxml .xdsl .net .uai for the network with its tables",
                required=True,
            ),
            option(
                "--view",
                help="which of the model's pictures (default: its first one); an unknown name lists them",
            ),
            given(
                "draw the first picture with what is known and what follows from it in its boxes: a value as "
                "in the table (age=64), a range (age=40..50), one of several (colour=red|blue)"
            ),
            *PRINT_SIZE,
        ),
    ),
    Command(
        "growth",
        "show how a model was learned, as an animation or a page",
        "show.growth",
        (
            MODEL,
            output(
                "its ending sets the format: .gif or .webp for an animation, .html for a page with a player "
                "that works offline",
                required=True,
            ),
            option(
                "--view",
                help="which of the model's pictures grows (default: its first one); an unknown name lists "
                "them",
            ),
            option(
                "--seconds",
                type=float,
                default=0.8,
                help="how long a step of an animation stays (default: 0.8)",
            ),
        ),
    ),
    Command(
        "report",
        "write one HTML file with the pictures and all numbers",
        "show.report",
        (
            *TABLE,
            KEEP,
            output("the file, e.g. report.html", required=True),
            option("--title", help="title of the report (default: name of the table)"),
            count_of("--case", "ROW", "row that is explained (default: 1, the first)", 1),
            *COSTS,
            folds(5, "folds of the cross-validation; 0: none"),
            option("--date", help="date on the report (default: today)"),
            add_model,
        ),
    ),
    Command(
        "reproduce",
        "run a paper's protocol and print its figures next to ours",
        "show.reproduce",
        (
            option(
                "paper",
                choices=(*PAPERS, "all"),
                help="which paper; all of them with every experiment: 'all'",
            ),
            option(
                "--data",
                type=Path,
                metavar="DIR",
                help="folder with the tables (NAME.csv, .csv.gz, .parquet or .arff, with a column 'class'); "
                "those that are not there are fetched from OpenML or UCI",
            ),
            option("--tables", metavar="A,B", help="only these tables of the paper"),
            count_of("--repeats", "N", "how often the rows are split"),
            JOBS.but(help="processes (default: 1)"),
            output("write the table: .md or .csv"),
            option("--figures", type=Path, metavar="DIR", help="gnb: draw its Figures 7 to 11 there"),
            option(
                "--results",
                type=Path,
                metavar="FILE",
                help="all: what was measured is kept there and not measured again (default: "
                "reproduction/results.csv in the folder of --docs)",
            ),
            option("--docs", type=Path, metavar="DIR", help="all: write the page of the results there"),
            flag("--stored", "all: run nothing, use the results alone"),
        ),
    ),
    Command(
        "app",
        "open the web app",
        "show.app",
        (
            DATA.but(nargs="?"),
            TARGET,
            option(
                "--port", type=port, help="port on this machine (default: 8501, or the next that is free)"
            ),
            flag("--no-browser", "do not open a browser window"),
            option(
                "--address",
                help="address to listen on, as 0.0.0.0 in a container (default: this machine only)",
            ),
            several(
                "--host",
                "NAME",
                "name under which a proxy passes visitors on (repeat for several); others are refused",
            ),
        ),
    ),
)
