"""What the report says: plain words for pictures and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgm_nb.words import bits

if TYPE_CHECKING:
    from pgm_nb.graphs import Graph

__all__ = ["MODELS", "SCORES", "finding", "summary"]

MODELS = {  # short names -> what the model supposes
    "nb": "Every attribute hangs on the class alone.",
    "tan": "Every attribute hangs on the class and on one other attribute; of all such trees the best.",
    "gnb": "Every attribute hangs on the class and on one other attribute, its mother; the tree is grown so "
    "that its order ranks the attributes.",
    "hnb": "Every attribute hangs on the class and on a hidden parent, a mixture of all other attributes.",
    "phnb": "Every attribute hangs on the class and on a hidden parent, a mixture of the closest others.",
    "gaussian": "Every attribute hangs on the class alone; measurements are bell curves, one per class.",
    "local-pca": "Every class is a few clouds of cases, each with its own main directions.",
    "kernel": "Cases near the one at hand are weighed by their distance; attributes may join in pairs.",
}

SCORES = (
    "Each model was learned on a part of the rows and judged on the rest, in turn, so that every row was "
    "judged by a model that had not seen it. Accuracy: how often the likeliest class was the right one. "
    "Log-loss: how surprised the model was by the right class, in bits; less is better. The number after ± "
    "is the standard error: differences much smaller than it may be chance."
)


def summary(model: Any, n_rows: int) -> str:
    """Say in one sentence what was learned from what.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> print(summary(pnb.NaiveBayes().fit(*pnb.load_sample("iris")), 150))
    Naive Bayes, learned from 150 rows with 4 attributes and 3 classes of 'class'.
    """
    structure = model.structure_
    return (
        f"{model.title}, learned from {n_rows:,} rows with {len(model.attribute_names_):,} attributes and "
        f"{len(model.classes_):,} classes of '{structure.target}'."
    )


def finding(structure: Graph) -> str:
    """Say what stands out in a structure: the attribute that tells most, and the strongest tie.

    Examples
    --------
    >>> from pgm_nb.graphs import CherryTree
    >>> print(finding(CherryTree("y", ("a", "b"), {"b": "a"}, {"a": 0.5, "b": 0.25}, {"b": 0.125})))
    a tells most about y (0.50 bits). With y known, a and b still share most (0.12 bits).
    """
    relevance, ties = structure.relevance or {}, structure.dependence or {}
    said = []
    if relevance:
        top = max(structure.attributes, key=lambda name: relevance.get(name, 0.0))
        said.append(f"{top} tells most about {structure.target} ({bits(relevance[top])} bits).")
    mothers = structure.mothers
    tied = [child for child in ties if child in mothers]
    if tied:
        child = max(tied, key=lambda name: ties[name])
        said.append(
            f"With {structure.target} known, {mothers[child]} and {child} still share most "
            f"({bits(ties[child])} bits)."
        )
    return " ".join(said)
