"""ARFF, Weka's table format: declared attributes, then rows."""

import re

import pandas as pd
from pandas.api import types

from pgm_nb.data.text import column_names, parse_rows
from pgm_nb.errors import DataError
from pgm_nb.words import listed

__all__ = ["parse_arff"]

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(\{{.*\}}|\S+)", re.IGNORECASE)
_VALUE = re.compile(rf"{_QUOTED}|[^\s,][^,]*")
_NUMBERS = ("numeric", "real", "integer")


def parse_arff(text: str, name: str, *, duplicates: str = "refuse") -> pd.DataFrame:
    r"""Return the table in an ARFF text; nominal attributes become categories as declared.

    Examples
    --------
    >>> text = "@relation r\n@attribute 'a b' {x, y}\n@attribute n real\n@data\nx,1.5\n?,?\n"
    >>> frame = parse_arff(text, "r.arff")
    >>> frame
       a b    n
    0    x  1.5
    1  NaN  NaN
    >>> list(frame["a b"].cat.categories)
    ['x', 'y']
    """
    lines = ["" if line.lstrip().startswith("%") else line.strip() for line in text.split("\n")]
    start = next((place for place, line in enumerate(lines) if line.lower() == "@data"), None)
    if start is None:
        raise DataError(f"{name} has no @data line: it is not an ARFF file, or it is incomplete.")
    declared = [_attribute(line, name) for line in lines[:start] if line.lower().startswith("@attribute")]
    names = column_names([attribute for attribute, _ in declared], name, duplicates=duplicates)
    first = next((line for line in lines[start + 1 :] if line), None)
    if not declared or first is None:
        raise DataError(f"{name} has no {'rows' if declared else '@attribute lines'}: a table needs both.")
    if first.startswith("{"):
        raise DataError(
            f"{name} is a sparse ARFF file: save it in dense form, with a value for every attribute."
        )
    data = "\n".join([""] * start + ["", *lines[start + 1 :]])  # the lines keep their numbers for messages
    quote = "'" if data.count("'") >= data.count('"') else '"'
    words = [place for place, (_, kind) in enumerate(declared) if kind.lower() not in _NUMBERS]
    frame = parse_rows(data, names, name, quote=quote, words=words)
    for place, (_, kind) in enumerate(declared):
        frame.isetitem(place, _as_declared(frame.iloc[:, place], kind, name).array)
    return frame


def _attribute(line: str, name: str) -> tuple[str, str]:
    """Return the name of a declared attribute and its type."""
    found = _ATTRIBUTE.fullmatch(line)
    if found is None:
        raise DataError(f"{name} has an @attribute line without a name and a type: {line}")
    return _unquoted(found[1]), found[2]


def _unquoted(word: str) -> str:
    word = word.strip()
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word


def _as_declared(column: pd.Series, kind: str, name: str) -> pd.Series:
    """Return the column as its declaration says: a number, categories, or text."""
    if kind.lower() in _NUMBERS:
        if types.infer_dtype(column, skipna=True) == "string":
            wrong = column[pd.to_numeric(column, errors="coerce").isna() & column.notna()].iloc[0]
            raise DataError(
                f"{name}: {column.name!r} is declared as a number, but one cell is {wrong!r}: correct it."
            )
        return column
    if not kind.startswith("{"):
        return column
    states = [_unquoted(found[0]) for found in _VALUE.finditer(kind[1:-1])]
    wrong = column[column.notna() & ~column.isin(states)]
    if len(wrong):
        raise DataError(
            f"{name}: {wrong.iloc[0]!r} is not a declared value of {column.name!r} ({listed(states)})."
        )
    return pd.Series(pd.Categorical(column, categories=states), name=column.name)
