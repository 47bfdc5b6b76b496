"""Steps that make numbers of text, and classes of numbers: decimal commas, units, cut points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import ClassVar

import numpy as np
import pandas as pd

from pgm_nb.arrays import Floats
from pgm_nb.data.discretize import bin_codes
from pgm_nb.data.frame import numbers
from pgm_nb.data.labels import interval_labels
from pgm_nb.data.repairs.cells import as_text, as_texts, counted, is_measured, which
from pgm_nb.data.repairs.values import OneColumn, quoted_all
from pgm_nb.errors import DataError
from pgm_nb.words import listed, plural

__all__ = ["LIMIT", "SIGN", "UNIT", "Cut", "ReadNumbers", "read_texts"]

LIMIT = r"(?:[<>≤≥]=?\s*)?"  # "<5", below what the method can measure
SIGN = r"[-+\u2212]?"
UNIT = r"(?:[^\W\d_]|[°%‰€$£/])(?:\S|[ ](?=\S)){0,14}"
_PLAIN = re.compile(rf"{SIGN}(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
GROUPINGS = (".", ",", "'", " ")
_BLANKS = re.compile("[\u00a0\u202f\u2009]")


def read_texts(texts: Sequence[str], decimal: str = ".", grouping: str = "", unit: str = "") -> Floats:
    """Return the numbers that texts are, NaN where one is none.

    With a decimal comma a decimal point is read as well, unless it divides thousands. A number after a
    sign such as "<" is read as it stands.

    Examples
    --------
    >>> read_texts(["12,5 mg", "<3 mg", "k. A.", "1.250,5"], decimal=",", grouping=".", unit="mg").tolist()
    [12.5, 3.0, nan, 1250.5]
    """
    tail = rf"\s*(?:{re.escape(unit)})?" if unit else ""
    shape = re.compile(rf"{LIMIT}(.*?){tail}", re.IGNORECASE)
    grouped = re.compile(rf"{SIGN}\d{{1,3}}(?:{re.escape(grouping)}\d{{3}})+(?!\d)") if grouping else None

    def read(text: str) -> float:
        found = shape.fullmatch(_BLANKS.sub(" ", text.strip()))
        core = found[1].strip() if found else ""
        if grouped is not None and grouped.match(core):
            core = core.replace(grouping, "")
        if decimal == "," and grouping != ",":
            core = core.replace(",", ".", 1) if "." not in core else core
        if _PLAIN.fullmatch(core) is None:
            return float("nan")
        number = float(core.replace("\u2212", "-"))
        return number if isfinite(number) else float("nan")

    return np.array([read(text) for text in texts], dtype=np.float64)


@dataclass(frozen=True)
class ReadNumbers(OneColumn):
    """Read text as numbers: with decimal commas, a unit, and texts that mean "not measured".

    Examples
    --------
    >>> step = ReadNumbers("dose", decimal=",", unit="mg", not_measured=["k. A."])
    >>> step.apply(pd.DataFrame({"dose": ["12,5 mg", "k. A.", "8 mg"]}))["dose"].tolist()
    [12.5, nan, 8.0]
    """

    do: ClassVar[str] = "read numbers"
    decimal: str = "."
    grouping: str = ""  #: what divides thousands
    unit: str = ""  #: what stands behind the numbers
    not_measured: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.decimal not in (".", ",") or self.grouping not in ("", *GROUPINGS):
            raise DataError(
                f"{self.column}: numbers have a decimal point or comma, and thousands are divided by one of "
                f"{listed([repr(mark) for mark in GROUPINGS])} or nothing."
            )
        if not isinstance(self.unit, str):
            raise DataError(f"{self.column}: a unit is a text, such as 'mg', but it is {self.unit!r}.")
        if self.not_measured:
            marks = as_texts(self.not_measured, "the texts that mean not measured")
            object.__setattr__(self, "not_measured", marks)

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the column as numbers."""
        if is_measured(cells):
            return cells
        cells = cells.mask(which(cells, self.not_measured)) if self.not_measured else cells
        texts = [text for text in counted(cells) if text]
        found = read_texts(texts, self.decimal, self.grouping, self.unit)
        unread = [text for text, number in zip(texts, found, strict=True) if np.isnan(number)]
        if unread:
            row = int(which(cells, unread[:1]).argmax()) + 1
            raise DataError(
                f"column {self.column!r} holds {plural(len(unread), 'text')} that cannot be read as numbers, "
                f"such as “{unread[0]}” in row {row}: correct the cell, leave it empty, or say that it means "
                "not measured."
            )
        values = dict(zip(texts, found.tolist(), strict=True))
        written = cells.astype(object).map(as_text, na_action="ignore")
        return written.map({"": np.nan, **values}, na_action="ignore").astype(np.float64)

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        how = [
            *(["with decimal commas"] if self.decimal == "," else []),
            *([f"in {self.unit}"] if self.unit else []),
        ]
        marks = f"; {quoted_all(self.not_measured)} not measured" if self.not_measured else ""
        return f"{self.column}: read as numbers{' ' + ', '.join(how) if how else ''}{marks}."


@dataclass(frozen=True)
class Cut(OneColumn):
    """Cut a column of numbers into classes; a number equal to a cut point belongs to the lower one.

    Examples
    --------
    >>> step = Cut("pressure", [120, 140], ["normal", "raised", "high"])
    >>> step.apply(pd.DataFrame({"pressure": [110, 120, 130, 150]}))["pressure"].tolist()
    ['normal', 'normal', 'raised', 'high']
    """

    do: ClassVar[str] = "cut"
    cuts: tuple[float, ...]
    classes: tuple[str, ...] = ()  #: their names; by default the intervals

    def __post_init__(self) -> None:
        given = self.cuts if isinstance(self.cuts, list | tuple) else (self.cuts,)
        real = all(isinstance(cut, int | float) and not isinstance(cut, bool) for cut in given)
        if not given or not real or not all(map(isfinite, given)):
            raise DataError(
                f"{self.column}: the cut points must be numbers, at least one, not {self.cuts!r}."
            )
        cuts = tuple(float(cut) for cut in given)
        if any(low >= high for low, high in pairwise(cuts)):
            raise DataError(f"{self.column}: the cut points must ascend, but they are {listed(cuts)}.")
        object.__setattr__(self, "cuts", cuts)
        if self.classes:
            names = as_texts(self.classes, "the names of the classes")
            object.__setattr__(self, "classes", names)
            if len(names) != len(cuts) + 1 or len(set(names)) < len(names):
                raise DataError(
                    f"{self.column}: {plural(len(cuts), 'cut point')} give {len(cuts) + 1} classes, each "
                    f"with a name of its own, but the names are {listed(names)}."
                )

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, from the smallest numbers on."""
        return self.classes or interval_labels(self.cuts)

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the class of every number."""
        if not is_measured(cells):
            strange = [text for text in counted(cells) if text not in self.labels]
            if strange:
                raise DataError(
                    f"column {self.column!r} must hold numbers to be cut, but holds “{strange[0]}”: read it "
                    "as numbers first."
                )
            return cells
        found = numbers(cells)
        words = np.array([*self.labels, None], dtype=object)
        codes = np.where(np.isnan(found), len(self.labels), bin_codes(found, self.cuts))
        return pd.Series(words[codes], index=cells.index, name=cells.name)

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        return (
            f"{self.column}: cut into {plural(len(self.labels), 'class', 'classes')}: {listed(self.labels)}."
        )
