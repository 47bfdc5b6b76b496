"""K-dependence Bayes (KDB) and its selective variant: counts with several parents, tables, the estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log, prod
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pandas as pd
from scipy.special import xlogy
from sklearn.utils.validation import check_is_fitted

from pgm_nb.allowed import whole
from pgm_nb.arrays import Codes, Flags, Floats, Ints, Places, stored
from pgm_nb.certainty.network_draws import class_draws, network_draws
from pgm_nb.engine.elimination import Factor, log_factors
from pgm_nb.engine.sums import log_joint, terms
from pgm_nb.engine.variables import Potential, Variable, Variables
from pgm_nb.errors import DataError
from pgm_nb.explain.explanation import Terms
from pgm_nb.graphs import Parents
from pgm_nb.learning.trace import RUNNERS_UP, Candidate, Step, Trace
from pgm_nb.models.about import About, Choice, Option, imaginary_rows, with_smoothing
from pgm_nb.models.inspection import Mark
from pgm_nb.models.intervals import DRAWS, CaseIntervals, Intervals
from pgm_nb.models.table import HIERARCHICAL, TableClassifier
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.hierarchical import smooth
from pgm_nb.words import in_bits, information, together

if TYPE_CHECKING:
    from pgm_nb.certainty.chains import TableChains
    from pgm_nb.counts import Counts
    from pgm_nb.explain.detail import Detail
    from pgm_nb.explain.growth import Growth
    from pgm_nb.information import Information
    from pgm_nb.models.table_state import TrainingRows

__all__ = ["KDependenceBayes", "ParentCounts", "count_parents", "estimates", "left_out_errors"]

MOST_CELLS = 1 << 25  # of one table of counts
_BLOCK = 1 << 14  # rows handled at once


@dataclass(frozen=True, eq=False)
class ParentCounts:
    """Integer counts n(y, parents, x) of attributes that stand after their parents.

    Attributes
    ----------
    y : array (k,)
        Rows per class.
    columns : tuple of int
        Column of each attribute in the coded table.
    parents : tuple of tuples of int
        Positions in this list of each attribute's parents, the strongest first.
    tables : tuple of arrays (k, v_parent, ..., v)
        The counts.
    """

    y: Ints
    columns: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Ints, ...]

    def pack(self) -> tuple[dict[str, Any], dict[str, Ints]]:
        """Return what JSON holds, and arrays by name, for a file."""
        description = {
            "columns": self.columns,
            "parents": self.parents,
            "shapes": [table.shape for table in self.tables],
        }
        return description, {"y": self.y, "tables": np.concatenate([table.ravel() for table in self.tables])}

    @classmethod
    def unpack(cls, description: Mapping[str, Any], arrays: Mapping[str, Ints]) -> ParentCounts:
        """Read what `pack` gave; what does not agree with itself is a ValueError."""
        shapes = [tuple(shape) for shape in description["shapes"]]
        ends = np.cumsum([prod(shape) for shape in shapes])
        parts = np.split(stored(arrays, "tables", (int(ends[-1]),), "whole numbers", least=0), ends[:-1])
        tables = tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
        y = stored(arrays, "y", (None,), "whole numbers", least=0)
        parents = tuple(tuple(map(int, above)) for above in description["parents"])
        found = cls(y, tuple(description["columns"]), parents, tables)
        found.check()
        return found

    def check(self) -> None:
        """Raise a ValueError if the tables do not agree with each other."""
        if not len(self.columns) == len(set(self.columns)) == len(self.parents) == len(self.tables):
            raise ValueError("columns, parents and tables are not as many")
        cards = [table.shape[-1] for table in self.tables]
        for i, (table, above) in enumerate(zip(self.tables, self.parents, strict=True)):
            if any(not 0 <= parent < i for parent in above):
                raise ValueError(f"the parents of table {i} do not stand before it")
            if table.shape != (len(self.y), *(cards[parent] for parent in above), cards[i]):
                raise ValueError(f"table {i} does not belong to an attribute and its parents")
            if not np.array_equal(table.reshape(len(self.y), -1).sum(axis=1), self.y):
                raise ValueError(f"the counts of table {i} do not add up")

    def fits(self, cards: Sequence[int]) -> bool:
        """Say whether the tables are those of columns with so many states."""
        return all(
            0 <= column < len(cards) and table.shape[-1] == cards[column]
            for column, table in zip(self.columns, self.tables, strict=True)
        )


def count_parents(
    codes: Codes,
    y: Places,
    cards: Sequence[int],
    n_classes: int,
    order: Sequence[int],
    parents: Sequence[Sequence[int]],
) -> ParentCounts:
    """Count every attribute together with its parents and the class.

    Parameters
    ----------
    codes, y
        Coded rows (d, n) and their classes.
    cards : sequence of int
        Numbers of states of the columns.
    n_classes : int
        How many classes there are.
    order : sequence of int
        Columns, parents before their children.
    parents : sequence of sequences of int
        For each of them the columns of its parents.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1], [0, 0, 1]], dtype=np.uint8)
    >>> count_parents(codes, np.array([0, 1, 1]), (2, 2), 2, [0, 1], [[], [0]]).tables[1].tolist()
    [[[1, 0], [0, 0]], [[0, 0], [1, 1]]]
    """
    place = {column: i for i, column in enumerate(order)}
    classes = y.astype(np.intp)
    tables = []
    for column, above in zip(order, parents, strict=True):
        shape = (n_classes, *(cards[parent] for parent in above), cards[column])
        if prod(shape) > MOST_CELLS:
            raise DataError(
                f"a table of counts would have {prod(shape):,} cells, more than {MOST_CELLS:,}: merge "
                "states, use fewer bins, or allow fewer parents (k)"
            )
        cell = classes
        for member, card in zip((*above, column), shape[1:], strict=True):
            cell = cell * card + codes[member]
        tables.append(np.bincount(cell, minlength=prod(shape)).reshape(shape))
    counted = np.bincount(classes, minlength=n_classes)
    return ParentCounts(
        counted, tuple(order), tuple(tuple(place[p] for p in a) for a in parents), tuple(tables)
    )


@dataclass(frozen=True, eq=False)
class Estimates:
    """P(x | y), P(x | y, u1), P(x | y, u1, u2), ... of one attribute.

    Attributes
    ----------
    levels : tuple of arrays
        (k, v), (k, v1, v), (k, v1, v2, v), ...
    left_out : tuple of arrays
        The same where one of the cell's rows is taken out of the tables of its class.
    """

    levels: tuple[Floats, ...]
    left_out: tuple[Floats, ...]


def estimates(counts: Ints, ordered: int, smoothing: float | None) -> Estimates:
    """Estimate the tables of an attribute with no, one, two ... of its parents, the strongest first.

    Parameters
    ----------
    counts : array (k, v_parent, ..., v)
        n(y, parents, x).
    ordered : int
        How many of the first states have an order; for hierarchical smoothing.
    smoothing : float or None
        Imaginary rows m of every table, (n + m/v) / (N + m); None: each table leans on the one before, see
        `pgm_nb.tables.hierarchical.smooth`.

    Examples
    --------
    >>> found = estimates(np.array([[[3, 1], [0, 0]]]), 0, 1.0)
    >>> found.levels[1][0, 0], found.left_out[1][0, 0]  # (3 + 1/2) / 5; (2 + 1/2) / 4 without a row
    (array([0.7, 0.3]), array([0.625, 0.125]))
    """
    if smoothing is None:
        found = smooth(counts, ordered)[1:]
        return Estimates(tuple(one.estimate for one in found), tuple(one.left_out for one in found))
    v, levels, left_out = counts.shape[-1], [], []
    for depth in range(1, counts.ndim):
        n = counts.sum(axis=tuple(range(depth, counts.ndim - 1)))
        total = n.sum(axis=-1, keepdims=True)
        levels.append((n + smoothing / v) / (total + smoothing))
        rest = np.maximum(n - 1, 0) + smoothing / v
        left_out.append(np.where(n > 0, rest / (np.maximum(total - 1, 0) + smoothing), 0.0))
    return Estimates(tuple(levels), tuple(left_out))


def shared_bits(counts: Ints) -> float:
    """I(X; parents | Y) in bits from n(y, parents, x).

    Examples
    --------
    >>> round(shared_bits(np.array([[[5, 0], [0, 5]]])), 12)
    1.0
    """
    joint = counts.reshape(len(counts), -1, counts.shape[-1]).astype(float)
    parts = [joint, joint.sum(axis=2), joint.sum(axis=1), joint.sum(axis=(1, 2))]
    whole, above, own, classes = (float(xlogy(part, part).sum()) for part in parts)
    return max(0.0, (whole - above - own + classes) / float(joint.sum()) / log(2))


def left_out_errors(counts: ParentCounts, tables: Sequence[Estimates], codes: Codes, y: Places) -> Floats:
    """Return the mean squared error of rows left out, (k + 1 numbers of parents, attributes + 1).

    Examples
    --------
    >>> from pgm_nb.models.k_dependence import count_parents, estimates
    >>> codes, y = np.array([[0, 0, 0, 1, 1, 1]], dtype=np.uint8), np.array([0, 0, 0, 1, 1, 1])
    >>> counts = count_parents(codes, y, (2,), 2, [0], [[]])
    >>> left_out_errors(counts, [estimates(counts.tables[0], 0, 1.0)], codes, y).round(3)
    array([[0.34, 0.03]])
    """
    depth = max(len(found.levels) for found in tables)
    n, k = codes.shape[1], len(counts.y)
    errors = np.zeros((depth, len(tables) + 1))
    rest = np.maximum(counts.y - 1, 0) + 1 / k
    for start in range(0, n, _BLOCK):
        rows = slice(start, start + _BLOCK)
        some, own = codes[:, rows], y[rows].astype(np.intp)
        line = np.arange(len(own))
        prior = np.repeat(np.log((counts.y + 1 / k) / n)[None], len(own), axis=0)
        prior[line, own] = np.log(rest[own] / n)
        scores = np.repeat(prior[None], depth, axis=0)  # (depth, rows, k)
        errors[:, 0] += _squared(scores, line, own)
        for position, found in enumerate(tables):
            cell = np.zeros(len(own), dtype=np.intp)
            for parents in range(depth):
                if parents < len(found.levels):
                    table = found.levels[parents]
                    if parents:
                        above = counts.parents[position][parents - 1]
                        cell = cell * table.shape[parents] + some[counts.columns[above]]
                    at = cell * table.shape[-1] + some[counts.columns[position]]
                    flat = table.reshape(k, -1)
                    added = np.log(flat[:, at])  # (k, rows)
                    out = found.left_out[parents].reshape(k, -1)[own, at]
                    added[own, line] = np.log(out)
                scores[parents] += added.T
            errors[:, position + 1] += _squared(scores, line, own)
    mean: Floats = errors / n
    return mean


def _squared(scores: Floats, line: Places, own: Places) -> Floats:
    """Sum (1 - P(true class))^2 over rows, for every number of parents."""
    top = scores.max(axis=2, keepdims=True)
    chances = np.exp(scores - top)
    missed: Floats = 1 - chances[:, line, own] / chances.sum(axis=2)
    total: Floats = np.einsum("dr,dr->d", missed, missed)
    return total


SMOOTHED = with_smoothing(
    "'hierarchical' (the default; a table with many parents leans on that with one parent less, as "
    "far as the rows demand), or a number of imaginary rows spread over the states of every table",
)
PARENTS = Option(
    "k",
    "Parents",
    "How many other attributes an attribute may depend on, besides the class.",
    (
        Choice("2", "Two", "at most", {"k": 2}),
        Choice("1", "One", "at most", {"k": 1}),
        Choice("3", "Three", "at most; needs many rows", {"k": 3}),
    ),
    parse=int,
    metavar="K",
    flag_help="how many other attributes an attribute may depend on (default: 2)",
)
SELECT = Option(
    "select",
    "Attributes",
    "Whether all attributes take part, or the rows decide.",
    (
        Choice("all", "All of them", "as in KDB", {"select": False}, name="KDB"),
        Choice(
            "selected",
            "The best number of them",
            "rows left out of training decide how many attributes and parents there are (selective KDB)",
            {"select": True},
            name="SKDB",
        ),
    ),
)


class ParentIntervals(CaseIntervals):
    """Intervals from draws of tables with several parents."""

    model: KDependenceBayes

    def prepare(self) -> None:
        """Draw what the tables borrow from."""
        self._own_chains()

    def _own_chains(self) -> list[TableChains]:
        counts = self.model.learned_.counts
        return self._kept_chains.at(0, lambda: (counts.tables, None))

    def _drawn_case(self, states: list[int | None], seen: Flags) -> Floats:
        counts, chains = self.model.learned_.counts, self._own_chains()
        own = [states[column] for column in counts.columns]
        found = class_draws(counts.y, DRAWS, seen=seen)
        return found + network_draws(self.model.factors_, chains, own, DRAWS, 1, seen)


class KDependenceBayes(TableClassifier[ParentCounts]):
    """KDB (Sahami 1996): every attribute depends on the class and on up to k attributes before it.

    The attributes are ordered by I(Xi;Y). The parents of each are the class and the k earlier attributes
    with the largest I(Xi;Xj|Y). Ties go by column order.

    Parameters
    ----------
    k : int
        How many attributes may be parents of another; 0 is naive Bayes.
    select : bool
        Selective KDB (Martínez, Webb, Chen, Zaidi 2016): every row is left out in turn, and the number of
        attributes and of parents (up to k) with the least squared error is kept.
    discretizer, n_bins, missing
        As in `NaiveBayes`.
    smoothing : "hierarchical" or float
        "hierarchical" estimates P(x), P(x|y), P(x|u1,y), P(x|u1,u2,y) ..., the strongest parent first, each
        leaning on the one before by a weight under which rows left out are most likely. A number m spreads m
        imaginary rows over every table.

    Attributes
    ----------
    structure_ : Parents
    trace_ : Trace
        The attributes in their order.
    divergence_ : None
    importance_ : DataFrame
    classes_, feature_names_in_, n_features_in_, encoder_, missing_

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.KDependenceBayes(n_bins=5).fit(X, y)
    >>> {child: list(parents) for child, parents in model.structure_.parents.items()}["sepal width"]
    ['sepal length', 'petal width']
    """

    about: ClassVar[About] = TableClassifier.about.but(
        allowed={
            **imaginary_rows(HIERARCHICAL, advice="k-dependence Bayes needs imaginary rows"),
            "k": whole(0, what="a number of parents"),
        },
        short_name="kdb",
        title="K-dependence Bayes (KDB)",
        brief="KDB",
        summary="Every attribute depends on the class and on up to two attributes that say more about the "
        "class.",
        options=(
            SELECT,
            PARENTS,
            *SMOOTHED,
        ),
        no_divergence="not given: it is compared with that of trees, and this graph is no tree",
        chooses_links=True,
        predicts_attributes=True,
        is_network=True,
        growth_introduction="The attributes come in the order of what they say about the class. Each takes "
        "as parents those before it with which it shares most, given the class.",
    )
    _intervals: ClassVar[type[Intervals]] = ParentIntervals
    _forms: ClassVar[tuple[str, ...]] = ("bayesian network", "junction tree")
    _statistics: ClassVar[type[ParentCounts]] = ParentCounts
    structure_: Parents

    def __init__(
        self,
        *,
        k: int = 2,
        select: bool = False,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str = HIERARCHICAL,
        missing: str = "state",
    ) -> None:
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)
        self.k = k
        self.select = select

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Parents, Trace]:
        raise NotImplementedError("the search needs the rows: see _search")

    def _search(self, info: Information, counts: Counts, rows: TrainingRows) -> tuple[Parents, Trace]:
        names, target = rows.encoder.names, rows.target
        order, parents = choose_parents(info, int(self.k))
        tables = self._count(rows, order, parents)
        if self.select:
            n_attributes, n_parents = self._select(tables, rows)
            order = order[:n_attributes]
            parents = [above[:n_parents] for above in parents[:n_attributes]]
            tables = self._count(rows, order, parents)
        shared = {
            names[column]: shared_bits(table)
            for column, above, table in zip(order, parents, tables.tables, strict=True)
            if above
        }
        links = {
            names[column]: {names[parent]: float(info.dependence[column, parent]) for parent in above}
            for column, above in zip(order, parents, strict=True)
            if above
        }
        relevance = {names[column]: float(info.relevance[column]) for column in order}
        graph = Parents(target, tuple(names[column] for column in order), links, relevance, shared)
        return graph, Trace("kdb", partial(_steps, info, names, order, graph))

    def _select(self, tables: ParentCounts, rows: TrainingRows) -> tuple[int, int]:
        """Return how many attributes and parents leave the least error on rows left out."""
        found = self._tables(tables, rows.encoder.columns)
        errors = left_out_errors(tables, found, rows.codes, rows.y)[:, 1:]  # at least one attribute
        n_parents, place = np.unravel_index(int(np.argmin(errors)), errors.shape)
        return int(place) + 1, int(n_parents)

    def _count(
        self, rows: TrainingRows, order: Sequence[int], parents: Sequence[Sequence[int]]
    ) -> ParentCounts:
        return count_parents(rows.codes, rows.y, rows.encoder.cards, len(rows.classes), order, parents)

    def _keep(self, counts: Counts, structure: Any, names: Sequence[str]) -> ParentCounts:
        raise NotImplementedError("the counts are of more than pairs: see _keep_of")

    def _keep_of(self, rows: TrainingRows, counts: Counts, structure: Parents) -> ParentCounts:
        column = {name: i for i, name in enumerate(rows.encoder.names)}
        parents = [[column[p] for p in structure.parents.get(name, ())] for name in structure.attributes]
        return self._count(rows, [column[name] for name in structure.attributes], parents)

    def _tables(self, counts: ParentCounts, columns: Sequence[Any]) -> list[Any]:
        rows = None if self.smoothing == HIERARCHICAL else float(cast("float", self.smoothing))
        return [
            estimates(table, columns[column].n_ordered, rows)
            for column, table in zip(counts.columns, counts.tables, strict=True)
        ]

    def _estimate(self) -> None:
        counts = self.learned_.counts
        rows = 1.0 if self.smoothing == HIERARCHICAL else float(cast("float", self.smoothing))
        prior = (counts.y + rows / len(counts.y)) / (counts.y.sum() + rows)
        found = self._tables(counts, self.encoder_.columns)
        self._alone = [np.log(one.levels[0]) for one in found]  # log P(x | y)
        self.factors_ = Factors(
            np.log(prior),
            counts.columns,
            tuple(parents[0] if parents else -1 for parents in counts.parents),
            tuple(np.log(one.levels[-1]) for one in found),
            tuple(parents[1:] for parents in counts.parents),
            self.structure_.attributes,
        )

    def score_codes(self, codes: Codes) -> Floats:
        """Log P(y, known attributes) of coded rows, (n, k)."""
        return log_joint(self.factors_, codes)

    def _log_tables(self) -> list[list[Factor]]:
        return [log_factors(self.factors_, place) for place in range(len(self.classes_))]

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self.factors_.log_prior

    def coded_terms(self, codes: Codes) -> Terms:
        """Split the scores of coded rows attribute by attribute, parents before their children."""
        network, names = self.factors_, self.structure_.attributes
        complete = network.are_complete(codes)
        values = np.empty((codes.shape[1], len(names), len(self.classes_)))
        values[complete] = terms(network, codes[:, complete])
        attributes = tuple((name, *self.structure_.parents.get(name, ())) for name in names)
        found = Terms(names, attributes, self.class_log_prior_, values)
        if complete.all():
            return found
        return found.with_rows(~complete, super().coded_terms(codes[:, ~complete]))

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes in their order: strongest parent, information about the class and its sum, in bits."""
        check_is_fitted(self)
        relevance = self.structure_.relevance or {}
        rows = [(name, self.structure_.mothers.get(name), bits) for name, bits in relevance.items()]
        table = pd.DataFrame(rows, columns=["attribute", "mother", "gain"])
        return table.assign(weight=table["gain"].cumsum(), kl=np.nan)

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = super()._describe_attribute(name, mark)
        above = self.structure_.parents.get(name, {})
        target = self.structure_.class_words(mark)
        place = self.structure_.attributes.index(name)
        table = states_by_class(self, name, np.exp(self._alone[place]))
        said = f"It depends on {target} alone."
        if above:
            bits = in_bits((self.structure_.shared or {})[name], 2, scale=self.structure_.scale)
            said = (
                f"It depends on {target} and on {together([mark(parent) for parent in above])}; given "
                f"{target}, it shares {bits} with {'them' if len(above) > 1 else 'it'}."
            )
        return replace(found, sentences=(*found.sentences, said), tables=(table,))

    def _describe_link(self, source: str, target: str, mark: Mark) -> str:
        shared = self.structure_.parents.get(target, {}).get(source, 0.0)
        given = self.structure_.class_words(mark)
        return (
            f"Given {given}, {mark(target)} depends on {mark(source)}. They "
            f"share {information(shared, 2, scale=self.structure_.scale)}."
        )

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Describe how each attribute took its parents, link by link."""
        from pgm_nb.explain.growth.parents import parents_growth

        return parents_growth(self, view, most)

    def _network(self, form: str | None) -> Any:
        """Compile to the directed graph, or to its junction tree: parents joined, the graph triangulated."""
        from pgm_nb.engine.pgmpy import to_network

        network = to_network(self._network_variables(), self.factors_)
        return network.to_junction_tree() if form == "junction tree" else network

    def _joint_factors(self, codes: Codes) -> list[Potential]:
        """Return the tables P(x | parents, y) and the prior."""
        target, names = self.learned_.target, self.structure_.attributes
        scopes = [(target, *(names[parent] for parent in above)) for above in self.factors_.given]
        tables = zip(names, scopes, self.factors_.tables, strict=True)
        prior = Potential((target,), np.exp(self.factors_.log_prior))
        return [prior, *(Potential((*scope, name), np.exp(logs)) for name, scope, logs in tables)]

    def _network_variables(self) -> Variables:
        """Return the class and the attributes in the order of the network."""
        columns = [self.encoder_.columns[column] for column in self.factors_.columns]
        attributes = tuple(Variable(c.name, c.labels, c) for c in columns)
        return Variables(Variable(self.learned_.target, tuple(map(str, self.classes_.tolist()))), attributes)

    def _network_files(self, ending: str, stem: str) -> dict[str, bytes]:
        from pgm_nb.engine.exchange.write import written_network

        variables, network = self._network_variables(), self.factors_
        names = [variable.name for variable in variables.attributes]
        given = {
            name: [names[parent] for parent in above]
            for name, above in zip(names, network.given, strict=True)
        }

        def tables() -> dict[str, Floats]:
            logs = {variables.target.name: network.log_prior, **dict(zip(names, network.tables, strict=True))}
            shares = {name: np.exp(table) for name, table in logs.items()}
            return {name: table / table.sum(axis=-1, keepdims=True) for name, table in shares.items()}

        return written_network(variables, given, tables, self.structure_, ending, stem)


def _steps(info: Information, names: Sequence[str], order: Sequence[int], graph: Parents) -> tuple[Step, ...]:
    """Return the attributes in their order with their parents; the runners-up are the next best parents."""
    steps, weight = [], 0.0
    for place, column in enumerate(order):
        name, relevance = names[column], float(info.relevance[column])
        chosen = tuple(graph.parents.get(name, ()))
        shared = float((graph.shared or {}).get(name, 0.0))
        before = np.sort(np.asarray(order[:place], dtype=np.intp))
        ranked = before[np.argsort(-info.dependence[column, before], kind="stable")]
        rest = [int(other) for other in ranked if names[other] not in chosen][:RUNNERS_UP]
        weight += relevance + shared
        candidate = Candidate(name, chosen[0] if chosen else None, relevance, shared, chosen[1:])
        others = tuple(
            Candidate(name, names[other], relevance, float(info.dependence[column, other])) for other in rest
        )
        steps.append(Step(candidate, weight, others))
    return tuple(steps)


def choose_parents(info: Information, k: int) -> tuple[list[int], list[list[int]]]:
    """Order columns by I(Xi;Y); each takes the k before it with the largest I(Xi;Xj|Y) as parents.

    Examples
    --------
    >>> from pgm_nb.information import Information
    >>> shared = np.array([[0, 0.3, 0.1], [0.3, 0, 0.2], [0.1, 0.2, 0]])
    >>> found = Information(9, 1.0, np.zeros(3), np.array([0.5, 0.1, 0.2]), shared)
    >>> choose_parents(found, 1)
    ([0, 2, 1], [[], [0], [0]])
    """
    order = np.argsort(-info.relevance, kind="stable")
    parents = []
    for place, column in enumerate(order):
        before = np.sort(order[:place])
        strongest = before[np.argsort(-info.dependence[column, before], kind="stable")][:k]
        parents.append([int(parent) for parent in strongest])
    return order.tolist(), parents
