"""Threads over pieces of work; the compiled kernels release the interpreter lock."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from pgm_nb.errors import DataError

__all__ = ["in_threads", "thread_count"]

_WORTH_NS = 300_000  # below it threads cost more than they bring


def thread_count(n_threads: int | None) -> int:
    """Return the number of threads: the one asked for, or the processor cores this process may use.

    Examples
    --------
    >>> thread_count(3), thread_count(None) >= 1
    (3, True)
    """
    if n_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_threads < 1:
        raise DataError(f"n_threads must be 1 or more, or None for all cores, got {n_threads}")
    return n_threads


def in_threads(task: Callable[[int, int], None], work: NDArray[np.float64], n_threads: int) -> None:
    """Run task(first, last) over all items, cut into pieces of about equal work.

    Parameters
    ----------
    task : callable
        Handles the items first, ..., last - 1; must not depend on other pieces.
    work : array
        The estimated nanoseconds of each item.
    n_threads : int
        How many threads to use.

    Examples
    --------
    >>> import numpy as np
    >>> done = []
    >>> in_threads(lambda first, last: done.extend(range(first, last)), np.full(4, 1e6), n_threads=2)
    >>> sorted(done)
    [0, 1, 2, 3]
    """
    ends = np.cumsum(work)
    if n_threads == 1 or len(work) < 2 or ends[-1] < _WORTH_NS:
        task(0, len(work))
        return
    cuts = np.searchsorted(ends, np.linspace(0, ends[-1], 8 * n_threads + 1)[1:-1])
    bounds = np.unique(np.concatenate(([0], cuts, [len(work)])))
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(task, bounds[:-1].tolist(), bounds[1:].tolist()))
