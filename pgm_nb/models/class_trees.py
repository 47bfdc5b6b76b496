"""One tree per class: a tree or cherry tree over the attributes, learned in every class by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from pgm_nb.allowed import whole
from pgm_nb.arrays import Floats, Ints, stored
from pgm_nb.certainty.network_draws import class_draws, network_draws
from pgm_nb.counts import Counts, count
from pgm_nb.counts.sets import set_counts
from pgm_nb.engine.elimination import Factor, log_factors
from pgm_nb.engine.sums import log_joint
from pgm_nb.engine.variables import Potential
from pgm_nb.errors import DataError
from pgm_nb.graphs import ClassTrees
from pgm_nb.information import information
from pgm_nb.information.sets import SetInformation
from pgm_nb.information.sums import FixedPoint
from pgm_nb.learning import Trace
from pgm_nb.learning.higher import grow_families
from pgm_nb.learning.trace import steps_of_classes, steps_of_tree
from pgm_nb.learning.trees import grow, rooted
from pgm_nb.models.about import About, Choice, Option, imaginary_rows, with_smoothing
from pgm_nb.models.inspection import Mark
from pgm_nb.models.intervals import DRAWS, CaseIntervals, Intervals
from pgm_nb.models.k_dependence import estimates
from pgm_nb.models.table import HIERARCHICAL, TableClassifier
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.families import all_mothers_first
from pgm_nb.words import listed, together

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Flags
    from pgm_nb.certainty.chains import TableChains
    from pgm_nb.explain.detail import Detail
    from pgm_nb.explain.growth import Growth
    from pgm_nb.information import Information
    from pgm_nb.learning.trace import Step
    from pgm_nb.models.table_state import TrainingRows

__all__ = ["ClassTreesBayes", "class_dependence"]

MOST_CELLS = 1 << 24  # of one table of counts
MOTHERS = 2  # in a clique of three

Scope = tuple[int, ...]
Cherries = dict[int, tuple[Scope, tuple[float, ...]]]  # child -> its mothers, and what each adds in bits


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Counts of all pairs, and of the triples that trees of some classes have as cliques.

    Attributes
    ----------
    pairs : Counts
    scopes : tuple of tuples of int
        The columns of each triple, mothers first.
    tables : tuple of arrays (k, v_first, v_second, v)
    """

    pairs: Counts
    scopes: tuple[Scope, ...] = ()
    tables: tuple[Ints, ...] = ()

    @property
    def y(self) -> Ints:
        """n(y)."""
        return self.pairs.y

    def table(self, scope: Scope) -> Ints:
        """Return n(y, x) or n(y, mothers, x) of one attribute, a pair or a triple."""
        if len(scope) == 1:
            return np.asarray(self.pairs.single(*scope), dtype=np.int64)
        if len(scope) == MOTHERS:
            return np.asarray(self.pairs.pair(*scope), dtype=np.int64)
        return self.tables[self.scopes.index(scope)]

    def pack(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what JSON holds, and arrays by name, for a file."""
        description, arrays = self.pairs.pack()
        if not self.scopes:
            return description, arrays
        cells = np.concatenate([table.ravel() for table in self.tables])
        return {**description, "triples": self.scopes}, {**arrays, "triples": cells}

    @classmethod
    def unpack(cls, description: Mapping[str, Any], arrays: Mapping[str, Any]) -> ClassCounts:
        """Read what `pack` gave; what does not agree with itself is a ValueError."""
        rest = {name: value for name, value in description.items() if name != "triples"}
        pairs = Counts.unpack(rest, {name: array for name, array in arrays.items() if name != "triples"})
        scopes = tuple(tuple(map(int, scope)) for scope in description.get("triples", ()))
        if not scopes:
            return cls(pairs)
        d = len(pairs.cards)
        if any(len(scope) != MOTHERS + 1 or not all(0 <= c < d for c in scope) for scope in scopes):
            raise ValueError("a triple is not one of columns")
        shapes = [(pairs.n_classes, *(pairs.cards[c] for c in scope)) for scope in scopes]
        ends = np.cumsum([prod(shape) for shape in shapes])
        cells = stored(arrays, "triples", (int(ends[-1]),), "whole numbers", least=0)
        parts = zip(np.split(cells, ends[:-1]), shapes, strict=True)
        tables = tuple(part.reshape(shape) for part, shape in parts)
        for scope, table in zip(scopes, tables, strict=True):
            if not np.array_equal(table.sum(axis=2), pairs.pair(scope[0], scope[2])):
                raise ValueError("the counts of triples and pairs do not agree")
        return cls(pairs, scopes, tables)

    def fits(self, cards: Sequence[int]) -> bool:
        """Say whether the counts are those of columns with so many states."""
        return self.pairs.fits(cards)


def class_cherries(
    rows: TrainingRows, label: int, relevance: Floats | None = None
) -> tuple[Cherries, tuple[Step, ...]]:
    """Grow a cherry tree over the attributes among the rows of one class.

    It starts from the pair that shares most. Then always that attribute joins, with up to two mothers that
    are linked already, which shares most with them; a second mother must pay for her table. Of the first pair
    the one that says more about the class (`relevance`) is the root.

    Returns
    -------
    dict
        For every attribute but the first its mothers, and what each adds: I(Xi;Xa | Y = y), and
        I(Xi;Xb | Xa, Y = y).
    tuple of Step
        What was chosen and the runners-up, in bits among the rows of the class.
    """
    inside = rows.y == label
    codes, cards, d = np.ascontiguousarray(rows.codes[:, inside]), rows.encoder.cards, len(rows.encoder.cards)
    if d == 1 or not inside.any():
        return {}, ()
    y = np.zeros(codes.shape[1], dtype=np.intp)
    alone = information(count(codes, y, cards, 1))
    info = replace(alone, relevance=np.zeros(d))
    table = SetInformation(codes, y, cards, 1, info.dependence)
    grown = grow_families(info, table, rows.encoder.names, MOTHERS, d)
    root, second = rooted(list(grown.order[:2]), np.zeros(d) if relevance is None else relevance)
    mothers = {**grown.mothers, second: (root,)}  # the same root for any order of the columns
    found: Cherries = {}
    for child in (second, *grown.order[2:]):
        given = mothers[child]
        first = float(info.dependence[child, given[0]])
        rest = () if len(given) == 1 else (max(0.0, grown.dependence[child] - first),)
        found[child] = (given, (first, *rest))
    pair = replace(
        grown.steps[0].chosen, attribute=rows.encoder.names[second], mother=rows.encoder.names[root]
    )
    return found, (replace(grown.steps[0], chosen=pair), *grown.steps[1:])


def cherry_trees(
    rows: TrainingRows, relevance: Mapping[str, float] | None
) -> tuple[ClassTrees, dict[str, tuple[Step, ...]]]:
    """Return the graph of a cherry tree in every class, and the steps that led to each."""
    names, labels = rows.encoder.names, [str(label) for label in rows.classes.tolist()]
    trees: dict[str, dict[str, str]] = {label: {} for label in labels}
    seconds: dict[str, dict[str, str]] = {label: {} for label in labels}
    shared: dict[str, dict[str, float]] = {label: {} for label in labels}
    added: dict[str, dict[str, float]] = {label: {} for label in labels}
    says = None if relevance is None else np.array([relevance[name] for name in names])
    steps: dict[str, tuple[Step, ...]] = {}
    for place, label in enumerate(labels):
        cherries, steps[label] = class_cherries(rows, place, says)
        for child, (given, bits) in cherries.items():
            trees[label][names[child]] = names[given[0]]
            shared[label][names[child]] = bits[0]
            if len(given) > 1:
                seconds[label][names[child]] = names[given[1]]
                added[label][names[child]] = bits[1]
    return ClassTrees(rows.target, tuple(names), trees, shared, relevance, seconds, added), steps


def count_triples(pairs: Counts, rows: TrainingRows, scopes: Sequence[Scope]) -> ClassCounts:
    """Count the triples of trees beside the pairs."""
    cards, k, names = rows.encoder.cards, len(rows.classes), rows.encoder.names
    tables = []
    for scope in scopes:
        size = k * prod(cards[c] for c in scope)
        if size > MOST_CELLS:
            raise DataError(
                f"the table of {names[scope[-1]]!r} and its mothers would have {size:,} cells; merge states, "
                "use fewer bins, or order=2"
            )
        tables.append(set_counts(rows.codes, rows.y, cards, k, list(scope)))
    return ClassCounts(pairs, tuple(scopes), tuple(tables))


SMOOTHED = with_smoothing(
    "'hierarchical' (the default) or a number of imaginary rows spread over the states of every table",
)

CLIQUES = Option(
    "cliques",
    "Cliques",
    "How many attributes are linked with each other in the tree of a class.",
    (
        Choice("pairs", "Pairs", "every attribute has one mother", {"order": 2}, name="LDMLCS"),
        Choice(
            "triples",
            "Triples",
            "up to two mothers, which are linked",
            {"order": 3},
            name="LDMLCS, triples",
        ),
    ),
)

NOTHING = 1e-12  # bits
MOST_BOXES = 160  # of all trees together, in the picture of their growth


class ClassTreeIntervals(CaseIntervals):
    """Intervals from draws of the tables of every class."""

    model: ClassTreesBayes

    def prepare(self) -> None:
        """Draw what the tables of every class borrow from."""
        for label in range(len(self.model.factors_)):
            self._own_chains(label)

    def _own_chains(self, label: int) -> list[TableChains]:
        return self._kept_chains.at(label, partial(self._own_counts, label))

    def _drawn_case(self, states: list[int | None], seen: Flags) -> Floats:
        found = class_draws(self.model.learned_.counts.y, DRAWS, seen=seen)
        for label, tree in enumerate(self.model.factors_):
            own = [states[column] for column in tree.columns]
            here = seen[:, label : label + 1]
            found[label] += network_draws(tree, self._own_chains(label), own, DRAWS, label + 1, here)[0]
        return found

    def _own_counts(self, label: int) -> tuple[list[Ints], list[Ints]]:
        """Return the rows of the tables of one class, and those of the others without parents.

        Other classes may not have the link, so they do not say how much a table should borrow from parents.
        """
        tree, counts = self.model.factors_[label], self.model.learned_.counts
        scopes = [(*given, position) for position, given in enumerate(tree.given)]
        tables = [counts.table(tuple(tree.columns[i] for i in scope)) for scope in scopes]
        rest = [np.delete(counts.table((column,)), label, axis=0) for column in tree.columns]
        return [table[label : label + 1] for table in tables], rest


class ClassTreesBayes(TableClassifier[ClassCounts]):
    """LDMLCS (Ghofrani and others 2018): a tree over the attributes in every class.

    P(y, x) = P(y) P_y(x), and P_y is the tree of largest sum of I(Xi;Xj | Y = y), the information that two
    attributes share among the rows of class y. The class is in no clique; it chooses the tree. With
    ``order=3`` cliques are triples: P_y is a cherry tree over the attributes alone, grown from the strongest
    pair by the attribute that adds most, I(Xi;Xa,Xb | Y = y) with a and b linked already. We know the method
    from the description in Kovács et al. 2024 alone. Where that is silent, we took: pairs as cliques, the
    root that says most about the class, no link between attributes that share nothing in a class, ties by
    column order, the tables of a clique smoothed together for all classes, and a second mother only where
    she adds more than half the degrees of freedom of her table.

    Parameters
    ----------
    order : {2, 3}
        Attributes in a clique: pairs, or triples.
    discretizer, n_bins, missing
        As in `NaiveBayes`.
    smoothing : "hierarchical" or float
        As in `NaiveBayes`.

    Attributes
    ----------
    structure_ : ClassTrees
    trace_ : Trace
        Tree after tree, what was chosen at each step and the runners-up, in bits among the rows of the class
        (`Step.label`). The weight is that of the whole model so far.
    divergence_ : None
    importance_ : DataFrame
    classes_, feature_names_in_, n_features_in_, encoder_, missing_

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.ClassTreesBayes(n_bins=5).fit(X, y)
    >>> model.structure_.classes_linking("petal length", "sepal length")
    ('versicolor', 'virginica')
    """

    about: ClassVar[About] = TableClassifier.about.but(
        allowed={
            **imaginary_rows(HIERARCHICAL, advice="one tree per class needs imaginary rows"),
            "order": whole(2, 3, advice="2 is pairs, 3 is triples"),
        },
        short_name="class-trees",
        title="One tree per class (LDMLCS)",
        brief="LDMLCS",
        summary="In every class, the attributes form a tree of their own.",
        options=(
            CLIQUES,
            *SMOOTHED,
        ),
        no_divergence="not given: it is compared with that of one tree for all classes",
        chooses_links=True,
        predicts_attributes=True,
    )
    _intervals: ClassVar[type[Intervals]] = ClassTreeIntervals
    _statistics: ClassVar[type[ClassCounts]] = ClassCounts
    structure_: ClassTrees
    trace_: Trace

    def __init__(
        self,
        *,
        order: int = 2,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str = HIERARCHICAL,
        missing: str = "state",
    ) -> None:
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)
        self.order = order

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Any, Trace]:
        raise NotImplementedError("the search needs the counts of every class: see _search")

    def _search(self, info: Information, counts: Counts, rows: TrainingRows) -> tuple[ClassTrees, Trace]:
        names = rows.encoder.names
        relevance = dict(zip(names, map(float, info.relevance), strict=True))
        frequent = (counts.y / counts.n_rows).tolist()
        start = math.fsum(relevance.values())
        if self.order == 3:
            graph, grown = cherry_trees(rows, relevance)
            return graph, Trace("class cherries", steps_of_classes(grown, frequent, start))
        root = int(np.argmax(info.relevance))
        trees, shared, found = {}, {}, {}
        for place, label in enumerate(map(str, rows.classes.tolist())):
            dependence = class_dependence(counts, place)
            order, mothers = grow(dependence, [root])
            mothers[dependence[np.arange(len(names)), mothers] <= NOTHING] = -1
            links = [(i, int(m)) for i, m in enumerate(mothers) if m >= 0]
            trees[label] = {names[i]: names[m] for i, m in links}
            shared[label] = {names[i]: float(dependence[i, m]) for i, m in links}
            found[label] = partial(steps_of_tree, info, dependence, names, order, mothers)

        def steps() -> tuple[Step, ...]:
            return steps_of_classes({label: one() for label, one in found.items()}, frequent, start)

        return ClassTrees(rows.target, tuple(names), trees, shared, relevance), Trace("class trees", steps)

    def _keep(self, counts: Counts, structure: Any, names: Sequence[str]) -> ClassCounts:
        return ClassCounts(counts)

    def _keep_of(self, rows: TrainingRows, counts: Any, structure: ClassTrees) -> ClassCounts:
        column = {name: i for i, name in enumerate(rows.encoder.names)}
        scopes = {
            tuple(column[name] for name in (*structure.mothers_in(label, child), child))
            for label, seconds in structure.seconds.items()
            for child in seconds
        }
        return count_triples(counts, rows, sorted(scopes))

    def _estimate(self) -> None:
        learned, names = self.learned_.counts, self.encoder_.names
        counts = learned.pairs
        column = {name: i for i, name in enumerate(names)}
        m = 1.0 if self.smoothing == HIERARCHICAL else float(cast("float", self.smoothing))
        k = counts.n_classes
        self._log_prior: Floats = np.log((counts.y + m / k) / (counts.n_rows + m))
        self._alone = [self._table(counts.single(i), i) for i in range(len(names))]
        found: dict[tuple[int, ...], Floats] = {}
        factors = []
        for place, label in enumerate(self.structure_.trees):
            given = {
                i: tuple(column[m] for m in self.structure_.mothers_in(label, name))
                for i, name in enumerate(names)
            }
            order = all_mothers_first(range(len(names)), given)
            tables = []
            for i in order:
                scope = (*given[i], i)
                if scope not in found:
                    found[scope] = self._alone[i] if len(scope) == 1 else self._table(learned.table(scope), i)
                tables.append(found[scope][place : place + 1])
            at = {i: position for position, i in enumerate(order)}
            mothers = tuple(at[given[i][0]] if given[i] else -1 for i in order)
            others = tuple(tuple(at[m] for m in given[i][1:]) for i in order)
            prior = self._log_prior[place : place + 1]
            factors.append(
                Factors(prior, tuple(order), mothers, tuple(tables), others if any(others) else ())
            )
        self.factors_ = tuple(factors)

    def _log_tables(self) -> list[list[Factor]]:
        return [log_factors(tree, 0) for tree in self.factors_]

    def _table(self, counts: Any, column: int) -> Floats:
        """Log P(x | y) or log P(x | parents, y) from counts (k, v), (k, u, v) or (k, u, w, v)."""
        rows = None if self.smoothing == HIERARCHICAL else float(cast("float", self.smoothing))
        found = estimates(np.ascontiguousarray(counts), self.encoder_.columns[column].n_ordered, rows)
        return np.log(found.levels[-1])

    def score_codes(self, codes: Codes) -> Floats:
        """Log P(y, known attributes) of coded rows, (n, k); unknown attributes are summed out exactly."""
        scores: Floats = np.concatenate([log_joint(factors, codes) for factors in self.factors_], axis=1)
        return scores

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self._log_prior

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = super()._describe_attribute(name, mark)
        place, target = self.encoder_.names.index(name), self.structure_.class_words(mark)
        table = states_by_class(self, name, np.exp(self._alone[place]))
        above = {label: self.structure_.mothers_in(label, name) for label in self.structure_.trees}
        linked = [
            f"{together([mark(mother) for mother in mothers])} where {target} is {mark(label)}"
            for label, mothers in above.items()
            if mothers
        ]
        said = f"It depends on {listed(linked, 4)}." if linked else "Every tree starts from it."
        return replace(found, sentences=(*found.sentences, said), tables=(table,))

    def _describe_link(self, source: str, target: str, mark: Mark) -> str:
        classes = self.structure_.classes_linking(source, target)
        named = self.structure_.class_words(mark)
        return f"They are linked in the tree of {listed([mark(c) for c in classes], 6)}, a value of {named}."

    def growth_views(self, rows: bool) -> tuple[str, ...]:
        """Return the view that can show its growth: tree by tree, or all links where that is too large."""
        graph = self.structure_
        return ("trees",) if len(graph.trees) * len(graph.attributes) <= MOST_BOXES else ("links",)

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Describe how the tree of every class grew, one after the other."""
        from pgm_nb.explain.growth.parents import class_trees_growth

        return class_trees_growth(self, view, most)

    def _network(self, form: str | None) -> Any:
        """Compile to a Markov network; its factors hold for every class the tables of its tree."""
        from pgm_nb.engine.pgmpy import to_markov_network

        return to_markov_network(self.asked_variables(), self._joint_factors())

    def _joint_factors(self, codes: Codes | None = None) -> list[Potential]:
        """Return the prior, and for every class the tables of its tree, which are 1 in the other classes."""
        target, names, cards = self.learned_.target, self.encoder_.names, self.encoder_.cards
        factors = [Potential((target,), np.exp(self._log_prior))]
        for place, tree in enumerate(self.factors_):
            for i, given, table in zip(tree.columns, tree.given, tree.tables, strict=True):
                scope = (*(tree.columns[mother] for mother in given), i)
                whole = np.ones((len(self.classes_), *(cards[column] for column in scope)))
                whole[place] = np.exp(table[0])
                factors.append(Potential((target, *(names[column] for column in scope)), whole))
        return factors


def class_dependence(counts: Counts, label: int) -> Floats:
    """I(Xi;Xj | Y = y) in bits among the rows of one class, (d, d), zero on the diagonal.

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> codes = np.array([[0, 1, 0, 1], [0, 1, 0, 0]], dtype=np.uint8)
    >>> counts = count(codes, np.array([0, 0, 1, 1]), (2, 2), 2)
    >>> class_dependence(counts, 0).round(12).tolist(), class_dependence(counts, 1).round(12).tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
    """
    d, n = len(counts.cards), int(counts.y[label])
    found = np.zeros((d, d))
    if n == 0:
        return found
    fixed = FixedPoint(n)  # exact sums: what is equal stays equal in any order of the columns
    alone = [fixed.terms(counts.single(i)[label]).sum() for i in range(d)]
    for i in range(d):
        for j in range(i + 1, d):
            both = fixed.terms(counts.pair(i, j)[label]).sum()
            found[i, j] = found[j, i] = fixed.bits(both - alone[i] - alone[j] + fixed.whole)
    return found
