"""How the table is changed before learning: the recipe that repairs it, and cut points; in the address."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st
from pandas.api import types

from pgm_nb.app.shell.address import keep_texts
from pgm_nb.app.shell.sources import Source, portion
from pgm_nb.app.shell.uploads import KeptFile, find, hold
from pgm_nb.data.learn import METHODS, Way
from pgm_nb.data.repairs import FromDate, Recipe, Step
from pgm_nb.data.repairs.finding import idle_columns
from pgm_nb.data.repairs.header import find_header
from pgm_nb.errors import DataError

__all__ = [
    "BEFORE",
    "CUTS",
    "KEY",
    "MOST_CUTS",
    "Repaired",
    "add_steps",
    "cuts_in_force",
    "format_cuts",
    "header_rows",
    "idle_of",
    "kept_cuts",
    "kept_recipe",
    "parse_cuts",
    "recipe_in_force",
    "repaired",
    "set_cuts",
    "set_recipe",
    "shortened",
    "spelled_out",
    "undo",
    "with_recipe",
]

KEY = "recipe"  # what the address calls it
BEFORE = "recipes before"
_TABLE, _OF_TABLES = "table of the recipe", "recipes of tables"
HELD = "~"  # before the word by which a long recipe is found
MOST_LETTERS = 4_000  # of a recipe in the address; a longer one is held with the uploads
CUTS = "cut"
MOST_CUTS = 30


@dataclass(frozen=True, eq=False)
class Repaired:
    """A table as its recipe makes it."""

    frame: pd.DataFrame
    recipe: Recipe  #: the steps that fit
    misfits: tuple[str, ...]  #: why the others do not


def kept_recipe(table: str) -> Recipe:
    """Return the recipe of a table: what the address says, or what was done to it in this session."""
    recipes: dict[str, list[str]] = st.session_state.setdefault(_OF_TABLES, {})
    if st.session_state.get(_TABLE, table) != table:
        st.session_state[KEY] = recipes.get(table, [])
        st.session_state[BEFORE] = []
    st.session_state[_TABLE] = table
    words = keep_texts(KEY, lambda word: _read(word) is not None)[:1]
    recipes[table] = words
    return _first(words)


def _first(words: Sequence[str]) -> Recipe:
    """Return the recipe that the words of the address say; an empty one if they say none."""
    return next((recipe for word in words if (recipe := _read(word)) is not None), Recipe())


def _read(word: str) -> Recipe | None:
    if word.startswith(HELD):
        held = find(word[1:])
        if held is None:
            return None
        word = held.getvalue().decode(errors="replace")
    try:
        return Recipe.unpack(word)
    except DataError:
        return None


def _written(recipe: Recipe) -> list[str]:
    """Return the words that the address has for a recipe."""
    if not recipe:
        return []
    word = recipe.pack()
    if len(word) <= MOST_LETTERS:
        return [word]
    token = hold(KeptFile("", "recipe", word.encode()))
    return [word if token is None else HELD + token]


def spelled_out(words: Sequence[str]) -> list[str]:
    """Return the words of a recipe as a file holds them: a long one in full, not by its token."""
    return [recipe.pack() for word in words if (recipe := _read(word)) is not None]


def shortened(words: Sequence[str]) -> list[str]:
    """Return the words of a recipe from a file as the address has them: a long one by its token."""
    return [short for word in words if (recipe := _read(word)) is not None for short in _written(recipe)]


def set_recipe(recipe: Recipe) -> None:
    """Put another recipe in force, from the next run on; a widget's callback may call this.

    What is chosen of the columns follows their names.
    """
    words: list[str] = list(st.session_state.get(KEY) or [])
    st.session_state.setdefault(BEFORE, []).append(words)
    _rename(_first(words), recipe)
    st.session_state[KEY] = _written(recipe)


def _rename(old: Recipe, new: Recipe) -> None:
    def now(name: str) -> str:
        return new.renamed(old.first_name(name))

    state = st.session_state
    if isinstance(state.get("class"), str):
        state["class"] = now(state["class"])
    if state.get("without"):  # a date that has become a number is no longer left out
        dates = {step.column for step in new.steps if isinstance(step, FromDate)}
        before = Recipe([old.codebook])
        state["without"] = [now(name) for name in state["without"] if before.first_name(name) not in dates]
    cuts = [parse_cuts(text) for text in state.get(CUTS) or []]
    state[CUTS] = [format_cuts(now(cut[0]), cut[1]) for cut in cuts if cut is not None]


def add_steps(*steps: Step) -> None:
    """Do more steps; a widget's callback may call this."""
    set_recipe(_first(st.session_state.get(KEY) or []).plus(*steps))


