import gzip
import io

import numpy as np
import pandas as pd
import pytest

from pgm_nb.data import as_frame, read_table
from pgm_nb.data.excerpt import read_portion
from pgm_nb.errors import DataError


def read(text, name="table.csv", **options) -> pd.DataFrame:
    file = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    file.name = name
    return read_table(file, **options)


EXPECTED = [[40.5, "a"], [50.0, "b, c"]]


@pytest.mark.parametrize(
    "text",
    [
        'age,class\n40.5,a\n50,"b, c"\n',
        'age;class\n40.5;a\n50;"b, c"',
        "age;class\n40,5;a\n50;b, c\n",
        "age\tclass\n40.5\ta\n50\tb, c\n",
        "age|class\n40.5|a\n50|b, c\n",
        'age,class\r\n40.5,a\r\n50,"b, c"\r\n',
        'age,class\r40.5,a\r50,"b, c"\r',
        '\n\nage,class\n40.5,a\n\n50,"b, c"\n\n',
        'age, class\n40.5, a\n50 ,"b, c"\n',
        'age, class\n40.5, a\n50, "b, c"\n',
        '"age","class"\n"40.5","a"\n"50","b, c"\n',
    ],
)
def test_delimiters_quotes_and_decimal_commas(text):
    frame = read(text)
    assert list(frame) == ["age", "class"]
    assert frame["age"].dtype == np.float64
    assert frame.to_numpy(dtype=object).tolist() == EXPECTED


def test_an_open_text_file():
    assert read_table(io.StringIO("a,b\n1,é\n"))["b"].tolist() == ["é"]


def test_one_column():
    assert read("age\n40\n50\n")["age"].tolist() == [40, 50]
    assert read('text\n"hello, world"\n"a;b"\n')["text"].tolist() == ["hello, world", "a;b"]


def test_a_cell_may_hold_a_line_end_and_quotes():
    frame = read('note,class\n"two\nlines",a\n"say ""no""",b\n')
    assert frame["note"].tolist() == ["two\nlines", 'say "no"']


def test_quotes_inside_cells_stay():
    frame = read('note,size\n"he said, ""no"" ",5"\n"a, ",6"\n"x, ""y""",7"\n')
    assert frame["note"].tolist() == ['he said, "no"', "a,", 'x, "y"']
    assert frame["size"].tolist() == ['5"', '6"', '7"']


def test_thousands_in_a_tab_separated_file_stay_as_they_are():
    assert read("price\tclass\n1,234\ta\n2,345\tb\n")["price"].tolist() == ["1,234", "2,345"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "utf-32"])
def test_encodings(encoding):
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    frame = read(mark + "größe,klasse\n1,groß – sehr\n2,klein\n".encode(encoding))
    assert list(frame) == ["größe", "klasse"]
    assert frame["klasse"].tolist() == ["groß – sehr", "klein"]


def test_missing_tokens():
    frame = read("a,b,c,d\n1,x,?,\nNA,?,?,\n ?, NaN ,?,\n")
    assert frame.isna().to_numpy().tolist() == [[0, 0, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    assert frame["a"].dtype == np.float64
    assert as_frame(frame)["c"].dtype == np.float64


def test_a_quoted_token_and_the_word_none_are_words():
    assert read('a,b\n"NA",None\nx,y\n').to_numpy().tolist() == [["NA", "None"], ["x", "y"]]


def test_types_depend_on_every_row():
    rows = "\n".join(["1,1"] * 200_000)
    frame = read(f"a,b\n{rows}\nx,1.5\n")
    assert frame["a"].iloc[-1] == "x"
    assert frame["b"].iloc[-1] == 1.5


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "arff"])
def test_some_of_the_columns(tmp_path, ending):
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"], "c": [3.5, 4.5]})
    path = tmp_path / f"table.{ending}"
    if ending == "arff":
        declared = "@attribute a real\n@attribute b {x,y}\n@attribute c real\n"
        path.write_text(f"@relation r\n{declared}@data\n1.5,x,3.5\n2.5,y,4.5\n")
    else:
        write = {"csv": frame.to_csv, "parquet": frame.to_parquet, "xlsx": frame.to_excel}[ending]
        write(path, index=False)
    found = read_table(path, columns=[0, 2])
    assert found.to_dict("list") == {"a": [1.5, 2.5], "c": [3.5, 4.5]}


def test_booleans_and_unnamed_columns():
    frame = read(",ill\n0,True\n1,False\n")
    assert list(frame) == ["column 1", "ill"]
    assert frame["ill"].dtype == bool


def test_paths_gzip_parquet_and_excel(tmp_path):
    frame = pd.DataFrame({"age": [40.5, None], "class": ["a", "b"]})
    (tmp_path / "t.csv").write_text(frame.to_csv(index=False))
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(frame.to_csv(index=False, sep="\t").encode()))
    frame.to_parquet(tmp_path / "t.parquet")
    frame.astype(object).fillna("?").to_excel(tmp_path / "t.xlsx", index=False)
    for name in ("t.csv", "t.tsv.gz", "t.parquet", "t.xlsx"):
        pd.testing.assert_frame_equal(as_frame(read_table(tmp_path / name)), frame, check_dtype=False)
        assert as_frame(read_table(str(tmp_path / name)))["age"].dtype == np.float64


