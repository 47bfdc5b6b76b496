"""Counts -> entropies, relevance I(Xi;Y) and dependence I(Xi;Xj|Y), in bits.

With L(t) the sum of n log2 n over the cells of the count table t, and N rows:

    H(X)       = (L(N) - L(x)) / N
    I(X;Y)     = (L(N) - L(x) - L(y) + L(y,x)) / N
    I(Xi;Xj)   = (L(N) - L(xi) - L(xj) + L(xi,xj)) / N
    I(Xi;Xj|Y) = (L(y) - L(y,xi) - L(y,xj) + L(y,xi,xj)) / N

None of them is negative; a rounding below zero is clipped to zero.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pgm_nb.counts import Counts, Singles
from pgm_nb.errors import DataError
from pgm_nb.information.sums import (
    FixedPoint,
    Scaled,
    pair_sums,
    pair_sums_without_class,
    single_sums,
    single_sums_without_class,
)

__all__ = [
    "Information",
    "class_information",
    "conditional_mutual_information",
    "entropies",
    "entropy",
    "information",
    "interaction_information",
    "mutual_information",
    "pair_information",
    "star_information",
    "triplet_information",
]

Bits = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Information:
    """The information of a table that a structure search needs, in bits.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    class_entropy : float
        H(Y).
    entropies : array of shape (d,)
        H(Xi).
    relevance : array of shape (d,)
        I(Xi;Y).
    dependence : array of shape (d, d)
        I(Xi;Xj|Y), symmetric with a zero diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint8)
    >>> found = information(count(codes, np.array([0, 1, 1, 0]), (2, 2), 2))  # y = x0 xor x1
    >>> found.class_entropy, found.relevance.tolist(), found.dependence.tolist()
    (1.0, [0.0, 0.0], [[0.0, 1.0], [1.0, 0.0]])
    """

    n_rows: float
    class_entropy: float
    entropies: Bits
    relevance: Bits
    dependence: Bits

    def __post_init__(self) -> None:
        for name in ("entropies", "relevance", "dependence"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def dependence_of(self, children: NDArray[np.intp], mothers: NDArray[np.intp]) -> Bits:
        """Return I(Xi;Xj|Y) of some pairs of columns.

        Examples
        --------
        >>> from pgm_nb.counts import count
        >>> codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint8)
        >>> information(count(codes, [0, 1, 1, 0], (2, 2), 2)).dependence_of(np.array([0]), np.array([1]))
        array([1.])
        """
        found: Bits = self.dependence[children, mothers]
        return found


def star_information(counts: Counts | Singles) -> Information:
    """Return the entropies and relevance of a table; the dependence of its pairs is not measured: NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count_singles
    >>> codes = np.array([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=np.uint8)
    >>> found = star_information(count_singles(codes, np.array([0, 0, 1, 1]), (2, 2), 2))
    >>> found.relevance.tolist(), found.dependence.tolist()
    ([1.0, 1.0], [[nan, nan], [nan, nan]])
    """
    fixed = FixedPoint(counts.n_rows)
    y = int(fixed.terms(counts.y).sum())
    alone, with_class = single_sums_without_class(counts, fixed), single_sums(counts, fixed)
    d = len(counts.cards)
    return Information(
        n_rows=counts.n_rows,
        class_entropy=float(fixed.bits(np.int64(fixed.whole - y))),
        entropies=fixed.bits(fixed.whole - alone),
        relevance=fixed.bits(fixed.whole - alone - y + with_class),
        dependence=np.broadcast_to(np.nan, (d, d)),  # a single number in memory
    )


def information(counts: Counts) -> Information:
    """Return the entropies, relevance and dependence of a table.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> codes = np.array([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=np.uint8)
    >>> found = information(count(codes, np.array([0, 0, 1, 1]), (2, 2), 2))
    >>> found.entropies.tolist(), found.relevance.tolist(), found.dependence.tolist()
    ([1.0, 1.0], [1.0, 1.0], [[0.0, 0.0], [0.0, 0.0]])
    """
    return replace(star_information(counts), dependence=conditional_mutual_information(counts))


def entropy(table: ArrayLike) -> float:
    """Return the entropy of a table of counts: H = (L(N) - L(table)) / N.

    Examples
    --------
    >>> entropy([1, 1, 2])
    1.5
    """
    cells = np.asarray(table)
    n_rows = int(cells.sum())
    if n_rows < 1 or int(cells.min()) < 0:
        raise DataError("an entropy needs counts of at least one row and none below zero; check the table")
    fixed = FixedPoint(n_rows)
    return float(fixed.bits(fixed.whole - fixed.terms(cells).sum()))


def entropies(counts: Counts) -> Bits:
    """Return the entropy H(Xi) of every attribute.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> entropies(count(np.array([[0, 1, 0, 1], [0, 0, 0, 0]]), [0, 0, 1, 1], (2, 1), 2)).tolist()
    [1.0, 0.0]
    """
    fixed = FixedPoint(counts.n_rows)
    return fixed.bits(fixed.whole - single_sums_without_class(counts, fixed))


def class_information(counts: Counts) -> Bits:
    """Return the relevance I(Xi;Y) of every attribute.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> class_information(count(np.array([[0, 1, 0, 1], [0, 0, 1, 1]]), [0, 0, 1, 1], (2, 2), 2)).tolist()
    [0.0, 1.0]
    """
    fixed = FixedPoint(counts.n_rows)
    alone, with_class = single_sums_without_class(counts, fixed), single_sums(counts, fixed)
    return fixed.bits(fixed.whole - alone - fixed.terms(counts.y).sum() + with_class)


def mutual_information(counts: Counts) -> Bits:
    """Return I(Xi;Xj), the class summed out, as a symmetric (d, d) matrix with a zero diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> counts = count(np.array([[0, 1, 0, 1], [0, 1, 0, 1]]), [0, 1, 0, 1], (2, 2), 2)
    >>> mutual_information(counts).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    fixed = FixedPoint(counts.n_rows)
    alone = single_sums_without_class(counts, fixed)
    return _symmetric(fixed, fixed.whole, alone, pair_sums_without_class(counts, fixed))


def conditional_mutual_information(counts: Counts) -> Bits:
    """Return the dependence I(Xi;Xj|Y), as a symmetric (d, d) matrix with a zero diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> counts = count(np.array([[0, 1, 0, 1], [0, 1, 0, 1]]), [0, 0, 1, 1], (2, 2), 2)
    >>> conditional_mutual_information(counts).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    fixed = FixedPoint(counts.n_rows)
    whole = int(fixed.terms(counts.y).sum())
    return _symmetric(fixed, whole, single_sums(counts, fixed), pair_sums(counts, fixed))


def interaction_information(counts: Counts) -> Bits:
    """Return the interactions I(Xi;Xj|Y) - I(Xi;Xj), as a symmetric (d, d) matrix with a zero diagonal.

    Positive: the two say more about the class together than each by itself. Negative: they repeat each other.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> x = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])
    >>> interaction_information(count(x, [0, 1, 1, 0], (2, 2), 2)).tolist()  # y = x0 xor x1
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return conditional_mutual_information(counts) - mutual_information(counts)


