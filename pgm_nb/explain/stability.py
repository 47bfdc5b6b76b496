"""How certain the edges are: the structure relearned from bootstrap samples (Friedman et al. 1999)."""

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
from pgm_nb.words import percent

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.views.printing import PrintSize

__all__ = ["EdgeStability", "edge_stability"]

Pair = tuple[str, str]  #: two attributes, in column order

_NARROWEST, _WIDEST = 0.6, 5.0  # lines, in points


@dataclass(frozen=True, eq=False)
class EdgeStability:
    """How often each edge between attributes appears in bootstrap samples of the rows.

    An edge of a tree has no direction of its own (the root decides which end is the mother), so pairs are
    counted. For GNB a pair is a cherry: the cluster (class, mother, child).

    Attributes
    ----------
    structure : graph of `pgm_nb.graphs`
        The structure learned from all rows.
    counts : dict of pair to int
        In how many samples the two attributes are linked.
    n_bootstrap : int
        Number of bootstrap samples.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> stability = pnb.edge_stability(pnb.GeneralizedNaiveBayes(), X, y, n_bootstrap=50)
    >>> stability.to_frame().head(2)
             source        target    kind  frequency  learned
    0  sepal length   sepal width  cherry       1.00     True
    1   petal width  petal length  cherry       0.98     True
    """

    structure: Graph
    counts: dict[Pair, int]
    n_bootstrap: int

    def frequency(self, one: str, other: str) -> float:
        """Return the share of the bootstrap samples in which two attributes are linked."""
        return max(self.counts.get((one, other), 0), self.counts.get((other, one), 0)) / self.n_bootstrap

    def to_frame(self) -> pd.DataFrame:
        """One row per edge that is in a sample or in the structure: source, target, kind, frequency, learned.

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

    def draw(
        self, *, format: str = "svg", theme: str = "light", dpi: int = 144, size: PrintSize | None = None
    ) -> bytes:
        """Draw the structure of all rows; the number and the width of an arc are its frequency.

        Parameters
        ----------
        format : {"svg", "png", "pdf", "dot"}
            Kind of file.
        theme : {"light", "dark", "auto"}
            Colours of the page.
        dpi : int
            Dots per inch of a png.
        size : PrintSize, optional
            Draw for print in this size.
        """
        from pgm_nb.views.graph.render import draw

        return draw(self._drawing(), format=format, theme=theme, dpi=dpi, size=size)

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
            label=percent(share),
            width=_NARROWEST + (_WIDEST - _NARROWEST) * share,
            tip=f"{one} – {other}: in {percent(share)} of {self.n_bootstrap} bootstrap samples",
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
    """Relearn the structure from bootstrap samples of the rows, and count how often each edge appears.

    The bins and states are learned once from all rows, and the coded rows are sampled with replacement. So
    the numbers say how certain the edges are given the bins.

    Parameters
    ----------
    model : TreeAugmentedNaiveBayes, GeneralizedNaiveBayes or PackagedHiddenNaiveBayes
        Fitted or not; it is copied. The other models do not learn which attributes to link.
    X, y
        Table and labels.
    n_bootstrap : int
        Number of bootstrap samples.
    random_state : int, optional
        Seed of the samples.
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
    0.75
    """
    from sklearn.base import clone

    check_model(model, "chooses_links", "Edge stability")
    if not model.chooses_links:
        raise DataError(
            f"Edge stability needs a model that learns from the data which attributes to link; "
            f"{model.title} always has the same links."
        )
    if n_bootstrap < 1:
        raise DataError(f"n_bootstrap must be at least 1, but is {n_bootstrap}")
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
    """Draw one bootstrap sample, and return the pairs that its structure links, in column order."""
    chosen = np.random.default_rng(seed).integers(0, len(rows.y), len(rows.y))
    column = {name: i for i, name in enumerate(rows.encoder.names)}
    found = {tuple(sorted(pair, key=column.__getitem__)) for pair in _joined(model.relearn(rows, chosen))}
    return [(a, b) for a, b in found]


def _joined(structure: Graph) -> list[Pair]:
    """Return the pairs of attributes that a structure links, each once."""
    pairs: dict[frozenset[str], Pair] = {}
    for edge in structure.edges:
        if edge.kind != "class":
            pairs.setdefault(frozenset((edge.source, edge.target)), (edge.source, edge.target))
    return list(pairs.values())
