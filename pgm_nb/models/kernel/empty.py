"""What an empty cell means to a kernel model: the state that it was in training, or nothing known.

In a question what is not named is unknown, also where an empty cell of a table is a state.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from pgm_nb.data import Encoder
from pgm_nb.models.base import Classifier
from pgm_nb.models.predicting import check_meaning

if TYPE_CHECKING:
    from pgm_nb.arrays import Floats
    from pgm_nb.explain.terms import Terms
    from pgm_nb.models.inspection import Known, Varied
    from pgm_nb.models.kernel.attributes import KernelAttribute

__all__ = ["EmptyCells"]


class EmptyCells(Classifier):
    """Questions in which whatever is not named is unknown."""

    attributes_: tuple[KernelAttribute, ...]
    encoder_: Encoder

    def empty_as(self, meaning: str) -> Self:
        """Return the same model, to which an empty cell is unknown, or the state that it was in training.

        It makes a difference only to columns that had empty cells in training, with ``missing="state"``.

        Examples
        --------
        >>> import pandas as pd
        >>> import pgm_nb as pnb
        >>> X = pd.DataFrame({"test": ["pos", "neg", None, None] * 5})
        >>> model = pnb.KernelSemiNaiveBayes().fit(X, ["ill", "well", "ill", "ill"] * 5)
        >>> row = pd.DataFrame({"test": [None]})
        >>> print(model.predict_proba(row).round(2), model.empty_as("unknown").predict_proba(row).round(2))
        [[0.96 0.04]] [[0.75 0.25]]
        """
        check_meaning(meaning)
        columns = tuple(replace(c, empty_unknown=meaning == "unknown") for c in self.encoder_.columns)
        other = copy(self)
        other.encoder_ = Encoder(columns)
        pairs = zip(self.attributes_, columns, strict=True)
        other.attributes_ = tuple(replace(attribute, column=column) for attribute, column in pairs)
        return other

    def case_scores(self, known: Known, varied: Varied | None = None) -> Floats:
        """Joint log scores of one case, (1, k), or of several that differ in some values, (n, k)."""
        return super(EmptyCells, self.empty_as("unknown")).case_scores(known, varied)

    def case_terms(self, known: Known) -> Terms:
        """Return the scores of one case as a sum over the steps of the model."""
        return super(EmptyCells, self.empty_as("unknown")).case_terms(known)

    def _score_values(self, cells: Mapping[str, Any], n_rows: int) -> Floats:
        return super(EmptyCells, self.empty_as("unknown"))._score_values(cells, n_rows)
