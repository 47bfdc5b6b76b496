"""Models over tables of counts: rows become codes, codes become counts, counts become a structure."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Floats, Places
from pgm_nb.counts import Counts
from pgm_nb.data import Column, Encoder, as_frame
from pgm_nb.engine.sums import log_ratio, posteriors
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.case_values import UNKNOWN, first_cells, left_out, one_row, state_of
from pgm_nb.explain.explanation import Terms
from pgm_nb.explain.next_measurement import Measure
from pgm_nb.explain.protocols import Value
from pgm_nb.information import Divergence, Information, joint_entropy
from pgm_nb.lazy import Later
from pgm_nb.learning import Trace
from pgm_nb.models.about import TABLE_OPTIONS, About, imaginary_rows
from pgm_nb.models.answers import Answers
from pgm_nb.models.base import Classifier, Packed, check_meaning, whole_or_unfitted
from pgm_nb.models.coded_rows import check_classes_survive, code_rows, distinct_rows, revealed
from pgm_nb.models.inspection import Known, Varied
from pgm_nb.models.measuring import measure, with_pairs
from pgm_nb.models.partitions import fit_dask, is_dask
from pgm_nb.models.spark import fit_spark, is_spark
from pgm_nb.models.streaming import Streaming
from pgm_nb.models.table_state import Statistics, TableState, TrainingRows, pack, unpack

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes
    from pgm_nb.engine.variables import Potential

__all__ = ["BACKOFF", "HIERARCHICAL", "TableClassifier"]

BACKOFF = "backoff"  # smoothing in which large tables borrow from smaller ones
HIDDEN_CELLS = 1 << 21  # codes of rows with hidden cells that are scored at once
HIERARCHICAL = "hierarchical"  # every level of a table borrows from the one above, as far as the rows demand


class TableClassifier(Answers, Streaming, Classifier, Generic[Statistics]):
    """A classifier whose parameters are tables of counts.

    A subclass finds the structure (`_learn`), picks the counts to keep (`_keep`), turns them into
    parameters (`_estimate`) and scores coded rows (`score_codes`).
    """

    about: ClassVar[About] = About(
        allowed=imaginary_rows(
            HIERARCHICAL, BACKOFF, None, advice="None is the unsmoothed rule of the paper"
        ),
        bins=True,
        options=TABLE_OPTIONS,
    )
    _searches_pairs: ClassVar[bool] = True  #: the search needs the dependence of all pairs of attributes
    _pair_by_pair: ClassVar[bool] = False  #: the search can do with one row of I(Xi;Xj|Y) at a time
    _statistics: ClassVar[type[Any]]  #: the type of the counts that are kept
    _forms: ClassVar[tuple[str, ...]] = ()  #: kinds of network of pgmpy that a person can choose from
    learned_: TableState[Statistics]

    def __init__(
        self,
        *,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str | None = HIERARCHICAL,
        missing: str = "state",
    ) -> None:
        self.discretizer = discretizer
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.missing = missing

    @abstractmethod
    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Any, Any]:
        """Search the structure: (graph, trace)."""

    def _search(self, info: Information, counts: Counts, rows: TrainingRows) -> tuple[Any, Any]:
        """Search the structure; override this if the search needs the rows and not only the information."""
        return self._learn(info, rows.encoder.names, rows.target)

    @abstractmethod
    def _keep(self, counts: Counts, structure: Any, names: Sequence[str]) -> Statistics:
        """Pick the counts that the structure's parameters need."""

    def _keep_of(self, rows: TrainingRows, counts: Any, structure: Any) -> Statistics:
        """Pick the counts that are kept; override this if they are not among those of the pairs."""
        return self._keep(counts, structure, rows.encoder.names)

    @abstractmethod
    def _estimate(self) -> None:
        """Set the parameters from the counts that were kept."""

    @abstractmethod
    def score_codes(self, codes: Codes) -> Floats:
        """Log P(y, known attributes) of coded rows, (n, k)."""

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior: the score of a row of which nothing is known, (k,)."""
        cards = np.array(self.encoder_.cards)[:, None]  # every attribute unknown
        prior: Floats = self.score_codes(cards.astype(np.min_scalar_type(cards.max())))[0]
        return prior

    def coded_terms(self, codes: Codes) -> Terms:
        """Split the scores of coded rows attribute by attribute, in the order of `importance_`.

        By the chain rule an attribute adds log P(y, x1, ..., xi) - log P(y, x1, ..., x(i-1)): the score of
        the row with all later attributes unknown, less what it was before. So every model that scores rows
        with unknown cells has these terms; one that computes them faster overrides this.
        """
        names = tuple(self.importance_["attribute"])
        column = {name: i for i, name in enumerate(self.encoder_.names)}
        mothers = getattr(self.structure_, "mothers", {})
        order, cards = [column[name] for name in names], self.encoder_.cards
        values = np.empty((codes.shape[1], len(names), len(self.classes_)))
        at_once = max(1, HIDDEN_CELLS // (len(codes) * (len(names) + 1)))
        for start in range(0, codes.shape[1], at_once):
            some = slice(start, start + at_once)
            scores = self.score_codes(revealed(codes[:, some], cards, order))
            scores = scores.reshape(len(names) + 1, -1, len(self.classes_))
            values[some] = np.moveaxis(log_ratio(scores[1:], scores[:-1]), 0, 1)
        attributes = tuple((name, mothers[name]) if name in mothers else (name,) for name in names)
        return Terms(names, attributes, self.class_log_prior_, values)

    def _divergence(
        self, info: Information, joint: float, structure: Any, names: Sequence[str]
    ) -> Divergence | None:
        """Return the structure's weight and KL divergence, where they are defined."""
        return None

    @whole_or_unfitted
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn bins, structure and parameters from a table and its class labels.

        Parameters
        ----------
        X : DataFrame, array, polars or Arrow table of shape (n, d), or Dask DataFrame
            Numeric, categorical, boolean or ordered columns; NaN where a cell is missing.
        y : array-like of shape (n,)
            Class labels; the name of a Series names the class in the graph.
        sample_weight : array-like of shape (n,), optional
            How many times each row counts: whole numbers as if it were repeated, or real ones.
        """
        self.__dict__.pop("_stream", None)
        elsewhere = fit_dask if is_dask(X) else fit_spark if is_spark(X) else None
        if elsewhere is not None:
            self.about.check(self)
            if sample_weight is not None:
                raise DataError("a table in partitions is learned without weights: leave sample_weight out")
            return cast("Self", elsewhere(self, X, y))
        if sample_weight is not None:
            return self._fit_weighted(X, y, sample_weight)
        rows = self.code_table(X, y)
        return self._settle(rows, *self._measure(rows), hasattr(self, "feature_names_in_"))

    def _measure(self, rows: TrainingRows, n_threads: int | None = None) -> tuple[Any, Information]:
        """Count the rows and measure what the search needs: of a star the attributes, else also all pairs."""
        needs = {"searches_pairs": self._searches_pairs, "pair_by_pair": self._pair_by_pair}
        return measure(rows, **needs, n_threads=n_threads)

    def _divergence_later(
        self, info: Information, structure: Any, rows: TrainingRows
    ) -> Later[Divergence | None]:
        """Return the divergence, to be computed when somebody asks: it takes longer than all the rest."""
        if type(self)._divergence is TableClassifier._divergence:
            return Later.of(None)

        def compute() -> Divergence | None:
            # how far a star is below the best tree depends on the pairs
            whole = info if self._searches_pairs or not rows.whole else with_pairs(rows, info)
            joint = joint_entropy(rows.codes, rows.y, rows.encoder.cards) if rows.whole else np.nan
            return self._divergence(whole, joint, structure, rows.encoder.names)

        return Later(compute)

    @property
    def divergence_(self) -> Any:
        """Weight and KL divergence of the structure, in bits; None where they are not defined.

        Computed when it is first read, from the coded rows, which the model holds until then.
        """
        return self.learned_.divergence.value

    def _train(self, rows: TrainingRows) -> None:
        """Learn what needs the rows themselves and not only their counts: here nothing."""

    def code_table(self, X: Any, y: Any) -> TrainingRows:
        """Check and code a training table: learn bins and states, and treat missing cells."""
        self.about.check(self)
        frame, target, classes, y_codes = self._prepare(X, y)
        cuts = self._discretizer(frame)
        n_bins = self.about.default_bins if self.n_bins is None else self.n_bins
        rows = code_rows(frame, y_codes, discretizer=cuts, n_bins=n_bins, missing=self.missing)
        check_classes_survive(classes, rows.y, y_codes)
        return TrainingRows(target, classes, rows.encoder, rows.missing, rows.codes, rows.y)

    def _discretizer(self, frame: pd.DataFrame) -> Any:
        """Return how the numeric columns of a training table are cut, as `learn_encoder` takes it."""
        return self.discretizer

    @property
    def no_unseen_classes(self) -> str:
        """Why the model cannot have a class without rows; empty if it can."""
        return "tables without smoothing know a class from its rows alone" if self.smoothing is None else ""

    def relearn(self, rows: TrainingRows, chosen: Places) -> Any:
        """Learn the structure alone, from some of the coded rows (one may be chosen more than once)."""
        some = replace(rows, codes=np.ascontiguousarray(rows.codes[:, chosen]), y=rows.y[chosen])
        counts, info = self._measure(some, n_threads=1)
        structure, _ = self._search(info, counts, some)
        return structure

    def _remember(self, learned: TableState[Statistics]) -> Self:
        """Set the fitted attributes; used by `fit` and by loading a saved model."""
        self.learned_ = learned
        self.classes_ = learned.classes
        self.structure_ = learned.structure
        self.trace_ = learned.trace
        self.missing_ = learned.missing
        self.encoder_ = learned.encoder
        self.n_features_in_ = len(learned.encoder.names)
        if learned.named:
            self.feature_names_in_ = np.array(learned.encoder.names, dtype=object)
        self._estimate()
        return self

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Natural log of P(class, known attributes) for every row and class, (n, k).

        With ``smoothing=None`` a row that every class gives zero is scored again with the repaired
        tables of Kovács et al. 2024.
        """
        return self.score_codes(self.encode(X))

    def encode(self, X: Any) -> Codes:
        """Code the rows of a table as at training, (d, n); a code equal to the number of states: unknown."""
        check_is_fitted(self)
        if self.recipe_ is None and isinstance(X, pd.DataFrame) == self.learned_.named:  # as it was trained
            codes = self.encoder_.encode_as_given(X)
            if codes is not None:
                return codes
        return self.encoder_.encode(self._frame(X, reset=False))

    def terms(self, X: Any) -> Terms:
        """Take the joint log score of every row apart: one addend for each step of the model."""
        return self.coded_terms(self.encode(X))

    def partial_scorer(self, X: Any) -> Callable[[NDArray[np.bool_]], Floats]:
        """Return a function from sets of known attributes (sets, d) to the log scores of rows (sets, n, k).

        All other attributes are unknown, also where an empty cell is a state.
        """
        return partial(self._score_hidden, self.encode(X))

    def _score_hidden(self, codes: Codes, known: NDArray[np.bool_]) -> Floats:
        cards = np.array(self.encoder_.cards)
        sets, rows, places = distinct_rows(codes, cards, known)
        unknown = cards.astype(np.uint16)[:, None]
        at_once = max(1, HIDDEN_CELLS // len(codes))
        parts = []
        for start in range(0, len(rows), at_once):
            some = slice(start, start + at_once)
            parts.append(self.score_codes(np.where(known[sets[some]].T, codes[:, rows[some]], unknown)))
        scores: Floats = np.concatenate(parts)[places]
        return scores

    def _states_and_terms(self, frame: pd.DataFrame, absent: Sequence[int]) -> tuple[tuple[str, ...], Terms]:
        codes = self.encoder_.encode(as_frame(frame))
        codes[list(absent)] = np.array(self.encoder_.cards)[list(absent), None]  # also where empty is a state
        states = tuple(
            column.labels[code] if code < column.card else UNKNOWN
            for column, code in zip(self.encoder_.columns, codes[:, 0].tolist(), strict=True)
        )
        return states, self.coded_terms(codes)

    def empty_as(self, meaning: str) -> Self:
        """Return the same model, to which an empty cell is unknown, or the state that it was in training.

        It makes a difference only to columns that had empty cells in training, with ``missing="state"``.
        There an empty cell of a row to classify is the state "missing" by default.

        Parameters
        ----------
        meaning : {"unknown", "missing"}
            What an empty cell means. The state can be named either way: its label is "missing".

        Examples
        --------
        >>> import pandas as pd
        >>> import pgm_nb as pnb
        >>> X = pd.DataFrame({"test": ["pos", "neg", None, None] * 5})
        >>> y = ["ill", "well", "ill", "ill"] * 5
        >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
        >>> row = pd.DataFrame({"test": [None]})
        >>> print(model.predict_proba(row).round(2), model.empty_as("unknown").predict_proba(row).round(2))
        [[0.97 0.03]] [[0.74 0.26]]
        """
        check_meaning(meaning)
        columns = tuple(replace(c, empty_unknown=meaning == "unknown") for c in self.encoder_.columns)
        other = copy(self)
        other.encoder_ = Encoder(columns)
        other.learned_ = replace(self.learned_, encoder=other.encoder_)
        return other

    def case_columns(self, X: Any) -> tuple[Column, ...]:
        """Return the attributes as they are coded, also the state of an empty cell."""
        return self.encoder_.columns

    def case_scores(self, known: Known, varied: Varied | None = None) -> Floats:
        """Joint log scores of one case, (1, k); what is not named is unknown, even if missing is a state."""
        codes = self._case_codes(known)
        if varied:
            codes = np.repeat(codes, len(next(iter(varied.values()))[1]), axis=1)
            place = {column.name: i for i, column in enumerate(self.encoder_.columns)}
            for name, (values, places) in varied.items():
                column = self.encoder_.columns[place[name]]
                codes[place[name]] = np.array([_code(column, value) for value in values])[places]
        return self.score_codes(codes)

    def case_terms(self, known: Known) -> Terms:
        """Return the scores of one case as a sum over the steps of the model."""
        return self.coded_terms(self._case_codes(known))

    def _case_codes(self, known: Known) -> Codes:
        columns = self.encoder_.columns
        codes = [_code(c, known[c.name]) if c.name in known else c.card for c in columns]
        return np.array(codes, dtype=np.uint16)[:, None]

    def _asked_names(self) -> tuple[str, ...]:
        used = set(self.structure_.attributes)
        return tuple(name for name in self.encoder_.names if name in used)

    def measures(self, X: Any = None) -> tuple[Measure, ...]:
        """Return the attributes as things to measure: the columns with their states."""
        used = set(self.structure_.attributes)
        return tuple(Measure(column) for column in self.encoder_.columns if column.name in used)

    def _weigh(
        self, measures: Sequence[Measure], codes: Codes, exact: Mapping[int, Value]
    ) -> tuple[Floats, Floats]:
        """Return log of how likely coded rows are, and their posteriors."""
        return self._weigh_codes(self._all_codes(measures, codes))

    def _all_codes(self, measures: Sequence[Measure], codes: Codes) -> Codes:
        """Return the codes of some attributes as codes of all columns, the others unknown."""
        place = {name: i for i, name in enumerate(self.encoder_.names)}
        full = np.repeat(np.array(self.encoder_.cards, dtype=np.uint16)[:, None], codes.shape[1], axis=1)
        full[[place[measure.column.name] for measure in measures]] = codes
        return full

    def _weigh_codes(self, codes: Codes) -> tuple[Floats, Floats]:
        scores = self.score_codes(codes)
        return np.logaddexp.reduce(scores, axis=1), posteriors(scores, self.class_log_prior_)

    def _pack(self) -> Packed:
        return pack(self.learned_)

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        self.about.check(self)
        trace = self._read_trace(description["trace"])
        return self._remember(unpack(description, arrays, self._statistics, trace))

    def _read_trace(self, record: Mapping[str, Any]) -> Any:
        return Trace.from_dict(record)

    def to_pgmpy(self, form: Any = None, *, row: Any = None) -> Any:
        """Compile the model to pgmpy: the whole of it, or what is left of it once a row is known.

        Parameters
        ----------
        form : str, optional
            Which kind of network the whole model becomes, where there is a choice: "bayesian network" or
            "junction tree" for naive Bayes, TAN, GNB and KDB. The first three also give a "markov network",
            whose posterior of the class, given every attribute, is the model's also with parameters trained
            for the class; a model with such parameters becomes one by default, because the other two forms
            have the tables as counted.
        row : mapping, Series or table of one row, optional
            What is known of a case; it may also be given first, in the place of `form`. NaN or None means
            unknown, or the state "missing", as in `predict_proba`; an attribute that is not named is
            unknown. A range, likelihoods and the like are taken as in `query`.

        Returns
        -------
        pgmpy network, or list of DiscreteFactor
            Without a row the network. With one, factors whose product, with everything but the class summed
            out, is the posterior of `predict_proba` once it is divided by its sum. A joint distribution gives
            its own factors, read at what is known: they are of the class and of the attributes that are not
            known. Any other model, and one with parameters trained for the class, leaves unknown attributes
            out in ways of its own, so it gives factors of the class alone: the prior, then what each
            attribute adds. Every factor is scaled: its largest entry is one.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> from pgmpy.factors import factor_product
        >>> X, y = pnb.load_sample("iris")
        >>> model = pnb.TreeAugmentedNaiveBayes(parameters="generative").fit(X, y)
        >>> factors = model.to_pgmpy({"petal width": 1.6, "petal length": 5.0, "sepal width": 3.0})
        >>> sorted({name for factor in factors for name in factor.variables})
        ['class', 'sepal length']
        >>> posterior = factor_product(*factors).marginalize(["sepal length"], inplace=False)
        >>> posterior.normalize(inplace=False).values.round(3)
        array([0.  , 0.25, 0.75])
        """
        check_is_fitted(self)
        if form is not None and not isinstance(form, str):
            if row is not None:
                raise QueryError("two rows are given to to_pgmpy; give one")
            form, row = None, form
        if row is None:
            self._check_form(form)
            return self._network(form)
        if form is not None:
            raise QueryError(
                f"a row becomes a list of factors, the whole model a network: give the row, or {form!r}"
            )
        return self._factors_of(row)

    def _check_form(self, form: str | None) -> None:
        if form is None or form in self._forms:
            return
        if not self._forms:
            raise QueryError(f"{self.about.title} has one form in pgmpy: leave out {form!r}")
        known = [repr(known) for known in self._forms]
        raise QueryError(f"form must be {', '.join(known[:-1])} or {known[-1]}, but is {form!r}")

    def _network(self, form: str | None) -> Any:
        """Compile the whole model, to one of its forms or to what suits it best."""
        raise QueryError(f"{self.about.title} becomes factors of pgmpy for one row: pass it, to_pgmpy(row)")

    def _joint_factors(self, codes: Codes) -> Iterable[Potential] | None:
        """Return factors whose product is the joint distribution by which a coded row (d, 1) is scored.

        None where there is none: unknown attributes are not summed out of any product.
        """
        return None

    def _factors_of(self, row: Any) -> list[Any]:
        """Return the factors that are left of the model once a row is known."""
        from pgm_nb.engine.pgmpy import known_factors, row_factors

        variables, given = self.asked_variables(), self._row_given(row)
        target = variables.target
        likelihoods = {name: variables.heard(name).likelihood(value) for name, value in given.items()}
        used = {name: found for name, found in likelihoods.items() if not variables.is_spare(name)}
        soft = any(np.count_nonzero(found) != 1 for found in used.values())
        codes = self._codes_of(used)
        case = self.prospects(given) if soft else None  # refuses what cannot occur
        factors = self._joint_factors(codes)
        if factors is not None:
            return known_factors(variables, factors, used)
        if case is not None:
            with np.errstate(divide="ignore"):
                logs = {target.name: np.log(case.posterior)}
        else:
            logs = self._class_logs(codes, target.name)
        return row_factors(target.name, target.labels, logs)

    def _row_given(self, row: Any) -> dict[str, Any]:
        """Return what a row says by name, without what is unknown; refuse a name that is no attribute."""
        row = self._by_recipe(row, reset=False)
        names, variables = self.attribute_names_, self.asked_variables()
        frame: pd.DataFrame = one_row(row, names)
        absent = set(left_out(row, names))
        return {
            name: cell
            for place, (name, cell) in enumerate(zip(names, first_cells(frame), strict=True))
            if place not in absent and not variables.heard(name).is_unknown(cell)
        }

    def _codes_of(self, likelihoods: Mapping[str, Floats]) -> Codes:
        """Return what is certain as a coded row, (d, 1); all else is unknown."""
        codes = np.array(self.encoder_.cards, dtype=np.uint16)[:, None]
        for name, found in likelihoods.items():
            if np.count_nonzero(found) == 1:
                codes[self.encoder_.names.index(name)] = found.argmax()
        return codes

    def _class_logs(self, codes: Codes, target: str) -> dict[str, Floats]:
        """Take the score of a coded row apart; the prior alone where no class can have produced the row."""
        terms = self.coded_terms(codes)
        if np.isneginf(self.score_codes(codes)).all():
            return {target: terms.prior}
        return {target: terms.prior} | dict(zip(terms.names, terms.row(0), strict=True))


def _code(column: Column, value: Value | None) -> int:
    """Return the code of a value; NaN and what has no place are unknown."""
    state = None if isinstance(value, float | np.floating) and np.isnan(value) else state_of(column, value)
    return column.card if state is None else state
