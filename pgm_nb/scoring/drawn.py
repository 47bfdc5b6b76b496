"""Rows drawn at random from a table that is too large to be tested whole."""

from __future__ import annotations

import numpy as np

from pgm_nb.arrays import Places
from pgm_nb.words import plural

__all__ = ["drawn_rows", "drawn_sentence"]


def drawn_rows(truth: Places, most: int | None, seed: int | None) -> Places:
    """Choose rows to test on, if there are too many; every class keeps its share, and two rows at least.

    Parameters
    ----------
    truth : array of int
        Class codes, from 0.
    most : int or None
        About how many rows to choose; None or a number not smaller than the table: all of them.
    seed : int or None
        The same seed chooses the same rows.

    Returns
    -------
    array of int
        Numbers of the rows, ascending, from 0.

    Examples
    --------
    >>> rows = drawn_rows(np.array([0] * 90 + [1] * 10), 20, 0)
    >>> len(rows), int((rows >= 90).sum())
    (20, 2)
    """
    if most is None or len(truth) <= most:
        return np.arange(len(truth))
    rng, chosen = np.random.default_rng(seed), []
    for place in range(int(truth.max()) + 1):
        own = np.flatnonzero(truth == place)
        wanted = min(len(own), max(2, round(most * len(own) / len(truth))))
        chosen.append(rng.choice(own, wanted, replace=False))
    return np.sort(np.concatenate(chosen))


def drawn_sentence(n_rows: int, of_rows: int) -> str:
    """Say which rows were tested, and how many of how many; nothing if it was all of them.

    Examples
    --------
    >>> print(drawn_sentence(5000, 67557))
    Tested on 5,000 of 67,557 rows, drawn at random; every class has the share that it has in the table.
    >>> drawn_sentence(150, 150)
    ''
    """
    if n_rows >= of_rows:
        return ""
    return (
        f"Tested on {n_rows:,} of {plural(of_rows, 'row')}, drawn at random; every class has the share that "
        "it has in the table."
    )
