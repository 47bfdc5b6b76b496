"""Parameters trained to predict the class, on the graph of a generative model: what they change."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pandas as pd

from pgm_nb.arrays import Codes, Floats
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.questions import Possible, Prior, drawn_rows, possible_states
from pgm_nb.engine.sums import log_joint, posteriors
from pgm_nb.engine.variables import asked_names
from pgm_nb.errors import QueryError
from pgm_nb.models.questions import Questions
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.families import Families
from pgm_nb.training.class_parameters import (
    ClassParameters,
    class_potentials,
    class_terms,
    markov_potentials,
)

if TYPE_CHECKING:
    from pgm_nb.data import Encoder
    from pgm_nb.engine.variables import Potential
    from pgm_nb.models.table_state import TableState

__all__ = ["CLASS", "GENERATIVE", "ClassTrained"]

GENERATIVE = "generative"  # tables that describe the attributes in each class
CLASS = "class"  # parameters trained to predict the class
TRAINED = (
    "The probabilities of the class are trained to predict it; the structure, samples and answers about "
    "attributes come from the tables as counted on the same graph."
)
NOTHING_BETTER = (
    "Training found nothing that predicts the class better than the tables as counted, so the probabilities "
    "of the class come from them, like all other answers."
)
NOT_CONVERGED = (
    "Training the probabilities of the class did not converge, so they come from the tables as counted, like "
    "all other answers."
)
AS_COUNTED = (
    "This file has the tables as counted. The model trains the probabilities of the class on top of them: "
    "for {n:,} cases drawn from the tables, they differ from those of this file by up to {most:.2f}, and by "
    "{mean:.2f} on average. A UAI file has those of the model, for cases of which everything is known."
)
FOR_WHOLE_CASES = (
    "This file is a Markov network. Given all attributes, its probabilities of the class are those of the "
    "model; given fewer they are not, and what it says about attributes means nothing."
)
COMPARED = 1000  # cases


class ClassTrained(Questions):
    """A joint distribution whose posterior of the class may come from parameters trained for it.

    Then the class has one posterior wherever it is asked for: in predictions, explanations, queries, what to
    measure next. Everything about the attributes comes from the generative tables.
    """

    _forms: ClassVar[tuple[str, ...]] = ("bayesian network", "junction tree", "markov network")
    learned_: TableState[Families]
    encoder_: Encoder
    class_parameters_: ClassParameters | None
    _class_factors: Factors  # the generative tables in the order of the parameters for the class

    def query(
        self,
        variables: str | Iterable[str],
        given: Mapping[str, Any] | None = None,
        *,
        joint: bool = True,
        engine: str = "messages",
        prior: Prior = None,
        X: Any = None,
    ) -> pd.DataFrame:
        """Exact posterior of any variables given any evidence; see `Questions.query`."""
        names = variables = asked_names(variables)
        if self.class_parameters_ is not None and engine == "pgmpy" and self.learned_.target in names:
            raise QueryError(
                "engine='pgmpy' has the generative tables, not the parameters trained for the class; use the "
                "default engine, or pgmpy itself on to_pgmpy('markov network') with every attribute given"
            )
        return super().query(variables, given, joint=joint, engine=engine, prior=prior)

    @abstractmethod
    def score_codes(self, codes: Codes) -> Floats:
        """Log scores of coded rows for every class, (n, k)."""

    @property
    def about_probabilities_(self) -> str:
        """Where the probabilities of the class come from: one sentence, or nothing if from the tables."""
        found = self.class_parameters_
        if found is None:
            return self._left_out
        if not found.converged:
            return NOT_CONVERGED
        return TRAINED if found.changes_something else NOTHING_BETTER

    def class_weight(self, name: str) -> float | None:
        """How many times an attribute's table counts for the class when everything is known.

        None if the probabilities of the class are not trained: then every table counts once.
        """
        found = self.class_parameters_
        if found is None or not found.changes_something:
            return None
        column = self.encoder_.names.index(name)
        return float(found.weights[-1, self._class_factors.columns.index(column)])

    @property
    def potentials_(self) -> Factors:
        """Log tables that add up to the scores of complete rows: `factors_`, or as trained for the class."""
        if self.class_parameters_ is None:
            return self.factors_
        return class_potentials(self.class_parameters_, self._class_factors).in_order(self.factors_.columns)

    def _remember_class_parameters(self, found: ClassParameters) -> None:
        self.class_parameters_ = found
        self._class_factors = self.factors_.in_order(self.learned_.counts.by_relevance().columns)

    def _class_values(self, codes: Codes, names: Sequence[str]) -> Floats:
        """Return what each attribute, in this order, adds to the score trained for the class."""
        factors, found = self._class_factors, cast("ClassParameters", self.class_parameters_)
        base, values = class_terms(found, factors, codes)
        known = (codes[list(factors.columns)] < factors.cards[:, None]).T
        shift = (base - factors.log_prior) / np.maximum(known.sum(axis=1), 1)[:, None]
        values += known[:, :, None] * shift[:, None, :]
        place = {self.encoder_.names[column]: i for i, column in enumerate(factors.columns)}
        return values[:, [place[name] for name in names]]

    def class_posterior(self, tree: JunctionTree) -> Floats:
        """Return the posterior of the class given the evidence of a tree, (k,)."""
        if self.class_parameters_ is None:
            return super().class_posterior(tree)
        codes, possible = self._possible(tree)
        if codes.shape[1] == 1:  # one row: how likely it is does not matter
            found: Floats = self._posterior(codes)[0]
            return found
        return possible.mix(*self._weigh_codes(codes))[1]

    def _weigh_codes(self, codes: Codes) -> tuple[Floats, Floats]:
        """How likely rows are, by the generative tables; the posterior of the class as in predictions."""
        logs = log_joint(self.factors_, codes)
        if self.class_parameters_ is None:
            return np.logaddexp.reduce(logs, axis=1), posteriors(logs, self.class_log_prior_)
        return np.logaddexp.reduce(logs, axis=1), self._posterior(codes)

    def _posterior(self, codes: Codes) -> Floats:
        posterior: Floats = posteriors(self.score_codes(codes), self.class_log_prior_)
        return posterior

    def _possible(self, tree: JunctionTree) -> tuple[Codes, Possible]:
        """Return the evidence of a tree as coded rows, (d, m), one per combination of possible states."""
        codes = np.array(self.encoder_.cards, dtype=np.uint16)[:, None]
        several: dict[str, Floats] = {}
        for column, variable in zip(self.factors_.columns, tree.variables.attributes, strict=True):
            if variable.name not in tree.evidence:
                continue
            likelihood = tree.likelihoods[variable.name]
            states = np.flatnonzero(likelihood)
            if len(states) == 1:
                codes[column] = states
            else:
                several[variable.name] = likelihood
        possible = possible_states(several)
        codes = np.repeat(codes, len(possible.logs), axis=1)
        places = [self.factors_.columns[tree.variables.position(name)] for name in several]
        codes[places] = possible.states
        return codes, possible

    def about_network(self, ending: str) -> str:
        """Say in what a network file differs from what the model says; empty where it does not."""
        if not self._is_trained:
            return ""
        if ending == "uai":
            return FOR_WHOLE_CASES
        _, drawn = drawn_rows(self.junction_tree(), COMPARED, np.random.default_rng(0))
        codes = np.repeat(np.array(self.encoder_.cards, dtype=np.uint16)[:, None], COMPARED, axis=1)
        codes[list(self.factors_.columns)] = drawn
        counted = posteriors(log_joint(self.factors_, codes), self.class_log_prior_)
        apart = np.abs(self._posterior(codes) - counted).max(axis=1)
        return AS_COUNTED.format(n=COMPARED, most=apart.max(), mean=apart.mean())

    @property
    def _is_trained(self) -> bool:
        found = self.class_parameters_
        return found is not None and found.changes_something

    def _potentials(self) -> list[Potential]:
        return markov_potentials(self.potentials_, self.junction_tree().variables)

    def _network_files(self, ending: str, stem: str) -> dict[str, bytes]:
        if ending != "uai" or not self._is_trained:
            return super()._network_files(ending, stem)
        from pgm_nb.engine.exchange.write import markov_files

        variables, about = self.junction_tree().variables, self.about_network(ending)
        return markov_files(variables, self._potentials(), self.learned_.structure, stem, about)

    def _network(self, form: str | None) -> Any:
        """Compile to pgmpy; the first two forms hold the generative tables, the third `potentials_`.

        What the Markov network says about attributes means nothing with parameters trained for the class.
        """
        if form != "markov network" and not (form is None and self._is_trained):
            return super()._network(form)
        from pgm_nb.engine.pgmpy import to_markov_network

        return to_markov_network(self.junction_tree().variables, self._potentials())

    def _joint_factors(self, codes: Codes) -> list[Potential] | None:
        """Return the generative tables, unless they do not say how probable the classes are."""
        if self.class_parameters_ is not None or np.isneginf(log_joint(self.factors_, codes)).all():
            return None
        return markov_potentials(self.factors_, self.junction_tree().variables)
