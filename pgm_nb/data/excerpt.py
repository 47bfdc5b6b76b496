"""As much of a large file as can be shown: some of its columns, and a sample of its rows."""

import io
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.data import read_table
from pgm_nb.data.read import FORMATS, arrow_frame, check_cells, check_workbook, named_columns, unpacked
from pgm_nb.data.target import USUAL_NAMES
from pgm_nb.data.text import decode, read_header
from pgm_nb.errors import DataError
from pgm_nb.workers import BYTES, SECONDS, OutOfTime, WorkerFailed, Workers

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MOST_COLUMNS", "READERS", "Portion", "read_guarded", "read_portion"]

MOST_ROWS = 1_000_000
MOST_COLUMNS = 1_000
MOST_CELLS = 5_000_000
MOST_TEXT = 30_000_000  # bytes of text that take about two seconds to read
MOST_UNPACKED = 600_000_000  # bytes that a compressed file may hold
MOST_SHEET = 25_000_000  # bytes of a workbook's unpacked sheets: half a million cells
MOST_SEARCHED = 200_000_000  # cells of a Parquet file from which a sample may be drawn
SEED = 0
HEAD = 250_000  # bytes in which the delimiter is searched


@dataclass(frozen=True, eq=False)
class Portion:
    """A table, and how much of its file it holds.

    Examples
    --------
    >>> portion = Portion(pd.DataFrame({"a": [1, 2]}), n_rows=10, n_columns=1)
    >>> str(portion)
    '2 of 10 rows are used, drawn at random.'
    """

    frame: pd.DataFrame
    n_rows: int  #: in the file
    n_columns: int
    by_class: str | None = None  #: the column whose values keep their shares in the sample

    def __str__(self) -> str:
        rows, columns = self.frame.shape
        drawn = f"each value of '{self.by_class}' keeps its share" if self.by_class else ""
        parts = []
        if rows < self.n_rows:
            how = f"drawn at random{', ' if drawn else ''}{drawn}"
            parts.append(f"{rows:,} of {self.n_rows:,} rows are used, {how}.")
        if columns < self.n_columns:
            parts.append(f"{columns:,} of {self.n_columns:,} columns are used.")
        return " ".join(parts)


def read_portion(
    name: str, content: bytes, part: str = "first", target: str | None = None, *, duplicates: str = "refuse"
) -> Portion:
    r"""Read a table, or as much of it as can be shown.

    Parameters
    ----------
    name
        Name of the file; its ending gives the format.
    content
        Content of the file.
    part
        Which columns to take from a table that has too many: the ``"first"``, the ``"last"``, or columns at
        equal distances (``"spread"``). The class is always among them.
    target
        The class column; by default one with a usual name for a class, else the last one.
    duplicates : {"refuse", "keep"}
        Whether columns may have the same name.

    Raises
    ------
    DataError
        The file is not a table, or it is too large to take even a part of it.

    Examples
    --------
    >>> read_portion("a.csv", b"age,class\n40,yes\n50,no\n").frame.shape
    (2, 2)
    """
    content = unpacked(name, content, MOST_UNPACKED)
    name = name[:-3] if name.lower().endswith(".gz") else name
    ending = Path(name.lower()).suffix
    if ending in FORMATS["parquet"]:
        return _parquet(name, content, part, target, duplicates)
    if ending in FORMATS["excel"]:
        check_workbook(name, content, MOST_SHEET)
        frame = _read(name, content, duplicates=duplicates)
        places = _places([str(column) for column in frame.columns], part, target)
        return Portion(frame if places is None else frame.iloc[:, places], *frame.shape)
    if ending not in ("", *FORMATS["csv"], *FORMATS["arff"]):
        return _whole(
            _read(name, content, duplicates=duplicates)
        )  # raises an error that lists the known formats
    content = _utf8(content)
    if ending in FORMATS["arff"]:
        return _arff(name, content, part, target, duplicates)
    return _csv(name, content, part, target, duplicates)


