"""A recipe: an ordered list of steps that repair a table, kept with the model that was learned from it."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pandas as pd

from pgm_nb.data.read import file_bytes
from pgm_nb.data.repairs.codebook import Codebook
from pgm_nb.data.repairs.columns import NumberNames
from pgm_nb.data.repairs.step import Step, as_step
from pgm_nb.errors import DataError
from pgm_nb.files import write_atomically
from pgm_nb.words import listed

__all__ = ["Recipe", "repair"]

FORMAT, VERSION = "pgm_nb recipe", 1
MOST_PACKED = 2_000_000  # bytes of JSON that a packed recipe may become


@dataclass(frozen=True, init=False)
class Recipe:
    """An ordered list of steps that repair a table.

    Parameters
    ----------
    steps
        Steps, or plain values such as ``{"do": "not measured", "column": "insulin", "values": [0]}``.

    Examples
    --------
    >>> recipe = Recipe([{"do": "not measured", "column": "insulin", "values": [0]}])
    >>> recipe.apply(pd.DataFrame({"insulin": [0, 14]}))["insulin"].tolist()
    [nan, 14.0]
    >>> print(recipe)
    insulin: 0 means not measured.
    """

    steps: tuple[Step, ...]

    def __init__(self, steps: Iterable[Step | Mapping[str, Any]] = ()) -> None:
        object.__setattr__(self, "steps", tuple(as_step(step) for step in steps))

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __str__(self) -> str:
        return "\n".join(step.said for step in self.steps)

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the repaired table; the given one is not changed.

        Raises
        ------
        DataError
            A step does not fit the table; the message says which, why, and what to do.
        """
        for number, step in enumerate(self.steps, start=1):
            if why := _misfit(step, frame):
                raise DataError(
                    f"step {number} of the recipe ({step.said}) does not fit this table: {why}. Take the "
                    "step out of the recipe, or take the table it was made for."
                )
            try:
                frame = step.apply(frame)
            except DataError as problem:
                raise DataError(f"step {number} of the recipe ({step.said}): {problem}") from None
        return frame

    def for_rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return new rows as the repaired table has them, raw or already repaired; no row is left out.

        Columns that a table to be classified need not have, such as the class, may be absent.

        Examples
        --------
        >>> recipe = Recipe([Codebook({}, {"sex": {"1": "male"}}), {"do": "leave out rows", "column": "y"}])
        >>> recipe.for_rows(pd.DataFrame({"sex": [1, 2], "y": [None, 1]}))["sex"].tolist()
        ['male', '2']
        """
        for step in self.steps:
            if isinstance(step, Codebook) or not step.missing_from(frame):
                frame = step.apply(frame, new=True)
        return frame

    def fitting(self, frame: pd.DataFrame) -> tuple[Recipe, pd.DataFrame, tuple[str, ...]]:
        """Return the steps that fit a table, the table they make, and why the others do not fit."""
        steps, reasons = [], []
        for step in self.steps:
            why = _misfit(step, frame)
            try:
                frame = frame if why else step.apply(frame)
            except DataError as problem:
                why = str(problem)
            if why:
                reasons.append(f"{step.said} Not possible: {why.rstrip('.')}.")
            else:
                steps.append(step)
        return Recipe(steps), frame, tuple(reasons)

    def renamed(self, name: str) -> str:
        """Return what a column is called in the end.

        Examples
        --------
        >>> Recipe([Codebook({"y": {"name": "outcome"}}, {})]).renamed("y")
        'outcome'
        """
        for step in self.steps:
            name = step.renames.get(name, name)
        return name

    def first_name(self, name: str) -> str:
        """Return what a column was called at first."""
        for step in reversed(self.steps):
            name = next((old for old, new in step.renames.items() if new == name), name)
        return name

    @property
    def codebook(self) -> Codebook:
        """The names of columns and values; the last step that gives any."""
        books = [step for step in self.steps if isinstance(step, Codebook)]
        return books[-1] if books else Codebook({}, {})

    def plus(self, *steps: Step) -> Recipe:
        """Return the recipe with more steps; a codebook is the last one, and takes the place of another."""
        every = (*self.steps, *steps)
        books = [step for step in every if isinstance(step, Codebook) and step.names]
        return Recipe((*(step for step in every if not isinstance(step, Codebook)), *books[-1:]))

    def without(self, place: int) -> Recipe:
        """Return the recipe without the step at a place, from 0."""
        return Recipe(tuple(step for at, step in enumerate(self.steps) if at != place))

    def to_list(self) -> list[dict[str, Any]]:
        """Return the steps as plain values for JSON."""
        return [step.to_dict() for step in self.steps]

    def to_json(self) -> str:
        """Return the recipe as the text of a file."""
        steps = ",\n  ".join(json.dumps(step, ensure_ascii=False) for step in self.to_list())
        return f'{{"format": "{FORMAT}", "version": {VERSION}, "steps": [\n  {steps}\n]}}\n'

    @classmethod
    def from_json(cls, text: str, name: str = "the recipe") -> Recipe:
        """Read a recipe from the text of a file, or from a bare list of steps.

        Examples
        --------
        >>> Recipe.from_json('[{"do": "leave out", "columns": ["id"]}]').steps[0].said
        'id: left out.'
        """
        try:
            record = json.loads(text)
        except ValueError as problem:
            raise DataError(f"{name} is not JSON ({problem}): save it again.") from None
        if isinstance(record, dict):
            if record.get("format") != FORMAT or not isinstance(record.get("steps"), list):
                raise DataError(
                    f"{name} is not a recipe: it needs the format {FORMAT!r} and a list of steps."
                )
            if record.get("version") != VERSION:
                raise DataError(
                    f"{name} is of version {record.get('version')!r}, but this program reads {VERSION}: "
                    "update pgm_nb."
                )
            record = record["steps"]
        if not isinstance(record, list):
            raise DataError(f"{name} is not a recipe: it must be a list of steps.")
        return cls(record)

    @classmethod
    def read(cls, source: str | Path | IO[Any]) -> Recipe:
        """Read a recipe from a JSON file."""
        data, name = file_bytes(source)
        try:
            return cls.from_json(data.decode(), name)
        except UnicodeDecodeError:
            raise DataError(f"{name} is not a recipe: it is not UTF-8 text.") from None

    def save(self, path: str | Path) -> None:
        """Write the recipe to a JSON file."""
        write_atomically(path, self.to_json().encode())

    def pack(self) -> str:
        """Return the recipe as one short word for an address.

        Examples
        --------
        >>> recipe = Recipe([{"do": "number names"}])
        >>> Recipe.unpack(recipe.pack()) == recipe
        True
        """
        text = json.dumps(self.to_list(), ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")

    @classmethod
    def unpack(cls, word: str) -> Recipe:
        """Read what `pack` wrote; whatever else it is, is refused."""
        try:
            packed = base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True)
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(packed, MOST_PACKED)
            if unpacker.unconsumed_tail:
                raise DataError("the recipe in this address is too long.")
            return cls.from_json(text.decode())
        except (ValueError, zlib.error, TypeError, AttributeError, RecursionError) as problem:
            raise DataError(f"the recipe in this address cannot be read ({problem}).") from None


def repair(frame: pd.DataFrame, recipe: Recipe | Iterable[Step | Mapping[str, Any]]) -> pd.DataFrame:
    """Return a table as a recipe repairs it; the given one is not changed.

    Parameters
    ----------
    frame
        The table, as `read_table` gives it.
    recipe
        A `Recipe`, or a list of steps as plain values.

    Examples
    --------
    >>> repair(pd.DataFrame({"dose": ["1,5 mg"]}), [{"do": "read numbers", "column": "dose", "decimal": ",",
    ...     "unit": "mg"}])
       dose
    0   1.5
    """
    return (recipe if isinstance(recipe, Recipe) else Recipe(recipe)).apply(frame)


def _misfit(step: Step, frame: pd.DataFrame) -> str:
    twice = frame.columns[frame.columns.duplicated()].unique()
    if len(twice) and not isinstance(step, NumberNames):
        return (
            f"more than one column is named {listed([repr(name) for name in twice])}; number the names first"
        )
    return step.missing_from(frame)
