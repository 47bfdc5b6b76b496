"""Learning from rows that do not come all at once: batches, updates, forgetting, weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pgm_nb.allowed import Allowed, whole
from pgm_nb.counts import Counts, count
from pgm_nb.counts.weighted import count_weighted
from pgm_nb.data import Encoder, encode_target
from pgm_nb.data.column import MOST_STATES
from pgm_nb.data.summary import FEW, SAMPLE_ROWS, Coding, RowSample, TableSummary
from pgm_nb.data.target import target_name
from pgm_nb.errors import DataError
from pgm_nb.information import Information, information
from pgm_nb.models.about import About
from pgm_nb.models.base import whole_or_unfitted
from pgm_nb.models.coded_rows import written_out
from pgm_nb.models.continuous import batch_classes
from pgm_nb.models.stream import RowStream, merged
from pgm_nb.models.table_state import CountedRows, TableState, TrainingRows

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Places
    from pgm_nb.models.counted import CountedTable

__all__ = ["Streaming"]

BINS = ("pass", "first", "sketch")


class Streaming:
    """What every model over tables of counts can learn from: batches, one more batch, counts alone."""

    _real_weights: ClassVar[bool] = False  #: whether counts may be other than whole numbers
    discretizer: Any
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
        about: ClassVar[About]
        _discretizer: Callable[[pd.DataFrame], Any]
        _leave_out_unseen_classes: Callable[[Any], bool]
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
            "first": cut points from the first batches, up to 100,000 rows, so that one reading is enough;
            states that come later are added. "sketch": a pass over all rows with a quantile sketch of each
            numeric column (package ``datasketches``): ranks within 0.1%.
        classes : array-like, optional
            All classes; by default those that occur.
        like : fitted model or CountedTable, optional
            Take cut points, states and classes from it: one reading. States that it lacks are added.

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
        self.about.check(self)
        self.__dict__.pop("_stream", None)
        if bins not in BINS:
            raise DataError(f"bins must be one of {', '.join(map(repr, BINS))}, but is {bins!r}")
        again = bool(getattr(batches, "again", not isinstance(batches, Iterator)))
        batches, limit = _Pairs(batches), None
        if like is not None:
            coding, rest = coding_of(like, classes, self._most), iter(batches)
        elif bins == "first" or not again:
            coding, rest = self._first(iter(batches), classes)
        else:
            coding, rest = self._coding(batches, classes, bins == "sketch"), iter(batches)
            limit = coding.limit  # the same rows are the sample again
        first = next(rest, None)
        if first is None:
            raise DataError("there is no batch to learn from")
        stream = RowStream(coding, target_name(first[1]), hasattr(first[0], "columns"), self.missing)
        stream.sample = RowSample(limit=limit)
        rows = stream.count(chain([first], rest)).rows()
        if again and not rows.whole:
            rows = replace(rows, again=lambda: (stream.recoded(X, y) for X, y in batches))
        return self._settle_by(rows, stream)

    def _settle_by(self, rows: TrainingRows, stream: RowStream) -> Self:
        """Become fitted by the counts of a stream, and by its rows or a sample of them."""
        assert stream.counts is not None  # `RowStream.rows` has refused a stream without any
        return self._settle(rows, stream.counts, information(stream.counts), stream.named)

    @property
    def _most(self) -> int:
        """How many numbers of a column without cut points can be states."""
        bins = self.about.default_bins if self.n_bins is None else self.n_bins
        return MOST_STATES if self.discretizer is None else bins

    def _summary(self, sketch: bool = False) -> TableSummary:
        """Return a summary of no rows, which looks for what this model needs."""
        return TableSummary(max(FEW, self._most), sketch=sketch, drop=self.missing == "drop")

    def _coding(self, batches: Iterable[Any], classes: Any, sketch: bool = False) -> Coding:
        summary, start = self._summary(sketch), 0
        for X, y in batches:
            summary.add(X, y, start)
            start += len(y)
        return self._learned_coding(summary, classes)

    def _learned_coding(self, summary: TableSummary, classes: Any = None) -> Coding:
        """Learn how rows become codes from what a pass over them found."""
        if summary.sample.seen == 0:
            raise DataError(
                "there is no row to learn from: every batch is empty, or every row has a missing cell"
            )
        if classes is None and summary.declared - summary.labels:
            declared = pd.Categorical(sorted(summary.labels), sorted(summary.labels | summary.declared))
            classes = None if self._leave_out_unseen_classes(declared) else declared.categories.to_numpy()
        cuts = self._discretizer(summary.sample.rows()[0])
        n_bins = self.about.default_bins if self.n_bins is None else self.n_bins
        return summary.coding(discretizer=cuts, n_bins=n_bins, missing=self.missing, classes=classes)

    def _first(self, batches: Iterator[Any], classes: Any) -> tuple[Coding, Iterator[Any]]:
        """Learn bins and states from the first batches; return them and all batches again."""
        held: list[Any] = []
        while sum(len(y) for _, y in held) < SAMPLE_ROWS and (batch := next(batches, None)) is not None:
            held.append(batch)
        coding, later = self._coding(held, classes), next(batches, None)
        if later is None:
            return coding, iter(held)
        return replace(coding, fill=None), chain(held, [later], batches)  # the commonest state may change

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

        The model is the one that `fit` learns from all batches together with the cut points of the first:
        words, numbers without cut points and missing cells that come later add states. Where the first batch
        is not like the rest, give cut points, ``discretizer={"age": [40, 60]}``. What only all rows can
        decide is refused. A model that was fitted or loaded adds the rows to the tables that it has: naive
        Bayes, TAN and GNB keep their structure and its bits, models that keep all pairs learn everything
        anew, and those that learn from rows refuse.

        Parameters
        ----------
        X, y
            The batch, as in `fit`.
        classes : array-like, optional
            All classes; needed at the first call if the first batch does not have them all.
        sample_weight : array-like of shape (n,), optional
            Weight of every row: whole numbers as if it were repeated, or real ones.
        decay : float between 0 and 1, optional
            Forget: what was counted before is multiplied by this. Only counts are left then, so a model that
            learns from rows refuses.
        window : int, optional
            Forget: only this number of batches count, the last ones. The model is then the one that these
            rows alone give, with the cut points of the first batch and the states of all.

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
        self.about.check(self)
        decay = _DECAY.check("decay", decay)
        stream: RowStream | None = getattr(self, "_stream", None)
        _check_window(window, stream, decay, sample_weight is not None)
        X, y, weights = written_out(X, y, sample_weight)
        if stream is None and window is None and hasattr(self, "learned_"):
            return self._update(X, y, weights, decay)
        if decay not in (None, 1) or (weights is not None and weights.dtype.kind == "f"):
            self._check_real("sample_weight" if decay in (None, 1) else "decay")
        if stream is not None:
            frame = self._frame(X, reset=False)
            batch_classes(classes, stream.coding.classes)
        else:
            frame = self._frame(X, reset=True, y=y)
            coding = replace(self._coding([(frame, y)], classes), fill=None)
            stream = RowStream(coding, target_name(y), hasattr(self, "feature_names_in_"), self.missing)
        part = stream.empty()
        part = part.count([(frame, y)]) if weights is None else part.count_weighted(frame, y, weights)
        if window is None:
            total = merged([stream.forgotten(1 if decay is None else decay), part])
        else:
            total = merged([*stream.window, part][-window:])
            total.window = [*stream.window, part][-window:]
        total.grow(total.coding.encoder.joined(stream.coding.encoder, most=stream.coding.most))
        rows = total.rows()
        self._stream = total
        return self._settle_by(rows, total)

    def _update(self, X: Any, y: Any, weights: Any, decay: float | None) -> Self:
        """Add rows to the counts of a model that was fitted or loaded."""
        learned = self.learned_
        if weights is not None or decay not in (None, 1):
            raise DataError(
                "a model that was fitted or loaded takes further rows as they are; for weights and "
                "forgetting begin with partial_fit"
            )
        if not self._tables_add:
            raise DataError(
                "this model was fitted or loaded, and learns from rows that it has not kept, so further rows "
                "cannot be added: fit it with the old rows and the new ones, or begin with partial_fit"
            )
        coding = coding_of(self, None, self._most)
        stream = RowStream(coding, learned.target, learned.named, self.missing)
        codes, found = stream.code(self._frame(X, reset=False), y)
        encoder, missing = stream.coding.encoder, learned.missing + stream.report
        counts = learned.counts
        if encoder is not coding.encoder:
            counts = counts.relaid(coding.encoder.places(encoder), encoder.cards)
        if len(found):
            counts = self._added(counts, codes, found)
        if isinstance(counts, Counts):  # those of all pairs: everything is learned anew
            rows = CountedRows(learned.target, learned.classes, encoder, missing)
            return self._settle(rows, counts, information(counts), learned.named)
        return self._remember(replace(learned, encoder=encoder, counts=counts, missing=missing))

    @property
    def _tables_add(self) -> bool:
        """Whether rows can be added to the tables that are kept, from which all else follows."""
        return isinstance(self.learned_.counts, Counts)

    def _added(self, counts: Any, codes: Codes, y: Places) -> Any:
        """Return the counts that are kept, with further rows in them."""
        return counts + count(codes, y, counts.cards, counts.n_classes)

    def _fit_weighted(self, X: Any, y: Any, sample_weight: ArrayLike) -> Self:
        """Learn from rows with weights: frequencies as if rows were repeated, real ones in the counts."""
        X, y, weights = written_out(X, y, sample_weight)
        if weights is None:
            return self.fit(X, y)
        if weights.dtype.kind == "f":
            self._check_real("sample_weight")
        if self.missing == "drop":
            raise DataError("with real weights missing must be 'state' or 'mode', not 'drop'")
        coded = self.code_table(X, y)
        counts = count_weighted(coded.codes, coded.y, weights, coded.encoder.cards, len(coded.classes))
        size, draw = min(len(weights), SAMPLE_ROWS), np.random.default_rng(0)
        drawn = np.sort(draw.choice(len(weights), size, p=weights / weights.sum()))
        sample = replace(
            coded, codes=np.ascontiguousarray(coded.codes[:, drawn]), y=coded.y[drawn], whole=False
        )
        return self._settle(sample, counts, information(counts), hasattr(self, "feature_names_in_"))

    def _check_real(self, what: str) -> None:
        if not self._real_weights:
            raise DataError(
                f"{what} makes counts that are not whole, but {self.about.title} counts whole rows; use "
                "naive Bayes, TAN or GNB"
            )

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
        self.about.check(self)
        self.__dict__.pop("_stream", None)
        return self._settle(counts.rows(), counts.counts, information(counts.counts), counts.named)


_DECAY = Allowed(1e-9, 1, words=(None,), advice="1 forgets nothing")


def _check_window(window: Any, stream: RowStream | None, decay: float | None, weighted: bool) -> None:
    """Refuse a window that means nothing, or that does not fit what came before."""
    if window is None:
        if stream is not None and stream.window:
            raise DataError("this model counts a window of batches: give window= with every batch")
        return
    whole(1, what="a whole number of batches").check("window", window)
    if decay is not None or weighted:
        raise DataError("a window counts whole rows and forgets whole batches: leave decay and weights out")
    if stream is not None and not stream.window:
        raise DataError("earlier batches were counted without a window: begin again with a new model")


class _Pairs:
    """Batches, each a pair of rows and their classes; anything else is refused in a sentence."""

    def __init__(self, batches: Iterable[Any]) -> None:
        if isinstance(batches, pd.DataFrame) or not isinstance(batches, Iterable):
            raise _no_pair("the batches are", batches)
        self.batches = batches

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for batch in self.batches:
            if not isinstance(batch, tuple | list) or len(batch) != 2:
                raise _no_pair("one batch is", batch)
            yield batch[0], batch[1]


def _no_pair(what: str, given: object) -> DataError:
    size = f" of {len(given)}" if isinstance(given, tuple | list) else ""
    return DataError(
        "fit_batches learns from pairs of rows and their classes, such as [(X[:500], y[:500]), (X[500:], "
        f"y[500:])], but {what} a {type(given).__name__}{size}: give every batch as (X, y), or read a file "
        "in batches with pgm_nb.scan(path, target=...)."
    )


def coding_of(like: Any, classes: ArrayLike | None, most: int) -> Coding:
    """Return the cut points, states and classes of a fitted model or of counts."""
    encoder = getattr(like, "encoder_", None) or getattr(like, "encoder", None)
    known = getattr(like, "classes_", None) if hasattr(like, "classes_") else getattr(like, "classes", None)
    if encoder is None or known is None:
        raise DataError("like= must be a fitted model over tables of counts, or a CountedTable")
    every = known if classes is None else encode_target(classes)[0]
    columns = tuple(replace(column, empty_unknown=False) for column in encoder.columns)
    numbers = [column.card for column in columns if column.kind == "numeric" and column.cuts is None]
    return Coding(Encoder(columns), every, None, max([most, *numbers]))
