"""A table in partitions that somebody else holds: Dask or Spark summarises and counts each where it is.

Two functions do the work, one per pass, and both results merge in any grouping: `summarise_part` and
`count_part`. Only counts and a sample of the rows travel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pgm_nb.counts import Counts, count
from pgm_nb.data.summary import Coding, TableSummary
from pgm_nb.errors import DataError, needed
from pgm_nb.information import information
from pgm_nb.models.stream import RowStream

if TYPE_CHECKING:
    from pgm_nb.models.streaming import Streaming

__all__ = [
    "AT_ONCE",
    "count_part",
    "fit_dask",
    "is_dask",
    "merge_counts",
    "merge_summaries",
    "settle",
    "summarise_part",
]

AT_ONCE = 8  # results merged at a time
FIRST = 1 << 40  # the number of the first row of each partition is a multiple of this
Result = TypeVar("Result")


def is_dask(X: Any) -> bool:
    """Say whether a table is a Dask DataFrame, without importing Dask.

    Examples
    --------
    >>> is_dask([[1, 2]])
    False
    """
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "to_delayed")


def summarise_part(X: Any, y: Any, number: int, first: int = 0) -> TableSummary:
    """First pass over a partition, or its rows from the number `first` on: what they hold, and a sample.

    Examples
    --------
    >>> import pandas as pd
    >>> part = summarise_part(pd.DataFrame({"sex": ["f", "m"]}), ["ill", "well"], 0)
    >>> part.words == {"sex": {"f", "m"}}
    True
    """
    summary = TableSummary()
    if len(X):
        summary.add(X, y, number * FIRST + first)
    return summary


def count_part(
    X: Any, y: Any, number: int, coding: Coding, target: str, missing: str, first: int = 0
) -> tuple[Counts | None, RowStream]:
    """Second pass over a partition: its counts, and what is known about its rows.

    Parameters
    ----------
    X, y
        The partition.
    number : int
        Which one it is.
    coding : Coding
        Bins, states and classes, the same for all.
    target : str
        Name of the class.
    missing : str
        What to do with missing cells.
    first : int
        The number of the first row within the partition.
    """
    stream = RowStream(coding, target, True, missing)
    if len(X) == 0:
        return None, stream
    codes, classes = stream.code(X, y, number * FIRST + first)
    if len(classes) == 0:
        return None, stream
    return count(codes, classes, coding.encoder.cards, len(coding.classes), n_threads=1), stream


def merge_summaries(parts: Sequence[TableSummary]) -> TableSummary:
    """Return what several partitions hold together."""
    total = TableSummary()
    for part in parts:
        total.merge(part)
    return total


def merge_counts(parts: Sequence[tuple[Counts | None, RowStream]]) -> tuple[Counts | None, RowStream]:
    """Return the counts of several partitions together."""
    (counts, first), *others = parts
    stream = RowStream(first.coding, first.target, first.named, first.policy)
    stream.merge(first)
    for more, other in others:
        counts = more if counts is None else counts if more is None else counts + more
        stream.merge(other)
    return counts, stream


def fit_dask(model: Streaming, X: Any, y: Any) -> Any:
    """Fit a model to a Dask DataFrame; `y` is its class column, as a Series of it or by name."""
    with needed("dask", "tables in partitions", "pandas and pgm_nb.scan work without it"):
        from dask.delayed import delayed
    if isinstance(y, str):
        if y not in X.columns:
            raise DataError(f"the table has no column {y!r} (columns: {', '.join(map(str, X.columns[:10]))})")
        split, target = delayed(_split, nout=2), y  # each partition is read once, and split where it is
        parts = [tuple(split(part, y)) for part in X.to_delayed()]
    elif not hasattr(y, "to_delayed") or X.npartitions != y.npartitions:
        raise DataError("y must be a Dask Series with the partitions of X, or the name of a column of X")
    else:  # made simpler one by one, Dask could join partitions of the one and not of the other
        target = "class" if y.name is None else str(y.name)
        apart = (table.to_delayed(optimize_graph=False) for table in (X, y))
        parts = list(zip(*apart, strict=True))
    found = [delayed(summarise_part)(a, b, i) for i, (a, b) in enumerate(parts)]
    coding = model._learned_coding(_tree(found, delayed(merge_summaries)).compute(), None)
    shared = delayed(coding)
    counted = [delayed(count_part)(a, b, i, shared, target, model.missing) for i, (a, b) in enumerate(parts)]
    return settle(model, *_tree(counted, delayed(merge_counts)).compute())


def settle(model: Streaming, counts: Counts | None, stream: RowStream) -> Any:
    """Fit a model to the counts of all partitions."""
    if counts is None:
        raise DataError("no row is left to learn from: every row has a cell without a state")
    return model._settle(stream.rows(), counts, information(counts), True)


def _split(part: Any, target: str) -> tuple[Any, Any]:
    """Return a partition without its class column, and that column."""
    return part.drop(columns=[target]), part[target]


def _tree(parts: list[Any], merge: Callable[[list[Any]], Any]) -> Any:
    """Merge a few results at a time, and those again, until one is left."""
    while len(parts) > 1:
        parts = [merge(parts[i : i + AT_ONCE]) for i in range(0, len(parts), AT_ONCE)]
    return parts[0]