def test_row_numbers_that_pandas_writes_into_parquet_are_no_column(tmp_path):
    frame = pd.DataFrame({"age": [40.5, 3.0], "class": ["a", "b"]}, index=[7, 3])
    frame.to_parquet(tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet")) == ["age", "class"]
    part = read_portion("t.parquet", (tmp_path / "t.parquet").read_bytes())
    assert list(part.frame) == ["age", "class"]
    frame.index.name = "patient"
    frame.to_parquet(tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet")) == ["age", "class", "patient"]


def test_parquet_keeps_declared_categories(tmp_path):
    size = pd.Categorical(["S", "L"], ["S", "M", "L"], ordered=True)
    pd.DataFrame({"size": size}).to_parquet(tmp_path / "t.pq")
    found = read_table(tmp_path / "t.pq")["size"]
    assert list(found.cat.categories) == ["S", "M", "L"]
    assert found.cat.ordered


ARFF = """% a comment
@RELATION 'heart disease'

@attribute 'chest pain' {'typical angina', none, "it's", 01}
@ATTRIBUTE age NUMERIC
@attribute note string
@attribute class {no,yes}
@data
'typical angina', 40, 'a, b', no
% another
none,?,c,yes

?,41.5,?,yes
01,42,'it\\'s',no
"""


def test_arff():
    frame = read(ARFF, "t.arff")
    assert list(frame) == ["chest pain", "age", "note", "class"]
    assert list(frame["chest pain"].cat.categories) == ["typical angina", "none", "it's", "01"]
    assert frame["chest pain"].isna().tolist() == [False, False, True, False]
    assert frame["chest pain"].iloc[3] == "01"
    assert frame["age"].iloc[[0, 2, 3]].tolist() == [40, 41.5, 42]
    assert frame["note"].iloc[[0, 1, 3]].tolist() == ["a, b", "c", "it's"]
    assert frame["class"].tolist() == ["no", "yes", "yes", "no"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ARFF.replace("01,42", "02,42"), r"t.arff: '02' is not a declared value of 'chest pain'"),
        (ARFF.replace("01,42", "01,old"), "'age' is declared as a number, but one cell is 'old'"),
        (ARFF.replace("none,?,c,yes", "none,?,c"), "3 fields in line 11, but 4"),
        (ARFF.replace("@data", ""), "no @data"),
        (ARFF.split("'typical angina', 40")[0], "no rows"),
        ("@relation r\n@data\n1,2\n", "no @attribute"),
        ("@attribute a\n@data\n1\n", "without a name and a type"),
        ("@attribute a real\n@data\n{0 1}\n", "sparse ARFF"),
    ],
)
def test_bad_arff_is_refused(text, sentence):
    with pytest.raises(DataError, match=sentence):
        read(text, "t.arff")


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        ("", "t.csv", "t.csv is empty"),
        ("\n \n", "t.csv", "t.csv is empty"),
        ("a,b\n", "t.csv", "no rows"),
        ("a,b\n1,2\n3,4,5\n", "t.csv", "3 fields in line 3, but 2 are needed"),
        ("a,b\n1,2,3\n4,5,6\n", "t.csv", "3 fields in line 2, but 2 are needed"),
        ("a,b\n1,2\n\n3\n", "t.csv", "1 field in line 4, but 2 are needed"),
        ('a,b\n1,"2\n3,4\n', "t.csv", "opens a quotation mark in line 2"),
        ("a,b,a\n1,2,3\n", "t.csv", "more than one column named 'a'"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "t.csv", "t.csv is not text"),
        (b"\xef\xbb\xbfa,b\n\xff,1\n", "t.csv", "t.csv is not text"),
        (b"a,b\n\x81\x8d,1\n", "t.csv", "t.csv is not text"),
        (b"PAR1 but not really", "t.parquet", "t.parquet is not a Parquet file"),
        (b"PK\x03\x04 but not really", "t.xlsx", "t.xlsx is not an Excel workbook"),
        (b"\x1f\x8b\x08\x00 cut", "t.csv.gz", "compressed, but damaged"),
        ("a,b\n1,2\n", "t.docx", "t.docx is of an unknown format.*.csv"),
        ("a,b\n1,2\n", "t.xls", "t.xls is of an unknown format"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(text, name, sentence):
    with pytest.raises(DataError, match=sentence):
        read(text, name)


def test_absent_files_folders_and_formats(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="cannot be opened"):
        read_table(tmp_path)
    with pytest.raises(DataError, match="format must be one of csv, parquet, arff, excel"):
        read("a,b\n1,2\n", format="json")
    assert read("a,b\n1,2\n", "t.weird", format="csv")["b"].tolist() == [2]


def test_an_empty_workbook_is_refused(tmp_path):
    pd.DataFrame({"a": []}).to_excel(tmp_path / "t.xlsx", index=False)
    with pytest.raises(DataError, match="no rows"):
        read_table(tmp_path / "t.xlsx")


def test_dates_are_refused_when_used():
    with pytest.raises(DataError, match="'day' holds dates"):
        as_frame(read("day,class\n2020-01-01,a\n2020-01-02,b\n"))


def test_a_very_long_first_line(tmp_path):
    """Genomics: 20,001 columns, whose names are longer together than the csv module reads in one field."""
    names = [f"probe_{number:07}" for number in range(20_000)] + ["class"]
    rows = [",".join(["1"] * 20_000 + [label]) for label in ("ill", "well")]
    path = tmp_path / "probes.csv"
    path.write_text("\n".join([",".join(names), *rows]))
    frame = read_table(path)
    assert frame.shape == (2, 20_001)
    assert frame["class"].tolist() == ["ill", "well"]
