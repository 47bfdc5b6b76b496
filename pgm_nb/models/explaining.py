"""What every model says about one row: how much each of its values adds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Floats
from pgm_nb.engine.questions import Prior
from pgm_nb.explain.case_values import first_cells, left_out, one_row, shown
from pgm_nb.explain.explanation import Explanation, Terms, explanation, split, with_evidence, without_zeros

__all__ = ["Explaining"]


class Explaining:
    """Explanations of single rows, from the terms of a model."""

    classes_: NDArray[Any]
    structure_: Any

    if TYPE_CHECKING:

        @property
        def attribute_names_(self) -> tuple[str, ...]:
            """Names of the attributes."""

        def terms(self, X: Any) -> Terms:
            """Take the scores of rows apart."""

        def base_rate_shift(self, prior: Any) -> Floats:
            """Return what other base rates add to the log scores."""

        def _by_recipe(self, X: Any, *, reset: bool) -> Any:
            """Return the rows as the recipe makes them."""

        def query(
            self,
            variables: str | Iterable[str],
            given: Mapping[str, Any] | None = None,
            *,
            joint: bool = True,
            prior: Prior = None,
            X: Any = None,
        ) -> pd.DataFrame:
            """Return the probability of every state."""

    def explain(
        self, row: Any, *, label: Any = None, against: Any = None, prior: Prior = None, X: Any = None
    ) -> Explanation:
        """Explain one row: how much each cluster, attribute or component adds to the log-odds of its class.

        Parameters
        ----------
        row : mapping, Series or one-row table
            The row; an attribute that is not given is unknown, so that ``{}`` explains the prior. A mapping
            may hold ranges, alternatives and likelihoods, as `query` takes them; what they add comes last.
        label, against : object, optional
            The class to explain (by default the predicted one) and the class to compare it with (by
            default the likeliest other).
        prior : mapping of class to float, optional
            How common the classes are where the row comes from, as in `predict_proba`.
        X : table, optional
            The training table or one like it. Models that do not sort numbers into intervals need it for
            ranges, alternatives and likelihoods.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("iris")
        >>> model = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        >>> why = model.explain({"petal width": 1.6, "petal length": 5.0})
        >>> why.label, why.against, round(why.log_odds, 3)
        ('virginica', 'versicolor', 0.514)
        >>> why.to_frame()[["part", "state", "contribution"]].round(3)
                   part                  state  contribution
        0     base rate                                0.000
        1   petal width           (1.55, 1.85]         0.822
        2   sepal width  unknown, (1.55, 1.85]         0.000
        3  sepal length       unknown, unknown         0.000
        4  petal length  (4.65, 5.05], unknown        -0.308
        >>> why = model.explain({"petal width": 1.6, "petal length": pnb.below(5.0)})
        >>> why.label
        'versicolor'
        >>> why.to_frame()[["part", "state", "contribution"]].round(3)
                   part         state  contribution
        0     base rate                       0.000
        1   petal width  (1.55, 1.85]        -0.822
        2  petal length       below 5         1.689
        """
        names, row = self.attribute_names_, self._by_recipe(row, reset=False)
        plain, other = split(row) if isinstance(row, Mapping) else (row, {})
        frame = one_row(row if not other else plain, names)
        one_row(dict.fromkeys(other, 0.0), names)  # refuses a name that the model has not
        states, terms = self._states_and_terms(frame, left_out(plain, names))
        written = (shown(cell) for cell in first_cells(frame))
        cells = dict(zip(names, zip(written, states, strict=True), strict=True))
        cells |= {name: (str(value), str(value)) for name, value in other.items()}
        target, classes = str(self.structure_.target), self.classes_.tolist()
        terms = with_evidence(
            terms, plain, other, lambda known: self.query(target, known, X=X)["probability"].to_numpy()
        )
        if prior is not None:
            terms = replace(terms, prior=terms.prior + self.base_rate_shift(prior))
        why = explanation(terms, self.structure_.target, classes, cells, label, against)
        return without_zeros(why) if other else why

    def _states_and_terms(self, frame: pd.DataFrame, absent: Sequence[int]) -> tuple[tuple[str, ...], Terms]:
        """Name the state of each cell of a one-row table, here the value itself, and take its score apart.

        Some attributes may be `absent`: not mentioned at all.
        """
        row = frame if hasattr(self, "feature_names_in_") else frame.to_numpy()
        return tuple(shown(cell) for cell in first_cells(frame)), self.terms(row)
