"""How far a structure is from the table: weight and Kullback-Leibler divergence, in bits."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

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
    """Return the weight W = sum of I(Xi;Y) + sum over the mother edges of I(Xi;Xm|Y)."""
    d = len(information.relevance)
    mother_of = np.asarray(mothers, dtype=np.intp)
    kept = np.arange(d) if attributes is None else np.asarray(attributes, dtype=np.intp)
    children = kept[mother_of[kept] >= 0]
    edges = information.dependence[children, mother_of[children]]
    return float(information.relevance[kept].sum() + edges.sum())


def kl_divergence(
    information: Information,
    joint_entropy: float,
    mothers: ArrayLike,
    attributes: Sequence[int] | None = None,
) -> float:
    """Return KL(P, P_structure) = sum H(Xi) + H(Y) - H(X,Y) - W."""
    independent = float(information.entropies.sum()) + information.class_entropy
    return max(0.0, independent - joint_entropy - weight(information, mothers, attributes))
