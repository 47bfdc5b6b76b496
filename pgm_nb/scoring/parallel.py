"""Independent pieces of work, one after the other or in several processes, with progress."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable
from typing import TypeVar

__all__ = ["Progress", "in_parallel", "part_of"]

Progress = Callable[[float], object]  #: takes the fraction done, 0 to 1; may raise to cancel
In = TypeVar("In")
Out = TypeVar("Out")


def in_parallel(
    work: Callable[[In], Out],
    items: Iterable[In],
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    watch: Callable[[list[Out]], object] | None = None,
) -> list[Out]:
    """Return ``[work(item) for item in items]``, in this order for any `n_jobs`.

    `watch` is called with the results so far and `progress` with the fraction done, after each item; if
    one of them raises, the remaining work is cancelled.

    Examples
    --------
    >>> done = []
    >>> in_parallel(abs, [-1, 2], progress=done.append), done
    ([1, 2], [0.5, 1.0])
    """
    items = list(items)
    running = _running(work, items, n_jobs)
    results = []
    try:
        for result in running:
            results.append(result)
            if watch is not None:
                watch(results)
            if progress is not None:
                progress(len(results) / len(items))
    finally:
        with warnings.catch_warnings():  # joblib warns that unfinished work was cancelled, as intended
            warnings.simplefilter("ignore")
            running.close()
    return results


def part_of(progress: Progress | None, start: float, end: float) -> Progress | None:
    """Return the progress of one part of the work, which lies between two fractions of the whole.

    Examples
    --------
    >>> done = []
    >>> part_of(done.append, 0.5, 1.0)(0.5), done
    (None, [0.75])
    """
    return None if progress is None else lambda fraction: progress(start + (end - start) * fraction)


def _running(work: Callable[[In], Out], items: list[In], n_jobs: int) -> Generator[Out]:
    if n_jobs == 1:
        return (work(item) for item in items)
    from joblib import Parallel, delayed

    found: Generator[Out] = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(work)(item) for item in items
    )
    return found
