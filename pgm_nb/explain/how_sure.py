"""How sure a probability is: the rows behind it, its interval, and what is unusual about the case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Ints, Places
from pgm_nb.data import Column, Encoder, as_frame, as_labels
from pgm_nb.data.frame import is_empty
from pgm_nb.data.labels import number_label
from pgm_nb.engine.evidence import Between, Evidence
from pgm_nb.engine.questions import conflict
from pgm_nb.engine.variables import Variable
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.base_rates import Population
from pgm_nb.explain.case_values import value_text
from pgm_nb.words import class_name, credible, did_you_mean, listed, plural

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.engine.junction import JunctionTree
    from pgm_nb.explain.cases import CaseAnalysis
    from pgm_nb.explain.protocols import CaseModel, Known

__all__ = [
    "IMPOSSIBLE",
    "RowsBehind",
    "Support",
    "conflict_remarks",
    "how_sure",
    "in_the_table",
    "remarks",
    "row_remarks",
    "rows_behind",
    "usable",
]

LEAST = 1.0  # rows that chance would give a pair of values, for its absence to be worth a remark


@dataclass(frozen=True, eq=False)
class Support:
    """The rows that agree with what is known, by class; if there are none, the rows nearest to it.

    Attributes
    ----------
    target, classes
        The class, and its values as text.
    rows : array (k,)
        How many rows of each class agree with everything that is known.
    known : int
        How many attributes are known.
    agreeing : int
        In how many of them the nearest rows agree; `known` if some row agrees with all.
    nearest : array (k,)
        The rows that agree in so many, by class.
    differing : tuple of str
        Where no row agrees with everything: the attributes in which the nearest rows differ, commonest first.
    """

    target: str
    classes: tuple[str, ...]
    rows: Ints
    known: int
    agreeing: int
    nearest: Ints
    differing: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """How many rows agree with everything that is known."""
        return int(self.rows.sum())

    def sentence(self, label: str | None = None) -> str:
        """Say how many such rows there are, and how many of them have a class (by default the commonest).

        Examples
        --------
        >>> found = Support("class", ("bird", "fish"), np.array([20, 0]), 1, 1, np.array([20, 0]))
        >>> found.sentence(), found.sentence("fish")
        ('20 of 20 such rows are bird.', '0 of 20 such rows are fish.')
        """
        if self.known == 0:
            everything = f"of all {plural(self.n, 'row')}"
            return f"{self._share(self.rows, label, everything)}."
        if self.n:
            noun = "such row" if self.n == 1 else "such rows"
            return f"{self._share(self.rows, label, f'of {self.n:,} {noun}')}."
        if self.agreeing == 0:
            return "No row is like this in any of the known values."
        total = int(self.nearest.sum())
        noun = "row agrees" if total == 1 else "rows agree"
        where = f"{self.agreeing} of {self.known} values"
        if self.known - self.agreeing == 1:
            odd = listed(self.differing, limit=3)
            where = f"all but {odd}" if len(self.differing) == 1 else f"all but one ({odd})"
        share = self._share(self.nearest, label, f"of {total:,}")
        return f"No row is like this; nearest: {total:,} {noun} in {where}, {share}."

    def _share(self, rows: Ints, label: str | None, of: str) -> str:
        place = int(rows.argmax()) if label is None else self.classes.index(label)
        count, name = int(rows[place]), self.classes[place]
        one = count == 1 or int(rows.sum()) == 1  # one of some, or none of one
        if class_name(self.target) == "the class":
            return f"{count:,} {of} {'is' if one else 'are'} {name}"
        return f"{count:,} {of} {'has' if one else 'have'} {self.target} = {name}"

    def __str__(self) -> str:
        return self.sentence()


@dataclass(frozen=True, eq=False)
class RowsBehind:
    """A table in codes, ready to count the rows that agree with what is known.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("zoo")
    >>> rows = pnb.rows_behind(pnb.NaiveBayes().fit(X, y), X, y)
    >>> print(rows.support({"feathers": "yes"}))
    20 of 20 such rows are bird.
    >>> print(rows.support({"feathers": "yes", "milk": "yes"}))
    No row is like this; nearest: 61 rows agree in all but one (feathers, milk), 41 of 61 are mammal.
    """

    target: str
    classes: tuple[str, ...]
    variables: Mapping[str, Variable]
    codes: Codes  #: (d, n), in the order of the variables
    y: Places  #: class codes
    low: Floats  #: the smallest number of each column; NaN where there is none
    high: Floats

    def support(self, given: Mapping[str, Any] | None = None) -> Support:
        """Count the rows that agree with what is known.

        Parameters
        ----------
        given : mapping, optional
            Evidence as `query` takes it. None and NaN are unknown, or the state of an empty cell in a column
            that had some. A row agrees with a range or with several values if its state is possible.
        """
        k, n = len(self.classes), len(self.y)
        allowed = self._allowed(given or {})
        agree: NDArray[np.uint16] = np.zeros(n, dtype=np.uint16)
        for place, states in allowed.items():
            np.add(agree, self._matches(place, states), out=agree)
        most = int(agree.max()) if n else 0
        nearest = np.flatnonzero(agree == most)
        by_class = np.bincount(self.y[nearest], minlength=k)
        if most == len(allowed):
            return Support(self.target, self.classes, by_class, most, most, by_class)
        missed = {
            place: int(len(nearest) - self._matches(place, states)[nearest].sum())
            for place, states in allowed.items()
        }
        names = list(self.variables)
        worst = sorted((p for p in missed if missed[p]), key=lambda p: -missed[p])
        differing = tuple(names[place] for place in worst)
        nobody = np.zeros(k, dtype=np.int64)
        return Support(self.target, self.classes, nobody, len(allowed), most, by_class, differing)

    def out_of_range(self, given: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
        """Return the attributes whose number is outside what the table holds, with the table's range.

        A range of numbers is outside if no part of it is inside.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("iris")
        >>> pnb.rows_behind(pnb.NaiveBayes().fit(X, y), X, y).out_of_range({"petal width": 9.0})
        {'petal width': (0.1, 2.5)}
        """
        found = {}
        for place, name in enumerate(self.variables):
            ends = _ends(given.get(name))
            low, high = float(self.low[place]), float(self.high[place])
            if ends is not None and (ends[1] < low or ends[0] > high):  # never, if the column has no numbers
                found[name] = (low, high)
        return found

    def unseen_pair(self, given: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return two known attributes whose values, each seen before, no row has together; None without.

        Of several such pairs, the one that would be expected in the most rows if they were independent.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("zoo")
        >>> pnb.rows_behind(pnb.NaiveBayes().fit(X, y), X, y).unseen_pair({"feathers": "yes", "milk": "yes"})
        ('feathers', 'milk')
        """
        allowed, names = self._allowed(given), list(self.variables)
        if len(allowed) < 2 or len(self.y) == 0:
            return None
        hits = np.stack([self._matches(place, states) for place, states in allowed.items()])
        alone = hits.sum(axis=1).astype(float)
        packed = np.packbits(hits, axis=1)
        best: tuple[float, tuple[str, str]] | None = None
        places = list(allowed)
        for i in range(len(places) - 1):
            shared = (packed[i] & packed[i + 1 :]).any(axis=1)
            expected = np.where(shared, 0.0, alone[i] * alone[i + 1 :] / len(self.y))
            j = int(expected.argmax())
            if expected[j] > (best[0] if best else LEAST):
                best = float(expected[j]), (names[places[i]], names[places[i + 1 + j]])
        return None if best is None else best[1]

    def _allowed(self, given: Mapping[str, Any]) -> dict[int, NDArray[np.bool_]]:
        """Return which states of each known attribute agree with the evidence, by place."""
        places = {name: place for place, name in enumerate(self.variables)}
        found = {}
        for name, value in given.items():
            if name in places and not self.variables[name].is_unknown(value):
                found[places[name]] = self.variables[name].likelihood(value) > 0
        return found

    def _matches(self, place: int, states: NDArray[np.bool_]) -> NDArray[np.bool_]:
        possible = np.flatnonzero(states)
        if len(possible) == 1:
            return np.asarray(self.codes[place] == possible[0])
        found: NDArray[np.bool_] = np.append(states, False)[np.minimum(self.codes[place], len(states))]
        return found


