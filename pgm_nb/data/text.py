"""Delimited text: detect its encoding and delimiter, and refuse lines of different lengths."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
from pandas.api import types

from pgm_nb.errors import DataError, needed
from pgm_nb.words import listed, plural

__all__ = [
    "MISSING_TOKENS",
    "column_names",
    "csv_text",
    "decode",
    "parse_delimited",
    "parse_rows",
    "read_header",
]

MISSING_TOKENS = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<NA>", "#N/A")

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd]")
_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_DECIMAL_COMMA = _NUMBER.replace(r"\.", "[,.]")
_SAMPLED_LINES = 100
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for a formula begins so


def decode(data: bytes, name: str) -> str:
    """Return the text of a file: UTF-8, UTF-16 or UTF-32 with a byte order mark, else Windows Latin-1.

    Examples
    --------
    >>> decode("größe".encode("utf-16"), "a.csv"), decode("größe".encode("cp1252"), "a.csv")
    ('größe', 'größe')
    """
    marked = [encoding for mark, encoding in _MARKS if data.startswith(mark)]
    for encoding in marked[:1] or ("utf-8", "cp1252", "latin-1"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        found = _CONTROL.search(text)
        if found is None:
            return text.replace("\r\n", "\n").replace("\r", "\n")
        break
    raise DataError(
        f"{name} is not text: it holds bytes that are not characters in any known encoding; save the table "
        "as CSV (UTF-8), or pass format= if it is a Parquet, ARFF or Excel file."
    )


def parse_delimited(
    text: str, name: str, columns: Sequence[int] | None = None, *, duplicates: str = "refuse"
) -> pd.DataFrame:
    r"""Return the table in a text whose first line names the columns; the delimiter is detected.

    Positions of columns, in ascending order, give a table of those alone. With `duplicates` kept, columns
    may have the same name.

    Examples
    --------
    >>> parse_delimited("age;dose\n40;1,5\n?;2\n", "a.csv")
        age  dose
    0  40.0   1.5
    1   NaN   2.0
    """
    text = text.lstrip("\n")
    if not text.strip():
        raise DataError(f"{name} is empty: a table needs a line of column names and at least one row.")
    delimiter, names = read_header(text, name, duplicates=duplicates)
    return parse_rows(text, names, name, delimiter=delimiter, header=True, columns=columns)


def read_header(text: str, name: str, *, duplicates: str = "refuse") -> tuple[str, list[str]]:
    r"""Return the delimiter of a text and the column names in its first line.

    Examples
    --------
    >>> read_header("age;dose\n40;1,5\n", "a.csv")
    (';', ['age', 'dose'])
    """
    delimiter = _find_delimiter(text)
    header = next(csv.reader(io.StringIO(text), delimiter=delimiter))
    return delimiter, column_names(header, name, duplicates=duplicates)


def parse_rows(
    text: str,
    names: list[str],
    name: str,
    *,
    delimiter: str = ",",
    quote: str = '"',
    header: bool = False,
    words: Sequence[int] = (),
    columns: Sequence[int] | None = None,
) -> pd.DataFrame:
    r"""Return the rows of a text as a table with the given column names.

    Parameters
    ----------
    text
        One line per row.
    names
        The names of the columns.
    name
        The file's name, for messages.
    delimiter, quote
        The character between cells, and the one around a cell that holds a delimiter.
    header
        Whether the first line holds the names.
    words
        Positions of columns that stay text even if every cell looks like a number.
    columns
        Positions of the columns to return, in ascending order; None returns all.

    Examples
    --------
    >>> parse_rows("1,'a, b'\n2,c\n", ["x", "y"], "a.arff", quote="'")
       x     y
    0  1  a, b
    1  2     c
    """
    with needed("pyarrow", "reading tables from files", "tables in memory work without it"):
        import pyarrow as pa
        from pyarrow import csv as arrow

    blanks = re.compile(rf"(?<={re.escape(delimiter)})[ ]+(?={quote}[^{quote}{re.escape(delimiter)}\n])")
    text = blanks.sub("", text)  # between a delimiter and an opening quote
    _check_closed(text, name, delimiter, quote)
    data = text.encode()
    # One block, so that the type of a column depends on all its cells.
    reading = arrow.ReadOptions(
        column_names=[str(i) for i in range(len(names))],
        skip_rows_after_names=int(header),
        block_size=min(len(data) + 1, 2**31 - 1),
    )
    parsing = arrow.ParseOptions(
        delimiter=delimiter,
        quote_char=quote,
        escape_char="\\" if quote == "'" else False,
        newlines_in_values=True,
    )
    chosen = range(len(names)) if columns is None else columns
    converting = arrow.ConvertOptions(
        include_columns=[str(place) for place in chosen],
        column_types={str(place): pa.string() for place in words},
        null_values=list(MISSING_TOKENS),
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    try:
        table = arrow.read_csv(pa.BufferReader(data), reading, parsing, converting)
    except pa.ArrowInvalid as problem:
        raise DataError(_ragged(text, len(names), name, delimiter, quote) or f"{name}: {problem}") from None
    if table.num_rows == 0:
        raise DataError(f"{name} has column names but no rows: a table needs at least one row.")
    frame: pd.DataFrame = table.to_pandas().set_axis([names[place] for place in chosen], axis=1)
    for position, place in enumerate(chosen):
        column = frame.iloc[:, position]
        if types.infer_dtype(column, skipna=True) == "string":
            column = _stripped(column)
            if place not in words:
                column = _as_numbers(column, comma=delimiter == ";")
            frame.isetitem(position, column.array)
    return frame


def csv_text(frame: pd.DataFrame) -> str:
    r"""Return a table as CSV whose texts no spreadsheet takes for formulas.

    A name or text that begins with =, +, -, @, a tab or a carriage return gets an apostrophe before it,
    unless it is a number.

    Examples
    --------
    >>> csv_text(pd.DataFrame({"a": ["=1+1", "-5", "x"], "b": [-1, 2, 3]}))
    "a,b\n'=1+1,-1\n-5,2\nx,3\n"
    """
    safe = frame.copy()
    for place in range(safe.shape[1]):
        column = safe.iloc[:, place]
        if not types.is_numeric_dtype(column) and not types.is_datetime64_any_dtype(column):
            safe.isetitem(place, column.map(_harmless, na_action="ignore").to_numpy(dtype=object))
    return str(safe.set_axis([_harmless(name) for name in safe.columns], axis=1).to_csv(index=False))


def _harmless(cell: Any) -> Any:
    if isinstance(cell, str) and cell[:1] in _FORMULA and re.fullmatch(_NUMBER, cell) is None:
        return f"'{cell}"
    return cell


def column_names(header: Sequence[object], name: str, *, duplicates: str = "refuse") -> list[str]:
    """Return the cells of a header as column names: stripped, numbered if empty, all different or kept.

    Examples
    --------
    >>> column_names([" age", "", "class"], "a.csv")
    ['age', 'column 2', 'class']
    """
    names = [str(cell).strip() or f"column {place}" for place, cell in enumerate(header, start=1)]
    if duplicates not in ("refuse", "keep"):
        raise DataError(f"duplicates must be 'refuse' or 'keep', but it is {duplicates!r}.")
    twice = sorted(column for column, count in Counter(names).items() if count > 1)
    if twice and duplicates == "refuse":
        raise DataError(
            f"{name} has more than one column named {listed([repr(column) for column in twice])}: every "
            "column needs its own name; rename them in the first line, or let pgm-nb repair number them."
        )
    return names


def _find_delimiter(text: str) -> str:
    """Return the delimiter that divides the first lines most evenly, and of equals into most cells."""
    lines = text.split("\n", _SAMPLED_LINES)[:_SAMPLED_LINES]
    best, chosen = (0.0, 1), ","
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:  # a field longer than the csv module reads: this delimiter does not divide the line
            continue
        even = sum(width == widths[0] for width in widths) / len(widths)
        if widths[0] > 1 and (even, widths[0]) > best:
            best, chosen = (even, widths[0]), delimiter
    return chosen


def _dialect(delimiter: str, quote: str) -> dict[str, Any]:
    return {"delimiter": delimiter, "quotechar": quote, "escapechar": "\\" if quote == "'" else None}


def _check_closed(text: str, name: str, delimiter: str, quote: str) -> None:
    """Refuse a quoted cell that never ends: it would swallow the rest of the file."""
    if text.count(quote) % 2 == 0:
        return
    start = 1
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, **_dialect(delimiter, quote))
    try:
        for _ in reader:
            start = reader.line_num + 1
    except csv.Error:
        raise DataError(
            f"{name} opens a quotation mark in line {start} and does not close it: close it, or remove it."
        ) from None


def _ragged(text: str, expected: int, name: str, delimiter: str, quote: str) -> str | None:
    """Say which line has too many or too few cells; None if all have the same number."""
    reader = csv.reader(io.StringIO(text, newline=""), **_dialect(delimiter, quote))
    for row in reader:
        if row and len(row) != expected:
            return (
                f"{name} has {plural(len(row), 'field')} in line {reader.line_num}, but {expected:,} are "
                "needed, one per column name: put a cell that holds the delimiter in quotes, and keep the "
                "delimiter after an empty cell."
            )
    return None


def _stripped(column: pd.Series) -> pd.Series:
    """Return a text column without outer blanks; a padded missing token becomes a missing cell."""
    words = column.str.strip()
    padded = words.notna() & (words != column)
    return words.mask(padded & words.isin(MISSING_TOKENS)) if padded.any() else column


def _as_numbers(words: pd.Series, *, comma: bool) -> pd.Series:
    """Return a text column as numbers if every cell is one; with `comma` also with decimal commas."""
    cells = words.dropna()
    pattern = _DECIMAL_COMMA if comma else _NUMBER
    if len(cells) and cells.str.fullmatch(pattern).all():
        return pd.to_numeric(words.str.replace(",", "."))
    return words
