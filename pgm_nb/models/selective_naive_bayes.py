"""Selective naive Bayes: the attributes that help, added one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.graphs import SelectiveStar
from pgm_nb.information import Divergence, kl_divergence, weight
from pgm_nb.learning.trace import RUNNERS_UP, Candidate, Step, Trace
from pgm_nb.models.about import TABLE_OPTIONS, About
from pgm_nb.models.class_trained import GENERATIVE
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.models.inspection import Mark
from pgm_nb.models.intervals import LEVEL, ForestIntervals, Intervals
from pgm_nb.models.table import HIERARCHICAL
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.hierarchical import smooth

if TYPE_CHECKING:
    from pgm_nb.explain.detail import Detail
    from pgm_nb.explain.growth import Growth
    from pgm_nb.information import Information
    from pgm_nb.models.table_state import TrainingRows

__all__ = ["SelectiveNaiveBayes"]

LEFT_OUT = (
    "This interval is about the attributes that the model keeps; what those that it leaves out would say is "
    "not in it."
)
LEAST_GAIN = 1e-9  # bits per row that an attribute must save


class KeptIntervals(ForestIntervals):
    """Intervals given the attributes that are kept."""

    model: SelectiveNaiveBayes
    coverage = (
        "Of such intervals, 89 to 92 of 100 held the truth given the attributes that are kept in "
        "simulations, and 83 to 85 the truth given everything known, where attributes that were left out "
        "said a little about the class."
    )

    @property
    def caution(self) -> str:
        """What is to be said beside every interval: that it is about the attributes that are kept."""
        return LEFT_OUT if self.model.structure_.apart else ""

    def of_tree(self, tree: JunctionTree, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the ends of the intervals; what is known of attributes that are left out says nothing."""
        out = [name for name in self.model.structure_.apart if name in tree.evidence]
        return super().of_tree(tree.retract(*out) if out else tree, level)


