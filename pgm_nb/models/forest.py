"""Models that are a forest given the class: naive Bayes, TAN, generalized naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Floats, Places
from pgm_nb.explain.terms import Terms, forest_terms
from pgm_nb.graphs import CherryTree
from pgm_nb.inference import Factors, Families, estimate, estimate_unsmoothed, families, log_joint
from pgm_nb.inference.factors import estimate_backoff
from pgm_nb.information import Divergence, Information, kl_divergence, weight
from pgm_nb.learning import Trace, best_weight
from pgm_nb.models.forest_detail import forest_attribute, forest_separator, history
from pgm_nb.models.inspection import Mark
from pgm_nb.models.questions import Questions
from pgm_nb.models.table import TableClassifier

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes
    from pgm_nb.counts import Counts
    from pgm_nb.explain.detail import Detail
    from pgm_nb.graphs import Graph, Star, Tree
    from pgm_nb.views.graph.drawing import Element

__all__ = ["ForestClassifier"]


class ForestClassifier(Questions, TableClassifier[Families]):
    """A joint distribution P(y) prod P(x | mother, y); a subclass only chooses the tree."""

    is_joint: ClassVar[bool] = True
    predicts_attributes: ClassVar[bool] = True
    statistics: ClassVar[type[Families]] = Families
    structure_: Star | Tree | CherryTree
    trace_: Trace
    divergence_: Divergence

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
        self._junction_tree = None
        if self.smoothing is None:
            self.factors_, self._repaired = estimate_unsmoothed(self.learned_.counts)
        elif isinstance(self.smoothing, str):
            self.factors_ = estimate_backoff(self.learned_.counts)
        else:
            self.factors_ = estimate(self.learned_.counts, float(self.smoothing))

    def score_codes(self, codes: Codes) -> Floats:
        """Log P(y, known attributes) of coded rows, (n, k)."""
        scores = log_joint(self.factors_, codes)
        if self.smoothing is None:
            impossible = np.isneginf(scores).all(axis=1)
            if impossible.any():
                scores[impossible] = log_joint(self._repaired, codes[:, impossible])
        return scores

    def coded_terms(self, codes: Codes) -> Terms:
        """Split scores into steps in the order of `importance_`; a prefix of the steps is a smaller model.

        A row that is scored with repaired tables is split with them too.
        """
        terms = self._steps(self.factors_, codes)
        if self.smoothing is None:
            impossible = np.asarray(np.isneginf(terms.scores()).all(axis=1))
            if impossible.any():
                terms = terms.with_rows(impossible, self._steps(self._repaired, codes[:, impossible]))
        return terms

    def prefix_scores(self, X: Any) -> Floats:
        """Joint log scores of the trees of the first 0, 1, ... all attributes, (n, d + 1, k)."""
        codes = self.encode(X)
        scores = self._steps(self.factors_, codes).prefix_scores()
        if self.smoothing is None:  # every prefix is repaired where it needs to be
            impossible = np.isneginf(scores).all(axis=2, keepdims=True)
            if impossible.any():
                scores = np.where(impossible, self._steps(self._repaired, codes).prefix_scores(), scores)
        return scores

    def _steps(self, factors: Factors, codes: Codes) -> Terms:
        names = tuple(self.importance_["attribute"])
        column = {name: i for i, name in enumerate(self.encoder_.names)}
        ordered = factors.in_order([column[name] for name in names])
        attributes = tuple(
            (name,) if mother < 0 else (name, names[mother])
            for name, mother in zip(names, ordered.mothers, strict=True)
        )
        return Terms(names, attributes, factors.log_prior, forest_terms(ordered, codes))

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self.factors_.log_prior

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        return super()._unpack(_rooted_as_counted(description), arrays)

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes in the order they joined: mother, gain, weight and KL so far, in bits."""
        check_is_fitted(self)
        steps = self.trace_.steps
        rows: list[tuple[str, str | None, float]] = []
        if steps[0].mother is not None:  # a first pair: its mother stands before it, with her own relevance
            alone = (self.structure_.relevance or {})[steps[0].mother]
            rows = [
                (steps[0].mother, None, alone),
                (steps[0].attribute, steps[0].mother, steps[0].gain - alone),
            ]
            steps = steps[1:]
        rows += [(step.attribute, step.mother, step.gain) for step in steps]
        table = pd.DataFrame(rows, columns=["attribute", "mother", "gain"])
        table["weight"] = table["gain"].cumsum()
        numbers = self.divergence_
        table["kl"] = numbers.kl + numbers.weight - table["weight"]
        return table

    def describe(
        self, element: Element, *, graph: Graph | None = None, row: Any = None, mark: Mark = str
    ) -> Detail:
        """Return what is known about one element of the picture; see `Inspection.describe`."""
        if element.kind == "separator":
            return forest_separator(self, element, mark)
        return super().describe(element, graph=graph, row=row, mark=mark)

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        said = (self._information_sentence(name, mark), *history(self, name, mark))
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


def _rooted_as_counted(description: Mapping[str, Any]) -> Mapping[str, Any]:
    """Turn the first pair of a saved cherry tree to the root of its counts.

    Files written before structures carried their root list the pair in the order of the columns.
    """
    structure, counts = description["structure"], description["counts"]
    order = structure.get("order", [])
    names = [column["name"] for column in description["encoder"]["columns"]]
    root = names[counts["columns"][list(counts["mothers"]).index(-1)]]
    if len(order) < 2 or order[0] == root:
        return description
    first, second = order[:2]
    mothers, dependence = dict(structure["mothers"]), dict(structure["dependence"])
    del mothers[second]
    dependence[first] = dependence.pop(second)
    turned = {
        "order": [second, first, *order[2:]],
        "mothers": mothers | {first: second},
        "dependence": dependence,
    }
    (step, *later) = description["trace"]["steps"]
    step = {**step, "chosen": [first, second, *step["chosen"][2:]]}
    trace = {**description["trace"], "steps": [step, *later]}
    return {**description, "structure": {**structure, **turned}, "trace": trace}
