"""Kernel semi-naive Bayes on P-trees, and its siblings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import inf, log
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if

from pgm_nb.allowed import NOT_NEGATIVE, POSITIVE, Allowed, whole
from pgm_nb.arrays import Flags, Floats, Ints, Places
from pgm_nb.data import Column, Encoder
from pgm_nb.data.target import target_name
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.case_values import one_row
from pgm_nb.explain.detail import Detail, DetailTable, share_table
from pgm_nb.explain.explanation import Terms
from pgm_nb.graphs import JoinedStar
from pgm_nb.models.about import TABLE_OPTIONS, About, Choice, Option, number_or_none
from pgm_nb.models.base import Classifier, Packed, check_meaning, whole_or_unfitted
from pgm_nb.models.continuous import batch_classes, codes_of
from pgm_nb.models.inspection import Mark, without_missing_state
from pgm_nb.models.kernel.rows import (
    KERNELS,
    MOST_BITS,
    HobbitIndex,
    KernelIndex,
    KernelState,
    Reading,
    Window,
    index_rows,
    integers,
    pack,
    unpack,
)
from pgm_nb.models.kernel.sums import (
    LogKernel,
    groups_of,
    log_sum,
    logs,
    pair_places,
    paired,
    strongest_groups,
    strongest_pairs,
)

if TYPE_CHECKING:
    from pgm_nb.graphs import Graph
    from pgm_nb.graphs.base import View
    from pgm_nb.models.inspection import Known, Varied
    from pgm_nb.views.graph.drawing import Element

__all__ = ["KERNEL_OPTIONS", "KernelSemiNaiveBayes", "correlations", "join", "log_densities"]


def correlations(single: Floats, joint: Floats, n: int) -> Floats:
    """Corr(a,b) = n sum_t K_a K_b / (sum_t K_a sum_t K_b) - 1 at every row, over all classes, (m, pairs).

    Parameters
    ----------
    single : array (m, d, k)
        log sum_{t in c} K_a.
    joint : array (m, pairs, k)
        log sum_{t in c} K_a K_b.
    n : int
        Training rows.

    Examples
    --------
    >>> single, joint = np.log([[[2.0], [4.0]]]), np.log([[[2.0]]])
    >>> correlations(single, joint, n=8)  # 8 * 2 / (2 * 4) - 1
    array([[1.]])
    """
    a, b = pair_places(single.shape[1])
    alone = np.logaddexp.reduce(single, axis=2)
    together = np.logaddexp.reduce(joint, axis=2)
    apart = alone[:, a] + alone[:, b]
    ratio = np.where(np.isneginf(apart), 0.0, log(n) + together - np.where(np.isneginf(apart), 0.0, apart))
    corr: Floats = np.expm1(ratio)
    return corr


def log_densities(log_sums: Floats, class_sizes: Ints, smoothing: float | None) -> Floats:
    """Log of the per-class density from log kernel sums, last axis the classes.

    None: (1/n_c) S_c, as in the paper. A number m: (S_c + m S/n) / (n_c + m), that is m imaginary rows of
    every class that are spread as all rows are; then no class is impossible where any row is near.

    Examples
    --------
    >>> np.exp(log_densities(np.log([3.0, 1.0]), np.array([4, 4]), None))
    array([0.75, 0.25])
    >>> np.exp(log_densities(np.array([0.0, -inf]), np.array([4, 4]), 2.0)).round(3)
    array([0.208, 0.042])
    """
    if smoothing is None:
        return np.where(class_sizes > 0, log_sums - np.log(np.maximum(class_sizes, 1)), -inf)
    pooled = np.logaddexp.reduce(log_sums, axis=-1, keepdims=True) - log(class_sizes.sum())
    smooth: Floats = np.logaddexp(log_sums, log(smoothing) + pooled) - np.log(class_sizes + smoothing)
    return smooth


@dataclass(frozen=True, eq=False)
class Joined:
    """Rows to classify, their factors per class, and which attributes are joined at each.

    Attributes
    ----------
    factors : array (m, d, k)
        Log density of every group, at its first attribute in column order; 0 at the others and where unknown.
    known : array (m, d)
        The attributes that count at the row: known, and near to some training row.
    first : array (m, d)
        The first attribute of the group that each attribute is in; itself where it is alone.
    correlation : array (m, pairs)
        Corr(a,b) at the row.
    strength : array (m, pairs)
        What they are joined by: Corr or its size; minus infinity for pairs that cannot be joined.
    """

    factors: Floats
    known: Flags
    first: Places
    correlation: Floats
    strength: Floats

    @property
    def log_likelihood(self) -> Floats:
        """Log of the product of all factors, (m, k)."""
        total: Floats = self.factors.sum(axis=1)
        return total

    def in_order(self, order: Places) -> Floats:
        """Log of every factor at the place of its attribute in this order, (m, d, k).

        The factor of a group is where the first of its attributes is, and the places of the others hold zero.
        """
        turn = np.argsort(order)
        rows = np.arange(len(self.first))[:, None]
        earliest = np.full(self.first.shape, len(order))
        np.minimum.at(earliest, (rows, self.first), np.broadcast_to(turn, self.first.shape))
        row, place = np.nonzero(earliest < len(order))
        ordered: Floats = np.zeros_like(self.factors)
        ordered[row, earliest[row, place]] = self.factors[row, place]
        return ordered


def join(
    single: Floats,
    joint: Floats | None,
    known: Flags,
    class_sizes: Ints,
    *,
    threshold: float | None,
    anticorrelation: bool,
    smoothing: float | None,
    most: int = 2,
    log_kernel: LogKernel | None = None,
) -> Joined:
    """Join attributes at every row and turn kernel sums into factors.

    A pair is joined when Corr > threshold (|Corr| with `anticorrelation`), the strongest first, and a group
    has at most so many attributes. Values that no training row is near to at once are never joined, and a
    value that no training row is near to is unknown.

    Parameters
    ----------
    single, joint : arrays (m, d, k) and (m, pairs, k)
        Log kernel sums per class; `joint` is None without joining.
    known : array (m, d)
        Whether the attribute is known at the row.
    most : int
        The attributes that a group may have.
    log_kernel : callable, optional
        Of a row and a known attribute: log of the kernel at all training rows, class by class. Needed where a
        group may have more than two.
    """
    m, d, _ = single.shape
    known = known & (single > -inf).any(axis=2)
    a, b = pair_places(d)
    first, sums = np.tile(np.arange(d), (m, 1)), single
    corr = strength = np.zeros((m, len(a)))
    if joint is not None and threshold is not None:
        corr = correlations(single, joint, int(class_sizes.sum()))
        possible = known[:, a] & known[:, b] & (joint > -inf).any(axis=2)
        strength = np.where(possible, np.abs(corr) if anticorrelation else corr, -inf)
        if log_kernel is None or most == 2:
            first = paired(strongest_pairs(strength, threshold, d), d)
        else:
            first = strongest_groups(strength, threshold, d, most, _near(log_kernel))
        sums = _group_sums(single, joint, first, class_sizes, log_kernel)
    counts = known & (first == np.arange(d))
    factors = np.where(counts[..., None], log_densities(sums, class_sizes, smoothing), 0.0)
    return Joined(factors, known, first, corr, strength)


def _near(log_kernel: LogKernel) -> Callable[[int, int], Flags]:
    return lambda row, place: log_kernel(row, place) > -inf


def _group_sums(
    single: Floats, joint: Floats, first: Places, class_sizes: Ints, log_kernel: LogKernel | None
) -> Floats:
    """Log kernel sums of the groups, at the first attribute of each, (m, d, k)."""
    d = first.shape[1]
    a, b = pair_places(d)
    rows, pairs = np.nonzero(first[:, b] == a)
    sums = single.copy()
    sums[rows, a[pairs]] = joint[rows, pairs]
    larger = np.flatnonzero((first[:, :, None] == np.arange(d)).sum(axis=1).max(axis=1) > 2)
    ends = np.cumsum(class_sizes)[:-1]
    for place, group in groups_of(first[larger]):
        if len(group) > 2 and log_kernel is not None:
            row = int(larger[place])
            together = np.sum([log_kernel(row, attribute) for attribute in group.tolist()], axis=0)
            sums[row, group[0]] = [
                log_sum(part, 0) if len(part) else -inf for part in np.split(together, ends)
            ]
    return sums


def row_graph(joined: Joined, target: str, names: tuple[str, ...]) -> JoinedStar:
    """Return the graph of the first row: which attributes are joined there, and by how much.

    An attribute is linked to the one before it in its group that it goes with most.
    """
    pairs = np.zeros((len(names), len(names)), dtype=np.intp)
    pairs[pair_places(len(names))] = np.arange(joined.correlation.shape[1])
    partner: dict[str, str] = {}
    correlation: dict[str, float] = {}
    for _, group in groups_of(joined.first[:1]):
        for turn, place in enumerate(group[1:], 1):
            earlier = group[:turn]
            best = joined.strength[0, pairs[earlier, place]].argmax()
            partner[names[place]] = names[earlier[best]]
            correlation[names[place]] = float(joined.correlation[0, pairs[earlier[best], place]])
    unknown = tuple(name for name, known in zip(names, joined.known[0], strict=True) if not known)
    return JoinedStar(target, names, partner, correlation, unknown)


def row_factor_logs(joined: Joined, names: tuple[str, ...]) -> dict[str, Floats]:
    """Log of the factors of the first row by their groups; none if the row is impossible in every class."""
    if not np.isfinite(joined.log_likelihood[0]).any():
        return {}
    first, known = joined.first[0], joined.known[0]
    places = np.flatnonzero(known & (first == np.arange(len(names))))
    return {", ".join(names[a] for a in np.flatnonzero(first == p)): joined.factors[0, p] for p in places}


def group_terms(
    blocks: Iterable[Joined], names: tuple[str, ...], ranking: tuple[str, ...], prior: Floats
) -> Terms:
    """Split scores into the groups of each row.

    Rows with the same groups, such as one row alone, have a step per group. Otherwise there is a step per
    attribute: the term of a joined group is at the first of them, and zero at the others.

    Parameters
    ----------
    blocks : iterable of Joined
        The rows.
    names, ranking : tuples of str
        The attributes in the order of the columns, and in that of the steps.
    prior : array (k,)
        Log of the class prior.
    """
    order = np.array([names.index(name) for name in ranking])
    parts = [(joined.in_order(order), joined.first) for joined in blocks]
    factors, first = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    groups = _groups(first, names, ranking)
    steps = [place for place, name in enumerate(ranking) if name in groups]
    labels = tuple(", ".join(group) for group in groups.values())
    return Terms(labels, tuple(groups.values()), prior, factors[:, steps])


def _groups(first: Places, names: Sequence[str], ranking: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the groups by their first attribute; every attribute its own where rows differ."""
    groups: dict[str, tuple[str, ...]] = {name: (name,) for name in ranking}
    if (first == first[0]).all():
        for _, places in groups_of(first[:1]):
            group = sorted((names[place] for place in places), key=ranking.index)
            groups[group[0]] = tuple(group)
            for name in group[1:]:
                del groups[name]
    return groups


