"""Tables in partitions: merged in any grouping they teach what one table teaches, also on a cluster."""

import contextlib
import os
import signal
import sys
from types import ModuleType

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.models.partitions import count_part, summarise_part
from pgm_nb.models.stream import RowStream, merged

X, Y = pnb.load_sample("heart")
PARTS = [(X.iloc[p], Y.iloc[p]) for p in (slice(0, 90), slice(90, 90), slice(90, 91), slice(91, None))]


@pytest.mark.parametrize("model", [pnb.TreeAugmentedNaiveBayes(), pnb.GeneralizedNaiveBayes()], ids=str)
def test_parts_in_any_grouping(model):
    whole = type(model)().fit(X, Y)
    found = [summarise_part(a, b, i, model._summary()) for i, (a, b) in enumerate(PARTS)]
    coding = model._learned_coding(merged([merged(found[2:]), merged(found[:2])]))
    assert coding.encoder == whole.encoder_
    like = RowStream(coding, "class", True, "state")
    counted = [count_part(a, b, i, like) for i, (a, b) in enumerate(PARTS)]
    stream = merged([merged(counted[1:]), counted[0]])
    assert stream.counts.n_rows == len(X)
    np.testing.assert_array_equal(stream.rows().codes, whole.encoder_.encode(X))


def test_dask_fits_what_pandas_fits():
    import dask.dataframe as dd

    for kind in (pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.GeneralizedNaiveBayes):
        whole = kind().fit(X, Y)
        table = dd.from_pandas(X.assign(**{str(Y.name): Y}), npartitions=5)
        for found in (kind().fit(table, str(Y.name)), kind().fit(table[list(X.columns)], table[str(Y.name)])):
            assert found.structure_ == whole.structure_
            assert found.missing_ == whole.missing_
            np.testing.assert_array_equal(found.predict_proba(X), whole.predict_proba(X))


def test_dask_reads_files(tmp_path):
    """Dask may join small files into one partition, and others of the class column than of the attributes."""
    import dask.dataframe as dd

    frame = X.assign(outcome=Y)
    for i in range(4):
        frame.iloc[i::4].to_parquet(tmp_path / f"{i}.parquet")
    whole = pnb.TreeAugmentedNaiveBayes().fit(X, Y.rename("outcome"))
    table = dd.read_parquet(str(tmp_path))
    for found in (
        pnb.TreeAugmentedNaiveBayes().fit(table, "outcome"),
        pnb.TreeAugmentedNaiveBayes().fit(table[list(X.columns)], table["outcome"]),
    ):
        assert found.structure_ == whole.structure_
        np.testing.assert_array_equal(found.predict_proba(X), whole.predict_proba(X))
    with pytest.raises(DataError, match="no column 'result'"):
        pnb.TreeAugmentedNaiveBayes().fit(table, "result")


def deadly_at_first(part, killed):
    """Take down the process that is the first to hold this part."""
    if 0 in part.index:
        with contextlib.suppress(FileExistsError):
            killed.touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_cluster_that_loses_a_worker(monkeypatch, tmp_path):
    import dask.dataframe as dd
    import distributed

    # workers run the main module again, and tests of the app leave theirs
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    whole = pnb.TreeAugmentedNaiveBayes().fit(X, Y)
    frame = X.assign(**{str(Y.name): Y})
    table = dd.from_pandas(frame, npartitions=12).map_partitions(
        deadly_at_first, tmp_path / "killed", meta=frame
    )
    with (
        distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        before = set(client.run(os.getpid).values())
        found = pnb.TreeAugmentedNaiveBayes().fit(table, str(Y.name))
        assert before - set(client.run(os.getpid).values())
    assert found.structure_ == whole.structure_
    np.testing.assert_array_equal(found.predict_proba(X), whole.predict_proba(X))
