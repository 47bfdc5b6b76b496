"""``pgm-nb reproduce``: run a paper's protocol and print its figures next to ours."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError
from pgm_nb.words import together

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]

NAMES = ("gnb", "phnb", "ptree", "local-pca", "gaussian")
ALL = "all"
RESULTS = Path("reproduction") / "results.csv"


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "reproduce", help="run a paper's protocol and print its figures next to ours"
    )
    parser.add_argument(
        "paper", choices=(*NAMES, ALL), help="which paper; all of them with every experiment: 'all'"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder with the tables (NAME.csv, .csv.gz, .parquet or .arff, with a column 'class'); those "
        "that are not there are fetched from OpenML or UCI",
    )
    parser.add_argument("--tables", metavar="A,B", help="only these tables of the paper")
    parser.add_argument("--repeats", type=int, metavar="N", help="how often the rows are split")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the table: .md or .csv")
    parser.add_argument("--figures", type=Path, metavar="DIR", help="gnb: draw its Figures 7 to 11 there")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="all: what was measured is kept there and not measured again (default: reproduction/results.csv "
        "in the folder of --docs)",
    )
    parser.add_argument("--docs", type=Path, metavar="DIR", help="all: write the page of the results there")
    parser.add_argument("--stored", action="store_true", help="all: run nothing, use the results alone")
    parser.set_defaults(run=_reproduce)


def _reproduce(options: argparse.Namespace) -> int:
    if options.repeats is not None and options.repeats < 1:
        raise DataError(f"--repeats must be 1 or more, but is {options.repeats}")
    if options.output is not None and options.output.suffix not in (".md", ".csv"):
        raise DataError(f"{options.output} must end in .md or .csv")
    if options.figures is not None and options.paper != "gnb":
        raise DataError("only the gnb paper has figures to draw; leave --figures out")
    if options.paper == ALL:
        return _all(options)
    given = [f"--{name}" for name in ("results", "docs", "stored") if getattr(options, name)]
    if given:
        raise DataError(f"{together(given)} is for 'reproduce all'; leave it out, or ask for all papers")
    from pgm_nb.data.text import csv_text
    from pgm_nb.evaluate.papers import reproduce
    from pgm_nb.files import write_atomically

    tables = _tables(options)
    with _Bars() as bars:
        found = reproduce(
            options.paper,
            options.data,
            repeats=options.repeats,
            tables=tables,
            n_jobs=options.jobs,
            watch=bars.watch,
        )
    if options.output is not None:  # written before anything is printed: see `fit`
        text = found.markdown() if options.output.suffix == ".md" else csv_text(found.to_frame())
        write_atomically(options.output, text.encode())
    print(found.text())
    if options.output is not None:
        print(f"written: {options.output}")
    if options.figures is not None:
        from pgm_nb.evaluate.papers.gnb_curves import write_figures

        for path in write_figures(options.figures, options.data, tables):
            print(f"written: {path}")
    return 0


def _tables(options: argparse.Namespace) -> tuple[str, ...]:
    return tuple(options.tables.split(",")) if options.tables else ()


def _all(options: argparse.Namespace) -> int:
    """Run what was not measured yet, one table at a time, and write the page."""
    from pgm_nb.evaluate.papers.page import write_page
    from pgm_nb.evaluate.papers.reproduction import PAPERS, measure, missing_parts, report
    from pgm_nb.evaluate.papers.splits import RunOptions
    from pgm_nb.evaluate.papers.store import read_results

    if options.output is not None:
        raise DataError("-o is for one paper; with 'all', --docs DIR writes the page")
    path = options.results or (options.docs or Path()) / RESULTS
    results, tables = read_results(path), _tables(options)
    if not options.stored:
        missing = [one for one in missing_parts(results) if not tables or one[2] in tables]
        with _Bars() as bars:
            running = RunOptions(options.data, options.repeats or 0, options.jobs, bars.watch)
            for one in missing:
                measure(results, running, [one])
                results.write(path)
    for paper in PAPERS:
        found = report(paper, results)
        print(f"{paper}: {found.remarks()[0]}")
    for paper, part, table in missing_parts(results):
        print(f"not measured: {paper}, {part.name}, {table}")
    for written in write_page(options.docs, results) if options.docs is not None else ():
        print(f"written: {written}")
    return 0


class _Bars:
    """A progress bar for the table at work."""

    def __init__(self) -> None:
        self._table = ""
        self._bar: Any = None

    def __enter__(self) -> _Bars:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def watch(self, table: str, done: int, of: int) -> None:
        """Move the bar, or begin a new one for a new table."""
        from tqdm import tqdm

        if self._bar is None or self._bar.n >= self._bar.total:
            self.__exit__()
            self._bar = tqdm(total=of, desc=table, unit="training", leave=False)
        self._bar.update(done - self._bar.n)
