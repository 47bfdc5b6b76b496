"""Markdown that shows column names and values exactly as they are."""

import re

__all__ = ["bold", "literal"]


def literal(text: str) -> str:
    r"""Return Markdown that Streamlit shows exactly as the text is.

    Punctuation is escaped; an invisible word joiner keeps Streamlit from reading ``:smile:`` as a picture and
    ``->`` as an arrow.

    Examples
    --------
    >>> literal("**bold** $x$")
    '\\*\\*bold\\*\\* \\$x\\$'
    """
    escaped = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(text.split()))
    return re.sub(r":(?=\\?[\w+-])|[-<>~](?=\\[->=])", "\\g<0>\u2060", escaped)


def bold(name: str) -> str:
    """Return Markdown that shows a name as it is, in bold.

    Examples
    --------
    >>> bold("mean radius")
    '**mean radius**'
    """
    return f"**{literal(name)}**" if name.strip() else literal(name)
