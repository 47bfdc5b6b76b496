"""Answers from scores alone: the class given anything, and attributes where unknown cells are summed out.

A model over binned columns scores rows of which some cells are unknown. Where such a score is the sum over
the states of the unknown cells, scores are a joint distribution: P(x | e) is the score of x and e, for every
state x, over their sum. So a model needs no junction tree to be asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Codes, Floats
from pgm_nb.data import Column
from pgm_nb.engine.elimination import Factor, best_states
from pgm_nb.engine.questions import Prior, possible_states
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.errors import QueryError
from pgm_nb.models.about import About
from pgm_nb.models.drawn_rows import IMPOSSIBLE, drawn_rows
from pgm_nb.words import listed

if TYPE_CHECKING:
    from pgm_nb.data import Encoder
    from pgm_nb.explain.next_measurement import Measure, Prospects

__all__ = ["Answers"]

MOST_CELLS = 1 << 20  # of a table of answers


class Answers:
    """Queries of a model that scores coded rows; a model with a junction tree has its own."""

    about: ClassVar[About]
    classes_: NDArray[Any]
    structure_: Any
    encoder_: Encoder

    if TYPE_CHECKING:

        def base_rate_shift(self, prior: Mapping[Any, float]) -> Floats:
            """Return what other base rates add to the log scores."""

        def prospects(
            self,
            given: Mapping[str, Any] | None = None,
            X: Any = None,
            *,
            measures: Sequence[Measure] | None = None,
        ) -> Prospects:
            """Return what is not known."""

    @property
    def no_attribute_answers(self) -> str:
        """Why the model says nothing about attributes, in one sentence; empty if it does."""
        if self.about.predicts_attributes:
            return ""
        return f"{self.about.title} gives probabilities of the class only"

    def asked_variables(self) -> Variables:
        """Return the class and the attributes with their states, as evidence names them."""
        check_is_fitted(self)
        used = set(self.structure_.attributes)
        every: list[Column] = list(self.encoder_.columns)
        taken = tuple(Variable(c.name, c.labels, c) for c in every if c.name in used)
        spare = tuple(Variable(c.name, c.labels, c) for c in every if c.name not in used)
        target = Variable(str(self.structure_.target), tuple(map(str, self.classes_.tolist())))
        return Variables(target, taken, spare)

    def query(
        self,
        variables: str | Iterable[str],
        given: Mapping[str, Any] | None = None,
        *,
        joint: bool = True,
        prior: Prior = None,
        X: Any = None,
    ) -> pd.DataFrame:
        """Return the posterior of the class, and of attributes where the model is a joint distribution.

        Parameters
        ----------
        variables : str or list of str
            The class, or attributes and the class.
        given : mapping, optional
            Evidence: a state by its name, a value as in the table, {state: likelihood}, or what `one_of`,
            `not_`, `between`, `above` and `below` make.
        joint : bool
            One table of all combinations, or each variable on its own (columns variable, state,
            probability).
        prior : mapping of class to float, optional
            How common the classes are in the population asked about, as in `predict_proba`.
        X : table, optional
            Not needed by a model that sorts numbers into intervals.

        Raises
        ------
        QueryError
            If attributes are asked about and the model is no joint distribution, or if summing out what is
            unknown needs a table that is too large.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> model = pnb.KDependenceBayes(n_bins=3).fit(*pnb.load_sample("iris"))
        >>> model.query("petal length", given={"class": "virginica", "petal width": 2.0}).round(3)
          petal length  probability
        0        ≤ 2.5        0.002
        1  (2.5, 4.95]        0.129
        2       > 4.95        0.869
        """
        known = self.asked_variables()
        target = known.target.name
        heard = {n: v for n, v in (given or {}).items() if not known.heard(n).is_unknown(v)}
        names = known.check(variables, heard)
        attributes = [name for name in names if name != target]
        if (attributes or target in heard) and self.no_attribute_answers:
            which = f", not of {attributes[0]!r}" if attributes else ""
            raise QueryError(
                f"{self.no_attribute_answers}{which}; fit naive Bayes, TAN or GNB to ask about attributes"
            )
        by_class = self._by_class(heard.pop(target, None), known, prior)
        if not joint:
            parts = []
            for name in names:
                table = self._answer([name] if name != target else [], heard, known, by_class)
                alone = table if name == target else table.sum(axis=-1)
                parts.append(
                    pd.DataFrame({"variable": name, "state": known[name].labels, "probability": alone})
                )
            return pd.concat(parts, ignore_index=True)
        table, axes = self._answer(attributes, heard, known, by_class), [*attributes, target]
        if target not in names:
            table, axes = table.sum(axis=-1), attributes
        table = table.transpose([axes.index(name) for name in names])
        grid = np.indices(table.shape).reshape(len(names), -1)
        columns = {
            name: np.array(known[name].labels, dtype=object)[states]
            for name, states in zip(names, grid, strict=True)
        }
        last = "probability"
        while last in names:
            last += "_"
        return pd.DataFrame({**columns, last: table.ravel()})

    def _by_class(self, said: Any, known: Variables, prior: Prior) -> Floats:
        """Return what each class is multiplied with, by evidence on it (or None) and another population."""
        found = np.ones(len(self.classes_)) if said is None else known.target.likelihood(said)
        return found if prior is None else found * np.exp(self.base_rate_shift(prior))

    def sample(
        self,
        n: int,
        given: Mapping[str, Any] | None = None,
        random_state: int | np.random.Generator | None = None,
        *,
        prior: Prior = None,
    ) -> pd.DataFrame:
        """Draw rows from the model, given evidence; states by name; `prior` as in `query`.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> model = pnb.KDependenceBayes(n_bins=3).fit(*pnb.load_sample("iris"))
        >>> model.sample(2, given={"class": "setosa"}, random_state=0)[["class", "petal length"]]
            class petal length
        0  setosa        ≤ 2.5
        1  setosa        ≤ 2.5
        """
        if n < 0:
            raise QueryError(f"the number of rows to draw must be at least 0, but is {n}")
        if self.no_attribute_answers:
            raise QueryError(
                f"{self.no_attribute_answers}, so no rows can be drawn from it; draw from naive Bayes, TAN, "
                "GNB, KDB, AODE or class trees"
            )
        known = self.asked_variables()
        heard = {m: v for m, v in (given or {}).items() if not known.heard(m).is_unknown(v)}
        by_class = self._by_class(heard.pop(known.target.name, None), known, prior)
        said = {name: known[name].likelihood(v) for name, v in heard.items() if not known.is_spare(name)}
        case, names = self.prospects({}), list(self.structure_.attributes)
        place = [[column.name for column in case.columns].index(name) for name in names]
        possible = possible_states(said)
        cases = np.repeat(case.nothing[place][:, None], len(possible.logs), axis=1)
        cases[[names.index(name) for name in said]] = possible.states

        def look(codes: Codes) -> tuple[Floats, Floats]:
            full = np.repeat(case.nothing[:, None], codes.shape[1], axis=1)
            full[place] = codes
            return case.look(full)

        rng, cards = np.random.default_rng(random_state), case.cards[place].tolist()
        y, codes = drawn_rows(look, cases, possible.logs, by_class, cards, n, rng)
        states = {name: codes[names.index(name)] for name in self.encoder_.names if name in names}
        columns = {known.target.name: y, **states}
        return pd.DataFrame({m: np.array(known[m].labels, dtype=object)[c] for m, c in columns.items()})

    def map_query(
        self,
        variables: str | Iterable[str] | None = None,
        given: Mapping[str, Any] | None = None,
        *,
        prior: Prior = None,
    ) -> dict[str, str]:
        """Return the likeliest joint states of these variables, all others summed out; see `query`.

        By default those of all variables whose state is not certain: of which nothing is known, or a range or
        likelihoods. Where the states depend on each other so much that too many combinations would have to be
        looked at, that is refused.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> model = pnb.KDependenceBayes(n_bins=3).fit(*pnb.load_sample("iris"))
        >>> model.map_query(["class", "petal length"], given={"petal width": 2.0})
        {'class': 'virginica', 'petal length': '> 4.95'}
        """
        known = self.asked_variables()
        if variables is None:
            if self.no_attribute_answers:
                raise QueryError(
                    f"{self.no_attribute_answers}, so it cannot complete a case; naive Bayes, TAN, GNB, KDB "
                    "and class trees can"
                )
            return self._completed(given or {}, known, prior)
        table = self.query(variables, given, prior=prior)
        best = table.iloc[int(table.iloc[:, -1].to_numpy().argmax())]
        return {str(name): str(best[name]) for name in table.columns[:-1]}

    def _completed(self, given: Mapping[str, Any], known: Variables, prior: Prior) -> dict[str, str]:
        """Return the likeliest joint states of all that is not certain."""
        heard = {n: v for n, v in given.items() if not known.heard(n).is_unknown(v) and not known.is_spare(n)}
        said = {name: known[name].likelihood(value) for name, value in heard.items()}
        certain = {name: given[name] for name, found in said.items() if np.count_nonzero(found) == 1}
        names = [name for name in known.names if name not in certain]
        if not names:
            raise QueryError("every variable is given, so none is left to ask about")
        by_class = np.zeros(len(self.classes_))
        with np.errstate(divide="ignore"):
            logs = {name: np.log(found) for name, found in said.items()}
        if known.target.name in logs:
            by_class = by_class + logs.pop(known.target.name)
        if prior is not None:
            by_class = by_class + self.base_rate_shift(prior)
        factors = self._log_tables()
        if not factors:
            return self._looked_up(names, certain, said, known, prior)
        place = {name: i for i, name in enumerate(self.encoder_.names)}
        cards = {place[name]: len(known[name].labels) for name in names if name != known.target.name}
        fixed = {place[name]: int(logs[name].argmax()) for name in certain if name in logs}
        soft = [((place[name],), found) for name, found in logs.items() if name not in certain]
        found = [
            best_states([*(_reduced(one, fixed) for one in of_class), *soft], cards, self.encoder_.names)
            for of_class in factors
        ]
        values = np.array([value for value, _ in found]) + by_class
        if np.isneginf(values).all():
            raise QueryError(IMPOSSIBLE)
        best = int(values.argmax())
        states = found[best][1]
        return {
            name: known.target.labels[best]
            if name == known.target.name
            else known[name].labels[states[place[name]]]
            for name in names
        }

    def _log_tables(self) -> Sequence[Sequence[Factor]]:
        """Return log P(y, x) of every class as a sum of tables over columns; empty if it is no such sum."""
        return ()

    def _looked_up(
        self,
        names: Sequence[str],
        certain: Mapping[str, Any],
        said: Mapping[str, Floats],
        known: Variables,
        prior: Prior,
    ) -> dict[str, str]:
        """Return the likeliest joint states of these variables by looking at every combination."""
        if (cells := prod(len(known[name].labels) for name in names)) > MOST_CELLS:
            many = f"{cells:,}" if cells < 1e9 else "more than a billion"
            raise QueryError(
                f"{self.about.title} averages over models whose likeliest cases differ, so each of {many} "
                "combinations would have to be looked at, which is too many; set values of more attributes"
            )
        table = self.query(names, certain, prior=prior)
        weights = table.iloc[:, -1].to_numpy(copy=True)
        grid = np.indices([len(known[name].labels) for name in names]).reshape(len(names), -1)
        for name, states in zip(names, grid, strict=True):
            weights *= said[name][states] if name in said else 1.0
        if not weights.any():
            raise QueryError(IMPOSSIBLE)
        best = int(weights.argmax())
        return {name: known[name].labels[states[best]] for name, states in zip(names, grid, strict=True)}

    def _answer(
        self, attributes: Sequence[str], given: Mapping[str, Any], known: Variables, by_class: Floats
    ) -> Floats:
        """P(attributes, class | given), one axis per attribute and last the class."""
        shape = [len(known[name].labels) for name in attributes]
        if prod(shape) * len(by_class) > MOST_CELLS:
            raise QueryError(
                f"the joint table of {listed(list(attributes))} has {prod(shape):,} cells, too many to "
                "compute; ask for fewer variables at once, or for each on its own"
            )
        case = self.prospects(given)
        codes = np.repeat(case.nothing[:, None], prod(shape), axis=1)
        place = {column.name: i for i, column in enumerate(case.columns)}
        states = np.indices(shape).reshape(len(shape), prod(shape))
        for name, found in zip(attributes, states, strict=True):
            codes[place[name]] = found
        logs, posteriors = case.look(codes)
        if np.isneginf(logs).all():
            raise QueryError(IMPOSSIBLE)
        table = np.exp(logs - logs.max())[:, None] * posteriors * by_class
        found = table / table.sum()
        return np.asarray(found.reshape(*shape, len(by_class)))


def _reduced(factor: Factor, fixed: Mapping[int, int]) -> Factor:
    """Return a factor without the variables whose state is known."""
    scope, logs = factor
    kept = tuple(v for v in scope if v not in fixed)
    return kept, logs[tuple(fixed.get(v, slice(None)) for v in scope)]
