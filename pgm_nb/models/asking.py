"""What every model answers about the class, given any evidence, and what it says to measure next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Codes, Floats
from pgm_nb.data import Column, as_frame
from pgm_nb.data.frame import check_values, is_empty, is_float, numbers
from pgm_nb.engine.evidence import Evidence
from pgm_nb.engine.questions import Prior, possible_states
from pgm_nb.engine.sums import posteriors
from pgm_nb.engine.variables import Variable, Variables, asked_names
from pgm_nb.errors import QueryError
from pgm_nb.explain.base_rates import Population
from pgm_nb.explain.case_values import typical_value
from pgm_nb.explain.next_measurement import Groups, Measure, Prices, Prospects, Rule, read_rule
from pgm_nb.explain.protocols import Value
from pgm_nb.models.about import About
from pgm_nb.scoring.decisions import read_costs
from pgm_nb.words import did_you_mean, listed

__all__ = ["Asking"]

Names = str | Iterable[str]
Given = Mapping[str, Any] | None


class Asking:
    """Prospects of a case: the states of attributes that are not known, and the class each would mean.

    How likely a state is, given what is known, is the model's score of both, summed over the classes. A
    model that does not sort numbers into intervals looks at a typical number of each interval, and at how
    many rows of a table are in it. A model that knows better overrides `measures` and `_weigh`.
    """

    about: ClassVar[About]
    classes_: NDArray[Any]
    structure_: Any
    class_log_prior_: Any

    if TYPE_CHECKING:

        @property
        def attribute_names_(self) -> tuple[str, ...]:
            """Names of the attributes."""

        @property
        def codes_numbers(self) -> bool:
            """Whether the model sees intervals."""

        def predict_joint_log_proba(self, X: Any) -> Floats:
            """Return joint log scores."""

        def case_columns(self, X: Any) -> tuple[Column, ...]:
            """Return the attributes with their states."""

        def in_population(self, posterior: Floats, prior: Prior) -> Floats:
            """Return the posterior in another population."""

        def _coded_columns(self) -> tuple[Column, ...]:
            """Return the columns that are coded by their states."""

    def next_best(
        self,
        given: Given = None,
        *,
        cost: Prices = None,
        groups: Groups = None,
        costs: Any = None,
        label: Any = None,
        least: float | None = None,
        ahead: int = 1,
        X: Any = None,
        prior: Prior = None,
    ) -> pd.DataFrame:
        """Rank what is not known yet by what measuring it is expected to say about the class.

        Parameters
        ----------
        given : mapping, optional
            What is known: a value as in the table, a state by its name, or {state: likelihood}; NaN or None
            means unknown.
        cost : mapping of name to float, or float, optional
            The price of measuring each attribute or group; what is not named costs 1.
        groups : mapping of name to list of attributes, or list of lists, optional
            Attributes that are measured together for one price: that of the group, or of any of its members.
        costs, label : optional
            What wrong decisions cost and the class that counts, as in `decide`, in the unit of the prices.
            Then measurements are ranked by the expected cost they save, not by bits.
        least : float, optional
            What a measurement must be good for, per price, to be worth it. By default anything in bits, and
            with `costs` more than its price.
        ahead : {1, 2}
            2: look at pairs of measurements, too, which may say more together than each alone.
        X : table, optional
            The training table, or one like it; needed by models that do not sort numbers into intervals.
        prior : mapping of class to float, optional
            How common the classes are where the case comes from, as in `predict_proba`.

        Returns
        -------
        DataFrame
            The best first: ``attribute`` and ``information`` (in bits; ``saved`` with `costs`): the entropy
            of the class in the mean of the answers that measuring may lead to, less the mean of their
            entropies. In a joint distribution that mean is what the model says now. With `cost` also
            ``price``, ``per price`` and ``worth``: if that is false everywhere, nothing left is worth
            its price. With ``ahead=2``, ``with`` names a second measurement where both are good for more per
            price than either alone, and ``together`` says how much.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, n_bins=5)
        >>> _ = model.fit(*pnb.load_sample("heart"))
        >>> model.next_best({"age": 60}, cost={"thallium scan": 20}).head(3).round(3)
                       attribute  information  price  per price  worth
        0        chest pain type        0.163    1.0      0.163   True
        1  major vessels colored        0.147    1.0      0.147   True
        2     maximum heart rate        0.122    1.0      0.122   True
        """
        rule = self.measuring_rule(
            cost=cost, groups=groups, costs=costs, label=label, least=least, ahead=ahead
        )
        model = self if prior is None else Population(self, prior)
        return rule.rank(model.prospects(given, X))

    def measuring_rule(
        self,
        *,
        cost: Prices = None,
        groups: Groups = None,
        costs: Any = None,
        label: Any = None,
        least: float | None = None,
        ahead: int = 1,
    ) -> Rule:
        """Return how `next_best` chooses, from its parameters."""
        matrix = None if costs is None else self._cost_matrix(costs, label)
        return read_rule(
            self._asked_names(), cost=cost, groups=groups, costs=matrix, least=least, ahead=ahead
        )

    def _cost_matrix(self, costs: Any, label: Any) -> Floats:
        return read_costs(costs, self.classes_.tolist(), label).matrix

    def _asked_names(self) -> tuple[str, ...]:
        """Return the attributes that the model looks at."""
        return self.attribute_names_

    def measures(self, X: Any = None) -> tuple[Measure, ...]:
        """Return the attributes as things to measure; `X` as in `next_best`."""
        if X is None:
            raise QueryError(
                f"{self.about.title} does not sort numbers into intervals, so it needs a table to say which "
                "values to expect: pass X=, the training table or one like it (on the command line --table)"
            )
        frame = as_frame(X)
        columns = {column.name: column for column in self.case_columns(frame)}
        found = []
        for name in self.attribute_names_:
            column, cells = columns[name], frame[name]
            if not column.card:
                continue  # no row has a value of it, so there is none to expect
            codes = column.encode(cells)
            shares = np.bincount(codes[codes < column.card], minlength=column.card) + 1 / column.card
            values = _typical(column, cells)
            alone = self._score_values({name: values}, len(values))
            log_widths = np.log(shares / shares.sum()) - np.logaddexp.reduce(alone, axis=1)
            found.append(Measure(column, values, np.where(np.isfinite(log_widths), log_widths, 0.0)))
        return tuple(found)

    def prospects(
        self, given: Given = None, X: Any = None, *, measures: Sequence[Measure] | None = None
    ) -> Prospects:
        """Return the case of which `given` is known, ready for questions about the rest.

        Parameters
        ----------
        given, X
            As in `next_best`.
        measures : sequence of Measure, optional
            What `measures` gave, so that `X` need not be looked at again.
        """
        found = tuple(self.measures(X) if measures is None else measures)
        case = _Case(self, found, self._known(given, found))
        return Prospects(tuple(found[i].column for i in case.unknown), case.look)

    def _known(self, given: Given, measures: Sequence[Measure]) -> dict[int, Any]:
        """Return what is known by the place of the attribute, without what says that it is unknown."""
        target = self.structure_.target
        place = {measure.column.name: i for i, measure in enumerate(measures)}
        known = {}
        for name, value in (given or {}).items():
            if name == target:
                if is_empty(value):
                    continue
                raise QueryError(
                    f"the class {target!r} is given, so no attribute adds information about it; remove it"
                )
            if name not in place and name in self.attribute_names_:
                continue  # the model leaves it out
            if name not in place:
                names = [*place]
                raise QueryError(
                    f"there is no attribute {name!r} in this model (it has {listed(names)})"
                    f"{did_you_mean(str(name), names)}"
                )
            column = measures[place[name]].column
            if not Variable(column.name, column.labels, column).is_unknown(value):
                known[place[name]] = value
        return known

    def _weigh(
        self, measures: Sequence[Measure], codes: Codes, exact: Mapping[int, Value]
    ) -> tuple[Floats, Floats]:
        """Return log of how likely rows are, (n,), up to one constant, and their posteriors, (n, k).

        `exact` holds values that are known more exactly than their states, by the place of the attribute.
        """
        cells: dict[str, Any] = {}
        logs = np.zeros(codes.shape[1])
        for place, (measure, code) in enumerate(zip(measures, codes, strict=True)):
            if place in exact:
                cells[measure.column.name] = [exact[place]] * len(code)
            elif (code < measure.column.card).any():
                values = np.array([*measure.typical, np.nan], dtype=object)
                cells[measure.column.name] = values[np.minimum(code, measure.column.card)]
                if measure.log_widths is not None:
                    logs += np.append(measure.log_widths, 0.0)[np.minimum(code, measure.column.card)]
        scores = self._score_values(cells, codes.shape[1])
        posterior = posteriors(scores, self.class_log_prior_)
        return logs + np.logaddexp.reduce(scores, axis=1), posterior

    def _score_values(self, cells: Mapping[str, Any], n_rows: int) -> Floats:
        """Joint log scores of rows of which some columns are known, (n, k)."""
        nothing = np.full(n_rows, np.nan)
        columns = {name: pd.Series(cells.get(name, nothing)) for name in self.attribute_names_}
        frame = pd.DataFrame({name: column.infer_objects() for name, column in columns.items()})
        return self.predict_joint_log_proba(frame if hasattr(self, "feature_names_in_") else frame.to_numpy())

    def asked_variables(self) -> Variables:
        """Return the class and the attributes that have states, as evidence names them."""
        check_is_fitted(self)
        columns = [column for column in self._coded_columns() if column.cuts is None]
        target = Variable(str(self.structure_.target), tuple(map(str, self.classes_.tolist())))
        return Variables(target, tuple(Variable(c.name, c.labels, c) for c in columns))

    def query(
        self,
        variables: Names,
        given: Given = None,
        *,
        joint: bool = True,
        prior: Prior = None,
        X: Any = None,
    ) -> pd.DataFrame:
        """Posterior of the class given any evidence; a joint distribution also answers about attributes.

        Parameters
        ----------
        variables : str or list of str
            The class.
        given : mapping, optional
            What is known: a value as in the table, a state by its name, {state: likelihood}, or what
            `one_of`, `not_`, `between`, `above` and `below` make; NaN or None means unknown.
        joint : bool
            False: a table with the columns variable, state and probability.
        prior : mapping of class to float, optional
            How common the classes are in the population asked about, as in `predict_proba`.
        X : table, optional
            The training table, or one like it. A model that does not sort numbers into intervals needs it for
            evidence other than plain values, to know which values to expect.

        Raises
        ------
        QueryError
            Another variable is asked for, or the evidence is none.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("iris")
        >>> model = pnb.GaussianNaiveBayes().fit(X, y)
        >>> found = model.query("class", given={"petal length": pnb.below(2)}, X=X)
        >>> found["class"].tolist(), round(float(found["probability"][0]), 2)
        (['setosa', 'versicolor', 'virginica'], 0.98)
        """
        check_is_fitted(self)
        target = str(self.structure_.target)
        self._check_asked(asked_names(variables))
        found = self.in_population(self._class_given(given or {}, X), prior)
        labels = self.classes_.tolist()
        if joint:
            name = "probability_" if target == "probability" else "probability"
            return pd.DataFrame({target: labels, name: found})
        return pd.DataFrame({"variable": target, "state": labels, "probability": found})

    def map_query(
        self, variables: Names | None = None, given: Given = None, *, prior: Prior = None
    ) -> dict[str, str]:
        """Return the most probable class; a joint distribution completes the whole case."""
        check_is_fitted(self)
        if variables is None:
            raise QueryError(
                f"{self.about.title} gives probabilities of the class only, so it cannot complete a case; "
                "naive Bayes, TAN, GNB, KDB and class trees can"
            )
        found = self.query(variables, given, prior=prior)
        return {str(found.columns[0]): str(found.iloc[int(found.iloc[:, 1].to_numpy().argmax()), 0])}

    def _check_asked(self, names: tuple[str, ...]) -> None:
        target = str(self.structure_.target)
        for name in names:
            if name == target:
                continue
            if name not in self.attribute_names_:
                known = [target, *self.attribute_names_]
                raise QueryError(
                    f"there is no variable {name!r} in this model (it has {listed(known)})"
                    f"{did_you_mean(str(name), known)}"
                )
            raise QueryError(
                f"{self.about.title} gives probabilities of the class only, not of {name!r}; fit naive "
                "Bayes, TAN or GNB to ask about attributes"
            )
        if not names:
            raise QueryError(f"nothing is asked for; ask for {target!r}")

    def _class_given(self, given: Mapping[str, Any], X: Any) -> Floats:
        """Return the posterior of the class, (k,)."""
        target = str(self.structure_.target)
        if not is_empty(given.get(target)):
            raise QueryError(f"the class {target!r} is given, so there is nothing to ask; remove it")
        other = [isinstance(value, Evidence | Mapping) for value in given.values()]
        if X is not None or any(other):
            return self.prospects(given, X).posterior
        words = {column.name: column for column in self._coded_columns() if column.cuts is None}
        cells = {name: [value] for name, value in given.items() if self._is_known(name, value, words)}
        posterior: Floats = posteriors(self._score_values(cells, 1), self.class_log_prior_)[0]
        return posterior

    def _is_known(self, name: str, value: Any, words: Mapping[str, Column]) -> bool:
        """Say whether a plain value says something; refuse what is no value of the attribute."""
        if name not in self.attribute_names_:
            names = [*self.attribute_names_]
            raise QueryError(
                f"there is no attribute {name!r} in this model (it has {listed(names)})"
                f"{did_you_mean(str(name), names)}"
            )
        if name in words:
            variable = Variable(name, words[name].labels, words[name])
            unknown = variable.is_unknown(value)
            if not unknown:
                variable.state(value)  # refuses a word that is none
            return not unknown
        if is_empty(value):
            return False
        check_values({name: value})
        try:
            float(value)
        except (TypeError, ValueError):
            raise QueryError(f"{name!r} is a number, but {value!r} is given") from None
        return True


class _Case:
    """What is known of a case, as codes, exact values and likelihoods."""

    def __init__(self, model: Asking, measures: Sequence[Measure], known: Mapping[int, Any]) -> None:
        self.model, self.measures = model, measures
        self.unknown = [i for i in range(len(measures)) if i not in known]
        self.base = np.array([measure.column.card for measure in measures], dtype=np.uint16)
        self.exact: dict[int, Value] = {}
        soft: dict[int, Floats] = {}
        for place, value in known.items():
            column = measures[place].column
            if (
                measures[place].typical
                and column.cuts is not None
                and isinstance(value, Real)
                and is_float(value)
            ):
                self.exact[place] = float(value)
                continue
            likelihood = Variable(column.name, column.labels, column).likelihood(value)
            if np.count_nonzero(likelihood) == 1:
                self.base[place] = int(likelihood.argmax())
            else:
                soft[place] = likelihood
        self.soft = list(soft)
        self.possible = possible_states({measures[place].column.name: soft[place] for place in soft})

    def look(self, codes: Codes) -> tuple[Floats, Floats]:
        """See `Prospects.look`; what is known by its likelihood is summed over its states."""
        full = np.repeat(self.base[:, None], codes.shape[1], axis=1)
        full[self.unknown] = codes
        if not self.soft:
            return self.model._weigh(self.measures, full, self.exact)
        m, n = len(self.possible.logs), codes.shape[1]
        full = np.repeat(full, m, axis=1)
        for place, states in zip(self.soft, self.possible.states, strict=True):
            full[place] = np.tile(states, n)
        logs, posteriors = self.model._weigh(self.measures, full, self.exact)
        return self.possible.mix(logs.reshape(n, m), posteriors.reshape(n, m, -1))


def _typical(column: Column, cells: pd.Series) -> tuple[Value, ...]:
    """Return the value that stands for each state: for an interval, a typical number of the table."""
    if column.cuts is None:
        return column.states
    values, edges = numbers(cells), (-np.inf, *column.cuts, np.inf)
    return tuple(typical_value(values, low, high) for low, high in pairwise(edges))
