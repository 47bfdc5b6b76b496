"""Readable, distinct names of states: short numbers, intervals of a binned column, a class by its name."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from pgm_nb.errors import QueryError
from pgm_nb.words import did_you_mean, listed

__all__ = ["class_place", "fact", "interval_labels", "number_label", "unique_labels"]

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
    if digits >= _MOST_DIGITS:
        return repr(float(value)).removesuffix(".0")
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


def class_place(label: Any, classes: Iterable[Any]) -> int:
    """Return the place of a class among all of them; it may be given as text.

    Examples
    --------
    >>> class_place("ill", ["ill", "well"]), class_place("1", [0, 1])
    (0, 1)
    """
    known = list(classes)
    for place, candidate in enumerate(known):
        if candidate == label or str(candidate) == str(label):
            return place
    names = [str(name) for name in known]
    raise QueryError(
        f"there is no class {label!r}{did_you_mean(str(label), names)} (classes: {listed(names)})"
    )


def fact(name: str, label: str, *, is_interval: bool) -> str:
    """Say which state a variable has; an interval needs no equals sign.

    Examples
    --------
    >>> fact("sex", "male", is_interval=False), fact("age", "> 60", is_interval=True)
    ('sex = male', 'age > 60')
    >>> fact("age", "(40, 60]", is_interval=True)
    'age in (40, 60]'
    """
    if not is_interval or label[:1].isalnum():  # `missing` is no interval
        return f"{name} = {label}"
    return f"{name} in {label}" if label.startswith("(") else f"{name} {label}"
