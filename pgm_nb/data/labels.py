"""Readable, distinct names of states: short numbers, and the intervals of a binned column."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

__all__ = ["interval_labels", "number_label", "unique_labels"]

_MOST_DIGITS = 17


def number_label(value: float, digits: int = _MOST_DIGITS) -> str:
    """Return a number with at most `digits` significant digits, whole numbers in full.

    Examples
    --------
    >>> number_label(2.0), number_label(2.5), number_label(0.1 + 0.2, 4), number_label(1234567.8, 4)
    ('2', '2.5', '0.3', '1234568')
    """
    size = abs(value)
    if size and not 1e-4 <= size < 1e15:
        return f"{value:.{digits}g}" if digits < _MOST_DIGITS else repr(value)
    digits = max(digits, len(str(int(size))))
    return np.format_float_positional(value, precision=digits, fractional=False, trim="-")


def interval_labels(cuts: Sequence[float]) -> tuple[str, ...]:
    """Return the names of the bins between the cuts: ``≤ a``, ``(a, b]``, ``> b``.

    Every cut is written in full, so that a label is true of every value in its bin.

    Examples
    --------
    >>> interval_labels([11.366, 12.7, 16.0])
    ('≤ 11.366', '(11.366, 12.7]', '(12.7, 16]', '> 16')
    >>> interval_labels([])
    ('any value',)
    """
    if not cuts:
        return ("any value",)
    edges = [number_label(cut) for cut in cuts]
    inner = (f"({low}, {high}]" for low, high in pairwise(edges))
    return (f"≤ {edges[0]}", *inner, f"> {edges[-1]}")


def unique_labels(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, with repeated ones numbered: ``missing``, ``missing (2)``.

    Examples
    --------
    >>> unique_labels(["1", "missing", "missing"])
    ('1', 'missing', 'missing (2)')
    """
    names = list(names)
    taken = set(names)
    labels: list[str] = []
    for name in names:
        label, number = name, 1
        while label in labels or (number > 1 and label in taken):
            number += 1
            label = f"{name} ({number})"
        labels.append(label)
    return tuple(labels)
