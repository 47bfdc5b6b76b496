"""Which entries of the tables an answer depends on most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.data.labels import class_place
from pgm_nb.errors import QueryError
from pgm_nb.inference.sensitivity import Entry, sensitivities
from pgm_nb.words import probability

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
        Per entry: what it is, its value, the derivative of the probability, the probability if the odds of
        the entry were 10% higher, and a sentence; the most influential first.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5)
    >>> model = model.fit(*pnb.load_sample("iris"))
    >>> table = pnb.parameter_sensitivity(model, {"petal width": 1.6}, "virginica", most=1)
    >>> print(table["sentence"][0])
    With the odds of P(class = versicolor) 10% higher (now 33.3%), virginica has 75.5% instead of 77.1%.
    """
    if not model.is_joint:
        raise QueryError(
            f"{model.title} has no junction tree, in which alone it is known how an answer depends on each "
            "entry of a table; fit naive Bayes, TAN or GNB to see what single entries do"
        )
    tree = model.junction_tree().observe(given or {})
    target = tree.variables.target
    if target.name in tree.evidence:
        raise QueryError(f"the class {target.name!r} is given, so its probability depends on no table")
    classes = tree.beliefs.classes()[0]
    if not np.allclose(model.class_posterior(tree), classes, atol=SAME):
        raise QueryError(
            "the parameters of this model were trained together for the class, so that no entry stands for "
            "itself; fit it with parameters='generative' to see what single entries do"
        )
    place = int(classes.argmax()) if label is None else class_place(label, target.labels)
    rows = []
    for entry in sensitivities(tree, place):
        odds = ODDS * entry.value / (1 - entry.value)
        after = entry.after(odds / (1 + odds))
        said = (
            f"With the odds of {_written(tree, entry)} 10% higher (now {probability(entry.value)}), "
            f"{target.labels[place]} has {probability(after)} instead of {probability(entry.now)}."
        )
        rows.append((_written(tree, entry), entry.value, entry.derivative, after, said))
    names = ["entry", "value", "derivative", "after", "sentence"]
    import pandas as pd

    table = pd.DataFrame(rows, columns=names)
    order = (table["after"] - float(classes[place])).abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order[:most]].reset_index(drop=True)


def _written(tree: Any, entry: Entry) -> str:
    """Write an entry as a probability: ``P(age = > 60 | sex = male, class = ill)``."""
    target = tree.variables.target
    if entry.attribute == target.name:
        return f"P({target.name} = {target.labels[entry.y]})"
    variable = tree.variables[entry.attribute]
    position = tree.variables.position(entry.attribute)
    given = [f"{target.name} = {target.labels[entry.y]}"]
    if entry.mother_state is not None:
        states = (entry.mother_state, *entry.other_states)
        mothers = [tree.variables.attributes[place] for place in tree.forest.factors.given[position]]
        written = [f"{m.name} = {m.labels[state]}" for m, state in zip(mothers, states, strict=True)]
        given = [*written, *given]
    return f"P({entry.attribute} = {variable.labels[entry.state]} | {', '.join(given)})"
