"""Counts of sets of columns: n(y, s1, ..., sq), and n(y, S, x) of one set S with each of many columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Ints, Places
from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count

__all__ = ["COMPILED", "Contexts", "contexts", "set_counts", "tables_with"]

COMPILED = CompiledModule("pgm_nb.counts.compiled_sets", load_seconds=0.8, compile_seconds=2.0)
_SHORT = 1 << 32  # numbers below this need four bytes
_NS = 3.0  # nanoseconds that NumPy needs for a row of a table


@dataclass(frozen=True, eq=False)
class Contexts:
    """The class and the states of some columns as one number per row.

    Attributes
    ----------
    codes : array (n,)
        The number of each row.
    size : int
        How many numbers there are.
    classes : array (size,)
        The class of each number.
    """

    codes: NDArray[np.uint32]
    size: int
    classes: Ints


def contexts(codes: Codes, y: Ints, cards: Sequence[int], n_classes: int, columns: Sequence[int]) -> Contexts:
    """Give a number to every combination of the class and the states of some columns.

    Where there are more combinations than rows, only those that occur get a number.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1, 1]], dtype=np.uint8)
    >>> contexts(codes, np.array([0, 1, 1, 0]), (2,), 2, [0]).codes
    array([0, 3, 3, 1], dtype=uint32)
    """
    size, whole = n_classes, n_classes * prod(cards[c] for c in columns)
    kind: Any = np.uint32 if whole < _SHORT else np.int64
    number: NDArray[Any] = np.asarray(y, dtype=kind)
    classes = np.arange(n_classes)
    for column in columns:
        number = number * kind(cards[column]) + codes[column]
        size *= cards[column]
        classes = np.repeat(classes, cards[column])
        if size > max(len(number), n_classes) and whole > len(number):
            found, number = np.unique(number, return_inverse=True)
            classes, size = classes[found], len(found)
    return Contexts(number.astype(np.uint32, copy=False), size, classes)


def tables_with(given: Contexts, codes: Codes, cards: Sequence[int], columns: Sequence[int]) -> list[Ints]:
    """Count each of some columns in every context, (contexts, v) each.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1], [0, 0, 2]], dtype=np.uint8)
    >>> given = contexts(codes, np.array([0, 0, 0]), (2, 3), 1, [0])
    >>> tables_with(given, codes, (2, 3), [1])[0].tolist()
    [[1, 0, 0], [1, 0, 1]]
    """
    n = len(given.codes)
    if not COMPILED.chosen("auto", ("auto",), _NS * 1e-9 * n * len(columns)):
        numbers = given.codes.astype(np.int64)
        return [
            np.bincount(numbers * cards[c] + codes[c], minlength=given.size * cards[c]).reshape(-1, cards[c])
            for c in columns
        ]
    from pgm_nb.counts import compiled_sets

    wide = np.ascontiguousarray(codes, dtype=np.uint16)
    places = np.array(columns, dtype=np.int64)
    sizes = np.array([cards[c] for c in columns], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(given.size * sizes)))
    cells = np.zeros(int(starts[-1]), dtype=np.int64)

    def fill(first: int, last: int) -> None:
        compiled_sets.add_contexts(given.codes, wide, places, sizes, starts, cells, first, last)

    in_threads(fill, np.full(len(columns), float(n)), thread_count(None))
    return [cells[a:b].reshape(-1, v) for a, b, v in zip(starts[:-1], starts[1:], sizes, strict=True)]


def set_counts(codes: Codes, y: Ints, cards: Sequence[int], n_classes: int, columns: Sequence[int]) -> Ints:
    """Return n(y, x1, ..., xq) of some columns as an array (k, v1, ..., vq).

    Examples
    --------
    >>> codes = np.array([[0, 1, 1], [0, 0, 1]], dtype=np.uint8)
    >>> set_counts(codes, np.array([0, 0, 0]), (2, 2), 1, [0, 1]).tolist()
    [[[1, 0], [1, 1]]]
    """
    shape = (n_classes, *(cards[c] for c in columns))
    number: Places = np.asarray(y, dtype=np.intp)
    for column in columns:
        number = number * cards[column] + codes[column]
    return np.bincount(number, minlength=prod(shape)).reshape(shape)