def undo() -> None:
    """Undo the last change of the recipe."""
    before: list[list[str]] = st.session_state.get(BEFORE) or []
    if before:
        set_recipe(_first(before.pop()))
        before.pop()  # the change that was undone


def with_recipe(source: Source, recipe: Recipe) -> Source:
    """Return a table as a source that is repaired."""
    if not recipe:
        return source
    word = recipe.pack()
    mark = hashlib.blake2b(word.encode(), digest_size=8).hexdigest()
    first = source.before or source.digest
    return replace(source, recipe=word, before=first, digest=f"{first} repaired {mark}")


def recipe_in_force(source: Source) -> Recipe:
    """Return the steps that repair the table of a source."""
    return repaired(source).recipe if source.recipe else Recipe()


def repaired(source: Source) -> Repaired:
    """Return the table of a source as its recipe makes it."""
    if not source.recipe:
        return Repaired(portion(source).frame, Recipe(), ())
    return _repaired(source.digest, source)


@st.cache_resource(max_entries=8, show_spinner="Repairing the table …")
def _repaired(digest: str, _source: Source) -> Repaired:
    recipe, frame, reasons = Recipe.unpack(_source.recipe).fitting(portion(_source).frame)
    return Repaired(frame, recipe, reasons)


def idle_of(source: Source, frame: pd.DataFrame, target: str) -> dict[str, str]:
    """Return the attributes that are left out unless somebody wants them, with the reasons; never all."""
    found = {name: why for name, why in _idle(source.digest, frame).items() if name != target}
    return found if len(found) < frame.shape[1] - 1 else {}


@st.cache_data(max_entries=16, show_spinner=False)
def header_rows(digest: str, _frame: pd.DataFrame) -> int:
    """Return how many rows of a table seem to belong to its header."""
    found = find_header(_frame)
    return 0 if found is None else found.rows


@st.cache_resource(max_entries=16, show_spinner=False)
def _idle(digest: str, _frame: pd.DataFrame) -> dict[str, str]:
    return idle_columns(_frame)


def parse_cuts(text: str) -> tuple[str, Way] | None:
    """Read ``column:1.5,2.5`` into the column and its ascending cut points; None if it is not of that form.

    Examples
    --------
    >>> parse_cuts("blood: sugar:1.5,2.5")
    ('blood: sugar', (1.5, 2.5))
    >>> parse_cuts("age:mdlp"), parse_cuts("age:")
    (('age', 'mdlp'), ('age', ()))
    >>> parse_cuts("age:old") is None
    True
    """
    name, colon, points = text.rpartition(":")
    if not colon:
        return None
    if points in METHODS:
        return name, points
    try:
        cuts = tuple(sorted({float(point) + 0.0 for point in points.split(",")})) if points else ()
    except ValueError:
        return None
    return (name, cuts) if len(cuts) <= MOST_CUTS and all(map(math.isfinite, cuts)) else None


def format_cuts(name: str, way: Way) -> str:
    """Write how a column becomes intervals, as `parse_cuts` reads it.

    Examples
    --------
    >>> format_cuts("age", (40.0, 65.5)), format_cuts("age", "uniform")
    ('age:40,65.5', 'age:uniform')
    """
    return f"{name}:{way if isinstance(way, str) else ','.join(format(cut, '.15g') for cut in way)}"


def kept_cuts(frame: pd.DataFrame, target: str, leave_out: Sequence[str]) -> dict[str, Way]:
    """Return the columns of this table that have cut points or a way of their own."""
    columns = set(_measured(frame, target, leave_out))

    def fits(text: str) -> bool:
        cuts = parse_cuts(text)
        return cuts is not None and cuts[0] in columns

    return dict(cuts for text in keep_texts(CUTS, fits) if (cuts := parse_cuts(text)) is not None)


def cuts_in_force(
    frame: pd.DataFrame, target: str, leave_out: Sequence[str], discretizer: str
) -> tuple[tuple[str, Way], ...]:
    """Return how columns become intervals, as `Settings` holds it: empty if no column has a way of its own.

    As soon as one has, the others are named too, with the way chosen for all.
    """
    own = kept_cuts(frame, target, leave_out)
    if not own:
        return ()
    rest = dict.fromkeys(_measured(frame, target, leave_out), discretizer)
    return tuple(sorted((rest | own).items()))


def set_cuts(cuts: Mapping[str, Way]) -> None:
    """Put other cut points in force, from the next run on; a widget's callback may call this."""
    st.session_state[CUTS] = [format_cuts(name, way) for name, way in cuts.items()]


def _measured(frame: pd.DataFrame, target: str, leave_out: Sequence[str]) -> list[str]:
    """Return the columns of numbers that are attributes."""
    without = {target, *leave_out}
    return [
        str(name)
        for name, dtype in frame.dtypes.items()
        if types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype) and name not in without
    ]
