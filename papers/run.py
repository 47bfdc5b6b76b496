"""Run the experiments of the papers, from a file of results where they are there, and report on them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from tqdm import tqdm

from papers.data import Part, RunOptions, Watch, unwatched
from papers.figures import Reproduction
from papers.store import Results, read_results
from pgm_nb.data.text import csv_text
from pgm_nb.errors import DataError
from pgm_nb.files import write_atomically
from pgm_nb.words import did_you_mean, listed, together

__all__ = ["PAPERS", "measure", "missing_parts", "parts_of", "report", "reproduce"]

PAPERS = {  # what a paper is called -> the module of its protocol
    "gnb": "gnb",
    "phnb": "phnb",
    "ptree": "ptree",
    "local-pca": "local_pca",
    "gaussian": "gaussian",
}
ALL = "all"
RESULTS = Path("reproduction") / "results.csv"


def _protocol(paper: str) -> Any:
    if paper not in PAPERS:
        raise DataError(f"there is no paper {paper!r}{did_you_mean(paper, [*PAPERS])} ({listed([*PAPERS])}).")
    return import_module(f"papers.{PAPERS[paper]}")


def parts_of(paper: str) -> tuple[Part, ...]:
    """Return the experiments of a paper; the first is its table of figures.

    Examples
    --------
    >>> parts_of("gnb")[0].name
    'tables'
    """
    found: tuple[Part, ...] = _protocol(paper).PARTS
    return found


def missing_parts(results: Results, papers: tuple[str, ...] = tuple(PAPERS)) -> list[tuple[str, Part, str]]:
    """Return what was not measured yet: paper, experiment and table.

    Examples
    --------
    >>> [(paper, part.name, table) for paper, part, table in missing_parts(Results(), ("gaussian",))]
    [('gaussian', 'shares', 'seeds'), ('gaussian', 'curve', 'seeds'), ('gaussian', 'times', 'seeds')]
    """
    return [
        (paper, part, table)
        for paper in papers
        for part in parts_of(paper)
        for table in part.tables
        if not results.has(paper, part.name, table)
    ]


def measure(
    results: Results,
    options: RunOptions,
    missing: list[tuple[str, Part, str]],
    done: Callable[[], None] = lambda: None,
) -> None:
    """Run experiments and put their figures into the results, one table at a time.

    Parameters
    ----------
    results
        Takes the figures in.
    options
        How to run them; `repeats` of 0 stands for the number that the protocol has.
    missing
        Which ones.
    done
        Called after each.
    """
    for _, part, table in missing:
        results.add(part.measure(table, replace(options, repeats=options.repeats or part.repeats)))
        done()


def report(paper: str, results: Results) -> Reproduction:
    """Hold a paper's figures against those of ours that were measured.

    Examples
    --------
    >>> report("gnb", Results()).figures
    ()
    """
    found: Reproduction = _protocol(paper).report(results)
    return found


def reproduce(
    paper: str,
    folder: str | Path | None = None,
    *,
    repeats: int | None = None,
    tables: tuple[str, ...] = (),
    n_jobs: int = 1,
    watch: Watch | None = None,
) -> Reproduction:
    """Run a paper's protocol and compare its printed figures with ours.

    Parameters
    ----------
    paper : {"gnb", "phnb", "ptree", "local-pca", "gaussian"}
        Which one.
    folder : path, optional
        Folder with the tables; those that are not there are fetched from OpenML or UCI.
    repeats : int, optional
        How often the rows are split, or divided into folds; by default the protocol's own number.
    tables : tuple of str
        Only these of its tables.
    n_jobs : int
        Number of processes; the result does not depend on it.
    watch : callable, optional
        Called with the current table, how many models have been trained, and of how many.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> reproduce("gbn")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pgm_nb.errors.DataError: there is no paper 'gbn'; did you mean 'gnb'? (gnb, phnb, ptree, local-pca, ...
    """
    table_of_figures = [part for part in parts_of(paper) if part.main]
    strange = [name for name in tables if not any(name in part.tables for part in table_of_figures)]
    if strange:
        known, first = table_of_figures[0].tables, strange[0]
        asked = did_you_mean(first, known)
        raise DataError(f"{first!r} is not among the paper's tables{asked} ({listed(known)}).")
    place = None if folder is None else Path(folder)
    options = RunOptions(place, repeats or 0, n_jobs, watch or unwatched)
    results = Results()
    measure(
        results,
        options,
        [(paper, part, table) for part in table_of_figures for table in tables or part.tables],
    )
    return report(paper, results)


def command(options: argparse.Namespace) -> int:
    """Do what ``pgm-nb reproduce`` asks for: one paper's table anew, or every experiment that is missing."""
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
        from papers.gnb import write_figures

        for path in write_figures(options.figures, options.data, tables):
            print(f"written: {path}")
    return 0


def _tables(options: argparse.Namespace) -> tuple[str, ...]:
    return tuple(options.tables.split(",")) if options.tables else ()


def _all(options: argparse.Namespace) -> int:
    """Run what was not measured yet, one table at a time, and write the page."""
    from papers.page import write_page  # which counts the experiments of this module

    if options.output is not None:
        raise DataError("-o is for one paper; with 'all', --docs DIR writes the page")
    path = options.results or (options.docs or Path()) / RESULTS
    results, tables = read_results(path), _tables(options)
    if not options.stored:
        missing = [one for one in missing_parts(results) if not tables or one[2] in tables]
        with _Bars() as bars:
            running = RunOptions(options.data, options.repeats or 0, options.jobs, bars.watch)
            for place, one in enumerate(missing, 1):
                bars.before = f"{one[0]} ({place} of {len(missing)}), "
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
        self.before = ""  # of the name of the table
        self._bar: Any = None

    def __enter__(self) -> _Bars:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def watch(self, table: str, done: int, of: int) -> None:
        """Move the bar, or begin a new one for a new table."""
        if self._bar is None or self._bar.n >= self._bar.total:
            self.__exit__()
            self._bar = tqdm(total=of, desc=f"{self.before}{table}", unit="training", leave=False)
        self._bar.update(done - self._bar.n)
