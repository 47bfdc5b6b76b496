"""Read a table from a file or a sample: text, Parquet, ARFF or Excel, also compressed with gzip."""

import io
import re
import zipfile
import zlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pandas as pd
from pandas.api import types

from pgm_nb.data.target import split_target
from pgm_nb.data.text import MISSING_TOKENS, column_names, decode, parse_delimited, parse_rows
from pgm_nb.errors import DataError, needed
from pgm_nb.words import SAMPLE_TITLES, did_you_mean, listed, plural

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import FileMetaData

__all__ = [
    "FORMATS",
    "SAMPLES",
    "arrow_frame",
    "check_cells",
    "check_workbook",
    "load_sample",
    "named_columns",
    "read_table",
    "unpacked",
]

MOST_BYTES = 4_000_000_000  # that a compressed file may hold
MOST_CELLS = 500_000_000
MOST_SHEET = 1_000_000_000  # bytes of a workbook's unpacked parts
MOST_PARTS = 10_000  # of a workbook
EMPTY = 1_000_000  # cells that a sheet may leave empty, whatever it holds
MOSTLY_EMPTY = 100  # times more empty cells than others are a mistake
SEPARATORS = (b",", b";", b"\t", b"|")
CHUNK = 1 << 20
_CELL = re.compile(rb'<(?:\w+:)?(c|row)\b[^>]*?\br="([A-Za-z]{0,8})(\d{1,20})"')
_OPENED = re.compile(rb"<(?:\w+:)?c[\s/>]")


def unpacked(name: str, content: bytes, most: int = MOST_BYTES) -> bytes:
    """Return the content of a gzip-compressed file, up to a limit; any other as it is.

    Examples
    --------
    >>> import gzip
    >>> unpacked("a.csv.gz", gzip.compress(b"a,b"))
    b'a,b'
    """
    if content[:2] != b"\x1f\x8b":
        return content
    parts, left = [], most
    try:
        while content and left > 0:
            member = zlib.decompressobj(wbits=31)  # a file may consist of several parts
            parts.append(member.decompress(content, left))
            left -= len(parts[-1])
            if left > 0 and not member.eof:
                raise DataError(f"{name} is compressed, but damaged or incomplete: copy or save it again.")
            content = member.unused_data.lstrip(b"\0")
    except zlib.error:
        raise DataError(f"{name} is compressed, but damaged or incomplete: copy or save it again.") from None
    if left <= 0:
        raise DataError(
            f"{name} unpacks to more than {most // 1_000_000:,} MB, which is too much: save fewer rows or "
            "columns."
        )
    return b"".join(parts)


def check_cells(name: str, metadata: "FileMetaData", most: int = MOST_CELLS) -> None:
    """Refuse a Parquet file whose table would have too many cells."""
    _check_size(name, metadata.num_rows, metadata.num_columns, most)


def check_lines(name: str, content: bytes, most: int = MOST_CELLS) -> None:
    """Refuse a text whose table would have too many cells: each line counts as many as the first has."""
    head = content[: content.find(b"\n") + 1]
    _check_size(name, content.count(b"\n") - 1, 1 + max(map(head.count, SEPARATORS)), most)


def _check_size(name: str, n_rows: int, n_columns: int, most: int) -> None:
    if n_rows * n_columns > most:
        raise DataError(
            f"{name} has {n_rows:,} rows and {n_columns:,} columns, which is too much: save a sample of at "
            f"most {most // max(n_columns, 1):,} rows."
        )


def check_workbook(name: str, content: bytes, most: int = MOST_SHEET) -> None:
    """Refuse a workbook that is too large unpacked, or whose sheet reaches far beyond its cells."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            size = sum(part.file_size for part in parts)
            if size > most or len(parts) > MOST_PARTS:
                raise DataError(
                    f"{name} is too large for a workbook ({size // 1_000_000} MB unpacked), which is slow to "
                    "read: save the sheet as CSV and open that instead."
                )
            for part in parts:
                if part.filename.startswith("xl/worksheets/") and part.filename.endswith(".xml"):
                    _check_extent(name, archive, part)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{name} is not an Excel workbook (.xlsx), or it is damaged: save it again."
        ) from None


def _check_extent(name: str, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Compare how far a sheet reaches with how many cells it has."""
    rows = columns = cells = 0
    with archive.open(part) as file:
        rest = b""
        while chunk := file.read(CHUNK):
            text = rest + chunk
            whole = text.rfind(b"<")  # a tag may continue in the next piece
            text, rest = (text[:whole], text[whole:]) if whole > 0 else (text, b"")
            for found in _CELL.finditer(text):
                rows = max(rows, int(found[3]))
                columns = max(columns, _column(found[2]))
            cells += len(_OPENED.findall(text))
            rest = rest[-CHUNK:]
    if rows * columns > EMPTY + MOSTLY_EMPTY * cells:
        raise DataError(
            f"{name} has a sheet of {rows:,} rows and {columns:,} columns, but only {plural(cells, 'cell')} "
            "in it: delete what stands far from the table, or save the table as CSV."
        )