def _utf8(content: bytes) -> bytes:
    """Return UTF-16 and UTF-32 text with a byte order mark as UTF-8, where a line break is one byte."""
    for mark, encoding in ((b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"),
                           (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):  # fmt: skip
        if content.startswith(mark):
            return content.decode(encoding, errors="replace").encode()
    return content


def _csv(name: str, content: bytes, part: str, target: str | None, duplicates: str) -> Portion:
    first = content.find(b"\n") + 1 or len(content)
    head = content[: max(first, content.rfind(b"\n", 0, HEAD) + 1)]
    text = decode(head, name).lstrip("\n")
    if not text.strip():
        return _whole(_read(name, content, duplicates=duplicates))  # raises an error that says what is wrong
    delimiter, names = read_header(text, name, duplicates=duplicates)
    places = _places(names, part, target)
    rows = _Lines.of(content, 0)
    n_rows = len(rows) - 1
    size = _size(n_rows, len(names), len(content))
    if size >= n_rows:
        frame = _read(name, content, places, duplicates=duplicates)
        return Portion(frame, len(frame), len(names))
    target = _likely(names, target)
    classes = None if target is None else _csv_column(content, names.index(target), len(names), delimiter)
    if classes is None or len(classes) != n_rows:
        target, classes = None, np.zeros(n_rows, dtype=np.intp)
    kept = np.append(True, _drawn(classes, size))
    return Portion(
        _read(name, rows.only(content, kept), places, duplicates=duplicates), n_rows, len(names), target
    )


def _arff(name: str, content: bytes, part: str, target: str | None, duplicates: str) -> Portion:
    start = content.lower().find(b"@data")
    rows = _Lines.of(content, max(start, 0))
    n_columns = content[:start].lower().count(b"@attribute") if start >= 0 else 1
    n_rows = max(len(rows) - 1, 0)
    size = _size(n_rows, n_columns, len(content))
    if size < n_rows:
        content = rows.only(content, np.append(True, _drawn(np.zeros(n_rows, dtype=np.intp), size)))
    frame = _read(name, content, duplicates=duplicates)
    places = _places([str(column) for column in frame.columns], part, target)
    return Portion(
        frame if places is None else frame.iloc[:, places],
        n_rows if size < n_rows else len(frame),
        frame.shape[1],
    )


def _parquet(name: str, content: bytes, part: str, target: str | None, duplicates: str) -> Portion:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(io.BytesIO(content))
        names = named_columns(file.schema_arrow.names)
        n_rows, places = file.metadata.num_rows, _places(names, part, target)
        used = names if places is None else [names[place] for place in places]
        size = min(n_rows, MOST_ROWS, MOST_CELLS // max(len(used), 1))
        check_cells(name, file.metadata, MOST_SEARCHED)
        if size == n_rows and places is None:
            return _whole(_read(name, content, duplicates=duplicates))
        target = _likely(used, target)
        codes = np.zeros(n_rows, dtype=np.intp)
        if target is not None and size < n_rows:
            codes = pd.factorize(file.read([target]).column(0).to_pandas())[0]
        table = _rows_of(file, used, _drawn(codes, size))
    except (pa.ArrowException, OSError):
        raise DataError(f"{name} is not a Parquet file, or it is damaged: save it again.") from None
    by_class = target if size < n_rows else None
    return Portion(arrow_frame(table, used, name, duplicates=duplicates), n_rows, len(names), by_class)


def _rows_of(file: Any, names: list[str], kept: NDArray[np.bool_]) -> "pa.Table":
    """Read some rows of a Parquet file, a batch at a time."""
    import pyarrow as pa

    parts, start = [], 0
    for batch in file.iter_batches(columns=names):
        parts.append(batch.filter(pa.array(kept[start : start + len(batch)])))
        start += len(batch)
    return pa.Table.from_batches(parts)


def _size(n_rows: int, n_columns: int, n_bytes: int) -> int:
    """Return how many rows of a text can be shown."""
    used = min(n_columns, MOST_COLUMNS)
    of_text = int(n_rows * min(1.0, MOST_TEXT / max(n_bytes, 1)))
    return min(MOST_ROWS, MOST_CELLS // max(used, 1), max(of_text, 1))


def _places(names: list[str], part: str, target: str | None) -> list[int] | None:
    """Return the positions of the columns to use (None: all), always with the likely class."""
    n = len(names)
    if n <= MOST_COLUMNS:
        return None
    start = {"first": 0, "last": n - MOST_COLUMNS, "spread": 0}[part]
    step = n / MOST_COLUMNS if part == "spread" else 1.0
    places = [start + int(i * step) for i in range(MOST_COLUMNS)]
    target = _likely(names, target)
    at = n - 1 if target is None else names.index(target)
    return places if at in places else sorted([*places[:-1], at])


def _likely(names: list[str], target: str | None) -> str | None:
    """Return the class that was named, else a column with a usual name for a class."""
    if target in names:
        return target
    by_name = {name.strip().lower(): name for name in reversed(names)}
    return next((by_name[usual] for usual in USUAL_NAMES if usual in by_name), None)


def _csv_column(content: bytes, place: int, n_columns: int, delimiter: str) -> NDArray[np.intp] | None:
    """Return the codes of one column of a large text; None if it cannot be read on its own."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    try:
        table = arrow.read_csv(
            pa.BufferReader(content),
            arrow.ReadOptions(column_names=[str(i) for i in range(n_columns)], skip_rows=1),
            arrow.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in content),
            arrow.ConvertOptions(include_columns=[str(place)], column_types={str(place): pa.string()}),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    codes: NDArray[np.intp] = pd.factorize(table.column(0).to_pandas())[0]
    return codes


def _read(
    name: str, content: bytes, columns: list[int] | None = None, *, duplicates: str = "refuse"
) -> pd.DataFrame:
    file = io.BytesIO(content)
    file.name = name
    return read_table(file, columns=columns, duplicates=duplicates)


def _whole(frame: pd.DataFrame) -> Portion:
    return Portion(frame, *frame.shape)


def _drawn(classes: NDArray[np.integer], size: int) -> NDArray[np.bool_]:
    """Return which rows are drawn: at random, a share of every class, at least one row of each."""
    n = len(classes)
    counts = np.bincount(classes - classes.min()) if n else np.zeros(1, dtype=np.intp)
    order = np.lexsort((np.random.default_rng(SEED).random(n), classes))
    rank = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    allowed = np.array([max(1, ceil(count * size / max(n, 1))) for count in counts])
    kept = np.zeros(n, dtype=bool)
    kept[order] = rank < np.repeat(allowed, counts)
    return kept


@dataclass(frozen=True, eq=False)
class _Lines:
    """Where the lines of a text end, from a start on; line breaks inside quotes do not count."""

    start: int
    ends: NDArray[np.intp]

    @classmethod
    def of(cls, content: bytes, start: int) -> "_Lines":
        """Find the lines that are not empty."""
        letters = np.frombuffer(content, dtype=np.uint8)[start:]
        ends = np.flatnonzero(letters == ord("\n")) + 1
        quotes = np.flatnonzero(letters == ord('"'))
        if len(quotes):
            ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        if len(letters) and (len(ends) == 0 or ends[-1] < len(letters)):
            ends = np.append(ends, len(letters))
        empty = np.diff(ends, prepend=0) <= 1 + (letters[np.maximum(ends - 2, 0)] == ord("\r"))
        return cls(start, ends[~empty])

    def __len__(self) -> int:
        return len(self.ends)

    def only(self, content: bytes, kept: NDArray[np.bool_]) -> bytes:
        """Return the text before the start, followed by the lines that are kept."""
        letters = np.frombuffer(content, dtype=np.uint8)
        chosen = np.repeat(kept, np.diff(self.ends, prepend=0))
        last = self.start + len(chosen)
        return content[: self.start] + letters[self.start : last][chosen].tobytes()


PLAIN = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat", ".arff", "")  # text is never more than it looks
READERS = Workers(reuse=False)  # no file meets what another one left behind


def read_guarded(
    name: str,
    content: bytes,
    part: str = "first",
    target: str | None = None,
    *,
    duplicates: str = "refuse",
    seconds: float = SECONDS,
    most_bytes: int = BYTES,
) -> Portion:
    r"""Read a table as `read_portion` does; a file that may hold more than it looks, in another process.

    Parameters
    ----------
    name, content, part, target, duplicates
        As in `read_portion`.
    seconds : float
        How long reading may take.
    most_bytes : int
        How much memory the other process may take.

    Examples
    --------
    >>> read_guarded("a.csv", b"age,class\n40,yes\n50,no\n").frame.shape
    (2, 2)
    """
    if Path(name.lower()).suffix in PLAIN and content[:2] != b"\x1f\x8b":
        return read_portion(name, content, part, target, duplicates=duplicates)
    limited = READERS.limited(seconds, most_bytes)
    try:
        return limited.run(read_portion, name, content, part, target, duplicates=duplicates)
    except OutOfTime:
        raise DataError(
            f"{name} takes longer than {seconds:g} seconds to read: save fewer rows or columns, or save it "
            "as CSV."
        ) from None
    except WorkerFailed:
        raise DataError(
            f"{name} needs more memory than one file may take ({most_bytes // 1_000_000:,} MB), or is "
            "damaged: save fewer rows or columns, or save it as CSV."
        ) from None
