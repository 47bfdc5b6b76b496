"""Read a table from a file: delimited text, Parquet, ARFF or Excel, also compressed with gzip."""

import io
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pandas as pd

from pgm_nb.data.arff import parse_arff
from pgm_nb.data.bounds import check_cells, check_lines, check_workbook, unpacked
from pgm_nb.data.text import MISSING_TOKENS, column_names, decode, parse_delimited
from pgm_nb.errors import DataError, needed
from pgm_nb.words import listed

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FORMATS", "arrow_frame", "named_columns", "read_table"]

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
            io.BytesIO(data),
            header=None,
            engine="openpyxl",
            na_values=MISSING_TOKENS,
            keep_default_na=False,
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
