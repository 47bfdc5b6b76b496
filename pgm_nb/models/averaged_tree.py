"""Averaged tree augmented naive Bayes: TAN with every attribute as the root in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Floats
from pgm_nb.engine.sums import log_joint
from pgm_nb.errors import QueryError
from pgm_nb.learning import Trace, tan
from pgm_nb.models.about import TABLE_OPTIONS, About
from pgm_nb.models.inspection import Mark
from pgm_nb.models.table import HIERARCHICAL, TableClassifier
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.tables.factors import Factors, estimate, estimate_backoff, estimate_unsmoothed
from pgm_nb.tables.families import Families, families
from pgm_nb.tables.hierarchical import estimate_hierarchical

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes
    from pgm_nb.counts import Counts
    from pgm_nb.explain.detail import Detail
    from pgm_nb.graphs import Tree
    from pgm_nb.information import Information

__all__ = ["AveragedTree"]

_BLOCK = 1 << 12  # rows handled at once


class AveragedTree(TableClassifier[Families]):
    """ATAN (Jiang, Cai, Wang, Zhang 2012): TAN's tree with every attribute as the root in turn.

    P(y | x) is the mean over the roots of their P(y | x). Turning a tree changes nothing about the empirical
    distribution it stands for: without smoothing all roots agree, and the average acts through smoothing
    alone (`root_posteriors` shows how far).

    Parameters
    ----------
    discretizer, n_bins, smoothing, missing
        As in `NaiveBayes`; ``smoothing=None`` is the empirical tables as they are, with the class prior for
        rows that every class rules out.

    Attributes
    ----------
    structure_ : Tree
        TAN's tree, drawn from the attribute that says most about the class.
    trace_, importance_, classes_, feature_names_in_, n_features_in_, encoder_, missing_
        As in `TreeAugmentedNaiveBayes`.
    divergence_ : None

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.AveragedTree(n_bins=5).fit(X, y)
    >>> model.root_posteriors(X.iloc[[70]])[:, 0, 2].round(3)  # virginica, root by root
    array([0.112, 0.336, 0.107, 0.354])
    """

    about: ClassVar[About] = TableClassifier.about.but(
        short_name="atan",
        title="Averaged tree augmented naive Bayes (ATAN)",
        brief="ATAN",
        summary="The tree of TAN with every attribute as its root in turn; the probabilities are averaged.",
        options=TABLE_OPTIONS,
        chooses_links=True,
        factors_for_pgmpy=", use to_pgmpy(row) for the factors of a row",
        no_divergence="not given: an average of posteriors is no joint distribution; see TAN for that of "
        "the tree",
    )
    _statistics: ClassVar[type[Families]] = Families
    structure_: Tree
    trace_: Trace

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Tree, Trace]:
        return tan(info, names, target)

    def _keep(self, counts: Counts, structure: Any, names: Sequence[str]) -> Families:
        column = {name: i for i, name in enumerate(names)}
        mothers = np.full(len(names), -1)
        for child, mother in structure.mothers.items():
            mothers[column[child]] = column[mother]
        return families(counts, [column[name] for name in structure.attributes], mothers)

    def _estimate(self) -> None:
        counts = self.learned_.counts
        links = [(p, m) for p, m in enumerate(counts.mothers) if m >= 0]
        alone = tuple(counts.marginal(p) for p in range(len(counts.tables)))
        down = tuple(counts.tables[p] for p, _ in links)
        up = tuple(np.ascontiguousarray(table.swapaxes(1, 2)) for table in down)
        columns = counts.columns
        listed = (*columns, *(columns[p] for p, _ in links), *(columns[m] for _, m in links))
        tables = self._tables(Families(counts.y, listed, (-1,) * len(listed), (*alone, *down, *up)))
        d, n_links = len(columns), len(links)
        self._prior, self._alone = tables.log_prior, tables.tables[:d]
        given = {(p, m): tables.tables[d + i] for i, (p, m) in enumerate(links)}
        given |= {(m, p): tables.tables[d + n_links + i] for i, (p, m) in enumerate(links)}
        self._given = given  # (child, mother) -> log P(child | mother, y), by position, both ways

    def _tables(self, counts: Families) -> Factors:
        if self.smoothing is None:
            return estimate_unsmoothed(counts)[0]
        if self.smoothing == HIERARCHICAL:
            ordered = tuple(self.encoder_.columns[column].n_ordered for column in counts.columns)
            return estimate_hierarchical(counts, ordered)
        if isinstance(self.smoothing, str):
            return estimate_backoff(counts)
        return estimate(counts, float(self.smoothing))

    def rooted(self, root: str) -> Factors:
        """Return the tables of the tree with this attribute as its root."""
        counts = self.learned_.counts
        near: dict[int, list[int]] = {p: [] for p in range(len(counts.columns))}
        for child, mother in self._given:
            near[mother].append(child)
        order, above = [counts.columns.index(self.encoder_.names.index(root))], dict[int, int]()
        for here in order:
            for other in near[here]:
                if other != above.get(here):
                    above[other] = here
                    order.append(other)
        place = {position: i for i, position in enumerate(order)}
        return Factors(
            self._prior,
            tuple(counts.columns[p] for p in order),
            tuple(place[above[p]] if p in above else -1 for p in order),
            tuple(self._given[p, above[p]] if p in above else self._alone[p] for p in order),
        )

    def score_codes(self, codes: Codes) -> Floats:
        """Log of the averaged P(y | known attributes) and of the averaged P(known attributes), (n, k)."""
        counts = self.learned_.counts
        cards = np.array([table.shape[-1] for table in counts.tables])[:, None]
        complete = (codes[list(counts.columns)] < cards).all(axis=0)
        result = np.empty((codes.shape[1], len(self._prior)))
        rows = np.flatnonzero(complete)
        for start in range(0, len(rows), _BLOCK):
            some = rows[start : start + _BLOCK]
            result[some] = averaged(self._complete(codes[:, some].astype(np.intp)))
        rows = np.flatnonzero(~complete)
        if len(rows):
            trees = [self.rooted(name) for name in self.structure_.attributes]
            for start in range(0, len(rows), _BLOCK):
                some = rows[start : start + _BLOCK]
                result[some] = averaged(np.stack([log_joint(tree, codes[:, some]) for tree in trees]))
        return result

    def _complete(self, codes: Codes) -> Floats:
        """Log P(y, x) of complete rows under every root, (roots, n, k): a neighbour differs by one link."""
        counts = self.learned_.counts
        states = codes[list(counts.columns)]
        alone = [table.T[state] for table, state in zip(self._alone, states, strict=True)]
        given = {
            (child, mother): table[:, states[mother], states[child]].T
            for (child, mother), table in self._given.items()
        }
        scores = np.empty((len(alone), codes.shape[1], len(self._prior)))
        for position, mother in enumerate(counts.mothers):
            if mother < 0:
                links = [given[p, m] for p, m in enumerate(counts.mothers) if m >= 0]
                scores[position] = self._prior + alone[position] + sum(links)
            else:
                turned = alone[position] + given[mother, position]
                with np.errstate(invalid="ignore"):
                    scores[position] = scores[mother] - alone[mother] - given[position, mother] + turned
        return np.where(np.isnan(scores), -np.inf, scores)

    def root_posteriors(self, X: Any) -> Floats:
        """Posterior of the class of every row under every root, (roots, n, k), roots in column order.

        Without smoothing, rows that a root rules out have NaN there.
        """
        codes = self.encode(X)
        scores = np.stack([log_joint(self.rooted(name), codes) for name in self.structure_.attributes])
        return _posteriors(scores)

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self._prior

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes in the order in which they joined the tree, with what each adds to its weight."""
        check_is_fitted(self)
        rows = [(step.attribute, step.mother, step.gain) for step in self.trace_.steps]
        table = pd.DataFrame(rows, columns=["attribute", "mother", "gain"])
        return table.assign(weight=table["gain"].cumsum(), kl=np.nan)

    def _network(self, form: str | None) -> Any:
        """Refuse: a mean of posteriors is no network; that of one root is TAN's."""
        raise QueryError(
            f"{self.about.title} averages the answers of one network per root, which is no network itself; "
            "pass a row for its factors, to_pgmpy(row), or fit TAN for the network of one root"
        )

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = super()._describe_attribute(name, mark)
        column = self.encoder_.names.index(name)
        table = states_by_class(self, name, np.exp(self._alone[self.learned_.counts.columns.index(column)]))
        mother = self.structure_.mothers.get(name)
        said = "The tree is drawn from it; every other attribute is the root in turn."
        if mother is not None:
            shared = (self.structure_.dependence or {}).get(name, 0.0)
            said = (
                f"It is linked with {mark(mother)}: given {self.structure_.class_words(mark)}, the two share "
                f"{shared:.2f} bits. Which of them depends on the other changes with the root."
            )
        return replace(found, sentences=(*found.sentences, said), tables=(table,))

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, Any]) -> Any:
        super()._unpack(description, arrays)
        counts, names = self.learned_.counts, self.encoder_.names
        mothers = {
            names[column]: names[counts.columns[mother]]
            for column, mother in zip(counts.columns, counts.mothers, strict=True)
            if mother >= 0
        }
        steps = self.trace_.steps
        joined = {step.attribute for step in steps} | {steps[0].mother or steps[0].attribute}
        if mothers != dict(self.structure_.mothers) or joined != set(self.structure_.attributes):
            raise ValueError("the counts are not those of the structure")
        return self