def rows_behind(model: CaseModel, X: Any, y: Any) -> RowsBehind:
    """Code a table so that the rows behind a probability can be counted, once for all questions.

    What credible intervals need is drawn here as well (`intervals_.prepare`): the first answer of `how_sure`
    then takes no longer than the next ones.

    Parameters
    ----------
    model : fitted model
        Says how columns become states.
    X, y
        The rows and their classes: the training table, or any other with the same columns.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> rows = rows_behind(pnb.NaiveBayes(n_bins=5, discretizer="quantile").fit(X, y), X, y)
    >>> print(rows.support({"petal width": 1.6}))
    18 of 23 such rows are virginica.
    """
    frame = as_frame(X)
    labels = as_labels(y)
    if len(labels) != len(frame):
        raise DataError(f"there are {len(frame):,} rows and {len(labels):,} labels; give one for every row.")
    columns = model.case_columns(frame)
    classes = model.classes_
    code = {label: place for place, label in enumerate(classes.tolist())}
    places = np.array([code.get(label, -1) for label in labels.tolist()])
    if (places < 0).any():
        odd = labels[places < 0][0]
        raise DataError(f"a row has the class '{odd}', which the model does not know; leave such rows out.")
    codes = Encoder(columns).encode(frame[[column.name for column in columns]])
    low, high = _ranges(frame, columns)
    model.intervals_.prepare()
    variables = {column.name: Variable(column.name, column.labels, column) for column in columns}
    return RowsBehind(
        str(model.structure_.target), tuple(map(str, classes.tolist())), variables, codes, places, low, high
    )


