"""Averaged one-dependence where no state is usual: columns joined into groups, parent by parent.

The factors of a few columns are multiplied beforehand for every combination of their states. A row then
needs one factor for each group of columns, not for each column. Rows are sorted by the states of a group, and
parents taken state by state, so that what they need stays next to the processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts.kernels import in_threads
from pgm_nb.models.averaged.near import lay_out

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Floats, Ints
    from pgm_nb.models.averaged.scores import OneDependence

__all__ = ["Joined", "join"]

ROWS = 1 << 13  # that are sorted together, at most
MOST = 256  # combinations of states in a group
ROOM = 1 << 14  # bytes of the factors of a parent's state, for each vector of four classes and one more
_NS = 0.4  # per factor, the sorting included


@dataclass(frozen=True, eq=False)
class Joined:
    """The factors of groups of columns, laid out for `pgm_nb.models.averaged.compiled_joined.add_joined`.

    Attributes
    ----------
    begins, cards : arrays (d,)
        The first state of each column among all states, and how many it has. Where cells may be unknown,
        this is one more state, after those of its column.
    group, strides : arrays (d,)
        The group of each column, and how many combinations its states are apart there.
    offsets, widths : arrays (groups,)
        Where in a slab each group begins, in numbers, and how many combinations it has.
    slabs : array (states, combinations, lanes)
        For each state of a parent: the factors of all combinations of all groups, a lane per class.
    joints : array (states, lanes)
        What begins the products: w_p P(y, xp) times the number of states of the parent; zero for an unknown
        parent, whose star is added up over its states.
    unknown : bool
        Whether cells may be unknown.
    """

    begins: Ints
    cards: Ints
    group: Ints
    strides: Ints
    offsets: Ints
    widths: Ints
    slabs: Floats
    joints: Floats
    unknown: bool

    @classmethod
    def of(cls, model: OneDependence, lanes: int, unknown: bool) -> Joined:
        """Multiply the factors of each group."""
        cards = model.cards.astype(np.int64)
        sizes = cards + unknown
        places, slabs, joints = lay_out(model, lanes)
        if not unknown:
            known = np.delete(np.arange(len(joints)), places + cards)
            slabs, joints = slabs[known], joints[known]
        group, strides, parts = np.empty_like(cards), np.empty_like(cards), []
        for number, columns in enumerate(join(sizes, lanes)):
            part, stride = np.ones((len(joints), 1, lanes)), int(np.prod(sizes[columns]))
            for column in columns:
                stride //= int(sizes[column])
                group[column], strides[column] = number, stride
                own = slabs[:, places[column] : places[column] + sizes[column]]
                part = (part[:, :, None] * own[:, None]).reshape(len(joints), -1, lanes)
            parts.append(part)
        widths = np.array([part.shape[1] for part in parts])
        offsets = lanes * (np.cumsum(widths) - widths)
        together = np.ascontiguousarray(np.concatenate(parts, axis=1))
        begins = np.cumsum(sizes) - sizes
        return cls(begins, cards, group, strides, offsets, widths, together, joints, unknown)

    def totals(self, codes: Codes, n_threads: int) -> Floats:
        """Return the sums of the products of all parents, (n, lanes)."""
        from pgm_nb.models.averaged.compiled import add_joined

        n, found = codes.shape[1], np.zeros((codes.shape[1], self.joints.shape[1]))
        columns, groups = (self.begins, self.cards, self.group, self.strides), (self.offsets, self.widths)
        tables = (*columns, *groups, self.slabs, self.joints, self.unknown)

        blocks = n_threads * -(-n // (ROWS * n_threads))  # all threads have as many, of the same size
        size = max(1, -(-n // max(1, blocks)))

        def add(first: int, last: int) -> None:
            for start in range(first * size, min(n, last * size), size):
                block = slice(start, min(n, start + size))
                add_joined(np.ascontiguousarray(codes[:, block], dtype=np.uint16), *tables, found[block])

        in_threads(add, np.full(blocks, _NS * size * len(codes) * len(self.offsets)), n_threads)
        return found


def join(sizes: Ints, lanes: int) -> list[list[int]]:
    """Put columns into as few groups as leave all factors of a parent's state close to the processor.

    Large columns come first, each into the group that has the fewest combinations so far. No group has more
    than `MOST`, but a column with more states is alone.

    Examples
    --------
    >>> join(np.array([8, 8, 8, 8, 16]), 2)
    [[4], [0, 2], [1, 3]]
    """
    order = np.argsort(-sizes, kind="stable").tolist()
    groups: list[list[int]] = []
    for count in range(1, len(sizes) + 1):
        groups, widths = [[] for _ in range(count)], np.ones(count)
        for column in order:
            least = int(widths.argmin())
            groups[least].append(column)
            widths[least] *= sizes[column]
        small = widths.max() <= max(MOST, sizes.max())
        if small and 8 * lanes * widths.sum() <= ROOM * (1 - lanes // -4):
            break
    return groups
