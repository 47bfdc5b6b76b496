"""Find values that stand for "not measured": a 0, -999, 9999, "k. A."."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pgm_nb.arrays import Floats, Ints
from pgm_nb.data.frame import numbers
from pgm_nb.data.labels import number_label
from pgm_nb.data.repairs.cells import counted, is_measured
from pgm_nb.data.repairs.proposal import Proposal
from pgm_nb.data.repairs.values import NotMeasured, quoted_all
from pgm_nb.words import plural

__all__ = ["MISSING_WORDS", "find_mark", "is_missing_word"]

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