def _column(letters: bytes) -> int:
    """Return the number of a column from its letters."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


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


FORMATS = {
    "csv": (".csv", ".tsv", ".tab", ".txt", ".data", ".dat"),
    "parquet": (".parquet", ".pq"),
    "arff": (".arff",),
    "excel": (".xlsx", ".xlsm"),
}


def read_table(
    source: str | Path | IO[Any],
    *,
    format: str | None = None,
    columns: Sequence[int] | None = None,
    duplicates: str = "refuse",
) -> pd.DataFrame:
    r"""Read a table from a file.

    Parameters
    ----------
    source
        A path, or an open file (such as an upload) whose ``name`` gives the format.
    format
        ``"csv"`` (any delimiter), ``"parquet"``, ``"arff"`` or ``"excel"`` (the first sheet); by default
        the file's ending decides. A gzip-compressed file is unpacked.
    columns
        Positions of the columns to read, in ascending order; None reads all.
    duplicates : {"refuse", "keep"}
        Whether columns may have the same name; the recipe of `pgm_nb.propose` numbers them.

    Returns
    -------
    pandas.DataFrame
        Empty cells, ``?`` and the usual tokens such as ``NA`` are missing. Nominal attributes of an ARFF file
        become categories.

    Raises
    ------
    DataError
        The file does not exist, is empty, of an unknown format or not what its ending says, or its table has
        lines of different lengths, no rows, or two columns with the same name; or it would become too large
        (4 GB unpacked, 500 million cells), which is decided before it is read.

    Examples
    --------
    >>> import io
    >>> read_table(io.BytesIO(b"age,class\n40,yes\n?,no\n"))
        age class
    0  40.0   yes
    1   NaN    no
    """
    data, name = file_bytes(source)
    data = unpacked(name, data)
    kind = format or _format_of(name)
    if kind not in FORMATS:
        raise DataError(f"format must be one of {listed([*FORMATS])}, but it is {kind!r}.")
    if not data:
        raise DataError(f"{name} is empty: a table needs a line of column names and at least one row.")
    if kind == "csv":
        check_lines(name, data)
        return parse_delimited(decode(data, name), name, columns, duplicates=duplicates)
    if kind == "parquet":
        frame = _parse_parquet(data, name, duplicates)
    elif kind == "excel":
        frame = _parse_excel(data, name, duplicates)
    else:
        frame = parse_arff(decode(data, name), name, duplicates=duplicates)
    return frame if columns is None else frame.iloc[:, list(columns)]


def file_bytes(source: str | Path | IO[Any]) -> tuple[bytes, str]:
    """Return the content of a file and its name without the folder."""
    if not isinstance(source, str | Path):
        data = source.read()
        name = Path(str(getattr(source, "name", "the file"))).name
        return (data.encode() if isinstance(data, str) else data), name
    path = Path(source).expanduser()
    try:
        return path.read_bytes(), path.name
    except FileNotFoundError:
        raise DataError(f"there is no file {str(source)!r}: check its name and folder.") from None
    except OSError as problem:
        raise DataError(f"{str(source)!r} cannot be opened: {problem.strerror}.") from None


def _format_of(name: str) -> str:
    """Return the format that the ending of the name gives; without an ending it is text."""
    ending = Path(name.lower().removesuffix(".gz")).suffix
    for kind, endings in FORMATS.items():
        if ending in endings or (not ending and kind == "csv"):
            return kind
    known = listed([known for endings in FORMATS.values() for known in endings])
    raise DataError(f"{name} is of an unknown format: its name must end in one of {known}, or pass format=.")


def named_columns(names: Sequence[str]) -> list[str]:
    """Leave out what pandas calls the row numbers that it writes along with a table.

    Examples
    --------
    >>> named_columns(["age", "__index_level_0__"])
    ['age']
    """
    return [name for name in names if not (name.startswith("__index_level_") and name.endswith("__"))]


def _parse_parquet(data: bytes, name: str, duplicates: str) -> pd.DataFrame:
    with needed("pyarrow", "reading tables from files", "tables in memory work without it"):
        import pyarrow as pa
        from pyarrow import parquet

    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        check_cells(name, file.metadata)
        table = file.read()
    except (pa.ArrowException, OSError):
        raise DataError(f"{name} is not a Parquet file, or it is damaged: save it again.") from None
    named = named_columns(table.column_names)
    if len(named) < table.num_columns:
        table = table.select([i for i, column in enumerate(table.column_names) if column in named])
    return arrow_frame(table, named, name, duplicates=duplicates)


def arrow_frame(
    table: "pa.Table", columns: Sequence[str], name: str, *, duplicates: str = "refuse"
) -> pd.DataFrame:
    """Return an Arrow table as a frame whose columns have checked names."""
    import pyarrow as pa

    names = column_names(columns, name, duplicates=duplicates)
    numbered = table.rename_columns([str(place) for place in range(len(names))])
    problems = (pa.ArrowException, ValueError, KeyError, OverflowError)
    frame: pd.DataFrame
    try:
        frame = numbered.to_pandas()
    except problems:
        for place, column in enumerate(names):
            try:
                numbered.select([place]).to_pandas()
            except problems:
                kind = numbered.schema.field(place).type
                raise DataError(
                    f"{name}: column {column!r} of type {kind} cannot be read: save it as text or numbers."
                ) from None
        raise DataError(f"{name} cannot be read: save it as CSV.") from None
    return frame.set_axis(names, axis=1)


def _parse_excel(data: bytes, name: str, duplicates: str) -> pd.DataFrame:
    with needed("openpyxl", "Excel files", "or save the table as CSV"):
        import_module("openpyxl")  # with which pandas reads workbooks
    check_workbook(name, data)
    try:
        cells = pd.read_excel(
            io.BytesIO(data), header=None, engine="openpyxl", na_values=MISSING_TOKENS, keep_default_na=False
        )
    except MemoryError:
        raise
    except Exception as problem:  # noqa: BLE001 (openpyxl meets damage with errors of any kind)
        raise DataError(
            f"{name} is not an Excel workbook (.xlsx), or it is damaged ({type(problem).__name__}): save it "
            "again."
        ) from None
    if len(cells) < 2:
        raise DataError(
            f"{name} has no rows in its first sheet: below the column names there must be at least one."
        )
    header = ["" if pd.isna(cell) else cell for cell in cells.iloc[0]]
    names = column_names(header, name, duplicates=duplicates)
    return cells.iloc[1:].reset_index(drop=True).set_axis(names, axis=1).infer_objects()


SAMPLES = tuple(SAMPLE_TITLES)

_PLACES = (Path(__file__).parents[1] / "sample_data", Path(__file__).parents[2] / "sample_data")
_COUNTED = {"zoo": ("legs",)}  # whole numbers that UCI documents as categories: ordered, not measured


def load_sample(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the attributes and the class of a sample table.

    Parameters
    ----------
    name
        One of `SAMPLES`; ``sample_data/SOURCES.md`` says where each comes from.

    Examples
    --------
    >>> X, y = load_sample("wdbc")
    >>> X.shape, X.columns[0], sorted(set(y))
    ((569, 30), 'mean radius', ['benign', 'malignant'])
    """
    if name not in SAMPLES:
        raise DataError(
            f"there is no sample {name!r}{did_you_mean(str(name), SAMPLES)} (samples: {listed(SAMPLES)})."
        )
    frame = read_table(_path(name))
    for column in _COUNTED.get(name, ()):
        frame[column] = frame[column].astype(
            pd.CategoricalDtype(sorted(frame[column].unique()), ordered=True)
        )
    return split_target(frame, "class")


def _path(name: str) -> Path:
    for folder in _PLACES:  # inside the package when installed, beside it in a checkout
        for ending in (".csv", ".csv.gz"):
            if (folder / f"{name}{ending}").is_file():
                return folder / f"{name}{ending}"
    raise DataError(f"the file of sample {name!r} is missing ({_PLACES[0]}): install pgm_nb again.")
