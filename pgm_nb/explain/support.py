"""The rows behind a probability: how many rows agree with what is known, and which class they have.

The rows are those of a table that is passed in, most often the training table: a model does not keep its
rows. They are coded once, as the model codes them (a model that sees numbers as they are gets intervals for
this purpose), and then counted for every question.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Ints, Places
from pgm_nb.data import Column, Encoder, as_frame
from pgm_nb.errors import DataError
from pgm_nb.inference import Variable
from pgm_nb.inference.evidence import Between
from pgm_nb.words import class_name, listed, plural

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.protocols import CaseModel

__all__ = ["RowsBehind", "Support", "rows_behind"]

LEAST = 1.0  # rows that chance would give a pair of values, for its absence to be worth a remark


@dataclass(frozen=True, eq=False)
class Support:
    """The rows that agree with what is known, by class; if there are none, the rows nearest to it.

    Attributes
    ----------
    target, classes
        The class, and its values as text.
    rows : array (k,)
        How many rows of each class agree with everything that is known.
    known : int
        How many attributes are known.
    agreeing : int
        In how many of them the nearest rows agree; `known` if some row agrees with all.
    nearest : array (k,)
        The rows that agree in so many, by class.
    differing : tuple of str
        Where no row agrees with everything: the attributes in which the nearest rows differ, commonest first.
    """

    target: str
    classes: tuple[str, ...]
    rows: Ints
    known: int
    agreeing: int
    nearest: Ints
    differing: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """How many rows agree with everything that is known."""
        return int(self.rows.sum())

    def sentence(self, label: str | None = None) -> str:
        """Say how many such rows there are, and how many of them have a class (by default the commonest).

        Examples
        --------
        >>> found = Support("class", ("bird", "fish"), np.array([20, 0]), 1, 1, np.array([20, 0]))
        >>> found.sentence(), found.sentence("fish")
        ('20 of 20 such rows are bird.', '0 of 20 such rows are fish.')
        """
        if self.known == 0:
            everything = f"of all {plural(self.n, 'row')}"
            return f"{self._share(self.rows, label, everything)}."
        if self.n:
            noun = "such row" if self.n == 1 else "such rows"
            return f"{self._share(self.rows, label, f'of {self.n:,} {noun}')}."
        if self.agreeing == 0:
            return "No row is like this in any of the known values."
        total = int(self.nearest.sum())
        noun = "row agrees" if total == 1 else "rows agree"
        where = f"{self.agreeing} of {self.known} values"
        if self.known - self.agreeing == 1:
            odd = listed(self.differing, limit=3)
            where = f"all but {odd}" if len(self.differing) == 1 else f"all but one ({odd})"
        share = self._share(self.nearest, label, f"of {total:,}")
        return f"No row is like this; nearest: {total:,} {noun} in {where}, {share}."

    def _share(self, rows: Ints, label: str | None, of: str) -> str:
        place = int(rows.argmax()) if label is None else self.classes.index(label)
        count, name = int(rows[place]), self.classes[place]
        one = count == 1 or int(rows.sum()) == 1  # one of some, or none of one
        if class_name(self.target) == "the class":
            return f"{count:,} {of} {'is' if one else 'are'} {name}"
        return f"{count:,} {of} {'has' if one else 'have'} {self.target} = {name}"

    def __str__(self) -> str:
        return self.sentence()


@dataclass(frozen=True, eq=False)
class RowsBehind:
    """A table in codes, ready to count the rows that agree with what is known.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("zoo")
    >>> rows = pnb.rows_behind(pnb.NaiveBayes().fit(X, y), X, y)
    >>> print(rows.support({"feathers": "yes"}))
    20 of 20 such rows are bird.
    >>> print(rows.support({"feathers": "yes", "milk": "yes"}))
    No row is like this; nearest: 61 rows agree in all but one (feathers, milk), 41 of 61 are mammal.
    """

    target: str
    classes: tuple[str, ...]
    variables: Mapping[str, Variable]
    codes: Codes  #: (d, n), in the order of the variables
    y: Places  #: class codes
    low: Floats  #: the smallest number of each column; NaN where there is none
    high: Floats

    def support(self, given: Mapping[str, Any] | None = None) -> Support:
        """Count the rows that agree with what is known.

        Parameters
        ----------
        given : mapping, optional
            Evidence as `query` takes it. None and NaN are unknown, or the state of an empty cell in a column
            that had some. A row agrees with a range or with several values if its state is possible.
        """
        k, n = len(self.classes), len(self.y)
        allowed = self._allowed(given or {})
        agree: NDArray[np.uint16] = np.zeros(n, dtype=np.uint16)
        for place, states in allowed.items():
            np.add(agree, self._matches(place, states), out=agree)
        most = int(agree.max()) if n else 0
        nearest = np.flatnonzero(agree == most)
        by_class = np.bincount(self.y[nearest], minlength=k)
        if most == len(allowed):
            return Support(self.target, self.classes, by_class, most, most, by_class)
        missed = {
            place: int(len(nearest) - self._matches(place, states)[nearest].sum())
            for place, states in allowed.items()
        }
        names = list(self.variables)
        worst = sorted((p for p in missed if missed[p]), key=lambda p: -missed[p])
        differing = tuple(names[place] for place in worst)
        nobody = np.zeros(k, dtype=np.int64)
        return Support(self.target, self.classes, nobody, len(allowed), most, by_class, differing)

    def out_of_range(self, given: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
        """Return the attributes whose number is outside what the table holds, with the table's range.

        A range of numbers is outside if no part of it is inside.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("iris")
        >>> pnb.rows_behind(pnb.NaiveBayes().fit(X, y), X, y).out_of_range({"petal width": 9.0})
        {'petal width': (0.1, 2.5)}
        """
        found = {}
        for place, name in enumerate(self.variables):
            ends = _ends(given.get(name))
            low, high = float(self.low[place]), float(self.high[place])
            if ends is not None and (ends[1] < low or ends[0] > high):  # never, if the column has no numbers
                found[name] = (low, high)
        return found

    def unseen_pair(self, given: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return two known attributes whose values, each seen before, no row has together; None without.

        Of several such pairs, the one that would be expected in the most rows if they were independent.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("zoo")
        >>> pnb.rows_behind(pnb.NaiveBayes().fit(X, y), X, y).unseen_pair({"feathers": "yes", "milk": "yes"})
        ('feathers', 'milk')
        """
        allowed, names = self._allowed(given), list(self.variables)
        if len(allowed) < 2 or len(self.y) == 0:
            return None
        hits = np.stack([self._matches(place, states) for place, states in allowed.items()])
        alone = hits.sum(axis=1).astype(float)
        packed = np.packbits(hits, axis=1)
        best: tuple[float, tuple[str, str]] | None = None
        places = list(allowed)
        for i in range(len(places) - 1):
            shared = (packed[i] & packed[i + 1 :]).any(axis=1)
            expected = np.where(shared, 0.0, alone[i] * alone[i + 1 :] / len(self.y))
            j = int(expected.argmax())
            if expected[j] > (best[0] if best else LEAST):
                best = float(expected[j]), (names[places[i]], names[places[i + 1 + j]])
        return None if best is None else best[1]

    def _allowed(self, given: Mapping[str, Any]) -> dict[int, NDArray[np.bool_]]:
        """Return which states of each known attribute agree with the evidence, by place."""
        places = {name: place for place, name in enumerate(self.variables)}
        found = {}
        for name, value in given.items():
            if name in places and not self.variables[name].is_unknown(value):
                found[places[name]] = self.variables[name].likelihood(value) > 0
        return found

    def _matches(self, place: int, states: NDArray[np.bool_]) -> NDArray[np.bool_]:
        possible = np.flatnonzero(states)
        if len(possible) == 1:
            return np.asarray(self.codes[place] == possible[0])
        found: NDArray[np.bool_] = np.append(states, False)[np.minimum(self.codes[place], len(states))]
        return found


