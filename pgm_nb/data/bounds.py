"""How much a file may become, decided from what it declares, before anything large is allocated."""

import io
import re
import zipfile
import zlib
from typing import TYPE_CHECKING

from pgm_nb.errors import DataError
from pgm_nb.words import plural

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData

__all__ = ["MOST_BYTES", "MOST_CELLS", "check_cells", "check_lines", "check_workbook", "unpacked"]

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
