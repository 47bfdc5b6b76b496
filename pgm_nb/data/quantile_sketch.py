"""Quantiles of more numbers than memory holds, by a sketch of which not every number is a part.

Up to `EXACT` numbers are kept as they are. Beyond, every block of 512 numbers is sorted, and one of each four
neighbours is taken into the sketch: the first, second, third or fourth of all fours, drawn anew for every
block. A rank in a block is then right on average, with a variance of at most 4. With n numbers the variance
of a rank is at most 4 n / 512, so its share of n is within 2.6 / sqrt(128 n) 99 times in 100: 0.063% at
`EXACT` numbers, 0.007% at ten million. The sketch adds 0.07%.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.errors import needed

__all__ = ["EXACT", "QuantileSketch", "new_sketch"]

SKETCH_SIZE = 4096  # a rank is within 0.07% with a probability of 99%
EXACT = 1 << 17  # numbers up to which all of them are sketched
BLOCK, NEIGHBOURS = 512, 4


class QuantileSketch:
    """Numbers of which quantiles are asked for later; two of them merge.

    Examples
    --------
    >>> sketch = QuantileSketch()
    >>> sketch.update(np.arange(1, 101.0))
    >>> sketch.most
    100.0
    """

    def __init__(self) -> None:
        self.most = -np.inf
        self._held: list[Floats] = []  # numbers that are not in the sketch
        self._size = 0
        self._sketch: Any = None
        self._random: np.random.Generator | None = None

    def update(self, values: Floats) -> None:
        """Take numbers into account."""
        if not len(values):
            return
        self.most = max(self.most, float(values.max()))
        self._held.append(np.array(values, dtype=float))  # the sketch needs an array that can be written to
        self._size += len(values)
        if self._sketch is not None or self._size > EXACT:
            self._thin_out()

    def merge(self, other: QuantileSketch) -> None:
        """Take the numbers of another sketch into account."""
        self.most = max(self.most, other.most)
        if other._sketch is not None:
            if self._sketch is None:
                self._sketch = new_sketch()
            self._sketch.merge(other._sketch)
        self._held += other._held
        self._size += other._size
        if self._sketch is not None or self._size > EXACT:
            self._thin_out()

    def quantiles(self, shares: Sequence[float]) -> list[float]:
        """Return the numbers below which these shares of all lie."""
        return [float(value) for value in self.filled().get_quantiles(list(shares))]

    def filled(self) -> Any:
        """Return a sketch that has all numbers."""
        found = new_sketch()
        held = np.concatenate([np.zeros(0), *self._held])
        if self._sketch is None:
            found.update(held)
            return found
        found.merge(self._sketch)
        found.update(np.sort(held)[NEIGHBOURS // 2 :: NEIGHBOURS].copy())  # less than a block
        return found

    def _thin_out(self) -> None:
        """Take one of four neighbours of every whole block into the sketch."""
        if self._size < BLOCK:
            return
        if self._sketch is None:
            self._sketch = new_sketch()
        values = self._held[0] if len(self._held) == 1 else np.concatenate(self._held)
        whole = len(values) // BLOCK * BLOCK
        blocks = values[:whole].reshape(-1, BLOCK)
        blocks.sort(axis=1)
        if self._random is None:  # another one for the numbers of another part
            self._random = np.random.default_rng(crc32(blocks[0].tobytes()))
        drawn = self._random.integers(0, NEIGHBOURS, len(blocks))
        groups = blocks.reshape(len(blocks), -1, NEIGHBOURS)
        self._sketch.update(groups[np.arange(len(blocks)), :, drawn].ravel())
        self._held, self._size = [values[whole:].copy()], len(values) - whole


def new_sketch() -> Any:
    """Return an empty sketch of the library."""
    with needed("datasketches", "quantile sketches", "bins from a sample work without it"):
        from datasketches import kll_doubles_sketch
    return kll_doubles_sketch(SKETCH_SIZE)
