"""A table that stands in for the one a model was learned from: its columns with the values they can have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pgm_nb.data import Column

if TYPE_CHECKING:
    from pgm_nb.models.base import Classifier

__all__ = ["Bells", "no_stand_in", "stand_in"]

Bells = Sequence[tuple[float, float, float]]  #: weight, mean and deviation of each bell curve
NUMBERS = 200  # of a measurement


def no_stand_in(model: Classifier) -> str:
    """Say why a model alone does not know which values its columns can have; nothing if it does.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> no_stand_in(pnb.NaiveBayes().fit(X, y))
    ''
    >>> print(no_stand_in(pnb.MultinomialNaiveBayes().fit(X, y))[:58])
    Multinomial naive Bayes keeps no intervals of its numbers,
    """
    coded = {column.name for column in model._coded_columns()}
    if coded | {*_bells(model)} >= set(map(str, model.attribute_names_)):
        return ""
    return (
        f"{model.about.title} keeps no intervals of its numbers, so it alone cannot offer their values: "
        "open the table too."
    )


def _bells(model: Classifier) -> Mapping[str, Bells]:
    """Return the bell curves of the measured attributes of a model that learns such."""
    bells = getattr(model, "_bell_curves", None)
    return {} if bells is None else bells()


def stand_in(model: Classifier) -> pd.DataFrame:
    """Return a table with the columns of a model, in which every state of every column occurs.

    A saved model has no rows. Whoever asks what a column can hold gets the answer from this table; its rows
    mean nothing. The last column is the class. A measurement that follows bell curves has numbers spread as
    they say.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> table = stand_in(pnb.NaiveBayes(n_bins=3).fit(*pnb.load_sample("iris")))
    >>> table["petal length"].tolist(), sorted(set(table["class"]))
    ([1.275, 3.725, 6.175], ['setosa', 'versicolor', 'virginica'])
    """
    columns = {column.name: _values(column) for column in model._coded_columns()}
    columns |= {name: _spread(bells) for name, bells in _bells(model).items() if name not in columns}
    columns = {name: columns[name] for name in [*map(str, model.attribute_names_), *columns]}
    classes = model.classes_.tolist()
    length = max([len(classes), *map(len, columns.values())])
    cells: dict[str, Any] = {
        name: [values[row % len(values)] for row in range(length)] for name, values in columns.items()
    }
    return pd.DataFrame(cells | {model.structure_.target: [classes[i % len(classes)] for i in range(length)]})


def _spread(bells: Bells) -> list[float]:
    """Return numbers spread like a mixture of bell curves, in ascending order."""
    curve, found = NormalDist(), []
    for weight, mean, deviation in bells:
        count = max(round(NUMBERS * weight), 1)
        found += [mean + deviation * curve.inv_cdf((place + 0.5) / count) for place in range(count)]
    return sorted(float(f"{number:.5g}") for number in found)


def _values(column: Column) -> list[Any]:
    """Return a value for each state: of an interval its middle, of an empty cell none."""
    if column.cuts is None:
        states = list(column.states[: column.card - column.missing_state])
        return [*states, *([None] if column.missing_state else [])]
    return [*_middles(column.cuts), *([float("nan")] if column.missing_state else [])]


def _middles(cuts: tuple[float, ...]) -> list[float]:
    """Return a number inside each interval; the outer two reach as far as their neighbours."""
    if not cuts:
        return [0.0]
    widths = np.diff(cuts)
    first, last = (widths[0], widths[-1]) if len(widths) else (1.0, 1.0)
    inner = [(low + high) / 2 for low, high in pairwise(cuts)]
    return [float(f"{number:.6g}") for number in (cuts[0] - first / 2, *inner, cuts[-1] + last / 2)]
