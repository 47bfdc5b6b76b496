"""Models over binned columns in pgmpy: the whole of a model, or what is left of it once a row is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Codes, Floats
from pgm_nb.engine.variables import Potential, Variables
from pgm_nb.errors import QueryError
from pgm_nb.explain.case_values import first_cells, left_out, one_row
from pgm_nb.models.about import About

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.data import Encoder
    from pgm_nb.explain.explanation import Terms
    from pgm_nb.explain.next_measurement import Measure, Prospects

__all__ = ["InPgmpy"]


class InPgmpy:
    """A model over binned columns, as objects of pgmpy."""

    about: ClassVar[About]
    _forms: ClassVar[tuple[str, ...]] = ()  #: kinds of network that a person can choose from
    classes_: NDArray[Any]
    encoder_: Encoder

    if TYPE_CHECKING:

        @property
        def attribute_names_(self) -> tuple[str, ...]:
            """Names of the attributes."""

        def asked_variables(self) -> Variables:
            """Return the class and the attributes with their states."""

        def prospects(
            self,
            given: Mapping[str, Any] | None = None,
            X: Any = None,
            *,
            measures: Sequence[Measure] | None = None,
        ) -> Prospects:
            """Return the case of which `given` is known."""

        def score_codes(self, codes: Codes) -> Floats:
            """Log scores of coded rows."""

        def coded_terms(self, codes: Codes) -> Terms:
            """Split the scores of coded rows."""

        def _by_recipe(self, X: Any, *, reset: bool) -> Any:
            """Return the rows as the recipe makes them."""

    def to_pgmpy(self, form: Any = None, *, row: Any = None) -> Any:
        """Compile the model to pgmpy: the whole of it, or what is left of it once a row is known.

        Parameters
        ----------
        form : str, optional
            Which kind of network the whole model becomes, where there is a choice: "bayesian network" or
            "junction tree" for naive Bayes, TAN, GNB and KDB. The first three also give a "markov network",
            whose posterior of the class, given every attribute, is the model's also with parameters trained
            for the class; a model with such parameters becomes one by default, because the other two forms
            have the tables as counted.
        row : mapping, Series or table of one row, optional
            What is known of a case; it may also be given first, in the place of `form`. NaN or None means
            unknown, or the state "missing", as in `predict_proba`; an attribute that is not named is
            unknown. A range, likelihoods and the like are taken as in `query`.

        Returns
        -------
        pgmpy network, or list of DiscreteFactor
            Without a row the network. With one, factors whose product, with everything but the class summed
            out, is the posterior of `predict_proba` once it is divided by its sum. A joint distribution gives
            its own factors, read at what is known: they are of the class and of the attributes that are not
            known. Any other model, and one with parameters trained for the class, leaves unknown attributes
            out in ways of its own, so it gives factors of the class alone: the prior, then what each
            attribute adds. Every factor is scaled: its largest entry is one.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> from pgmpy.factors import factor_product
        >>> X, y = pnb.load_sample("iris")
        >>> model = pnb.TreeAugmentedNaiveBayes(parameters="generative").fit(X, y)
        >>> factors = model.to_pgmpy({"petal width": 1.6, "petal length": 5.0, "sepal width": 3.0})
        >>> sorted({name for factor in factors for name in factor.variables})
        ['class', 'sepal length']
        >>> posterior = factor_product(*factors).marginalize(["sepal length"], inplace=False)
        >>> posterior.normalize(inplace=False).values.round(3)
        array([0.  , 0.25, 0.75])
        """
        check_is_fitted(self)
        if form is not None and not isinstance(form, str):
            if row is not None:
                raise QueryError("two rows are given to to_pgmpy; give one")
            form, row = None, form
        if row is None:
            self._check_form(form)
            return self._network(form)
        if form is not None:
            raise QueryError(
                f"a row becomes a list of factors, the whole model a network: give the row, or {form!r}"
            )
        return self._factors_of(row)

    def _check_form(self, form: str | None) -> None:
        if form is None or form in self._forms:
            return
        if not self._forms:
            raise QueryError(f"{self.about.title} has one form in pgmpy: leave out {form!r}")
        known = [repr(known) for known in self._forms]
        raise QueryError(f"form must be {', '.join(known[:-1])} or {known[-1]}, but is {form!r}")

    def _network(self, form: str | None) -> Any:
        """Compile the whole model, to one of its forms or to what suits it best."""
        raise QueryError(f"{self.about.title} becomes factors of pgmpy for one row: pass it, to_pgmpy(row)")

    def _joint_factors(self, codes: Codes) -> Iterable[Potential] | None:
        """Return factors whose product is the joint distribution by which a coded row (d, 1) is scored.

        None where there is none: unknown attributes are not summed out of any product.
        """
        return None

    def _factors_of(self, row: Any) -> list[Any]:
        """Return the factors that are left of the model once a row is known."""
        from pgm_nb.engine.pgmpy import known_factors, row_factors

        variables, given = self.asked_variables(), self._row_given(row)
        target = variables.target
        likelihoods = {name: variables.heard(name).likelihood(value) for name, value in given.items()}
        used = {name: found for name, found in likelihoods.items() if not variables.is_spare(name)}
        soft = any(np.count_nonzero(found) != 1 for found in used.values())
        codes = self._codes_of(used)
        case = self.prospects(given) if soft else None  # refuses what cannot occur
        factors = self._joint_factors(codes)
        if factors is not None:
            return known_factors(variables, factors, used)
        if case is not None:
            with np.errstate(divide="ignore"):
                logs = {target.name: np.log(case.posterior)}
        else:
            logs = self._class_logs(codes, target.name)
        return row_factors(target.name, target.labels, logs)

    def _row_given(self, row: Any) -> dict[str, Any]:
        """Return what a row says by name, without what is unknown; refuse a name that is no attribute."""
        row = self._by_recipe(row, reset=False)
        names, variables = self.attribute_names_, self.asked_variables()
        frame: pd.DataFrame = one_row(row, names)
        absent = set(left_out(row, names))
        return {
            name: cell
            for place, (name, cell) in enumerate(zip(names, first_cells(frame), strict=True))
            if place not in absent and not variables.heard(name).is_unknown(cell)
        }

    def _codes_of(self, likelihoods: Mapping[str, Floats]) -> Codes:
        """Return what is certain as a coded row, (d, 1); all else is unknown."""
        codes = np.array(self.encoder_.cards, dtype=np.uint16)[:, None]
        for name, found in likelihoods.items():
            if np.count_nonzero(found) == 1:
                codes[self.encoder_.names.index(name)] = found.argmax()
        return codes

    def _class_logs(self, codes: Codes, target: str) -> dict[str, Floats]:
        """Take the score of a coded row apart; the prior alone where no class can have produced the row."""
        terms = self.coded_terms(codes)
        if np.isneginf(self.score_codes(codes)).all():
            return {target: terms.prior}
        return {target: terms.prior} | dict(zip(terms.names, terms.row(0), strict=True))
