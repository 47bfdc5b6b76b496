"""What all pages share: one table, one class, one model."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pgm_nb.app.shell.fitting import FittedModel, Settings, learn
from pgm_nb.app.shell.sidebar import choose_part, choose_settings, usual_class
from pgm_nb.app.shell.sources import Source, chosen_source, table
from pgm_nb.app.shell.table_choice import TableChoice
from pgm_nb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Screen", "open_screen"]


@dataclass(frozen=True, eq=False)
class Screen:
    """The table and the settings that every page works with."""

    source: Source
    title: str  #: of the table; any text, so escape it
    chosen: Settings | None  #: None while there is no class
    guessed: bool = False  #: nobody has said what the class is

    @property
    def frame(self) -> "pd.DataFrame":
        """The whole table with its class column; not to be changed, because visits share it."""
        return table(self.source)

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
        return learn(self.source, self.settings)


def open_screen(choice: TableChoice) -> Screen:
    """Show the rest of the side bar for a table, and return what is chosen there."""
    source = choose_part(chosen_source(choice))
    frame = table(source)
    usual, guessed = usual_class(frame, choice.name)
    chosen = choose_settings(frame, usual, guessed=guessed)
    return Screen(source, choice.title, chosen, guessed and chosen is not None and chosen.target == usual)
