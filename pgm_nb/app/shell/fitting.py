"""From a table and its settings to a fitted model, and to predictions of rows that it has not seen."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.sources import Source, table
from pgm_nb.app.shell.work import Waiting, work
from pgm_nb.data.target import check_class
from pgm_nb.learning.by_hand import Edits, structure_of
from pgm_nb.words import Scale

if TYPE_CHECKING:
    from pgm_nb.app.shell.screen import Screen
    from pgm_nb.evaluate.predictions import UnseenRows
    from pgm_nb.models.about import Variant
    from pgm_nb.models.base import Classifier

__all__ = [
    "AS_CHOSEN",
    "MOST_ROWS",
    "FittedModel",
    "Settings",
    "choose_rows",
    "contestants",
    "in_shares",
    "learn",
    "model_file",
    "training_rows",
    "unseen_rows",
    "variants",
]

AS_CHOSEN = "As chosen on the left"
NO_EDITS = Edits()
MANY_COLUMNS = 60  # from which on a slow model is learned in the background
FOLDS = 5
MOST_ROWS = (
    5_000  # that are predicted or tested without being asked to; of larger tables a part is drawn at random
)
TESTED, PART, ALL = "tested", "part", "all"


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

        kinds: dict[str, type[Classifier]] = {kind.about.short_name: kind for kind in MODELS}
        return kinds[self.model]

    @property
    def bins(self) -> bool:
        """Whether numbers become intervals before learning."""
        return self.kind.about.bins_with(dict(self.choices))

    @property
    def variant(self) -> "Variant":
        """The model with its choices, as comparisons call it."""
        defaults = {option.key: option.choices[0].key for option in self.kind.about.options if option.choices}
        chosen = defaults | dict(self.choices)
        return [v for v in self.kind.about.variants() if v.choices.items() <= chosen.items()][-1]

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the model that follow from what was chosen."""
        parameters = self.kind.about.chosen_parameters(dict(self.choices))
        if self.bins:
            parameters["discretizer"] = dict(self.cuts) if self.cuts else self.discretizer
            parameters["n_bins"] = self.n_bins
        if self.kind.about.has_parameter("missing"):
            parameters["missing"] = self.missing
        if self.drawn:
            names = [name for name, _ in self.tree]
            mothers = {name: its for name, its in self.tree if its}
            most = self.kind.about.most_parents(dict(self.choices))
            return parameters | {"structure": structure_of(self.target, names, mothers, most)}
        return parameters | ({} if self.why_not_edited else self.edits.parameters())

    @property
    def drawn(self) -> bool:
        """Whether the model has a tree that was drawn by hand."""
        return bool(self.tree) and not self.kind.about.why_not_drawn()

    @property
    def why_not_edited(self) -> str:
        """Why links cannot be required or forbidden; empty where they can."""
        return self.kind.about.why_not_edited(dict(self.choices))

    @property
    def edited(self) -> bool:
        """Whether the model meets wishes of a person."""
        return self.drawn or (bool(self.edits) and not self.why_not_edited)

    def free(self) -> "Settings":
        """Return the settings without what a person requires or forbids."""
        return replace(self, edits=NO_EDITS, tree=())

    def for_structure(self) -> "Settings":
        """Return settings that find the same structure in the least time."""
        return replace(
            self, choices=tuple({**dict(self.choices), **self.kind.about.structure_choices}.items())
        )

    def for_best_tree(self) -> "Settings":
        """Return settings of a model that knows the best tree on the same columns and intervals.

        Examples
        --------
        >>> Settings("class", model="hnb").for_best_tree().parameters()["n_bins"]
        5
        """
        from pgm_nb.models import NaiveBayes

        variant = NaiveBayes.about.variants()[0]
        bins = self.kind.about.default_bins if self.n_bins is None and self.bins else self.n_bins
        return replace(self.free().with_model(NaiveBayes.about.short_name, variant), n_bins=bins)

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
        for variant in kind.about.variants():
            yield kind, variant, settings.with_model(kind.about.short_name, variant)


def contestants(settings: Settings) -> tuple[dict[str, Settings], str]:
    """Return every model with its settings on the same columns and intervals, and the name of the chosen one.

    Where its choices, links or tree are such as none of them has, it is one more, and the first.

    Examples
    --------
    >>> every, chosen = contestants(Settings("class", model="kdb"))
    >>> chosen, every[chosen].model
    ('KDB', 'kdb')
    """
    every = {variant.name: other for _, variant, other in variants(settings)}
    own = settings.variant.name
    if settings.estimator().get_params() == every[own].estimator().get_params():
        return every, own
    return {AS_CHOSEN: settings} | every, AS_CHOSEN


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
    if settings.kind.about.slow and frame.shape[1] > MANY_COLUMNS:
        made = work(
            ("model", source.digest, settings),
            lambda progress: settings.estimator().fit(*training_rows(frame, settings)),
            label="Learning the structure",
        )
        if made is None:
            raise Waiting
        return FittedModel(made, (source.digest, settings), source.recipe)
    return FittedModel(_learn(source.digest, settings, frame), (source.digest, settings), source.recipe)


def in_shares(model: Any, scale: Scale | None) -> Any:
    """Return a model whose graph and descriptions write amounts as shares of a scale; None writes bits."""
    structure = model.structure_.in_shares(scale)
    shown = copy(model)
    vars(shown)["_structure" if "_structure" in vars(model) else "structure_"] = structure
    return shown


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


def unseen_rows(screen: "Screen", label: str, other: Settings | None = None) -> "UnseenRows | None":
    """Return the predictions if they are there; else have them made, and show under this label how far.

    They are those of the model on the screen, or of one with other settings.
    """
    frame, settings = screen.frame, screen.settings if other is None else other

    def make(progress: Any) -> "UnseenRows":
        from pgm_nb.evaluate.predictions import predict_unseen

        return predict_unseen(
            settings.estimator(),
            *training_rows(frame, settings),
            cv=FOLDS,
            most_rows=MOST_ROWS,
            progress=progress,
        )

    return work(("unseen rows", screen.source.digest, settings), make, label=label)


def choose_rows(n_rows: int) -> int | None:
    """Let the user choose how many rows of a large table are tested; None: all of them."""
    if n_rows <= MOST_ROWS:
        return None
    keep(TESTED, [PART, ALL], PART)
    labels = {
        PART: f"{MOST_ROWS:,} rows, drawn at random",
        ALL: f"All {n_rows:,} rows (slow)",
    }
    chosen = st.radio(
        "Rows that are tested",
        [PART, ALL],
        key=TESTED,
        format_func=labels.__getitem__,
        horizontal=True,
        help="The rows are drawn once, by a fixed seed, and every class keeps its share. More rows give "
        "steadier numbers, and models that need many rows do better with all of them.",
    )
    return MOST_ROWS if chosen == PART else None
