"""Beside the picture: the numbers of the whole model, or what is known about what was clicked."""

from typing import Any

import streamlit as st

from pgm_nb.app.pages.structure.facts import Detail, Number
from pgm_nb.app.pages.structure.shown_graph import ShownGraph
from pgm_nb.app.widgets.tables import Table
from pgm_nb.app.widgets.words import literal
from pgm_nb.graphs import ClusterTree, GaussianStar, HiddenParents, JoinedStar
from pgm_nb.words import GLOSSARY, NUMBERS, PROVEN_BEST, plural, proven_best

__all__ = ["numbers", "show_detail", "show_numbers"]


def show_numbers(shown: ShownGraph) -> None:
    """Show the numbers of a model, two in a row."""
    told = numbers(shown)
    for start in range(0, len(told), 2):
        for column, number in zip(st.columns(2), told[start : start + 2], strict=False):
            proven = number.label == "Below the best tree" and number.value == "0 bits"
            column.metric(
                number.label,
                number.value,
                delta=PROVEN_BEST if proven else None,
                delta_arrow="off",
                help=number.help or None,
            )


def show_detail(detail: Detail, theme: str) -> None:
    """Show what is known about one thing."""
    st.markdown(f"##### {literal(detail.title)}")
    st.markdown("  \n".join(detail.says))
    for column, number in zip(st.columns(2), detail.numbers, strict=False):
        column.metric(number.label, number.value, help=number.help or None)
    _show_tables(detail.tables, theme)
    if detail.more:
        with st.expander("Together with its mother" if detail.attribute else "More"):
            _show_tables(detail.more, theme)


def _show_tables(tables: tuple[Table, ...], theme: str) -> None:
    for table in tables:
        st.html(table.html(theme))


def numbers(shown: ShownGraph) -> tuple[Number, ...]:
    """Return the numbers that sum up a model."""
    model, structure = shown.fitted.model, shown.structure
    if model.divergence_ is not None:
        return _of_joint(model.divergence_)
    undefined = Number("KL divergence", "not defined", f"{literal(model.no_divergence)}.")
    if isinstance(structure, HiddenParents):
        return (*_of_bags(structure), undefined)
    if isinstance(structure, ClusterTree):
        return (*_of_clusters(model, structure), undefined)
    weight = Number(
        "Weight", f"{sum((model.structure_.relevance or {}).values()):.3f} bits", GLOSSARY["weight"]
    )
    if isinstance(structure, JoinedStar):
        pairs = Number(
            "Joined here", plural(len(structure.joined), "pair"), "Attributes that are one at this row."
        )
        return (pairs, weight, undefined)
    if isinstance(structure, GaussianStar):
        curves = Number("Bell curves", f"{len(structure.gaussians)} of {len(structure.attributes)}",
                        "Attributes that are measured; the others have tables.")  # fmt: skip
        return (weight, curves, undefined)
    return (weight, undefined)


def _of_joint(divergence: Any) -> tuple[Number, ...]:
    gain = divergence.weight - divergence.weight_naive
    proven = proven_best(divergence.gap)
    return (
        Number("Weight", f"{divergence.weight:.3f} bits", GLOSSARY["weight"]),
        Number("KL divergence", f"{divergence.kl:.3f} bits", GLOSSARY["KL divergence"]),
        Number(
            "Above naive Bayes",
            f"{gain:.3f} bits",
            NUMBERS["Above naive Bayes"],
        ),
        Number(
            "Below the best tree",
            "0 bits" if proven else f"{divergence.gap:.3f} bits",
            NUMBERS["Below the best tree"],
        ),
    )


def _of_bags(structure: HiddenParents) -> tuple[Number, ...]:
    sizes = [len(bag) for bag in structure.weights.values()]
    threshold = getattr(structure, "threshold", None)
    mean = f"{sum(sizes) / len(sizes):.1f}" if sizes else "–"
    return (
        Number("Hidden parents", f"{len(sizes)} of {len(structure.attributes)}", GLOSSARY["hidden parent"]),
        Number("Attributes in each", mean, GLOSSARY["bag"]),
        Number(
            "Threshold",
            "none" if threshold is None else f"{threshold:.3f} bits",
            "What two attributes must at least tell about each other, with the class known, to be mixed.",
        ),
    )


def _of_clusters(model: Any, structure: ClusterTree) -> tuple[Number, ...]:
    rounds = model.trace_
    error = rounds.iterations[rounds.kept].error
    return (
        Number("Clusters", str(len(structure.clusters)), "Clouds of cases, over all classes."),
        Number("In each class", f"{model.clusters_per_class_:.1f}", "Clusters of a class, on average."),
        Number("Mistakes", f"{error:.1%}", "Cases of this table that the model gets wrong."),
    )
