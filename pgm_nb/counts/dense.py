"""The NumPy kernel: one-hot matrix products for columns of few states, `bincount` for the others.

The counts of one class are Z'Z, with Z the one-hot rows of that class. Z is single precision, which is exact
as long as no count of one block passes 2^24; blocks are smaller, so that memory stays bounded too.
"""

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Ints
from pgm_nb.counts.table import Layout

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["add_block", "numpy_seconds", "one_blas_thread"]

_FEW_STATES = 16  # above it a bincount of a pair is cheaper than its share of the matrix product
_BLOCK_BYTES = 64 * 2**20  # one-hot rows held at a time
_STRIP_STATES = 256  # states of the first columns multiplied at a time
_LARGE = 2**25  # multiplications (a millisecond) from which it pays to look for the BLAS threads


def add_block(
    codes: Codes, y: Ints, layout: Layout, singles: NDArray[np.int32], pairs: NDArray[np.int32]
) -> None:
    """Add the counts of a block of rows to the packed arrays, in place.

    Examples
    --------
    >>> import numpy as np
    >>> singles, pairs = np.zeros(4, dtype=np.int32), np.zeros(4, dtype=np.int32)
    >>> codes = np.array([[0, 1, 1], [0, 0, 1]], dtype=np.uint8)
    >>> add_block(codes, np.zeros(3, dtype=np.int64), Layout((2, 2), 1), singles, pairs)
    >>> singles, pairs
    (array([1, 2, 2, 1], dtype=int32), array([1, 0, 1, 1], dtype=int32))
    """
    cards, states = np.asarray(layout.cards, dtype=np.int64), layout.n_classes * layout.states()
    for i, (card, column) in enumerate(zip(layout.cards, codes, strict=True)):
        table = np.bincount(y * card + column, minlength=layout.n_classes * card)
        singles[states[i] : states[i + 1]] += table.astype(np.int32)
    few = np.flatnonzero(cards <= _FEW_STATES)
    with one_blas_thread(len(y) * int(cards[few].sum()) ** 2):
        _add_products(codes, y, layout, few, pairs)
    _add_bincounts(codes, y, layout, set(np.flatnonzero(cards > _FEW_STATES).tolist()), pairs)


def numpy_seconds(layout: Layout, n_rows: int) -> float:
    """Estimate how long the NumPy kernel needs.

    Examples
    --------
    >>> numpy_seconds(Layout((5,) * 30, 2), 569) < 0.02 < numpy_seconds(Layout((5,) * 30, 2), 100_000) < 0.2
    True
    """
    cards = np.asarray(layout.cards)
    few = cards <= _FEW_STATES
    narrow, wide = int(cards[few].sum()), int((~few).sum())
    products = n_rows * narrow * (narrow / 55 + 2.0)
    bincounts = wide * (len(cards) - 1) * (n_rows * 4.0 + 5000.0)
    return (products + bincounts + 12.0 * layout.n_cells) * 1e-9


def one_blas_thread(multiplications: int, large: int = _LARGE) -> AbstractContextManager[object]:
    """Keep a large product on one core: BLAS threads wait in busy loops when they share the machine.

    Examples
    --------
    >>> with one_blas_thread(10):
    ...     np.eye(2) @ np.eye(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return _blas().limit(limits=1, user_api="blas") if multiplications > large else nullcontext()


@lru_cache(maxsize=1)
def _blas() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _add_products(codes: Codes, y: Ints, layout: Layout, columns: Ints, pairs: NDArray[np.int32]) -> None:
    """Count the pairs among `columns` by Z'Z, class by class, in blocks of rows."""
    if len(columns) < 2:
        return
    cards = np.asarray(layout.cards, dtype=np.int64)[columns]
    states = np.concatenate(([0], np.cumsum(cards)))
    block = int(min(2**24, max(1, _BLOCK_BYTES // (4 * states[-1]))))
    order = np.argsort(y, kind="stable")
    ends = np.cumsum(np.bincount(y, minlength=layout.n_classes)).tolist()
    for c, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        for first in range(start, end, block):
            rows = order[first : min(first + block, end)]
            one_hot = np.empty((states[-1], len(rows)), dtype=np.float32)
            for column, state, card in zip(columns, states[:-1], cards, strict=True):
                one_hot[state : state + card] = codes[column, rows] == np.arange(card)[:, None]
            _add_strips(one_hot, c, layout, columns, states, pairs)


def _add_strips(
    one_hot: NDArray[np.float32],
    c: int,
    layout: Layout,
    columns: Ints,
    states: Ints,
    pairs: NDArray[np.int32],
) -> None:
    """Add Z'Z of class `c` to the packed tables; only columns after the first one are multiplied."""
    cards, all_states, starts = np.diff(states), layout.states(), layout.column_starts()
    owner = np.repeat(np.arange(len(columns)), cards)  # the column of each state
    within = np.arange(states[-1]) - states[owner]
    first = 0
    while first < len(columns) - 1:
        last = max(first + 1, int(np.searchsorted(states, states[first] + _STRIP_STATES, "right")) - 1)
        strip = (one_hot[states[first] : states[last]] @ one_hot[states[first] :].T).astype(np.int32)
        for i in range(first, min(last, len(columns) - 1)):
            v, later = cards[i], slice(states[i + 1], None)
            u, between = cards[owner[later]], all_states[columns[owner[later]]] - all_states[columns[i] + 1]
            cell = starts[columns[i]] + layout.n_classes * v * between + c * v * u + within[later]
            own = slice(states[i] - states[first], states[i + 1] - states[first])
            pairs[cell + np.arange(v)[:, None] * u] += strip[own, states[i + 1] - states[first] :]
        first = last


def _add_bincounts(codes: Codes, y: Ints, layout: Layout, wide: set[int], pairs: NDArray[np.int32]) -> None:
    """Count every pair that has a column of `wide`, one `bincount` each."""
    starts, states, k = layout.column_starts(), layout.states(), layout.n_classes
    d = len(layout.cards)
    for i in range(d - 1 if wide else 0):
        v = layout.cards[i]
        first = y * v + codes[i]
        for j in range(i + 1, d) if i in wide else sorted(w for w in wide if w > i):
            u = layout.cards[j]
            at = int(starts[i] + k * v * (states[j] - states[i + 1]))
            pairs[at : at + k * v * u] += np.bincount(first * u + codes[j], minlength=k * v * u).astype(
                np.int32
            )
