"""What is known about one thing in a picture: its table, its share of the weight, and why it is there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pgm_nb.app.pages.structure.facts import MOST, Detail, Number, ranked
from pgm_nb.app.pages.structure.forest_facts import cluster_sentence, forest_attribute, separator
from pgm_nb.app.pages.structure.shown_graph import ShownGraph
from pgm_nb.app.widgets.tables import Table, given_class, percentages
from pgm_nb.app.widgets.words import bold
from pgm_nb.graphs import CherryTree, ClusterTree, GaussianStar, HiddenParents, JoinedStar
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.models.hidden.model import HiddenClassifier
from pgm_nb.views.graph.drawing import Element
from pgm_nb.words import GLOSSARY, bits, nth_most, percent, plural

__all__ = ["detail"]


def detail(shown: ShownGraph, element: Element) -> Detail:
    """Return what is known about an element of what is looked at."""
    model, structure = shown.fitted.model, shown.structure
    if isinstance(structure, ClusterTree) and element.kind != "class":
        return _local(structure, element)
    if element.kind == "class":
        return _class(model, structure.target)
    if isinstance(structure, JoinedStar):
        return _group(shown, structure, element)
    if element.kind == "separator" and isinstance(structure, CherryTree):
        return separator(model, element)
    name = element.names[-1]
    if element.kind == "link" and name == structure.target:
        name = element.names[0]
    about = _attribute(model, name)
    if element.kind == "cluster":
        about = replace(
            about, title=" · ".join(element.names[1:]), says=(cluster_sentence(element), *about.says)
        )
    elif element.kind == "link" and element.names[0] != structure.target:
        about = replace(about, title=" → ".join(element.names), says=(_link(model, element), *about.says))
    return about


def _attribute(model: Any, name: str) -> Detail:
    if isinstance(model, ForestClassifier):
        return forest_attribute(model, name)
    if isinstance(model, HiddenClassifier):
        return _of_mixture(model, name)
    return _of_star(model, name)


def _class(model: Any, target: str) -> Detail:
    shares = np.exp(model.class_log_prior_)
    labels = [str(label) for label in model.classes_]
    table = percentages(
        "How often each value is, before anything else is known", target, labels, [""], shares
    )
    return Detail(target, (f"The class: what the others are held against. It has {len(labels)} values.",),
                  tables=(table,))  # fmt: skip


def _link(model: Any, element: Element) -> str:
    source, target = element.names
    if isinstance(model, HiddenClassifier):
        share = model.structure_.bag(target).get(source, 0.0)
        return f"{bold(source)} has {share:.0%} of the hidden parent of {bold(target)}."
    shared = (model.structure_.dependence or {}).get(target)
    known = f"with {bold(model.structure_.target)} known"
    return f"{bold(source)} and {bold(target)} tell {bits(shared)} bits about each other, {known}."


def _of_mixture(model: HiddenClassifier, name: str) -> Detail:
    """Describe an attribute of hidden naive Bayes or of its packaged form."""
    structure: HiddenParents = model.structure_
    relevance = structure.relevance or {}
    bag = structure.bag(name)
    place = model.encoder_.names.index(name)
    column = model.encoder_.columns[place]
    table = given_class(name, column.labels, model, np.exp(model.factors_.alone.tables[place]))
    threshold = getattr(structure, "threshold", None)
    if not bag:
        says = f"No other attribute is close enough, so it hangs on {bold(structure.target)} alone."
    elif threshold is None:
        says = f"Its hidden parent is mixed from {len(bag)} others, each by what they tell about each other."
    else:
        says = (
            f"Its bag holds the {plural(len(bag), 'attribute')} that share at least {bits(threshold)} bits "
            f"with it once {bold(structure.target)} is known."
        )
    numbers = (
        Number("Tells about the class", f"{bits(relevance[name])} bits", GLOSSARY["bits"]),
        Number("Share of all that is told", percent(relevance[name], sum(relevance.values()), digits=1)),
    )
    mixed = (ranked("Shares in its hidden parent", "attribute", "share", bag),) if bag else ()
    return Detail(name, (says,), numbers, (*mixed, table), attribute=name)


def _of_star(model: Any, name: str) -> Detail:
    """Describe an attribute of Gaussian or kernel naive Bayes."""
    structure = model.structure_
    relevance = structure.relevance or {}
    rank = 1 + sum(other > relevance[name] for other in relevance.values())
    numbers = (
        Number("Tells about the class", f"{bits(relevance[name])} bits", GLOSSARY["bits"]),
        Number("Share of all that is told", percent(relevance[name], sum(relevance.values()), digits=1)),
    )
    target = bold(structure.target)
    says = f"It hangs on {target} alone, and tells {nth_most(rank)} of {len(relevance)} about it."
    if isinstance(structure, GaussianStar):
        tables = (_gaussian(model, structure, name),)
        return Detail(name, (says,), numbers, tables, attribute=name)
    more = (
        "Its density is not a formula: it is made anew at every row, from the cases nearby (see At one row)."
    )
    return Detail(name, (says, more), numbers, attribute=name)


def _gaussian(model: Any, structure: GaussianStar, name: str) -> Table:
    if name in structure.gaussians:
        cells = tuple((f"{mean:.4g}", f"{sd:.3g}") for mean, sd in structure.gaussians[name])
        return Table(
            f"{name}, its own unit", structure.target, structure.classes, ("mean", "± spread"), cells
        )
    columns = model.learned_.encoder
    place = columns.names.index(name)
    return given_class(name, columns.columns[place].labels, model, np.exp(model._factors.tables[place]))


def _local(structure: ClusterTree, element: Element) -> Detail:
    """Describe a cluster of the local-PCA mixture, or one of its components."""
    name = element.names[-1]
    clusters = dict(zip(structure.names, structure.clusters, strict=True))
    if name not in clusters:
        return _component(structure, name)
    part = clusters[name]
    of_class = sum(other.rows for other in structure.clusters if other.label == part.label)
    numbers = (
        Number("Cases", f"{part.rows:,}"),
        Number(f"Of {part.label}", f"{part.rows / of_class:.0%}", "Share of the cases of its class in use."),
    )
    says = f"A cloud of cases of {bold(part.label)} that has a middle and main directions of its own."
    odd = "It has fewer cases than directions, so it is rounded off towards the average cloud."
    explained = {f"PC{number}": share for number, share in enumerate(part.explained, 1)}
    middle = Table("Its middle", "attribute", structure.attributes[:MOST], ("mean",),
                   tuple((f"{value:.4g}",) for value in part.mean[:MOST]))  # fmt: skip
    directions = ranked("Share of its spread along each direction", "direction", "share", explained)
    return Detail(name, (says, odd) if part.regularised else (says,), numbers, (directions,), (middle,))


def _component(structure: ClusterTree, name: str) -> Detail:
    found = {
        f"{owner} PC{number + 1}": (owner, part.explained[number], part.loadings[number])
        for owner, part in zip(structure.names, structure.clusters, strict=True)
        for number in range(len(part.variances))
    }
    owner, explained, loadings = found[name]
    says = f"A main direction of cluster {bold(owner)}: what its cases vary in most, after the ones before."
    share = Number("Of the spread", f"{explained:.0%}", "Share of the cluster's variance.")
    return Detail(
        name, (says,), (share,), (_loadings(dict(zip(structure.attributes, loadings, strict=True))),)
    )


def _group(shown: ShownGraph, structure: JoinedStar, element: Element) -> Detail:
    """Describe one factor of the graph of a row: what the model makes of it alone."""
    names = [name for name in element.names if name != structure.target]
    if element.kind == "link":
        names = list(next(group for group in structure.groups if names[-1] in group))
    title = " · ".join(names)
    if names[0] in structure.unknown:
        return Detail(title, (f"The value of {bold(names[0])} is unknown in this row, so it has no say.",))
    X, _ = shown.rows()
    row = X.iloc[[shown.choice.row or 0]]
    values = ", ".join(f"{bold(name)} is {bold(str(row[name].iloc[0]))}" for name in names)
    says = [f"In this row {values}."]
    pair = (structure.correlation or {}).get(names[-1])
    if len(names) > 1 and pair is not None:
        says.append(f"Around these values the two go together more than by chance ({pair:+.2f}): one factor.")
    return Detail(title, tuple(says), tables=_alone(shown.fitted.model, row, names))


def _alone(model: Any, row: Any, names: Sequence[str]) -> tuple[Table, ...]:
    """Return what the class would be if no more than these cells were known."""
    if any(column.missing_state for column in model.encoder_.columns):
        return ()  # an empty cell is a value there, so the others cannot be made unknown
    others = [name for name in row.columns if name not in names]
    posterior = model.predict_proba(row.assign(**dict.fromkeys(others)))[0]
    labels = [str(label) for label in model.classes_]
    return (percentages("With nothing else known", model.structure_.target, labels, [""], posterior),)


def _loadings(loadings: Mapping[str, float]) -> Table:
    ranked = sorted(loadings.items(), key=lambda pair: -abs(pair[1]))[:MOST]
    return Table(
        "What it is made of",
        "attribute",
        tuple(name for name, _ in ranked),
        ("loading",),
        tuple((f"{value:+.2f}",) for _, value in ranked),
        tuple((abs(value),) for _, value in ranked),
    )
