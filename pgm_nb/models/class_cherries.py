"""Cherry trees over the attributes alone, one in every class: their search and the counts they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats, Ints, stored
from pgm_nb.counts import Counts, count
from pgm_nb.counts.sets import set_counts
from pgm_nb.errors import DataError
from pgm_nb.graphs import ClassTrees
from pgm_nb.information import information
from pgm_nb.information.sets import SetInformation
from pgm_nb.learning.higher import grow_families
from pgm_nb.learning.trees import rooted

if TYPE_CHECKING:
    from pgm_nb.learning.trace import Step
    from pgm_nb.models.table_state import TrainingRows

__all__ = ["Cherries", "ClassCounts", "cherry_trees", "class_cherries", "count_triples"]

MOST_CELLS = 1 << 24  # of one table of counts
MOTHERS = 2  # in a clique of three

Scope = tuple[int, ...]
Cherries = dict[int, tuple[Scope, tuple[float, ...]]]  # child -> its mothers, and what each adds in bits


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Counts of all pairs, and of the triples that trees of some classes have as cliques.

    Attributes
    ----------
    pairs : Counts
    scopes : tuple of tuples of int
        The columns of each triple, mothers first.
    tables : tuple of arrays (k, v_first, v_second, v)
    """

    pairs: Counts
    scopes: tuple[Scope, ...] = ()
    tables: tuple[Ints, ...] = ()

    @property
    def y(self) -> Ints:
        """n(y)."""
        return self.pairs.y

    def table(self, scope: Scope) -> Ints:
        """Return n(y, x) or n(y, mothers, x) of one attribute, a pair or a triple."""
        if len(scope) == 1:
            return np.asarray(self.pairs.single(*scope), dtype=np.int64)
        if len(scope) == MOTHERS:
            return np.asarray(self.pairs.pair(*scope), dtype=np.int64)
        return self.tables[self.scopes.index(scope)]

    def pack(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what JSON holds, and arrays by name, for a file."""
        description, arrays = self.pairs.pack()
        if not self.scopes:
            return description, arrays
        cells = np.concatenate([table.ravel() for table in self.tables])
        return {**description, "triples": self.scopes}, {**arrays, "triples": cells}

    @classmethod
    def unpack(cls, description: Mapping[str, Any], arrays: Mapping[str, Any]) -> ClassCounts:
        """Read what `pack` gave; what does not agree with itself is a ValueError."""
        rest = {name: value for name, value in description.items() if name != "triples"}
        pairs = Counts.unpack(rest, {name: array for name, array in arrays.items() if name != "triples"})
        scopes = tuple(tuple(map(int, scope)) for scope in description.get("triples", ()))
        if not scopes:
            return cls(pairs)
        d = len(pairs.cards)
        if any(len(scope) != MOTHERS + 1 or not all(0 <= c < d for c in scope) for scope in scopes):
            raise ValueError("a triple is not one of columns")
        shapes = [(pairs.n_classes, *(pairs.cards[c] for c in scope)) for scope in scopes]
        ends = np.cumsum([prod(shape) for shape in shapes])
        cells = stored(arrays, "triples", (int(ends[-1]),), "whole numbers", least=0)
        parts = zip(np.split(cells, ends[:-1]), shapes, strict=True)
        tables = tuple(part.reshape(shape) for part, shape in parts)
        for scope, table in zip(scopes, tables, strict=True):
            if not np.array_equal(table.sum(axis=2), pairs.pair(scope[0], scope[2])):
                raise ValueError("the counts of triples and pairs do not agree")
        return cls(pairs, scopes, tables)

    def fits(self, cards: Sequence[int]) -> bool:
        """Say whether the counts are those of columns with so many states."""
        return self.pairs.fits(cards)


def class_cherries(
    rows: TrainingRows, label: int, relevance: Floats | None = None
) -> tuple[Cherries, tuple[Step, ...]]:
    """Grow a cherry tree over the attributes among the rows of one class.

    It starts from the pair that shares most. Then always that attribute joins, with up to two mothers that
    are linked already, which shares most with them; a second mother must pay for her table. Of the first pair
    the one that says more about the class (`relevance`) is the root.

    Returns
    -------
    dict
        For every attribute but the first its mothers, and what each adds: I(Xi;Xa | Y = y), and
        I(Xi;Xb | Xa, Y = y).
    tuple of Step
        What was chosen and the runners-up, in bits among the rows of the class.
    """
    inside = rows.y == label
    codes, cards, d = np.ascontiguousarray(rows.codes[:, inside]), rows.encoder.cards, len(rows.encoder.cards)
    if d == 1 or not inside.any():
        return {}, ()
    y = np.zeros(codes.shape[1], dtype=np.intp)
    alone = information(count(codes, y, cards, 1))
    info = replace(alone, relevance=np.zeros(d))
    table = SetInformation(codes, y, cards, 1, info.dependence)
    grown = grow_families(info, table, rows.encoder.names, MOTHERS, d)
    root, second = rooted(list(grown.order[:2]), np.zeros(d) if relevance is None else relevance)
    mothers = {**grown.mothers, second: (root,)}  # the same root for any order of the columns
    found: Cherries = {}
    for child in (second, *grown.order[2:]):
        given = mothers[child]
        first = float(info.dependence[child, given[0]])
        rest = () if len(given) == 1 else (max(0.0, grown.dependence[child] - first),)
        found[child] = (given, (first, *rest))
    pair = replace(
        grown.steps[0].chosen, attribute=rows.encoder.names[second], mother=rows.encoder.names[root]
    )
    return found, (replace(grown.steps[0], chosen=pair), *grown.steps[1:])


def cherry_trees(
    rows: TrainingRows, relevance: Mapping[str, float] | None
) -> tuple[ClassTrees, dict[str, tuple[Step, ...]]]:
    """Return the graph of a cherry tree in every class, and the steps that led to each."""
    names, labels = rows.encoder.names, [str(label) for label in rows.classes.tolist()]
    trees: dict[str, dict[str, str]] = {label: {} for label in labels}
    seconds: dict[str, dict[str, str]] = {label: {} for label in labels}
    shared: dict[str, dict[str, float]] = {label: {} for label in labels}
    added: dict[str, dict[str, float]] = {label: {} for label in labels}
    says = None if relevance is None else np.array([relevance[name] for name in names])
    steps: dict[str, tuple[Step, ...]] = {}
    for place, label in enumerate(labels):
        cherries, steps[label] = class_cherries(rows, place, says)
        for child, (given, bits) in cherries.items():
            trees[label][names[child]] = names[given[0]]
            shared[label][names[child]] = bits[0]
            if len(given) > 1:
                seconds[label][names[child]] = names[given[1]]
                added[label][names[child]] = bits[1]
    return ClassTrees(rows.target, tuple(names), trees, shared, relevance, seconds, added), steps


def count_triples(pairs: Counts, rows: TrainingRows, scopes: Sequence[Scope]) -> ClassCounts:
    """Count the triples of trees beside the pairs."""
    cards, k, names = rows.encoder.cards, len(rows.classes), rows.encoder.names
    tables = []
    for scope in scopes:
        size = k * prod(cards[c] for c in scope)
        if size > MOST_CELLS:
            raise DataError(
                f"the table of {names[scope[-1]]!r} and its mothers would have {size:,} cells; merge states, "
                "use fewer bins, or order=2"
            )
        tables.append(set_counts(rows.codes, rows.y, cards, k, list(scope)))
    return ClassCounts(pairs, tuple(scopes), tuple(tables))
