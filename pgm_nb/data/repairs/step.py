"""A step of a recipe: one small change of a table, written as JSON and said in one sentence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Self

import pandas as pd

from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed

__all__ = ["STEPS", "Step", "as_step"]

STEPS: dict[str, type[Step]] = {}  #: what a step does -> its class


@dataclass(frozen=True)
class Step(ABC):
    """One change of a table; pure, and the same for the same table.

    A step that has been applied changes nothing when it is applied again, so that cells which are already
    repaired pass as they are.
    """

    do: ClassVar[str]  #: what JSON calls it

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "do" in vars(cls):
            STEPS[cls.do] = cls

    @abstractmethod
    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the changed table; of `new` rows, to be classified, none is left out."""

    @property
    @abstractmethod
    def said(self) -> str:
        """What the step does, in one sentence."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it needs."""
        return ()

    @property
    def renames(self) -> Mapping[str, str]:
        """Columns that get another name."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain values for JSON; what stands at its default is left out."""
        said = {
            field.name: _plain(getattr(self, field.name))
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        return {"do": self.do, **said}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the step that `to_dict` wrote."""
        known = {field.name: field for field in fields(cls)}
        given = {key: value for key, value in record.items() if key != "do"}
        strange = [key for key in given if key not in known]
        absent = [name for name, field in known.items() if field.default is MISSING and name not in given]
        if strange or absent:
            wrong = f"has no part {strange[0]!r}" if strange else f"needs {absent[0]!r}"
            raise DataError(f"a step {cls.do!r} {wrong} (its parts: {listed([*known])}).")
        return cls(**given)

    def missing_from(self, frame: pd.DataFrame) -> str:
        """Return why the step does not fit a table, in a few words; empty if its columns are there."""
        columns = [str(name) for name in frame.columns]
        for name in self.names:
            if name not in columns and self.renames.get(name) not in columns:
                return f"the table has no column {name!r}{did_you_mean(name, columns)}"
        return ""


def as_step(record: object) -> Step:
    """Read a step from plain values.

    Examples
    --------
    >>> as_step({"do": "not measured", "column": "insulin", "values": [0]}).said
    'insulin: 0 means not measured.'
    >>> as_step({"do": "leaves out"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pgm_nb.errors.DataError: there is no step 'leaves out' in a recipe; did you mean 'leave out'? (steps: ...
    """
    if isinstance(record, Step):
        return record
    if not isinstance(record, Mapping) or not isinstance(record.get("do"), str):
        raise DataError(
            f"a step of a recipe says what it does, such as {{'do': 'leave out', ...}}, not {record!r}."
        )
    kind = STEPS.get(record["do"])
    if kind is None:
        raise DataError(
            f"there is no step {record['do']!r} in a recipe{did_you_mean(record['do'], STEPS)} "
            f"(steps: {listed([*STEPS])})."
        )
    return kind.from_dict(record)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
