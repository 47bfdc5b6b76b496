"""The trace of a search: what was chosen at each step, what it added, and the runners-up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import MOST_BITS, revived
from pgm_nb.learning.trees import rooted

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.arrays import Floats, Places
    from pgm_nb.information import Information
    from pgm_nb.learning.constraints import Constraints

__all__ = [
    "RUNNERS_UP",
    "Candidate",
    "Constraint",
    "Step",
    "Trace",
    "retrace",
    "star_steps",
    "steps_of_classes",
    "steps_of_tree",
]

RUNNERS_UP = 5  # how many rejected candidates a step remembers


@dataclass(frozen=True, slots=True)
class Candidate:
    """An attribute that could have been added, with its mother and what it would have added.

    A step lists every other attribute on its best mother, and the chosen one on its second best; edges
    that an expert forbade are left out.

    Examples
    --------
    >>> Candidate("age", "sex", relevance=0.25, dependence=0.5).gain
    0.75
    """

    attribute: str
    mother: str | None
    relevance: float  #: bits about the class: I(X;Y); for a first pair that of both attributes
    dependence: float  #: bits shared with the mothers given the class: I(X;Xm|Y)
    others: tuple[str, ...] = ()  #: further mothers, in cherry trees of higher order
    saved: float | None = None  #: bits of log-loss per row left out that it saves, where that is compared

    @property
    def mothers(self) -> tuple[str, ...]:
        """All attributes it depends on besides the class."""
        return () if self.mother is None else (self.mother, *self.others)

    @property
    def gain(self) -> float:
        """Bits that the structure's weight grows by: I(Y,Xm,X) - I(Y,Xm) = I(X;Y) + I(X;Xm|Y)."""
        return self.relevance + self.dependence


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a search: the candidate that won, the weight so far, and the runners-up."""

    chosen: Candidate
    weight: float  #: weight W of the structure after this step, in bits
    runners_up: tuple[Candidate, ...]
    required: bool = False  #: an expert asked for this edge, so it need not have beaten the runners-up
    label: str = ""  #: the class in whose tree this happens, where every class has a tree of its own

    @property
    def attribute(self) -> str:
        """The attribute that joined."""
        return self.chosen.attribute

    @property
    def mother(self) -> str | None:
        """The attribute it depends on, or None when it depends on the class alone."""
        return self.chosen.mother

    @property
    def gain(self) -> float:
        """Bits that this step added to the weight."""
        return self.chosen.gain


@dataclass(frozen=True, slots=True)
class Constraint:
    """An edge that an expert required or forbade, and what that costs.

    Examples
    --------
    >>> Constraint("required", "age", "sex", price=0.25).price
    0.25
    """

    kind: str  #: "required" or "forbidden"
    attribute: str
    other: str
    price: float  #: bits that the weight would grow by without this constraint, see `learning.prices`


class Trace:
    """The steps of a search, in order, and the price of the constraints it had to meet.

    A search knows its choices; the runners-up are computed when the steps are first read.

    Parameters
    ----------
    algorithm : str
        Name of the search.
    steps : tuple of Step, or a function that returns them
        What was chosen, and the runners-up.
    constraints : tuple of Constraint
        Required and forbidden edges with their prices.
    price : float
        Bits that all constraints together cost; not the sum of their prices.
    bound : float, optional
        No structure that the search could have found weighs more, in bits; None if that is not known.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.GeneralizedNaiveBayes().fit(*pnb.load_sample("iris"))
    >>> [(step.mother, step.attribute) for step in model.trace_.steps]
    [('petal width', 'petal length'), ('petal length', 'sepal length'), ('sepal length', 'sepal width')]
    """

    def __init__(
        self,
        algorithm: str,
        steps: tuple[Step, ...] | Callable[[], tuple[Step, ...]],
        constraints: tuple[Constraint, ...] = (),
        price: float = 0.0,
        bound: float | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.constraints = constraints
        self.price = price
        self.bound = bound
        self._source = steps

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What was chosen at each step, what it added, and the runners-up."""
        steps = self._source() if callable(self._source) else self._source
        self._source = steps  # frees the matrices that the steps were computed from
        return steps

    def step_numbers(self) -> dict[str, int]:
        """Return the step in which each attribute joined, from 1 on; a first pair joins in one step.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> pnb.GeneralizedNaiveBayes().fit(*pnb.load_sample("iris")).trace_.step_numbers()
        {'petal width': 1, 'petal length': 1, 'sepal length': 2, 'sepal width': 3}
        """
        numbers: dict[str, int] = {}
        for number, step in enumerate(self.steps, start=1):
            for name in (step.mother, step.attribute):
                if name is not None:
                    numbers.setdefault(name, number)
        return numbers

    def _parts(self) -> tuple[str, tuple[Step, ...], tuple[Constraint, ...], float, float | None]:
        return self.algorithm, self.steps, self.constraints, self.price, self.bound

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        return f"<Trace: {self.algorithm}, {len(self.steps)} steps>"

    def __reduce__(self) -> tuple[type[Trace], tuple[Any, ...]]:
        return Trace, self._parts()

    def to_frame(self) -> pd.DataFrame:
        """One row per step: the choice and the best runner-up."""
        import pandas as pd

        rows = []
        for step in self.steps:
            second = step.runners_up[0] if step.runners_up else None
            row = {
                "attribute": step.attribute,
                "mother": step.mother,
                "gain": step.gain,
                "weight": step.weight,
                "runner-up": second.attribute if second else None,
                "runner-up's mother": second.mother if second else None,
                "runner-up's gain": second.gain if second else None,
                "required": step.required,
            }
            if step.label:
                row = {"class": step.label, **row}
            if step.chosen.saved is not None:
                row |= {"saved": step.chosen.saved, "runner-up saves": second.saved if second else None}
            rows.append(row)
        return pd.DataFrame(rows)

    def constraints_frame(self) -> pd.DataFrame:
        """One row per constraint: kind, the two attributes, and the price in bits."""
        import pandas as pd

        rows = [(c.kind, c.attribute, c.other, c.price) for c in self.constraints]
        return pd.DataFrame(rows, columns=["kind", "attribute", "other", "price"]).astype({"price": float})

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe form; `from_dict` reads it back."""
        return {
            "algorithm": self.algorithm,
            "steps": [
                {
                    "chosen": _candidate_to_list(step.chosen),
                    "weight": step.weight,
                    "runners_up": [_candidate_to_list(c) for c in step.runners_up],
                    "required": step.required,
                    **({"label": step.label} if step.label else {}),
                }
                for step in self.steps
            ],
            "constraints": [[c.kind, c.attribute, c.other, c.price] for c in self.constraints],
            "price": self.price,
            "bound": self.bound,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trace:
        """Read what `to_dict` wrote; what is no trace is a ValueError."""
        return cls(
            revived(str, data["algorithm"]),
            revived(tuple[Step, ...], data["steps"], MOST_BITS),
            revived(tuple[Constraint, ...], data["constraints"], MOST_BITS),
            revived(float, data["price"], MOST_BITS),
            revived(float | None, data.get("bound"), MOST_BITS),
        )

    @property
    def names(self) -> set[str]:
        """All attributes that it speaks of."""
        options = [one for step in self.steps for one in (step.chosen, *step.runners_up)]
        return {name for one in options for name in (one.attribute, *one.mothers)} | {
            name for constraint in self.constraints for name in (constraint.attribute, constraint.other)
        }


def _candidate_to_list(candidate: Candidate) -> list[Any]:
    plain = [candidate.attribute, candidate.mother, candidate.relevance, candidate.dependence]
    if candidate.saved is not None:
        return [*plain, list(candidate.others), candidate.saved]
    return [*plain, list(candidate.others)] if candidate.others else plain


def retrace(
    information: Information,
    names: Sequence[str],
    order: Sequence[int] | np.ndarray,
    mothers: np.ndarray,
    constraints: Constraints | None = None,
    *,
    start: int,
    criterion: str = "gain",
) -> tuple[Step, ...]:
    """Walk the order of a tree and list the runners-up at each step.

    Parameters
    ----------
    information : Information
        Relevance and dependence in bits.
    names : sequence of str
        Attribute names in column order.
    order : sequence of int
        The attributes in the order in which they joined.
    mothers : array of int
        Mother of each attribute, -1 for none.
    constraints : Constraints, optional
        What the search had to meet; required edges are marked, runners-up are admissible.
    start : int
        How many attributes the first step takes: 2 for a cherry tree (its first pair), else 1.
    criterion : {"gain", "dependence"}
        What the search compared, and so how runners-up are ranked.
    """
    relevance, dependence = information.relevance, information.dependence
    order = np.asarray(order, dtype=np.intp)
    d = len(relevance)
    admissible, required = dependence, np.zeros((d, d), dtype=bool)
    if constraints is not None:
        admissible, required = constraints.admissible(dependence), constraints.is_required()
    start = min(start, len(order))

    def candidate(attribute: int, mother: int) -> Candidate:
        return Candidate(
            names[attribute],
            names[mother] if mother >= 0 else None,
            float(relevance[attribute]),
            float(dependence[mother, attribute]) if mother >= 0 else 0.0,
        )

    if start == 2:
        first, losers = _first_pair_candidates(information, names, order, admissible)
    else:
        first = candidate(int(order[0]), -1)
        losers = tuple(candidate(i, -1) for i in _best(relevance, {int(order[0])}))
    steps = [Step(first, first.gain, losers, start == 2 and bool(required[order[0], order[1]]))]

    best = admissible[order[:start]].max(axis=0)
    inside = set(order[:start].tolist())
    base = relevance if criterion == "gain" else np.zeros(d)
    for child in order[start:].tolist():
        chosen = candidate(child, int(mothers[child]))
        forced = bool(required[mothers[child], child])
        members = np.sort(np.fromiter(inside, dtype=np.intp))
        near = [
            candidate(i, _best_mother(admissible, members, i)) for i in _best(base + best, {*inside, child})
        ]
        others = members[(members != mothers[child]) & (admissible[members, child] > -np.inf)]
        if len(others) and not forced:  # the same attribute on another mother
            near.append(candidate(child, _best_mother(admissible, others, child)))
        near.sort(key=lambda c: -getattr(c, criterion))  # stable: ties keep column order
        losers = tuple(near[:RUNNERS_UP])
        steps.append(Step(chosen, steps[-1].weight + chosen.gain, losers, forced))
        inside.add(child)
        np.maximum(best, admissible[child], out=best)
    return tuple(steps)


def star_steps(relevance: np.ndarray, names: Sequence[str]) -> tuple[Step, ...]:
    """Return the steps without mothers: attributes by relevance, ties by column; the next are runners-up.

    Examples
    --------
    >>> first, second = star_steps(np.array([0.25, 0.5]), ("a", "b"))
    >>> first.attribute, [c.attribute for c in first.runners_up], second.weight
    ('b', ['a'], 0.75)
    """
    order = np.argsort(-relevance, kind="stable").tolist()
    ranked = [Candidate(names[i], None, float(relevance[i]), 0.0) for i in order]
    weights = accumulate(candidate.gain for candidate in ranked)
    return tuple(
        Step(chosen, weight, tuple(ranked[place : place + RUNNERS_UP]))
        for place, (chosen, weight) in enumerate(zip(ranked, weights, strict=True), start=1)
    )


def _best_mother(dependence: np.ndarray, members: np.ndarray, child: int) -> int:
    return int(members[np.argmax(dependence[members, child])])


def _best(score: np.ndarray, excluded: set[int]) -> list[int]:
    """Return the highest-scoring indices that are not excluded nor -inf, ties by column order."""
    score = score.copy()
    score[list(excluded)] = -np.inf
    threshold = np.partition(score, -RUNNERS_UP)[-RUNNERS_UP] if len(score) > RUNNERS_UP else -np.inf
    near = np.flatnonzero((score >= threshold) & (score > -np.inf))
    return [int(i) for i in near[np.argsort(-score[near], kind="stable")][:RUNNERS_UP]]


def _first_pair_candidates(
    information: Information, names: Sequence[str], order: np.ndarray, admissible: np.ndarray
) -> tuple[Candidate, tuple[Candidate, ...]]:
    """Return the first cherry and its runners-up among the pairs of attributes."""
    relevance, dependence = information.relevance, information.dependence
    rows, columns = np.triu_indices(len(relevance), 1)
    triplet = relevance[rows] + relevance[columns] + admissible[rows, columns]  # I(Y,Xi,Xj)

    def pair(i: int, j: int) -> Candidate:
        return Candidate(names[j], names[i], float(relevance[i] + relevance[j]), float(dependence[i, j]))

    first = sorted(order[:2].tolist())
    chosen = int(np.flatnonzero((rows == first[0]) & (columns == first[1]))[0])
    near = ([int(rows[p]), int(columns[p])] for p in _best(triplet, {chosen}))
    losers = tuple(pair(*rooted(two, relevance)) for two in near)
    return pair(int(order[0]), int(order[1])), losers


def steps_of_tree(
    information: Information, shared: Floats, names: Sequence[str], order: Places, mothers: Places
) -> tuple[Step, ...]:
    """Return the steps in which the tree of one class grew from the attribute that says most about the class.

    Parameters
    ----------
    information : Information
        Of all rows; the root is chosen by its relevance.
    shared : array (d, d)
        I(Xi;Xj | Y = y) in bits among the rows of the class.
    names : sequence of str
        Attribute names in column order.
    order, mothers : arrays of int
        The attributes in the order in which they joined, and the mother of each, -1 for none.

    Examples
    --------
    >>> from pgm_nb.information import Information
    >>> shared = np.array([[0, 0.5, 0.25], [0.5, 0, 0.125], [0.25, 0.125, 0]])
    >>> info = Information(9, 1.0, np.zeros(3), np.array([0.75, 0.5, 0.0]), shared)
    >>> steps = steps_of_tree(info, shared, "abc", np.array([0, 1, 2]), np.array([-1, 0, 0]))
    >>> [(step.attribute, step.mother, step.gain) for step in steps]
    [('a', None, 0.75), ('b', 'a', 0.5), ('c', 'a', 0.25)]
    """
    root = replace(star_steps(information.relevance, names)[0], weight=0.0)
    inside = replace(information, relevance=np.zeros(len(names)), dependence=shared)
    rest = retrace(inside, names, order, mothers, start=1, criterion="dependence")
    return (root, *rest[1:])


def steps_of_classes(
    trees: Mapping[str, Sequence[Step]], frequencies: Sequence[float], start: float
) -> tuple[Step, ...]:
    """Return the steps of all trees, one tree after the other, with the weight of the whole so far.

    The weight is that of naive Bayes, `start`, and then for every link what it shares among the rows of its
    class, times how frequent this class is.

    Examples
    --------
    >>> from pgm_nb.learning.trace import Candidate
    >>> step = Step(Candidate("b", "a", 0.0, 0.5), 0.5, ())
    >>> found = steps_of_classes({"no": [step], "yes": [step]}, [0.75, 0.25], 1.0)
    >>> [(one.label, one.weight) for one in found]
    [('no', 1.375), ('yes', 1.5)]
    """
    found: list[Step] = []
    weight = start
    for (label, steps), share in zip(trees.items(), frequencies, strict=True):
        for step in steps:
            weight += share * step.chosen.dependence
            found.append(replace(step, weight=weight, label=label))
    return tuple(found)
