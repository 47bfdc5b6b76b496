"""Run the experiments of the papers, from a file of results where they are there, and report on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from pgm_nb.errors import DataError
from pgm_nb.evaluate.papers.figures import Reproduction
from pgm_nb.evaluate.papers.splits import Part, RunOptions, Watch, unwatched
from pgm_nb.evaluate.papers.store import Results
from pgm_nb.words import did_you_mean, listed

__all__ = ["PAPERS", "measure", "missing_parts", "parts_of", "report", "reproduce"]

PAPERS = {  # what a paper is called -> the module of its protocol
    "gnb": "gnb",
    "phnb": "phnb",
    "ptree": "ptree",
    "local-pca": "local_pca",
    "gaussian": "gaussian",
}


def _protocol(paper: str) -> Any:
    if paper not in PAPERS:
        raise DataError(f"there is no paper {paper!r}{did_you_mean(paper, [*PAPERS])} ({listed([*PAPERS])}).")
    return import_module(f"pgm_nb.evaluate.papers.{PAPERS[paper]}")


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
