"""Tables to models to pictures, each kept by its content so that a second look costs nothing."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd
import streamlit as st

from pgm_nb.app.columns import check_class
from pgm_nb.app.sources import Source, table
from pgm_nb.graphs import CherryTree, HiddenParents, Star, Tree

if TYPE_CHECKING:
    from pgm_nb.models.forest import ForestClassifier
    from pgm_nb.models.hidden import HiddenClassifier

    Model = ForestClassifier | HiddenClassifier

__all__ = ["Learned", "Settings", "first_attributes", "learn", "model_file", "picture"]

Structure = Star | Tree | CherryTree | HiddenParents
Value = TypeVar("Value")


@dataclass(frozen=True)
class Settings:
    """What was chosen in the side bar.

    Examples
    --------
    >>> Settings("class").model
    'gnb'
    """

    target: str
    leave_out: tuple[str, ...] = ()
    model: str = "gnb"
    search: str = "greedy"
    threshold: str = "average"
    discretizer: str = "quantile"
    n_bins: int | None = None
    missing: str = "state"


@dataclass(frozen=True, eq=False)
class Learned:
    """A fitted model, and the name under which its pictures are kept."""

    model: "Model"
    key: tuple[str, Settings]


def learn(source: Source, settings: Settings) -> Learned:
    """Learn the model that the settings ask for.

    Raises
    ------
    PgmNbError
        The table, its class or the settings cannot be used; the message says why and what to do.
    """
    return Learned(_learn(source.digest, settings, table(source)), (source.digest, settings))


@st.cache_resource(max_entries=32, show_spinner="Learning the structure …")
def _learn(digest: str, settings: Settings, _frame: pd.DataFrame) -> "Model":
    from pgm_nb.data import split_target
    from pgm_nb.models import TABLE_MODELS

    check_class(_frame[settings.target])
    attributes, y = split_target(_frame.drop(columns=list(settings.leave_out)), settings.target)
    parameters: dict[str, Any] = {
        "discretizer": settings.discretizer,
        "n_bins": settings.n_bins,
        "missing": settings.missing,
    }
    if settings.model == "gnb":
        parameters["search"] = settings.search
    if settings.model == "phnb":
        parameters["threshold"] = settings.threshold
    kinds = {kind.short_name: kind for kind in TABLE_MODELS}
    return kinds[settings.model](**parameters).fit(attributes, y)


def first_attributes(structure: Structure, names: tuple[str, ...]) -> Structure:
    """Return the structure on some of its attributes; every mother of them must be among them.

    Hidden parents stay whole: their views choose what they show.

    Examples
    --------
    >>> from pgm_nb.graphs import CherryTree
    >>> first_attributes(CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "a"}), ("a", "b")).order
    ('a', 'b')
    """
    if len(names) == len(structure.attributes) or isinstance(structure, HiddenParents):
        return structure
    chosen = set(names)
    attributes = tuple(name for name in structure.attributes if name in chosen)
    relevance = None if structure.relevance is None else _only(structure.relevance, chosen)
    if isinstance(structure, Star):
        return Star(structure.target, attributes, relevance)
    dependence = None if structure.dependence is None else _only(structure.dependence, chosen)
    kind = type(structure)
    return kind(structure.target, attributes, _only(structure.mothers, chosen), relevance, dependence)


def _only(values: Mapping[str, Value], chosen: set[str]) -> dict[str, Value]:
    return {name: value for name, value in values.items() if name in chosen}


def picture(
    learned: Learned,
    shown: Structure,
    view: str,
    format: str,
    theme: str = "light",
    focus: str | None = None,
) -> bytes:
    """Draw a view of the shown part of a model's structure, with one hidden parent in focus if asked for."""
    return _picture(learned.key, len(shown.attributes), view, format, theme, focus, shown)


@st.cache_data(max_entries=64, show_spinner="Drawing …")
def _picture(
    key: tuple[str, Settings],
    n_shown: int,
    view: str,
    format: str,
    theme: str,
    focus: str | None,
    _shown: Structure,
) -> bytes:
    if isinstance(_shown, HiddenParents):
        return _shown.draw(view, format=format, theme=theme, focus=focus)
    return bytes(_shown.draw(view, format=format, theme=theme))


def model_file(model: "Model") -> bytes:
    """Return the bytes of the file that `pgm_nb.load` reads."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pgmnb"
        model.save(path)
        return path.read_bytes()
