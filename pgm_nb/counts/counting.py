"""From coded rows to `Counts`: checks, the choice of kernel, and accumulation over blocks of rows."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pgm_nb.counts import dense, planes
from pgm_nb.counts.kernels import thread_count
from pgm_nb.counts.table import Counts, Layout
from pgm_nb.errors import DataError

__all__ = ["KERNELS", "checked_block", "checked_layout", "count", "count_blocks"]

KERNELS = ("auto", "numpy", "bitset", "histogram")

_MAX_ROWS = 2**31 - 1  # rows whose counts fit in 32 bits
_BLOCK_BYTES = 256 * 2**20  # bit planes held at a time

Block = tuple[NDArray[np.unsignedinteger], NDArray[np.int64]]


def count(
    codes: ArrayLike,
    y: ArrayLike,
    cards: Sequence[int],
    n_classes: int,
    *,
    n_threads: int | None = None,
    kernel: str = "auto",
) -> Counts:
    """Count n(y), n(y, xi) and n(y, xi, xj) for all pairs of attributes.

    Parameters
    ----------
    codes : array of shape (d, n)
        The states of each attribute, 0 <= codes[i] < cards[i], a row of the array per attribute.
    y : array of shape (n,)
        The classes, 0 <= y < n_classes.
    cards : sequence of int
        The number of states of each attribute, seen or not.
    n_classes : int
        The number of classes, seen or not.
    n_threads : int, optional
        Threads of the compiled kernels, by default one per processor core; any number gives the same result.
    kernel : {"auto", "numpy", "bitset", "histogram"}
        How to count; every choice gives the same integers. "auto" takes the fastest.

    Returns
    -------
    Counts

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.array([[0, 1, 1], [0, 0, 2]], dtype=np.uint8)
    >>> counts = count(codes, [0, 1, 1], cards=(2, 3), n_classes=2)
    >>> counts.y
    array([1, 2], dtype=int32)
    >>> counts.pair(1, 0)[1]
    array([[0, 1],
           [0, 0],
           [0, 1]], dtype=int32)
    """
    return count_blocks([(codes, y)], cards, n_classes, n_threads=n_threads, kernel=kernel)


def count_blocks(
    blocks: Iterable[tuple[ArrayLike, ArrayLike]],
    cards: Sequence[int],
    n_classes: int,
    *,
    n_threads: int | None = None,
    kernel: str = "auto",
) -> Counts:
    """Count rows that come in blocks, as `count` does; memory holds the tables and one block.

    Parameters
    ----------
    blocks : iterable of (codes, y)
        The rows, see `count`.
    cards, n_classes, n_threads, kernel
        As for `count`.

    Examples
    --------
    >>> import numpy as np
    >>> codes, y = np.array([[0, 1, 1], [0, 0, 2]], dtype=np.uint8), np.array([0, 1, 1])
    >>> halves = [(codes[:, :1], y[:1]), (codes[:, 1:], y[1:])]
    >>> count_blocks(halves, (2, 3), 2) == count(codes, y, (2, 3), 2)
    True
    """
    layout = checked_layout(cards, n_classes)
    layout.check_size(0)
    threads = thread_count(n_threads)
    whole: Counts | None = None
    part = _Running(layout)
    for codes, y in blocks:
        for block_codes, block_y in _pieces(*checked_block(codes, y, layout), layout):
            if part.n_rows + len(block_y) > _MAX_ROWS:
                whole, part = part.added_to(whole), _Running(layout)
            part.add(block_codes, block_y, threads, kernel)
    total = part.added_to(whole)
    if total.n_rows == 0:
        raise DataError("counting needs at least one row, got none; check the filter or the file")
    return total


class _Running:
    """Counts of fewer than 2^31 rows, growing in place."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.n_rows = 0
        self.y = np.zeros(layout.n_classes, dtype=np.int32)
        self.singles = np.zeros(layout.n_classes * sum(layout.cards), dtype=np.int32)
        self.pairs = np.zeros(layout.n_cells, dtype=np.int32)

    def add(
        self, codes: NDArray[np.unsignedinteger], y: NDArray[np.int64], n_threads: int, kernel: str
    ) -> None:
        self.n_rows += len(y)
        self.y += np.bincount(y, minlength=self.layout.n_classes).astype(np.int32)
        seconds = dense.numpy_seconds(self.layout, len(y))
        if planes.COMPILED.chosen(kernel, KERNELS, seconds):
            limit = planes.bit_limit(kernel, self.layout, len(y))
            planes.add_block(codes, y, self.layout, limit, n_threads, self.singles, self.pairs)
        else:
            dense.add_block(codes, y, self.layout, self.singles, self.pairs)

    def added_to(self, whole: Counts | None) -> Counts:
        mine = Counts(self.layout.cards, self.layout.n_classes, self.n_rows, self.y, self.singles, self.pairs)
        return mine if whole is None else whole + mine


