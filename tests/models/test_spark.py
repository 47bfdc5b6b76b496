"""A Spark DataFrame teaches what pandas teaches, to the last bit."""

import pickle
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.models import spark
from pgm_nb.models.spark import _frames, _merged, _record, _worked, is_spark

X, Y = pnb.load_sample("heart")
REASON = "pyspark is not installed: pip install 'pgm-nb[spark]', and Java 17"


def the_sum(parts):
    return sum(parts)


def some_batches():
    table = pa.Table.from_pandas(pd.DataFrame({"a": range(10), "class": list("uvuvuvuvuv")}))
    return table.to_batches(max_chunksize=3)


def test_batches_become_tables_and_records_are_merged(monkeypatch):
    """Without Spark: what a worker does with batches, and with the records of other workers."""
    assert [len(frame) for frame in _frames(some_batches())] == [10]
    monkeypatch.setattr(spark, "ROWS", 6)
    assert [frame["a"].tolist() for frame in _frames(some_batches())] == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]]
    (record,) = _merged([_record(40), _record(2)], the_sum)
    assert pickle.loads(record.column(0)[0].as_py()) == 42
    assert list(_merged([], the_sum)) == []


def test_a_partition_gives_one_record(monkeypatch):
    pytest.importorskip("pyspark", reason=REASON)
    monkeypatch.setattr(spark, "ROWS", 6)
    seen = []

    def work(part, labels, number, first):
        seen.append((list(part.columns), labels.tolist()[:2], number, first))
        return int(part["a"].sum())

    (record,) = _worked(some_batches(), "class", work, the_sum)
    assert pickle.loads(record.column(0)[0].as_py()) == 45
    assert seen == [(["a"], ["u", "v"], 0, 0), (["a"], ["u", "v"], 0, 6)]
    assert list(_worked([], "class", work, the_sum)) == []


def test_only_a_spark_table_is_one():
    assert not is_spark(X)


@pytest.mark.filterwarnings("ignore")
def test_spark_fits_what_pandas_fits(monkeypatch):
    sql = pytest.importorskip("pyspark.sql", reason=REASON)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    builder = sql.SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        table = session.createDataFrame(X.assign(**{str(Y.name): Y}))
        for kind, parts in ((pnb.TreeAugmentedNaiveBayes, 3), (pnb.GeneralizedNaiveBayes, 11)):
            whole = kind().fit(X, Y)
            found = kind().fit(table.coalesce(1) if parts == 3 else spread(table, parts), str(Y.name))
            assert found.structure_ == whole.structure_
            assert found.missing_ == whole.missing_
            np.testing.assert_array_equal(found.predict_proba(X), whole.predict_proba(X))
        with pytest.raises(DataError, match="name of its class column"):
            kind().fit(table, Y)
    finally:
        session.stop()


def spread(table, parts):
    """Return the table in more partitions than are merged at once, its rows in the same order."""
    rows = table.collect()
    context = table.sparkSession.sparkContext
    return table.sparkSession.createDataFrame(context.parallelize(rows, parts), table.schema)