def pair_information(information: Information) -> Bits:
    """Return the information content I(Y,Xi) of the class and each attribute.

    For two variables the information content is their mutual information, so this is the relevance.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> found = information(count(np.array([[0, 1, 0, 1], [0, 0, 1, 1]]), [0, 0, 1, 1], (2, 2), 2))
    >>> pair_information(found).tolist()
    [0.0, 1.0]
    """
    return information.relevance


def triplet_information(information: Information) -> Bits:
    """Return the information content I(Y,Xi,Xj) of every triplet, as a symmetric (d, d) matrix.

    I(Y,Xi,Xj) = H(Y) + H(Xi) + H(Xj) - H(Y,Xi,Xj) = I(Xi;Y) + I(Xj;Y) + I(Xi;Xj|Y); the diagonal is zero.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> found = information(count(np.array([[0, 1, 0, 1], [0, 1, 0, 1]]), [0, 1, 0, 1], (2, 2), 2))
    >>> triplet_information(found).tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    relevance = information.relevance
    triplets: Bits = relevance[:, None] + relevance + information.dependence
    np.fill_diagonal(triplets, 0.0)
    return triplets


def _symmetric(fixed: FixedPoint, whole: int, single: Scaled, pair: Scaled) -> Bits:
    """Return (whole - single_i - single_j + pair_ij) / N as a symmetric matrix with a zero diagonal."""
    d = len(single)
    upper = ~np.tri(d, dtype=bool)  # in the order of the pairs
    sums = np.zeros((d, d), dtype=np.int64)
    sums[upper] = pair
    sums += whole - single[:, None] - single
    bits = np.where(upper, fixed.bits(sums), 0.0)
    return bits + bits.T
