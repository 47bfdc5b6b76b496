r"""Read evidence that was written in one line: ``age=64``, ``age=40..50``, ``colour=red|blue``.

What `Evidence.written` and `plain_text` write is read back as it was: a mark inside a name or a value has a \
before it. People need not write that: a text that makes no sense so is read as it stands, and the longest
name that fits is taken.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable

from pgm_nb.inference.evidence import Between, Evidence, Likelihood, Not, OneOf, Plain
from pgm_nb.inference.marks import pieces, plain

__all__ = ["ReadValue", "read_evidence"]

ReadValue = Callable[[str, str], tuple[Plain] | None]  # attribute and text -> its value, if it is one

_MARKS = re.compile(r"!=|>=|<=|=|>|<")
_NAME = re.compile(r"((?:\\.|[^\\=!<>]|!(?!=))*)(!=|>=|<=|=|>|<)", re.DOTALL)


def read_evidence(text: str, names: Iterable[str], value: ReadValue) -> tuple[str, Plain | Evidence] | None:
    r"""Read what is known of one variable.

    ``age=64`` a value, ``age=40..50``, ``age=40..``, ``age>60`` and ``age<=40`` ranges, ``colour!=red`` and
    ``colour!=red|blue`` not these, ``colour=red|blue`` one of these, ``colour=red:0.7|blue:0.2`` likelihoods.
    A ``\`` before a mark makes it a letter like others.

    Parameters
    ----------
    text : str
        What was written.
    names : iterable of str
        The variables; a name may hold any of the marks.
    value : callable
        Returns the value of a text (in a tuple), or None if the variable has no such value.

    Returns
    -------
    (str, value or Evidence), or None if it cannot be read.

    Examples
    --------
    >>> value = lambda name, text: (text,) if text in ("red", "blue", "a|b") else None
    >>> read_evidence("colour=red|blue", ["colour"], value)
    ('colour', OneOf(values=('red', 'blue')))
    >>> read_evidence("colour=a|b", ["colour"], value)
    ('colour', 'a|b')
    >>> read_evidence(r"colour=a\|b|red", ["colour"], value)
    ('colour', OneOf(values=('a|b', 'red')))
    >>> read_evidence("colour>=3", ["colour"], value)
    ('colour', Between(low=3.0, high=inf, strict=False))
    """
    names = [*names]
    return _written(text, names, value) or _typed(text, names, value)


def _written(text: str, names: Collection[str], value: ReadValue) -> tuple[str, Plain | Evidence] | None:
    """Read a text in which every mark that is part of a name or value is escaped."""
    head = _NAME.match(text)
    if head is None or plain(head[1]) not in names:
        return None
    name, rest = plain(head[1]), text[head.end() :]
    parts = pieces(rest, "|")
    several = len(parts) > 1 or head[2] == "!="
    weighed = several and any(len(pieces(part, ":")) > 1 for part in parts)
    found = _read(name, head[2], rest, value, [] if weighed else [plain(part) for part in parts])
    return None if found is None else (name, found[0])


def _typed(text: str, names: Collection[str], value: ReadValue) -> tuple[str, Plain | Evidence] | None:
    """Read a text as it stands."""
    for name in sorted((name for name in names if text.startswith(name)), key=len, reverse=True):
        mark = _MARKS.match(text, len(name))
        if mark is not None:
            rest = text[mark.end() :]
            whole = value(name, rest)
            if whole is not None and mark.group() in ("=", "!="):
                return name, (whole[0] if mark.group() == "=" else Not(whole))
            found = _read(name, mark.group(), rest, value, rest.split("|"))
            if found is not None:
                return name, found[0]
    return None


def _read(
    name: str, mark: str, rest: str, value: ReadValue, parts: list[str]
) -> tuple[Plain | Evidence] | None:
    """Read what follows a mark; `parts` are the values between upright lines, if they are values."""
    if mark in ("=", "!="):
        values = [value(name, part) for part in parts]
        several = tuple(found[0] for found in values if found is not None)
        if parts and len(several) == len(parts):
            if mark == "!=":
                return (Not(several),)
            return (OneOf(tuple(dict.fromkeys(several))),) if len(several) > 1 else (several[0],)
        return None if mark == "!=" else _range(rest) or _weighed(name, rest, value)
    try:
        end = float(rest)
    except ValueError:
        return None
    if not math.isfinite(end):
        return None
    low, high = (end, math.inf) if mark[0] == ">" else (-math.inf, end)
    return (Between(low, high, strict=len(mark) == 1),)


def _range(text: str) -> tuple[Between] | None:
    found = re.fullmatch(r"\s*(.*?)\s*\.\.\s*(.*?)\s*", text)
    if found is None or not (found[1] or found[2]):
        return None
    try:
        low, high = float(found[1] or -math.inf), float(found[2] or math.inf)
    except ValueError:
        return None
    endless = math.isinf(low) and math.isinf(high)
    return (Between(low, high),) if low <= high and not endless else None


def _weighed(name: str, text: str, value: ReadValue) -> tuple[Likelihood] | None:
    found: dict[Plain, float] = {}
    parts = pieces(text, "|")
    for part in parts if len(parts) > 1 else ():
        *state, weight = pieces(part, ":")
        read = value(name, plain(":".join(state)))
        try:
            number = float(weight)
        except ValueError:
            return None
        if not state or read is None or not 0 <= number < math.inf:
            return None
        found[read[0]] = number
    return (Likelihood(tuple(found.items())),) if any(found.values()) else None
