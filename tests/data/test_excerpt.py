"""Large files: as much of them as can be looked at, decided before all is read."""

import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from pgm_nb.data import excerpt as limits
from pgm_nb.data.excerpt import read_portion
from pgm_nb.errors import DataError


def csv(frame, **options):
    return frame.to_csv(index=False, **options).encode()


def table(n_rows, n_columns=3):
    frame = pd.DataFrame({f"x{i}": np.arange(n_rows) for i in range(n_columns - 1)})
    return frame.assign(**{"class": ["rare"] * (n_rows // 10) + ["common"] * (n_rows - n_rows // 10)})


def written(frame, kind):
    if kind == "arff":
        header = "".join(f"@attribute {name} real\n" for name in frame if name != "class")
        start = f"@relation r\n{header}@attribute class {{rare,common}}\n@data\n"
        return start.encode() + csv(frame, header=False)
    file = io.BytesIO()
    {"parquet": frame.to_parquet, "xlsx": frame.to_excel}[kind](file, index=False)
    return file.getvalue()


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "arff", "parquet", "xlsx"])
def test_a_small_table_is_read_whole(ending):
    frame = table(20)
    content = csv(frame) if ending.startswith("csv") else written(frame, ending)
    found = read_portion(f"t.{ending}", gzip.compress(content) if ending.endswith("gz") else content)
    assert found.frame.astype({"class": object}).equals(frame.astype({"class": object}))
    assert (found.n_rows, found.n_columns, str(found)) == (20, 3, "")


@pytest.mark.parametrize("ending", ["csv", "arff", "parquet"])
def test_of_many_rows_a_random_part(monkeypatch, ending):
    monkeypatch.setattr(limits, "MOST_ROWS", 100)
    content = csv(table(1000)) if ending == "csv" else written(table(1000), ending)
    found = read_portion(f"t.{ending}", content)
    assert found.frame.shape == (100, 3)
    assert found.n_rows == 1000
    assert found.frame["x0"].is_monotonic_increasing  # the rows keep their order
    assert (found.frame["x0"] == found.frame["x1"]).all()  # and stay whole
    assert found.frame.equals(read_portion(f"t.{ending}", content).frame)  # the same ones every time
    if ending != "arff":
        assert found.frame["class"].value_counts().to_dict() == {"common": 90, "rare": 10}
        assert str(found) == (
            "100 of 1,000 rows are used, drawn at random, each value of 'class' keeps its share."
        )


def test_a_rare_class_keeps_a_row(monkeypatch):
    monkeypatch.setattr(limits, "MOST_ROWS", 10)
    frame = pd.DataFrame({"a": range(1000), "class": ["x"] * 999 + ["y"]})
    assert "y" in set(read_portion("t.csv", csv(frame)).frame["class"])


def test_without_a_usual_class_rows_are_drawn_all_the_same(monkeypatch):
    monkeypatch.setattr(limits, "MOST_ROWS", 50)
    found = read_portion("t.csv", csv(table(500).rename(columns={"class": "kind"})))
    assert len(found.frame) == 50
    assert str(found) == "50 of 500 rows are used, drawn at random."


def test_long_text_is_sampled_by_its_size(monkeypatch):
    monkeypatch.setattr(limits, "MOST_TEXT", 2_000)
    content = csv(table(1000))
    found = read_portion("t.csv", content)
    assert len(found.frame) == pytest.approx(1000 * 2_000 / len(content), abs=3)


def test_cells_with_line_ends_stay_whole(monkeypatch):
    monkeypatch.setattr(limits, "MOST_ROWS", 30)
    frame = pd.DataFrame({"note": [f'first "{i}"\nsecond, {i}' for i in range(300)], "a": range(300)})
    found = read_portion("t.csv", csv(frame))
    assert len(found.frame) == 30
    assert found.n_rows == 300
    assert all(note == f'first "{i}"\nsecond, {i}' for note, i in found.frame.itertuples(index=False))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "cp1252"])
def test_encodings(monkeypatch, encoding):
    monkeypatch.setattr(limits, "MOST_ROWS", 10)
    text = "größe;class\r\n" + "".join(f"{i},5;ü\r\n" for i in range(99)) + "\r\n\r\n"
    found = read_portion("t.csv", text.encode(encoding))
    assert found.frame.columns.tolist() == ["größe", "class"]
    assert found.n_rows == 99
    assert (len(found.frame), set(found.frame["class"])) == (10, {"ü"})


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "arff"])
@pytest.mark.parametrize(
    ("part", "places"),
    [("first", [0, 1, 2, 9]), ("last", [6, 7, 8, 9]), ("spread", [0, 2, 5, 9])],
)
def test_of_many_columns_a_part_with_the_class(monkeypatch, ending, part, places):
    monkeypatch.setattr(limits, "MOST_COLUMNS", 4)
    frame = table(20, 10)
    content = csv(frame) if ending == "csv" else written(frame, ending)
    found = read_portion(f"t.{ending}", content, part)
    assert found.frame.columns.tolist() == [frame.columns[place] for place in places]
    assert found.frame.iloc[:, 0].tolist() == list(range(20))
    assert str(found) == "4 of 10 columns are used."


def test_a_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(limits, "MOST_UNPACKED", 1_000_000)
    with pytest.raises(DataError, match="unpacks to more than 1 MB"):
        read_portion("t.csv.gz", gzip.compress(b"a,class\n" + b"1,x\n" * 300_000))
    monkeypatch.setattr(limits, "MOST_SHEET", 1_000_000)
    workbook = io.BytesIO()
    with zipfile.ZipFile(workbook, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 2_000_000)
    with pytest.raises(DataError, match=r"2 MB unpacked.*save the sheet as CSV"):
        read_portion("t.xlsx", workbook.getvalue())


def test_a_parquet_file_that_is_too_long_is_refused_unread(monkeypatch):
    monkeypatch.setattr(limits, "MOST_SEARCHED", 100)
    with pytest.raises(DataError, match=r"1,000 rows and 3 columns.*of at most 33 rows"):
        read_portion("t.parquet", written(table(1000), "parquet"))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.csv.gz", gzip.compress(b"a,class\n1,x\n", mtime=0)[:-9], "incomplete"),
        ("t.csv.gz", b"\x1f\x8b\x08\x00" + b"\xff" * 40, "damaged"),
        ("t.csv", b"", "is empty"),
        ("t.csv", b"\n\n", "is empty"),
        ("t.csv", b"a,class\n", "no rows"),
        ("t.csv", b"\x89PNG\r\n\x1a\n\x00\x00", "not text"),
        ("t.arff", b"", "is empty"),
        ("t.arff", b"1,2\n", "no @data line"),
        ("t.parquet", b"a,b\n1,2\n", "not a Parquet file"),
        ("t.xlsx", b"a,b\n1,2\n", "not an Excel workbook"),
        ("t.docx", b"PK\x03\x04", "unknown format"),
    ],
)
def test_bad_files_get_a_sentence(name, content, says):
    with pytest.raises(DataError, match=says):
        read_portion(name, content)
