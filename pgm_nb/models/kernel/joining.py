"""Densities per class from kernel sums, and which attributes are joined at a row (Denton, Perrizo 2004).

f_c(x) = prod_a (1/n_c) sum_{t in c} K_a(x_a, x_ta), where a pair of joined attributes is one factor with the
product kernel, (1/n_c) sum_{t in c} K_a K_b. All sums are kept as natural logs, so far values do not vanish.

Arrays: m rows to classify, d attributes, k classes, and the d(d-1)/2 pairs in the order of `pair_places`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np

from pgm_nb.arrays import Flags, Floats, Ints, Places
from pgm_nb.explain.terms import Terms
from pgm_nb.graphs import JoinedStar

__all__ = [
    "Flags",
    "Ints",
    "Joined",
    "correlations",
    "group_terms",
    "join",
    "log_densities",
    "pair_places",
    "row_factor_logs",
    "row_graph",
    "strongest_pairs",
]


def pair_places(d: int) -> tuple[Places, Places]:
    """Return the two attributes of every pair, in column order."""
    return np.triu_indices(d, 1)


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


def strongest_pairs(strength: Floats, threshold: float, d: int) -> Flags:
    """Choose pairs above the threshold, strongest first, each attribute in one pair at most, (m, pairs).

    Equal strengths go by column order.

    Examples
    --------
    >>> strongest_pairs(np.array([[0.5, 0.9, 0.1]]), 0.3, d=3)  # pairs 01, 02, 12: only 02
    array([[False,  True, False]])
    """
    a, b = pair_places(d)
    left = np.where(strength > threshold, strength, -inf)
    chosen = np.zeros(strength.shape, dtype=bool)
    for _ in range(d // 2):
        best = left.argmax(axis=1)
        rows = np.flatnonzero(left[np.arange(len(left)), best] > -inf)
        if len(rows) == 0:
            break
        pair = best[rows]
        chosen[rows, pair] = True
        one, other = a[pair][:, None], b[pair][:, None]
        touched = (a == one) | (b == one) | (a == other) | (b == other)
        left[rows] = np.where(touched, -inf, left[rows])
    return chosen


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
    single : array (m, d, k)
        Log density of every attribute that stands alone; 0 where it is joined or unknown.
    joint : array (m, pairs, k)
        Log density of every joined pair; 0 where the pair is not joined.
    known : array (m, d)
        The attributes that count at the row: known, and near to some training row.
    chosen : array (m, pairs)
        The pairs that are joined.
    correlation : array (m, pairs)
        Corr(a,b) at the row.
    """

    single: Floats
    joint: Floats
    known: Flags
    chosen: Flags
    correlation: Floats

    @property
    def log_likelihood(self) -> Floats:
        """Log of the product of all factors, (m, k)."""
        total: Floats = self.single.sum(axis=1) + self.joint.sum(axis=1)
        return total

    def in_order(self, order: Places) -> Floats:
        """Log of every factor at the place of its attribute in this order, (m, d, k).

        The factor of a pair is where the first of the two is, and the place of the second holds zero.
        """
        factors: Floats = self.single[:, order]
        turn = np.argsort(order)
        a, b = pair_places(len(order))
        rows, pairs = np.nonzero(self.chosen)
        factors[rows, np.minimum(turn[a], turn[b])[pairs]] = self.joint[rows, pairs]
        return factors


def join(
    single: Floats,
    joint: Floats | None,
    known: Flags,
    class_sizes: Ints,
    *,
    threshold: float | None,
    anticorrelation: bool,
    smoothing: float | None,
) -> Joined:
    """Join attributes at every row and turn kernel sums into factors.

    A pair is joined when Corr > threshold (|Corr| with `anticorrelation`), the strongest first, each
    attribute once. A pair of values that no training row is near to at once is never joined, and a value
    that no training row is near to is unknown.

    Parameters
    ----------
    single, joint : arrays (m, d, k) and (m, pairs, k)
        Log kernel sums per class; `joint` is None without joining.
    known : array (m, d)
        Whether the attribute is known at the row.
    """
    m, d, k = single.shape
    n = int(class_sizes.sum())
    known = known & (single > -inf).any(axis=2)
    a, b = pair_places(d)
    if joint is None or threshold is None:
        joint = np.zeros((m, len(a), k))
        corr, chosen = np.zeros((m, len(a))), np.zeros((m, len(a)), dtype=bool)
    else:
        corr = correlations(single, joint, n)
        possible = known[:, a] & known[:, b] & (joint > -inf).any(axis=2)
        strength = np.where(possible, np.abs(corr) if anticorrelation else corr, -inf)
        chosen = strongest_pairs(strength, threshold, d)
    alone = known.copy()
    rows, pairs = np.nonzero(chosen)
    alone[rows, a[pairs]] = alone[rows, b[pairs]] = False
    return Joined(
        np.where(alone[..., None], log_densities(single, class_sizes, smoothing), 0.0),
        np.where(chosen[..., None], log_densities(joint, class_sizes, smoothing), 0.0),
        known,
        chosen,
        corr,
    )


def row_graph(joined: Joined, target: str, names: tuple[str, ...]) -> JoinedStar:
    """Return the graph of the first row: which attributes are joined there, and by how much."""
    first, second = pair_places(len(names))
    pairs = np.flatnonzero(joined.chosen[0])
    return JoinedStar(
        target,
        names,
        {names[second[pair]]: names[first[pair]] for pair in pairs},
        {names[second[pair]]: float(joined.correlation[0, pair]) for pair in pairs},
        tuple(name for name, known in zip(names, joined.known[0], strict=True) if not known),
    )


def row_factor_logs(joined: Joined, names: tuple[str, ...]) -> dict[str, Floats]:
    """Log of the factors of the first row by their groups; none if the row is impossible in every class."""
    if not np.isfinite(joined.log_likelihood[0]).any():
        return {}
    first, second = pair_places(len(names))
    pairs = np.flatnonzero(joined.chosen[0])
    alone = joined.known[0].copy()
    alone[first[pairs]] = alone[second[pairs]] = False
    single = {names[a]: joined.single[0, a] for a in np.flatnonzero(alone)}
    return single | {f"{names[first[p]]}, {names[second[p]]}": joined.joint[0, p] for p in pairs}


def group_terms(
    blocks: Iterable[Joined], names: tuple[str, ...], ranking: tuple[str, ...], prior: Floats
) -> Terms:
    """Split scores into the groups of each row.

    Rows with the same groups, such as one row alone, have a step per group. Otherwise there is a step per
    attribute: the term of a joined pair is at the first of the two, and zero at the second.

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
    parts = [(joined.in_order(order), joined.chosen) for joined in blocks]
    factors, chosen = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    groups = _groups(chosen, names, ranking)
    steps = [place for place, name in enumerate(ranking) if name in groups]
    labels = tuple(", ".join(group) for group in groups.values())
    return Terms(labels, tuple(groups.values()), prior, factors[:, steps])


def _groups(chosen: Flags, names: Sequence[str], ranking: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the groups by their first attribute; every attribute its own where rows differ."""
    groups: dict[str, tuple[str, ...]] = {name: (name,) for name in ranking}
    if (chosen == chosen[0]).all():
        for a, b in np.transpose(pair_places(len(names)))[chosen[0]]:
            first, second = sorted((names[a], names[b]), key=ranking.index)
            groups[first] = (first, second)
            del groups[second]
    return groups
