"""A sample of the rows of a stream that does not depend on how the stream is cut into batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Ints

__all__ = ["SAMPLE_ROWS", "RowSample", "row_keys"]

SAMPLE_ROWS = 100_000  # of a stream that are held
SEED = np.uint64(0x9E3779B97F4A7C15)


def row_keys(start: int, n: int) -> NDArray[np.uint64]:
    """Return a fixed random number for each of the rows start, start + 1, ... (splitmix64).

    Examples
    --------
    >>> np.array_equal(row_keys(3, 4), row_keys(0, 7)[3:])
    True
    """
    with np.errstate(over="ignore"):
        z = (np.arange(start, start + n, dtype=np.uint64) + np.uint64(1)) * SEED
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


class RowSample:
    """The rows of a stream with the smallest keys, in the order of the stream; all rows while they are few.

    Every row has the same chance, and the rows chosen depend on their numbers alone, not on the batches.

    Parameters
    ----------
    size : int
        Rows that are held.
    limit : int, optional
        The largest key that can be among them, if the stream has been read before: see `limit`.

    Examples
    --------
    >>> sample = RowSample(3)
    >>> for start in (0, 4):
    ...     sample.add(start, [np.arange(start, start + 4)])
    >>> whole = RowSample(3)
    >>> whole.add(0, [np.arange(8)])
    >>> np.array_equal(sample.rows()[0], whole.rows()[0]), sample.seen
    (True, 8)
    """

    def __init__(self, size: int = SAMPLE_ROWS, *, limit: int | None = None) -> None:
        self.size, self.seen = size, 0
        self._keys: list[NDArray[np.uint64]] = []
        self._numbers: list[Ints] = []
        self._parts: list[list[Any]] = []  # arrays or frames with a row per key
        self._held = 0
        self._limit = np.uint64(2**64 - 1 if limit is None else limit)

    @property
    def limit(self) -> int:
        """No row with a larger key can be among those held."""
        self._trim()
        return int(self._limit)

    @property
    def whole(self) -> bool:
        """Whether no row has been left out."""
        return self.seen <= self.size

    def add(self, start: int, parts: list[Any]) -> None:
        """Take rows into account: the number of the first, and arrays or frames with these rows."""
        n = len(parts[0])
        keys = row_keys(start, n)
        self.seen += n
        chosen = np.flatnonzero(keys <= self._limit)
        if len(chosen) == 0:
            return
        self._append(keys[chosen], start + chosen, [_take(part, chosen) for part in parts])

    def merge(self, other: RowSample) -> None:
        """Take the rows of another sample into account."""
        self.seen += other.seen
        for keys, numbers, parts in zip(other._keys, other._numbers, other._parts, strict=True):
            self._append(keys, numbers, parts)

    def _append(self, keys: NDArray[np.uint64], numbers: Ints, parts: list[Any]) -> None:
        self._keys.append(keys)
        self._numbers.append(numbers)
        self._parts.append(parts)
        self._held += len(keys)
        if self._held > 2 * self.size:
            self._trim()

    def _trim(self) -> None:
        """Keep the smallest keys, in the order of the rows, in one piece."""
        if not self._keys:
            return
        keys, numbers = np.concatenate(self._keys), np.concatenate(self._numbers)
        parts = [_joined(pieces) for pieces in zip(*self._parts, strict=True)]
        if len(keys) > self.size:
            kept = np.argpartition(keys, self.size - 1)[: self.size]
            self._limit = keys[kept].max()
        else:
            kept = np.arange(len(keys))
        kept = kept[np.argsort(numbers[kept], kind="stable")]
        self._keys, self._numbers = [keys[kept]], [numbers[kept]]
        self._parts = [[_take(part, kept) for part in parts]]
        self._held = len(kept)

    def rows(self) -> list[Any]:
        """Return the rows of the sample, as the arrays or frames that were added."""
        self._trim()
        return self._parts[0]


def _take(part: Any, rows: Ints) -> Any:
    return part.iloc[rows] if hasattr(part, "iloc") else part[rows]


def _joined(pieces: Any) -> Any:
    if not hasattr(pieces[0], "iloc"):
        return np.concatenate(pieces)
    import pandas as pd

    return pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)
