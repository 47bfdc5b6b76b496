"""Which entries of the tables an answer depends on most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.data.labels import class_place, fact
from pgm_nb.errors import QueryError
from pgm_nb.inference.sensitivity import Entry, sensitivities
from pgm_nb.inference.variables import Variable
from pgm_nb.words import probability, together

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["parameter_sensitivity"]

ODDS = 1.1  # what the odds of an entry are multiplied by to see how far the answer moves
SAME = 1e-9


def parameter_sensitivity(
    model: Any, given: Mapping[str, Any] | None = None, label: Any = None, *, most: int | None = 10
) -> pd.DataFrame:
    """List the entries of the tables that the probability of a class depends on most, given evidence.

    Each entry is moved by itself; the others of its distribution share what is left in their old proportions.
    The derivatives are exact.

    Parameters
    ----------
    model
        A model that is a joint distribution and reads the probability of the class off its tables.
    given : mapping, optional
        What is known, as `query` takes it.
    label : object, optional
        The class; by default the most probable one.
    most : int or None
        Entries to list; None for all.

    Returns
    -------
    pandas.DataFrame
        Per `entry`: what it is, its value, the derivative of the probability, the probability if the odds of
        the entry were 10% higher, and a sentence; the most influential first.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5)
    >>> model = model.fit(*pnb.load_sample("iris"))
    >>> table = pnb.parameter_sensitivity(model, {"petal width": 1.6}, "virginica", most=1)
    >>> print(table["sentence"][0])
    If class = versicolor had 10% higher odds (now 33.3%), virginica would have 75.5% instead of 77.1%.
    """
    if not model.is_joint:
        raise QueryError(
            f"{model.title} has no junction tree, in which alone it is known how an answer depends on each "
            "entry of a table; naive Bayes, TAN and GNB have one"
        )
    tree = model.junction_tree().observe(given or {})
    target = tree.variables.target
    if target.name in tree.evidence:
        raise QueryError(f"the class {target.name!r} is given, so its probability depends on no table")
    classes = tree.beliefs.classes()[0]
    if not np.allclose(model.class_posterior(tree), classes, atol=SAME):
        raise QueryError(
            "the parameters of this model were trained together for the class, so that no entry stands for "
            "itself; with its probabilities as counted (parameters='generative') single entries can be moved"
        )
    place = int(classes.argmax()) if label is None else class_place(label, target.labels)
    rows = []
    for entry in sensitivities(tree, place):
        odds = ODDS * entry.value / (1 - entry.value)
        after = entry.after(odds / (1 + odds))
        what, where = _facts(tree, entry)
        among = f" among cases with {together(where)}" if where else ""
        said = (
            f"If {what} had 10% higher odds{among} (now {probability(entry.value)}), "
            f"{target.labels[place]} would have {probability(after)} instead of {probability(entry.now)}."
        )
        written = f"P({what} | {', '.join(where)})" if where else f"P({what})"
        rows.append((written, entry.value, entry.derivative, after, said))
    names = ["entry", "value", "derivative", "after", "sentence"]
    import pandas as pd

    table = pd.DataFrame(rows, columns=names)
    order = (table["after"] - float(classes[place])).abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order[:most]].reset_index(drop=True)


def _facts(tree: Any, entry: Entry) -> tuple[str, list[str]]:
    """Return what an entry is the probability of, and given which facts: ``age > 60``, ``[class = ill]``."""
    target = tree.variables.target
    of_class = fact(target.name, target.labels[entry.y], is_interval=False)
    if entry.attribute == target.name:
        return of_class, []
    variable = tree.variables[entry.attribute]
    given: list[str] = []
    if entry.mother_state is not None:
        states = (entry.mother_state, *entry.other_states)
        places = tree.forest.factors.given[tree.variables.position(entry.attribute)]
        mothers = [tree.variables.attributes[place] for place in places]
        given = [_fact(mother, state) for mother, state in zip(mothers, states, strict=True)]
    return _fact(variable, entry.state), [*given, of_class]


def _fact(variable: Variable, state: int) -> str:
    is_interval = variable.column is not None and bool(variable.column.cuts)
    return fact(variable.name, variable.labels[state], is_interval=is_interval)
