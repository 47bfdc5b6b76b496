"""Kernel semi-naive Bayes on P-trees, and its siblings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.counts import count
from pgm_nb.counts.ptree import PTree
from pgm_nb.data import Encoder, MissingReport, learn_encoder
from pgm_nb.data.names import did_you_mean, listed
from pgm_nb.errors import DataError
from pgm_nb.graphs import JoinedStar, Star, from_json
from pgm_nb.inference.arrays import Floats, Places
from pgm_nb.inference.kernel_sums import gaussian_log_sums, hobbit_log_sums
from pgm_nb.inference.kernels import Joined, join, pair_places
from pgm_nb.information import information
from pgm_nb.models.base import Classifier, Packed
from pgm_nb.models.kernel_attributes import KernelAttribute, learn_attribute
from pgm_nb.models.table import _check_classes_survive

__all__ = ["KernelSemiNaiveBayes"]

KERNELS = ("hobbit", "gaussian")
MOST_BITS = 16
BLOCK_CELLS = 1 << 22  # numbers that the pair sums of one block of rows may hold: 32 MB


class KernelSemiNaiveBayes(Classifier):
    """Kernel semi-naive Bayes: densities from kernels, and attributes joined in pairs anew at every row.

    After Denton and Perrizo (2004). The density of an attribute in a class is the mean of a kernel over the
    rows of the class. Two attributes are joined at a row to classify when
    Corr(a,b) = n sum K_a K_b / (sum K_a sum K_b) - 1 exceeds the threshold there; the strongest pairs come
    first and an attribute is in one pair at most. A joined pair is one factor with the product kernel.

    Parameters
    ----------
    threshold : float or None
        Join above this correlation. None: never join (P-tree naive Bayes).
    anticorrelation : bool
        Join by the size of the correlation, so also pairs of values that avoid each other.
    kernel : {"hobbit", "gaussian"}
        Of numeric columns, both with half the column's standard deviation as width. "hobbit": a Gaussian of
        the exponential HOBbit distance between integers of `bits` bits; sums are range counts in a P-tree,
        and no row is visited. "gaussian": a Gaussian of the numbers themselves, summed over all rows. The
        kernel of categories is [x = x_t].
    bits : int
        Bits of a numeric column for "hobbit", 1 to 16.
    log_columns : sequence of str, optional
        Numeric columns to scale by sign(x) log(1 + |x| / smallest size of a training value but zero).
    discretizer : {"quantile", "uniform", "mdlp"}, mapping of cut points per column, or None
        Discretise numeric columns first (discrete semi-naive Bayes). None: leave them continuous.
    n_bins : int, optional
        Bins per discretised column; 5 for "quantile" and 10 for "uniform" when not given.
    smoothing : float or None
        A number m: every class gets m imaginary rows spread as all rows are. None: the paper's rule, where a
        category that a class never had makes the class impossible.
    missing : {"state", "drop", "mode"}
        Missing cells at training: a state of their own, equal to itself only; rows dropped; or the commonest
        value. `missing_` says how many were touched. An unknown cell in a row to classify has factor one.

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

    short_name: ClassVar[str] = "kernel"
    title: ClassVar[str] = "Kernel semi-naive Bayes"

    def __init__(
        self,
        *,
        threshold: float | None = 0.05,
        anticorrelation: bool = False,
        kernel: str = "hobbit",
        bits: int = 8,
        log_columns: Sequence[str] | None = None,
        discretizer: str | Mapping[str, Sequence[float]] | None = None,
        n_bins: int | None = None,
        smoothing: float | None = 1.0,
        missing: str = "state",
    ) -> None:
        self.threshold = threshold
        self.anticorrelation = anticorrelation
        self.kernel = kernel
        self.bits = bits
        self.log_columns = log_columns
        self.discretizer = discretizer
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.missing = missing

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
        self._check_parameters()
        frame, target, classes, y_codes = self._prepare(X, y)
        _check_log_columns(self.log_columns or (), frame)
        bins = "quantile" if self.discretizer is None else self.discretizer  # else for the relevance only
        encoder, codes, kept, missing = learn_encoder(
            frame, y_codes, discretizer=bins, n_bins=self.n_bins, missing=self.missing
        )
        if kept is not None:
            frame, y_codes = frame[kept], y_codes[kept]
            _check_classes_survive(classes, y_codes)
        learned = [
            learn_attribute(
                column,
                cells,
                coded,
                bits=self.bits,
                log_columns=tuple(self.log_columns or ()),
                binned=self.discretizer is not None,
            )
            for column, (_, cells), coded in zip(encoder.columns, frame.items(), codes, strict=True)
        ]
        relevance = information(count(codes, y_codes, encoder.cards, len(classes))).relevance
        weights = dict(zip(encoder.names, relevance.tolist(), strict=True))
        values = np.array([column for _, column in learned])
        rows = _stored(values, [attribute for attribute, _ in learned], self.kernel)
        order = np.lexsort((*rows, y_codes))  # the order of the rows given has no say
        return self._remember(
            classes=classes,
            structure=Star(target, encoder.names, weights),
            attributes=tuple(attribute for attribute, _ in learned),
            missing=missing,
            named=hasattr(self, "feature_names_in_"),
            rows=rows[:, order],
            y_codes=y_codes[order],
        )

    def _remember(
        self,
        *,
        classes: NDArray[Any],
        structure: Star,
        attributes: tuple[KernelAttribute, ...],
        missing: MissingReport,
        named: bool,
        rows: NDArray[Any],
        y_codes: Places,
    ) -> Self:
        """Set the fitted attributes and build the index; used by `fit` and by loading a saved model."""
        self.classes_ = classes
        self.structure_ = structure
        self.attributes_ = attributes
        self.missing_ = missing
        self.encoder_ = Encoder(tuple(attribute.column for attribute in attributes))
        self.trace_ = None  # nothing is searched before a row is seen
        self.divergence_ = None
        self.n_features_in_ = len(attributes)
        if named:
            self.feature_names_in_ = np.array(self.encoder_.names, dtype=object)
        self._rows, self._y_codes = rows, y_codes
        self._class_sizes = np.bincount(y_codes, minlength=len(classes))
        of_class = [rows[:, y_codes == c] for c in range(len(classes))]
        if self.kernel == "hobbit":
            bits = [attribute.hobbit.bits for attribute in attributes]
            self._trees = tuple(PTree(part, bits) for part in of_class)
        else:
            self._parts = tuple(np.ascontiguousarray(part) for part in of_class)
        return self

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Natural log of P(class) times the densities of the known attributes, (rows, classes).

        Densities are per step of the code for "hobbit" and per unit of the (scaled) number for "gaussian".
        """
        values = self._values(X)
        pairs = max(1, len(values) * (len(values) - 1) // 2)
        block = max(1, BLOCK_CELLS // (pairs * len(self.classes_)))
        parts = [
            self._log_prior + self._join(values[:, start : start + block]).log_likelihood
            for start in range(0, values.shape[1], block)
        ]
        return np.concatenate(parts)

    def structure_for(self, row: Any) -> JoinedStar:
        """Return the graph of one row: which attributes are joined there, and by how much.

        Parameters
        ----------
        row : table of one row

        Returns
        -------
        JoinedStar
        """
        joined = self._one(row)
        names = self.encoder_.names
        first, second = pair_places(len(names))
        pairs = np.flatnonzero(joined.chosen[0])
        return JoinedStar(
            self.structure_.target,
            names,
            {names[second[pair]]: names[first[pair]] for pair in pairs},
            {names[second[pair]]: float(joined.correlation[0, pair]) for pair in pairs},
            tuple(name for name, known in zip(names, joined.known[0], strict=True) if not known),
        )

    def to_pgmpy(self, row: Any) -> list[Any]:
        """Return one row as pgmpy `DiscreteFactor`s over the class: the prior, then one per group of the row.

        Their normalised product is the posterior of the row. A row that no class can have made has the
        prior alone.
        """
        from pgm_nb.inference.row_factors import row_factors

        joined = self._one(row)
        names, target = self.encoder_.names, self.structure_.target
        first, second = pair_places(len(names))
        factors = {target: self._log_prior}
        if np.isfinite(joined.log_likelihood).any():
            pairs = np.flatnonzero(joined.chosen[0])
            alone = joined.known[0].copy()
            alone[first[pairs]] = alone[second[pairs]] = False
            factors |= {names[a]: joined.single[0, a] for a in np.flatnonzero(alone)}
            factors |= {f"{names[first[p]]}, {names[second[p]]}": joined.joint[0, p] for p in pairs}
        return row_factors(target, [str(label) for label in self.classes_], factors)

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes by what they tell about the class, numbers in bins: gain and running sum, in bits."""
        check_is_fitted(self)
        relevance = self.structure_.relevance or {}
        table = pd.DataFrame({"attribute": list(relevance), "mother": None, "gain": list(relevance.values())})
        table = table.sort_values("gain", ascending=False, kind="stable", ignore_index=True)
        return table.assign(weight=table["gain"].cumsum())

    @property
    def _log_prior(self) -> Floats:
        log_prior: Floats = np.log(self._class_sizes / self._class_sizes.sum())
        return log_prior

    def _values(self, X: Any) -> Floats:
        """Return the values of a table to classify, (d, m)."""
        frame = self._frame(X, reset=False)
        codes = self.encoder_.encode(frame)
        cells = [column for _, column in frame.items()]
        return np.array(
            [a.values(column, coded) for a, column, coded in zip(self.attributes_, cells, codes, strict=True)]
        )

    def _one(self, row: Any) -> Joined:
        values = self._values(row)
        if values.shape[1] != 1:
            raise DataError(
                f"the graph is that of one row, but {values.shape[1]} were given; pass a table of one row, "
                "such as X.iloc[[0]]."
            )
        return self._join(values)

    def _join(self, values: Floats) -> Joined:
        pairs = self.threshold is not None
        if self.kernel == "hobbit":
            columns = [attribute.hobbit for attribute in self.attributes_]
            codes = _integers(values, self.attributes_)
            sums = hobbit_log_sums(self._trees, columns, codes, pairs=pairs)
        else:
            sigmas = [attribute.sigma for attribute in self.attributes_]
            sums = gaussian_log_sums(self._parts, sigmas, values, pairs=pairs)
        return join(
            *sums,
            self._class_sizes,
            threshold=self.threshold,
            anticorrelation=self.anticorrelation,
            smoothing=self.smoothing,
        )

    def _pack(self) -> Packed:
        description = {
            "classes": {"dtype": self.classes_.dtype.str, "values": self.classes_.tolist()},
            "named": hasattr(self, "feature_names_in_"),
            "structure": json.loads(self.structure_.to_json()),
            "attributes": [attribute.to_dict() for attribute in self.attributes_],
            "missing": asdict(self.missing_),
        }
        return description, {"rows": self._rows, "y": self._y_codes}

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        classes = description["classes"]
        structure = from_json(json.dumps(description["structure"]))
        if not isinstance(structure, Star):
            raise TypeError(f"the structure must be a star, got a {structure.type_name}")
        return self._remember(
            classes=np.array(classes["values"], dtype=np.dtype(classes["dtype"])),
            structure=structure,
            attributes=tuple(KernelAttribute.from_dict(record) for record in description["attributes"]),
            missing=MissingReport(**description["missing"]),
            named=description["named"],
            rows=arrays["rows"],
            y_codes=arrays["y"],
        )

    def _check_parameters(self) -> None:
        for name, optional in (("threshold", self.threshold), ("smoothing", self.smoothing)):
            if optional is None:
                continue
            value: object = optional
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not number or not 0 <= optional < np.inf or (name == "smoothing" and optional == 0):
                raise DataError(f"{name} must be a positive number or None, and is {value!r}.")
        if self.kernel not in KERNELS:
            raise DataError(f"kernel must be 'hobbit' or 'gaussian', but is {self.kernel!r}.")
        bits: object = self.bits
        if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or not 1 <= bits <= MOST_BITS:
            raise DataError(f"bits must be a whole number from 1 to {MOST_BITS}, but is {bits!r}.")


def _integers(values: Floats, attributes: Sequence[KernelAttribute]) -> NDArray[np.int64]:
    return np.array([a.integers(column) for a, column in zip(attributes, values, strict=True)])


def _stored(values: Floats, attributes: Sequence[KernelAttribute], kernel: str) -> NDArray[Any]:
    """Return the training rows as the kernel needs them: codes for a P-tree, else the values."""
    return _integers(values, attributes).astype(np.uint32) if kernel == "hobbit" else values


def _check_log_columns(log_columns: Iterable[str], frame: pd.DataFrame) -> None:
    if isinstance(log_columns, str):
        raise DataError(f"log_columns must be a list of column names, but is the text {log_columns!r}.")
    names = [str(name) for name in frame.columns]
    for name in log_columns:
        if name not in names:
            raise DataError(
                f"log_columns names {name!r}, which is not a column{did_you_mean(name, names)} "
                f"(columns: {listed(names)})."
            )
        if frame[name].dtype.kind not in "iuf":
            raise DataError(f"log_columns names {name!r}, which is not a numeric column; leave it out.")