def _ranges(frame: pd.DataFrame, columns: Sequence[Column]) -> tuple[Floats, Floats]:
    from pgm_nb.data.frame import is_number, numbers

    low, high = np.full((2, len(columns)), np.nan)
    for place, column in enumerate(columns):
        cells = frame[column.name]
        if column.kind == "numeric" and is_number(cells) and cells.notna().any():
            values = numbers(cells)
            low[place], high[place] = np.nanmin(values), np.nanmax(values)
    return low, high


def _ends(value: Any) -> tuple[float, float] | None:
    """Return the smallest and the largest number that a value can be; None if it is none."""
    if isinstance(value, Between):
        inside = (math.nextafter(value.low, math.inf), math.nextafter(value.high, -math.inf))
        return inside if value.strict else (value.low, value.high)
    number = _number(value)
    return None if number is None else (number, number)


def _number(value: Any) -> float | None:
    if isinstance(value, bool | np.bool_):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


Mark = Callable[[str], str]
Fact = Callable[[str, Any], str]
IMPOSSIBLE = (
    "These values are far from those of every class, so the probabilities only show how common the classes "
    "are. Check the numbers."
)
MANY = 5  # known values up to which a combination that no row has is worth a remark


def remarks(
    analysis: CaseAnalysis, known: Known, rows: RowsBehind | None = None, *, mark: Mark = str
) -> tuple[str, ...]:
    """Say what is unusual about what is known of a case, one sentence each; nothing if all is usual.

    Parameters
    ----------
    analysis : CaseAnalysis
        The model.
    known : mapping
        The case; it must be usable.
    rows : RowsBehind, optional
        The training rows. Without them nothing is said about ranges and combinations.
    mark : callable
        Marks the names, for instance in bold.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> from pgm_nb.explain.cases import CaseAnalysis
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", n_bins=5, smoothing=1.0).fit(X, y)
    >>> case, rows = {"petal width": 9.0}, pnb.rows_behind(model, X, y)
    >>> remarks(CaseAnalysis.of(model, X), case, rows)
    ('petal width = 9 is out of range: the rows have 0.1 to 2.5.',)
    """
    said = [] if rows is None else row_remarks(rows, known, analysis.fact, mark=mark)
    if analysis.is_impossible(known):
        said.append(IMPOSSIBLE)
    return (*said, *conflict_remarks(analysis.conflict(known), mark=mark))


