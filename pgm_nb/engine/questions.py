"""Questions to a junction tree: likely states, shared information, samples, other base rates, sensitivity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pgm_nb.allowed import SHARE
from pgm_nb.arrays import Floats, Places
from pgm_nb.data.labels import class_place
from pgm_nb.engine.beliefs import best_states
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.errors import QueryError
from pgm_nb.words import listed

if TYPE_CHECKING:
    from pgm_nb.engine.junction import JunctionTree

__all__ = [
    "RARE",
    "Entry",
    "Possible",
    "Prior",
    "base_rate_shift",
    "conflict",
    "draw_states",
    "log_base_rates",
    "most_probable",
    "move_tree",
    "mutual_information",
    "possible_states",
    "sample",
    "sensitivities",
]


def most_probable(tree: JunctionTree, names: str | Iterable[str] | None = None) -> dict[str, str]:
    """Return the most probable joint states of some variables.

    By default of all whose state is not certain: those of which nothing is known, and those of which several
    states are possible, by a range or by likelihoods. This is the most probable explanation, by max-product
    on the tree. For a part of the variables it is the maximum of their joint posterior, all others summed
    out.
    """
    open_still = [
        name
        for name in tree.variables.names
        if name not in tree.likelihoods or np.count_nonzero(tree.likelihoods[name]) > 1
    ]
    if names is None and not open_still:
        raise QueryError("every variable is given, so none is left to ask about")
    asked = tuple(open_still) if names is None else tree.variables.check(names, tree.evidence)
    if set(asked) == set(open_still):
        best = _best_completion(tree)
        return {name: best[name] for name in asked}
    table = tree.joint(asked)
    place = np.unravel_index(int(table.argmax()), table.shape)
    return {name: tree.variables[name].labels[i] for name, i in zip(asked, place, strict=True)}


def mutual_information(
    tree: JunctionTree, a: str, b: str, given: Mapping[str, Any] | str | Iterable[str] = ()
) -> float:
    """I(a;b | given) in bits under the model; `given` is evidence, or names of variables to condition on."""
    if isinstance(given, Mapping):
        tree = tree.observe(given)
        conditions: tuple[str, ...] = ()
    else:
        conditions = (given,) if isinstance(given, str) else tuple(given)
    names = tree.variables.check((a, b, *conditions), tree.evidence)
    return _information(tree.joint(names))


def _information(joint: Floats) -> float:
    """Return I(A;B | rest) in bits from P(a, b, rest); the sum over the cells, zero where P is."""
    with_a, with_b = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    rest = joint.sum(axis=(0, 1), keepdims=True)
    ratio = np.divide(joint * rest, with_a * with_b, out=np.ones_like(joint), where=joint > 0)
    return max(0.0, float((joint * np.log2(ratio)).sum()))


def sample(tree: JunctionTree, n: int, random_state: int | np.random.Generator | None = None) -> pd.DataFrame:
    """Draw rows from the model given the evidence: the class first, then every child after her mother."""
    if n < 0:
        raise QueryError(f"the number of rows to draw must be at least 0, but is {n}")
    y, drawn = drawn_rows(tree, n, np.random.default_rng(random_state))
    columns = {tree.variables.target.name: np.array(tree.variables.target.labels, dtype=object)[y]}
    for variable, states in zip(tree.variables.attributes, drawn, strict=True):
        columns[variable.name] = np.array(variable.labels, dtype=object)[states]
    return pd.DataFrame(columns)


def drawn_rows(tree: JunctionTree, n: int, rng: np.random.Generator) -> tuple[Places, list[Places]]:
    """Draw the classes of rows, and the states of each attribute, given the evidence."""
    y = draw_states(np.repeat(tree.beliefs.classes(), n, axis=0), rng)
    drawn: list[Places] = []
    for position in range(len(tree.factors.tables)):
        logs = tree.beliefs.log_given(position, y, drawn)
        drawn.append(draw_states(np.exp(logs - logs.max(axis=1, keepdims=True)), rng))
    return y, drawn


def draw_states(weights: Floats, rng: np.random.Generator) -> Places:
    """Draw one state per row in proportion to its weights."""
    bounds = np.cumsum(weights, axis=1)
    thresholds = rng.random(len(weights))[:, None] * bounds[:, -1:]
    states: Places = (bounds <= thresholds).sum(axis=1)
    np.minimum(states, weights.shape[1] - 1, out=states)  # a threshold rounded up to the last bound
    return states


def _best_completion(tree: JunctionTree) -> dict[str, str]:
    """Return the most probable states of all variables by max-product."""
    _ = tree.beliefs  # refuses impossible evidence
    evidence, class_evidence = tree.log_likelihoods()
    y, chosen = best_states(tree.factors, evidence, tree.factors.log_prior + class_evidence[:, 0])
    result = {tree.variables.target.name: tree.variables.target.labels[y]}
    for variable, state in zip(tree.variables.attributes, chosen, strict=True):
        result[variable.name] = variable.labels[state]
    return result


MOST_COMBINATIONS = 4096  # of states, each of which is looked at


class Possible(NamedTuple):
    """Combinations of states that evidence leaves possible.

    Attributes
    ----------
    states : array (s, m)
        The state of each attribute in each combination; the number of its states means unknown.
    logs : array (m,)
        Log of what each combination is multiplied with, beside how probable it is.
    """

    states: Places
    logs: Floats

    def mix(self, logs: Floats, posteriors: Floats) -> tuple[Floats, Floats]:
        """Sum over the combinations.

        Parameters
        ----------
        logs : array (..., m)
            Log of how probable the combinations are, up to one constant.
        posteriors : array (..., m, k)
            The posterior of the class with each of them.

        Returns
        -------
        array (...), array (..., k)
            Log of how probable the evidence is, up to the same constant, and the posterior of the class.
        """
        weighed = logs + self.logs
        total: Floats = np.logaddexp.reduce(weighed, axis=-1)
        impossible = np.isneginf(total)[..., None]
        shares = np.exp(weighed - np.where(impossible, 0.0, total[..., None]))
        shares = np.where(impossible, 1 / len(self.logs), shares)
        return total, (shares[..., None] * posteriors).sum(axis=-2)


def possible_states(likelihoods: Mapping[str, Floats]) -> Possible:
    """Return the combinations of states that evidence on some attributes leaves possible.

    Parameters
    ----------
    likelihoods : mapping of name to array
        For each attribute the likelihood of every state.

    Examples
    --------
    >>> states, logs = possible_states({"colour": np.array([0.5, 0.2, 0.2])})
    >>> states, np.exp(logs).round(1)  # the first state, or nothing observed
    (array([[0, 3]]), array([0.3, 0.2]))
    """
    weights = []
    for likelihood in likelihoods.values():
        common = likelihood.min()
        weights.append(np.append(likelihood - common, common))
    states = [np.flatnonzero(weight) for weight in weights]
    count = float(np.prod([len(places) for places in states], dtype=float))
    if count > MOST_COMBINATIONS:
        raise QueryError(
            f"the evidence on {listed(list(likelihoods))} leaves {count:,.0f} combinations of states "
            f"possible, more than the {MOST_COMBINATIONS:,} that can be looked at; give one state for some "
            "of them"
        )
    chosen = np.indices([len(places) for places in states], dtype=np.intp).reshape(len(states), int(count))
    logs = np.zeros(int(count))
    for i, (places, weight) in enumerate(zip(states, weights, strict=True)):
        chosen[i] = places[chosen[i]]
        logs += np.log(weight[chosen[i]])
    return Possible(chosen, logs)


Prior = Mapping[Any, float] | None  #: how common each class is; None: as in training
TOLERANCE = 1e-6  # by which shares may miss the sum of one; they are then scaled to it


def log_base_rates(prior: Mapping[Any, Any], classes: Sequence[Any]) -> Floats:
    """Return the log of how common each class is in another population, (k,).

    Parameters
    ----------
    prior : mapping of class to float
        A share for every class; the shares add up to one.
    classes : sequence
        The classes, in order.

    Examples
    --------
    >>> np.exp(log_base_rates({"well": 0.75, "ill": 0.25}, ["ill", "well"])).round(12).tolist()
    [0.25, 0.75]
    >>> log_base_rates({"ill": 0.25}, ["ill", "well"])
    Traceback (most recent call last):
    pgm_nb.errors.QueryError: prior must give a share to every class, but has none for well
    """
    if not isinstance(prior, Mapping):
        raise QueryError(
            f"prior must say how common each class is, such as {{{str(classes[0])!r}: 0.1, ...}}, but is "
            f"{prior!r}"
        )
    shares = np.full(len(classes), np.nan)
    for label, share in prior.items():
        place = class_place(label, classes)
        found = SHARE.check(f"the prior of {str(label)!r}", share, QueryError)
        if not np.isnan(shares[place]):
            raise QueryError(f"the prior of {str(label)!r} is given twice; give it once")
        shares[place] = found
    absent = [str(label) for label, share in zip(classes, shares, strict=True) if np.isnan(share)]
    if absent:
        raise QueryError(f"prior must give a share to every class, but has none for {listed(absent)}")
    total = float(shares.sum())
    if abs(total - 1) > TOLERANCE:
        raise QueryError(f"the shares of a prior must add up to 1, but add up to {total:.6g}")
    return np.log(shares / total, out=np.full(len(shares), -np.inf), where=shares > 0)


def base_rate_shift(log_trained: Floats, log_new: Floats, classes: Sequence[Any]) -> Floats:
    """Return what a change of base rates adds to the log scores of the classes, (k,).

    A class that has no share in training cannot get one.

    Examples
    --------
    >>> np.exp(base_rate_shift(np.log([0.5, 0.5]), np.log([0.2, 0.8]), ["ill", "well"])).round(12).tolist()
    [0.4, 1.6]
    """
    never = np.isneginf(log_trained)
    wanted = [str(label) for label, at in zip(classes, never & ~np.isneginf(log_new), strict=True) if at]
    if wanted:
        raise QueryError(
            f"the model has never seen {listed(wanted)}, so it cannot say how likely a row of it is; its "
            "prior must be 0"
        )
    return np.subtract(log_new, log_trained, out=np.zeros(len(log_new)), where=~never)


def move_tree(tree: JunctionTree, log_shift: Floats) -> JunctionTree:
    """Return a junction tree with other base rates of the class; its evidence stays."""
    factors = replace(tree.factors, log_prior=tree.factors.log_prior + log_shift)
    return replace(tree, factors=factors)


RARE = 10.0  # values this many times rarer together than apart are in conflict


def conflict(tree: JunctionTree) -> tuple[float, str] | None:
    """Return how many times rarer the known values are together than apart, and which one fits least.

    None if that is less than `RARE` times. The measure is prod P(e_i) / P(e) of Jensen, Chamberlain,
    Nordahl and Jensen (1991), over the attributes that are known; a class that is known counts as unknown.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("zoo")
    >>> tree = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y).junction_tree()
    >>> times, odd = conflict(tree.observe({"milk": "yes", "feathers": "yes", "backbone": "no"}))
    >>> round(times), odd
    (27, 'milk')
    """
    if tree.variables.target.name in tree.evidence:
        tree = tree.retract(tree.variables.target.name)
    known, nothing = dict(tree.evidence), tree.retract()
    if len(known) < 2:
        return None
    before, together = nothing.beliefs.states[:, 0], tree.log_evidence
    apart = {}
    for name in known:
        states = before[tree.factors.states(tree.variables.position(name))]
        apart[name] = float(np.log(states @ tree.likelihoods[name]))
    factor = float(np.exp(min(sum(apart.values()) - together, 700.0)))
    if factor < RARE:
        return None
    rest = {name: tree.retract(name).log_evidence for name in known}
    return factor, max(known, key=lambda name: rest[name] + apart[name] - together)


@dataclass(frozen=True)
class Entry:
    """One entry of a table, and what the posterior of a class does when it moves.

    Examples
    --------
    >>> Entry("age", 0, None, 1, 0.25, now=0.5, evidence_slope=2.0, class_slope=2.0).after(0.3)
    0.5454545454545454
    """

    attribute: str  #: the name of the class for an entry of the prior
    state: int
    mother_state: int | None
    y: int  #: the class given which the entry holds; for the prior the class itself
    value: float
    now: float  #: P(class | evidence)
    evidence_slope: float  #: d P(evidence) / d entry, over P(evidence)
    class_slope: float  #: d P(class, evidence) / d entry, over P(evidence)
    other_states: tuple[int, ...] = ()  #: of further mothers

    @property
    def derivative(self) -> float:
        """D P(class | evidence) / d entry."""
        return self.class_slope - self.now * self.evidence_slope

    def after(self, value: float) -> float:
        """P(class | evidence), if the entry had this value."""
        step = value - self.value
        return (self.now + step * self.class_slope) / (1 + step * self.evidence_slope)


def sensitivities(tree: JunctionTree, label: int) -> list[Entry]:
    """Return every entry that the posterior of a class depends on, given the evidence of a tree."""
    classes = tree.beliefs.classes()[0]
    now = float(classes[label])
    prior = np.exp(tree.factors.log_prior)
    target = tree.variables.target.name
    entries = []
    for y, (chance, theta) in enumerate(zip(classes, prior, strict=True)):
        if 0 < theta < 1:
            slope = chance / theta - (1 - chance) / (1 - theta)
            of_class = now / theta if y == label else -now / (1 - theta)
            entries.append(Entry(target, y, None, y, float(theta), now, float(slope), float(of_class)))
    for position, (variable, mother) in enumerate(
        zip(tree.variables.attributes, tree.factors.mothers, strict=True)
    ):
        table = np.exp(tree.factors.tables[position])
        if mother < 0:
            joint, theta = tree.beliefs.with_class(position)[0][:, None], table[:, None]
        else:
            joint, theta = tree.beliefs.cluster(position)[0], table
        slopes = _slopes(joint, theta)
        for y, u, *more, x in np.argwhere(np.abs(slopes) > 0).tolist():
            slope = float(slopes[(y, u, *more, x)])
            above = None if mother < 0 else u
            of_class = slope if y == label else 0.0
            value = float(theta[(y, u, *more, x)])
            entries.append(Entry(variable.name, x, above, y, value, now, slope, of_class, tuple(more)))
    return entries


def _slopes(joint: Floats, theta: Floats) -> Floats:
    """Return d log P(evidence) / d entry, with the others in proportion; 0 for entries of 0 or 1."""
    total = joint.sum(axis=-1, keepdims=True)
    inner = (theta > 0) & (theta < 1)
    safe = np.where(inner, theta, 0.5)
    slopes: Floats = np.where(inner, joint / safe - (total - joint) / (1 - safe), 0.0)
    slopes[np.abs(slopes) < 1e-14] = 0.0
    return slopes
