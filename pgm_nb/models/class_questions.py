"""What every model answers about the class, given any evidence; only a joint distribution answers more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Floats
from pgm_nb.data.frame import check_values, is_empty
from pgm_nb.engine.evidence import Evidence
from pgm_nb.engine.questions import Prior
from pgm_nb.engine.sums import posteriors
from pgm_nb.engine.variables import Variable, Variables, asked_names
from pgm_nb.errors import QueryError
from pgm_nb.models.about import About
from pgm_nb.words import did_you_mean, listed

if TYPE_CHECKING:
    from pgm_nb.data import Column
    from pgm_nb.explain.next_measurement import Prospects

__all__ = ["ClassQuestions"]

Names = str | Iterable[str]
Given = Mapping[str, Any] | None


class ClassQuestions:
    """Questions about the class; a joint distribution overrides them and answers any."""

    about: ClassVar[About]
    classes_: NDArray[Any]
    structure_: Any
    class_log_prior_: Any

    if TYPE_CHECKING:

        @property
        def attribute_names_(self) -> tuple[str, ...]:
            """Names of the attributes."""

        def prospects(self, given: Given = None, X: Any = None) -> Prospects:
            """Return the case of which `given` is known."""

        def in_population(self, posterior: Floats, prior: Prior) -> Floats:
            """Return the posterior in another population."""

        def _coded_columns(self) -> tuple[Column, ...]:
            """Return the columns that are coded by their states."""

        def _score_values(self, cells: Mapping[str, Any], n_rows: int) -> Floats:
            """Return joint log scores."""

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
