"""Averaged one-dependence with tables that stay close to the processor: row by row.

The factors of the usual state of every column, the one that most training rows have, are multiplied
beforehand; what is left are the ratios of the other states to it. The parents of a row that are in their
usual states are taken together, side by side in vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts.kernels import in_threads

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Floats, Ints
    from pgm_nb.models.averaged.scores import OneDependence

__all__ = ["Near", "lay_out"]

ROWS = 1 << 10  # that a thread takes at once
_NS = 0.3  # per factor
_FAR = 1e100  # products of usual factors stay below this


@dataclass(frozen=True, eq=False)
class Near:
    """All factors, laid out for `pgm_nb.models.averaged.compiled.add_near`.

    Attributes
    ----------
    begins : array (d,)
        The first state of each column among all states and, after those of each column, "not known".
    modes : array (d,)
        The state of each column that is seen most; minus one where the factors are not divided by those of
        these states, because their products would come too near to zero, or to the largest number.
    spans : array (places, 3)
        For each of these: the parent's states that it stands for, from and up to, and the one that is in a
        tile.
    tiles, usual : arrays (tiles, places, parents * lanes) and (tiles, parents * lanes)
        The factors of all states, and what begins the products, for the parents in their usual states. The
        factors of a parent's other states are zero.
    slabs : array (places, places + 1, lanes)
        For each state of a parent: the factors of all states, a lane per class; one for its own column, and
        ones at the end. A child that is not known has the sum of the factors of its states.
    joints : array (states, lanes)
        w_p P(y, xp) times the number of states of the parent, and the factors of the usual states.
    """

    begins: Ints
    modes: Ints
    spans: Ints
    tiles: Floats
    usual: Floats
    slabs: Floats
    joints: Floats

    @classmethod
    def of(cls, model: OneDependence, lanes: int) -> Near:
        """Lay out the factors of a model."""
        cards = model.cards.astype(np.int64)
        begins, slabs, joints = lay_out(model, lanes)
        places = len(joints)
        modes = np.array([int(model.single(p).sum(axis=0).argmax()) for p in range(len(cards))])
        factors = slabs[:, begins + modes]
        with np.errstate(over="ignore", under="ignore"):
            multiplied = joints * factors.prod(axis=1)
        inside = multiplied[joints > 0]
        spans = np.repeat(np.stack([begins, begins + cards, begins + modes], axis=1), cards + 1, axis=0)
        known = np.delete(np.arange(places), begins + cards)
        spans[known] = np.stack([known, known + 1, np.full(len(known), -1)], axis=1)
        if not ((inside > 1 / _FAR) & (inside < _FAR)).all():
            nothing = np.empty((0, places, 0)), np.empty((0, 0))
            spans[:, 2] = -1
            return cls(begins, np.full(len(cards), -1), spans, *nothing, slabs, joints)
        slabs[:, :-1] /= np.repeat(factors, cards + 1, axis=1)
        tiles = _tiles(cards, begins, modes, slabs, multiplied)
        return cls(begins, modes, spans, *tiles, slabs, multiplied)

    def totals(self, codes: Codes, n_threads: int) -> Floats:
        """Return the sums of the products of all parents, (n, lanes)."""
        from pgm_nb.models.averaged.compiled import add_near

        n, found = codes.shape[1], np.zeros((codes.shape[1], self.joints.shape[1]))
        tables = (self.modes, self.begins, self.spans, self.tiles, self.usual, self.slabs, self.joints)
        given = (np.ascontiguousarray(codes, dtype=np.uint16), *tables, found)
        in_threads(
            lambda first, last: add_near(*given, first * ROWS, min(n, last * ROWS)),
            np.full(-(-n // ROWS), _NS * ROWS * len(codes) ** 2),
            n_threads,
        )
        return found


def lay_out(model: OneDependence, lanes: int) -> tuple[Ints, Floats, Floats]:
    """Return where the states of each column begin, the factors given every state, and what begins products.

    A state is a place, and so is "not known" after the states of each column, which no parent has. The
    factors of a place are those of all places, and ones at the end, (places, places + 1, lanes).
    """
    cards, k, d = model.cards.astype(np.int64), model.counts.n_classes, len(model.cards)
    begins, places = np.cumsum(cards + 1) - cards - 1, int(cards.sum()) + d
    slabs, joints = np.ones((places, places + 1, lanes)), np.zeros((places, lanes))
    column = np.repeat(np.arange(d), cards)
    place = np.arange(len(column)) + column
    for p, (begin, card) in enumerate(zip(begins, cards, strict=True)):
        joints[begin : begin + card, :k] = np.exp(model.joint(p)).T * card
        others = np.flatnonzero(column != p)
        j = column[others]
        first, by_parent, by_child, by_class = (
            part[p * (d - 1) + j - (j > p), None] for part in model.layout
        )
        cells = first + by_child * (place[others] - begins[j])[:, None] + by_class * np.arange(k)
        n = model.counts.pairs[cells + by_parent * np.arange(card)[:, None, None]]
        m, size = model.rows[j, None], cards[j, None]
        slab = slabs[begin : begin + card]
        slab[:, place[others], :k] = (n + m / size) / (model.single(p).T[:, None] + m) * size
        left = np.delete(np.arange(d), p)
        slab[:, (begins + cards)[left], :k] = cards[left, None]
    return begins, slabs, joints


def _tiles(cards: Ints, begins: Ints, modes: Ints, slabs: Floats, joints: Floats) -> tuple[Floats, Floats]:
    """Put the parents in their usual states side by side."""
    from pgm_nb.models.averaged.compiled import PARENTS

    d, (places, lanes) = len(cards), joints.shape
    tiles = -(-d // PARENTS[lanes])
    factors = np.ones((places, tiles * PARENTS[lanes], lanes))
    factors[:, :d] = slabs[begins + modes, :-1].transpose(1, 0, 2)
    factors[np.arange(places), np.repeat(np.arange(d), cards + 1)] = 0.0
    factors[begins + cards, np.arange(d)] = 1.0  # not known: the usual state is one of many
    begin = np.zeros((tiles * PARENTS[lanes], lanes))
    begin[:d] = joints[begins + modes]
    split = factors.reshape(places, tiles, -1).transpose(1, 0, 2)
    return np.ascontiguousarray(split), begin.reshape(tiles, -1)
