"""Learning from rows that do not come all at once: batches, updates, forgetting, weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing

from pgm_nb.counts import Counts, count, count_blocks
from pgm_nb.counts.weighted import checked_weights, count_weighted, scaled
from pgm_nb.data.row_sample import SAMPLE_ROWS, RowSample
from pgm_nb.data.summary import Coding, TableSummary
from pgm_nb.errors import DataError
from pgm_nb.information import Information, information
from pgm_nb.models.base import whole_or_unfitted
from pgm_nb.models.stream import RowStream, both_reports, named_target
from pgm_nb.models.table_state import TableState, TrainingRows
from pgm_nb.models.windows import check_window, in_window

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.arrays import Codes, Places
    from pgm_nb.models.counted import CountedTable

__all__ = ["Streaming"]

REPEATED = 1_000_000  # rows up to which frequencies are written out
BINS = ("pass", "first", "sketch")


class Streaming:
    """What every model over tables of counts can learn from: batches, one more batch, counts alone."""

    real_weights: ClassVar[bool] = False  #: whether counts may be other than whole numbers
    n_bins: int | None
    missing: str
    _stream: RowStream

    if TYPE_CHECKING:  # methods of the models

        def _search(self, info: Information, counts: Any, rows: TrainingRows) -> tuple[Any, Any]: ...
        def _keep_of(self, rows: TrainingRows, counts: Any, structure: Any) -> Any: ...
        def _divergence_later(self, info: Information, structure: Any, rows: TrainingRows) -> Any: ...
        def _remember(self, learned: TableState[Any]) -> Self: ...
        def _train(self, rows: TrainingRows) -> None: ...
        def _frame(self, X: Any, *, reset: bool, y: Any = None) -> pd.DataFrame: ...

        code_table: Callable[[Any, Any], TrainingRows]
        fit: Callable[..., Self]
        default_bins: ClassVar[int]
        _discretizer: Callable[[pd.DataFrame], Any]
        _remember_class_parameters: Callable[[Any], None]
        learned_: TableState[Any]

    def _settle(self, rows: TrainingRows, counts: Any, info: Information, named: bool) -> Self:
        """Become fitted by counts; the rows are those counted, or a sample of them."""
        structure, trace = self._search(info, counts, rows)
        self._remember(
            TableState(
                target=rows.target,
                classes=rows.classes,
                named=named,
                encoder=rows.encoder,
                missing=rows.missing,
                structure=structure,
                trace=trace,
                divergence=self._divergence_later(info, structure, rows),
                counts=self._keep_of(rows, counts, structure),
            )
        )
        self._train(rows)
        return self

    @abstractmethod
    def _check_smoothing(self) -> None:
        """Check the parameters."""

    @property
    def needs_rows(self) -> str:
        """Why counts of pairs are not enough to fit the model; empty if they are."""
        return ""

    @whole_or_unfitted
    def fit_batches(
        self,
        batches: Iterable[Any],
        *,
        bins: str = "pass",
        classes: ArrayLike | None = None,
        like: Any = None,
    ) -> Self:
        """Learn from a table that comes in batches; memory holds the counts and one batch.

        The counts, the structure and the tables are those of all rows, to the last bit. What cannot be
        learned from counts of pairs (parameters trained for the class, thresholds chosen by cross-validation,
        the tables of KDB and class trees) is learned from a fixed random sample of 100,000 rows. The KL
        divergence is measured where there are no more rows than that. GNB of order 4 and more searches with
        counts of larger sets: with more rows than that its structure, and the bits of its links, are those of
        the sample, and its tables are counted on all rows in one more reading. It refuses more rows that can
        be read only once.

        Parameters
        ----------
        batches : iterable of (X, y)
            Such as `pgm_nb.scan` gives. It is read twice, if it can be: once for bins and states, once to
            count (and once more for order 4 and more).
        bins : {"pass", "first", "sketch"}
            Where bins and states come from. "pass": a pass over all rows, with cut points from the sample.
            "first": the first batches, up to 100,000 rows, so that one reading is enough; later rows with a
            value that had no state are left out and counted in `missing_`. "sketch": a pass over all rows
            with a quantile sketch of each numeric column (package ``datasketches``): ranks within 0.1%.
        classes : array-like, optional
            All classes; by default those that occur.
        like : fitted model or CountedTable, optional
            Take bins, states and classes from it: one reading, nothing learned from these rows.

        Examples
        --------
        >>> import numpy as np
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("wdbc")
        >>> batches = [(X[:200], y[:200]), (X[200:], y[200:])]
        >>> streamed = pnb.TreeAugmentedNaiveBayes().fit_batches(batches)
        >>> whole = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        >>> bool(np.array_equal(streamed.predict_proba(X), whole.predict_proba(X)))
        True
        """
        self._check_smoothing()
        self.__dict__.pop("_stream", None)
        if bins not in BINS:
            raise DataError(f"bins must be one of {', '.join(map(repr, BINS))}, but is {bins!r}")
        again, limit = bool(getattr(batches, "again", not isinstance(batches, Iterator))), None
        if like is not None:
            coding, rest = coding_of(like, classes), iter(batches)
        elif bins == "first" or not again:
            coding, rest = self._first(iter(batches), classes)
        else:
            coding, rest = self._coding(batches, classes, bins == "sketch"), iter(batches)
            limit = None if self.missing == "drop" else coding.limit  # the same rows are the sample again
        first = next(rest, None)
        if first is None:
            raise DataError("there is no batch to learn from")
        stream = RowStream(coding, named_target(first[1]), hasattr(first[0], "columns"), self.missing)
        stream.sample = RowSample(limit=limit)
        blocks = (stream.code(X, y) for X, y in chain([first], rest))
        counts = count_blocks(blocks, coding.encoder.cards, len(coding.classes))
        rows = stream.rows()
        if again and not rows.whole:
            rows = replace(rows, again=lambda: (stream.recoded(X, y) for X, y in batches))
        return self._settle(rows, counts, information(counts), stream.named)

    def _coding(self, batches: Iterable[Any], classes: Any, sketch: bool = False) -> Coding:
        summary, start = TableSummary(sketch=sketch), 0
        for X, y in batches:
            summary.add(X, y, start)
            start += len(y)
        return self._learned_coding(summary, classes)

    def _learned_coding(self, summary: TableSummary, classes: Any) -> Coding:
        if summary.sample.seen == 0:
            raise DataError("there is no row to learn from: every batch is empty, or there is none")
        cuts = self._discretizer(summary.sample.rows()[0])
        n_bins = self.default_bins if self.n_bins is None else self.n_bins
        return summary.coding(discretizer=cuts, n_bins=n_bins, missing=self.missing, classes=classes)

    def _first(self, batches: Iterator[Any], classes: Any) -> tuple[Coding, Iterator[Any]]:
        """Learn bins and states from the first batches; return them and all batches again."""
        held: list[Any] = []
        while sum(len(y) for _, y in held) < SAMPLE_ROWS and (batch := next(batches, None)) is not None:
            held.append(batch)
        return self._coding(held, classes), chain(held, batches)

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        decay: float | None = None,
        window: int | None = None,
    ) -> Self:
        """Learn from one more batch of rows: counts add up, and structure and tables follow from them.

        Bins, states and classes are those of the first batch (or of `classes`, and of declared pandas
        categories); a later row with a value that has no state is left out and counted in `missing_`. A
        model that was fitted or loaded has not kept the counts of all pairs: its structure stays, and the
        rows are added to its tables (a model with tables of three attributes or more starts over).

        Parameters
        ----------
        X, y
            The batch, as in `fit`.
        classes : array-like, optional
            All classes; needed at the first call if the first batch does not have them all.
        sample_weight : array-like of shape (n,), optional
            Weight of every row.
        decay : float between 0 and 1, optional
            Forget: what was counted before counts so many times as much from now on.
        window : int, optional
            Forget: only the last so many batches count, this one included. The model is then the one that
            these rows alone give, with the bins, states and classes of the first batch.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("iris")
        >>> model = pnb.NaiveBayes(parameters="generative", discretizer="uniform", n_bins=3)
        >>> model = model.partial_fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
        >>> int(model.learned_.counts.y.sum())
        150
        >>> model.partial_fit(X[:50], y[:50], decay=0.5).learned_.counts.y
        array([75., 25., 25.])
        """
        self._check_smoothing()
        if decay is not None and not 0 < decay <= 1:
            raise DataError(f"decay must be above 0 and at most 1, but is {decay}; 1 forgets nothing")
        stream = getattr(self, "_stream", None)
        check_window(window, stream, decay, sample_weight is not None)
        if stream is None:
            if window is None and hasattr(self, "learned_") and self._tables_add:
                return self._update(X, y, sample_weight, decay)
            frame = self._frame(X, reset=True, y=y)
            coding = self._coding([(frame, y)], classes)
            stream = RowStream(coding, named_target(y), hasattr(self, "feature_names_in_"), self.missing)
        else:
            frame = self._frame(X, reset=False)
        if window is not None:
            return self._in_window(stream, frame, y, window)
        before = stream.counts
        if sample_weight is not None or decay not in (None, 1):
            stream.sample.seen += SAMPLE_ROWS + 1  # the sample is not what was counted
        codes, found = stream.code(frame, y)
        part = self._counted(stream, codes, found, sample_weight, len(np.asarray(y)))
        if before is not None and part is not None:
            part = self._forget(before, decay) + part
        stream.counts = part or before
        if stream.counts is None:
            raise DataError("no row is left to learn from: every row has a cell without a state.")
        self._stream = stream
        return self._settle(stream.rows(), stream.counts, information(stream.counts), stream.named)

    def _in_window(self, stream: RowStream, X: Any, y: Any, window: int) -> Self:
        """Learn from the batches of a window, of which this one is the last."""
        total, rows = in_window(stream, X, y, window, lambda a, b: self._counted(stream, a, b, None, len(b)))
        if total is None:
            raise DataError("no row is left to learn from: every row has a cell without a state.")
        stream.counts, self._stream = total, stream
        return self._settle(rows.rows(), total, information(total), stream.named)

    def _update(self, X: Any, y: Any, sample_weight: ArrayLike | None, decay: float | None) -> Self:
        """Add rows to the tables of a model that was fitted or loaded; its structure stays."""
        if sample_weight is not None or decay not in (None, 1):
            raise DataError(
                "a model that was fitted or loaded takes further rows as they are; for weights and "
                "forgetting begin with partial_fit"
            )
        learned, frame = self.learned_, self._frame(X, reset=False)
        stream = RowStream(coding_of(self), learned.target, learned.named, self.missing)
        codes, found = stream.code(frame, y)
        trained = getattr(self, "class_parameters_", None)
        missing = both_reports(learned.missing, stream.report)
        if len(found):
            learned = replace(learned, counts=self._added(learned.counts, codes, found))
        self._remember(replace(learned, missing=missing))
        if trained is not None:
            self._remember_class_parameters(trained)
        return self

    @property
    def _tables_add(self) -> bool:
        """Whether rows can be added to the tables that are kept, without those of all pairs."""
        return isinstance(self.learned_.counts, Counts)

    def _added(self, counts: Any, codes: Codes, y: Places) -> Any:
        """Return the counts that are kept, with further rows in them."""
        return counts + count(codes, y, counts.cards, counts.n_classes)

    def _fit_weighted(self, X: Any, y: Any, sample_weight: ArrayLike) -> Self:
        """Learn from rows with weights: frequencies as if rows were repeated, real ones in the counts."""
        weights, whole = checked_weights(sample_weight, len(np.asarray(y)))
        written_out = whole and weights.sum() <= REPEATED
        times = weights.astype(np.int64) if written_out else (weights > 0).astype(np.int64)
        rows = np.repeat(np.arange(len(weights)), times)
        X = _safe_indexing(X if hasattr(X, "columns") else np.asarray(X), rows)
        y = y.iloc[rows] if hasattr(y, "iloc") else np.asarray(y)[rows]
        if written_out:
            return self.fit(X, y)
        if not whole:
            self._check_real("sample_weight is not whole")
        if self.missing == "drop":
            raise DataError("with real weights missing must be 'state' or 'mode', not 'drop'")
        coded, weights = self.code_table(X, y), weights[rows]
        counts = count_weighted(coded.codes, coded.y, weights, coded.encoder.cards, len(coded.classes))
        size, draw = min(len(rows), SAMPLE_ROWS), np.random.default_rng(0)
        drawn = np.sort(draw.choice(len(rows), size, p=weights / weights.sum()))
        sample = replace(
            coded, codes=np.ascontiguousarray(coded.codes[:, drawn]), y=coded.y[drawn], whole=False
        )
        return self._settle(sample, counts, information(counts), hasattr(self, "feature_names_in_"))

    def _forget(self, counts: Counts, decay: float | None) -> Counts:
        if decay in (None, 1):
            return counts
        self._check_real("decay makes counts that are not whole")
        return scaled(counts, float(decay or 1))

    def _check_real(self, what: str) -> None:
        if not self.real_weights:
            title = getattr(self, "title", "this model")
            raise DataError(f"{what}, but {title} counts whole rows; use naive Bayes, TAN or GNB")

    def _counted(
        self, stream: RowStream, codes: Any, y: Any, sample_weight: ArrayLike | None, given: int
    ) -> Counts | None:
        cards, k = stream.coding.encoder.cards, len(stream.coding.classes)
        if len(y) == 0:
            return None
        if sample_weight is None:
            return count(codes, y, cards, k)
        if len(y) < given:
            raise DataError("rows with weights must have no cell without a state; fill them in first")
        weights, whole = checked_weights(sample_weight, given)
        if not whole:
            self._check_real("sample_weight is not whole")
        return count_weighted(codes, y, weights, cards, k)

    @whole_or_unfitted
    def fit_counts(self, counts: CountedTable) -> Self:
        """Learn from counts alone, such as those of several hospitals added up: no row is needed.

        Parameters
        ----------
        counts : CountedTable
            See `pgm_nb.count_table` and `pgm_nb.load_counts`.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("iris")
        >>> here = pnb.count_table(X[::2], y[::2], n_bins=5)
        >>> there = pnb.count_table(X[1::2], y[1::2], like=here)
        >>> pnb.TreeAugmentedNaiveBayes().fit_counts(here + there).predict(X.head(1))
        array(['setosa'], dtype=object)
        """
        self._check_smoothing()
        self.__dict__.pop("_stream", None)
        if self.needs_rows:
            raise DataError(f"counts hold no rows, but {self.needs_rows}")
        return self._settle(counts.rows(), counts.counts, information(counts.counts), counts.named)


def coding_of(like: Any, classes: ArrayLike | None = None) -> Coding:
    """Return the bins, states and classes of a fitted model or of counts."""
    encoder = getattr(like, "encoder_", None) or getattr(like, "encoder", None)
    known = getattr(like, "classes_", None) if hasattr(like, "classes_") else getattr(like, "classes", None)
    if encoder is None or known is None:
        raise DataError("like= must be a fitted model over tables of counts, or a CountedTable")
    every = known if classes is None else np.asarray(classes)
    return Coding(encoder, every, np.zeros(len(encoder.columns), dtype=np.int64))
