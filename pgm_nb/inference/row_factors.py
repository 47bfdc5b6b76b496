"""One row as pgmpy factors over the class: the prior, and what every attribute says for each class.

A continuous attribute has no table, but once its value is known only its likelihood for each class is
left, and that is a factor over the class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.inference.arrays import Floats

if TYPE_CHECKING:
    from pgmpy.factors.discrete import DiscreteFactor

__all__ = ["row_factors"]


def row_factors(
    target: str, labels: Sequence[str], log_likelihoods: Mapping[str, Floats]
) -> list[DiscreteFactor]:
    """Return one factor over the class for each entry; their normalised product is the posterior.

    Parameters
    ----------
    target : str
        Name of the class, the one variable of every factor.
    labels : sequence of str
        Readable names of the classes.
    log_likelihoods : mapping of str to array (k,)
        Natural log of each attribute's (or joined group's) likelihood for every class, and of the class
        prior. A density can be too small or too large for a floating-point number, so every factor is
        scaled: its largest value is one. An entry that rules out every class says nothing: all ones.

    Returns
    -------
    list of DiscreteFactor
        In the order of the mapping.

    Examples
    --------
    >>> import numpy as np
    >>> prior, age = row_factors("ill", ["no", "yes"], {"ill": np.log([0.8, 0.2]), "age": np.log([1, 4])})
    >>> posterior = prior.product(age, inplace=False)
    >>> posterior.normalize(inplace=False).values
    array([0.5, 0.5])
    """
    from pgmpy.factors.discrete import DiscreteFactor

    names = {target: list(labels)}
    return [
        DiscreteFactor([target], [len(labels)], _scaled(np.asarray(logs)), state_names=names)
        for logs in log_likelihoods.values()
    ]


def _scaled(logs: Floats) -> Floats:
    largest = logs.max()
    values: Floats = np.ones(len(logs)) if np.isneginf(largest) else np.exp(logs - largest)
    return values
