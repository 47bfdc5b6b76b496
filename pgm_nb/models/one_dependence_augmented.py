"""One-dependence augmented naive Bayes: every attribute depends on the one it shares most with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from pgm_nb.graphs import StrongestParents
from pgm_nb.learning import Trace
from pgm_nb.learning.trace import RUNNERS_UP, Candidate, Step
from pgm_nb.models.about import About
from pgm_nb.models.base import Classifier
from pgm_nb.models.hidden.model import HiddenClassifier
from pgm_nb.models.inspection import Mark
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.words import information

if TYPE_CHECKING:
    from pgm_nb.explain.detail import Detail
    from pgm_nb.explain.growth import Growth
    from pgm_nb.information import Information

__all__ = ["OneDependenceAugmented"]


class OneDependenceAugmented(HiddenClassifier):
    """ODANB (Jiang, Zhang, Cai, Su 2005): the parent of an attribute is the one it shares most with.

    The parent of Ai is the Aj of largest I(Ai;Aj|C), ties by column order. Two attributes can be each
    other's parents, so the product of the tables is a rule for scores and no joint distribution. It is hidden
    naive Bayes with one member in every bag. An attribute that shares nothing with any other depends on the
    class alone; the paper leaves this open.

    Parameters
    ----------
    discretizer, n_bins, missing
        As in `NaiveBayes`.
    smoothing : float or "hierarchical"
        As in `HiddenNaiveBayes`.

    Attributes
    ----------
    structure_ : StrongestParents
    trace_ : Trace
        The attributes by what they say about the class, each with its parent and the next best parents. The
        weight adds up what they say about the class alone: what two attributes share would count twice where
        they are each other's parents.
    divergence_ : None
    importance_ : DataFrame
    classes_, feature_names_in_, n_features_in_, encoder_, missing_

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.OneDependenceAugmented(n_bins=5).fit(X, y)
    >>> model.structure_.parent("sepal width"), model.structure_.pairs
    ('sepal length', (('sepal length', 'sepal width'),))
    """

    about: ClassVar[About] = HiddenClassifier.about.but(
        short_name="odanb",
        title="One-dependence augmented naive Bayes (ODANB)",
        brief="ODANB",
        summary="Every attribute depends on the class and on the one attribute it shares most with, given "
        "the class.",
        no_divergence="not defined: two attributes can depend on each other, so the product is not a joint "
        "distribution",
        growth_introduction="Every attribute takes as its parent the one it shares most with, given the "
        "class. The attributes that say most about the class come first.",
        chooses_links=True,
    )

    structure_: StrongestParents

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[StrongestParents, Trace]:
        shared = np.asarray(info.dependence)
        ranked = [_strongest_first(row, place) for place, row in enumerate(shared)]
        parents = {
            names[place]: {names[others[0]]: float(shared[place, others[0]])}
            for place, others in enumerate(ranked)
            if len(others) and shared[place, others[0]] > 0
        }
        relevance = dict(zip(names, map(float, info.relevance), strict=True))
        graph = StrongestParents(target, tuple(names), parents, relevance)
        return graph, Trace("odanb", partial(_steps, info, names, ranked))

    def _read_trace(self, record: Mapping[str, Any]) -> Any:
        return Trace.from_dict(record)

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes by the information they carry about the class, each with its parent; in bits.

        `shared` is what the two share given the class, I(Ai;Aj|C).
        """
        check_is_fitted(self)
        links = {edge.target: edge for edge in self.structure_.edges if edge.kind != "class"}
        relevance = self.structure_.relevance or {}
        rows = [
            (name, relevance[name], links[name].source, links[name].weight)
            if name in links
            else (name, relevance[name], None, 0.0)
            for name in self._by_relevance()
        ]
        return pd.DataFrame(rows, columns=["attribute", "gain", "parent", "shared"])

    def growth_views(self, rows: bool) -> tuple[str, ...]:
        """Return the views that can show its growth."""
        return (self.structure_.links_view,)

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Describe which parent each attribute took, and which came second."""
        trace: Any = self.trace_
        if trace.algorithm != "odanb":  # a file that was written before parents were traced
            return Classifier.growth_in(self, view, X, y, most)
        from pgm_nb.explain.growth.parents import parents_growth

        return parents_growth(self, view, most, "Strongest links")

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = Classifier._describe_attribute(self, name, mark)
        place, target = self.encoder_.names.index(name), self.structure_.class_words(mark)
        table = states_by_class(self, name, np.exp(self.factors_.alone.tables[place]))
        above = next(iter(self.structure_.bag(name)), None)
        said = f"It shares nothing with any other attribute, so it depends on {target} alone."
        if above is not None:
            said = f"It depends on {target} and on {mark(above)}, its parent."
        return replace(found, sentences=(*found.sentences, said), tables=(table,))

    def _describe_link(self, source: str, target: str, mark: Mark) -> str:
        given = self.structure_.class_words(mark)
        said = (
            f"Of all attributes, {mark(target)} shares most with {mark(source)}, given {given}, so it "
            "depends on it."
        )
        weight = next((e.weight for e in self.structure_.edges if e[:2] == (source, target)), None)
        amount = (
            "" if weight is None else f" They share {information(weight, 2, scale=self.structure_.scale)}."
        )
        both = source in self.structure_.weights and target in self.structure_.bag(source)
        return said + amount + (" Each is the parent of the other." if both else "")


def _strongest_first(shared: np.ndarray, place: int) -> np.ndarray:
    """Return the other columns, those first with which one shares most; ties by column order."""
    others = np.delete(np.arange(len(shared)), place)
    ranked: np.ndarray = others[np.argsort(-shared[others], kind="stable")]
    return ranked


def _steps(info: Information, names: Sequence[str], ranked: Sequence[np.ndarray]) -> tuple[Step, ...]:
    """Return the attributes by what they say about the class, each with its parent and the next best."""
    steps, weight = [], 0.0
    for place in np.argsort(-info.relevance, kind="stable").tolist():
        relevance = float(info.relevance[place])
        near = [
            Candidate(names[place], names[other], relevance, float(info.dependence[place, other]))
            for other in ranked[place][: RUNNERS_UP + 1]
        ]
        alone = not near or near[0].dependence <= 0
        weight += relevance
        chosen = Candidate(names[place], None, relevance, 0.0) if alone else near[0]
        steps.append(Step(chosen, weight, () if alone else tuple(near[1:])))
    return tuple(steps)
