"""Find columns of numbers that were read as text: decimal commas, units, foreign marks."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
from pandas.api import types

from pgm_nb.data.repairs.cells import counted, is_measured
from pgm_nb.data.repairs.find_marks import is_missing_word
from pgm_nb.data.repairs.numbers import LIMIT, SIGN, UNIT, ReadNumbers, read_texts
from pgm_nb.data.repairs.proposal import Proposal
from pgm_nb.data.repairs.step import Step
from pgm_nb.data.repairs.values import quoted_all
from pgm_nb.words import plural, together

__all__ = ["find_numbers", "reading_of"]

MOST_MARKS = 5  # different texts that may stand for "no number"
LEAST_SHARE = 0.5  # of the cells that must be numbers
FEW = 5  # distinct numbers up to which a column with foreign marks may hold grades
_NUMBER = rf"{SIGN}(?:\d[\d.,' \u00a0\u202f]*\d|\d|[.,]\d+)(?:[eE][-+]?\d+)?"
_CELL = re.compile(rf"({LIMIT})({_NUMBER})\s*({UNIT})?")
_BY_DOTS = r"\d{1,3}(?:\.\d{3})+"
_BY_COMMAS = r"\d{1,3}(?:,\d{3})+"
_GROUPED = r"[1-9]\d{0,2},\d{3}"  # a comma before three digits
LEAST_GROUPED = 5  # different numbers of that kind, so that it is no chance


def reading_of(cells: pd.Series) -> ReadNumbers | None:
    """Return how a column of text is read as numbers; None if it is no column of numbers.

    At least half of the cells must be numbers with the same unit, or none, and all others share a few texts.

    Examples
    --------
    >>> reading_of(pd.Series(["12,5 mg", "8 mg", "k. A.", "9,25 mg"], name="dose"))
    ReadNumbers(column='dose', decimal=',', grouping='', unit='mg', not_measured=('k. A.',))
    >>> reading_of(pd.Series(["p1", "p2"])) is None
    True
    """
    known = isinstance(cells.dtype, pd.CategoricalDtype) or types.is_bool_dtype(cells.dtype)
    if known or is_measured(cells) or types.is_datetime64_any_dtype(cells.dtype):
        return None
    found = {text: times for text, times in counted(cells).items() if text}
    total = sum(found.values())
    matches = {text: match for text in found if (match := _CELL.fullmatch(text))}
    if sum(found[text] for text, match in matches.items() if not match[1]) < LEAST_SHARE * max(total, 1):
        return None
    unit = _unit(found, matches)
    tokens = [match[2] for match in matches.values()]
    decimal, grouping = _style(tokens)
    numbers = dict(zip(found, read_texts([*found], decimal, grouping, unit), strict=True))
    marks = [text for text, number in numbers.items() if np.isnan(number)]
    read = sum(found[text] for text in found if not np.isnan(numbers[text]))
    if len(marks) > MOST_MARKS or read < LEAST_SHARE * total or not read:
        return None
    grades = len(found) - len(marks) <= FEW and not (unit or grouping or decimal == ",")
    if grades and not (marks and all(map(is_missing_word, marks))):
        return None
    return ReadNumbers(str(cells.name), decimal, grouping, unit, tuple(marks))


def find_numbers(cells: pd.Series) -> Proposal | None:
    """Find out whether a column of text is one of numbers.

    Examples
    --------
    >>> print(find_numbers(pd.Series(["12,5 mg", "8 mg", "k. A.", "9,25 mg"], name="dose")).sentence)
    dose holds numbers that were read as text, such as “12,5 mg”: they have decimal commas and the unit mg. In
    1 of 4 rows it is “k. A.”, which then means not measured.
    """
    step = reading_of(cells)
    if step is None:
        return None
    found = {text: times for text, times in counted(cells).items() if text}
    marks = {*step.not_measured}
    plain = [text for text in found if text not in marks]
    example = max(plain, key=lambda text: ("," in text) + 2 * bool(step.unit and step.unit in text))
    limits = [text for text in plain if text[:1] in "<>≤≥"]
    said = [
        *(["decimal commas"] if step.decimal == "," else []),
        *([f"the unit {step.unit}"] if step.unit else []),
    ]
    parts = [
        f"{step.column} holds numbers that were read as text, such as “{example}”"
        + (f": they have {together(said)}." if said else ".")
    ]
    if limits:
        parts.append(f"{quoted_all(limits[:1])} is read as the number itself.")
    if marks:
        rows = sum(found[mark] for mark in marks)
        then = "which then mean" if len(marks) > 1 else "which then means"
        parts.append(
            f"In {rows:,} of {plural(len(cells), 'row')} it is {quoted_all([*step.not_measured])}, {then} "
            "not measured."
        )
    others: tuple[tuple[str, Step], ...] = ()
    if step.grouping == "," and step.decimal == "." and not any("." in text for text in plain):
        parts.append("Commas before three digits are taken to divide thousands.")
        others = (("Decimal commas", replace(step, decimal=",", grouping="")),)
    rows = int(cells.notna().sum())
    return Proposal("numbers", step.column, " ".join(parts), "Read as numbers", step, rows, others)


def _unit(found: dict[str, int], matches: dict[str, re.Match[str]]) -> str:
    """Return the unit that at least half of the numbers have."""
    times: dict[str, int] = {}
    for text, match in matches.items():
        if match[3]:
            times[match[3]] = times.get(match[3], 0) + found[text]
    commonest = max(times, key=times.__getitem__, default="")
    return commonest if 2 * times.get(commonest, 0) >= sum(found[text] for text in matches) else ""


def _style(tokens: list[str]) -> tuple[str, str]:
    """Return what divides decimals, and what divides thousands."""
    every = [token.lstrip("+-\u2212") for token in tokens]
    if any(re.fullmatch(rf"{_BY_DOTS},\d+", token) for token in every):
        return ",", "."
    if any(re.fullmatch(rf"{_BY_COMMAS}\.\d+|\d{{1,3}}(?:,\d{{3}}){{2,}}", token) for token in every):
        return ".", ","
    if any(re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", token) for token in every):
        return ",", "."
    with_comma = [token for token in every if "," in token]
    grouped = all(re.fullmatch(_GROUPED, token) for token in with_comma)
    plain = any(re.fullmatch(r"\d{4,}", token) for token in every)  # 1,680 and 12,400, but never 1680
    if len(with_comma) >= LEAST_GROUPED and grouped and not plain:
        return ".", ","
    with_dot = [token for token in every if "." in token]
    decimal = "," if with_comma else "."
    if with_comma and with_dot and all(re.fullmatch(_BY_DOTS, token) for token in with_dot):
        return ",", "."
    for mark in ("'", " "):
        if any(re.search(rf"\d{mark}\d{{3}}(?!\d)", token) for token in every):
            return decimal, mark
    return decimal, ""
