"""What all pages share: one table, one class, one model, as the side bar says; or a saved model alone."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pgm_nb.app.pages import DETAILS
from pgm_nb.app.shell.address import keep, keep_several
from pgm_nb.app.shell.edits import keep_edits, keep_tree
from pgm_nb.app.shell.evidence import keep_shared
from pgm_nb.app.shell.fitting import FittedModel, Settings, learn
from pgm_nb.app.shell.launch import started_with
from pgm_nb.app.shell.repairs import cuts_in_force, header_rows, idle_of, kept_recipe, repaired, with_recipe
from pgm_nb.app.shell.sources import Source, chosen_source, portion, table, upload_source
from pgm_nb.app.shell.table_choice import FILE, UPLOAD, TableChoice
from pgm_nb.app.shell.uploads import KeptFile
from pgm_nb.app.widgets.downloads import name_files
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.data.excerpt import MOST_COLUMNS
from pgm_nb.data.repairs import Recipe
from pgm_nb.data.target import ClassGuess, class_guess
from pgm_nb.errors import DataError
from pgm_nb.words import SAME_BITS, Scale, plural

if TYPE_CHECKING:
    from pgm_nb.models.base import Classifier

__all__ = ["DISCRETIZERS", "MISSING_CELLS", "Screen", "guess_sentence", "open_screen"]

DEFAULT_MODEL = "gnb"
COUNTED = ("quantile", "uniform", "order", "kmeans")  # ways to make intervals that ask how many
MOST_INTERVALS = 20
COLUMNS_USED = {"first": "The first ones", "last": "The last ones", "spread": "Evenly spread"}
DISCRETIZERS = {
    "quantile": "Intervals with equally many rows",
    "uniform": "Intervals of equal width",
    "mdlp": "Intervals chosen by the class",
    "order": "Intervals from value to value (the GNB paper)",
    "kmeans": "Intervals around values close together",
    "caim": "One interval or more for each class",
}
MISSING_CELLS = {
    "state": "A state of its own",
    "drop": "Leave those rows out",
    "mode": "Use the commonest state",
}


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
    def frame(self) -> pd.DataFrame:
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
def _stand_in(digest: str, _model: "Classifier") -> pd.DataFrame:
    from pgm_nb.models.stand_in import no_stand_in, stand_in

    if why := no_stand_in(_model):
        raise DataError(why)
    return stand_in(_model)


def choose_part(source: Source) -> Source:
    """Say so when only a part of a table is used, and let the user choose which columns."""
    taken = portion(source)
    if taken.frame.shape[1] < taken.n_columns:
        keep("columns", [*COLUMNS_USED], "first")
        part = st.selectbox(
            "Columns used",
            [*COLUMNS_USED],
            key="columns",
            format_func=COLUMNS_USED.__getitem__,
            help=f"At most {MOST_COLUMNS:,} columns are used together. To use particular columns, save a "
            "table that has only those.",
        )
        source = source.taking(part)
        taken = portion(source)
    if str(taken):
        st.info(literal(str(taken)), icon=":material/content_cut:")
    return source


def choose_settings(
    source: Source, frame: pd.DataFrame, usual: str | None, guessed: str | None
) -> Settings | None:
    """Let the user choose the class, the model and its few options; None while there is no class."""
    target = _choose_class([str(name) for name in frame.columns], usual)
    if target is None:
        return None
    if guessed is not None and target == usual:
        st.caption(guess_sentence(target, guessed))
    if rows := header_rows(source.digest, frame):
        which = "first row seems" if rows == 1 else f"first {rows} rows seem"
        st.warning(f"The {which} to belong to the header. The Data page makes names of it.")
    settings = Settings(target, model=_choose_model())
    settings = replace(settings, choices=_choose_options(settings))
    with st.expander("Columns and values"):
        names = [str(name) for name in frame.columns if str(name) != target]
        leave_out = _choose_columns(names, [*idle_of(source, frame, target)])
        settings = replace(settings, leave_out=tuple(leave_out))
        if settings.bins:
            discretizer, n_bins = _choose_bins(settings.kind.about.default_bins)
            cuts = cuts_in_force(frame, target, leave_out, discretizer)
            settings = replace(settings, discretizer=discretizer, n_bins=n_bins, cuts=cuts)
        if settings.kind.about.has_parameter("missing") and frame.isna().any(axis=None):
            settings = replace(settings, missing=_choose_missing())
    attributes = [str(name) for name in frame.columns if str(name) not in (target, *leave_out)]
    mothers = keep_tree(attributes)
    whole = len(attributes) - len(mothers) == 1 and bool(mothers)
    tree = tuple((name, mothers.get(name, ())) for name in attributes) if whole else ()
    most = settings.kind.about.most_parents(dict(settings.choices))
    return replace(settings, edits=keep_edits(attributes, target, most), tree=tree)


def usual_class(
    source: Source, frame: pd.DataFrame, picked: str, recipe: Recipe
) -> tuple[str | None, str | None]:
    """Return the class of a table unless another one is chosen, and why it is guessed to be; None if known.

    The class of a sample is known, and a column called class says what it is. The recipe may have given it
    another name.
    """
    _, target = started_with()
    if picked == FILE and target is not None and recipe.renamed(target) in frame.columns:
        return recipe.renamed(target), None
    book = Recipe([recipe.codebook])
    guess = _guess(source.digest, frame, book)
    if guess is None:
        return None, None
    known = guess.named or picked not in (FILE, UPLOAD)
    return book.renamed(guess.name), None if known else guess.why


@st.cache_data(max_entries=32, show_spinner=False)
def _guess(digest: str, _frame: pd.DataFrame, _book: Recipe) -> ClassGuess | None:
    return class_guess(_frame.set_axis([_book.first_name(str(name)) for name in _frame.columns], axis=1))


def guess_sentence(target: str, why: str) -> str:
    """Say that the class was guessed and why, as Markdown."""
    return f"{bold(target)} was guessed to be the class because {why}. If it is not, choose another column."


def _choose_class(names: list[str], default: str | None) -> str | None:
    keep("class", names, default)
    return st.selectbox(
        "Class",
        names,
        key="class",
        index=None if default is None else 0,
        placeholder="choose a column",
        help="The column to explain and predict, such as a diagnosis. All other columns are its attributes.",
    )


def _choose_columns(names: list[str], idle: list[str]) -> list[str]:
    keep_several("without", names, idle)
    return st.multiselect(
        "Leave out",
        names,
        key="without",
        placeholder="nothing",
        help="Columns to ignore, such as a patient number or the date of a visit. What says nothing about "
        "new cases is left out unless you take it back in; the Data page says why.",
    )


def _choose_model() -> str:
    from pgm_nb.models import MODELS

    titles = {kind.about.short_name: kind.about.title for kind in MODELS}
    keep("model", [*titles], DEFAULT_MODEL)
    return st.selectbox(
        "Model",
        [*titles],
        key="model",
        format_func=titles.__getitem__,
        help="\n\n".join(f"**{kind.about.title}**: {kind.about.summary}" for kind in MODELS),
    )


def _choose_options(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Let the user choose among the ways in which the model can work; the first one is the default."""
    chosen = {}
    for option in settings.kind.about.options:
        if not option.choices:
            continue
        labels = {choice.key: choice.label for choice in option.choices}
        keep(option.key, [*labels], option.choices[0].key)
        chosen[option.key] = st.radio(
            option.label,
            [*labels],
            key=option.key,
            format_func=labels.__getitem__,
            captions=[choice.caption for choice in option.choices],
            help=option.help,
        )
    return tuple(chosen.items())


def _choose_bins(usual: int) -> tuple[str, int | None]:
    keep("bins", [*DISCRETIZERS], "quantile")
    discretizer = st.selectbox(
        "Numbers become",
        [*DISCRETIZERS],
        key="bins",
        format_func=DISCRETIZERS.__getitem__,
        help="Before learning, measured numbers are sorted into a few intervals (low, middle, high, …).",
    )
    if discretizer not in COUNTED:
        return discretizer, None
    keep("groups", range(2, MOST_INTERVALS + 1), usual)
    n_bins = st.slider(
        "Intervals",
        2,
        MOST_INTERVALS,
        key="groups",
        help="The largest number of intervals for a measured number.",
    )
    return discretizer, n_bins


def _choose_missing() -> str:
    keep("missing", [*MISSING_CELLS], "state")
    return st.selectbox(
        "Empty cells",
        [*MISSING_CELLS],
        key="missing",
        format_func=MISSING_CELLS.__getitem__,
        help="This table has empty cells. Choose what they count as while the model learns.",
    )
