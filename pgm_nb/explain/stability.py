"""How sure the edges are: the structure relearned from resampled rows (Friedman, Goldszmidt, Wyner 1999)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.errors import DataError, MissingPackageError
from pgm_nb.explain.protocols import CodedModel, CodedTable, check_model
from pgm_nb.graphs import Graph
from pgm_nb.scoring.parallel import Progress, in_parallel
from pgm_nb.views.graph.drawing import Arc, Drawing, Node

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EdgeStability", "edge_stability"]

Pair = tuple[str, str]  #: two attributes, in column order

_NARROWEST, _WIDEST = 0.6, 5.0  # lines, in points


@dataclass(frozen=True, eq=False)
class EdgeStability:
    """How often each edge between attributes came up when the rows were drawn again.

    An edge of a tree has no direction of its own (which end is the mother depends on the root), so pairs
    are counted. For GNB a pair is a cherry: the cluster (class, mother, child).

    Attributes
    ----------
    structure : graph of `pgm_nb.graphs`
        What all rows together give.
    counts : dict of pair to int
        How often the two attributes were joined.
    n_bootstrap : int
        How often the rows were drawn.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> stability = pnb.edge_stability(pnb.GeneralizedNaiveBayes(), X, y, n_bootstrap=50)
    >>> stability.to_frame().head(2)
             source        target    kind  frequency  learned
    0   petal width  petal length  cherry       1.00     True
    1  sepal length   sepal width  cherry       0.96     True
    """

    structure: Graph
    counts: dict[Pair, int]
    n_bootstrap: int

    def frequency(self, one: str, other: str) -> float:
        """How often two attributes were joined, as a share of all drawings."""
        return max(self.counts.get((one, other), 0), self.counts.get((other, one), 0)) / self.n_bootstrap

    def to_frame(self) -> pd.DataFrame:
        """One row per edge that came up or is in the structure: source, target, kind, frequency, learned.

        The most frequent come first; `learned` says whether the structure of all rows holds the edge.
        """
        import pandas as pd

        learned = {frozenset((a, b)): (a, b) for a, b in _joined(self.structure)}
        rows = [(a, b, True) for a, b in learned.values()]
        rows += [(a, b, False) for a, b in self.counts if frozenset((a, b)) not in learned]
        frame = pd.DataFrame(rows, columns=["source", "target", "learned"])
        frame.insert(2, "kind", self.structure.link_kind)
        frequencies = [self.frequency(a, b) for a, b, _ in rows]
        frame.insert(3, "frequency", np.array(frequencies, dtype=np.float64))
        return frame.sort_values("frequency", ascending=False, kind="stable", ignore_index=True)

    def draw(self, *, format: str = "svg", theme: str = "light", dpi: int = 144) -> bytes:
        """Draw the structure of all rows; the number and the width of an arc are its frequency.

        Parameters
        ----------
        format : {"svg", "png", "pdf", "dot"}
            Kind of file.
        theme : {"light", "dark", "auto"}
            Colours of the page.
        dpi : int
            Dots per inch of a png.
        """
        from pgm_nb.views.graph.render import draw

        return draw(self._drawing(), format=format, theme=theme, dpi=dpi)

    def _repr_svg_(self) -> str | None:
        try:
            return self.draw(theme="auto").decode()
        except MissingPackageError:  # a notebook shows the text instead
            return None

    def _drawing(self) -> Drawing:
        graph = self.structure
        names = dict(zip((f"n{i}" for i in range(len(graph.nodes))), graph.nodes, strict=True))
        if "tree" not in graph.views:
            ids = {name: id for id, name in names.items()}
            nodes = tuple(Node(ids[name], (name,), "attribute") for name in graph.attributes)
            arcs = tuple(self._arc(Arc(ids[a], ids[b], "tree"), a, b) for a, b in _joined(graph))
            return Drawing("stability", nodes, arcs, directed=False)
        plain = graph.drawing("tree")
        drawn = (
            self._arc(arc, names[arc.source], names[arc.target]) if arc.kind == "tree" else arc
            for arc in plain.arcs
        )
        return replace(plain, title="stability", arcs=tuple(drawn))

    def _arc(self, arc: Arc, one: str, other: str) -> Arc:
        share = self.frequency(one, other)
        return replace(
            arc,
            label=f"{share:.0%}",
            width=_NARROWEST + (_WIDEST - _NARROWEST) * share,
            tip=f"{one} – {other}: in {share:.0%} of {self.n_bootstrap} drawings of the rows",
        )


def edge_stability(
    model: CodedModel,
    X: Any,
    y: Any,
    *,
    n_bootstrap: int = 100,
    random_state: int | None = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> EdgeStability:
    """Relearn the structure from rows drawn with replacement, and count how often each edge appears.

    The bins and states are those of all rows: they are learned once, and coded rows are drawn. So the
    numbers tell how sure the edges are given the bins.

    Parameters
    ----------
    model : TreeAugmentedNaiveBayes, GeneralizedNaiveBayes or PackagedHiddenNaiveBayes
        Fitted or not; it is copied. The other models have no edges between attributes to learn.
    X, y
        Table and labels.
    n_bootstrap : int
        How often the rows are drawn.
    random_state : int, optional
        Which drawings.
    n_jobs : int
        Processes that share the work; any number gives the same result.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Returns
    -------
    EdgeStability

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> stability = pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), X, y, n_bootstrap=20)
    >>> stability.frequency("petal width", "sepal width")
    0.85
    """
    from sklearn.base import clone

    check_model(model, "chooses_links", "Edge stability")
    if not model.chooses_links:
        raise DataError(
            f"Edge stability needs a model that learns from the data which attributes to link; "
            f"{model.title} always has the same links."
        )
    if n_bootstrap < 1:
        raise DataError(f"the rows must be drawn at least once, and n_bootstrap is {n_bootstrap}")
    fresh: CodedModel = clone(model)
    rows: CodedTable = fresh.code_table(X, y)
    structure = fresh.relearn(rows, np.arange(len(rows.y)))
    seeds = np.random.SeedSequence(random_state).spawn(n_bootstrap)
    found = in_parallel(partial(_draw, fresh, rows), seeds, n_jobs=n_jobs, progress=progress)
    column = {name: i for i, name in enumerate(rows.encoder.names)}
    ordered = sorted(
        Counter(pair for pairs in found for pair in pairs).items(),
        key=lambda item: (column[item[0][0]], column[item[0][1]]),
    )
    return EdgeStability(structure, dict(ordered), n_bootstrap)


def _draw(model: CodedModel, rows: CodedTable, seed: np.random.SeedSequence) -> list[Pair]:
    """Draw the rows once, and return the pairs that the structure then joins, in column order."""
    chosen = np.random.default_rng(seed).integers(0, len(rows.y), len(rows.y))
    column = {name: i for i, name in enumerate(rows.encoder.names)}
    found = {tuple(sorted(pair, key=column.__getitem__)) for pair in _joined(model.relearn(rows, chosen))}
    return [(a, b) for a, b in found]


def _joined(structure: Graph) -> list[Pair]:
    """Return the pairs of attributes that a structure joins, each once."""
    pairs: dict[frozenset[str], Pair] = {}
    for edge in structure.edges:
        if edge.kind != "class":
            pairs.setdefault(frozenset((edge.source, edge.target)), (edge.source, edge.target))
    return list(pairs.values())
