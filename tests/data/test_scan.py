"""Batches from files, datasets and queries."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError

TABLE = pd.DataFrame({"a": np.arange(10.0), "b": list("xyxyxyxyxy"), "class": list("uvuvuvuvuv")})


def read(scanned):
    frames = [X.assign(**{"class": y}) for X, y in scanned]
    return pd.concat(frames, ignore_index=True)


@pytest.fixture
def files(tmp_path):
    for number, part in enumerate((TABLE[:6], TABLE[6:])):
        pq.write_table(pa.Table.from_pandas(part, preserve_index=False), tmp_path / f"p{number}.parquet")
        part.to_csv(tmp_path / f"c{number}.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("pattern", ["p*.parquet", "c*.csv"])
def test_files_again_and_again(files, pattern):
    scanned = pnb.scan(str(files / pattern), target="class", batch_rows=4)
    assert [len(y) for _, y in scanned] == [4, 2, 4]
    pd.testing.assert_frame_equal(read(scanned), TABLE, check_dtype=False)
    assert scanned.again
    assert scanned.n_rows == (10 if pattern.endswith("parquet") else None)


def test_sources_in_memory(files):
    table = pa.Table.from_pandas(TABLE, preserve_index=False)
    sources = [table, ds.dataset(table), TABLE, pl.DataFrame(TABLE), pl.DataFrame(TABLE).lazy()]
    for source in [*sources, [files / "p0.parquet", files / "p1.parquet"]]:
        pd.testing.assert_frame_equal(
            read(pnb.scan(source, target="class", batch_rows=3)), TABLE, check_dtype=False
        )
    once = pnb.scan(table.to_reader(4), target="class")
    assert not once.again
    assert len(read(once)) == 10


def test_some_columns(files):
    (X, y), *_ = pnb.scan(files / "p0.parquet", target="class", columns=["b"])
    assert list(X.columns) == ["b"]
    assert len(y) == 6


def test_duckdb_queries():
    import duckdb

    rows = TABLE
    query = duckdb.sql("select * from rows where a < 8")
    assert len(read(pnb.scan(query, target="class"))) == 8
    assert len(rows) == 10


def test_what_cannot_be_scanned(files):
    (files / "x.xlsx").write_bytes(b"")
    for source, said in (
        (files / "no.csv", "there is no file"),
        (files / "x.xlsx", "only Parquet"),
        (3, "int"),
    ):
        with pytest.raises(DataError, match=said):
            list(pnb.scan(source))
