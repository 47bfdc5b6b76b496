"""Multinomial naive Bayes: rows are counts, and each class has its own shares of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pgm_nb.allowed import POSITIVE
from pgm_nb.arrays import Codes, Floats, Places, revived, stored
from pgm_nb.counts import count_singles
from pgm_nb.data import Column, Encoder, MissingReport, learn_encoder
from pgm_nb.explain.detail import share_table
from pgm_nb.explain.explanation import Terms
from pgm_nb.information import Information, star_information
from pgm_nb.learning import naive
from pgm_nb.models.about import About, Option
from pgm_nb.models.base import Packed, whole_or_unfitted
from pgm_nb.models.coded_rows import written_out
from pgm_nb.models.continuous import ContinuousClassifier, stack_numbers
from pgm_nb.models.files import pack_classes, unpack_classes
from pgm_nb.models.gaussian_naive_bayes import NO_STATES, absent_cells, learn_columns
from pgm_nb.models.inspection import Mark
from pgm_nb.words import listed

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from pgm_nb.explain.detail import Detail

__all__ = ["MultinomialNaiveBayes"]


@dataclass(frozen=True, eq=False)
class MultinomialState:
    """All that `fit` learns."""

    target: str
    classes: NDArray[Any]
    named: tuple[str, ...] | None  #: column names of the training table, None if it had none
    measured: tuple[int, ...]  #: places of the columns that are counts
    encoder: Encoder  #: of the other columns, whose states count once each
    missing: MissingReport
    class_weight: Floats  #: rows (or their weights) of each class, (k,)
    totals: Floats  #: what was counted of each thing in each class, (k, things)
    information: Floats  #: class entropy, then I(Xi;Y) of every column, in bits
    start: Floats  #: from where each column is counted: zero, or its smallest number if that is negative


class MultinomialNaiveBayes(ContinuousClassifier):
    """Multinomial naive Bayes: a row counts how often each thing occurs; a class has its share of each.

    P(y, x) is proportional to P(y) prod_j s_yj^xj with the shares s_yj = (N_yj + alpha) / (N_y + alpha m),
    where N_yj is the sum of column j in the rows of class y, N_y that of all columns, and m the number of
    columns. These are the probabilities of scikit-learn's `MultinomialNB`. What counts is which share of a
    row each column has, so columns must be in the same unit, as the words of texts are.

    Parameters
    ----------
    alpha : float
        Imaginary counts of every thing in every class.

    Attributes
    ----------
    shares_ : array (k, m)
        The shares in every class.
    mean_total_ : float
        What is counted in a row, on average.
    structure_ : Star
    trace_ : Trace
    divergence_ : None
    importance_ : DataFrame
        By I(Xi;Y), numbers in ten intervals; the model itself has no such information.
    classes_, feature_names_in_, n_features_in_, missing_

    Notes
    -----
    Numbers need not be whole. A column with negative ones is counted from its smallest in training, which
    `about_probabilities_` says. A column of words counts one for the state that a row has, each state on its
    own.

    An empty cell adds no count in training. In a row to classify it is unknown and summed out: the total of a
    row is taken to be Poisson, with the mean of training in every class, so that counts are independent given
    the class. This changes nothing in a row that is known as a whole.

    Examples
    --------
    >>> import pandas as pd
    >>> import pgm_nb as pnb
    >>> words = pd.DataFrame({"goal": [3, 2, 0, 1], "vote": [0, 1, 4, 2]})
    >>> model = pnb.MultinomialNaiveBayes().fit(words, ["sport", "sport", "politics", "politics"])
    >>> model.shares_.round(3)  # politics: (1 + 1) / (7 + 2), (6 + 1) / (7 + 2)
    array([[0.222, 0.778],
           [0.75 , 0.25 ]])
    """

    about: ClassVar[About] = ContinuousClassifier.about.but(
        allowed={"alpha": replace(POSITIVE, what="a positive number of counts")},
        short_name="multinomial",
        title="Multinomial naive Bayes",
        brief="Multinomial NB",
        summary="Rows are counts, such as the words of a text; every class has its own share of each "
        "attribute.",
        no_divergence="not defined: counts of any size have no table of states",
        empty_cells="An empty cell adds no count while this model learns.",
        options=(
            Option(
                "alpha", parse=float, metavar="A", flag_help="imaginary counts in every class (default: 1)"
            ),
        ),
    )
    divergence_ = None

    def __init__(self, *, alpha: float = 1.0) -> None:
        self.alpha = alpha

    @whole_or_unfitted
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the shares from a table of counts and its class labels.

        Parameters
        ----------
        X : DataFrame, array, polars or Arrow table of shape (n, d)
            Counts, or other numbers that are not negative; words count one for their state.
        y : array-like of shape (n,)
            Class labels; the name of a Series names the class in the graph.
        sample_weight : array-like of shape (n,), optional
            Weight of every row: whole numbers as if it were repeated, or real ones (of which the bits of
            `importance_` know nothing).
        """
        self.about.check(self)
        X, y, weights = written_out(X, y, sample_weight)
        table = self._read(X, reset=True, y=y)
        target, classes, codes = self._labels(X, y, len(table))
        measured, cells, encoder, states = learn_columns(table)
        names = self.attribute_names_
        start = _starts(cells)
        absent = absent_cells(names, measured, cells, encoder, states)
        member = np.equal.outer(np.arange(len(classes)), codes).astype(np.float64)  # (k, n)
        if weights is not None:
            member *= weights
        counts = [member @ np.nan_to_num(cells - start, nan=0.0)]
        counts += [
            _tally(column.card, found, member) for column, found in zip(encoder.columns, states, strict=True)
        ]
        frame = table if isinstance(table, pd.DataFrame) else pd.DataFrame(table, columns=list(names))
        return self._remember(
            MultinomialState(
                target,
                classes,
                names if hasattr(self, "feature_names_in_") else None,
                measured,
                encoder,
                MissingReport.of("unknown", absent, len(cells)),
                class_weight=member.sum(axis=1),
                totals=np.concatenate(counts, axis=1),
                information=_information(frame, codes, len(classes)),
                start=start,
            )
        )

    def _remember(self, learned: MultinomialState) -> Self:
        """Set the fitted attributes; used by learning and by loading a saved model."""
        self.learned_ = learned
        self.classes_ = learned.classes
        self.missing_ = learned.missing
        known = learned.class_weight / learned.class_weight.sum()
        self._logs: Floats = np.log(known, out=np.full(len(known), -np.inf), where=known > 0)
        counted = learned.totals + float(self.alpha)
        self.shares_: Floats = counted / counted.sum(axis=1, keepdims=True)
        self.mean_total_ = float(learned.totals.sum() / learned.class_weight.sum())
        entropy, *relevance = learned.information.tolist()
        d = len(relevance)
        info = Information(
            n_rows=learned.missing.n_rows,
            class_entropy=entropy,
            entropies=np.full(d, np.nan),
            relevance=np.array(relevance),
            dependence=np.zeros((d, d)),
        )
        self.structure_, self.trace_ = naive(info, self.attribute_names_, learned.target)
        return self

    @property
    def about_probabilities_(self) -> str:
        """Say which columns are not counts, and how they are counted."""
        below = np.array(self.learned_.measured, dtype=np.intp)[self.learned_.start < 0]
        if not len(below):
            return super().about_probabilities_
        names = listed([self.attribute_names_[place] for place in below], 3)
        said = f"Counts are not negative, so {names} {'is' if len(below) == 1 else 'are'} counted from "
        own = f"{said}the smallest number in training. Another model suits such columns better."
        return " ".join(part for part in (super().about_probabilities_, own) if part)

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self._logs

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Natural log of P(class) times the probability of the known counts, up to a constant per row."""
        cells, states = self._split(X)
        own, expected = self.shares_[:, : cells.shape[1]], self.mean_total_ * self.shares_
        scores = np.nan_to_num(cells, nan=0.0) @ np.log(own).T
        scores -= ~np.isnan(cells) @ expected[:, : cells.shape[1]].T
        for table, found in zip(self._word_shares(), states, strict=True):
            known = found < table.shape[1]
            scores[known] += self._word_logs(table, found[known])
        scores += self.class_log_prior_
        return scores

    def terms(self, X: Any) -> Terms:
        """Split scores into what every attribute adds to each class, in the order of `importance_`."""
        names = tuple(self.importance_["attribute"])
        place = {name: column for column, name in enumerate(self.attribute_names_)}
        logs = self._cell_logs(X)[:, [place[name] for name in names]]
        return Terms(names, tuple((name,) for name in names), self.class_log_prior_, logs)

    def _cell_logs(self, X: Any) -> Floats:
        """Return what every attribute adds to the score of each class, (n, d, k); zero if it is unknown."""
        cells, states = self._split(X)
        logs = np.zeros((len(cells), self.n_features_in_, len(self.classes_)))
        own = self.shares_[:, : cells.shape[1]].T  # (counted columns, k)
        added = cells[:, :, None] * np.log(own) - self.mean_total_ * own
        logs[:, list(self.learned_.measured)] = np.nan_to_num(added, nan=0.0)
        for column, table, found in zip(
            self.learned_.encoder.columns, self._word_shares(), states, strict=True
        ):
            known = found < column.card
            logs[known, self.attribute_names_.index(column.name)] = self._word_logs(table, found[known])
        return logs

    def _word_logs(self, table: Floats, codes: Codes) -> Floats:
        """Return what words that are known add to the score of each class, (rows, k)."""
        return np.asarray(np.log(table)[:, codes].T - self.mean_total_ * table.sum(axis=1))

    def _word_shares(self) -> list[Floats]:
        """Return the shares of the states of every column of words, (k, v) each."""
        ends = len(self.learned_.measured) + np.cumsum([0, *self.learned_.encoder.cards])
        return [self.shares_[:, first:last] for first, last in pairwise(ends.tolist())]

    def _split(self, X: Any) -> tuple[Floats, Codes]:
        """Return the counts of every row, NaN where they are unknown, and the codes of the words."""
        table, learned = self._read(X, reset=False), self.learned_
        states = NO_STATES
        if isinstance(table, pd.DataFrame) or learned.encoder.columns:
            frame = pd.DataFrame(table)
            frame.columns = pd.Index(self.attribute_names_)
            table = stack_numbers(frame, learned.measured)
            if learned.encoder.columns:
                states = learned.encoder.encode(frame[list(learned.encoder.names)])
        return np.maximum(table - learned.start, 0.0), states

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = super()._describe_attribute(name, mark)
        labels = [str(label) for label in self.classes_]
        table = share_table(
            f"Share of all counts, given {self.structure_.target}",
            str(self.structure_.target),
            labels,
            [""],
            self._share_of(name),
        )
        alone = f"It depends on {self.structure_.class_words(mark)} alone."
        return replace(found, sentences=(*found.sentences, alone), tables=(table,))

    def _share_of(self, name: str) -> Floats:
        """Return the share of an attribute in all that is counted, in every class, (k,)."""
        if name in self.learned_.encoder.names:
            return np.asarray(self._word_shares()[self.learned_.encoder.names.index(name)].sum(axis=1))
        return self.shares_[:, self.learned_.measured.index(self.attribute_names_.index(name))]

    def _row_logs(self, row: Any) -> dict[str, Floats]:
        (logs,) = self._cell_logs(row)
        return dict(zip(self.attribute_names_, logs, strict=True))

    def _coded_columns(self) -> tuple[Column, ...]:
        return self.learned_.encoder.columns

    def _pack(self) -> Packed:
        learned = self.learned_
        description = {
            "target": learned.target,
            "classes": pack_classes(learned.classes),
            "n_columns": self.n_features_in_,
            "named": learned.named,
            "measured": learned.measured,
            "encoder": learned.encoder.to_dict(),
            "missing": asdict(learned.missing),
        }
        return description, {
            name: getattr(learned, name) for name in ("class_weight", "totals", "information", "start")
        }

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        self.about.check(self)
        encoder, named = Encoder.from_dict(description["encoder"]), description["named"]
        classes, measured = unpack_classes(description["classes"]), tuple(description["measured"])
        d, k = int(description["n_columns"]), len(classes)
        places = all(isinstance(place, int) and 0 <= place < d for place in measured)
        if not places or sorted(set(measured)) != list(measured) or len(measured) + len(encoder.columns) != d:
            raise ValueError("the columns are not those of the encoder")
        self.n_features_in_ = d
        if named is not None:
            self.feature_names_in_ = np.array(named, dtype=object)
        return self._remember(
            MultinomialState(
                target=description["target"],
                classes=classes,
                named=named,
                measured=measured,
                encoder=encoder,
                missing=revived(MissingReport, description["missing"]),
                class_weight=stored(arrays, "class_weight", (k,), least=0),
                totals=stored(arrays, "totals", (k, len(measured) + sum(encoder.cards)), least=0),
                information=stored(arrays, "information", (d + 1,)),
                start=stored(arrays, "start", (len(measured),), most=0),
            )
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # where columns are not in the same unit
        return tags


def _tally(card: int, codes: Codes, member: Floats) -> Floats:
    """Count the states of a column of words in every class, (k, v)."""
    counts = [np.bincount(codes, weights=weights, minlength=card + 1)[:card] for weights in member]
    return np.array(counts)


def _information(frame: pd.DataFrame, y: Places, k: int) -> Floats:
    """Return the class entropy and I(Xi;Y) of every column in bits, numbers in ten intervals."""
    encoder, codes, _, _ = learn_encoder(frame, None)
    found = star_information(count_singles(codes, y, encoder.cards, k))
    return np.array([found.class_entropy, *np.maximum(found.relevance, 0.0)])


def _starts(cells: Floats) -> Floats:
    """Return from where each column is counted: zero, or its smallest number if that is negative."""
    return np.asarray(np.fmin(np.fmin.reduce(cells, axis=0, initial=0.0), 0.0), dtype=np.float64)