def rows_behind(model: CaseModel, X: Any, y: Any) -> RowsBehind:
    """Code a table so that the rows behind a probability can be counted, once for all questions.

    What credible intervals need is drawn here as well (`prepare_intervals`): the first answer of `how_sure`
    then takes no longer than the next ones.

    Parameters
    ----------
    model : fitted model
        Says how columns become states.
    X, y
        The rows and their classes: the training table, or any other with the same columns.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> rows = rows_behind(pnb.NaiveBayes(n_bins=5, discretizer="quantile").fit(X, y), X, y)
    >>> print(rows.support({"petal width": 1.6}))
    18 of 23 such rows are virginica.
    """
    frame = as_frame(X)
    labels = np.asarray(y)
    if len(labels) != len(frame):
        raise DataError(f"there are {len(frame):,} rows and {len(labels):,} labels; give one for every row.")
    columns = model.case_columns(frame)
    classes = model.classes_
    code = {label: place for place, label in enumerate(classes.tolist())}
    places = np.array([code.get(label, -1) for label in labels.tolist()])
    if (places < 0).any():
        odd = labels[places < 0][0]
        raise DataError(f"a row has the class '{odd}', which the model does not know; leave such rows out.")
    codes = Encoder(columns).encode(frame[[column.name for column in columns]])
    low, high = _ranges(frame, columns)
    model.prepare_intervals()
    variables = {column.name: Variable(column.name, column.labels, column) for column in columns}
    return RowsBehind(
        str(model.structure_.target), tuple(map(str, classes.tolist())), variables, codes, places, low, high
    )


def _ranges(frame: pd.DataFrame, columns: Sequence[Column]) -> tuple[Floats, Floats]:
    from pgm_nb.data.frame import is_number, numbers

    low, high = np.full((2, len(columns)), np.nan)
    for place, column in enumerate(columns):
        cells = frame[column.name]
        if column.kind == "numeric" and is_number(cells) and cells.notna().any():
            values = numbers(cells)
            low[place], high[place] = np.nanmin(values), np.nanmax(values)
    return low, high


def _ends(value: Any) -> tuple[float, float] | None:
    """Return the smallest and the largest number that a value can be; None if it is none."""
    if isinstance(value, Between):
        inside = (math.nextafter(value.low, math.inf), math.nextafter(value.high, -math.inf))
        return inside if value.strict else (value.low, value.high)
    number = _number(value)
    return None if number is None else (number, number)


def _number(value: Any) -> float | None:
    if isinstance(value, bool | np.bool_):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None
