"""The steps of hidden naive Bayes: log P(ai | hidden parent, c), attribute by attribute."""

from __future__ import annotations

import numpy as np

from pgm_nb.explain.forest_terms import forest_terms
from pgm_nb.inference.arrays import Codes, Floats
from pgm_nb.models.hidden.mixtures import Mixtures
from pgm_nb.models.hidden.sums import mixture_sums

__all__ = ["hidden_terms"]


def hidden_terms(model: Mixtures, codes: Codes) -> Floats:
    """Tell what each attribute adds to the log score, (n, d, k), in column order.

    An attribute with a bag adds the log of its mixture over the known members, their weights scaled up to
    one; one without a bag, or with none of it known, adds log P(ai|c); an unknown one nothing.

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> from pgm_nb.models.hidden.mixtures import mixtures
    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 1, 1]], dtype=np.uint8)
    >>> counts = count(codes, np.array([0, 0, 1, 1]), (2, 2), 2)
    >>> model = mixtures(counts, np.array([[0.0, 1.0], [1.0, 0.0]]), smoothing=1.0)
    >>> np.exp(hidden_terms(model, codes)[0]).round(2)
    array([[0.75, 0.5 ],
           [0.5 , 0.5 ]])
    """
    result = forest_terms(model.alone, codes)  # log P(ai|c), zero for an unknown ai
    if len(model.owners) == 0:
        return result
    known = codes < np.asarray(model.counts.cards)[:, None]
    left = model.shares @ known  # the weight that is left of every bag, (a, n)
    mixed = (left > 0) & known[model.owners]
    mixture = mixture_sums(model, codes).transpose(0, 2, 1)  # (a, n, k)
    owner, row = np.nonzero(mixed)
    result[row, model.owners[owner]] = np.log(mixture[mixed] / left[mixed][:, None])
    return result
