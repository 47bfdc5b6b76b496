"""The graph of Gaussian naive Bayes, and its attributes ranked by what they tell about the class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgm_nb.graphs.gaussian import GaussianStar
from pgm_nb.inference.arrays import Floats
from pgm_nb.information import Information
from pgm_nb.learning import Trace, naive
from pgm_nb.models.gaussian.density import Gaussians, class_information
from pgm_nb.models.gaussian.learned import Learned

__all__ = ["gaussian_star", "ranked"]


def gaussian_star(
    learned: Learned, names: tuple[str, ...], gaussians: Gaussians, tables: Sequence[Floats], prior: Floats
) -> GaussianStar:
    """Return the star: leaves with their Gaussians, and I(Xi;Y) in bits under the model.

    Parameters
    ----------
    learned, names
        What was learned, and the names of all columns.
    gaussians : Gaussians
        Of the measured columns.
    tables : sequence of arrays (k, v)
        Log P(state | class) of the other columns.
    prior : array (k,)
    """
    deviation = np.sqrt(gaussians.variance)
    leaves = {
        names[place]: tuple(zip(gaussians.mean[:, j].tolist(), deviation[:, j].tolist(), strict=True))
        for j, place in enumerate(learned.measured)
    }
    measured = [names[place] for place in learned.measured]
    bits = dict(zip(measured, class_information(gaussians, prior).tolist(), strict=True))
    for column, table in zip(learned.encoder.columns, tables, strict=True):
        bits[column.name] = _table_information(table, prior)
    labels = tuple(map(str, learned.classes.tolist()))
    return GaussianStar(learned.target, names, labels, leaves, {name: bits[name] for name in names})


def _table_information(table: Floats, prior: Floats) -> float:
    """I(Xi;Y) in bits of a table of log P(state | class)."""
    given = np.exp(table)
    told = float((prior[:, None] * given * (table - np.log(prior @ given))).sum() / np.log(2))
    return max(told, 0.0)


def ranked(star: GaussianStar, prior: Floats, n_rows: int) -> Trace:
    """Return the attributes ranked by I(Xi;Y): there is nothing to search."""
    relevance = np.array(list((star.relevance or {}).values()))
    d, shares = len(relevance), prior[prior > 0]
    told = Information(
        n_rows=n_rows,
        class_entropy=float(-(shares * np.log2(shares)).sum()),
        entropies=np.full(d, np.nan),
        relevance=relevance,
        dependence=np.zeros((d, d)),
    )
    return naive(told, star.attributes, star.target)[1]
