"""What is put on top of generative tables to predict the class, and the scores it gives.

    score(y | x) = prior[y] + b[y] + sum_s w_s T_s(x, y) + f sum_s theta_s[cell of x, y]

T_s are the log tables of the generative model, one term per attribute. How weights w, bias b, cells theta
and their fading f are learned is said in `class_trained`; all but theta depend on how many attributes of
the row are known. With potentials exp(...) this is a Markov network on the same graph that has the right
P(y | x) and an arbitrary P(x): samples, divergence and questions about attributes belong to the generative
tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Self

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places, stored
from pgm_nb.engine.sums import log_joint
from pgm_nb.engine.sums import terms as attribute_terms
from pgm_nb.engine.variables import Potential, Variables
from pgm_nb.lazy import Later
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.families import Families

ROWS = 1 << 14  # with unknown attributes, scored at once

__all__ = [
    "ClassParameters",
    "class_potentials",
    "class_scores",
    "class_terms",
    "generative",
    "markov_potentials",
]


@dataclass(frozen=True, eq=False)
class ClassParameters:
    """What is put on top of generative tables to predict the class.

    Attributes
    ----------
    known : array (m,)
        Numbers of attributes known, ascending from 1 to all.
    bias : array (m, k)
        What is added for each class.
    weights : array (m, s)
        The weight of each attribute's term; 1 with one attribute known.
    fades : array (m,)
        What the cells are multiplied with; 0 with one attribute known.
    mains : tuple of arrays (k, v)
        What a state adds while a mother is unknown.
    cells : tuple of arrays (k, v), (k, v_mother, v) or (k, v_mother, v_other, ..., v)
        What a state adds, alone or together with those of its mothers.
    strength : float or None
        Of the penalty that was chosen; None if the cells are all zero.
    path : tuple of (str, float)
        The cross-validated log-loss, in bits per row, of everything that was tried.
    converged : bool
        False if a search did not end, and the parameters are those of the generative model.
    stretch : Later of float
        What `spread` is, once somebody asks: only intervals need it.
    factor : array (s + k, s + k)
        L with L L' the covariance of weights and bias around what was learned; empty if it is not known.
    """

    known: Floats
    bias: Floats
    weights: Floats
    fades: Floats
    mains: tuple[Floats, ...]
    cells: tuple[Floats, ...]
    strength: float | None = None
    path: tuple[tuple[str, float], ...] = ()
    converged: bool = True
    stretch: Later[float] = field(default_factory=lambda: Later.of(1.0))
    factor: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self) -> None:
        for array in (self.known, self.bias, self.weights, self.fades, *self.mains, *self.cells, self.factor):
            array.setflags(write=False)

    @property
    def spread(self) -> float:
        """How many times the scores vary as much as draws of the tables say; see `training_spread`."""
        return self.stretch.value

    @property
    def changes_something(self) -> bool:
        """Whether these parameters are other than those of the generative model."""
        return bool(
            (self.weights != 1).any() or (self.bias != 0).any() or any(cell.any() for cell in self.cells)
        )

    def gained(self, factors: Factors, codes: Codes, terms: Floats) -> Floats:
        """Return what all of the training would change in the scores of rows, (n, k), however much is known.

        `terms` are those of `terms`.

        Examples
        --------
        >>> coin = Factors(np.log([0.5, 0.5]), (0,), (-1,), (np.log([[0.9, 0.1], [0.4, 0.6]]),))
        >>> counts = Families(np.array([5, 5]), (0,), (-1,), (np.array([[4, 1], [2, 3]]),))
        >>> half = replace(generative(counts), weights=np.array([[0.5]]))
        >>> codes = np.array([[0]])
        >>> half.gained(coin, codes, attribute_terms(coin, codes)).round(3)  # half of log 0.9, log 0.4 less
        array([[0.053, 0.458]])
        """
        last = slice(-1, None)
        full = replace(
            self,
            known=self.known[last],
            bias=self.bias[last],
            weights=self.weights[last],
            fades=self.fades[last],
        )
        base, values = class_terms(full, factors, codes, terms)
        found: Floats = base + values.sum(axis=1) - factors.log_prior - terms.sum(axis=1)
        return found

    def at(self, known: Places) -> tuple[Floats, Floats, Floats]:
        """Return bias (n, k), weights (n, s) and fades (n,) for rows with so many attributes known.

        Between the numbers that were learned from, straight lines in the logarithm of the number.
        """
        nodes, number = np.log(self.known), np.log(np.maximum(known, 1))
        low = np.clip(np.searchsorted(nodes, number, side="right") - 1, 0, max(len(nodes) - 2, 0))
        high = np.minimum(low + 1, len(nodes) - 1)
        gap = nodes[high] - nodes[low]
        part = np.divide(number - nodes[low], gap, out=np.zeros(len(number)), where=gap > 0)

        def between(values: Floats) -> Floats:
            weight = part.reshape(-1, *(1,) * (values.ndim - 1))
            mixed: Floats = values[low] * (1 - weight) + values[high] * weight
            return mixed

        return between(self.bias), between(self.weights), between(self.fades)

    def pack(self) -> tuple[dict[str, Any], dict[str, Floats]]:
        """Return what JSON holds, and arrays by name, for a file."""
        description = {
            "shapes": [cell.shape for cell in self.cells],
            "strength": self.strength,
            "path": self.path,
            "converged": self.converged,
            "spread": self.spread,
        }
        arrays = {name: getattr(self, name) for name in ("known", "bias", "weights", "fades")}
        for name, tables in (("mains", self.mains), ("cells", self.cells)):
            arrays[name] = np.concatenate([table.ravel() for table in tables])
        if self.factor.size:
            arrays["factor"] = self.factor
        return description, arrays

    @classmethod
    def unpack(cls, description: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Self:
        """Read what `pack` gave."""
        shapes = [tuple(shape) for shape in description["shapes"]]
        alone = [(shape[0], shape[-1]) for shape in shapes]
        whole = arrays["known"].dtype.kind in "iu"
        known = stored(arrays, "known", (None,), "whole numbers" if whole else "numbers")
        n, k = len(known), shapes[0][0]
        if n == 0 or (np.diff(known) <= 0).any():
            raise ValueError("the numbers of known attributes do not ascend")
        return cls(
            known=known,
            bias=stored(arrays, "bias", (n, k)),
            weights=stored(arrays, "weights", (n, len(shapes))),
            fades=stored(arrays, "fades", (n,)),
            mains=_cut(stored(arrays, "mains", (sum(prod(shape) for shape in alone),)), alone),
            cells=_cut(stored(arrays, "cells", (sum(prod(shape) for shape in shapes),)), shapes),
            strength=description["strength"],
            path=tuple((name, loss) for name, loss in description["path"]),
            converged=description["converged"],
            stretch=Later.of(float(description.get("spread", 1.0))),
            factor=stored(arrays, "factor", (len(shapes) + k,) * 2)
            if "factor" in arrays
            else np.zeros((0, 0)),
        )


def generative(families: Families, *, converged: bool = True) -> ClassParameters:
    """Return the parameters that change nothing."""
    k, s = len(families.y), len(families.tables)
    return ClassParameters(
        known=np.ones(1),
        bias=np.zeros((1, k)),
        weights=np.ones((1, s)),
        fades=np.zeros(1),
        mains=tuple(np.zeros((k, v)) for v in families.cards),
        cells=tuple(np.zeros(table.shape) for table in families.tables),
        converged=converged,
    )


def class_terms(
    parameters: ClassParameters, factors: Factors, codes: Codes, terms: Floats | None = None
) -> tuple[Floats, Floats]:
    """Take the class-trained scores of rows apart: a base (n, k), and what each attribute adds (n, s, k).

    Parameters
    ----------
    parameters : ClassParameters
        What was learned for the class.
    factors : Factors
        The generative tables.
    codes : array (d, n)
        Coded rows; a code equal to the number of states means unknown.
    terms : array (n, s, k), optional
        What `terms` gives, if it is there already.
    """
    used = codes[list(factors.columns)].astype(np.intp)
    unknown = used >= factors.cards[:, None]
    bias, weights, fades = parameters.at((~unknown).sum(axis=0))
    values = (attribute_terms(factors, codes) if terms is None else terms) * weights[:, :, None]
    for i, (mothers, main, cell) in enumerate(
        zip(factors.given, parameters.mains, parameters.cells, strict=True)
    ):
        own, here = np.where(unknown[i], 0, used[i]), ~unknown[i]
        added = main[:, own]
        if mothers:
            at: tuple[Any, ...] = tuple(np.where(unknown[m], 0, used[m]) for m in mothers)
            hidden = unknown[list(mothers)].any(axis=0)
            added = np.where(hidden, added, cell[(slice(None), *at, own)])
        values[:, i] += (added * (here * fades)).T
    return factors.log_prior + bias, values


def class_scores(parameters: ClassParameters, factors: Factors, codes: Codes, kernel: str = "auto") -> Floats:
    """Score rows for every class, (n, k): log P(y | known attributes) up to a constant per row.

    Parameters
    ----------
    parameters : ClassParameters
        What was learned for the class.
    factors : Factors
        The generative tables.
    codes : array (d, n)
        Coded rows; a code equal to the number of states means unknown.
    kernel : {"auto", "numpy", "compiled"}
        How to sum unknown attributes out; the results agree to 1e-12.
    """
    complete = factors.are_complete(codes)
    if complete.all():
        return log_joint(class_potentials(parameters, factors), codes)
    result = np.empty((codes.shape[1], len(factors.log_prior)))
    if complete.any():
        result[complete] = log_joint(class_potentials(parameters, factors), codes[:, complete])
    rows = np.flatnonzero(~complete)
    for start in range(0, len(rows), ROWS):
        block = rows[start : start + ROWS]
        some = codes[:, block]
        base, values = class_terms(parameters, factors, some, attribute_terms(factors, some, kernel))
        result[block] = base + values.sum(axis=1)
    return result


def class_potentials(parameters: ClassParameters, factors: Factors) -> Factors:
    """Return the log potentials for rows of which everything is known: one per class, one per cell and class.

    They are no probabilities, but read like tables: `log_joint` adds them up to the scores of complete rows.

    Examples
    --------
    >>> table = np.log([[0.9, 0.1], [0.4, 0.6]])
    >>> coin = Factors(np.log([0.5, 0.5]), (0,), (-1,), (table,))
    >>> nothing = generative(Families(np.array([5, 5]), (0,), (-1,), (np.array([[4, 1], [2, 3]]),)))
    >>> bool((class_potentials(nothing, coin).tables[0] == table).all())
    True
    """
    bias, weights, fade = parameters.bias[-1], parameters.weights[-1], parameters.fades[-1]
    tables = tuple(
        weight * table + fade * cell
        for weight, table, cell in zip(weights, factors.tables, parameters.cells, strict=True)
    )
    return Factors(factors.log_prior + bias, factors.columns, factors.mothers, tables, factors.others)


def markov_potentials(potentials: Factors, variables: Variables) -> list[Potential]:
    """Return log potentials as factors of a Markov network: one of the class, one per attribute.

    Each is scaled so that its largest entry is one, which changes no posterior of the class. Given every
    attribute, the network's posterior of the class is the model's; given fewer it is not, since what the
    network says about attributes means nothing.
    """
    target, names = variables.target.name, [variable.name for variable in variables.attributes]
    scopes = [
        (target, *(names[mother] for mother in mothers), name)
        for name, mothers in zip(names, potentials.given, strict=True)
    ]
    logs = [((target,), potentials.log_prior), *zip(scopes, potentials.tables, strict=True)]
    return [Potential(scope, np.exp(table - table.max())) for scope, table in logs]


def _cut(flat: Floats, shapes: Sequence[tuple[int, ...]]) -> tuple[Floats, ...]:
    """Cut numbers that were laid end to end into tables again."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    parts = np.split(flat, ends[:-1])
    return tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
