"""A joint log score as a sum: one addend for each step of the model; for forests see `inference.terms`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats

__all__ = ["Terms"]


@dataclass(frozen=True, eq=False)
class Terms:
    """A joint log score as a sum, in natural logs: log P(y, x) = prior[y] + sum over s of values[:, s, y].

    The sum is up to a constant per row. A step is one factor of the model; a prefix of the steps is a
    smaller model, so the cumulative sum scores all of them at once.

    Attributes
    ----------
    names : tuple of str
        What each step is called, such as "worst area" or "component 2 of cluster 1".
    attributes : tuple of tuple of str
        The attributes each step is about: child and mother, or a joined group.
    prior : array (k,)
        Log of the class prior.
    values : array (n, steps, k)
        What each step adds, for every row and class.

    Examples
    --------
    >>> terms = Terms(("age",), (("age",),), np.log([0.5, 0.5]), np.log([[[0.2, 0.6]]]))
    >>> np.exp(terms.scores()).round(2)
    array([[0.1, 0.3]])
    """

    names: tuple[str, ...]
    attributes: tuple[tuple[str, ...], ...]
    prior: Floats
    values: Floats

    def __post_init__(self) -> None:
        for name in ("prior", "values"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def row(self, number: int) -> Floats:
        """Return the steps of one row, (steps, k)."""
        steps: Floats = self.values[number]
        return steps

    def with_rows(self, rows: NDArray[np.bool_], other: Terms) -> Terms:
        """Return the same terms, but with these rows' steps taken from the rows of another."""
        values = self.values.copy()
        values[rows] = other.values
        return replace(self, values=values)

    def scores(self) -> Floats:
        """Joint log scores of all rows, (n, k)."""
        total: Floats = self.prior + self.values.sum(axis=1)
        return total

    def prefix_scores(self) -> Floats:
        """Joint log scores after 0, 1, ... all steps, (n, steps + 1, k).

        Examples
        --------
        >>> terms = Terms(("age",), (("age",),), np.log([0.5, 0.5]), np.log([[[0.2, 0.6]]]))
        >>> np.exp(terms.prefix_scores()).round(2)
        array([[[0.5, 0.5],
                [0.1, 0.3]]])
        """
        n, steps, k = self.values.shape
        scores = np.empty((n, steps + 1, k))
        scores[:, 0] = self.prior
        np.cumsum(self.values, axis=1, out=scores[:, 1:])
        scores[:, 1:] += self.prior
        return scores