SMOOTHING = Option(
    "smoothing",
    parse=number_or_none,
    metavar="M",
    flag_help="a number of imaginary rows in every class, spread as all rows are (default: 1), or 'none'",
)
BLOCK_CELLS = 1 << 22  # numbers that the pair sums of one block of rows may hold: 32 MB
Method = TypeVar("Method", bound=Callable[..., Any])


def _whole_or_none(text: str) -> int | None:
    return None if text == "none" else int(text)


KERNEL_OPTIONS = (
    Option(
        "joining",
        "Joining",
        "Attributes that go together around the row at hand are looked at as one.",
        (
            Choice("pairs", "Pairs at the row", "the paper's kernel semi-naive Bayes"),
            Choice("groups", "Groups at the row", "as many as go together", {"max_joined": None}),
            Choice("none", "None", "P-tree naive Bayes", {"threshold": None}),
            Choice(
                "binned",
                "Pairs of intervals",
                "numbers are sorted into intervals first",
                {"discretizer": "quantile"},
                bins=True,
            ),
        ),
        flag_help="pairs (attributes are joined at every row, the default), groups (as many as go "
        "together), none (never) or binned (numbers become states first)",
    ),
    Option(
        "max_joined",
        parse=_whole_or_none,
        metavar="N",
        flag_help="the attributes that a joined group may have (default: 2), or 'none' for any number",
    ),
    Option(
        "threshold",
        parse=number_or_none,
        flag_help="join attributes that correlate by more than this at the row (default: 0.05)",
    ),
    *(SMOOTHING if option.key == "smoothing" else option for option in TABLE_OPTIONS),
)


