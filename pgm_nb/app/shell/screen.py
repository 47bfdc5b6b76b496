"""What all pages share: one table, one class, one model; or a saved model without its table."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.pages import DETAILS
from pgm_nb.app.shell.evidence import keep_shared
from pgm_nb.app.shell.fitting import FittedModel, Settings, learn
from pgm_nb.app.shell.repairs import kept_recipe, repaired, with_recipe
from pgm_nb.app.shell.sidebar import choose_part, choose_settings, usual_class
from pgm_nb.app.shell.sources import Source, chosen_source, table, upload_source
from pgm_nb.app.shell.table_choice import TableChoice
from pgm_nb.app.shell.uploads import KeptFile
from pgm_nb.app.widgets.downloads import name_files
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.errors import DataError
from pgm_nb.words import SAME_BITS, Scale, plural

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.models.base import Classifier

__all__ = ["Screen", "open_screen"]


@dataclass(frozen=True, eq=False)
class Screen:
    """The table and the settings that every page works with."""

    source: Source
    title: str  #: of the table; any text, so escape it
    chosen: Settings | None  #: None while there is no class
    guessed: str | None = None  #: why the class is guessed to be it; None where somebody has said so
    held: "Classifier | None" = None  #: a saved model, in place of a table
    unnamed: bool = False  #: columns have the same name: no page can be drawn before they are numbered

    @property
    def has_table(self) -> bool:
        """Whether there are rows; else there is a saved model alone."""
        return self.held is None

    @property
    def frame(self) -> "pd.DataFrame":
        """The whole table with its class column; not to be changed, because visits share it.

        Without a table, one that has the columns of the model and every state once; its rows mean nothing.
        """
        return table(self.source) if self.held is None else _stand_in(self.source.digest, self.held)

    @property
    def target(self) -> str | None:
        """The class column, if one is chosen."""
        return None if self.chosen is None else self.chosen.target

    @property
    def settings(self) -> Settings:
        """The settings, once there is a class."""
        if self.chosen is None:
            raise DataError("Which column is the class? Choose it on the left.")
        return self.chosen

    @cached_property
    def fitted(self) -> FittedModel:
        """The fitted model, from the cache if it is there."""
        if self.held is not None:
            return FittedModel(self.held, (self.source.digest, self.settings))
        return learn(self.source, self.settings)

    @cached_property
    def shares(self) -> Scale | None:
        """What amounts about the class are shares of; None while the numbers behind the words are shown."""
        import numpy as np

        if st.session_state.get(DETAILS, False) or self.chosen is None:
            return None
        if self.has_table:  # before anything is learned
            rates = self.frame[self.chosen.target].value_counts(normalize=True).to_numpy(dtype=float)
        else:
            rates = np.exp(self.fitted.model.class_log_prior_)
        rates = rates[rates > 0]
        return Scale(max(float(-(rates * np.log2(rates)).sum()), SAME_BITS))

    @cached_property
    def scale(self) -> Scale | None:
        """The same, and what the best tree captures: a model is learned for it, if none is there."""
        if self.shares is None:
            return None
        known = "fitted" in vars(self) or not self.has_table
        model = (self.fitted if known else learn(self.source, self.settings.for_structure())).model
        numbers = model.divergence_
        if numbers is None and self.has_table:
            numbers = learn(self.source, self.settings.for_best_tree()).model.divergence_
        if numbers is None:  # a saved model that does not know the best tree
            whole = float(model.importance_["gain"].sum())
        else:
            whole = float(numbers.weight_best if isfinite(numbers.weight_best) else numbers.weight)
        return replace(self.shares, whole=max(whole, SAME_BITS))


def open_screen(choice: TableChoice) -> Screen:
    """Show the rest of the side bar for a table, and return what is chosen there."""
    if choice.model is not None:
        return _open_model(choice.model)
    source = choose_part(chosen_source(choice))
    source = with_recipe(source, kept_recipe(choice.title))
    frame = table(source)
    if not frame.columns.is_unique:
        return Screen(source, choice.title, None, unnamed=True)
    usual, guessed = usual_class(source, frame, choice.name, repaired(source).recipe)
    chosen = choose_settings(source, frame, usual, guessed)
    if chosen is not None:
        keep_shared(source.digest, chosen.target, frame)
        name_files(source.name, chosen.model)
    stands = chosen is not None and chosen.target == usual
    return Screen(source, choice.title, chosen, guessed if stands else None)


def _open_model(file: KeptFile) -> Screen:
    """Return the screen of a saved model, and say in the side bar what it is."""
    from pgm_nb.models.stand_in import no_stand_in

    source = upload_source(file.name, file.content)
    model = _loaded(source.digest, file)
    target = str(model.structure_.target)
    st.caption(
        f"A saved model without its table: {literal(model.about.title)} for {bold(target)}, with "
        f"{plural(len(model.attribute_names_), 'attribute')}. To see the other pages, upload the table too."
    )
    name_files(source.name, model.about.short_name)
    screen = Screen(source, file.name, Settings(target, model=model.about.short_name), held=model)
    if not no_stand_in(model):
        keep_shared(source.digest, target, screen.frame)
    return screen


@st.cache_resource(max_entries=4, show_spinner="Opening the model …")
def _loaded(digest: str, _file: KeptFile) -> "Classifier":
    from pgm_nb.models.files import loaded

    model: Classifier = loaded(_file.name, _file.content)
    return model


@st.cache_resource(max_entries=4, show_spinner=False)
def _stand_in(digest: str, _model: "Classifier") -> "pd.DataFrame":
    from pgm_nb.models.stand_in import no_stand_in, stand_in

    if why := no_stand_in(_model):
        raise DataError(why)
    return stand_in(_model)