def row_remarks(rows: RowsBehind, known: Mapping[str, Any], fact: Fact, *, mark: Mark = str) -> list[str]:
    """Say which numbers are out of the range of the rows, and which known values no row has together.

    Parameters
    ----------
    rows : RowsBehind
        The rows.
    known : mapping
        What is known, as `query` takes it.
    fact : callable
        Writes what is known of an attribute, such as ``sex = male``.
    mark : callable
        Marks the names.
    """
    said = []
    for name, (low, high) in rows.out_of_range(known).items():
        value, ends = known[name], f"{number_label(low, 6)} to {number_label(high, 6)}"
        if isinstance(value, Evidence):
            said.append(f"{mark(name)} is {value}, which is out of range: the rows have {ends}.")
        else:
            number = number_label(float(str(value)), 6)
            said.append(f"{mark(name)} = {number} is out of range: the rows have {ends}.")
    unseen = [fact(name, known[name]) for name in _unseen(known, rows)]
    if unseen:
        said.append(f"No row has these values together: {mark(listed(unseen, limit=MANY))}.")
    return said


def conflict_remarks(found: tuple[float, str] | None, *, mark: Mark = str) -> tuple[str, ...]:
    """Say that the known values are in conflict, as `pgm_nb.engine.questions` found it; nothing for None.

    Examples
    --------
    >>> print(*conflict_remarks((26.4, "feathers")))  # doctest: +ELLIPSIS
    These values hardly go together: ... about 26 times rarer ... feathers fits least ...
    """
    if found is None:
        return ()
    times, odd = found
    often = f"about {times:,.0f} times" if times < 1e6 else "more than a million times"
    return (
        f"These values hardly go together: their combination is {often} rarer than it would be if they "
        f"were independent. {mark(odd)} fits least with the rest; is it right?",
    )


def _unseen(known: Mapping[str, Any], rows: RowsBehind) -> tuple[str, ...]:
    """Return the attributes whose values no row has together: a pair if there is one, else all of a few.

    With many known values hardly any case is like another, so only pairs are worth a remark then.
    """
    pair: tuple[str, ...] | None = rows.unseen_pair(known)
    if pair is None and 2 < len(known) <= MANY and rows.support(known).n == 0:
        pair = tuple(known)
    return pair or ()


def how_sure(
    model: Any,
    given: Mapping[str, Any] | None = None,
    rows: RowsBehind | None = None,
    *,
    label: Any = None,
    prior: Mapping[Any, float] | None = None,
) -> tuple[str, ...]:
    """Say how sure the probability of a class is, one sentence each.

    First the rows it rests on, then the credible interval or why there is none, then what is unusual about
    what is known: numbers out of range, combinations that no row has, values in conflict.

    Parameters
    ----------
    model : fitted model
        Any model of this package.
    given : mapping, optional
        What is known, as `query` takes it, or a row of a table. A word that the model has never seen counts
        as unknown, as in `predict_proba`, and is named.
    rows : RowsBehind, optional
        The training rows, from `rows_behind`. Without them nothing is said about counts, ranges and
        combinations.
    label : optional
        The class; by default the most probable one.
    prior : mapping of class to float, optional
        Base rates, as in `predict_proba`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("zoo")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    >>> for sentence in pnb.how_sure(model, {"feathers": "yes"}, pnb.rows_behind(model, X, y)):
    ...     print(sentence)
    20 of 20 such rows are bird.
    The probability of bird is between 87% and 100% (90% credible).
    """
    moved = model if prior is None else Population(model, prior)
    target = str(model.structure_.target)
    known, strange = _known(model, given or {}, rows)
    tree = moved.junction_tree().observe(known) if model.about.is_joint else None
    scores = _scores(moved, known) if tree is None else None
    said = [] if target in known else _probability(moved, known, tree, scores, rows, label)
    if prior is not None and said and rows is not None:
        said[0] = in_the_table(said[0])
    said += [
        f"{name} = {value_text(value)} was not seen in training, so it counts as unknown."
        for name, value in strange.items()
    ]
    if rows is not None:
        said += row_remarks(rows, {name: known[name] for name in known if name in rows.variables}, _fact)
    if tree is None:
        return (*said, IMPOSSIBLE) if known and scores is not None and np.isneginf(scores).all() else (*said,)
    return (*said, *conflict_remarks(conflict(tree)))


