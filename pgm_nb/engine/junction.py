"""The learned junction tree: clusters, separators, evidence, beliefs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from pgm_nb.arrays import Floats, rebuilt
from pgm_nb.engine.beliefs import Beliefs, calibrate
from pgm_nb.engine.variables import Variables
from pgm_nb.errors import QueryError
from pgm_nb.tables.factors import Factors
from pgm_nb.words import listed

__all__ = ["JunctionTree"]

MOST_CELLS = 1 << 22  # largest joint table that is computed
BATCH_CELLS = 1 << 24  # numbers held at once while computing it

Cluster = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """A junction tree with its evidence. Frozen: observing gives a new tree that shares the tables.

    A cluster is (class, mother, child), or (class, attribute) for an attribute on its own. Two clusters
    are joined by a separator (class, mother), or (class,) between parts that share the class alone.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.GeneralizedNaiveBayes().fit(*pnb.load_sample("iris"))
    >>> tree = model.junction_tree()
    >>> tree.clusters[0], tree.separators[0]
    (('class', 'petal width', 'petal length'), ('class', 'petal length'))
    >>> tree = tree.observe({"petal width": 0.2})
    >>> tree.marginal("class").round(3)
            class  probability
    0      setosa        0.995
    1  versicolor        0.004
    2   virginica        0.001
    >>> tree.retract("petal width").evidence
    mappingproxy({})
    """

    variables: Variables
    factors: Factors
    clusters: tuple[Cluster, ...]  #: (class, mother, child) or (class, attribute), mothers first
    evidence: Mapping[str, Any] = field(default_factory=dict)

    __reduce__ = rebuilt

    def __post_init__(self) -> None:
        object.__setattr__(self, "evidence", MappingProxyType(dict(self.evidence)))

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of cluster numbers that are joined; there is one separator for each."""
        return tuple((hook, i) for i, hook in enumerate(self._hooks) if hook is not None)

    @cached_property
    def separators(self) -> tuple[tuple[str, ...], ...]:
        """The variables that the two clusters of each edge share."""
        return tuple(
            tuple(name for name in self.clusters[b] if name in self.clusters[a]) for a, b in self.edges
        )

    @cached_property
    def _hooks(self) -> tuple[int | None, ...]:
        """Return for each cluster the earlier one it joins: the first that contains its known attributes."""
        home: dict[str, int] = {}  # attribute -> the first cluster that holds it
        hooks: list[int | None] = []
        for number, (_, *attributes) in enumerate(self.clusters):
            known = [home[name] for name in attributes if name in home]
            hooks.append(
                max(known) if known else 0 if number else None
            )  # she that came last brought the rest
            for name in attributes:
                home.setdefault(name, number)
        return tuple(hooks)

    def neighbours(self, cluster: Iterable[str]) -> tuple[Cluster, ...]:
        """Return the clusters joined to this one."""
        here = self._number(cluster)
        return tuple(self.clusters[b if a == here else a] for a, b in self.edges if here in (a, b))

    def path(self, start: Iterable[str], end: Iterable[str]) -> tuple[Cluster, ...]:
        """Return the clusters on the path from one to another, both included."""

        def to_the_top(place: int | None) -> list[int]:
            way = []
            while place is not None:
                way.append(place)
                place = self._hooks[place]
            return way

        up, down = to_the_top(self._number(start)), to_the_top(self._number(end))
        meeting = next(place for place in up if place in down)
        way = up[: up.index(meeting) + 1] + down[: down.index(meeting)][::-1]
        return tuple(self.clusters[place] for place in way)

    def has_running_intersection(self) -> bool:
        """Return whether the clusters of every variable are connected, as a junction tree requires."""
        for name in self.variables.names:
            holders = {i for i, cluster in enumerate(self.clusters) if name in cluster}
            inner = sum(a in holders and b in holders for a, b in self.edges)
            if inner != len(holders) - 1:  # a forest's part with n nodes is connected iff it has n - 1 edges
                return False
        return True

    def observe(self, given: Mapping[str, Any]) -> JunctionTree:
        """Add evidence, or change it: a state, a value, {state: likelihood}, `one_of`, `between` ...

        An empty value (None, NaN, NA, NaT) makes a variable unknown; in a column where empty cells are a
        state, it is that state, as in a row to classify. Evidence on a column that the model leaves out is
        checked and changes nothing.
        """
        evidence = dict(self.evidence)
        for name, value in given.items():
            variable = self.variables.heard(name)
            if variable.is_unknown(value):
                evidence.pop(name, None)
                continue
            variable.likelihood(value)
            if not self.variables.is_spare(name):
                evidence[name] = value
        return replace(self, evidence=evidence)

    def retract(self, *names: str) -> JunctionTree:
        """Remove evidence: on these variables, or all of it if none is named."""
        for name in names:
            if name not in self.evidence:
                raise QueryError(
                    f"there is no evidence on {name!r} to remove (evidence on: {listed(list(self.evidence))})"
                )
        kept = {name: value for name, value in self.evidence.items() if names and name not in names}
        return replace(self, evidence=kept)

    @cached_property
    def likelihoods(self) -> Mapping[str, Floats]:
        """The likelihood of every state of each variable that something is known of, (v,)."""
        return {name: self.variables[name].likelihood(value) for name, value in self.evidence.items()}

    @property
    def attribute_likelihoods(self) -> list[Floats | None]:
        """The likelihoods of the states of every attribute; None where nothing is known."""
        return [self.likelihoods.get(variable.name) for variable in self.variables.attributes]

    def calibrate(self) -> JunctionTree:
        """Compute all beliefs now instead of at the first question."""
        _ = self.beliefs
        return self

    @cached_property
    def beliefs(self) -> Beliefs:
        """The calibrated arrays; impossible evidence is refused."""
        beliefs = calibrate(self.factors, *self.log_likelihoods())
        if np.isneginf(beliefs.log_evidence[0]):
            raise QueryError(self._conflict())
        return beliefs

    @property
    def log_evidence(self) -> float:
        """Natural log of the probability of the evidence."""
        return float(self.beliefs.log_evidence[0])

    def belief(self, cluster: Iterable[str]) -> pd.DataFrame:
        """Return the joint posterior of the variables of a cluster, given the evidence."""
        _, *attributes = names = self.clusters[self._number(cluster)]
        positions = [self.variables.position(name) for name in attributes]
        if len(positions) == 1:
            return self.frame(names, self.beliefs.with_class(positions[0])[0])
        together = self.beliefs.together(positions)
        assert together is not None  # a cluster of the tree
        return self.frame(names, together[0])

    def marginal(self, names: str | Iterable[str], given: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Return the joint posterior of any variables, as a table of states and their probability.

        Parameters
        ----------
        names : str or list of str
            Attributes and the class, in any order.
        given : mapping, optional
            Evidence beyond what was observed, for this question only.
        """
        tree = self.observe(given) if given else self
        asked = self.variables.check(names, tree.evidence)
        return self.frame(asked, tree.joint(asked))

    def joint(self, names: tuple[str, ...]) -> Floats:
        """P(names | evidence) as an array with one axis per name."""
        target = self.variables.target.name
        attributes = [name for name in names if name != target]
        shape = [len(self.variables[name].labels) for name in attributes]
        table: Floats
        if not attributes:
            table = self.beliefs.classes()[0]
            return table
        if (cells := np.prod(shape, dtype=float)) * len(self.variables.target.labels) > MOST_CELLS:
            raise QueryError(
                f"the joint table of {listed(names)} has {cells:,.0f} cells, too many to compute; ask for "
                "fewer variables at once, or for each on its own"
            )
        table = self._joint_with_class(attributes, shape)  # (k, v1, v2, ...)
        if target not in names:
            table = table.sum(axis=0)
            return table
        order = [0 if name == target else 1 + attributes.index(name) for name in names]
        return table.transpose(order)

    def _joint_with_class(self, attributes: list[str], shape: list[int]) -> Floats:
        """Fix all attributes but the last to each combination of their states, and read off the last."""
        positions = [self.variables.position(name) for name in attributes]
        if len(positions) == 1:
            alone: Floats = self.beliefs.with_class(positions[0])[0]
            return alone
        together = self.beliefs.together(positions)
        if together is not None:
            shared: Floats = together[0]
            return shared
        k, cells = len(self.variables.target.labels), int(self.factors.starts[-1])
        if self.factors.others:
            cells = sum(table[0].size for table in self.factors.tables)
        combinations = np.indices(shape[:-1]).reshape(len(shape) - 1, -1)  # (fixed attributes, combinations)
        evidence, class_evidence = self.log_likelihoods()
        at_once = max(1, BATCH_CELLS // (k * cells))
        parts = []
        for start in range(0, combinations.shape[1], at_once):
            chunk = combinations[:, start : start + at_once]
            rows = np.repeat(evidence, chunk.shape[1], axis=1)
            for position, states in zip(positions[:-1], chunk, strict=True):
                ruled_out = np.arange(len(self.variables.attributes[position].labels))[:, None] != states
                rows[self.factors.states(position)][ruled_out] = -np.inf
            found = calibrate(self.factors, rows, np.repeat(class_evidence, chunk.shape[1], axis=1))
            parts.append(found.log_states(positions[-1]))  # (combinations, k, v_last)
        table: Floats = np.exp(np.concatenate(parts) - self.beliefs.log_evidence).swapaxes(0, 1)
        return table.reshape(k, *shape)

    def conditionals(self) -> dict[str, Floats]:
        """P(y) and P(x | mother, y) of every variable; evidence plays no part.

        A mother's state that no row of a class has gives a uniform column: any would do, it is never reached.
        """
        tables = {self.variables.target.name: np.exp(self.factors.log_prior)}
        for variable, logs in zip(self.variables.attributes, self.factors.tables, strict=True):
            table = np.exp(logs)
            total = table.sum(axis=-1, keepdims=True)
            uniform = np.full(table.shape, 1 / table.shape[-1])
            tables[variable.name] = np.divide(table, total, out=uniform, where=total > 0)
        return tables

    def log_likelihoods(self) -> tuple[Floats, Floats]:
        """Return the evidence as the arrays that `calibrate` takes: attributes' states, classes."""
        attributes = np.zeros((int(self.factors.starts[-1]), 1))
        target = np.zeros((len(self.variables.target.labels), 1))
        with np.errstate(divide="ignore"):
            for name, weights in self.likelihoods.items():
                if name == self.variables.target.name:
                    target[:, 0] = np.log(weights)
                else:
                    attributes[self.factors.states(self.variables.position(name)), 0] = np.log(weights)
        return attributes, target

    def _conflict(self) -> str:
        """Return a sentence that names a smallest impossible part of the evidence."""
        kept = self
        for name in self.evidence:
            rest = replace(kept, evidence={n: value for n, value in kept.evidence.items() if n != name})
            if np.isneginf(calibrate(rest.factors, *rest.log_likelihoods()).log_evidence[0]):
                kept = rest
        pieces = listed([f"{name} = {value}" for name, value in kept.evidence.items()])
        together = "cannot occur together" if len(kept.evidence) > 1 else "cannot occur"
        return f"the evidence has probability zero: {pieces} {together}; remove one, or use smoothing"

    def _number(self, cluster: Iterable[str]) -> int:
        wanted = set(cluster)
        for number, names in enumerate(self.clusters):
            if set(names) == wanted:
                return number
        raise QueryError(f"there is no cluster ({listed(sorted(wanted))}) in this tree; see its `clusters`")

    def frame(self, names: tuple[str, ...], table: Floats) -> pd.DataFrame:
        """Return an array with one axis per name as a table of states and their probability."""
        grid = np.indices(table.shape).reshape(len(names), -1)
        columns = {
            name: np.array(self.variables[name].labels, dtype=object)[states]
            for name, states in zip(names, grid, strict=True)
        }
        return pd.DataFrame({**columns, _probability(names): table.ravel()})


def _probability(names: tuple[str, ...]) -> str:
    """Return a name for the last column that no variable has."""
    name = "probability"
    while name in names:
        name += "_"
    return name