def _with_window(method: Method) -> Method:
    """Let a model have this method only if it has a window."""

    def has_window(model: KernelSemiNaiveBayes) -> bool:
        if model.window is None:
            raise AttributeError("adding rows needs a window: pass window=, the number of rows to keep")
        return True

    return cast(Method, available_if(has_window)(method))


class KernelSemiNaiveBayes(Classifier):
    """Kernel semi-naive Bayes: densities from kernels, and attributes joined anew at every row.

    After Denton and Perrizo (2004). The density of an attribute in a class is the mean of a kernel over the
    rows of the class. Two attributes are joined at a row to classify when
    Corr(a,b) = n sum K_a K_b / (sum K_a sum K_b) - 1 exceeds the threshold there; the strongest pairs come
    first and an attribute is in one pair at most. A joined pair is one factor with the product kernel. With
    `max_joined`, a pair joins the whole groups that its two attributes are in.

    Parameters
    ----------
    threshold : float or None
        Join above this correlation. None: never join (P-tree naive Bayes).
    anticorrelation : bool
        Join by the size of the correlation, so also pairs of values that avoid each other.
    max_joined : int or None
        The attributes that a joined group may have: 2 for pairs, None for any number. A larger group is one
        factor too, the mean over the rows of the product of its kernels; every row is visited for it.
    kernel : {"hobbit", "gaussian"}
        Of numeric columns, both with half the column's standard deviation as width. "hobbit": a Gaussian of
        the exponential HOBbit distance between integers of `bits` bits; sums are range counts in a P-tree,
        and no row is visited. "gaussian": a Gaussian of the numbers themselves, summed over all rows. The
        kernel of categories is [x = x_t].
    bits : int
        Bits of a numeric column for "hobbit", 1 to 16.
    log_columns : sequence of str, optional
        Numeric columns to scale by ``sign(x) log(1 + |x| / u)``, u the smallest nonzero size in training.
    discretizer : str, mapping per column of names or of cut points, or None
        Discretise numeric columns first (discrete semi-naive Bayes). None: leave them continuous.
    n_bins : int, optional
        Bins per discretised column, unless "mdlp" or "caim" choose how many; 10 when not given.
    smoothing : float or None
        A number m: every class gets m imaginary rows spread as all rows are. None: the paper's rule, where a
        category that a class never had makes the class impossible.
    missing : {"state", "drop", "mode"}
        Missing cells at training: a state of their own, equal to itself only; rows dropped; or the commonest
        value. `missing_` counts them. An unknown cell in a row to classify has factor one.
    window : int, optional
        For a stream: learn from the last `window` rows only, and let `partial_fit` move on.

    Attributes
    ----------
    structure_ : Star
        The attributes; `structure_for` gives the graph of a row. The relevance is that of binned numbers.
    attributes_ : tuple of KernelAttribute
    classes_, feature_names_in_, n_features_in_, encoder_, missing_

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = KernelSemiNaiveBayes().fit(X, y)
    >>> round(model.score(X, y), 2)
    0.91
    >>> model.structure_for(X.iloc[[0]]).groups
    (('sepal length', 'sepal width'), ('petal length', 'petal width'))
    """

    about: ClassVar[About] = About(
        allowed={
            "threshold": replace(NOT_NEGATIVE, words=(None,)),
            "max_joined": whole(2, none=True),
            "kernel": Allowed(words=KERNELS),
            "bits": whole(1, MOST_BITS),
            "smoothing": replace(POSITIVE, words=(None,)),
            "window": whole(1, what="a number of rows", none=True),
        },
        short_name="kernel",
        title="Kernel semi-naive Bayes",
        summary="Training cases count by how close they are to the case at hand; attributes that go "
        "together there are joined in pairs.",
        factors_for_pgmpy=", use to_pgmpy(row) for the factors of a row",
        links_compare=False,
        grows_by="",
        options=KERNEL_OPTIONS,
    )

    def __init__(
        self,
        *,
        threshold: float | None = 0.05,
        anticorrelation: bool = False,
        max_joined: int | None = 2,
        kernel: str = "hobbit",
        bits: int = 8,
        log_columns: Sequence[str] | None = None,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = None,
        n_bins: int | None = None,
        smoothing: float | None = 1.0,
        missing: str = "state",
        window: int | None = None,
    ) -> None:
        self.threshold = threshold
        self.anticorrelation = anticorrelation
        self.max_joined = max_joined
        self.kernel = kernel
        self.bits = bits
        self.log_columns = log_columns
        self.discretizer = discretizer
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.missing = missing
        self.window = window

    @whole_or_unfitted
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the scales of the columns and index the rows.

        Parameters
        ----------
        X : DataFrame, array, polars or Arrow table of shape (n, d)
            Numeric, categorical, boolean or ordered columns; NaN where a cell is missing.
        y : array-like of shape (n,)
            Class labels; the name of a Series names the class in the graph.

        Returns
        -------
        self
        """
        self.about.check(self)
        frame, target, classes, y_codes = self._prepare(X, y)
        named = hasattr(self, "feature_names_in_")
        if self.window is None:
            return self._remember(self._reading.of_table(frame, y_codes, target, classes, named))
        window = Window.of(frame, y_codes, int(self.window))
        return self._remember(self._reading.of_window(window, target, classes, named))

    @_with_window
    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Learn from more rows; the oldest are dropped when there are more than `window`.

        The model is then the one that `fit` learns from the rows of the window: scales, bins and states are
        learned from them anew, but the P-trees are kept, and only rows that come, leave or get other codes
        are touched. (A class that has no row in the window stays in `classes_`, with probability zero.)

        Parameters
        ----------
        X, y
            Rows and their class labels, as `fit` takes them.
        classes : array-like, optional
            All classes; needed at the first call, unless `fit` came before.
        """
        self.about.check(self)
        first = not hasattr(self, "learned_")
        labels = batch_classes(classes, None if first else self.classes_)
        frame = self._frame(X, reset=first, y=y)
        codes = codes_of(y, labels, len(frame))
        if first:
            target = target_name(y, [str(name) for name in frame.columns])
            window, named = Window.of(frame, codes, self.window), hasattr(self, "feature_names_in_")
            return self._remember(self._reading.of_window(window, target, labels, named))
        before = self.learned_
        if before.window is None:
            raise DataError("the model was fitted without window= and has not kept its rows: fit it again.")
        self.encoder_.encode(frame)  # refuses what it cannot read
        window, gone = before.window.moved(frame, codes, self.window)
        learned = self._reading.of_window(window, before.structure.target, labels, before.named)
        index = self._index
        if isinstance(index, HobbitIndex):
            index.advance([a.hobbit for a in learned.attributes], learned.rows, learned.y, gone=gone)
            return self._remember(learned, index)
        return self._remember(learned)

    @property
    def _reading(self) -> Reading:
        return Reading(
            self.kernel,
            self.about.checked(self, "bits"),
            self.log_columns,
            self.discretizer,
            self.n_bins,
            self.missing,
        )

    def _remember(self, learned: KernelState, index: KernelIndex | None = None) -> Self:
        """Set the fitted attributes, and build the index if there is none; also used by loading a model."""
        self.learned_ = learned
        self.classes_ = learned.classes
        self.structure_ = learned.structure
        self.attributes_ = learned.attributes
        self.missing_ = learned.missing
        self.encoder_ = Encoder(tuple(attribute.column for attribute in learned.attributes))
        self.trace_ = None  # nothing is searched before there is a row to classify
        self.divergence_ = None
        self.n_features_in_ = len(learned.attributes)
        if learned.named:
            self.feature_names_in_ = np.array(self.encoder_.names, dtype=object)
        self._class_sizes = np.bincount(learned.y, minlength=len(learned.classes))
        self._index = index_rows(learned, self.kernel) if index is None else index
        return self

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Natural log of P(class) times the densities of the known attributes, (rows, classes).

        Densities are per step of the code for "hobbit" and per unit of the (scaled) number for "gaussian".
        """
        return np.concatenate([self.class_log_prior_ + joined.log_likelihood for joined in self._joined(X)])

    def _joined(self, X: Any) -> Iterator[Joined]:
        """Join the attributes at every row, as many rows at once as memory allows."""
        values = self._values(X)
        pairs = max(1, len(values) * (len(values) - 1) // 2)
        block = max(1, BLOCK_CELLS // (pairs * len(self.classes_)))
        for start in range(0, values.shape[1], block):
            yield self._join(values[:, start : start + block])

    def terms(self, X: Any) -> Terms:
        """Split scores into the groups of each row; see `group_terms`."""
        ranking = tuple(self.importance_["attribute"])
        return group_terms(self._joined(X), self.encoder_.names, ranking, self.class_log_prior_)

    def structure_for(self, row: Any) -> JoinedStar:
        """Return the graph of one row: which attributes are joined there, and by how much.

        Parameters
        ----------
        row : table of one row

        Returns
        -------
        JoinedStar
        """
        return row_graph(self._one(row), self.structure_.target, self.encoder_.names)

    def to_pgmpy(self, row: Any = None) -> list[Any]:
        """Return one row as pgmpy factors over the class: the prior, then one per group of the row.

        Their normalised product is the posterior of the row. A row that is impossible in every class has
        the prior alone.
        """
        from pgm_nb.engine.pgmpy import row_factors

        if row is None:
            raise QueryError(
                f"{self.about.title} becomes factors of pgmpy for one row: pass it, to_pgmpy(row)"
            )
        target = self.structure_.target
        factors = {target: self.class_log_prior_} | row_factor_logs(self._one(row), self.encoder_.names)
        return row_factors(target, [str(label) for label in self.classes_], factors)

    @property
    def views_(self) -> dict[str, View]:
        """The views of its star, and the graph of one row."""
        return super().views_ | {"row": JoinedStar.about["joined"]}

    @property
    def codes_numbers(self) -> bool:
        """True if numbers are binned first."""
        return self.discretizer is not None

    def case_columns(self, X: Any) -> tuple[Column, ...]:
        """Return the attributes with the states that a person can choose between; none for an empty cell."""
        return without_missing_state(self.encoder_.columns)

    def describe(
        self, element: Element, *, graph: Graph | None = None, row: Any = None, mark: Mark = str
    ) -> Detail:
        """Return what is known about the class, an attribute, or a factor of the graph of one row."""
        if row is None or element.kind == "class":
            return super().describe(element, mark=mark)
        shown = graph if isinstance(graph, JoinedStar) else self.structure_for(row)
        return factor_detail(self, shown, row, element, mark)

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = super()._describe_attribute(name, mark)
        said = (
            "Its density has no formula: it is estimated anew at every row, from the cases nearby (see the "
            f"view “{JoinedStar.about['joined'].title}”)."
        )
        return replace(found, sentences=(*found.sentences, said))

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return logs(self._class_sizes / self._class_sizes.sum())

    def _values(self, X: Any) -> Floats:
        """Return the values of a table to classify, (d, m)."""
        frame = self._frame(X, reset=False)
        codes = self.encoder_.encode(frame)
        cells = [column for _, column in frame.items()]
        return np.array(
            [a.values(column, coded) for a, column, coded in zip(self.attributes_, cells, codes, strict=True)]
        )

    def _one(self, row: Any) -> Joined:
        if isinstance(row, Mapping) or getattr(row, "ndim", 0) == 1:
            frame = one_row(row, self.attribute_names_)
            row = frame if hasattr(self, "feature_names_in_") else frame.to_numpy()
        values = self._values(row)
        if values.shape[1] != 1:
            raise DataError(
                f"the graph is that of one row, but {values.shape[1]} were given; pass a table of one row, "
                "such as X.iloc[[0]]."
            )
        return self._join(values)

    def _join(self, values: Floats) -> Joined:
        queries = integers(values, self.attributes_) if self.kernel == "hobbit" else values
        sums = self._index.log_sums(queries, pairs=self.threshold is not None)
        return join(
            *sums,
            self._class_sizes,
            threshold=self.about.checked(self, "threshold"),
            anticorrelation=self.anticorrelation,
            smoothing=self.about.checked(self, "smoothing"),
            most=len(values) if self.max_joined is None else self.max_joined,
            log_kernel=lambda row, place: self._index.log_kernel(place, queries[place, row]),
        )

    def empty_as(self, meaning: str) -> Self:
        """Return the same model, to which an empty cell is unknown, or the state that it was in training.

        It makes a difference only to columns that had empty cells in training, with ``missing="state"``.

        Examples
        --------
        >>> import pandas as pd
        >>> import pgm_nb as pnb
        >>> X = pd.DataFrame({"test": ["pos", "neg", None, None] * 5})
        >>> model = pnb.KernelSemiNaiveBayes().fit(X, ["ill", "well", "ill", "ill"] * 5)
        >>> row = pd.DataFrame({"test": [None]})
        >>> print(model.predict_proba(row).round(2), model.empty_as("unknown").predict_proba(row).round(2))
        [[0.96 0.04]] [[0.75 0.25]]
        """
        check_meaning(meaning)
        columns = tuple(replace(c, empty_unknown=meaning == "unknown") for c in self.encoder_.columns)
        other = copy(self)
        other.encoder_ = Encoder(columns)
        pairs = zip(self.attributes_, columns, strict=True)
        other.attributes_ = tuple(replace(attribute, column=column) for attribute, column in pairs)
        return other

    def case_scores(self, known: Known, varied: Varied | None = None) -> Floats:
        """Joint log scores of one case, (1, k), or of several that differ in some values, (n, k)."""
        return super(KernelSemiNaiveBayes, self.empty_as("unknown")).case_scores(known, varied)

    def case_terms(self, known: Known) -> Terms:
        """Return the scores of one case as a sum over the steps of the model."""
        return super(KernelSemiNaiveBayes, self.empty_as("unknown")).case_terms(known)

    def _score_values(self, cells: Mapping[str, Any], n_rows: int) -> Floats:
        return super(KernelSemiNaiveBayes, self.empty_as("unknown"))._score_values(cells, n_rows)

    def _pack(self) -> Packed:
        return pack(self.learned_)

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        self.about.check(self)
        return self._remember(unpack(description, arrays))


def factor_detail(
    model: KernelSemiNaiveBayes, graph: JoinedStar, row: Any, element: Element, mark: Callable[[str], str]
) -> Detail:
    """Describe an attribute or a joined group at a row: its values, and the class given them alone."""
    names = [name for name in element.names if name != graph.target]
    if element.kind == "link":
        names = list(next(group for group in graph.groups if names[-1] in group))
    title = " · ".join(names)
    if names[0] in graph.unknown:
        said = f"The value of {mark(names[0])} is unknown in this row, so it has no influence."
        return Detail(title, (said,))
    values = ", ".join(f"{mark(name)} is {mark(str(row[name].iloc[0]))}" for name in names)
    sentences = [f"In this row, {values}."]
    found = graph.strongest(tuple(names))
    if found is not None:
        first, second, correlation = found
        two = "the two" if len(names) == 2 else f"{mark(first)} and {mark(second)}"
        sentences.append(
            f"Near these values {two} occur together {1 + correlation:.2f} times as often as by chance, "
            f"{'so they' if len(names) == 2 else f'and all {len(names)}'} count as one factor."
        )
    return Detail(title, tuple(sentences), tables=_alone(model, row, names))


def _alone(model: KernelSemiNaiveBayes, row: Any, names: Sequence[str]) -> tuple[DetailTable, ...]:
    """Return the probability of each class if only these cells were known."""
    others = [name for name in row.columns if name not in names]
    posterior = model.empty_as("unknown").predict_proba(row.assign(**dict.fromkeys(others)))[0]
    labels = [str(label) for label in model.classes_]
    return (share_table("With nothing else known", model.structure_.target, labels, [""], posterior),)
