"""Graphs, factors and single rows compiled to pgmpy: Bayesian networks, junction trees, factors."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.variables import Potential, Variables
from pgm_nb.errors import QueryError, needed
from pgm_nb.tables.factors import Factors

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork
    from pgmpy.models import JunctionTree as PgmpyJunctionTree

__all__ = [
    "ask_pgmpy",
    "known_factors",
    "row_factors",
    "to_bayesian_network",
    "to_markov_network",
    "to_network",
    "to_pgmpy_junction_tree",
]


def to_markov_network(variables: Variables, potentials: Sequence[Potential]) -> DiscreteMarkovNetwork:
    """Compile potentials over the variables, and over hidden ones that name their own states."""
    with _pgmpy():
        from pgmpy.models import DiscreteMarkovNetwork

    network = DiscreteMarkovNetwork()
    network.add_nodes_from(variables.names)
    for potential in potentials:
        network.add_nodes_from(potential.names)
        network.add_edges_from(combinations(potential.names, 2))
        network.add_factors(_factor(variables, potential))
    network.check_model()
    return network


def known_factors(
    variables: Variables, potentials: Iterable[Potential], likelihoods: Mapping[str, Floats]
) -> list[DiscreteFactor]:
    """Return what is left of the factors of a network once something is known of its variables.

    A variable whose state is certain leaves every factor; one of which likelihoods are known stays, and its
    likelihoods become a factor of their own. The product of the factors, all but some variables summed out,
    is the posterior of those, up to one constant.

    Parameters
    ----------
    variables : Variables
        The class and the attributes.
    potentials : iterable of Potential
        Tables whose product is a joint distribution, up to one constant.
    likelihoods : mapping of str to array
        The likelihood of every state of a variable: certain where all but one are zero.

    Returns
    -------
    list of DiscreteFactor
        Each is scaled so that its largest entry is one. Factors of a hidden variable that are left with the
        same variables are multiplied into one.

    Examples
    --------
    >>> from pgm_nb.engine.variables import Variable
    >>> ill, test = Variable("ill", ("no", "yes")), Variable("test", ("neg", "pos"))
    >>> prior = Potential(("ill",), np.array([0.8, 0.2]))
    >>> given = Potential(("ill", "test"), np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> one, two = known_factors(Variables(ill, (test,)), [prior, given], {"test": np.array([0.0, 1.0])})
    >>> one.values, two.values, two.variables
    (array([1.  , 0.25]), array([0.125, 1.   ]), ['ill'])
    """
    certain = [name for name, found in likelihoods.items() if np.count_nonzero(found) == 1]
    states = {name: int(likelihoods[name].argmax()) for name in certain}
    left: dict[Any, Potential] = {}
    for number, whole in enumerate(potentials):
        names = tuple(name for name in whole.names if name not in states)
        with np.errstate(divide="ignore"):
            logs = np.log(whole.table[tuple(states.get(name, slice(None)) for name in whole.names)])
        key = names if whole.labels else number
        logs = logs + left[key].table if key in left else logs
        left[key] = Potential(names, logs, whole.labels)
    weighed = {name: found for name, found in likelihoods.items() if name not in states}
    soft = [Potential((name,), found / found.max()) for name, found in weighed.items()]
    parts = [replace(part, table=_scaled(part.table)) for part in left.values()]
    return [_factor(variables, part) for part in (*parts, *soft)]


def _factor(variables: Variables, potential: Potential) -> DiscreteFactor:
    with _pgmpy():
        from pgmpy.factors.discrete import DiscreteFactor

    labels = potential.labels or {}
    states = {
        name: list(labels[name] if name in labels else variables[name].labels) for name in potential.names
    }
    table = potential.table
    return DiscreteFactor(list(potential.names), list(table.shape), table, state_names=states)


def to_bayesian_network(tree: JunctionTree) -> DiscreteBayesianNetwork:
    """Class -> every attribute, mother -> child, with their tables."""
    return _network(tree.variables, tree.factors, tree.conditionals())


def to_network(variables: Variables, network: Factors) -> DiscreteBayesianNetwork:
    """Class -> every attribute, parents -> child, with their tables; `variables` as in the network."""
    chances = (np.exp(logs) for logs in (network.log_prior, *network.tables))
    tables = (table / table.sum(axis=-1, keepdims=True) for table in chances)
    return _network(variables, network, dict(zip(variables.names, tables, strict=True)))


def _network(variables: Variables, factors: Factors, tables: Mapping[str, Floats]) -> DiscreteBayesianNetwork:
    """Compile P(y) and P(x | y, parents), given by name."""
    with _pgmpy():
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork

    target, *names = variables.names
    scopes = [[], *([target, *(names[parent] for parent in above)] for above in factors.given)]
    network = DiscreteBayesianNetwork()
    network.add_nodes_from(variables.names)
    for name, parents in zip(variables.names, scopes, strict=True):
        table = tables[name]
        network.add_edges_from((parent, name) for parent in parents)
        network.add_cpds(
            TabularCPD(
                name,
                table.shape[-1],
                np.moveaxis(table, -1, 0).reshape(table.shape[-1], -1),
                evidence=parents or None,
                evidence_card=[len(variables[parent].labels) for parent in parents] or None,
                state_names={n: list(variables[n].labels) for n in (name, *parents)},
            )
        )
    network.check_model()
    return network


def to_pgmpy_junction_tree(tree: JunctionTree) -> PgmpyJunctionTree:
    """One factor per cluster: the first holds its joint, the others P(what is new | separator)."""
    with _pgmpy():
        from pgmpy.factors.discrete import DiscreteFactor
        from pgmpy.models import JunctionTree as PgmpyJunctionTree

    blank = tree.retract()
    compiled = PgmpyJunctionTree()
    compiled.add_nodes_from(tree.clusters)
    compiled.add_edges_from((tree.clusters[a], tree.clusters[b]) for a, b in tree.edges)
    separators = dict(zip((b for _, b in tree.edges), tree.separators, strict=True))
    for number, cluster in enumerate(tree.clusters):
        table = blank.joint(cluster)
        shared = separators.get(number, ())
        if shared:
            new = tuple(axis for axis, name in enumerate(cluster) if name not in shared)
            total = table.sum(axis=new, keepdims=True)
            table = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
        labels = {name: list(tree.variables[name].labels) for name in cluster}
        compiled.add_factors(DiscreteFactor(list(cluster), list(table.shape), table, state_names=labels))
    compiled.check_model()
    return compiled


def row_factors(
    target: str, labels: Sequence[str], log_likelihoods: Mapping[str, Floats]
) -> list[DiscreteFactor]:
    """Return one factor over the class for each entry; their normalised product is the posterior.

    A continuous attribute has no table, but once its value is known only its likelihood for each class is
    left, and that is a factor over the class.

    Parameters
    ----------
    target : str
        Name of the class, the one variable of every factor.
    labels : sequence of str
        Readable names of the classes.
    log_likelihoods : mapping of str to array (k,)
        Natural log of each attribute's (or joined group's) likelihood for every class, and of the class
        prior. A density can be too small or too large for a floating-point number, so every factor is
        scaled: its largest value is one. An entry that rules out every class becomes all ones.

    Returns
    -------
    list of DiscreteFactor
        In the order of the mapping.

    Examples
    --------
    >>> import numpy as np
    >>> prior, age = row_factors("ill", ["no", "yes"], {"ill": np.log([0.8, 0.2]), "age": np.log([1, 4])})
    >>> posterior = prior.product(age, inplace=False)
    >>> posterior.normalize(inplace=False).values
    array([0.5, 0.5])
    """
    with _pgmpy():
        from pgmpy.factors.discrete import DiscreteFactor

    names = {target: list(labels)}
    return [
        DiscreteFactor([target], [len(labels)], _scaled(np.asarray(logs)), state_names=names)
        for logs in log_likelihoods.values()
    ]


def _scaled(logs: Floats) -> Floats:
    largest = logs.max()
    values: Floats = np.ones_like(logs) if np.isneginf(largest) else np.exp(logs - largest)
    return values


def ask_pgmpy(tree: JunctionTree, names: tuple[str, ...]) -> Floats:
    """P(names | evidence) by pgmpy's belief propagation: the reference engine."""
    evidence = {}
    for name, value in tree.evidence.items():
        if isinstance(value, Mapping):
            raise QueryError(
                f"pgmpy takes states only, but the evidence on {name!r} is soft; leave out engine="
            )
        variable = tree.variables[name]
        evidence[name] = variable.labels[variable.state(value)]
    engine = _belief_propagation()(to_pgmpy_junction_tree(tree))
    factor = engine.query(list(names), evidence=evidence, joint=True, show_progress=False)
    values = np.transpose(factor.values, [factor.variables.index(name) for name in names])
    posterior: Floats = values / values.sum()
    return posterior


def _belief_propagation() -> Any:
    """Import pgmpy's engine; its package warns about its own deprecated modules on the way in."""
    with _pgmpy(), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        from pgmpy.inference import BeliefPropagation
    return BeliefPropagation


def _pgmpy() -> AbstractContextManager[None]:
    return needed(
        "pgmpy", "models and answers of pgmpy", "everything else, queries included, works without it"
    )
