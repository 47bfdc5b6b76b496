r"""The marks of written evidence, and how a name or a value that holds one is written: with a \ before it."""

from __future__ import annotations

import re

__all__ = ["exact", "name_text", "part_text", "pieces", "plain", "plain_text"]

_IN_NAME = re.compile(r"[\\=!<>]")
_IN_VALUE = re.compile(r"[\\|]|\.(?=\.)")
_IN_PART = re.compile(r"[\\|:]|\.(?=\.)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def name_text(name: str) -> str:
    """Write the name of a variable before a mark."""
    return _IN_NAME.sub(r"\\\g<0>", name)


def part_text(text: str) -> str:
    """Write a value as one of several."""
    return _IN_PART.sub(r"\\\g<0>", text)


def plain_text(name: str, text: str) -> str:
    r"""Write a plain value so that `read_evidence` reads it back, whatever marks the two hold.

    Examples
    --------
    >>> print(plain_text("age", "64"), plain_text("a=b", "x|y"))
    age=64 a\=b=x\|y
    """
    value = _IN_VALUE.sub(r"\\\g<0>", text)
    return f"{name_text(name)}={value}"


def plain(text: str) -> str:
    r"""Return what was written.

    Examples
    --------
    >>> plain(r"a\=b")
    'a=b'
    """
    return _ESCAPED.sub(r"\1", text)


def pieces(text: str, mark: str) -> list[str]:
    r"""Split at a mark, but not where it is escaped; the pieces remain escaped.

    Examples
    --------
    >>> print(*pieces(r"red|a\|b", "|"))
    red a\|b
    """
    found, last = [], 0
    for hit in re.finditer(rf"\\.|{re.escape(mark)}", text, re.DOTALL):
        if hit.group() == mark:
            found.append(text[last : hit.start()])
            last = hit.end()
    return [*found, text[last:]]


def exact(number: float) -> str:
    """Write a number in the shortest way that reads back as the same number.

    Examples
    --------
    >>> exact(64.0), exact(0.1 + 0.2), exact(-0.0), exact(1e30)
    ('64', '0.30000000000000004', '-0', '1e+30')
    """
    return repr(float(number)).removesuffix(".0")
