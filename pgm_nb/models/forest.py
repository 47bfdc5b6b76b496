"""Models that are a forest given the class: naive Bayes, TAN, generalized naive Bayes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from pgm_nb.allowed import Allowed
from pgm_nb.arrays import Floats, Places
from pgm_nb.engine.sums import log_joint
from pgm_nb.engine.sums import terms as attribute_terms
from pgm_nb.explain.explanation import Terms
from pgm_nb.graphs import CherryTree, HigherCherryTree
from pgm_nb.information import Divergence, Information, kl_divergence, weight
from pgm_nb.learning import Trace, best_weight
from pgm_nb.models.about import TABLE_OPTIONS, About, ways_to_probabilities
from pgm_nb.models.base import Packed
from pgm_nb.models.class_trained import CLASS, GENERATIVE, ClassTrained
from pgm_nb.models.forest_detail import forest_attribute, forest_separator, history, training
from pgm_nb.models.inspection import Mark
from pgm_nb.models.intervals import ForestIntervals, Intervals
from pgm_nb.models.table import HIERARCHICAL, TableClassifier
from pgm_nb.models.table_state import TrainingRows
from pgm_nb.tables.factors import Factors, estimate, estimate_backoff, estimate_unsmoothed
from pgm_nb.tables.families import Families, families
from pgm_nb.tables.hierarchical import Lean, estimate_hierarchical, smoothing_plan
from pgm_nb.training.class_parameters import ClassParameters, class_scores
from pgm_nb.training.class_trained import fit_class_parameters, recount

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes
    from pgm_nb.counts import Counts
    from pgm_nb.explain.detail import Detail
    from pgm_nb.graphs import Graph, Star, Tree
    from pgm_nb.views.graph.drawing import Element

__all__ = ["ForestClassifier"]


class ForestClassifier(ClassTrained, TableClassifier[Families]):
    """A joint distribution P(y) prod P(x | mother, y); a subclass only chooses the tree."""

    about: ClassVar[About] = TableClassifier.about.but(
        allowed={**TableClassifier.about.allowed, "parameters": Allowed(words=(GENERATIVE, CLASS))},
        options=(
            ways_to_probabilities(GENERATIVE),
            *TABLE_OPTIONS,
        ),
        structure_choices={"parameters": GENERATIVE},
        is_joint=True,
        is_network=True,
        predicts_attributes=True,
    )
    _intervals: ClassVar[type[Intervals]] = ForestIntervals
    _real_weights: ClassVar[bool] = True
    _statistics: ClassVar[type[Families]] = Families
    structure_: Star | Tree | CherryTree | HigherCherryTree
    trace_: Trace
    _plan: dict[int, tuple[Lean, ...]]  # how the tables of each column borrow, with hierarchical smoothing

    def __init__(
        self,
        *,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str | None = HIERARCHICAL,
        missing: str = "state",
        parameters: str = GENERATIVE,
    ) -> None:
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)
        self.parameters = parameters

    def _keep(self, counts: Counts, structure: Any, names: Sequence[str]) -> Families:
        column = {name: i for i, name in enumerate(names)}
        return families(counts, [column[name] for name in structure.attributes], _mothers(structure, column))

    def _divergence(
        self, info: Information, joint: float, structure: Any, names: Sequence[str]
    ) -> Divergence:
        column = {name: i for i, name in enumerate(names)}
        attributes, mothers = [column[name] for name in structure.attributes], _mothers(structure, column)
        return Divergence(
            kl=kl_divergence(info, joint, mothers, attributes),
            weight=weight(info, mothers, attributes),
            weight_naive=weight(info, np.full(len(column), -1)),
            weight_best=best_weight(info),
            joint_entropy=joint,
        )

    def _estimate(self) -> None:
        self.class_parameters_ = None
        if self.smoothing is None:
            self.factors_, self._repaired = estimate_unsmoothed(self.learned_.counts)
        else:
            self.factors_ = self._tables(self.learned_.counts)

    def _tables(self, counts: Families) -> Factors:
        """Estimate smoothed tables from counts."""
        if self.smoothing == HIERARCHICAL:
            ordered = self._ordered(counts)
            plan = smoothing_plan(counts, ordered)
            self._plan = dict(zip(counts.columns, plan, strict=True))
            return estimate_hierarchical(counts, ordered, plan)
        if isinstance(self.smoothing, str):
            return estimate_backoff(counts)
        return estimate(counts, float(cast("float", self.smoothing)))

    def _ordered(self, counts: Families) -> tuple[int, ...]:
        """How many states of each attribute have an order: intervals and grades, not a missing cell."""
        return tuple(self.encoder_.columns[column].n_ordered for column in counts.columns)

    @property
    def _tables_add(self) -> bool:
        return self.class_parameters_ is None

    def _added(self, counts: Any, codes: Codes, y: Places) -> Any:
        y_counts, *tables = (part[0] for part in recount(counts, codes, y, np.zeros_like(y), 1))
        added = tuple(old + new for old, new in zip(counts.tables, tables, strict=True))
        return replace(counts, y=counts.y + y_counts, tables=added)

    def _train(self, rows: TrainingRows) -> None:
        if self.parameters == GENERATIVE or self.smoothing is None:
            return
        counts = self.learned_.counts.by_relevance()
        ordered, estimator = self._ordered(counts), self._tables
        if self.smoothing == HIERARCHICAL:  # how tables borrow is chosen once, and kept for every fold
            plan = tuple(self._plan[column] for column in counts.columns)
            estimator = partial(estimate_hierarchical, ordered=ordered, plan=plan)
        found = fit_class_parameters(counts, rows.codes, rows.y, estimator, ordered)
        if not found.converged:
            warnings.warn(
                "training the parameters for the class did not converge, so the generative tables are used; "
                "merge rare states or leave out attributes with many states",
                ConvergenceWarning,
                stacklevel=3,
            )
        self._remember_class_parameters(found)

    def score_codes(self, codes: Codes) -> Floats:
        """Log P(y, known attributes) of coded rows, (n, k).

        With parameters trained for the class: log P(y | known attributes), up to a constant per row.
        """
        if self.class_parameters_ is not None:
            return class_scores(self.class_parameters_, self._class_factors, codes)
        scores = log_joint(self.factors_, codes)
        if self.smoothing is None:
            impossible = np.isneginf(scores).all(axis=1)
            if impossible.any():
                scores[impossible] = log_joint(self._repaired, codes[:, impossible])
        return scores

    def coded_terms(self, codes: Codes) -> Terms:
        """Split scores into steps in the order of `importance_`; a prefix of the steps is a smaller model.

        A row that is scored with repaired tables is split with them too. With parameters trained for the
        class, the shift of the base rate is shared evenly by the attributes that are known.
        """
        terms = self._steps(self.factors_, codes)
        if self.class_parameters_ is not None:
            return replace(terms, values=self._class_values(codes, terms.names))
        if self.smoothing is None:
            impossible = np.asarray(np.isneginf(terms.scores()).all(axis=1))
            if impossible.any():
                terms = terms.with_rows(impossible, self._steps(self._repaired, codes[:, impossible]))
        return terms

    def prefix_scores(self, X: Any) -> Floats:
        """Joint log scores of the trees of the first 0, 1, ... all attributes, (n, d + 1, k)."""
        codes = self.encode(X)
        if self.class_parameters_ is not None:  # what they are depends on how much is known
            return super().coded_terms(codes).prefix_scores()
        scores = self._steps(self.factors_, codes).prefix_scores()
        if self.smoothing is None:  # every prefix is repaired where it needs to be
            impossible = np.isneginf(scores).all(axis=2, keepdims=True)
            if impossible.any():
                scores = np.where(impossible, self._steps(self._repaired, codes).prefix_scores(), scores)
        return scores

    def _steps(self, factors: Factors, codes: Codes) -> Terms:
        names = tuple(name for name, _, _ in self._joined())
        column = {name: i for i, name in enumerate(self.encoder_.names)}
        ordered = factors.in_order([column[name] for name in names])
        attributes = tuple(
            (name, *(names[mother] for mother in mothers))
            for name, mothers in zip(names, ordered.given, strict=True)
        )
        return Terms(names, attributes, factors.log_prior, attribute_terms(ordered, codes))

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self.factors_.log_prior

    def log_likelihood(self, X: Any) -> Floats:
        """Natural log of P(known attributes) of every row under the generative tables, (n,)."""
        total: Floats = np.logaddexp.reduce(log_joint(self.factors_, self.encode(X)), axis=1)
        return total

    def _pack(self) -> Packed:
        description, arrays = super()._pack()
        if self.class_parameters_ is not None:
            description["class_parameters"], more = self.class_parameters_.pack()
            arrays = arrays | {f"class_{name}": array for name, array in more.items()}
        return description, arrays

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        super()._unpack(description, arrays)
        counts, names = self.learned_.counts, self.encoder_.names
        mothers = {
            names[column]: names[counts.columns[mother]]
            for column, mother in zip(counts.columns, counts.mothers, strict=True)
            if mother >= 0
        }
        given = {
            names[c]: tuple(names[counts.columns[m]] for m in places)
            for c, places in zip(counts.columns, counts.given, strict=True)
            if places
        }
        if mothers != dict(getattr(self.structure_, "mothers", {})) or (
            isinstance(self.structure_, HigherCherryTree) and given != dict(self.structure_.families)
        ):
            raise ValueError("the counts are not those of the structure")
        if "class_parameters" in description:
            own = {name[6:]: array for name, array in arrays.items() if name.startswith("class_")}
            found = ClassParameters.unpack(description["class_parameters"], own)
            if sorted(cell.shape for cell in found.cells) != sorted(table.shape for table in counts.tables):
                raise ValueError("the parameters for the class are not those of the structure")
            self._remember_class_parameters(found)
        return self

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes in the order they joined: mother, gain, weight and KL so far, in bits."""
        check_is_fitted(self)
        table = pd.DataFrame(self._joined(), columns=["attribute", "mother", "gain"])
        table["weight"] = table["gain"].cumsum()
        numbers = self.divergence_
        table["kl"] = numbers.kl + numbers.weight - table["weight"]
        return table

    def _joined(self) -> list[tuple[str, str | None, float]]:
        """Return the attributes in the order they joined, with their mothers and gains."""
        steps = self.trace_.steps
        rows: list[tuple[str, str | None, float]] = []
        if steps[0].mother is not None:  # a first pair: its mother stands before it, with her own relevance
            alone = (self.structure_.relevance or {})[steps[0].mother]
            rows = [
                (steps[0].mother, None, alone),
                (steps[0].attribute, steps[0].mother, steps[0].gain - alone),
            ]
            steps = steps[1:]
        return rows + [
            (step.attribute, " and ".join(step.chosen.mothers) or None, step.gain) for step in steps
        ]

    def describe(
        self, element: Element, *, graph: Graph | None = None, row: Any = None, mark: Mark = str
    ) -> Detail:
        """Return what is known about one element of the picture; see `Inspection.describe`."""
        if element.kind == "separator":
            return forest_separator(self, element, mark)
        return super().describe(element, graph=graph, row=row, mark=mark)

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        said = (
            self._information_sentence(name, mark),
            *history(self, name, mark),
            *training(self, name, mark),
        )
        return forest_attribute(self, name, said)

    @property
    def constraints_(self) -> pd.DataFrame:
        """One row per required or forbidden edge: kind, attribute, other, and its price in bits."""
        check_is_fitted(self)
        return self.trace_.constraints_frame()


def _mothers(structure: Star | Tree | CherryTree, column: Mapping[str, int]) -> Places:
    """Mother of each column, -1 for none."""
    mothers = np.full(len(column), -1, dtype=np.intp)
    for child, mother in structure.mothers.items():
        mothers[column[child]] = column[mother]
    return mothers