class SelectiveNaiveBayes(ForestClassifier):
    """Selective naive Bayes (Langley, Sage 1994): only attributes that make rows left out more predictable.

    From no attribute on, the one that lowers the log-loss of the training rows most joins, each row left out
    of its class's tables, until none does. The paper compares errors on the training rows; we took log-loss
    and leave rows out, which makes ties rare and needs no other rows.

    An attribute that is left out has the same distribution in every class. So its value may be given and says
    nothing about the class or any other attribute.

    Parameters
    ----------
    discretizer, n_bins, smoothing, missing
        As in `NaiveBayes`. With ``smoothing=None`` or "backoff" the attributes are chosen with hierarchical
        smoothing.

    Attributes
    ----------
    structure_ : SelectiveStar
        Its `chosen` attributes take part, those `apart` are left out.
    trace_ : Trace
        The attributes in the order in which they joined, with the log-loss that each saved on rows left out,
        and what the runners-up would have saved.
    divergence_, importance_, classes_, feature_names_in_, n_features_in_, encoder_, missing_
        As in `NaiveBayes`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> pnb.SelectiveNaiveBayes(n_bins=5).fit(X, y).structure_.chosen
    ('sepal width', 'petal length', 'petal width')
    """

    _intervals: ClassVar[type[Intervals]] = KeptIntervals
    about: ClassVar[About] = ForestClassifier.about.but(
        short_name="snb",
        title="Selective naive Bayes",
        brief="Selective NB",
        summary="Every attribute depends on the class alone, and only attributes that help to predict it "
        "take part.",
        has_nomogram=True,
        options=TABLE_OPTIONS,
        growth_introduction="Attributes join while they make rows that were left out of training more "
        "predictable. Those that would not are left out.",
        structure_choices={},
    )
    _searches_pairs: ClassVar[bool] = False
    _real_weights: ClassVar[bool] = False  # the search leaves whole rows out
    structure_: SelectiveStar

    parameters = GENERATIVE

    def __init__(
        self,
        *,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str | None = HIERARCHICAL,
        missing: str = "state",
    ) -> None:
        self.discretizer = discretizer
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.missing = missing

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[SelectiveStar, Trace]:
        raise NotImplementedError("the search needs the rows: see _search")

    def _search(self, info: Information, counts: Any, rows: TrainingRows) -> tuple[SelectiveStar, Trace]:
        names = rows.encoder.names
        tables = [counts.single(i) for i in range(len(names))]
        ordered = [column.n_ordered for column in rows.encoder.columns]
        found = search_attributes(tables, ordered, self._rows(), rows.codes, rows.y, info.relevance)
        relevance = dict(zip(names, map(float, info.relevance), strict=True))
        chosen = {ranked[0][0] for ranked in found}
        out = tuple(name for place, name in enumerate(names) if place not in chosen)
        star = SelectiveStar(rows.target, tuple(names), relevance, out)
        steps, so_far = [], 0.0
        for ranked in found:
            first, *others = (
                Candidate(names[place], None, relevance[names[place]], 0.0, saved=saved)
                for place, saved in ranked[: RUNNERS_UP + 1]
            )
            so_far += first.relevance
            steps.append(Step(first, so_far, tuple(others)))
        return star, Trace("selective", tuple(steps))

    def _divergence(
        self, info: Information, joint: float, structure: Any, names: Sequence[str]
    ) -> Divergence:
        chosen = [place for place, name in enumerate(names) if name not in structure.apart]
        alone = np.full(len(names), -1)
        whole = super()._divergence(info, joint, structure, names)
        return replace(
            whole, kl=kl_divergence(info, joint, alone, chosen), weight=weight(info, alone, chosen)
        )

    def _estimate(self) -> None:
        super()._estimate()
        self.factors_ = self._same_in_every_class(self.factors_)
        if self.smoothing is None:
            self._repaired = self._same_in_every_class(self._repaired)

    def _same_in_every_class(self, factors: Factors) -> Factors:
        """Replace P(x | y) of the attributes that are left out by P(x)."""
        out = {self.encoder_.names.index(name) for name in self.structure_.apart}
        with np.errstate(divide="ignore"):
            tables = tuple(
                np.tile(np.log(np.exp(factors.log_prior) @ np.exp(table)), (len(table), 1))
                if column in out
                else table
                for column, table in zip(factors.columns, factors.tables, strict=True)
            )
        return replace(factors, tables=tables)

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Describe what each attribute saved on rows left out, and which came second."""
        from pgm_nb.explain.growth.trees import selective_growth

        return selective_growth(self, view, most)

    def _joined(self) -> list[tuple[str, str | None, float]]:
        return [*super()._joined(), *((name, None, 0.0) for name in self.structure_.apart)]

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = super()._describe_attribute(name, mark)
        if name not in self.structure_.apart:
            return found
        said = f"It is left out: with it, {self.structure_.class_words(mark)} would be predicted no better."
        return replace(found, sentences=(found.sentences[0], said))

    def _rows(self) -> float | None:
        """Imaginary rows of every table, or None for hierarchical smoothing."""
        smoothing = HIERARCHICAL if self.smoothing is None else self.smoothing
        return None if isinstance(smoothing, str) else float(smoothing)


def search_attributes(
    tables: Sequence[Any],
    ordered: Sequence[int],
    smoothing: float | None,
    codes: Codes,
    y: Places,
    relevance: Floats,
) -> list[list[tuple[int, float]]]:
    """Add columns one by one while the log-loss of rows left out falls; at least one.

    Returns for every step the columns that were left, the chosen one first, each with the log-loss in bits
    per row that it saved or would have saved.

    Parameters
    ----------
    tables : sequence of arrays (k, v)
        n(y, x) of every column.
    ordered : sequence of int
        How many of the first states of each column have an order.
    smoothing : float or None
        Imaginary rows of every table; None: hierarchical smoothing.
    codes, y
        The training rows, (d, n), and their classes.
    relevance : array (d,)
        I(Xi;Y), which decides ties.
    """
    k, n = len(tables[0]), codes.shape[1]
    line = np.arange(n)
    classes = np.bincount(y, minlength=k)
    scores = np.repeat(np.log((classes + 1 / k) / n)[:, None], n, axis=1)  # (k, n)
    scores[y, line] = np.log((classes[y] - 1 + 1 / k) / n)
    logs = [left_out_logs(table, order, smoothing) for table, order in zip(tables, ordered, strict=True)]

    def added(column: int) -> Floats:
        whole, out = logs[column]
        with_it = scores + whole[:, codes[column]]
        with_it[y, line] = scores[y, line] + out[y, codes[column]]
        return with_it

    found: list[list[tuple[int, float]]] = []
    loss = _loss(scores, line, y)
    left = sorted(range(len(tables)), key=lambda i: (-relevance[i], i))
    while left:
        losses = {column: _loss(added(column), line, y) for column in left}
        ranked = sorted(left, key=losses.__getitem__)  # stable: of equals the one that says most
        best = ranked[0]
        if found and losses[best] > loss - LEAST_GAIN:
            break
        found.append([(column, loss - losses[column]) for column in ranked])
        loss, scores = losses[best], added(best)
        left.remove(best)
    return found


def left_out_logs(counts: Any, ordered: int, smoothing: float | None) -> tuple[Floats, Floats]:
    """Log P(x | y), and the same where one of the cell's rows is left out of its class, (k, v).

    Examples
    --------
    >>> whole, out = left_out_logs(np.array([[3, 1]]), 0, 1.0)
    >>> np.exp(whole).round(3), np.exp(out).round(3)
    (array([[0.7, 0.3]]), array([[0.625, 0.125]]))
    """
    if smoothing is None:
        level = smooth(np.asarray(counts), ordered)[1]
        whole, out = level.estimate, level.left_out
    else:
        v, total = counts.shape[1], counts.sum(axis=1, keepdims=True)
        whole = (counts + smoothing / v) / (total + smoothing)
        out = (np.maximum(counts - 1, 0) + smoothing / v) / (np.maximum(total - 1, 0) + smoothing)
    return np.log(whole), np.log(out, out=np.full(out.shape, -np.inf), where=out > 0)


def _loss(scores: Floats, line: Places, y: Places) -> float:
    """Mean log-loss in bits of rows, from their scores (k, n)."""
    return float((np.logaddexp.reduce(scores, axis=0) - scores[y, line]).mean() / np.log(2))
