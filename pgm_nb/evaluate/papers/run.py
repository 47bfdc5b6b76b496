"""Which papers there are, and the one way to run them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from pgm_nb.errors import DataError
from pgm_nb.evaluate.papers.reproduction import Reproduction
from pgm_nb.evaluate.papers.splits import Watch, unwatched
from pgm_nb.words import did_you_mean, listed

__all__ = ["PAPERS", "reproduce"]

PAPERS = {"gnb": "gnb", "phnb": "phnb", "ptree": "ptree", "local-pca": "local_pca", "gaussian": "gaussian"}


def reproduce(
    paper: str,
    folder: str | Path | None = None,
    *,
    repeats: int | None = None,
    tables: tuple[str, ...] = (),
    n_jobs: int = 1,
    watch: Watch = unwatched,
) -> Reproduction:
    """Run a paper's protocol and set its printed figures beside ours.

    Parameters
    ----------
    paper : {"gnb", "phnb", "ptree", "local-pca", "gaussian"}
        Which one.
    folder : path, optional
        Where the tables lie; those that are not there are fetched from OpenML or UCI.
    repeats : int, optional
        How often rows are split (or folds dealt); the protocol's own number if not said.
    tables : tuple of str
        Only these of its tables.
    n_jobs : int
        Processes that share the splits; any number gives the same result.
    watch : callable, optional
        Told the table at work, the trainings done, and of how many.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> reproduce("gbn")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pgm_nb.errors.DataError: there is no paper 'gbn'; did you mean 'gnb'? (gnb, phnb, ptree, local-pca, ...
    """
    if paper not in PAPERS:
        raise DataError(f"there is no paper {paper!r}{did_you_mean(paper, [*PAPERS])} ({listed([*PAPERS])}).")
    protocol = import_module(f"pgm_nb.evaluate.papers.{PAPERS[paper]}")
    chosen = {} if repeats is None else {"repeats": repeats}
    found: Reproduction = protocol.run(
        None if folder is None else Path(folder), n_jobs=n_jobs, tables=tables, watch=watch, **chosen
    )
    return found
