"""What the app says: plain words for every term, and names of strangers shown as they are."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pgm_nb.graphs import HiddenParents
from pgm_nb.words import bits

if TYPE_CHECKING:
    from pgm_nb.graphs import Graph

__all__ = [
    "DISCRETIZERS",
    "JOININGS",
    "MISSING",
    "SEARCHES",
    "SHARES",
    "THRESHOLDS",
    "VIEWS",
    "VOTES",
    "bold",
    "literal",
    "model_help",
    "sentence",
]

SHARES = "How much one attribute counts in a hidden parent; all shares add up to 100%."

SEARCHES = {
    "greedy": ("Step by step", "GNB-A: the attribute that adds most comes next"),
    "optimal": ("Best from the first pair", "GNB-O: the best tree that keeps the first pair"),
    "exact": ("Best possible", "no other tree holds more"),
}

THRESHOLDS = {
    "average": ("Closer than average", "the bags of the paper"),
    "auto": ("Best in cross-validation", "chosen on the training rows"),
}

VOTES = {
    "winner": ("The nearest one", "the cluster in which the row is most likely"),
    "sum": ("All together", "each by how likely the row is in it"),
}

JOININGS = {
    "pairs": ("Pairs at the row", "the paper's kernel semi-naive Bayes"),
    "none": ("None", "P-tree naive Bayes"),
    "binned": ("Pairs of groups", "numbers are sorted into groups first"),
}

DISCRETIZERS = {
    "quantile": "Groups of equal size",
    "uniform": "Groups of equal width",
    "mdlp": "Cuts chosen by the class",
}

MISSING = {
    "state": "A value of its own",
    "drop": "Leave those rows out",
    "mode": "The commonest value stands in",
}

VIEWS = {
    "star": "Star",
    "tree": "Family tree",
    "chordal": "Every link",
    "junction": "Clusters",
    "compact": "Compact clusters",
    "focus": "One attribute",
    "strongest": "Strongest links",
    "heatmap": "All shares",
    "bags": "Bags",
    "densities": "Means and spreads",
    "curves": "Bell curves",
    "clusters": "Clouds",
    "plane": "In a plane",
    "row": "At one row",
}


def literal(text: str) -> str:
    r"""Return Markdown that Streamlit shows exactly as the text is.

    Punctuation is escaped; an invisible word joiner keeps Streamlit from reading ``:smile:`` as a picture and
    ``->`` as an arrow.

    Examples
    --------
    >>> literal("**bold** $x$")
    '\\*\\*bold\\*\\* \\$x\\$'
    """
    escaped = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(text.split()))
    return re.sub(r":(?=\\?[\w+-])|[-<>~](?=\\[->=])", "\\g<0>\u2060", escaped)


def bold(name: str) -> str:
    """Return Markdown that shows a name as it is, in bold.

    Examples
    --------
    >>> bold("mean radius")
    '**mean radius**'
    """
    return f"**{literal(name)}**" if name.strip() else literal(name)


def model_help(titles: Mapping[str, str]) -> str:
    """Explain the models that the app offers."""
    says = {
        "nb": "every attribute hangs on the class alone.",
        "tan": "every attribute hangs on the class and on one other attribute; the best such tree.",
        "gnb": "the same kind of tree, grown so that its steps rank the attributes.",
        "hnb": "every attribute hangs on the class and on a hidden parent, a mixture of all others.",
        "phnb": "the same with a mixture of the closest others only, its bag.",
        "gaussian": "a star whose measurements are bell curves, one per class; no groups are made.",
        "local-pca": "every class is a few clouds of cases, each with its own main directions.",
        "kernel": "cases near the one at hand are weighed by their distance; attributes may join in pairs.",
    }
    return "\n\n".join(f"**{title}**: {says[name]}" for name, title in titles.items() if name in says)


def sentence(structure: "Graph", view: str, mark: Callable[[str], str] = str) -> str:
    """Say in one sentence what a view of a structure shows; `mark` dresses the names in it.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> sentence(Star("disease", ("age", "sex"), {"age": 0.2, "sex": 0.1}), "star")
    'Every attribute hangs on disease alone; age tells most about it (0.20 bits).'
    """
    relevance, ties = structure.relevance or {}, structure.dependence or {}
    target = "the class" if structure.target.lower() == "class" else mark(structure.target)
    telling = max(structure.attributes, key=lambda name: relevance.get(name, 0.0))
    if isinstance(structure, HiddenParents):
        return _hidden_sentence(structure, view, target, mark)
    if not ties:
        return (
            f"Every attribute hangs on {target} alone; {mark(telling)} tells most about it "
            f"({bits(relevance.get(telling, 0.0))} bits)."
        )
    child = max(ties, key=ties.__getitem__)
    pair, strongest = f"{mark(structure.mothers[child])} and {mark(child)}", f"({bits(ties[child])} bits)"
    return {
        "tree": f"Arrows lead from mother to child, and {target} points to all; with {target} known, "
        f"{pair} share most {strongest}.",
        "chordal": f"Every link is drawn: from {target} to every attribute, and from every attribute to its "
        f"mother; the widest line joins {pair} {strongest}.",
        "junction": f"Each rounded box is a cluster ({target}, a mother, her child), and each square box the "
        "separator by which it hangs on an earlier one.",
        "compact": f"Each rounded box is a cluster ({target}, a mother, her child), and each square box a "
        "separator, drawn once for all the clusters that share it.",
    }[view]


def _hidden_sentence(structure: HiddenParents, view: str, target: str, mark: Callable[[str], str]) -> str:
    """Say what a view of hidden parents shows."""
    arcs = [edge for edge in structure.edges if edge.kind == "hidden"]
    if not arcs:
        return f"No attribute has a hidden parent; every one hangs on {target} alone."
    top = max(arcs, key=lambda edge: edge.weight or 0.0)
    strongest = f"{mark(top.source)} has the largest share of all, {top.weight:.0%} of {mark(top.target)}"
    return {
        "focus": f"The attribute on the right hangs on {target} and on a hidden parent; the numbers beside "
        "the attributes on the left are their shares in it.",
        "strongest": f"Dashed arrows lead from an attribute to those whose hidden parents it has a large "
        f"share in, and {target} points to all; {strongest}.",
        "heatmap": "Each row is the hidden parent of an attribute, with the shares of the others in percent; "
        f"{strongest}.",
        "bags": f"Each box is the bag of the attribute at its top (beside it what it tells about {target}, "
        "in bits), with the share of each member; bag NB holds those without one.",
    }[view]
