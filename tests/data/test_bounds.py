"""Files that would become too large, or are damaged: a sentence, before memory and time are spent."""

import gzip
import io
import tracemalloc
import zipfile
import zlib
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from pgm_nb.data import read_table
from pgm_nb.data.excerpt import read_guarded, read_portion
from pgm_nb.data.read import check_lines, check_workbook, unpacked
from pgm_nb.errors import DataError, PgmNbError

FRAME = pd.DataFrame(
    {
        "age": [40, 50, None, 61] * 8,
        "when": pd.to_datetime(["2020-01-01", "2021-05-05", "2022-02-02", "2023-03-03"] * 8),
        "s": ["a", "b", "ü", "d,e"] * 8,
        "class": ["x", "y", "x", "y"] * 8,
    }
)


def workbook(sheet=None):
    """A workbook; with other XML for its sheet, if that is given."""
    whole = io.BytesIO()
    FRAME.to_excel(whole, index=False)
    if sheet is None:
        return whole.getvalue()
    crafted = io.BytesIO()
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(crafted, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, sheet if part == "xl/worksheets/sheet1.xml" else old.read(part))
    return crafted.getvalue()


def sheet_of(cells):
    head = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    rows = "".join(
        f'<row r="{row}">' + (f'<c r="{column}{row}"><v>1</v></c>' if column else "") + "</row>"
        for column, row in cells
    )
    return f"{head}{rows}</sheetData></worksheet>"


def named(name, content):
    file = io.BytesIO(content)
    file.name = name
    return file


READERS = [lambda name, content: read_table(named(name, content)), read_portion, read_guarded]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "cells", [[("A", 1), ("XFD", 1_048_576)], [("A", 1), ("A", 2), ("", 500_000_000)], [("ZZZZZZ", 3)]]
)
def test_a_cell_far_away_is_refused_before_memory_is_taken(read, cells):
    content = workbook(sheet_of(cells))
    if cells[-1][0] == "":
        content = workbook(sheet_of([("A", 1), ("AAA", 2), ("", 500_000_000)]))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"a\.xlsx has a sheet of .* delete what stands far"):
            read("a.xlsx", content)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_an_ordinary_workbook_is_read(tmp_path):
    check_workbook("a.xlsx", workbook())
    assert read_guarded("a.xlsx", workbook()).frame.shape == FRAME.shape


def test_a_sparse_but_honest_sheet_is_read():
    rows = "".join(
        f'<row r="{i}"><c r="A{i}"><v>{i}</v></c><c r="CV{i}"><v>2</v></c></row>' for i in range(1, 60)
    )
    head = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    assert read_table(named("a.xlsx", workbook(f"{head}{rows}</sheetData></worksheet>"))).shape == (58, 100)


def test_what_a_compressed_file_may_become():
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000)
    with pytest.raises(DataError, match="unpacks to more than 1 MB"):
        unpacked("a.csv.gz", bomb, 1_000_000)
    assert len(unpacked("a.csv.gz", bomb, 5_000_000)) == 4_000_004


@pytest.mark.parametrize("separator", [b",", b";", b"\t", b"|"])
def test_a_text_of_more_cells_than_a_table_may_have_is_not_parsed(monkeypatch, separator):
    """Many short lines take more memory as a table than as a file."""
    text = separator.join([b"a", b"b", b"c"]) + b"\n" + (separator.join([b"1", b"2", b"3"]) + b"\n") * 7
    check_lines("a.csv", text, 21)
    with pytest.raises(DataError, match=r"a.csv has 7 rows and 3 columns, which is too much"):
        check_lines("a.csv", text, 20)
    monkeypatch.setattr("pgm_nb.data.read.check_lines", partial(check_lines, most=20))
    with pytest.raises(DataError, match="save a sample of at most 6 rows"):
        read_table(io.BytesIO(gzip.compress(text)))


def test_a_parquet_file_that_declares_more_than_it_weighs():
    table = pa.table({f"c{i}": pa.array(np.zeros(2_000_000, dtype=np.int8)) for i in range(110)})
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    assert len(sink.getvalue()) < 1_000_000
    with pytest.raises(DataError, match=r"2,000,000 rows and 110 columns, which is too much: save a sample"):
        read_portion("a.parquet", sink.getvalue())


def test_a_reader_that_takes_too_much_harms_no_one():
    large = gzip.compress(b"a,b\n" + b"1,2\n" * 50_000_000, 1)
    with pytest.raises(DataError, match="needs more memory than one file may take"):
        read_guarded("a.csv.gz", large, most_bytes=550_000_000)
    with pytest.raises(DataError, match="takes longer than"):
        read_guarded("a.xlsx", workbook(), seconds=0.01)


def parquet_of(table):
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def damaged(content, rng, kind):
    changed = bytearray(content)
    place, end = sorted(rng.integers(0, len(changed), 2))
    if kind == 0:
        for at in rng.integers(0, len(changed), 3):
            changed[at] ^= 1 << rng.integers(8)
    elif kind == 1:
        changed = changed[:place]
    elif kind == 2:
        changed = changed[:place] + changed[end:]
    else:
        changed[place:place] = rng.integers(0, 256, 12, dtype=np.uint8).tobytes()
    return bytes(changed)


ARFF = b"@relation r\n@attribute 'a b' {x, y}\n@attribute n real\n@data\n" + b"x,1.5\n?,?\ny,3\n" * 10
FILES = {
    "a.xlsx": workbook(),
    "a.parquet": parquet_of(pa.Table.from_pandas(FRAME)),
    "a.csv": FRAME.to_csv(index=False).encode(),
    "a.csv.gz": gzip.compress(FRAME.to_csv(index=False).encode(), mtime=0),
    "a.arff": ARFF,
}


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_read_or_refused_with_a_sentence(name):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    refused = 0
    for turn in range(60):
        content = damaged(FILES[name], rng, turn % 4)
        for read in READERS[:2]:
            try:
                assert read(name, content).shape if read is READERS[0] else read(name, content).frame.shape
            except PgmNbError as problem:
                refused += name in str(problem)
    assert refused > 10


def test_dates_beyond_the_calendar_and_unknown_time_zones():
    far = parquet_of(pa.table({"t": pa.array([2**62], pa.timestamp("ms")), "class": ["a"]}))
    zone = parquet_of(pa.table({"t": pa.array([0], pa.timestamp("ms", "Mars/Olympus")), "class": ["a"]}))
    assert read_table(named("a.parquet", far)).shape == (1, 2)
    with pytest.raises(DataError, match=r"a\.parquet: column 't' of type timestamp.*Mars.* cannot be read"):
        read_table(named("a.parquet", zone))


@pytest.mark.parametrize("cell", ["1" + "0" * 400, "9" * 5000, "-0", "1e999"])
def test_numbers_beyond_any_type(cell):
    assert read_table(named("a.csv", f"a,class\n{cell},x\n1,y\n".encode())).shape == (2, 2)


def test_half_a_surrogate_pair_is_read_as_the_bytes_it_is():
    content = b"a,class\n" + "\ud800".encode("utf-8", "surrogatepass") + b",x\n"
    frame = read_table(named("a.csv", content))
    assert frame.to_csv(index=False).encode()
