"""What models over tables of counts show about one attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgm_nb.explain.detail import DetailTable, state_table

if TYPE_CHECKING:
    from pgm_nb.arrays import Floats
    from pgm_nb.models.table import TableClassifier

__all__ = ["states_by_class"]


def states_by_class(model: TableClassifier[Any], name: str, shares: Floats) -> DetailTable:
    """Return how often an attribute has each of its states in each class, (k, v), as a table to show.

    Examples
    --------
    >>> import numpy as np
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(n_bins=2).fit(X, y)
    >>> even = states_by_class(model, "petal width", np.full((3, 2), 0.5))
    >>> even.cells
    (('50%', '50%', '50%'), ('50%', '50%', '50%'))
    """
    labels = model.encoder_.columns[model.encoder_.names.index(name)].labels
    classes = [str(label) for label in model.classes_]
    return state_table(name, labels, model.learned_.target, classes, shares)
