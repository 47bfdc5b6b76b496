"""How far a structure is from the table: joint entropy, weight and Kullback-Leibler divergence, in bits."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pgm_nb.errors import DataError
from pgm_nb.information.measures import Information
from pgm_nb.information.sums import FixedPoint
from pgm_nb.words import NOT_SEARCHED, PROVEN_BEST, in_bits, proven_best

__all__ = ["Divergence", "joint_entropy", "kl_divergence", "weight"]

_ROWS = 2**14  # rows packed at a time: their words stay in the cache

Words = NDArray[np.uint64]


def joint_entropy(codes: NDArray[np.unsignedinteger], y: NDArray[np.integer], cards: Sequence[int]) -> float:
    """Return the entropy of the distinct rows, the class included, in bits.

    The columns are packed into 64-bit numbers (mixed radix: exact, nothing is hashed), as many at a time as
    fit. Only rows that agree so far go on to the next columns: a row that is alone adds 1 log2 1 = 0.

    Parameters
    ----------
    codes : array of shape (d, n)
        The states of each attribute.
    y : array of shape (n,)
        The classes.
    cards : sequence of int
        The number of states of each attribute.

    Examples
    --------
    >>> import numpy as np
    >>> joint_entropy(np.array([[0, 0, 1, 1]], dtype=np.uint8), np.array([0, 0, 0, 1]), (2,))
    1.5
    """
    fixed = FixedPoint(len(y))
    group, n_groups = np.asarray(y, dtype=np.uint64), int(np.max(y)) + 1
    rows: NDArray[np.intp] | None = None  # None: all of them
    first = 0
    while True:
        last, capacity = first, n_groups
        while last < len(cards) and capacity * cards[last] <= 2**64:
            capacity *= cards[last]
            last += 1
        words = _pack(group, codes[first:last], cards[first:last], rows)
        first = last
        if first == len(cards):
            words.sort()
            return float(fixed.bits(fixed.whole - fixed.terms(_run_lengths(words)).sum()))
        order = np.argsort(words)
        lengths = _run_lengths(words[order])
        repeated = lengths > 1
        if not repeated.any():
            return float(fixed.bits(np.int64(fixed.whole)))
        order = order[np.repeat(repeated, lengths)]
        rows = order if rows is None else rows[order]
        n_groups = int(repeated.sum())
        group = np.repeat(np.arange(n_groups, dtype=np.uint64), lengths[repeated])


def _pack(
    group: Words, codes: NDArray[np.unsignedinteger], cards: Sequence[int], rows: NDArray[np.intp] | None
) -> Words:
    """Return a number per row that differs wherever the group or a state differs."""
    words = group.copy()
    for start in range(0, len(words), _ROWS):
        block = words[start : start + _ROWS]
        chosen = slice(start, start + _ROWS) if rows is None else rows[start : start + _ROWS]
        for column, card in zip(codes, cards, strict=True):
            block *= np.uint64(card)
            block += column[chosen]
    return words


def _run_lengths(ordered: Words) -> NDArray[np.int64]:
    """Return how often each value of an ordered array occurs."""
    ends = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.diff(np.concatenate(([0], ends, [len(ordered)])))


@dataclass(frozen=True)
class Divergence:
    """The distance of a structure from the table it was learned from, in bits.

    Parameters
    ----------
    kl : float
        KL(P, P_structure): what the structure misses of the empirical distribution.
    weight, weight_naive, weight_best : float
        The weight W of the structure, of naive Bayes, and of the best tree of all; the last is NaN where a
        table is so wide that nobody searched for it.
    joint_entropy : float
        H(X, Y), the entropy of the distinct rows.
    proven : bool
        Whether a structure with the best weight is known; otherwise it is a bound that none exceeds.

    Examples
    --------
    >>> found = Divergence(kl=0.5, weight=1.75, weight_naive=1.0, weight_best=2.0, joint_entropy=3.0)
    >>> found.gap
    0.25
    >>> print(found)
    KL divergence 0.5000 bits; weight 1.7500 bits (naive Bayes 1.0000, best tree 2.0000: 0.2500 below it)
    """

    kl: float
    weight: float
    weight_naive: float
    weight_best: float
    joint_entropy: float
    proven: bool = True

    @property
    def gap(self) -> float:
        """The weight the structure lacks to the best tree of all."""
        return self.weight_best - self.weight

    @property
    def is_best(self) -> bool:
        """Whether the structure is proven best, and naive Bayes is not: else there was nothing to find.

        In two rows of two classes, no attribute varies within a class, and every tree is a best one.

        Examples
        --------
        >>> Divergence(0.0, 2.0, 1.0, 2.0, 2.0).is_best, Divergence(0.0, 1.0, 1.0, 1.0, 1.0).is_best
        (True, False)
        """
        return proven_best(self.gap) and not proven_best(self.weight_best - self.weight_naive)

    @property
    def below_best(self) -> str:
        """The gap in words: "0 bits", "0.250 bits" or, where the best is not known, "≤ 0.250 bits".

        Examples
        --------
        >>> Divergence(0.5, 1.75, 1.0, 2.0, 3.0, proven=False).below_best
        '≤ 0.250 bits'
        """
        if proven_best(self.gap):
            return "0 bits"
        return in_bits(self.gap) if self.proven else f"≤ {in_bits(self.gap)}"

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name, the gap included."""
        return {**asdict(self), "gap": self.gap}

    @property
    def _at_most(self) -> str:
        return "" if self.proven else "at most "

    def __str__(self) -> str:
        kl = "not measured" if math.isnan(self.kl) else f"{self.kl:.4f} bits"
        best = f"best tree {self._at_most}{self.weight_best:.4f}: " + (
            PROVEN_BEST if self.is_best else f"{self._at_most}{self.gap:.4f} below it"
        )
        if math.isnan(self.weight_best):
            best = NOT_SEARCHED
        return (
            f"KL divergence {kl}; weight {self.weight:.4f} bits (naive Bayes {self.weight_naive:.4f}, {best})"
        )


