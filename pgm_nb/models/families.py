"""Generalized naive Bayes of order 4 and more: its search, its counts and its numbers, from coded rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts import count
from pgm_nb.counts.sets import set_counts
from pgm_nb.errors import DataError
from pgm_nb.information import Divergence, information, joint_entropy
from pgm_nb.information.sets import SetInformation
from pgm_nb.learning.constraints import read_constraints
from pgm_nb.learning.for_class import class_families
from pgm_nb.learning.higher import (
    all_triples,
    exact_of_order,
    greedy_of_order,
    score_families,
    weight_bound,
)
from pgm_nb.tables.families import Families, families

if TYPE_CHECKING:
    from pgm_nb.counts import Counts
    from pgm_nb.graphs import HigherCherryTree
    from pgm_nb.information import Information
    from pgm_nb.learning import Edges, Trace
    from pgm_nb.models.table_state import TrainingRows

__all__ = ["family_counts", "family_divergence", "sample_information", "search_families"]

MOST_STEPS = 3e8  # rows times tables that are counted for an upper bound of the weight
MOST_CELLS = 1 << 24  # of one table


def search_families(
    info: Information,
    counts: Counts,
    rows: TrainingRows,
    order: int,
    search: str,
    max_clusters: int | None,
    structure: HigherCherryTree | None,
    required: Edges | None = None,
    forbidden: Edges | None = None,
) -> tuple[HigherCherryTree, Trace]:
    """Search a cherry tree of an order in coded rows, or weigh the one that is given."""
    table, names, target = _table(rows, info.dependence), rows.encoder.names, rows.target
    if structure is not None:
        return score_families(info, table, names, target, structure)
    if search == "optimal":
        raise DataError(
            "the best tree from the first pair (search='optimal') is defined for one mother each (order=3); "
            "search step by step (search='greedy')"
        )
    asked = bool(required or forbidden)
    constraints = read_constraints(required, forbidden, names, target, order - 2) if asked else None
    if search == "class":
        return class_families(info, table, counts, names, target, order, max_clusters, constraints)
    if search == "greedy":
        return greedy_of_order(info, table, names, target, order, max_clusters, constraints=constraints)
    return exact_of_order(info, table, names, target, order, max_clusters, constraints)


def family_counts(counts: Counts, structure: HigherCherryTree, rows: TrainingRows) -> Families:
    """Count every attribute with its mothers and the class; all rows are read again if these are a sample."""
    names, cards, k = rows.encoder.names, rows.encoder.cards, len(rows.classes)
    column = {name: i for i, name in enumerate(names)}
    mothers = np.full(len(names), -1, dtype=np.intp)
    others: dict[int, Sequence[int]] = {}
    sets: dict[int, list[int]] = {}
    for child, given in structure.families.items():
        first, *more = (column[name] for name in given)
        mothers[column[child]] = first
        if more:
            own = column[child]
            size = k * math.prod(cards[c] for c in (first, *more, own))
            if size > MOST_CELLS:
                raise DataError(
                    f"the table of {child!r} and its mothers {', '.join(map(repr, given))} would have "
                    f"{size:,} cells; merge states of these columns, use fewer bins, or order=3"
                )
            others[own] = more
            sets[own] = [first, *more, own]
    tables: dict[int, Ints] = {}
    blocks = [(rows.codes, rows.y)] if rows.again is None else rows.again()
    for codes, y in blocks:
        for own, columns in sets.items():
            here = set_counts(codes, y, cards, k, columns)
            tables[own] = tables[own] + here if own in tables else here
    return families(counts, [column[name] for name in structure.order], mothers, others, tables)


def sample_information(rows: TrainingRows) -> tuple[Information, Counts]:
    """Return what a sample says by itself, and its counts: a search must not mix it with all rows."""
    counts = count(rows.codes, rows.y, rows.encoder.cards, len(rows.classes))
    return information(counts), counts


def family_divergence(
    info: Information, structure: HigherCherryTree, rows: TrainingRows, order: int, bound: float | None
) -> Divergence:
    """Return weight and KL divergence; the best weight is known after an exact search, else bounded."""
    relevance, dependence = structure.relevance or {}, structure.dependence or {}
    weight = math.fsum([*relevance.values(), *dependence.values()])
    joint = joint_entropy(rows.codes, rows.y, rows.encoder.cards) if rows.whole else math.nan
    independent = math.fsum(info.entropies.tolist()) + info.class_entropy
    beyond = independent - joint - weight
    proven = bound is not None
    if bound is None:
        bound = weight_bound(info, _most(info, rows, order), len(rows.encoder.names))
    return Divergence(
        kl=max(0.0, beyond) if rows.whole else math.nan,
        weight=weight,
        weight_naive=math.fsum(info.relevance.tolist()),
        weight_best=max(bound, weight),
        joint_entropy=joint,
        proven=proven,
    )


def _most(info: Information, rows: TrainingRows, order: int) -> np.ndarray:
    """Return what each attribute can share at most with any mothers given the class: at most H(Xi|Y)."""
    most = np.maximum(info.entropies - info.relevance, 0.0)
    d, n = len(most), len(rows.y)
    if order == 4 and d > 2 and n * d * math.comb(d - 1, 2) <= MOST_STEPS:
        most = np.minimum(most, all_triples(_table(rows)).max(axis=(1, 2)))
    return most


def _table(rows: TrainingRows, pairs: Floats | None = None) -> SetInformation:
    return SetInformation(rows.codes, rows.y, rows.encoder.cards, len(rows.classes), pairs)
