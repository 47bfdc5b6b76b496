"""From a table and its settings to a fitted model, kept by content so that a second look costs nothing."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.sources import Source, table
from pgm_nb.app.shell.work import Waiting, work
from pgm_nb.data.target import check_class
from pgm_nb.learning.edits import Edits
from pgm_nb.learning.own_families import structure_of

if TYPE_CHECKING:
    from pgm_nb.models.base import Classifier
    from pgm_nb.models.options import Variant

__all__ = ["FittedModel", "Settings", "learn", "model_file", "training_rows", "variants"]

NO_EDITS = Edits()
MANY_COLUMNS = 60  # from which on a slow model is learned in the background


@dataclass(frozen=True)
class Settings:
    """What was chosen in the side bar and on the Data page.

    Examples
    --------
    >>> Settings("class", model="tan", n_bins=3).parameters()
    {'parameters': 'generative', 'discretizer': 'quantile', 'n_bins': 3, 'missing': 'state'}
    >>> Settings("class", model="gaussian").parameters()
    {}
    """

    target: str
    leave_out: tuple[str, ...] = ()
    model: str = "gnb"
    choices: tuple[tuple[str, str], ...] = ()  #: options of the model that were chosen, by their keys
    discretizer: str = "quantile"
    n_bins: int | None = None
    cuts: tuple[tuple[str, str | tuple[float, ...]], ...] = ()  #: ways of their own, by column
    missing: str = "state"
    edits: Edits = NO_EDITS  #: links that a person requires or forbids
    tree: tuple[tuple[str, tuple[str, ...]], ...] = ()  #: every attribute with its mothers, if drawn by hand

    @property
    def kind(self) -> "type[Classifier]":
        """The class of the model."""
        from pgm_nb.models import MODELS

        kinds: dict[str, type[Classifier]] = {kind.short_name: kind for kind in MODELS}
        return kinds[self.model]

    @property
    def bins(self) -> bool:
        """Whether numbers become intervals before learning."""
        return self.kind.bins_with(dict(self.choices))

    @property
    def variant(self) -> "Variant":
        """The model with its choices, as comparisons call it."""
        defaults = {option.key: option.choices[0].key for option in self.kind.options if option.choices}
        chosen = defaults | dict(self.choices)
        return [v for v in self.kind.variants() if v.choices.items() <= chosen.items()][-1]

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the model that follow from what was chosen."""
        parameters = self.kind.chosen_parameters(dict(self.choices))
        if self.bins:
            parameters["discretizer"] = dict(self.cuts) if self.cuts else self.discretizer
            parameters["n_bins"] = self.n_bins
        if self.kind.has_parameter("missing"):
            parameters["missing"] = self.missing
        if self.drawn:
            names = [name for name, _ in self.tree]
            mothers = {name: its for name, its in self.tree if its}
            most = self.kind.most_mothers(dict(self.choices))
            return parameters | {"structure": structure_of(self.target, names, mothers, most)}
        return parameters | ({} if self.why_not_edited else self.edits.parameters())

    @property
    def drawn(self) -> bool:
        """Whether the model has a tree that was drawn by hand."""
        return bool(self.tree) and not self.kind.why_not_drawn(dict(self.choices))

    @property
    def why_not_edited(self) -> str:
        """Why links cannot be required or forbidden; empty where they can."""
        return self.kind.why_not_edited(dict(self.choices))

    @property
    def edited(self) -> bool:
        """Whether the model meets wishes of a person."""
        return self.drawn or (bool(self.edits) and not self.why_not_edited)

    def free(self) -> "Settings":
        """Return the settings without what a person requires or forbids."""
        return replace(self, edits=NO_EDITS, tree=())

    def for_structure(self) -> "Settings":
        """Return settings that find the same structure in the least time."""
        return replace(self, choices=tuple({**dict(self.choices), **self.kind.structure_choices}.items()))

    def for_best_tree(self) -> "Settings":
        """Return settings of a model that knows the best tree on the same columns and intervals.

        Examples
        --------
        >>> Settings("class", model="hnb").for_best_tree().parameters()["n_bins"]
        5
        """
        from pgm_nb.models import NaiveBayes

        variant = NaiveBayes.variants()[0]
        bins = self.kind.default_bins if self.n_bins is None and self.bins else self.n_bins
        return replace(self.free().with_model(NaiveBayes.short_name, variant), n_bins=bins)

    def estimator(self) -> "Classifier":
        """Return the model that is asked for, not fitted yet."""
        return self.kind(**self.parameters())

    def with_model(self, model: str, variant: "Variant") -> "Settings":
        """Return the settings of another model on the same columns and intervals."""
        return replace(self, model=model, choices=tuple(variant.choices.items()), tree=())


def variants(settings: Settings) -> "Iterator[tuple[type[Classifier], Variant, Settings]]":
    """Return every model there is, with its settings on the same columns and intervals.

    Examples
    --------
    >>> [variant.name for _, variant, _ in variants(Settings("class"))][:3]
    ['Naive Bayes', 'TAN', 'GNB-A']
    """
    from pgm_nb.models import MODELS

    for kind in MODELS:
        for variant in kind.variants():
            yield kind, variant, settings.with_model(kind.short_name, variant)


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted model, and the key under which its pictures are kept."""

    model: Any  #: a fitted model of `pgm_nb.MODELS`
    key: tuple[str, Settings]
    recipe: str = ""  #: by which the table was repaired, as one word


def learn(source: Source, settings: Settings) -> FittedModel:
    """Learn the model that the settings ask for.

    Raises
    ------
    PgmNbError
        The table, its class or the settings cannot be used; the message says why and what to do.
    Waiting
        It takes long, and is not ready yet.
    """
    frame = table(source)
    if settings.kind.slow and frame.shape[1] > MANY_COLUMNS:
        made = work(
            ("model", source.digest, settings),
            lambda progress: settings.estimator().fit(*training_rows(frame, settings)),
            label="Learning the structure",
        )
        if made is None:
            raise Waiting
        return FittedModel(made, (source.digest, settings), source.recipe)
    return FittedModel(_learn(source.digest, settings, frame), (source.digest, settings), source.recipe)


def training_rows(frame: pd.DataFrame, settings: Settings) -> "tuple[pd.DataFrame, pd.Series[Any]]":
    """Return the attributes and the class of a table, without the columns that are left out."""
    from pgm_nb.data import split_target

    check_class(frame[settings.target])
    return split_target(frame.drop(columns=list(settings.leave_out)), settings.target)


@st.cache_resource(max_entries=32, show_spinner="Learning the structure …")
def _learn(digest: str, settings: Settings, _frame: pd.DataFrame) -> "Classifier":
    return settings.estimator().fit(*training_rows(_frame, settings))


def model_file(fitted: FittedModel) -> bytes:
    """Return the bytes of the file that `pgm_nb.load` reads, with the recipe of the table."""
    from pgm_nb.data.repairs import Recipe
    from pgm_nb.models.files import saved

    recipe = Recipe.unpack(fitted.recipe) if fitted.recipe else fitted.model.recipe_
    return saved(copy(fitted.model).keep_recipe(recipe))
