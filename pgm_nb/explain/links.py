"""How certain the links are: relearned from bootstrap samples (Friedman et al. 1999), and tested."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Ints, Places
from pgm_nb.errors import DataError, MissingPackageError
from pgm_nb.explain.case_values import rows_and_labels
from pgm_nb.explain.protocols import CodedModel, CodedTable, check_model
from pgm_nb.graphs import Graph
from pgm_nb.scoring.folds import Progress, in_parallel
from pgm_nb.scoring.significance import holm
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.words import percent

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.views.printing import PrintSize

__all__ = ["EdgeStability", "edge_stability", "edge_tests"]

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

    check_model(model, "about", "Edge stability")
    if not model.about.chooses_links:
        raise DataError(
            f"Edge stability needs a model that learns from the data which attributes to link; "
            f"{model.about.title} always has the same links."
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


METHODS = ("g", "permutation")
CORRECTIONS = ("holm", "bh", None)
_ROUNDING = 1e-9  # a permuted statistic that is smaller by no more is as large


class EdgeTest(NamedTuple):
    """What one edge gave: its rows, information in bits, statistic, degrees of freedom and p-value."""

    rows: int
    information: float
    statistic: float
    df: int
    p_value: float


def edge_tests(
    model: CodedModel,
    X: Any,
    y: Any,
    *,
    method: str = "g",
    correction: str | None = "holm",
    n_permutations: int | None = None,
    random_state: int | None = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Test every edge of the structure against chance.

    A fitted model is tested as it is, on the rows given: with fresh rows the p-values are honest. A model
    that is not fitted is first fitted to the same rows; it has then picked the strongest of all edges, so
    their p-values are too small. Rows where an attribute of the edge is unknown are left out.

    Parameters
    ----------
    model : NaiveBayes, TreeAugmentedNaiveBayes, GeneralizedNaiveBayes, or one with hidden parents
        Fitted or not.
    X, y
        Table and labels.
    method : {"g", "permutation"}
        The G-test, with (v_i - 1)(v_j - 1) degrees of freedom per class, only states that occur counted; or
        the share of tables at least as dependent when one attribute is permuted within each class.
    correction : {"holm", "bh", None}
        For many edges: Holm (the chance of any false edge) or Benjamini and Hochberg (the share of false
        ones); over all edges of the table.
    n_permutations : int, optional
        How often an attribute is permuted. The smallest p-value is 1 / (n_permutations + 1), so many edges
        need many permutations to withstand the correction: by default 40 per edge, at least 999.
    random_state : int, optional
        Which permutations.
    n_jobs : int
        Processes that share the edges; any number gives the same result.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Returns
    -------
    DataFrame
        One row per edge: source, target, kind, rows, information (bits), statistic, df, p_value, p_corrected.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> tests = pnb.edge_tests(pnb.GeneralizedNaiveBayes(), X, y)
    >>> tests.loc[tests.kind == "tree", ["source", "target", "df", "p_corrected"]].round(5)
             source        target   df  p_corrected
    4   petal width  petal length   34      0.00003
    5  petal length  sepal length   72      0.00001
    6  sepal length   sepal width  128      0.00121
    """
    import pandas as pd
    from sklearn.base import clone

    _check(method, correction, n_permutations)
    check_model(model, "encode", "A test of edges")
    frame, labels = rows_and_labels(X, y)
    fitted: CodedModel = model if hasattr(model, "structure_") else clone(model).fit(X, y)
    known = frame if hasattr(fitted, "feature_names_in_") else frame.to_numpy()
    codes = fitted.encode(known)
    classes = _class_codes(labels, fitted.classes_)
    edges = _edges(fitted.structure_)
    times = n_permutations or max(999, 40 * len(edges))
    column = {name: i for i, name in enumerate(fitted.encoder_.names)}
    seeds = np.random.SeedSequence(random_state).spawn(len(edges))
    places = [(column.get(source, -1), column[target]) for source, target, _ in edges]
    cards = (*fitted.encoder_.cards, len(fitted.classes_))
    work = partial(_test_edge, codes, classes, cards, method == "permutation", times)
    found = in_parallel(work, list(zip(places, seeds, strict=True)), n_jobs=n_jobs, progress=progress)
    table = pd.DataFrame(edges, columns=["source", "target", "kind"])
    table = table.join(pd.DataFrame(found, columns=list(EdgeTest._fields)))
    table["p_corrected"] = corrected(table["p_value"].to_numpy(), correction)
    return table


