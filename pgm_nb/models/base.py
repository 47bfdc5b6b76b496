"""What every model shares: it checks tables and labels, normalises posteriors, and saves itself."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
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
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.explanation import Terms
from pgm_nb.models.about import About
from pgm_nb.models.asking import Asking
from pgm_nb.models.class_questions import ClassQuestions
from pgm_nb.models.explaining import Explaining
from pgm_nb.models.inspection import Inspection
from pgm_nb.models.intervals import LEVEL, Intervals, credible_interval
from pgm_nb.models.predicting import Predicting
from pgm_nb.words import NOT_SEARCHED, PROVEN_BEST, in_bits, listed

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from pgm_nb.explain.growth import Growth
    from pgm_nb.views.printing import PrintSize

__all__ = ["Classifier", "Packed", "class_labels", "whole_or_unfitted"]

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
    Explaining,
    Asking,
    ClassQuestions,
    Predicting,
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
