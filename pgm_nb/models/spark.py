"""A Spark DataFrame: the two functions of `partitions` run where the rows are, through `mapInArrow`.

Spark hands every partition over as Arrow batches. What is found in a partition is one small record of bytes;
a few are merged at a time, on the cluster, and one comes back.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError
from pgm_nb.models.partitions import AT_ONCE, count_part, summarise_part
from pgm_nb.models.stream import RowStream, merged

if TYPE_CHECKING:
    from pgm_nb.models.streaming import Streaming

__all__ = ["fit_spark", "is_spark"]

ROWS = 100_000  # handled at once: Spark's own batches are smaller
RECORD = "found binary"
Work = Callable[[Any, Any, int, int], Any]  # of rows, their classes, the partition, the first row
Merge = Callable[[Sequence[Any]], Any]


def is_spark(X: Any) -> bool:
    """Say whether a table is a Spark DataFrame, without importing Spark.

    Examples
    --------
    >>> is_spark([[1, 2]])
    False
    """
    return type(X).__module__.partition(".")[0] == "pyspark" and hasattr(X, "mapInArrow")


def fit_spark(model: Streaming, X: Any, y: Any) -> Any:
    """Fit a model to a Spark DataFrame; `y` is the name of its class column.

    The table is read twice, so both readings must give the same rows: a table from files does, one made by
    random numbers must be cached.
    """
    if not isinstance(y, str) or y not in X.columns:
        raise DataError(
            f"with a Spark DataFrame y must be the name of its class column, but is {y!r} (columns: "
            f"{', '.join(X.columns[:10])})"
        )
    summary, missing = model._summary(), model.missing

    def summarised(part: Any, labels: Any, number: int, first: int) -> Any:
        return summarise_part(part, labels, number, summary, first)

    stream = RowStream(model._learned_coding(_gathered(X, y, summarised)), y, True, missing)

    def counted(part: Any, labels: Any, number: int, first: int) -> Any:
        return count_part(part, labels, number, stream, first)

    total = _gathered(X, y, counted)
    return model._settle_by(total.rows(), total)


def _gathered(X: Any, target: str, work: Work, merge: Merge = merged) -> Any:
    """Run a function over all partitions, and merge what it finds, a few records at a time."""

    def each(batches: Iterator[Any]) -> Iterator[Any]:
        yield from _worked(batches, target, work, merge)

    def some(batches: Iterator[Any]) -> Iterator[Any]:
        yield from _merged(batches, merge)

    found, parts = X.mapInArrow(each, RECORD), X.rdd.getNumPartitions()
    while parts > AT_ONCE:
        parts = -(-parts // AT_ONCE)
        found = found.repartition(parts).mapInArrow(some, RECORD)
    return merge([pickle.loads(row.found) for row in found.collect()])


def _worked(batches: Iterable[Any], target: str, work: Work, merge: Merge) -> Iterator[Any]:
    """Run a function over the rows of one partition; give one record."""
    from pyspark import TaskContext

    context = TaskContext.get()
    number, first, total = 0 if context is None else context.partitionId(), 0, None
    for frame in _frames(batches):
        part = work(frame.drop(columns=[target]), frame[target], number, first)
        total, first = part if total is None else merge([total, part]), first + len(frame)
    if total is not None:
        yield _record(total)


def _merged(batches: Iterable[Any], merge: Merge) -> Iterator[Any]:
    """Merge records."""
    found = [pickle.loads(cell.as_py()) for batch in batches for cell in batch.column(0)]
    if found:
        yield _record(merge(found))


def _record(found: Any) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({"found": pa.array([pickle.dumps(found)], pa.binary())})


def _frames(batches: Iterable[Any]) -> Iterator[Any]:
    """Give Arrow batches as tables of some 100,000 rows."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(part.num_rows for part in held) >= ROWS:
            yield pa.Table.from_batches(held).to_pandas()
            held = []
    if sum(part.num_rows for part in held):
        yield pa.Table.from_batches(held).to_pandas()
