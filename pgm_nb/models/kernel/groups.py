"""What is joined at rows to classify: the graph of a row, its factors, and scores taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pgm_nb.explain.terms import Terms
from pgm_nb.graphs import JoinedStar
from pgm_nb.inference.arrays import Floats
from pgm_nb.models.kernel.kernels import Flags, Joined, pair_places

__all__ = ["group_terms", "row_factor_logs", "row_graph"]


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
    """Log of the factors of the first row by their groups; none if no class can have made the row."""
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
    """Take scores apart into the groups of each row.

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
