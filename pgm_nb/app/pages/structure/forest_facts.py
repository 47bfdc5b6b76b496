"""What is known about the attributes, clusters and separators of naive Bayes, TAN and GNB."""

from typing import Any

import numpy as np

from pgm_nb.app.pages.structure.facts import MOST, Detail, Number
from pgm_nb.app.widgets.tables import Table, given_class, percentages
from pgm_nb.app.widgets.words import bold
from pgm_nb.graphs import CherryTree
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.views.graph.drawing import Element
from pgm_nb.words import GLOSSARY, bits, nth_most, percent, plural

__all__ = ["cluster_sentence", "forest_attribute", "separator"]

SHARE = "What it brings, of all that the picture holds."


def forest_attribute(model: ForestClassifier, name: str) -> Detail:
    """Describe an attribute of naive Bayes, TAN or GNB."""
    table = model.importance_
    row = table.loc[table["attribute"] == name].iloc[0]
    gain, weight = float(row["gain"]), model.divergence_.weight
    numbers = (
        Number(
            "Adds", f"{gain:.3f} bits", "What it tells about the class, and about its mother beyond that."
        ),
        Number("Share of the weight", percent(gain, weight, digits=1), SHARE),
    )
    mother = model.structure_.mothers.get(name)
    alone, joint = _pair(model, name, mother)
    column = model.encoder_.columns[model.encoder_.names.index(name)]
    tables = (given_class(name, column.labels, model, alone),)
    more: tuple[Table, ...] = ()
    if mother is not None:
        states = model.encoder_.columns[model.encoder_.names.index(mother)].labels
        more = tuple(
            percentages(
                f"{model.structure_.target} is {label}",
                f"{mother} ↓   {name} →",
                states,
                column.labels,
                given,
            )
            for label, given in zip(model.classes_, joint, strict=True)
        )
    return Detail(name, _why(model, name, mother), numbers, tables, more, name)


def _pair(model: ForestClassifier, name: str, mother: str | None) -> tuple[Any, Any]:
    """Return P(x|y), (k, v), and P(x|mother,y), (k, v_mother, v), whichever way the model keeps them."""
    factors, names = model.factors_, model.encoder_.names
    marginals: list[Any] = []
    for table, above in zip(factors.tables, factors.mothers, strict=True):
        own = np.exp(table)
        marginals.append(own if above < 0 else np.einsum("ku,kuv->kv", marginals[above], own))
    place = {names[column]: position for position, column in enumerate(factors.columns)}
    alone = marginals[place[name]]
    if mother is None:
        return alone, None
    above = factors.mothers[place[name]]
    if above >= 0 and names[factors.columns[above]] == mother:
        return alone, np.exp(factors.tables[place[name]])
    turned = np.exp(factors.tables[place[mother]]) * alone[:, :, None]  # P(mother, x | y), (k, v, v_mother)
    total = turned.sum(axis=1, keepdims=True)
    given = np.divide(turned, total, out=np.zeros_like(turned), where=total > 0)
    return alone, given.transpose(0, 2, 1)


def _why(model: ForestClassifier, name: str, mother: str | None) -> tuple[str, ...]:
    """Say why an attribute is where it is, from the trace of the search."""
    told = (model.structure_.relevance or {})[name]
    rank = 1 + sum(other > told for other in (model.structure_.relevance or {}).values())
    target = bold(model.structure_.target)
    about = f"It tells {bits(told)} bits about {target}, {nth_most(rank)} of {model.n_features_in_}."
    if not model.structure_.mothers:
        return (about,)
    steps = model.trace_.steps
    number = next(
        (place for place, step in enumerate(steps, 1) if step.attribute == name),
        1,  # the mother of the first pair comes with it
    )
    step = steps[number - 1]
    if mother is None:
        return (about, "It came first, and the others hang on it.")
    shared = bits((model.structure_.dependence or {})[name])
    how = (
        f"It joined in step {number} of {len(steps)} on {bold(mother)}: with {target} known, the two still "
        f"tell {shared} bits about each other."
    )
    near = [f"{_candidate(other, first=number == 1)} ({bits(other.gain)})" for other in step.runners_up[:3]]
    close = f"Next best then, in bits: {'; '.join(near)}." if near else ""
    return tuple(sentence for sentence in (about, how, close) if sentence)


def _candidate(candidate: Any, *, first: bool) -> str:
    if candidate.mother is None:
        return bold(candidate.attribute)
    joint = " and " if first else " on "
    return f"{bold(candidate.attribute)}{joint}{bold(candidate.mother)}"


def cluster_sentence(element: Element) -> str:
    """Say what a cluster is.

    Examples
    --------
    >>> cluster_sentence(Element("cluster", ("ill", "age", "pulse")))
    'A cluster: **ill**, the mother **age**, and **pulse**, which hangs on both.'
    """
    target, mother, child = map(bold, element.names)
    return f"A cluster: {target}, the mother {mother}, and {child}, which hangs on both."


def separator(model: ForestClassifier, element: Element) -> Detail:
    """Describe a separator: the class and a mother, and the clusters that share them."""
    structure = model.structure_
    target, mother = element.names[:2]
    children = [child for child in structure.attributes if structure.mothers.get(child) == mother]
    shared = structure.separator_multiplicity()[target, mother] if isinstance(structure, CherryTree) else 0
    names = ", ".join(bold(child) for child in children[:MOST]) or "none"
    alone, _ = _pair(model, mother, None)
    column = model.encoder_.columns[model.encoder_.names.index(mother)]
    return Detail(
        f"{target} · {mother}",
        (
            f"A separator: what {plural(shared, 'cluster')} have in common.",
            f"On {bold(mother)} hang: {names}.",
        ),
        (Number("In clusters", str(shared), GLOSSARY["separator"]),),
        (given_class(mother, column.labels, model, alone),),
    )
