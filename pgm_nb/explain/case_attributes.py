"""An attribute as people see and set it: its states, a typical value of each, and how common they are."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from pgm_nb.arrays import Floats
from pgm_nb.data import Column
from pgm_nb.data.frame import numbers
from pgm_nb.explain.case_reader import MISSING, number_text
from pgm_nb.explain.protocols import Value
from pgm_nb.inference import Evidence, Variable

__all__ = ["CaseAttribute", "case_attribute", "state_of", "typical_value"]


@dataclass(frozen=True)
class CaseAttribute:
    """One attribute as people see and set it.

    Examples
    --------
    >>> age = CaseAttribute(Column("age", "numeric", ("≤ 40", "> 40"), cuts=(40.0,)), ("31", "64"))
    >>> age.state(50.0), age.state(None)
    (1, None)
    """

    column: Column
    texts: tuple[str, ...]  #: the value that choosing each state sets, as `CaseReader` reads it
    shares: tuple[float, ...] = ()  #: how common each state is in the table

    @property
    def name(self) -> str:
        """Name of the attribute."""
        return self.column.name

    @property
    def is_number(self) -> bool:
        """Whether any number is a value of it."""
        return self.column.kind == "numeric"

    def state(self, value: Value | Evidence | None) -> int | None:
        """Return the place of a value among the states; None if it has no place."""
        return None if isinstance(value, Evidence) else state_of(self.column, value)

    def value(self, state: int) -> Value | None:
        """Return the value that stands for a state; None for an empty cell."""
        if self.column.missing_state and state == self.column.card - 1:
            return None
        return float(self.texts[state]) if self.column.cuts is not None else self.column.states[state]

    def weights(self, value: Value | Evidence | None) -> Floats:
        """Return the likelihood of every state, given what is known of the attribute.

        Examples
        --------
        >>> from pgm_nb.inference.evidence import between
        >>> age = CaseAttribute(Column("age", "numeric", ("≤ 40", "> 40"), cuts=(40.0,)), ("31", "64"))
        >>> age.weights(between(0, 30)), age.weights(50.0)
        (array([1., 0.]), array([0., 1.]))
        """
        if isinstance(value, Evidence):
            return Variable(self.name, self.column.labels, self.column).likelihood(value)
        found = np.zeros(self.column.card)
        state = self.state(value)
        found[... if state is None else state] = 1
        return found


def state_of(column: Column, value: Value | None) -> int | None:
    """Return the place of a value among the states of a column (None: an empty cell); None without a place.

    Examples
    --------
    >>> sex = Column("sex", "categorical", ("f", "m", "missing"), missing_state=True)
    >>> state_of(sex, "m"), state_of(sex, None), state_of(sex, "x")
    (1, 2, None)
    """
    if value is None:
        return column.card - 1 if column.missing_state else None
    if column.cuts is not None and isinstance(value, float | int | np.number):
        return bisect_left(column.cuts, value)  # the number of cuts below it
    return column.states.index(value) if value in column.states else None


def case_attribute(column: Column, cells: pd.Series) -> CaseAttribute:
    """Return an attribute as people set it, by the cells of the table."""
    counted = np.bincount(column.encode(cells), minlength=column.card)[: column.card]
    return CaseAttribute(column, _texts(column, cells), tuple((counted / max(1, counted.sum())).tolist()))


def _texts(column: Column, cells: pd.Series) -> tuple[str, ...]:
    """Return the value that stands for each state: for an interval, a typical number of the table."""
    if column.cuts is None:
        texts = [number_text(s) if isinstance(s, float) else str(s) for s in column.states]
    else:
        values, edges = numbers(cells), (-np.inf, *column.cuts, np.inf)
        texts = [number_text(typical_value(values, low, high)) for low, high in pairwise(edges)]
    if column.missing_state:
        texts[column.card - 1 :] = [MISSING]
    return tuple(texts)


def typical_value(cells: Floats, low: float, high: float) -> float:
    """Return a typical number of the interval (low, high]: the median of its cells, else its upper end.

    Examples
    --------
    >>> typical_value(np.array([1.0, 2.0, 3.0, 9.0]), 1.0, 4.0)
    3.0
    """
    inside = np.sort(cells[(cells > low) & (cells <= high)])
    if len(inside):
        return float(inside[len(inside) // 2])
    return high if math.isfinite(high) else low + max(1.0, abs(low))
