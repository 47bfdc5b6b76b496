"""Averaged one-dependence where attributes have few states: tables of several columns at once.

The factors of some columns are multiplied beforehand, for all combinations of their states, and so are looked
up at once. Two parents sit side by side in a vector. All tables together stay close to the processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts.kernels import in_threads, thread_count

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Floats, Ints

__all__ = ["Grouped", "column_groups"]

CLOSE = 1 << 17  # numbers that stay close to the processor: 1 MB
MOST_ENTRIES = (256, 128, 64, 32, 16, 8, 4)  # of the table of a group, from large to small
TOGETHER = 4  # tables that are looked up in one step
_NS = 1.0  # per table that is looked up


@dataclass(frozen=True, eq=False)
class Grouped:
    """Products of the factors of several columns, for pairs of parents.

    Attributes
    ----------
    groups, steps : arrays (d,)
        The group of each column, and the distance of its states in the table of the group.
    firsts : array (groups, padded to a multiple of four)
        Where the table of each group begins in a slab; beyond the last group: where the ones are.
    parents : array (pairs, 4)
        The two parents, the number of states of the second, and the first combination of their states.
    slabs : array (combinations, entries, lanes)
        The products of all combinations of states of every group, for both parents and each class.
    joints : array (combinations, lanes)
        w_p P(y, xp) times the number of states of the parent.
    """

    groups: Ints
    steps: Ints
    firsts: Ints
    parents: Ints
    slabs: Floats
    joints: Floats

    @classmethod
    def of(cls, cards: Ints, slabs: Floats, joints: Floats) -> Grouped | None:
        """Group the factors of single columns, (states, states + 1, 2), if there is room; else None."""
        begins = np.cumsum(cards) - cards
        pairs = [(p, min(p + 1, len(cards) - 1)) for p in range(0, len(cards), 2)]
        sizes = np.array([cards[p] * (cards[q] if q > p else 1) for p, q in pairs])
        lanes = 2 * slabs.shape[-1]
        members = column_groups(cards, CLOSE // (int(sizes.sum()) * lanes))
        if members is None:
            return None
        groups, steps, tables = np.empty_like(cards), np.empty_like(cards), []
        for g, columns in enumerate(members):
            table = np.ones((len(slabs), 1, slabs.shape[-1]))
            for j in columns:
                own = slabs[:, begins[j] : begins[j] + cards[j]]
                table = (table[:, :, None] * own[:, None]).reshape(len(slabs), -1, slabs.shape[-1])
            groups[columns] = g
            steps[columns] = np.cumprod([1, *cards[columns][:0:-1]])[::-1]
            tables.append(table)
        entries = np.array([table.shape[1] for table in tables])
        firsts = np.full(-(-len(members) // TOGETHER) * TOGETHER, entries.sum(), dtype=np.int64)
        firsts[: len(members)] = np.cumsum(entries) - entries
        laid = np.concatenate([*tables, slabs[:, -1:]], axis=1)
        parents, both, starts = [], [], []
        for (p, q), first in zip(pairs, np.cumsum(sizes) - sizes, strict=True):
            alone = p == q  # the last of an odd number: nothing stands beside it
            one, other = np.divmod(np.arange(cards[p] * (1 if alone else cards[q])), 1 if alone else cards[q])
            parents.append((p, q, 0 if alone else cards[q], first))
            both.append(np.concatenate([laid[begins[p] + one], laid[begins[q] + other]], axis=2))
            beside = joints[begins[q] + other] * (not alone)
            starts.append(np.concatenate([joints[begins[p] + one], beside], axis=1))
        return cls(
            groups,
            steps,
            firsts,
            np.array(parents, dtype=np.int64),
            np.concatenate(both),
            np.concatenate(starts),
        )

    def totals(self, codes: Codes, n_threads: int | None) -> Floats:
        """Return the sums of the products of all parents, (n, k), of complete rows."""
        from pgm_nb.models.averaged import compiled

        n = codes.shape[1]
        wide = np.ascontiguousarray(codes, dtype=np.uint16)
        places = np.empty((n, len(self.firsts)), dtype=np.uint32)
        compiled.lay_places(wide, self.groups, self.steps, self.firsts, places)
        found = np.zeros((n, self.joints.shape[1]))
        given = (places, wide, self.parents, self.slabs, self.joints, found)
        work = np.full(n, _NS * len(self.parents) * len(self.firsts))
        in_threads(lambda first, last: compiled.add_rows(*given, first, last), work, thread_count(n_threads))
        k = found.shape[1] // 2
        total: Floats = found[:, :k] + found[:, k:]
        return total


def column_groups(cards: Ints, room: int) -> list[list[int]] | None:
    """Group columns so that their tables have no more entries than there is room for; None if they cannot.

    Columns with few states come first, and the number of entries of a group is as large as can be.

    Examples
    --------
    >>> column_groups(np.array([2, 3, 2, 2]), 100), column_groups(np.array([2, 3, 2, 2]), 11)
    ([[0, 2, 3, 1]], [[0, 2], [3], [1]])
    """
    order = np.argsort(cards, kind="stable").tolist()
    for most in MOST_ENTRIES:
        found: list[list[int]] = []
        size = most + 1
        for j in order:
            size *= int(cards[j])
            if size > most:
                found.append([])
                size = int(cards[j])
            found[-1].append(j)
        entries = sum(int(np.prod(cards[columns])) for columns in found)
        if entries < room and len(found) < len(cards):
            return found
    return None
