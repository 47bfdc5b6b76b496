"""A table in partitions that somebody else holds: Dask or Spark summarises and counts each where it is.

Two functions do the work, one per pass, and both results merge in any grouping: `summarise_part` and
`count_part`. Only counts and a sample of the rows travel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pgm_nb.data.summary import TableSummary
from pgm_nb.errors import DataError, needed
from pgm_nb.models.stream import RowStream, merged

if TYPE_CHECKING:
    from pgm_nb.models.streaming import Streaming

__all__ = ["AT_ONCE", "count_part", "fit_dask", "is_dask", "summarise_part"]

AT_ONCE = 8  # results merged at a time
FIRST = 1 << 40  # the number of the first row of each partition is a multiple of this


def is_dask(X: Any) -> bool:
    """Say whether a table is a Dask DataFrame, without importing Dask.

    Examples
    --------
    >>> is_dask([[1, 2]])
    False
    """
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "to_delayed")


def summarise_part(X: Any, y: Any, number: int, like: TableSummary, first: int = 0) -> TableSummary:
    """First pass over a partition, or its rows from the number `first` on: what they hold, and a sample.

    Examples
    --------
    >>> import pandas as pd
    >>> part = summarise_part(pd.DataFrame({"sex": ["f", "m"]}), ["ill", "well"], 0, TableSummary())
    >>> part.words == {"sex": {"f", "m"}}
    True
    """
    summary = like.empty()
    if len(X):
        summary.add(X, y, number * FIRST + first)
    return summary


def count_part(X: Any, y: Any, number: int, like: RowStream, first: int = 0) -> RowStream:
    """Second pass over a partition: its counts, and a sample of its rows.

    Parameters
    ----------
    X, y
        The partition.
    number : int
        Which one it is.
    like : RowStream
        A stream without rows: how they are coded, the same for all.
    first : int
        The number of the first row within the partition.
    """
    stream = like.empty()
    stream.seen = number * FIRST + first
    return stream.count([(X, y)] if len(X) else [], n_threads=1)


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
    like, merge = delayed(model._summary()), delayed(merged)
    found = [delayed(summarise_part)(a, b, i, like) for i, (a, b) in enumerate(parts)]
    coding = model._learned_coding(_tree(found, merge).compute())
    stream = delayed(RowStream(coding, target, True, model.missing))
    counted = [delayed(count_part)(a, b, i, stream) for i, (a, b) in enumerate(parts)]
    total = _tree(counted, merge).compute()
    return model._settle_by(total.rows(), total)


def _split(part: Any, target: str) -> tuple[Any, Any]:
    """Return a partition without its class column, and that column."""
    return part.drop(columns=[target]), part[target]


def _tree(parts: list[Any], merge: Callable[[list[Any]], Any]) -> Any:
    """Merge a few results at a time, and those again, until one is left."""
    while len(parts) > 1:
        parts = [merge(parts[i : i + AT_ONCE]) for i in range(0, len(parts), AT_ONCE)]
    return parts[0]
