"""What naive Bayes, TAN and GNB say about one attribute or separator of their picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.explain.detail import MOST_ROWS, Detail, share_table, state_table
from pgm_nb.graphs.base import Headline
from pgm_nb.words import GLOSSARY, in_bits, percent, plural, together

if TYPE_CHECKING:
    from pgm_nb.models.forest import ForestClassifier
    from pgm_nb.views.graph.drawing import Element

__all__ = ["forest_attribute", "forest_separator", "history", "training"]

Mark = Callable[[str], str]
WORDS = {2: "two", 3: "three", 4: "four"}


def forest_attribute(model: ForestClassifier, name: str, sentences: tuple[str, ...]) -> Detail:
    """Describe an attribute: what it adds, and its tables given the class and given its mother."""
    table = model.importance_
    gain = float(table.loc[table["attribute"] == name, "gain"].iloc[0])
    numbers = (
        Headline(
            "Adds",
            in_bits(gain, scale=model.structure_.scale),
            "The information it carries about the class, plus what it shares with its mother given the "
            "class.",
        ),
        Headline(
            "Share of the weight" if model.structure_.scale is None else "Of what is captured",
            percent(gain, model.divergence_.weight, digits=1),
            "How much of what the whole structure captures this attribute adds.",
        ),
    )
    target, mother = model.structure_.target, model.structure_.mothers.get(name)
    classes = [str(label) for label in model.classes_]
    alone, joint = _tables(model, name)
    own = model.encoder_.columns[model.encoder_.names.index(name)].labels
    tables = (state_table(name, own, target, classes, alone),)
    if mother is None:
        return Detail(name, sentences, numbers, tables, attribute=name)
    states = model.encoder_.columns[model.encoder_.names.index(mother)].labels
    others = mothers_of(model, name)[1:]
    if others:  # the tables of all mothers would fill a book: with the first, the others summed out
        joint = _with_first(model, name)
    more = tuple(
        share_table(f"{target} is {label}", f"{mother} ↓   {name} →", states, own, given)
        for label, given in zip(classes, joint, strict=True)
    )
    return Detail(name, sentences, numbers, tables, more, name)


def mothers_of(model: ForestClassifier, name: str) -> tuple[str, ...]:
    """Return all mothers of an attribute, the one it shares most with first."""
    families = getattr(model.structure_, "families", None)
    if families is not None:
        return tuple(families.get(name, ()))
    mother = model.structure_.mothers.get(name)
    return () if mother is None else (mother,)


def _tables(model: ForestClassifier, name: str) -> tuple[Floats, Any]:
    """Return P(x|y), (k, v), and P(x|mothers,y), (k, v_mother, ..., v)."""
    factors, names = model.factors_, model.encoder_.names
    place = {names[column]: position for position, column in enumerate(factors.columns)}
    if factors.others:
        whole = model.junction_tree().retract().beliefs.with_class(place[name])[0]
        return whole / whole.sum(axis=1, keepdims=True), np.exp(factors.tables[place[name]])
    marginals: list[Any] = []
    for table, above in zip(factors.tables, factors.mothers, strict=True):
        own = np.exp(table)
        marginals.append(own if above < 0 else np.einsum("ku,kuv->kv", marginals[above], own))
    return marginals[place[name]], np.exp(factors.tables[place[name]])


def _with_first(model: ForestClassifier, name: str) -> Floats:
    """Return P(x | first mother, y), (k, v_mother, v), further mothers summed out."""
    factors, names = model.factors_, model.encoder_.names
    place = {names[column]: position for position, column in enumerate(factors.columns)}
    whole = model.junction_tree().retract().beliefs.cluster(place[name])[0]
    whole = whole.sum(axis=tuple(range(2, whole.ndim - 1)))
    table: Floats = whole / np.maximum(whole.sum(axis=-1, keepdims=True), 1e-300)
    return table


def history(model: ForestClassifier, name: str, mark: Mark) -> tuple[str, ...]:
    """Say how an attribute joined the tree, from the trace of the search."""
    structure, steps = model.structure_, model.trace_.steps
    if not structure.mothers:
        return (f"It depends on {structure.class_words(mark)} alone.",)
    mother = structure.mothers.get(name)
    if mother is None:
        return ("It came first; the tree grows from it.",)
    number = next(
        (place for place, step in enumerate(steps, 1) if step.attribute == name),
        1,  # the mother of the first pair comes with it
    )
    shared = in_bits((structure.dependence or {})[name], 2, scale=model.structure_.scale)
    mothers = mothers_of(model, name)
    how = (
        f"It joined in step {number} of {len(steps)} as a child of {together([mark(m) for m in mothers])}: "
        f"given {structure.class_words(mark)}, "
        + (
            f"the two share {shared} of information."
            if len(mothers) == 1
            else f"it shares {shared} of information with them. The tables below show it with {mark(mother)}."
        )
    )
    rest = steps[number - 1].runners_up[:3]
    near = [
        f"{_candidate(other, mark, first=number == 1)} ({in_bits(other.gain, scale=model.structure_.scale)})"
        for other in rest
    ]
    if not near:
        return (how,)
    return (how, f"Runners-up in that step, with what they would have added: {'; '.join(near)}.")


def training(model: ForestClassifier, name: str, mark: Mark) -> tuple[str, ...]:
    """Say how much the tables of an attribute count in probabilities that are trained for the class."""
    counts = model.class_weight(name)
    if counts is None:
        return ()
    return (
        f"The tables below are as counted. In the probability of {model.structure_.class_words(mark)}, when "
        f"everything is known, training lets them count {counts:.2f} times.",
    )


def _candidate(candidate: Any, mark: Mark, *, first: bool) -> str:
    if candidate.mother is None:
        return mark(candidate.attribute)
    joint = " and " if first else " under "
    return f"{mark(candidate.attribute)}{joint}{together([mark(m) for m in candidate.mothers])}"


def forest_separator(model: ForestClassifier, element: Element, mark: Mark) -> Detail:
    """Describe a separator: the class and a mother, and the clusters that share them."""
    structure: Any = model.structure_  # a cherry tree: no other graph has separators
    target, *mothers = element.names
    children = [c for c in structure.attributes if set(mothers_of(model, c)) == set(mothers)]
    shared = structure.separator_multiplicity()[tuple(element.names)]
    names = ", ".join(mark(child) for child in children[:MOST_ROWS]) or "none"
    classes = [str(label) for label in model.classes_]
    labels = {name: model.encoder_.columns[model.encoder_.names.index(name)].labels for name in mothers}
    return Detail(
        " · ".join(element.names),
        (
            f"A separator: {plural(shared, 'cluster')} {'shares' if shared == 1 else 'share'} "
            f"these {WORDS.get(len(element.names), 'variables')}.",
            f"Attributes that depend on {together([mark(name) for name in mothers])}: {names}.",
        ),
        (Headline("Clusters", str(shared), GLOSSARY["separator"]),),
        tuple(state_table(name, labels[name], target, classes, _tables(model, name)[0]) for name in mothers),
    )
