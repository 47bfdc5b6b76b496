"""Tables to models, kept by their content so that a second look costs nothing."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.sources import Source, table
from pgm_nb.app.shell.work import Waiting, work
from pgm_nb.data.target import check_class

if TYPE_CHECKING:
    from pgm_nb.models.base import Classifier

__all__ = ["FittedModel", "Settings", "learn", "model_file", "training_rows"]

SLOW = ("local-pca",)  # models that take long to learn from many columns
MANY_COLUMNS = 60


@dataclass(frozen=True)
class Settings:
    """What was chosen in the side bar and on the page of the data.

    Examples
    --------
    >>> Settings("class", model="tan", n_bins=3).parameters()
    {'discretizer': 'quantile', 'n_bins': 3, 'missing': 'state'}
    >>> Settings("class", model="gaussian").parameters()
    {}
    """

    target: str
    leave_out: tuple[str, ...] = ()
    model: str = "gnb"
    search: str = "greedy"
    threshold: str = "average"
    vote: str = "winner"
    joining: str = "pairs"
    discretizer: str = "quantile"
    n_bins: int | None = None
    cuts: tuple[tuple[str, str | tuple[float, ...]], ...] = ()  #: ways of their own, by column
    missing: str = "state"

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the model that differ by what was chosen."""
        binned: dict[str, Any] = {"discretizer": self._bins(), "n_bins": self.n_bins, "missing": self.missing}
        parameters: dict[str, dict[str, Any]] = {
            "nb": binned,
            "tan": binned,
            "gnb": binned | {"search": self.search},
            "hnb": binned,
            "phnb": binned | {"threshold": self.threshold},
            "gaussian": {},
            "local-pca": {"vote": self.vote},
            "kernel": self._kernel(),
        }
        return parameters[self.model]

    def _bins(self) -> str | dict[str, str | tuple[float, ...]]:
        return dict(self.cuts) if self.cuts else self.discretizer

    def _kernel(self) -> dict[str, Any]:
        joined: dict[str, Any] = {"threshold": None} if self.joining == "none" else {}
        binned: dict[str, Any] = (
            {"discretizer": self._bins(), "n_bins": self.n_bins} if self.joining == "binned" else {}
        )
        return {**joined, **binned, "missing": self.missing}

    def estimator(self) -> "Classifier":
        """Return the model that is asked for, not fitted yet."""
        from pgm_nb.models import MODELS

        kinds = {kind.short_name: kind for kind in MODELS}
        return kinds[self.model](**self.parameters())


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted model, and the name under which its pictures are kept."""

    model: Any  #: a fitted model of `pgm_nb.MODELS`
    key: tuple[str, Settings]


def learn(source: Source, settings: Settings) -> FittedModel:
    """Learn the model that the settings ask for.

    Raises
    ------
    PgmNbError
        The table, its class or the settings cannot be used; the message says why and what to do.
    Waiting
        It takes long, and is not there yet.
    """
    frame = table(source)
    if settings.model in SLOW and frame.shape[1] > MANY_COLUMNS:
        made = work(
            ("model", source.digest, settings),
            lambda progress: settings.estimator().fit(*training_rows(frame, settings)),
            label="Learning the structure",
        )
        if made is None:
            raise Waiting
        return FittedModel(made, (source.digest, settings))
    return FittedModel(_learn(source.digest, settings, frame), (source.digest, settings))


def training_rows(frame: pd.DataFrame, settings: Settings) -> "tuple[pd.DataFrame, pd.Series[Any]]":
    """Return the attributes and the class of a table, without the columns that are left out."""
    from pgm_nb.data import split_target

    check_class(frame[settings.target])
    return split_target(frame.drop(columns=list(settings.leave_out)), settings.target)


@st.cache_resource(max_entries=32, show_spinner="Learning the structure …")
def _learn(digest: str, settings: Settings, _frame: pd.DataFrame) -> "Classifier":
    return settings.estimator().fit(*training_rows(_frame, settings))


def model_file(model: "Classifier") -> bytes:
    """Return the bytes of the file that `pgm_nb.load` reads."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pgmnb"
        model.save(path)
        return path.read_bytes()