def weight(information: Information, mothers: ArrayLike, attributes: Sequence[int] | None = None) -> float:
    """Return the weight W = sum of I(Xi;Y) + sum over the mother edges of I(Xi;Xm|Y), in bits.

    Parameters
    ----------
    information : Information
        The informations of the table.
    mothers : array of shape (d,)
        The column that is the mother of each column; -1 for a column that depends on the class only.
    attributes : sequence of int, optional
        The columns of a truncated tree; by default all.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> from pgm_nb.information import information
    >>> found = information(count(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), [0, 1, 1, 0], (2, 2), 2))
    >>> weight(found, [-1, -1]), weight(found, [-1, 0])  # y = x0 xor x1: naive Bayes sees nothing
    (0.0, 1.0)
    """
    d = len(information.relevance)
    kept = np.arange(d) if attributes is None else np.asarray(attributes, dtype=np.intp)
    mother_of = _checked_mothers(np.asarray(mothers, dtype=np.intp), kept, d)
    children = kept[mother_of[kept] >= 0]
    edges = information.dependence_of(children, mother_of[children])
    return math.fsum([*information.relevance[kept].tolist(), *edges.tolist()])  # exact in any order


def kl_divergence(
    information: Information,
    joint_entropy: float,
    mothers: ArrayLike,
    attributes: Sequence[int] | None = None,
) -> float:
    """Return KL(P, P_structure) = sum H(Xi) + H(Y) - H(X,Y) - W, in bits.

    Columns left out of a truncated tree count as independent of all the rest. See `weight` for the
    parameters and `joint_entropy` for H(X,Y); without it, NaN, there is no divergence either.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> from pgm_nb.information import information
    >>> found = information(count(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), [0, 1, 1, 0], (2, 2), 2))
    >>> kl_divergence(found, 2.0, [-1, -1]), kl_divergence(found, 2.0, [-1, 0])
    (1.0, 0.0)
    """
    if math.isnan(joint_entropy):
        return math.nan
    independent = math.fsum(information.entropies.tolist()) + information.class_entropy
    return max(0.0, independent - joint_entropy - weight(information, mothers, attributes))


def _checked_mothers(mothers: NDArray[np.intp], kept: NDArray[np.intp], d: int) -> NDArray[np.intp]:
    if mothers.shape != (d,):
        raise DataError(f"there must be one mother for each of the {d} columns, got shape {mothers.shape}")
    present = set(kept.tolist())
    for child in present:
        mother = int(mothers[child])
        if not -1 <= mother < d or mother == child:
            raise DataError(f"the mother of column {child} must be another column or -1, got {mother}")
        if mother >= 0 and mother not in present:
            raise DataError(f"the mother of column {child} is column {mother}, which is left out; add it")
    return mothers
