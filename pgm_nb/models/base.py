"""What every model shares: it checks tables and labels, normalises posteriors, and saves itself."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from html import escape
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from pgm_nb.arrays import Floats, Places
from pgm_nb.data import Column, as_frame, as_labels, encode_target
from pgm_nb.data.repairs.recipe import Recipe
from pgm_nb.data.target import check_rows, target_name, unseen_classes
from pgm_nb.engine.questions import Prior, base_rate_shift, log_base_rates
from pgm_nb.engine.sums import normalise, posteriors
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.case_values import first_cells, left_out, one_row, shown
from pgm_nb.explain.explanation import Explanation, Terms, explanation, split, with_evidence, without_zeros
from pgm_nb.models.about import About
from pgm_nb.models.asking import Asking
from pgm_nb.models.inspection import Inspection
from pgm_nb.models.intervals import LEVEL, Intervals, credible_interval
from pgm_nb.scoring.decisions import read_costs
from pgm_nb.words import NOT_SEARCHED, PROVEN_BEST, in_bits, listed

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from pgm_nb.explain.growth import Growth
    from pgm_nb.views.printing import PrintSize

__all__ = ["Classifier", "Packed", "check_meaning", "class_labels", "whole_or_unfitted"]

Asked = ParamSpec("Asked")
Fitted = TypeVar("Fitted")

MOST_ON_CARD = 64  # attributes that a card for notebooks draws
OF_SKLEARN = ("callback", "_skl", "_metadata_request")  # in the names of what scikit-learn puts on a model

Packed = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # what JSON holds, and arrays by name


class Absent:
    """A method that a model does not have: asking for it says why, and `hasattr` says no."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __get__(self, model: object, kind: type[Classifier]) -> Any:
        raise AttributeError(self.sentence.format(kind.about.title))


