"""The counts of one table: n(y), n(y, xi) and n(y, xi, xj) for all pairs of attributes, packed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import rebuilt, stored
from pgm_nb.errors import DataError

__all__ = ["MAX_BYTES", "Counts", "Layout", "count_dtype"]

MAX_BYTES = 4 * 2**30  # pair tables larger than this are refused

Integers = NDArray[np.integer]


def count_dtype(n_rows: int) -> np.dtype[np.signedinteger]:
    """Return the integer type that holds every count of `n_rows` rows.

    Examples
    --------
    >>> count_dtype(1000)
    dtype('int32')
    >>> count_dtype(2**31)
    dtype('int64')
    """
    return np.dtype(np.int32 if n_rows < 2**31 else np.int64)


@dataclass(frozen=True)
class Layout:
    """The places of the tables in the packed arrays, all computed from the cards.

    The pairs come in the order (0,1), (0,2), ..., (1,2), ...; a pair's table is (k, v_i, v_j) in C order.

    Examples
    --------
    >>> layout = Layout(cards=(2, 3, 2), n_classes=2)
    >>> layout.n_pairs, layout.n_cells
    (3, 32)
    >>> layout.pair_start(0, 1), layout.pair_start(0, 2), layout.pair_start(1, 2)
    (0, 12, 20)
    >>> layout.pair_starts()
    array([ 0, 12, 20, 32])
    """

    cards: tuple[int, ...]
    n_classes: int

    __reduce__ = rebuilt

    @property
    def n_pairs(self) -> int:
        """The number of pairs of attributes, d(d-1)/2."""
        return len(self.cards) * (len(self.cards) - 1) // 2

    @property
    def n_cells(self) -> int:
        """The number of cells in all pair tables: k (V^2 - sum v_i^2) / 2 with V = sum v_i."""
        return self.n_classes * (sum(self.cards) ** 2 - sum(v * v for v in self.cards)) // 2

    def states(self) -> NDArray[np.int64]:
        """Return the first state of each column, all states numbered in a row; the last entry is V."""
        return np.concatenate(([0], np.cumsum(self.cards, dtype=np.int64)))

    def column_starts(self) -> NDArray[np.int64]:
        """Return where the tables (i, i+1), (i, i+2), ... of each column i begin, and the end."""
        cards = np.asarray(self.cards, dtype=np.int64)
        later = sum(self.cards) - self.states()[1:]  # states of the columns after i
        return np.concatenate(([0], np.cumsum(self.n_classes * cards * later, dtype=np.int64)))

    @property
    def first_states(self) -> list[int]:
        """What `states` gives as plain numbers, computed once."""
        return self._places[0]

    def pair_start(self, i: int, j: int) -> int:
        """Return where the table of the pair i < j begins."""
        states, starts = self._places
        return starts[i] + self.n_classes * self.cards[i] * (states[j] - states[i + 1])

    @cached_property
    def _places(self) -> tuple[list[int], list[int]]:
        """Return `states` and `column_starts` as plain numbers, computed once."""
        return self.states().tolist(), self.column_starts().tolist()

    def pair_starts(self) -> NDArray[np.int64]:
        """Return where the table of each pair begins, in order; the last entry is the end."""
        cards = np.asarray(self.cards, dtype=np.int64)
        sizes = [self.n_classes * cards[i] * cards[i + 1 :] for i in range(len(cards) - 1)]
        return np.cumsum(np.concatenate(([0], *sizes)), dtype=np.int64)

    def check_size(self, n_rows: int) -> None:
        """Refuse pair tables that would not fit, and name the columns with most states."""
        needed = self.n_cells * count_dtype(n_rows).itemsize
        if needed <= MAX_BYTES:
            return
        widest = sorted(range(len(self.cards)), key=lambda i: (-self.cards[i], i))[:3]
        most = ", ".join(f"column {i} ({self.cards[i]:,} states)" for i in widest)
        raise DataError(
            f"the tables of all pairs of {len(self.cards):,} columns must fit in "
            f"{MAX_BYTES / 2**30:.0f} GiB, but need {needed / 2**30:,.1f} GiB; most states: {most}. "
            "Merge states of these columns, or use fewer bins or fewer columns."
        )


@dataclass(frozen=True, eq=False)
class Counts:
    """n(y), n(y, xi) and n(y, xi, xj) for all pairs of attributes: integer, immutable, additive.

    Parameters
    ----------
    cards : tuple of int
        The number of states v_i of each attribute.
    n_classes : int
        The number of classes k.
    n_rows : int
        The number of rows counted; where rows have real weights, their sum.
    y : array of shape (k,)
        n(y).
    singles : array of shape (k * sum v_i,)
        The tables n(y, xi), each (k, v_i) in C order, one after the other.
    pairs : array
        The tables n(y, xi, xj) for i < j, each (k, v_i, v_j) in C order, in the order of `Layout`.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> codes = np.array([[0, 1, 1], [0, 0, 2]], dtype=np.uint8)
    >>> counts = count(codes, np.array([0, 1, 1]), cards=(2, 3), n_classes=2)
    >>> counts.single(1)
    array([[1, 0, 0],
           [1, 0, 1]], dtype=int32)
    >>> counts.pair(0, 1)[1]
    array([[0, 0, 0],
           [1, 0, 1]], dtype=int32)
    >>> (counts + counts).n_rows
    6
    """

    cards: tuple[int, ...]
    n_classes: int
    n_rows: float
    y: NDArray[Any]
    singles: NDArray[Any]
    pairs: NDArray[Any]

    __reduce__ = rebuilt

    def __post_init__(self) -> None:
        for name in ("y", "singles", "pairs"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @cached_property
    def layout(self) -> Layout:
        """The places of the tables."""
        return Layout(self.cards, self.n_classes)

    def single(self, i: int) -> Integers:
        """Return n(y, xi) as an array of shape (k, v_i)."""
        (i,) = self._columns(i)
        start = self.n_classes * self.layout.first_states[i]
        size = self.n_classes * self.cards[i]
        return self.singles[start : start + size].reshape(self.n_classes, self.cards[i])

    def pair(self, i: int, j: int) -> Integers:
        """Return n(y, xi, xj) as an array of shape (k, v_i, v_j), for i != j in either order."""
        i, j = self._columns(i, j)
        if i == j:
            raise DataError(
                f"a pair needs two different columns, got {i} twice; use single({i}) for one column"
            )
        a, b = min(i, j), max(i, j)
        shape = (self.n_classes, self.cards[a], self.cards[b])
        start = self.layout.pair_start(a, b)
        table = self.pairs[start : start + shape[0] * shape[1] * shape[2]].reshape(shape)
        return table if i < j else table.transpose(0, 2, 1)

    def pack(self) -> tuple[dict[str, Any], dict[str, Integers]]:
        """Return what JSON holds, and arrays by name, for a file.

        Examples
        --------
        >>> import numpy as np
        >>> from pgm_nb.counts import count
        >>> counts = count(np.array([[0, 1], [1, 0]], dtype=np.uint8), [0, 1], cards=(2, 2), n_classes=2)
        >>> Counts.unpack(*counts.pack()) == counts
        True
        """
        description = {"cards": self.cards, "n_classes": self.n_classes, "n_rows": self.n_rows}
        return description, {"y": self.y, "singles": self.singles, "pairs": self.pairs}

    @classmethod
    def unpack(cls, description: Mapping[str, Any], arrays: Mapping[str, Integers]) -> "Counts":
        """Read what `pack` gave; tables of another size are a ValueError."""
        layout = Layout(tuple(description["cards"]), description["n_classes"])
        sizes = {
            "y": layout.n_classes,
            "singles": layout.n_classes * sum(layout.cards),
            "pairs": layout.n_cells,
        }
        kind = "numbers" if arrays["y"].dtype.kind == "f" else "whole numbers"
        found = {n: stored(arrays, n, (size,), kind, least=0) for n, size in sizes.items()}
        same = np.allclose if kind == "numbers" else np.array_equal
        counts = cls(layout.cards, layout.n_classes, description["n_rows"], **found)
        d = len(counts.cards)
        tables = [(counts.single(i), counts.y) for i in range(d)]
        tables += [(counts.pair(i, j), counts.single(i)) for i in range(d) for j in range(i + 1, d)]
        if not same(counts.y.sum(), counts.n_rows) or not all(
            same(table.sum(axis=-1), total) for table, total in tables
        ):
            raise ValueError("the counts do not add up")
        return counts

    def relaid(self, places: Sequence[NDArray[np.integer]], cards: Sequence[int]) -> "Counts":
        """Return the same counts in tables with more states.

        Parameters
        ----------
        places : sequence of arrays
            The code that each state of each column has there.
        cards : sequence of int
            The numbers of states there.

        Examples
        --------
        >>> import numpy as np
        >>> from pgm_nb.counts import count
        >>> counts = count(np.array([[0, 1, 1]], dtype=np.uint8), [0, 0, 1], cards=(2,), n_classes=2)
        >>> counts.relaid([np.array([0, 2])], (3,)).single(0)
        array([[1, 0, 1],
               [0, 0, 1]], dtype=int32)
        """
        layout, d = Layout(tuple(cards), self.n_classes), len(cards)
        layout.check_size(int(self.n_rows))
        sizes = self.n_classes * sum(layout.cards), layout.n_cells
        singles, pairs = (np.zeros(size, dtype=self.singles.dtype) for size in sizes)
        found = Counts(layout.cards, self.n_classes, self.n_rows, self.y, singles, pairs)
        classes, start = np.arange(self.n_classes), 0
        for i in range(d):
            here = singles[self.n_classes * layout.first_states[i] :][: self.n_classes * cards[i]]
            here.reshape(self.n_classes, -1)[:, places[i]] = self.single(i)
            for j in range(i + 1, d):
                size = self.n_classes * cards[i] * cards[j]
                table = pairs[start : start + size].reshape(self.n_classes, cards[i], cards[j])
                table[np.ix_(classes, places[i], places[j])] = self.pair(i, j)
                start += size
        return found

    def fits(self, cards: Sequence[int]) -> bool:
        """Say whether the counts are those of columns with so many states.

        Examples
        --------
        >>> import numpy as np
        >>> from pgm_nb.counts import count
        >>> count(np.zeros((1, 3), dtype=np.uint8), [0, 0, 0], cards=(2,), n_classes=1).fits((3,))
        False
        """
        return self.cards == tuple(cards)

    def _columns(self, *columns: int) -> Sequence[int]:
        d = len(self.cards)
        for i in columns:
            if not -d <= i < d:
                raise DataError(f"a column must be between 0 and {d - 1}, got {i}")
        return [int(i) % d for i in columns]

    def __add__(self, other: "Counts") -> "Counts":
        if not isinstance(other, Counts):
            return NotImplemented
        if (self.cards, self.n_classes) != (other.cards, other.n_classes):
            raise DataError(
                "counts can be added only when they have the same columns, states and classes, got cards "
                f"{_short(self.cards)} with {self.n_classes} classes and {_short(other.cards)} with "
                f"{other.n_classes}; encode both tables with the same encoder"
            )
        n_rows = self.n_rows + other.n_rows
        dtype: np.dtype[Any] = count_dtype(int(n_rows))
        if "f" in (self.y.dtype.kind, other.y.dtype.kind):  # weights or forgetting
            dtype = np.dtype(np.float64)
        y, singles, pairs = (
            np.add(mine, theirs, dtype=dtype)
            for mine, theirs in (
                (self.y, other.y),
                (self.singles, other.singles),
                (self.pairs, other.pairs),
            )
        )
        return Counts(self.cards, self.n_classes, n_rows, y, singles, pairs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return (
            (self.cards, self.n_classes, self.n_rows) == (other.cards, other.n_classes, other.n_rows)
            and np.array_equal(self.y, other.y)
            and np.array_equal(self.singles, other.singles)
            and np.array_equal(self.pairs, other.pairs)
        )


def _short(cards: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, cards[:6]))
    return f"({shown}, ...; {len(cards)} columns)" if len(cards) > 6 else f"({shown})"
