"""Find cells that stand for others: marks for what was not measured, and numbers written as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from pandas.api import types

from pgm_nb.arrays import Floats, Ints
from pgm_nb.data.frame import numbers
from pgm_nb.data.labels import number_label
from pgm_nb.data.repairs.step import Step, counted, is_measured
from pgm_nb.data.repairs.steps import LIMIT, SIGN, UNIT, NotMeasured, ReadNumbers, quoted_all, read_texts
from pgm_nb.words import plural, together

__all__ = ["Proposal", "find_mark", "find_numbers", "is_missing_word", "reading_of"]


@dataclass(frozen=True)
class Proposal:
    """A repair that was found and is proposed.

    Attributes
    ----------
    kind
        What it is about: "names", "class", "numbers", "not measured", "dates", "levels" or "left out".
    column
        The column it is about; empty if it is about several.
    sentence
        What was found, where and in how many rows, and why it matters.
    button, step
        What can be done, in a few words, and the step that does it.
    rows
        How many rows it changes.
    others
        Other steps in its place, each with the words of its button.
    usual
        Whether it is done unless somebody refuses: columns that say nothing are left out.
    doubtful
        Whether only somebody who knows the table can decide: it is asked, and never done with all others.
    """

    kind: str
    column: str
    sentence: str
    button: str
    step: Step
    rows: int
    others: tuple[tuple[str, Step], ...] = ()
    usual: bool = False
    doubtful: bool = False


_WORDS = """\
k. a.|k.a.|ka|keine angabe|nicht bekannt|unbekannt|nicht gemessen|fehlt|n. b.|n.b.|n. a.|n.a.|n/a|na|nan|
null|nil|not available|not done|not known|not measured|not recorded|not reported|not applicable|nd|n.d.|
unknown|unk|missing|refused|?|??|???|-|--|---|–|.|..|*|#|x|#wert!|#value!|#n/a|#div/0!|<na>|
non renseigné|inconnu|desconocido|sconosciuto|-9|-99|-999|-9999|99|999|9999"""
MISSING_WORDS = frozenset("".join(_WORDS.splitlines()).split("|"))
LOW = np.array([-1, -7, -8, -9, -77, -88, -99, -777, -888, -999, -9999, -99999], dtype=np.float64)
HIGH = np.array([9, 77, 88, 99, 777, 888, 999, 7777, 8888, 9999, 99999, 999999], dtype=np.float64)
FEW = 10  # distinct numbers up to which a column may hold codes instead of measurements
NEAR = 20  # smallest numbers whose distances say how closely a column is filled
GAP = 5.0  # times that distance lie between 0 and the others if it is not one of them
CLEAR = 0.5  # of the lowest quarter's width: a gap that needs no other sign
SOME = 0.1  # of it, where far more cells are 0 than lie close above the gap
SPIKE = 3  # times as many
MOST = 0.9  # of the cells that may be not measured
SHORT, CODES = 2, 3  # letters of a mark that may be a code, and the codes beside it that make it one
MANY = 2 / 3  # of the cells: a 0 in more of them may well mean none
TAIL = 10  # times the mean: numbers that reach so far may end at the largest that could be written down
RARE = 999  # a code below it stands there at least twice


def is_missing_word(text: str) -> bool:
    """Return whether a text is a usual mark for a missing value.

    Examples
    --------
    >>> is_missing_word("k. A."), is_missing_word("none")
    (True, False)
    """
    return text.strip().casefold() in MISSING_WORDS


def find_mark(cells: pd.Series, *, is_class: bool = False) -> Proposal | None:
    """Find the values of a column that stand for "not measured".

    Parameters
    ----------
    cells
        The column.
    is_class
        Whether it is the class, whose numbers are codes.

    Examples
    --------
    >>> import textwrap
    >>> found = find_mark(pd.Series([0, 0, 14, 15, 16, 18, 20, 22, 23, 25, 27, 29, 31, 0], name="insulin"))
    >>> print(textwrap.fill(found.sentence, 106))
    insulin is 0 in 3 of 14 rows; no other value lies below 14. Does 0 mean not measured? Then these 3 cells
    become empty, and the mean is 21.82 instead of 17.14. If 0 means none, keep it.
    """
    name = str(cells.name)
    if is_measured(cells):
        return None if is_class else _find_number(name, numbers(cells))
    if pd.api.types.is_bool_dtype(cells.dtype) or pd.api.types.is_datetime64_any_dtype(cells.dtype):
        return None
    found = counted(cells)
    marks = [text for text in found if is_missing_word(text) and not _code_among_codes(text, found)]
    if not marks or len(marks) == len(found):
        return None
    rows = sum(found[mark] for mark in marks)
    usually = "which usually mean" if len(marks) > 1 else "which usually means"
    sentence = (
        f"{name} is {quoted_all(marks)} in {rows:,} of {plural(len(cells), 'row')}, {usually} not measured."
    )
    return _proposal(name, sentence, tuple(marks), rows)


def _code_among_codes(mark: str, found: Mapping[str, int]) -> bool:
    """Return whether a mark such as x or NA is one of many letter codes as short as itself."""
    if len(mark) > SHORT or not mark.isalpha():
        return False
    alike = [text for text in found if text != mark and len(text) == len(mark) and text.isalpha()]
    return len(alike) >= CODES and 2 * len(alike) >= len(found)


def _find_number(name: str, cells: Floats) -> Proposal | None:
    present = cells[~np.isnan(cells)]
    if len(present) == 0:
        return None
    values, counts = np.unique(present, return_counts=True)
    codes = np.isin(values, LOW) | np.isin(values, HIGH)
    marks = [*_below(values, counts, codes), *_above(values, counts, codes)]
    if not marks and not _zero_apart(values, counts):
        return None
    hit = np.isin(values, marks or [0.0])
    rows = int(counts[hit].sum())
    if rows > MOST * len(present):
        return None
    shown = tuple(int(mark) for mark in values[hit])
    said = f"{name} is {quoted_all(shown)} in {rows:,} of {plural(len(cells), 'row')}; "
    rest, times = values[~hit], counts[~hit]
    change = _change(rows, float(present.mean()), float(np.average(rest, weights=times)))
    if not marks:
        often = rows > MANY * len(present)
        question = (
            "Does 0 mean none, or not measured? If not measured,"
            if often
            else ("Does 0 mean not measured? Then")
        )
        said += f"no other value lies below {number_label(float(rest[0]), 4)}. {question} {change}. " + (
            "If 0 means none, keep it."
        )
        return _proposal(name, said, (0,), rows, doubtful=often)
    said += f"all other values are {number_label(float(rest[0]), 4)} to {number_label(float(rest[-1]), 4)}. "
    if shown[-1] > 0 and rest[0] >= 0 and rest[-1] > TAIL * np.average(rest, weights=times):
        said += (
            f"Is {shown[-1]} the largest number that could be written down, or does it mean not measured? If "
            f"not measured, {change}. Otherwise keep it."
        )
        return _proposal(name, said, shown, rows, doubtful=True)
    several = len(shown) > 1
    said += f"{'Do these' if several else 'Does it'} mean not measured? Then {change}. "
    said += "If they are values, keep them." if several else "If it is a value, keep it."
    return _proposal(name, said, shown, rows)


def _change(rows: int, before: float, after: float) -> str:
    """Say what becomes of a column without its marks."""
    become = "this cell becomes" if rows == 1 else f"these {rows:,} cells become"
    return f"{become} empty, and the mean is {number_label(after, 4)} instead of {number_label(before, 4)}"


def _below(values: Floats, counts: Ints, codes: np.ndarray) -> list[float]:
    """Return the codes below all other values: the only negative ones, or far away."""
    rest = values[~codes | (values >= 0)]
    if len(rest) < 2:
        return []
    found = values[np.isin(values, LOW)]
    if rest[0] >= 0:
        plain = len(rest) > FEW
        return [float(code) for code in found if code not in (-1, -7, -8) or plain]
    often = {float(value): int(count) for value, count in zip(values, counts, strict=True)}
    far = [float(code) for code in found if rest[0] - code > rest[-1] - rest[0]]
    return [code for code in far if code <= -RARE or often[code] > 1]


def _above(values: Floats, counts: Ints, codes: np.ndarray) -> list[float]:
    """Return the codes far above all other values."""
    rest = values[~(codes & np.isin(values, HIGH)) & ~np.isin(values, LOW)]
    inner = values[np.isin(values, HIGH)]
    found: list[float] = []
    for code in inner[::-1]:
        others = np.union1d(rest, inner[inner < code])
        alone = len(others) >= 2 and code - others[-1] > others[-1] - others[0]
        if not alone or (code < RARE and counts[values == code][0] < 2):
            break
        found.append(float(code))
    return found


def _zero_apart(values: Floats, counts: Ints) -> bool:
    """Return whether 0 is the smallest value and lies apart from all others, which are measurements."""
    rest, times = values[1:], counts[1:]
    if values[0] != 0 or len(rest) <= FEW:
        return False
    least = float(rest[0])
    if least < GAP * float(np.median(np.diff(rest[: NEAR + 1]))):
        return False
    quarter = float(rest[np.searchsorted(np.cumsum(times), times.sum() / 4)]) - least
    spike = counts[0] > SPIKE * times[rest <= 2 * least].sum()
    return bool(least >= (SOME if spike else CLEAR) * quarter)


def _proposal(
    name: str, sentence: str, values: tuple[str | int, ...], rows: int, *, doubtful: bool = False
) -> Proposal:
    verb = "mean" if len(values) > 1 else "means"
    return Proposal(
        "not measured",
        name,
        sentence,
        f"{quoted_all(values)} {verb} not measured",
        NotMeasured(name, values),
        rows,
        doubtful=doubtful,
    )


MOST_MARKS = 5  # different texts that may stand for "no number"
LEAST_SHARE = 0.5  # of the cells that must be numbers
FEW_NUMBERS = 5  # distinct numbers up to which a column with foreign marks may hold grades
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
    grades = len(found) - len(marks) <= FEW_NUMBERS and not (unit or grouping or decimal == ",")
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