class Classifier(  # scikit-learn is untyped
    Inspection,
    Asking,
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
    ABC,
):
    """A scikit-learn classifier that takes any table and asks its subclass for joint scores only.

    A subclass without one of the abstract methods cannot be instantiated.
    """

    about: ClassVar[About] = About()
    _intervals: ClassVar[type[Intervals]] = Intervals
    classes_: NDArray[Any]
    structure_: Any  #: a graph object of `pgm_nb.graphs`
    recipe_: Recipe | None = None  #: how a raw table is repaired before it is classified
    sample: Any = Absent("{} draws no rows; draw from naive Bayes, TAN, GNB, KDB, AODE or class trees")
    partial_fit: Any = Absent("{} learns from all rows at once; call fit with the old rows and the new ones")
    fit_counts: Any = Absent("{} is not learned from counts of states; call fit with all rows")
    fit_batches: Any = Absent("{} reads no batches; call fit with all rows, or partial_fit if it has it")
    log_likelihood: Any = Absent("{} does not say how likely a row is; naive Bayes, TAN and GNB do")
    mutual_information: Any = Absent(
        "{} gives no bits that two attributes share; naive Bayes, TAN and GNB do"
    )

    @abstractmethod
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from a table and its class labels."""

    @abstractmethod
    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Natural log of P(class, known attributes) for every row and class, (n, k)."""

    @property
    @abstractmethod
    def class_log_prior_(self) -> Floats:
        """Log of the class prior: the answer for a row that no class can have produced, (k,)."""

    @abstractmethod
    def terms(self, X: Any) -> Terms:
        """Take the joint log score of every row apart: one addend for each step of the model."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows that are classified right, of any labels that `fit` takes."""
        return float(super().score(X, as_labels(y), sample_weight))

    def prefix_scores(self, X: Any) -> Floats:
        """Joint log scores of the models made of the first 0, 1, ... all steps, (n, steps + 1, k)."""
        return self.terms(X).prefix_scores()

    @property
    def intervals_(self) -> Intervals:
        """How sure the probabilities of the class are, or why that is not known."""
        return self._intervals(self)

    def credible_interval(
        self, given: Mapping[str, Any] | None = None, *, level: float = LEVEL
    ) -> pd.DataFrame:
        """Say between which two numbers the probability of every class lies, given what is known.

        Parameters
        ----------
        given : mapping, optional
            Evidence, as `query` takes it; what is left out, None and NaN are unknown.
        level : float
            How probable it is that the interval holds the true probability, if the structure is right.

        Returns
        -------
        DataFrame
            The class, its probability, and the ends `low` and `high` of its interval.

        Raises
        ------
        QueryError
            There is no interval; the sentence is that of `intervals_.why_not_given`.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("wdbc")
        >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, n_bins=5).fit(X, y)
        >>> model.credible_interval({"worst texture": 30.0}).round(2)
               class  probability   low  high
        0     benign         0.43  0.37  0.52
        1  malignant         0.57  0.48  0.63
        """
        return credible_interval(self, given or {}, level)

    @abstractmethod
    def _pack(self) -> Packed:
        """Return all that `fit` learned, for a file."""

    @abstractmethod
    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Become fitted by what `_pack` gave."""

    @property
    def attribute_names_(self) -> tuple[str, ...]:
        """Names of the columns it was trained on; x0, x1, ... if they had none."""
        check_is_fitted(self)
        if hasattr(self, "feature_names_in_"):
            return tuple(map(str, self.feature_names_in_))
        return tuple(f"x{i}" for i in range(self.n_features_in_))

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes by the information they carry about the class: gain and running sum, in bits.

        There is no joint distribution, so the divergence `kl` is not defined.
        """
        check_is_fitted(self)
        relevance = self.structure_.relevance or {}
        table = pd.DataFrame({"attribute": list(relevance), "mother": None, "gain": list(relevance.values())})
        table = table.sort_values("gain", ascending=False, kind="stable", ignore_index=True)
        return table.assign(weight=table["gain"].cumsum(), kl=np.nan)

    def growth_views(self, rows: bool) -> tuple[str, ...]:
        """Return the views that can show its growth, with or without its training rows."""
        views: tuple[str, ...] = self.structure_.views
        return views

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Describe step by step how the model was learned; here attribute by attribute."""
        from pgm_nb.explain.growth.trees import tree_growth

        return tree_growth(self, view, most)

    def save(self, path: str | Path) -> None:
        """Write the model to one file that `pgm_nb.load` reads back: JSON and arrays, no pickle."""
        from pgm_nb.models.files import save

        check_is_fitted(self)
        save(self, path)

    def keep_recipe(self, recipe: Recipe | None) -> Self:
        """Keep the recipe by which the training table was repaired: raw tables are then classified alike.

        It is saved with the model, and applied to every named table that the model is given. Cells that are
        already repaired pass as they are.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> raw = pd.DataFrame({"sugar": [80, 90, 200, 0, 210, 85] * 5, "y": [0, 0, 1, 1, 1, 0] * 5})
        >>> recipe = pnb.Recipe(
        ...     [
        ...         {"do": "not measured", "column": "sugar", "values": [0]},
        ...         pnb.Codebook({}, {"y": {"0": "healthy", "1": "diabetic"}}),
        ...     ]
        ... )
        >>> table = recipe.apply(raw)
        >>> model = pnb.NaiveBayes().fit(table[["sugar"]], table["y"]).keep_recipe(recipe)
        >>> model.predict(raw).tolist()[:3]
        ['healthy', 'healthy', 'diabetic']
        """
        check_is_fitted(self)
        if recipe:
            self.recipe_ = recipe
        else:
            self.__dict__.pop("recipe_", None)
        return self

    def _by_recipe(self, X: Any, *, reset: bool) -> Any:
        """Return the rows as the recipe makes them; a new training forgets the recipe of the one before."""
        if reset:
            self.__dict__.pop("recipe_", None)
        if self.recipe_ is None or not isinstance(X, pd.DataFrame):
            return X
        frame = self.recipe_.for_rows(X)
        names = list(self.attribute_names_)
        return frame[names] if set(names) <= set(frame.columns) else frame

    def export(
        self, path: str | Path, view: str | None = None, *, size: PrintSize | None = None
    ) -> tuple[Path, ...]:
        """Write the structure, or the whole network for other programs; returns the files written.

        Parameters
        ----------
        path : str or Path
            Its ending says the format: a picture or graph (dot, svg, png, pdf, json, graphml), or, for a
            model that is a Bayesian network, the network with its tables (bif, xmlbif, bifxml, xdsl, net,
            uai).
        view : str, optional
            Which of the structure's views a picture shows.
        size : PrintSize, optional
            How large a picture is on paper.
        """
        from pgm_nb.files import write_atomically

        path = Path(path)
        files = self.exported(path.name, view, size=size)
        for name, content in files.items():
            write_atomically(path.with_name(name), content)
        return tuple(path.with_name(name) for name in files)

    def exported(
        self, name: str, view: str | None = None, *, size: PrintSize | None = None
    ) -> dict[str, bytes]:
        """Return what `export` would write to a file of this name: names and contents."""
        from pgm_nb.engine.exchange import FORMATS

        check_is_fitted(self)
        ending = Path(name).suffix.lstrip(".").lower()
        if ending in FORMATS:
            return self._network_files(ending, Path(name).stem)
        return {name: self.structure_.export(ending, view, size=size)}

    def about_network(self, ending: str) -> str:
        """Say in what a network file differs from what the model says; empty where it does not.

        Parameters
        ----------
        ending : str
            The format: bif, xmlbif, bifxml, xdsl, net or uai.
        """
        return ""

    def _network_files(self, ending: str, stem: str) -> dict[str, bytes]:
        """Return the network as files; a model that is not a network refuses."""
        raise QueryError(
            f"a .{ending} file holds a Bayesian network, which {self.about.title} is not; write .json, "
            f".graphml or a picture{self.about.factors_for_pgmpy}, or fit naive Bayes, TAN, GNB or KDB for "
            "a network"
        )

    def _coded_columns(self) -> tuple[Column, ...]:
        """Return the columns that are coded by their states or intervals; all others hold numbers."""
        encoder = getattr(self, "encoder_", None)
        return () if encoder is None else encoder.columns

    def _prepare(self, X: Any, y: Any) -> tuple[pd.DataFrame, str, NDArray[Any], Places]:
        """Check a training table; return the frame, the name of the class, the classes and their codes."""
        frame = self._frame(X, reset=True, y=y)
        target = target_name(y, [str(name) for name in frame.columns.tolist()])
        labels = class_labels(y)
        check_rows(X, y if isinstance(y, pd.Series) else labels, len(frame))
        seen_only = self._leave_out_unseen_classes(y)
        classes, codes = encode_target(labels if seen_only else y)
        return frame, target, classes, codes

    @property
    def no_unseen_classes(self) -> str:
        """Why the model cannot have a class without rows, in a few words; empty if it can."""
        return f"{self.about.title} learns a class from its rows alone"

    def _leave_out_unseen_classes(self, y: Any) -> bool:
        """Say whether only classes with rows are learned, and warn of those that are left out."""
        unseen = unseen_classes(y)
        self._left_out = ""
        if unseen and self.no_unseen_classes:
            names = listed([repr(label) for label in unseen])
            self._left_out = (
                f"No row has the class {names}, and {self.no_unseen_classes}, so it is left out: its "
                "probability is zero."
            )
            warnings.warn(self._left_out, UserWarning, stacklevel=4)
        return not unseen or bool(self._left_out)

    def _frame(self, X: Any, *, reset: bool, y: Any = None) -> pd.DataFrame:
        """Return the table as a checked frame, with the columns that `fit` saw."""
        if not reset:
            check_is_fitted(self)
        X = self._by_recipe(X, reset=reset)
        labels = {"y": y} if reset else {}  # scikit-learn refuses a missing y in its own words
        if hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__"):
            frame = as_frame(X)
            validate_data(self, frame, reset=reset, skip_check_array=True, **labels)
        elif isinstance(X, Mapping) and not hasattr(X, "toarray"):  # a sparse matrix may be a dictionary
            raise DataError("a dictionary is not yet a table: pass pandas.DataFrame(X).")
        else:
            if reset:
                validate_data(self, X, skip_check_array=True, **labels)
            frame = as_frame(validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan"))
        if not (reset or set(self.attribute_names_) <= set(frame.columns)):
            frame.columns = pd.Index(self.attribute_names_)  # in order, of which scikit-learn has warned
        return frame

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        if not hasattr(self, "classes_"):
            bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
            return bundle
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        """Return a card for notebooks: what it is, its numbers, its picture; every name is escaped."""
        check_is_fitted(self)
        structure = self.structure_
        facts = [
            ("class", f"{structure.target}: {', '.join(map(str, self.classes_))}"),
            ("attributes", f"{len(structure.attributes)} of {self.n_features_in_}"),
            *_numbers(self),
            *([("probabilities", self.about_probabilities_)] if self.about_probabilities_ else []),
            ("missing cells", str(self.missing_)),
        ]
        rows = "".join(f"<tr><th style='text-align:left'>{a}</th><td>{escape(b)}</td></tr>" for a, b in facts)
        small = len(structure.attributes) <= MOST_ON_CARD
        picture = (structure._repr_svg_() if small else None) or ""
        return (
            f"<div><strong>{escape(self.about.title)}</strong><table>{rows}</table>"
            f"<div style='max-width:60em'>{picture}</div></div>"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of a pickle or a copy what questions have left behind."""
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_answers", None)
        return state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def empty_as(self, meaning: str) -> Self:
        """Return the model to which an empty cell is unknown, or the state "missing"; here always unknown.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> model = pnb.GaussianNaiveBayes().fit(*pnb.load_sample("iris"))
        >>> model.empty_as("unknown") is model
        True
        """
        check_meaning(meaning)
        if meaning == "missing":
            raise QueryError(
                f"{self.about.title} has no state for an empty cell: an empty value is always unknown "
                "there; leave it so"
            )
        return self

    def predict_log_proba(self, X: Any, prior: Prior = None) -> Floats:
        """Log of the class posterior of every row, (n, k); `prior` as in `predict_proba`."""
        return self.log_posterior(self.predict_joint_log_proba(X), prior)

    def predict_proba(self, X: Any, prior: Prior = None) -> Floats:
        """Class posterior of every row, (n, k), columns as in `classes_`.

        Parameters
        ----------
        X : table
            The rows; an empty cell is unknown.
        prior : mapping of class to float, optional
            How common each class is where the rows come from, if that is not as in training: a share for
            every class, adding up to one. P'(y|x) is proportional to P(y|x) p'(y) / p(y), so the odds of two
            classes change by the same factor in every row. What the attributes say is taken to be the same in
            both populations. The rates that are replaced are those in training (`class_log_prior_`), also
            where parameters were trained for the class.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("wdbc")  # 37% are malignant
        >>> quintiles = {"discretizer": "quantile", "n_bins": 5, "smoothing": 1.0, "parameters": "generative"}
        >>> model = pnb.NaiveBayes(**quintiles).fit(X[["worst radius"]], y)
        >>> row = X[["worst radius"]].iloc[[40]]
        >>> print(model.predict_proba(row).round(3))
        [[0.848 0.152]]
        >>> print(model.predict_proba(row, prior={"benign": 0.99, "malignant": 0.01}).round(3))
        [[0.997 0.003]]
        """
        return self.posterior(self.predict_joint_log_proba(X), prior)

    def predict(self, X: Any, prior: Prior = None) -> NDArray[Any]:
        """Most probable class of every row; `prior` as in `predict_proba`."""
        best = np.argmax(self.predict_log_proba(X, prior), axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def decide(
        self,
        X: Any,
        costs: Mapping[Any, float] | pd.DataFrame,
        *,
        label: Any = None,
        prior: Prior = None,
    ) -> NDArray[Any]:
        """Decide for every row: the class of least expected cost.

        Parameters
        ----------
        X : table
            The rows; an empty cell is unknown.
        costs : mapping or DataFrame
            ``{"miss": 10, "false alarm": 1}``: what it costs to miss the class that counts, and to see it
            where it is not. Or ``{(true, decided): cost}`` for every pair of different classes (a right
            decision costs nothing unless it is given too). Or a table of costs, the true classes down and the
            decided ones across.
        label : object, optional
            The class that counts, for the first way of giving costs.
        prior : mapping of class to float, optional
            How common the classes are where the rows come from, as in `predict_proba`.

        Returns
        -------
        array
            A class for every row. With a miss and a false alarm it is `label` where its probability reaches
            false alarm / (false alarm + miss), else the most probable of the other classes. Of decisions that
            cost the same, the more probable class is taken.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("wdbc")
        >>> quintiles = {"discretizer": "quantile", "n_bins": 5, "smoothing": 1.0, "parameters": "generative"}
        >>> model = pnb.NaiveBayes(**quintiles).fit(X[["worst radius"]], y)
        >>> row = X[["worst radius"]].iloc[[40]]  # malignant with 15%
        >>> print(model.predict(row), model.decide(row, {"miss": 10, "false alarm": 1}, label="malignant"))
        ['benign'] ['malignant']
        """
        check_is_fitted(self)
        found = read_costs(costs, self.classes_.tolist(), label)
        labels: NDArray[Any] = self.classes_[found.decide(self.predict_proba(X, prior))]
        return labels

    def log_posterior(self, log_scores: Floats, prior: Prior = None) -> Floats:
        """Return the log posterior that follows from joint log scores, (n, k)."""
        return normalise(*self._moved(log_scores, prior))

    def posterior(self, log_scores: Floats, prior: Prior = None) -> Floats:
        """Return the posterior that follows from joint log scores, (n, k)."""
        return posteriors(*self._moved(log_scores, prior))

    def _moved(self, log_scores: Floats, prior: Prior) -> tuple[Floats, Floats]:
        """Return scores and class prior as they are in another population, if one is asked about."""
        if prior is None:
            return log_scores, self.class_log_prior_
        shift = self.base_rate_shift(prior)
        return log_scores + shift, self.class_log_prior_ + shift

    def in_population(self, posterior: Floats, prior: Prior) -> Floats:
        """Return a posterior of the class, (k,), as it is where the classes have other base rates."""
        if prior is None:
            return posterior
        log_posterior = np.log(posterior, out=np.full(len(posterior), -np.inf), where=posterior > 0)
        moved: Floats = self.posterior(log_posterior[None], prior)[0]
        return moved

    def base_rate_shift(self, prior: Mapping[Any, float]) -> Floats:
        """Return what other base rates add to the log scores of the classes, (k,)."""
        check_is_fitted(self)
        classes = self.classes_.tolist()
        return base_rate_shift(self.class_log_prior_, log_base_rates(prior, classes), classes)

    def explain(
        self, row: Any, *, label: Any = None, against: Any = None, prior: Prior = None, X: Any = None
    ) -> Explanation:
        """Explain one row: how much each cluster, attribute or component adds to the log-odds of its class.

        Parameters
        ----------
        row : mapping, Series or one-row table
            The row; an attribute that is not given is unknown, so that ``{}`` explains the prior. A mapping
            may hold ranges, alternatives and likelihoods, as `query` takes them; what they add comes last.
        label, against : object, optional
            The class to explain (by default the predicted one) and the class to compare it with (by
            default the likeliest other).
        prior : mapping of class to float, optional
            How common the classes are where the row comes from, as in `predict_proba`.
        X : table, optional
            The training table or one like it. Models that do not sort numbers into intervals need it for
            ranges, alternatives and likelihoods.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("iris")
        >>> model = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        >>> why = model.explain({"petal width": 1.6, "petal length": 5.0})
        >>> why.label, why.against, round(why.log_odds, 3)
        ('virginica', 'versicolor', 0.514)
        >>> why.to_frame()[["part", "state", "contribution"]].round(3)
                   part                  state  contribution
        0     base rate                                0.000
        1   petal width           (1.55, 1.85]         0.822
        2   sepal width  unknown, (1.55, 1.85]         0.000
        3  sepal length       unknown, unknown         0.000
        4  petal length  (4.65, 5.05], unknown        -0.308
        >>> why = model.explain({"petal width": 1.6, "petal length": pnb.below(5.0)})
        >>> why.label
        'versicolor'
        >>> why.to_frame()[["part", "state", "contribution"]].round(3)
                   part         state  contribution
        0     base rate                       0.000
        1   petal width  (1.55, 1.85]        -0.822
        2  petal length       below 5         1.689
        """
        names, row = self.attribute_names_, self._by_recipe(row, reset=False)
        plain, other = split(row) if isinstance(row, Mapping) else (row, {})
        frame = one_row(row if not other else plain, names)
        one_row(dict.fromkeys(other, 0.0), names)  # refuses a name that the model has not
        states, terms = self._states_and_terms(frame, left_out(plain, names))
        written = (shown(cell) for cell in first_cells(frame))
        cells = dict(zip(names, zip(written, states, strict=True), strict=True))
        cells |= {name: (str(value), str(value)) for name, value in other.items()}
        target, classes = str(self.structure_.target), self.classes_.tolist()
        terms = with_evidence(
            terms, plain, other, lambda known: self.query(target, known, X=X)["probability"].to_numpy()
        )
        if prior is not None:
            terms = replace(terms, prior=terms.prior + self.base_rate_shift(prior))
        why = explanation(terms, self.structure_.target, classes, cells, label, against)
        return without_zeros(why) if other else why

    def _states_and_terms(self, frame: pd.DataFrame, absent: Sequence[int]) -> tuple[tuple[str, ...], Terms]:
        """Name the state of each cell of a one-row table, here the value itself, and take its score apart.

        Some attributes may be `absent`: not mentioned at all.
        """
        row = frame if hasattr(self, "feature_names_in_") else frame.to_numpy()
        return tuple(shown(cell) for cell in first_cells(frame)), self.terms(row)


def whole_or_unfitted(fit: Callable[Asked, Fitted]) -> Callable[Asked, Fitted]:
    """Wrap a model's `fit` so that a model whose training failed, or was stopped, has learned nothing.

    Without this it would be left with the columns of the new table and what it had learned from an old one.
    """

    @wraps(fit)
    def run(*args: Asked.args, **options: Asked.kwargs) -> Fitted:
        try:
            return fit(*args, **options)
        except BaseException:
            model: Any = args[0]
            for name in vars(model).keys() - model.get_params(deep=False).keys():
                if not any(part in name for part in OF_SKLEARN):
                    delattr(model, name)
            raise

    return run


def check_meaning(meaning: str) -> None:
    """Refuse what an empty cell cannot mean.

    Examples
    --------
    >>> check_meaning("unknown")
    """
    if meaning not in ("unknown", "missing"):
        raise QueryError(f"an empty cell can be 'unknown' or 'missing', but not {meaning!r}")


def class_labels(y: Any) -> NDArray[Any]:
    """Return the class labels as one column; the name of a column is not one."""
    if isinstance(y, str):
        raise DataError(
            f"y must hold a class for each row, but is {y!r}: pass the column. A name is enough only for a "
            "Dask or Spark DataFrame and a model over tables of counts; for others, compute() the table"
        )
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    return labels


def _numbers(model: Classifier) -> list[tuple[str, str]]:
    """Return the weight and the divergence, or why there are none."""
    numbers = model.divergence_
    if numbers is None:
        return [("KL divergence", model.about.no_divergence)]
    gap = numbers.gap
    best = f"{PROVEN_BEST} tree" if numbers.is_best else f"{numbers.below_best} below the best tree"
    best = NOT_SEARCHED if isnan(gap) else best
    return [
        ("weight", f"{in_bits(numbers.weight)} (naive Bayes {numbers.weight_naive:.3f}); {best}"),
        ("KL divergence", in_bits(numbers.kl)),
    ]