def g_test(counts: Ints) -> tuple[float, int]:
    """G statistic and degrees of freedom of tables n(y, a, b), (k, r, c): the sum over the classes y.

    Examples
    --------
    >>> statistic, df = g_test(np.array([[[10, 20], [30, 40]]]))
    >>> round(statistic, 4), df
    (0.8043, 1)
    """
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    r, c = (rows > 0).sum(axis=1), (columns > 0).sum(axis=1)
    df = int((np.maximum(r - 1, 0) * np.maximum(c - 1, 0)).sum())
    return float(_statistics(counts[None])[0]), df


def corrected(p_values: Floats, correction: str | None) -> Floats:
    """Correct p-values for their number, by Holm or by Benjamini and Hochberg.

    Examples
    --------
    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if correction is None:
        return p_values.copy()
    if correction == "bh":
        from scipy.stats import false_discovery_control

        controlled: Floats = false_discovery_control(p_values, method="bh")
        return controlled
    return holm(p_values)


def _test_edge(
    codes: Codes,
    y: Places,
    cards: tuple[int, ...],
    permute: bool,
    times: int,
    edge: tuple[tuple[int, int], np.random.SeedSequence],
) -> EdgeTest:
    from scipy.stats import chi2

    (source, target), seed = edge
    if source < 0:  # an edge of the class: one table of the class and the attribute
        counts = _table(codes[target], y, np.zeros_like(y), (cards[target], cards[-1], 1))
    else:
        counts = _table(codes[source], codes[target], y, (cards[source], cards[target], cards[-1]))
    n = int(counts.sum())
    statistic, df = g_test(counts)
    if permute:
        others = _permuted(counts, times, np.random.default_rng(seed))
        extreme = int((others >= statistic - _ROUNDING * max(statistic, 1.0)).sum())
        p_value = (extreme + 1) / (times + 1)
    else:
        p_value = float(chi2.sf(statistic, df)) if df else 1.0
    return EdgeTest(n, statistic / (2 * n * np.log(2)) if n else 0.0, statistic, df, p_value)


def _table(a: NDArray[Any], b: NDArray[Any], given: Places, cards: tuple[int, int, int]) -> Ints:
    """n(given, a, b) over the rows where all three are known, (k, r, c)."""
    r, c, k = cards
    known = (a < r) & (b < c)
    flat = (given[known].astype(np.intp) * r + a[known]) * c + b[known]
    return np.bincount(flat, minlength=k * r * c).reshape(k, r, c)


def _statistics(counts: Ints) -> Floats:
    """G of many tables at once, (tables,): 2 sum n ln(n n(y) / n(y,a) n(y,b)); counts (tables, k, r, c)."""
    expected = (
        counts.sum(axis=3, keepdims=True)
        * counts.sum(axis=2, keepdims=True)
        / np.maximum(counts.sum(axis=(2, 3), keepdims=True), 1)
    )
    ratio = np.divide(counts, expected, out=np.ones(counts.shape), where=counts > 0)
    total: Floats = 2 * (counts * np.log(ratio)).sum(axis=(1, 2, 3))
    return total


def _permuted(counts: Ints, times: int, rng: np.random.Generator) -> Floats:
    """G of tables drawn with the margins of each class: what permuting within the class would give."""
    from scipy.stats import random_table

    total = np.zeros(times)
    for table in counts:
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        rows, columns = rows[rows > 0], columns[columns > 0]
        if len(rows) > 1 and len(columns) > 1:
            drawn = random_table(rows, columns).rvs(size=times, random_state=rng)
            total += _statistics(drawn.astype(np.int64)[:, None])
    return total


def _edges(structure: Any) -> list[tuple[str, str, str]]:
    """Return source, target and kind of every edge; two attributes that contribute to each other once."""
    seen: dict[frozenset[str], tuple[str, str, str]] = {}
    for edge in structure.edges:
        seen.setdefault(frozenset((edge.source, edge.target)), (edge.source, edge.target, edge.kind))
    return list(seen.values())


def _class_codes(labels: pd.Series, classes: NDArray[Any]) -> Places:
    place = {label: code for code, label in enumerate(classes.tolist())}
    codes = [place.get(label, -1) for label in labels.tolist()]
    if -1 in codes:
        strange = labels.iloc[codes.index(-1)]
        raise DataError(
            f"every label must be a class of the model ({', '.join(map(str, place))}), but one is {strange!r}"
        )
    return np.array(codes, dtype=np.intp)


def _check(method: str, correction: str | None, n_permutations: int | None) -> None:
    if method not in METHODS:
        raise DataError(f"method must be 'g' or 'permutation', but is {method!r}")
    if correction not in CORRECTIONS:
        raise DataError(f"correction must be 'holm', 'bh' or None, but is {correction!r}")
    if n_permutations is not None and n_permutations < 1:
        raise DataError(f"n_permutations must be at least 1, but is {n_permutations}")
