"""Rows drawn at random from a long text, without reading it cell by cell."""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

__all__ = ["Lines", "drawn"]

SEED = 0


def drawn(classes: NDArray[np.integer], size: int) -> NDArray[np.bool_]:
    """Return which rows are drawn: at random, of every class its share (at least one row).

    Examples
    --------
    >>> drawn(np.array([0] * 90 + [1] * 10), 20).reshape(10, 10).sum(axis=1)[-1]
    np.int64(2)
    """
    n = len(classes)
    counts = np.bincount(classes - classes.min()) if n else np.zeros(1, dtype=np.intp)
    order = np.lexsort((np.random.default_rng(SEED).random(n), classes))
    rank = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    allowed = np.array([max(1, ceil(count * size / max(n, 1))) for count in counts])
    kept = np.zeros(n, dtype=bool)
    kept[order] = rank < np.repeat(allowed, counts)
    return kept


@dataclass(frozen=True, eq=False)
class Lines:
    r"""Where the lines of a text end (line breaks inside quotes do not count), from a start on.

    Examples
    --------
    >>> text = b'a\n"b\nb"\nc\n'
    >>> lines = Lines.of(text, 0)
    >>> len(lines), lines.only(text, np.array([True, False, True]))
    (3, b'a\nc\n')
    """

    start: int
    ends: NDArray[np.intp]

    @classmethod
    def of(cls, content: bytes, start: int) -> "Lines":
        """Find the lines that are not empty."""
        letters = np.frombuffer(content, dtype=np.uint8)[start:]
        ends = np.flatnonzero(letters == ord("\n")) + 1
        quotes = np.flatnonzero(letters == ord('"'))
        if len(quotes):
            ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        if len(letters) and (len(ends) == 0 or ends[-1] < len(letters)):
            ends = np.append(ends, len(letters))
        empty = np.diff(ends, prepend=0) <= 1 + (letters[np.maximum(ends - 2, 0)] == ord("\r"))
        return cls(start, ends[~empty])

    def __len__(self) -> int:
        return len(self.ends)

    def only(self, content: bytes, kept: NDArray[np.bool_]) -> bytes:
        """Return the text before the start, and those of its lines that are kept."""
        letters = np.frombuffer(content, dtype=np.uint8)
        chosen = np.repeat(kept, np.diff(self.ends, prepend=0))
        last = self.start + len(chosen)
        return content[: self.start] + letters[self.start : last][chosen].tobytes()