def checked_layout(cards: Sequence[int], n_classes: int) -> Layout:
    """Return where the tables of columns with so many states are, or refuse them."""
    layout = Layout(tuple(int(v) for v in cards), int(n_classes))
    if not layout.cards:
        raise DataError(
            "counting needs at least one attribute column, got none; keep a column beside the class"
        )
    if layout.n_classes < 1 or not all(1 <= v <= 2**16 - 1 for v in layout.cards):
        raise DataError(
            "every column must have between 1 and 65,535 states and there must be a class, got "
            f"{layout.n_classes} classes and columns of {min(layout.cards):,} to "
            f"{max(layout.cards):,} states; use fewer bins or merge rare states"
        )
    return layout


def checked_block(codes: ArrayLike, y: ArrayLike, layout: Layout) -> Block:
    """Return the block as unsigned codes, each column contiguous, and 64-bit classes."""
    states, classes = np.asarray(codes), np.asarray(y)
    d = len(layout.cards)
    if states.ndim != 2 or states.shape[0] != d or classes.shape != states.shape[1:]:
        raise DataError(
            "codes must have a row per column of the table and y a class per row: expected shapes "
            f"({d}, n) and (n,), got {states.shape} and {classes.shape}"
        )
    if states.dtype.kind not in "iu" or classes.dtype.kind not in "iu":
        raise DataError(
            f"codes and classes must be whole numbers, got {states.dtype} and {classes.dtype}; "
            "encode the table first"
        )
    if states.size:
        _check_codes(states, layout)
    if classes.size and not 0 <= int(classes.min()) <= int(classes.max()) < layout.n_classes:
        raise DataError(
            f"classes must be codes from 0 to {layout.n_classes - 1}, got {classes.min()} to {classes.max()}"
        )
    dtype = states.dtype if states.dtype in (np.uint8, np.uint16) else np.uint16
    return np.ascontiguousarray(states, dtype=dtype), np.ascontiguousarray(classes, dtype=np.int64)


def _check_codes(codes: NDArray[np.integer], layout: Layout) -> None:
    largest = codes.max(axis=1)
    wrong = largest >= np.asarray(layout.cards)
    if codes.dtype.kind == "i":
        wrong |= codes.min(axis=1) < 0
    if wrong.any():
        i = int(np.argmax(wrong))
        raise DataError(
            f"column {i} has {layout.cards[i]} states, so its codes must be from 0 to {layout.cards[i] - 1}, "
            f"got {codes[i].min()} to {largest[i]}; rows with an unknown value cannot be counted"
        )


def _pieces(codes: NDArray[np.unsignedinteger], y: NDArray[np.int64], layout: Layout) -> Iterator[Block]:
    """Cut a block so that its bit planes stay small."""
    most = max(2**16, 8 * _BLOCK_BYTES // sum(layout.cards))
    if 0 < len(y) <= most:
        yield codes, y
        return
    for start in range(0, len(y), most):
        rows = slice(start, start + most)
        yield np.ascontiguousarray(codes[:, rows]), y[rows]
