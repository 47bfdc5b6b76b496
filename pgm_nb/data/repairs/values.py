"""Steps on the values of one column: not measured, merged, rare ones together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from pgm_nb.data.repairs.cells import Value, as_text, as_texts, as_values, counted, mapped, replaced, which
from pgm_nb.data.repairs.step import Step
from pgm_nb.errors import DataError
from pgm_nb.words import listed, plural, together

__all__ = ["KeepCommon", "Merge", "NotMeasured", "OneColumn", "check_settled", "quoted_all"]


def quoted_all(values: tuple[Value, ...] | list[str]) -> str:
    """Return values as a sentence has them: numbers bare, texts in quotation marks.

    Examples
    --------
    >>> print(quoted_all((0, "k. A.")))
    0 and “k. A.”
    """
    shown = [f"“{value}”" if isinstance(value, str) else as_text(value) for value in values]
    return together(shown) if len(shown) <= 8 else listed(shown, 8)


@dataclass(frozen=True)
class OneColumn(Step):
    """A step that changes the cells of one column."""

    column: str

    @property
    def names(self) -> tuple[str, ...]:
        """The column it needs."""
        return (self.column,)

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the table with the changed column."""
        cells = frame[self.column]
        changed = self.change(cells, new=new)
        return frame if changed is cells else replaced(frame, self.column, changed)

    @abstractmethod
    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the changed column, or the very same one if nothing changes."""


@dataclass(frozen=True)
class NotMeasured(OneColumn):
    """Empty the cells whose value stands for "not measured".

    Examples
    --------
    >>> step = NotMeasured("insulin", [0])
    >>> step.apply(pd.DataFrame({"insulin": [0, 14, 0]}))["insulin"].tolist()
    [nan, 14.0, nan]
    >>> step.said
    'insulin: 0 means not measured.'
    """

    do: ClassVar[str] = "not measured"
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", as_values(self.values, "the values that mean not measured"))

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the column with those cells empty."""
        hit = which(cells, self.values)
        return cells.mask(hit) if hit.any() else cells

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        verb = "mean" if len(self.values) > 1 else "means"
        return f"{self.column}: {quoted_all(self.values)} {verb} not measured."


@dataclass(frozen=True)
class Merge(OneColumn):
    """Merge values of a column: each new name with the values that it takes the place of.

    Examples
    --------
    >>> step = Merge("colour", {"red": ["crimson", "scarlet"]})
    >>> step.apply(pd.DataFrame({"colour": ["crimson", "blue", "red"]}))["colour"].tolist()
    ['red', 'blue', 'red']
    """

    do: ClassVar[str] = "merge"
    groups: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        if not isinstance(self.groups, Mapping) or not self.groups:
            raise DataError("the groups to merge must be a mapping from a new name to a list of values.")
        groups = {
            as_text(name): as_texts(values, f"what becomes {name}") for name, values in self.groups.items()
        }
        every = [value for values in groups.values() for value in values]
        if len(set(every)) < len(every):
            twice = next(value for value in every if every.count(value) > 1)
            raise DataError(f"{self.column}: “{twice}” is in more than one group; leave it in one.")
        check_settled(self.column, {value: name for name, of in groups.items() for value in of})
        object.__setattr__(self, "groups", groups)

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the column with the new names."""
        return mapped(cells, {value: name for name, values in self.groups.items() for value in values})

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        parts = []
        for name, values in self.groups.items():
            others = [value for value in values if value != name]
            verb = "become" if len(others) > 1 else "becomes"
            parts.append(f"{quoted_all(others)} {verb} “{name}”")
        return f"{self.column}: {', '.join(parts)}."


@dataclass(frozen=True)
class KeepCommon(OneColumn):
    """Keep the common values of a column, and put all others together under one name.

    Examples
    --------
    >>> step = KeepCommon("ward", ["A", "B"], "other")
    >>> step.apply(pd.DataFrame({"ward": ["A", "X", "B", "Y"]}))["ward"].tolist()
    ['A', 'other', 'B', 'other']
    """

    do: ClassVar[str] = "keep common"
    keep: tuple[str, ...]
    other: str = "other"

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", as_texts(self.keep, "the values to keep"))

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the column with the rare values under one name."""
        kept = {*self.keep, self.other}
        return mapped(cells, {text: self.other for text in counted(cells) if text not in kept})

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        common = plural(len(self.keep), "common value")
        return f"{self.column}: {common} kept, all others become “{self.other}”."


def check_settled(column: str, names: Mapping[str, str]) -> None:
    """Refuse names that would be renamed once more: then it would matter how often a step is applied."""
    for value, name in names.items():
        if names.get(name, name) != name:
            raise DataError(
                f"{column}: “{value}” becomes “{name}”, which itself becomes “{names[name]}”; give it a name "
                "that is not one of the values."
            )
