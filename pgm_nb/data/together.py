"""Equally filled intervals of many number columns at once: the same cut points as column by column."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Flags, Floats, Ints
from pgm_nb.data.blocks import Block
from pgm_nb.data.column import Column
from pgm_nb.data.discretize import between, quantile_places, short_number
from pgm_nb.data.encode import in_threads
from pgm_nb.data.labels import number_label

__all__ = ["learn_together", "quantile_columns", "short_numbers"]

MOST_ROWS = 1 << 14  # of longer columns each is work enough
_AT_ONCE = 1 << 18  # cells that are sorted together
_EXACT = 2.0**53  # whole numbers up to here are themselves in double precision
_POWERS = 10.0 ** np.arange(23)  # the powers of ten that are
_DIGITS = 18  # that are tried at most, as in `short_number`
_NEAR = 1e-6  # so near to a half, or to a power of ten, rounding is left to Python


def learn_together(
    blocks: Sequence[Block], names: Sequence[str], n_bins: int, n_threads: int | None
) -> dict[int, Column]:
    """Learn the columns of floats of a table that have nothing special, some in each thread; by place.

    Examples
    --------
    >>> block = Block(np.array([3]), np.arange(20.0)[None])
    >>> learn_together([block], ["a", "b", "c", "d"], 2, None)[3].cuts
    (9.5,)
    """
    parts = []
    for block in blocks:
        if block.is_float and block.cells.shape[1] <= MOST_ROWS:
            step = max(1, _AT_ONCE // block.cells.shape[1])
            parts += [(block, slice(start, start + step)) for start in range(0, len(block.places), step)]

    if not parts:
        return {}

    def learn(part: tuple[Block, slice]) -> dict[int, Column]:
        block, some = part
        places = block.places[some].tolist()
        found = quantile_columns(block.cells[some], [names[place] for place in places], n_bins)
        return {places[i]: column for i, column in found.items()}

    known: dict[int, Column] = {}
    for found in in_threads(learn, parts, sum(block.cells.size for block in blocks), n_threads):
        known |= found
    return known


def quantile_columns(cells: NDArray[Any], names: Sequence[str], n_bins: int) -> dict[int, Column]:
    """Learn columns by quantiles as `learn_numbers` does; those with anything special are left out.

    Parameters
    ----------
    cells : array of shape (columns, rows)
        Their cells.
    names : sequence of str
        Their names.
    n_bins : int
        The most bins. Columns with no more distinct values, with missing cells, or with many equal values at
        a quantile are left out.

    Examples
    --------
    >>> rows = np.array([[0.13, 2.27, 3.94, 5.0], [1.0, 1.0, 1.0, 1.0]])
    >>> quantile_columns(rows, ["dose", "site"], 2)[0].states
    ('≤ 3', '> 3')
    """
    n = cells.shape[1]
    if not n_bins < n <= MOST_ROWS:
        return {}
    ordered = np.array(cells, dtype=np.float64, order="C")
    ordered.sort(axis=1)  # NaN last
    below, above, weight = quantile_places(n, n_bins)
    low, high = ordered[:, below], ordered[:, above]
    with np.errstate(invalid="ignore", over="ignore"):
        edges = between(low, high, weight)
        plain = ((low <= edges) & (edges < high)).all(axis=1)  # no value at a quantile occurs twice
    plain &= np.isfinite(ordered[:, [0, -1]]).all(axis=1)
    plain &= np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1) >= n_bins  # too many for states
    chosen = np.flatnonzero(plain)
    if not len(chosen):
        return {}
    cuts = short_numbers(low[plain], high[plain])
    found = {}
    for place, own in zip(chosen.tolist(), cuts.tolist(), strict=True):
        marks = [number_label(cut) for cut in own]
        inner = [f"({left}, {right}]" for left, right in pairwise(marks)]
        states = (f"≤ {marks[0]}", *inner, f"> {marks[-1]}")
        found[place] = Column(names[place], "numeric", states, tuple(own))
    return found


def short_numbers(low: Floats, high: Floats) -> Floats:
    """Return `short_number(low, high, middle)` of every gap between two numbers, to the last bit.

    Examples
    --------
    >>> short_numbers(np.array([11.36, 2.0]), np.array([11.37, 3.0]))
    array([11.365,  2.5  ])
    """
    shape, low, high = low.shape, low.ravel(), high.ravel()
    aim = low / 2 + high / 2
    reach = np.minimum(aim - low, high - aim) / 2
    size = np.maximum(np.abs(low), np.abs(high))
    with np.errstate(divide="ignore"):
        power = np.log10(size)
    usual = np.isfinite(power) & (np.abs(power - np.rint(power)) > _NEAR)
    digits = -np.floor(np.where(usual, power, 0.0)).astype(np.int64)
    found, left = np.empty(len(aim)), np.flatnonzero(usual)
    strange = [np.flatnonzero(~usual)]
    for more in range(_DIGITS):
        near, certain = _rounded(aim[left], digits[left] + more)
        strange.append(left[~certain])
        good = certain & (np.abs(near - aim[left]) <= reach[left]) & (low[left] < near) & (near < high[left])
        found[left[good]] = near[good]
        left = left[certain & ~good]
        if not len(left):
            break
    for place in np.concatenate([left, *strange]).tolist():
        found[place] = short_number(float(low[place]), float(high[place]), float(aim[place]))
    return found.reshape(shape)


def _rounded(values: Floats, digits: Ints) -> tuple[Floats, Flags]:
    """Round as Python does to so many digits; also return where this is certain to be the same."""
    possible = np.abs(digits) < len(_POWERS)
    scale = _POWERS[np.where(possible, np.abs(digits), 0)]
    with np.errstate(over="ignore"):
        scaled = np.where(digits >= 0, values * scale, values / scale)
        whole = np.rint(scaled)
        certain = possible & (np.abs(whole) < _EXACT / 2) & (np.abs(np.abs(scaled - whole) - 0.5) > _NEAR)
        rounded: Floats = np.where(digits >= 0, whole / scale, whole * scale) + 0.0
    certain &= np.abs(rounded) < _EXACT
    return rounded, certain