def averaged(scores: Floats) -> Floats:
    """Average posteriors and likelihoods over the first axis of log P(y, x), (roots, n, k), as logs (n, k).

    A root that rules a row out takes no part in it.

    Examples
    --------
    >>> scores = np.log(np.array([[[0.2, 0.2]], [[0.3, 0.1]]]))
    >>> np.exp(averaged(scores)).round(3)  # posteriors 1/2 and 3/4, likelihoods 0.4 and 0.4
    array([[0.25, 0.15]])
    """
    posteriors = _posteriors(scores)
    possible = ~np.isnan(posteriors[:, :, 0])
    number = np.maximum(possible.sum(axis=0), 1)
    with np.errstate(divide="ignore"):
        mean = np.log(np.nan_to_num(posteriors).sum(axis=0) / number[:, None])
    likelihood = np.logaddexp.reduce(np.logaddexp.reduce(scores, axis=2), axis=0) - np.log(number)
    return np.asarray(mean + np.where(np.isneginf(likelihood), 0.0, likelihood)[:, None])


def _posteriors(scores: Floats) -> Floats:
    """P(y | x) from log P(y, x) along the last axis; NaN where nothing is possible."""
    top = scores.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        chances = np.exp(scores - top)
        found: Floats = chances / chances.sum(axis=-1, keepdims=True)
    return found
