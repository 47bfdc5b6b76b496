"""How far a structure is from the table: weight and Kullback-Leibler divergence, in bits."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pgm_nb.errors import DataError
from pgm_nb.information.measures import Information

__all__ = ["Divergence", "kl_divergence", "weight"]


@dataclass(frozen=True)
class Divergence:
    """The distance of a structure from the table it was learned from, in bits.

    Parameters
    ----------
    kl : float
        KL(P, P_structure): what the structure misses of the empirical distribution.
    weight, weight_naive, weight_best : float
        The weight W of the structure, of naive Bayes, and of the best tree of all.
    joint_entropy : float
        H(X, Y), the entropy of the distinct rows.

    Examples
    --------
    >>> found = Divergence(kl=0.5, weight=1.75, weight_naive=1.0, weight_best=2.0, joint_entropy=3.0)
    >>> found.gap
    0.25
    >>> print(found)
    KL divergence 0.5000 bits; weight 1.7500 bits (naive Bayes 1.0000, best tree 2.0000: 0.2500 short of it)
    """

    kl: float
    weight: float
    weight_naive: float
    weight_best: float
    joint_entropy: float

    @property
    def gap(self) -> float:
        """The weight the structure lacks to the best tree of all."""
        return self.weight_best - self.weight

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name, the gap included."""
        return {**asdict(self), "gap": self.gap}

    def __str__(self) -> str:
        return (
            f"KL divergence {self.kl:.4f} bits; weight {self.weight:.4f} bits (naive Bayes "
            f"{self.weight_naive:.4f}, best tree {self.weight_best:.4f}: {self.gap:.4f} short of it)"
        )


def weight(information: Information, mothers: ArrayLike, attributes: Sequence[int] | None = None) -> float:
    """Return the weight W = sum of I(Xi;Y) + sum over the mother edges of I(Xi;Xm|Y), in bits.

    Parameters
    ----------
    information : Information
        The informations of the table.
    mothers : array of shape (d,)
        The column that is the mother of each column; -1 for a column that hangs on the class only.
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
    edges = information.dependence[children, mother_of[children]]
    return math.fsum([*information.relevance[kept].tolist(), *edges.tolist()])  # exact in any order


def kl_divergence(
    information: Information,
    joint_entropy: float,
    mothers: ArrayLike,
    attributes: Sequence[int] | None = None,
) -> float:
    """Return KL(P, P_structure) = sum H(Xi) + H(Y) - H(X,Y) - W, in bits.

    Columns left out of a truncated tree count as independent of all the rest. See `weight` for the
    parameters and `joint_entropy` for H(X,Y).

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> from pgm_nb.information import information
    >>> found = information(count(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), [0, 1, 1, 0], (2, 2), 2))
    >>> kl_divergence(found, 2.0, [-1, -1]), kl_divergence(found, 2.0, [-1, 0])
    (1.0, 0.0)
    """
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