def _probability(
    model: Any,
    known: Mapping[str, Any],
    tree: JunctionTree | None,
    scores: Floats | None,
    rows: RowsBehind | None,
    label: Any,
) -> list[str]:
    """Say which rows the probability of a class rests on, and its interval."""
    classes = [str(found) for found in model.classes_.tolist()]
    if tree is not None:
        scores = model.class_posterior(tree)
    if label is None and scores is not None:
        label = classes[int(scores.argmax())]
    said = [] if rows is None else [rows.support(known).sentence(None if label is None else str(label))]
    why_not = model.intervals_.why_not_given(known)
    if why_not:
        return [*said, why_not]
    place = classes.index(str(label))
    low, high = model.intervals_.of_case(known, 0.9) if tree is None else model.intervals_.of_tree(tree, 0.9)
    said.append(f"The probability of {label} is {credible(float(low[place]), float(high[place]))}.")
    return [*said, model.intervals_.caution] if model.intervals_.caution else said


def in_the_table(sentence: str) -> str:
    """Say that rows were counted in a table in which the classes are otherwise common than in the answer.

    Examples
    --------
    >>> in_the_table("20 of 20 such rows are bird."), in_the_table("No row is like this.")
    ('In the table, 20 of 20 such rows are bird.', 'In the table, no row is like this.')
    """
    return f"In the table, {sentence[:1].lower()}{sentence[1:]}"


def usable(model: Any, given: Mapping[str, Any], rows: RowsBehind | None = None) -> dict[str, Any]:
    """Return what is known in a row of a table: without empty cells, and without words never seen.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative").fit(*pnb.load_sample("zoo"))
    >>> usable(model, {"milk": "yes", "hair": None, "fins": "many"})
    {'milk': 'yes'}
    """
    return _known(model, given, rows)[0]


def _known(
    model: Any, given: Mapping[str, Any], rows: RowsBehind | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is known, and apart from it the words that were never seen."""
    variables: dict[str, Variable] = {} if rows is None else dict(rows.variables)
    if model.about.is_joint:
        found = model.junction_tree().variables
        variables |= {name: found[name] for name in found.names}
    known: dict[str, Any] = {}
    strange: dict[str, Any] = {}
    for name, value in given.items():
        if name not in variables:
            if name not in (every := (str(model.structure_.target), *model.attribute_names_)):
                raise QueryError(
                    f"there is no variable {name!r} in this model (it has {listed(every)})"
                    f"{did_you_mean(name, every)}"
                )
            if is_empty(value) or (model.about.is_joint and name in model.attribute_names_):
                continue  # an attribute that the graph has left out
            known[name] = value
        elif not variables[name].is_unknown(value):
            (known if _has_state(variables[name], value) else strange)[name] = value
    return known, strange


def _has_state(variable: Variable, value: Any) -> bool:
    if isinstance(value, Evidence | Mapping):
        return True
    try:
        variable.state(value)
    except QueryError:
        return False
    return True


def _scores(model: Any, known: Mapping[str, Any]) -> Floats | None:
    """Return the scores of a case, (k,); None if some of its values are not plain ones."""
    if any(isinstance(value, Evidence | Mapping) for value in known.values()):
        return None
    scores: Floats = model.case_scores(known)[0]
    return scores


def _fact(name: str, value: Any) -> str:
    return f"{name} is {value}" if isinstance(value, Evidence | Mapping) else f"{name} = {value_text(value)}"
