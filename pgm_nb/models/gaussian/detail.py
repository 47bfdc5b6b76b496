"""What Gaussian naive Bayes says about one attribute: its bell curves, or its table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import ndtr

from pgm_nb.arrays import Floats
from pgm_nb.data import Column
from pgm_nb.explain.detail import DetailTable, state_table

if TYPE_CHECKING:
    from pgm_nb.models.gaussian.model import GaussianNaiveBayes

__all__ = ["attribute_table", "state_tables"]


def attribute_table(model: GaussianNaiveBayes, name: str) -> DetailTable:
    """Return mean and standard deviation in each class, or how often each state occurs there."""
    structure = model.structure_
    if name in structure.gaussians:
        cells = tuple((f"{mean:.4g}", f"{sd:.3g}") for mean, sd in structure.gaussians[name])
        title = f"{name}, in its own unit"
        return DetailTable(title, structure.target, structure.classes, ("mean", "± spread"), cells)
    columns = model.learned_.encoder
    place = columns.names.index(name)
    return state_table(
        name,
        columns.columns[place].labels,
        structure.target,
        structure.classes,
        np.exp(model.learned_tables[place]),
    )


def state_tables(model: GaussianNaiveBayes, columns: Sequence[Column]) -> dict[str, Floats]:
    """P(state | class) of every attribute, (k, states); for a number, the area under each bell curve.

    Of a few numbers without intervals, each has the area that is nearest to it.
    """
    gaussians = model.structure_.gaussians
    tables = {}
    for column in columns:
        if column.name in gaussians:
            ends = np.array(column.cuts if column.cuts is not None else _middles(column))
            mean, deviation = np.array(gaussians[column.name]).T[:, :, None]
            below = ndtr((ends - mean) / deviation)
            tables[column.name] = np.diff(below, axis=1, prepend=0.0, append=1.0)
    words = [(c.name, state) for c in columns if c.name not in gaussians for state in c.states]
    if words:  # one row for each state, in which nothing else is known
        rows = pd.DataFrame(
            {n: [s if n == name else np.nan for name, s in words] for n in model.attribute_names_}
        )
        given_class = np.exp(model.predict_joint_log_proba(rows) - model.class_log_prior_)
        owner = np.array([name for name, _ in words], dtype=object)
        tables |= {name: given_class[owner == name].T for name in dict(words)}
    return tables


def _middles(column: Column) -> list[float]:
    """Return the middle of every two neighbours among the numbers of a column."""
    return [(low + high) / 2 for low, high in pairwise(map(float, column.states))]
