"""Why one row gets its class: how much each step of the model adds to the log-odds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats
from pgm_nb.data.labels import class_place
from pgm_nb.engine.evidence import Evidence, likelihood
from pgm_nb.engine.sums import log_ratio, posteriors
from pgm_nb.errors import QueryError
from pgm_nb.words import Scale, listed, probability

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

__all__ = ["Explanation", "Part", "Terms", "explanation", "split", "with_evidence", "without_zeros"]


@dataclass(frozen=True, eq=False)
class Terms:
    """A joint log score as a sum, in natural logs: log P(y, x) = prior[y] + sum over s of values[:, s, y].

    The sum is up to a constant per row. A step is one factor of the model; a prefix of the steps is a
    smaller model, so the cumulative sum scores all of them at once.

    Attributes
    ----------
    names : tuple of str
        What each step is called, such as "worst area" or "component 2 of cluster 1".
    attributes : tuple of tuple of str
        The attributes each step is about: child and mother, or a joined group.
    prior : array (k,)
        Log of the class prior.
    values : array (n, steps, k)
        What each step adds, for every row and class.

    Examples
    --------
    >>> terms = Terms(("age",), (("age",),), np.log([0.5, 0.5]), np.log([[[0.2, 0.6]]]))
    >>> np.exp(terms.scores()).round(2)
    array([[0.1, 0.3]])
    """

    names: tuple[str, ...]
    attributes: tuple[tuple[str, ...], ...]
    prior: Floats
    values: Floats

    def __post_init__(self) -> None:
        for name in ("prior", "values"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def row(self, number: int) -> Floats:
        """Return the steps of one row, (steps, k)."""
        steps: Floats = self.values[number]
        return steps

    def with_rows(self, rows: NDArray[np.bool_], other: Terms) -> Terms:
        """Return the same terms, but with these rows' steps taken from the rows of another."""
        values = self.values.copy()
        values[rows] = other.values  # noqa: PD011  # not of pandas
        return replace(self, values=values)

    def scores(self) -> Floats:
        """Joint log scores of all rows, (n, k)."""
        total: Floats = self.prior + self.values.sum(axis=1)
        return total

    def prefix_scores(self) -> Floats:
        """Joint log scores after 0, 1, ... all steps, (n, steps + 1, k).

        Examples
        --------
        >>> terms = Terms(("age",), (("age",),), np.log([0.5, 0.5]), np.log([[[0.2, 0.6]]]))
        >>> np.exp(terms.prefix_scores()).round(2)
        array([[[0.5, 0.5],
                [0.1, 0.3]]])
        """
        n, steps, k = self.values.shape
        scores = np.empty((n, steps + 1, k))
        scores[:, 0] = self.prior
        np.cumsum(self.values, axis=1, out=scores[:, 1:])
        scores[:, 1:] += self.prior
        return scores


_NAMED = 4  # attributes of one step that are named; more are counted
_ROWS = 30  # steps that a notebook shows, the largest


@dataclass(frozen=True)
class Part:
    """One step of the sum.

    Attributes
    ----------
    name : str
        What the step is called.
    attributes : tuple of str
        The attributes it is about.
    values, states : tuple of str
        Their cells in the row, and the states (intervals) these fall in.
    contribution : float
        What it adds to the log-odds (natural logarithm).
    """

    name: str
    attributes: tuple[str, ...]
    values: tuple[str, ...]
    states: tuple[str, ...]
    contribution: float


