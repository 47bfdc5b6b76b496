"""What every model with a joint distribution answers: posteriors, samples, what to measure next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Floats
from pgm_nb.engine import questions
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.questions import Prior, move_tree
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.errors import QueryError
from pgm_nb.explain.next_measurement import Measure, Prospects
from pgm_nb.graphs.cherry import Cherries
from pgm_nb.lazy import once
from pgm_nb.models.base import Classifier
from pgm_nb.tables.factors import Factors

if TYPE_CHECKING:
    from pgm_nb.models.table_state import TableState

__all__ = ["Questions"]

Names = str | Iterable[str]
Given = Mapping[str, Any] | None


class Questions(Classifier):
    """Exact answers from the learned joint distribution, by name."""

    learned_: TableState[Any]
    factors_: Factors

    def junction_tree(self) -> JunctionTree:
        """Return the learned junction tree, which takes evidence and answers queries."""
        check_is_fitted(self)
        return once(self, "junction tree", self.factors_, self._build_junction_tree)

    def _build_junction_tree(self) -> JunctionTree:
        every = [Variable(c.name, c.labels, c) for c in self.learned_.encoder.columns]
        taken = self.factors_.columns
        spare = tuple(variable for place, variable in enumerate(every) if place not in taken)
        target = Variable(self.learned_.target, tuple(map(str, self.learned_.classes.tolist())))
        variables = Variables(target, tuple(every[place] for place in taken), spare)
        return JunctionTree(variables, self.factors_, self._clusters())

    def _clusters(self) -> tuple[tuple[str, ...], ...]:
        """Return the clusters of the structure, every mother before her children."""
        structure = self.learned_.structure
        if isinstance(structure, Cherries) and structure.clusters:
            return structure.clusters
        names = [self.learned_.encoder.names[c] for c in self.factors_.columns]  # mothers first
        has_child = set(structure.mothers.values())
        return tuple(
            (structure.target, structure.mothers[name], name)
            if name in structure.mothers
            else (structure.target, name)
            for name in names
            if name in structure.mothers or name not in has_child
        )

    def asked_variables(self) -> Variables:
        """Return the class and the attributes with their states, as evidence names them."""
        return self.junction_tree().variables

    def query(
        self,
        variables: Names,
        given: Given = None,
        *,
        joint: bool = True,
        engine: str = "messages",
        prior: Prior = None,
        X: Any = None,
    ) -> pd.DataFrame:
        """Exact posterior of any variables given any evidence.

        Parameters
        ----------
        variables : str or list of str
            Attributes and the class.
        given : mapping, optional
            Evidence: a state by its name, a value as in the table, {state: likelihood}, or what `one_of`,
            `not_`, `between`, `above` and `below` make.
        joint : bool
            One table of all combinations, or each variable on its own (columns variable, state,
            probability).
        engine : {"messages", "pgmpy"}
            Our message passing, or pgmpy's belief propagation as the reference.
        prior : mapping of class to float, optional
            How common the classes are in the population asked about, as in `predict_proba`.
        X : table, optional
            Not needed by a joint distribution; other models ask for it.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> model = pnb.GeneralizedNaiveBayes().fit(*pnb.load_sample("wdbc"))
        >>> model.query("class", given={"worst radius": 20.0, "worst texture": 30}).round(3)
               class  probability
        0     benign        0.059
        1  malignant        0.941
        """
        if engine not in ("messages", "pgmpy"):
            raise QueryError(f"engine must be 'messages' or 'pgmpy', but is {engine!r}")
        trained = tree = self.junction_tree().observe(given or {})
        if prior is not None:
            tree = move_tree(trained, self.base_rate_shift(prior))
        names = tree.variables.check(variables, tree.evidence)
        _ = tree.beliefs  # refuses impossible evidence
        if engine == "pgmpy":
            from pgm_nb.engine.pgmpy import ask_pgmpy

            table = ask_pgmpy(tree, names)
            if joint:
                return tree.frame(names, table)
            tables = [
                table.sum(axis=tuple(i for i in range(len(names)) if i != axis)) for axis in range(len(names))
            ]
        elif joint and names != (tree.variables.target.name,):
            return tree.marginal(names)
        else:
            tables = [
                self.in_population(self.class_posterior(trained), prior)
                if name == tree.variables.target.name
                else tree.joint((name,))
                for name in names
            ]
            if joint:
                return tree.frame(names, tables[0])
        parts = [
            pd.DataFrame({"variable": name, "state": tree.variables[name].labels, "probability": part})
            for name, part in zip(names, tables, strict=True)
        ]
        return pd.concat(parts, ignore_index=True)

    def class_posterior(self, tree: JunctionTree) -> Floats:
        """Return the posterior of the class given the evidence of a tree, (k,)."""
        return tree.joint((tree.variables.target.name,))

    def map_query(
        self, variables: Names | None = None, given: Given = None, *, prior: Prior = None
    ) -> dict[str, str]:
        """Return the likeliest joint states of these variables, all others summed out; see `query`.

        By default those of all variables whose state is not certain: of which nothing is known, or a range or
        likelihoods.
        """
        return questions.most_probable(self._tree_in(prior).observe(given or {}), variables)

    def _tree_in(self, prior: Prior) -> JunctionTree:
        """Return the junction tree of a population."""
        tree = self.junction_tree()
        return tree if prior is None else move_tree(tree, self.base_rate_shift(prior))

    def mutual_information(self, a: str, b: str, given: Mapping[str, Any] | Names = ()) -> float:
        """I(a;b|given) in bits under the model; `given` is evidence, or variables to condition on."""
        return questions.mutual_information(self.junction_tree(), a, b, given)

    def prospects(
        self, given: Given = None, X: Any = None, *, measures: Sequence[Measure] | None = None
    ) -> Prospects:
        """Return the case of which `given` is known; evidence that cannot occur is refused."""
        found = super().prospects(given, X, measures=measures)
        _ = self.junction_tree().observe(given or {}).beliefs
        return found

    def sample(
        self,
        n: int,
        given: Given = None,
        random_state: int | np.random.Generator | None = None,
        *,
        prior: Prior = None,
    ) -> pd.DataFrame:
        """Draw rows from the model, given evidence; states by name; `prior` as in `query`."""
        return questions.sample(self._tree_in(prior).observe(given or {}), n, random_state)

    def log_likelihood(self, X: Any) -> Floats:
        """Natural log of P(known attributes) of every row under the model, (n,)."""
        total: Floats = np.logaddexp.reduce(self.predict_joint_log_proba(X), axis=1)
        return total

    def _network_files(self, ending: str, stem: str) -> dict[str, bytes]:
        from pgm_nb.engine.exchange import network_files

        return network_files(
            self.junction_tree(), self.learned_.structure, ending, stem, self.about_network(ending)
        )

    def _network(self, form: str | None) -> Any:
        """Compile to a Bayesian network for a star or tree, a junction tree for a cherry tree."""
        from pgm_nb.engine.pgmpy import to_bayesian_network, to_pgmpy_junction_tree

        tree = self.junction_tree()
        if form is None:
            form = "junction tree" if isinstance(self.learned_.structure, Cherries) else "bayesian network"
        return to_pgmpy_junction_tree(tree) if form == "junction tree" else to_bayesian_network(tree)
