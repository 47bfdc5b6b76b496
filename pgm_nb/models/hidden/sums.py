"""The sums sum_j W_ij P(ai | aj, c) of coded rows, by NumPy or compiled code, and their logarithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts.dense import one_blas_thread
from pgm_nb.counts.kernels import CompiledModule, in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pgm_nb.arrays import Codes, Floats
    from pgm_nb.counts import Counts
    from pgm_nb.models.hidden.mixtures import Mixtures

__all__ = [
    "COMPILED",
    "log_mixtures",
    "mixture_sums",
    "numpy_nanoseconds",
    "sum_of_logarithms",
    "use_compiled",
]

KERNELS = ("auto", "numpy", "compiled")
COMPILED = CompiledModule("pgm_nb.models.hidden.compiled", load_seconds=1.0, compile_seconds=4.0)
_CELLS = 1 << 18  # numbers that NumPy handles at once: 2 MB
_MANY_PAIRS = 1 << 12  # from here on NumPy takes one row after the other
_FACTORS = 4  # attributes whose sums the compiled kernel multiplies; few, so that threads share the work
_COMPILED_NS = 0.25  # per member, row and class
_LEAST = 1e-260  # products may become as small as this


def numpy_nanoseconds(n_pairs: int, n_rows: int, n_classes: int) -> float:
    """Estimate how long NumPy needs for the mixtures of some rows.

    Examples
    --------
    >>> numpy_nanoseconds(870, 569, 2) < 1e8 < numpy_nanoseconds(57_360, 2_000, 10)
    True
    """
    return n_pairs * n_rows * (12.0 + 12.0 * n_classes) + 1e5


def use_compiled(kernel: str, counts: Counts, n_pairs: int, n_rows: int) -> bool:
    """Return whether to use the compiled kernel; "auto" does so where the waiting pays.

    The compiled kernel lays out a small table per member, which some dozens of rows must pay for.
    """
    seconds = 1e-9 * numpy_nanoseconds(n_pairs, n_rows, counts.n_classes)
    if counts.pairs.dtype != np.int32 or (kernel == "auto" and n_rows < np.mean(counts.cards) ** 2 / 4):
        kernel = "numpy"
    return COMPILED.chosen(kernel, KERNELS, seconds)


def mixture_sums(model: Mixtures, codes: Codes, *, compiled: bool = False, n_threads: int = 1) -> Floats:
    """sum_j W_ij P(ai | aj, c) over the known members j, for every owner, class and row: (a, k, rows)."""
    if compiled:
        return _compiled_products(model, codes, 1, n_threads)
    return _numpy_sums(model, codes, n_threads)


def log_mixtures(model: Mixtures, codes: Codes, *, compiled: bool, n_threads: int) -> Floats:
    """Sum over the owners of log P(ai | hidden parent, c), (rows, k)."""
    known = codes < np.asarray(model.counts.cards)[:, None]
    whole = known.all(axis=0)
    if whole.any() and not whole.all():  # a few rows with gaps must not slow the others
        result = np.empty((codes.shape[1], model.counts.n_classes))
        for rows in (whole, ~whole):
            part = np.ascontiguousarray(codes[:, rows])
            result[rows] = log_mixtures(model, part, compiled=compiled, n_threads=n_threads)
        return result
    complete = bool(whole.all())
    factors = _FACTORS if compiled and complete and model.smallest > _LEAST ** (1 / _FACTORS) else 1
    if factors > 1:
        products = _compiled_products(model, codes, factors, n_threads)
    else:
        products = mixture_sums(model, codes, compiled=compiled, n_threads=n_threads)
    if not complete:
        _repair(model, codes, known, products)
    return sum_of_logarithms(products, model.smallest**factors)


def sum_of_logarithms(values: Floats, smallest: float) -> Floats:
    """Sum of log values over the first axis, (rows, k) from (..., k, rows).

    The values, none below `smallest` and none above one, are multiplied as long as their product cannot be
    too small for a float; only then is a logarithm taken.

    Examples
    --------
    >>> sum_of_logarithms(np.full((3, 2, 1), np.exp(-1.0)), 0.1)
    array([[-3., -3.]])
    """
    most = max(1, int(np.log(_LEAST) / np.log(min(smallest, 0.5)))) if smallest > 0 else 1
    total = np.zeros(values.shape[1:])
    for first in range(0, len(values), most):
        total += np.log(np.multiply.reduce(values[first : first + most], axis=0))
    return total.T


def _compiled_products(model: Mixtures, codes: Codes, factors: int, n_threads: int) -> Floats:
    """Multiply the sums of so many owners at a time, (a / factors, k, rows)."""
    from pgm_nb.models.hidden.compiled import multiply_mixtures

    counts = model.counts
    n_products = -(-len(model.owners) // factors)
    products = np.empty((n_products, counts.n_classes, codes.shape[1]))
    arguments = (
        np.ascontiguousarray(codes, dtype=np.uint16),
        np.asarray(counts.cards, dtype=np.int64),
        *(model.owners, model.starts, model.members, model.weights),
        counts.pairs.astype(np.int32, copy=False),
        np.empty(0) if model.tables is None else model.tables.cells,
        *(*model.layout, model.inverse_lanes, model.states),
        *(float(model.smoothing), factors, products),
    )
    sizes = np.add.reduceat(np.diff(model.starts), np.arange(0, len(model.owners), factors))
    in_threads(
        lambda first, last: multiply_mixtures(*arguments, first, last),
        sizes * (_COMPILED_NS * products[0].size),
        n_threads,
    )
    return products


def _numpy_sums(model: Mixtures, codes: Codes, n_threads: int) -> Floats:
    """Gather one count per member, row and class; rows in pieces that stay in the cache."""
    k, n, n_pairs = model.counts.n_classes, codes.shape[1], len(model.members)
    sums = np.zeros((len(model.owners), k, n))
    alone = n_pairs >= _MANY_PAIRS  # so many that a row is work enough
    step = 1 if alone else max(1, _CELLS // n_pairs)

    def task(first: int, last: int) -> None:
        for piece in range(first, last):
            rows = slice(piece * step, (piece + 1) * step)
            if alone:
                _add_row(model, codes[:, piece].astype(np.intp), sums[:, :, piece])
            else:
                _add_rows(model, codes[:, rows].astype(np.intp), sums[:, :, rows])

    work = np.full(-(-n // step), numpy_nanoseconds(n_pairs, min(n, step), k))
    in_threads(task, work, n_threads)
    return sums


def _add_rows(model: Mixtures, code: NDArray[np.intp], sums: Floats) -> None:
    """Write the sums of a few rows."""
    counts, cards = model.counts, np.asarray(model.counts.cards)
    own, other = model.owners[model.owner_of], model.members
    begin, own_stride, other_stride, class_stride = (array[:, None] for array in model.layout)
    imaginary = (model.smoothing / cards[own])[:, None]
    known = code < cards[:, None]
    code[~known] = 0
    share = model.weights[:, None] * known[other] if not known.all() else model.weights[:, None]
    pair = begin + own_stride * code[own] + other_stride * code[other]
    alone = counts.n_classes * model.states[other][:, None] + code[other]
    for c in range(counts.n_classes):
        if model.tables is not None:
            smoothed = model.tables.cells[pair + c * class_stride]
        else:
            smoothed = counts.pairs[pair + c * class_stride] + imaginary
            smoothed *= model.inverse[alone + c * cards[other][:, None]]  # P(ai | aj, c)
        smoothed *= share
        np.add.reduceat(smoothed, model.starts[:-1], axis=0, out=sums[:, c])


def _add_row(model: Mixtures, code: NDArray[np.intp], sums: Floats) -> None:
    """Write the sums of one row of many attributes, (a, k); what is needed twice is looked up once.

    Most of the time goes into waiting for the memory: the table of two attributes is read for both of them,
    and for all classes at once.
    """
    counts, cards, k = model.counts, np.asarray(model.counts.cards), model.counts.n_classes
    begin, own_stride, other_stride, _ = model.layout
    first, which, of_class = model.distinct
    known = code < cards
    code[~known] = 0
    pair = begin + own_stride * np.repeat(code[model.owners], np.diff(model.starts))
    pair += other_stride * code.take(model.members)
    table = counts.pairs if model.tables is None else model.tables.cells
    cells = np.ascontiguousarray(table.take(pair.take(first)[:, None] + of_class).T)
    states = k * model.states[:-1] + code
    imaginary = model.smoothing / cards[model.owners]
    for c in range(k):
        of_member = known * (model.inverse[states + c * cards] if model.tables is None else 1.0)
        share = model.weights * of_member.take(model.members)  # W_ij / (n(c,aj) + m)
        found = np.add.reduceat(cells[c].take(which) * share, model.starts[:-1])
        if model.tables is None:
            found += imaginary * np.add.reduceat(share, model.starts[:-1])
        sums[:, c] = found


def _repair(model: Mixtures, codes: Codes, known: NDArray[np.bool_], mixture: Floats) -> None:
    """Scale the weights of what is known up to one, and set the factor of what is unknown to one."""
    with one_blas_thread(model.shares.size * known.shape[1], large=1 << 20):  # many thin products
        left = model.shares @ known.astype(np.float64)  # the weight that is left of every bag, (a, rows)
    bare = left <= 0
    mixture /= np.where(bare, 1.0, left)[:, None]
    for place in np.flatnonzero(bare.any(axis=1)):
        owner, rows = model.owners[place], np.flatnonzero(bare[place])
        table = np.exp(model.alone.tables[owner])  # P(ai | c), (k, v)
        mixture[place][:, rows] = table[:, np.minimum(codes[owner, rows], table.shape[1] - 1)]
    np.copyto(mixture, 1.0, where=~known[model.owners][:, None])