@dataclass(frozen=True, eq=False)
class Explanation:
    """Log-odds of one class against another as a sum over the steps of a model.

    log P(label|x) / P(against|x) = `prior_log_odds` + the sum of the contributions, in natural logarithms.
    With two classes these are the odds of the class. With more, the odds of a class against *all* others are
    not a sum over the steps, so two classes are compared: by default the predicted one and the runner-up.
    `versus` compares others, at no cost.

    Attributes
    ----------
    target : str
        Name of the class variable.
    classes : tuple
        Its labels.
    label, against : object
        The class that is explained, and the class it is compared with.
    terms : Terms
        The steps of this row for every class.
    cells : mapping of str to (value, state)
        The row as it was read.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("wdbc")
    >>> why = pnb.NaiveBayes().fit(X, y).explain({"worst radius": 17.0, "worst texture": 20.0})
    >>> why.label, round(why.probability, 3), round(why.log_odds, 3)
    ('benign', 0.823, 1.539)
    >>> [(part.name, round(part.contribution, 3)) for part in why.parts if part.contribution]
    [('worst radius', -0.391), ('worst texture', 1.41)]
    >>> round(why.prior_log_odds + sum(part.contribution for part in why.parts), 3)
    1.539
    """

    target: str
    classes: tuple[Any, ...]
    label: Any
    against: Any
    terms: Terms
    cells: Mapping[str, tuple[str, str]]

    @cached_property
    def probabilities(self) -> Floats:
        """Posterior of every class, in the order of `classes`."""
        posterior: Floats = posteriors(self.terms.scores(), self.terms.prior)[0]
        return posterior

    @property
    def probability(self) -> float:
        """Posterior of the class that is explained."""
        return float(self.probabilities[self.classes.index(self.label)])

    @property
    def prior_log_odds(self) -> float:
        """Log-odds of the two classes before anything is known about the row."""
        return self._against(self.terms.prior)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The steps, in the order of the model."""
        return tuple(
            Part(
                name,
                attributes,
                tuple(self.cells[a][0] for a in attributes),
                tuple(self.cells[a][1] for a in attributes),
                self._against(values),
            )
            for name, attributes, values in zip(
                self.terms.names, self.terms.attributes, self.terms.row(0), strict=True
            )
        )

    @property
    def log_odds(self) -> float:
        """Log-odds of the two classes given the row: the sum of the prior and all contributions."""
        return self.prior_log_odds + sum(part.contribution for part in self.parts)

    def versus(self, label: Any, against: Any = None) -> Explanation:
        """Explain another class, compared with another one (by default the likeliest of the rest)."""
        place = class_place(label, self.classes)
        if against is None:
            order = np.argsort(-self.terms.scores()[0], kind="stable")
            other = int(next(i for i in order if i != place))
        else:
            other = class_place(against, self.classes)
        if other == place:
            raise QueryError(f"a class is compared with another one, but {label!r} is given twice")
        if np.isneginf(self.terms.scores()[0, [place, other]]).all():
            raise QueryError(
                f"the model rules out both {self.classes[place]!r} and {self.classes[other]!r} for this row, "
                "so there are no odds between them; choose the predicted class as one of the two"
            )
        return replace(self, label=self.classes[place], against=self.classes[other])

    def to_frame(self) -> pd.DataFrame:
        """One row per step, the prior first: part, attributes, value, state, contribution, factor, log_odds.

        `factor` is what the odds are multiplied by, and `log_odds` the sum so far.
        """
        import pandas as pd

        rows = [("base rate", "", "", "", self.prior_log_odds)]
        rows += [
            (p.name, _joined(p.attributes), _joined(p.values), _joined(p.states), p.contribution)
            for p in self.parts
        ]
        frame = pd.DataFrame(rows, columns=["part", "attributes", "value", "state", "contribution"])
        with np.errstate(over="ignore"):
            frame["factor"] = np.exp(frame["contribution"])
        frame["log_odds"] = frame["contribution"].cumsum()
        return frame

    def chart(
        self, *, theme: str = "light", largest: int = 12, scale: Scale | None = None
    ) -> alt.Chart | alt.LayerChart:
        """Draw the steps from the prior to the posterior log-odds: the largest ones, and the others as one.

        Parameters
        ----------
        theme : {"light", "dark"}
            Colours for a light or a dark page.
        largest : int
            Steps that get a bar of their own.
        """
        from pgm_nb.views.chart.explanation import Bar, waterfall

        bars = [
            Bar(
                p.name,
                p.contribution,
                _joined([f"{a} = {v}" for a, v in zip(p.attributes, p.values, strict=True)]),
            )
            for p in self.parts
        ]
        what = "Log-odds of" if scale is None else "What speaks for"
        title = f"{what} {self.label} against {self.against}"
        return waterfall(self.prior_log_odds, bars, title=title, theme=theme, largest=largest, scale=scale)

    def __str__(self) -> str:
        return (
            f"{self.target} = {self.label} with probability {probability(self.probability)}: "
            f"log-odds {self.log_odds:z.2f} against {self.against}, {self.prior_log_odds:z.2f} before the row"
        )

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        order = frame["contribution"].abs().sort_values(ascending=False, kind="stable").index
        shown = frame.loc[order[:_ROWS], ["part", "value", "state", "contribution", "factor"]]
        table = shown.to_html(index=False, float_format="{:.3g}".format)
        return f"<p>{escape(str(self))}</p>{table}"

    def _against(self, values: Floats) -> float:
        one, other = values[self.classes.index(self.label)], values[self.classes.index(self.against)]
        return 0.0 if one == other else float(one - other)  # two impossible classes: no difference


def explanation(
    terms: Terms,
    target: str,
    classes: Sequence[Any],
    cells: Mapping[str, tuple[str, str]],
    label: Any = None,
    against: Any = None,
) -> Explanation:
    """Explain a row from its terms.

    A row that every class rules out gets the class prior, so its steps add nothing.

    Parameters
    ----------
    terms : Terms
        The steps of one row.
    target : str
        Name of the class variable.
    classes : sequence
        Its labels.
    cells : mapping of str to (value, state)
        The row, for people.
    label, against : object, optional
        The class to explain (by default the predicted one), and the class to compare it with (by default
        the likeliest other).

    Examples
    --------
    >>> terms = Terms(("age",), (("age",),), np.log([0.5, 0.5]), np.log([[[0.2, 0.6]]]))
    >>> print(explanation(terms, "ill", ["no", "yes"], {"age": ("61", "> 60")}))
    ill = yes with probability 75.0%: log-odds 1.10 against no, 0.00 before the row
    """
    scores = terms.scores()[0]
    if np.isneginf(scores).all():
        terms = replace(terms, values=np.zeros((1, len(terms.names), len(terms.prior))))
        scores = terms.prior
    names = tuple(classes)
    best = names[int(np.argmax(scores))]
    start = Explanation(target, names, best, best, terms, cells)
    return start.versus(best if label is None else label, against)


def _joined(words: Sequence[str]) -> str:
    return listed(list(words), _NAMED)


def split(known: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Evidence]]:
    """Return the values of a case, and the evidence of other kinds; a mapping holds likelihoods.

    Examples
    --------
    >>> from pgm_nb.engine.evidence import above
    >>> plain, other = split({"sex": "male", "age": above(60)})
    >>> plain, [*other]
    ({'sex': 'male'}, ['age'])
    """
    plain: dict[str, Any] = {}
    other: dict[str, Evidence] = {}
    for name, value in known.items():
        if isinstance(value, Evidence | Mapping):
            other[name] = value if isinstance(value, Evidence) else likelihood(value)
        else:
            plain[name] = value
    return plain, other


def with_evidence(
    terms: Terms,
    plain: Mapping[str, Any],
    other: Mapping[str, Evidence],
    posterior: Callable[[dict[str, Any]], Floats],
) -> Terms:
    """Return the steps of a case, then one for every piece of other evidence.

    Parameters
    ----------
    terms : Terms
        The steps of the case of which the plain values are known; one row.
    plain, other : mapping
        The values, and the evidence of other kinds.
    posterior : callable
        Gives the probability of every class, (k,), for what is known.
    """
    if not other:
        return terms
    so_far: dict[str, Any] = dict(plain)
    before, added = np.log(posterior(so_far)), []
    for name, value in other.items():
        so_far[name] = value
        with np.errstate(divide="ignore"):
            after = np.log(posterior(so_far))
        added.append(log_ratio(after, before))
        before = after
    steps = np.concatenate([terms.row(0), np.array(added)])
    without = tuple(tuple(a for a in step if a not in other) for step in terms.attributes)  # not known there
    attributes = (*without, *((name,) for name in other))
    return replace(terms, names=(*terms.names, *other), attributes=attributes, values=steps[None])


def without_zeros(why: Explanation) -> Explanation:
    """Leave out the steps that add nothing to any class: those of unknown attributes."""
    terms, steps = why.terms, why.terms.row(0)
    kept = np.flatnonzero((steps != 0).any(axis=1))
    names = tuple(terms.names[i] for i in kept)
    attributes = tuple(terms.attributes[i] for i in kept)
    return replace(why, terms=replace(terms, names=names, attributes=attributes, values=steps[None, kept]))
