"""Densities per class from kernel sums, and which attributes are joined at a row (Denton, Perrizo 2004).

f_c(x) = prod_a (1/n_c) sum_{t in c} K_a(x_a, x_ta), where a group of joined attributes is one factor with the
product kernel, (1/n_c) sum_{t in c} K_a K_b ... All sums are kept as natural logs: far values do not vanish.

Arrays: m rows to classify, d attributes, k classes, and the d(d-1)/2 pairs in the order of `pair_places`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np

from pgm_nb.arrays import Flags, Floats, Ints, Places
from pgm_nb.explain.explanation import Terms
from pgm_nb.graphs import JoinedStar
from pgm_nb.models.kernel.kernels import (
    LogKernel,
    groups_of,
    log_sum,
    pair_places,
    paired,
    strongest_groups,
    strongest_pairs,
)

__all__ = [
    "Joined",
    "correlations",
    "group_terms",
    "join",
    "log_densities",
    "row_factor_logs",
    "row_graph",
]


def correlations(single: Floats, joint: Floats, n: int) -> Floats:
    """Corr(a,b) = n sum_t K_a K_b / (sum_t K_a sum_t K_b) - 1 at every row, over all classes, (m, pairs).

    Parameters
    ----------
    single : array (m, d, k)
        log sum_{t in c} K_a.
    joint : array (m, pairs, k)
        log sum_{t in c} K_a K_b.
    n : int
        Training rows.

    Examples
    --------
    >>> single, joint = np.log([[[2.0], [4.0]]]), np.log([[[2.0]]])
    >>> correlations(single, joint, n=8)  # 8 * 2 / (2 * 4) - 1
    array([[1.]])
    """
    a, b = pair_places(single.shape[1])
    alone = np.logaddexp.reduce(single, axis=2)
    together = np.logaddexp.reduce(joint, axis=2)
    apart = alone[:, a] + alone[:, b]
    ratio = np.where(np.isneginf(apart), 0.0, log(n) + together - np.where(np.isneginf(apart), 0.0, apart))
    corr: Floats = np.expm1(ratio)
    return corr


def log_densities(log_sums: Floats, class_sizes: Ints, smoothing: float | None) -> Floats:
    """Log of the per-class density from log kernel sums, last axis the classes.

    None: (1/n_c) S_c, as in the paper. A number m: (S_c + m S/n) / (n_c + m), that is m imaginary rows of
    every class that are spread as all rows are; then no class is impossible where any row is near.

    Examples
    --------
    >>> np.exp(log_densities(np.log([3.0, 1.0]), np.array([4, 4]), None))
    array([0.75, 0.25])
    >>> np.exp(log_densities(np.array([0.0, -inf]), np.array([4, 4]), 2.0)).round(3)
    array([0.208, 0.042])
    """
    if smoothing is None:
        return np.where(class_sizes > 0, log_sums - np.log(np.maximum(class_sizes, 1)), -inf)
    pooled = np.logaddexp.reduce(log_sums, axis=-1, keepdims=True) - log(class_sizes.sum())
    smooth: Floats = np.logaddexp(log_sums, log(smoothing) + pooled) - np.log(class_sizes + smoothing)
    return smooth


@dataclass(frozen=True, eq=False)
class Joined:
    """Rows to classify, their factors per class, and which attributes are joined at each.

    Attributes
    ----------
    factors : array (m, d, k)
        Log density of every group, at its first attribute in column order; 0 at the others and where unknown.
    known : array (m, d)
        The attributes that count at the row: known, and near to some training row.
    first : array (m, d)
        The first attribute of the group that each attribute is in; itself where it is alone.
    correlation : array (m, pairs)
        Corr(a,b) at the row.
    strength : array (m, pairs)
        What they are joined by: Corr or its size; minus infinity for pairs that cannot be joined.
    """

    factors: Floats
    known: Flags
    first: Places
    correlation: Floats
    strength: Floats

    @property
    def log_likelihood(self) -> Floats:
        """Log of the product of all factors, (m, k)."""
        total: Floats = self.factors.sum(axis=1)
        return total

    def in_order(self, order: Places) -> Floats:
        """Log of every factor at the place of its attribute in this order, (m, d, k).

        The factor of a group is where the first of its attributes is, and the places of the others hold zero.
        """
        turn = np.argsort(order)
        rows = np.arange(len(self.first))[:, None]
        earliest = np.full(self.first.shape, len(order))
        np.minimum.at(earliest, (rows, self.first), np.broadcast_to(turn, self.first.shape))
        row, place = np.nonzero(earliest < len(order))
        ordered: Floats = np.zeros_like(self.factors)
        ordered[row, earliest[row, place]] = self.factors[row, place]
        return ordered


def join(
    single: Floats,
    joint: Floats | None,
    known: Flags,
    class_sizes: Ints,
    *,
    threshold: float | None,
    anticorrelation: bool,
    smoothing: float | None,
    most: int = 2,
    log_kernel: LogKernel | None = None,
) -> Joined:
    """Join attributes at every row and turn kernel sums into factors.

    A pair is joined when Corr > threshold (|Corr| with `anticorrelation`), the strongest first, and a group
    has at most so many attributes. Values that no training row is near to at once are never joined, and a
    value that no training row is near to is unknown.

    Parameters
    ----------
    single, joint : arrays (m, d, k) and (m, pairs, k)
        Log kernel sums per class; `joint` is None without joining.
    known : array (m, d)
        Whether the attribute is known at the row.
    most : int
        The attributes that a group may have.
    log_kernel : callable, optional
        Of a row and a known attribute: log of the kernel at all training rows, class by class. Needed where a
        group may have more than two.
    """
    m, d, _ = single.shape
    known = known & (single > -inf).any(axis=2)
    a, b = pair_places(d)
    first, sums = np.tile(np.arange(d), (m, 1)), single
    corr = strength = np.zeros((m, len(a)))
    if joint is not None and threshold is not None:
        corr = correlations(single, joint, int(class_sizes.sum()))
        possible = known[:, a] & known[:, b] & (joint > -inf).any(axis=2)
        strength = np.where(possible, np.abs(corr) if anticorrelation else corr, -inf)
        if log_kernel is None or most == 2:
            first = paired(strongest_pairs(strength, threshold, d), d)
        else:
            first = strongest_groups(strength, threshold, d, most, _near(log_kernel))
        sums = _group_sums(single, joint, first, class_sizes, log_kernel)
    counts = known & (first == np.arange(d))
    factors = np.where(counts[..., None], log_densities(sums, class_sizes, smoothing), 0.0)
    return Joined(factors, known, first, corr, strength)


def _near(log_kernel: LogKernel) -> Callable[[int, int], Flags]:
    return lambda row, place: log_kernel(row, place) > -inf


def _group_sums(
    single: Floats, joint: Floats, first: Places, class_sizes: Ints, log_kernel: LogKernel | None
) -> Floats:
    """Log kernel sums of the groups, at the first attribute of each, (m, d, k)."""
    d = first.shape[1]
    a, b = pair_places(d)
    rows, pairs = np.nonzero(first[:, b] == a)
    sums = single.copy()
    sums[rows, a[pairs]] = joint[rows, pairs]
    larger = np.flatnonzero((first[:, :, None] == np.arange(d)).sum(axis=1).max(axis=1) > 2)
    ends = np.cumsum(class_sizes)[:-1]
    for place, group in groups_of(first[larger]):
        if len(group) > 2 and log_kernel is not None:
            row = int(larger[place])
            together = np.sum([log_kernel(row, attribute) for attribute in group.tolist()], axis=0)
            sums[row, group[0]] = [
                log_sum(part, 0) if len(part) else -inf for part in np.split(together, ends)
            ]
    return sums


def row_graph(joined: Joined, target: str, names: tuple[str, ...]) -> JoinedStar:
    """Return the graph of the first row: which attributes are joined there, and by how much.

    An attribute is linked to the one before it in its group that it goes with most.
    """
    pairs = np.zeros((len(names), len(names)), dtype=np.intp)
    pairs[pair_places(len(names))] = np.arange(joined.correlation.shape[1])
    partner: dict[str, str] = {}
    correlation: dict[str, float] = {}
    for _, group in groups_of(joined.first[:1]):
        for turn, place in enumerate(group[1:], 1):
            earlier = group[:turn]
            best = joined.strength[0, pairs[earlier, place]].argmax()
            partner[names[place]] = names[earlier[best]]
            correlation[names[place]] = float(joined.correlation[0, pairs[earlier[best], place]])
    unknown = tuple(name for name, known in zip(names, joined.known[0], strict=True) if not known)
    return JoinedStar(target, names, partner, correlation, unknown)


def row_factor_logs(joined: Joined, names: tuple[str, ...]) -> dict[str, Floats]:
    """Log of the factors of the first row by their groups; none if the row is impossible in every class."""
    if not np.isfinite(joined.log_likelihood[0]).any():
        return {}
    first, known = joined.first[0], joined.known[0]
    places = np.flatnonzero(known & (first == np.arange(len(names))))
    return {", ".join(names[a] for a in np.flatnonzero(first == p)): joined.factors[0, p] for p in places}


def group_terms(
    blocks: Iterable[Joined], names: tuple[str, ...], ranking: tuple[str, ...], prior: Floats
) -> Terms:
    """Split scores into the groups of each row.

    Rows with the same groups, such as one row alone, have a step per group. Otherwise there is a step per
    attribute: the term of a joined group is at the first of them, and zero at the others.

    Parameters
    ----------
    blocks : iterable of Joined
        The rows.
    names, ranking : tuples of str
        The attributes in the order of the columns, and in that of the steps.
    prior : array (k,)
        Log of the class prior.
    """
    order = np.array([names.index(name) for name in ranking])
    parts = [(joined.in_order(order), joined.first) for joined in blocks]
    factors, first = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    groups = _groups(first, names, ranking)
    steps = [place for place, name in enumerate(ranking) if name in groups]
    labels = tuple(", ".join(group) for group in groups.values())
    return Terms(labels, tuple(groups.values()), prior, factors[:, steps])


def _groups(first: Places, names: Sequence[str], ranking: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the groups by their first attribute; every attribute its own where rows differ."""
    groups: dict[str, tuple[str, ...]] = {name: (name,) for name in ranking}
    if (first == first[0]).all():
        for _, places in groups_of(first[:1]):
            group = sorted((names[place] for place in places), key=ranking.index)
            groups[group[0]] = tuple(group)
            for name in group[1:]:
                del groups[name]
    return groups
