"""Tables that are read batch by batch: files, Arrow datasets, and queries of DuckDB or polars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pgm_nb.data.read import FORMATS
from pgm_nb.data.target import split_target
from pgm_nb.data.text import MISSING_TOKENS
from pgm_nb.errors import DataError, needed
from pgm_nb.words import listed

__all__ = ["scan"]

BATCH_ROWS = 1 << 17


class Scan:
    """A table that comes in batches; made by `scan`.

    Iterating gives pairs of attributes and classes, or whole frames where no class column was named. Unless
    the source is a reader that can be read once only (`again` is False), it can be iterated again.
    """

    def __init__(
        self, source: Any, target: str | None, columns: Sequence[str] | None, batch_rows: int
    ) -> None:
        self.target, self.batch_rows = target, batch_rows
        self.columns = None if columns is None else [*columns, *([target] if target else [])]
        self._source = source
        self.again = not hasattr(source, "read_next_batch")

    def __iter__(self) -> Iterator[Any]:
        for frame in self.frames():
            yield frame if self.target is None else split_target(frame, self.target)

    def frames(self) -> Iterator[pd.DataFrame]:
        """Read the batches as frames, the class column included."""
        for batch in self._batches():
            if batch.num_rows:
                yield batch.to_pandas()

    def _batches(self) -> Iterator[Any]:
        import pyarrow as pa

        try:
            yield from _record_batches(self._source, self.columns, self.batch_rows)
        except pa.ArrowException as error:
            raise DataError(
                f"the table cannot be read ({str(error).splitlines()[0]}): every batch must have the same "
                "columns with cells of the same kind."
            ) from None

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known without reading them."""
        count = getattr(self._source, "count_rows", None)
        return int(count()) if count is not None and _is_parquet(self._source) else None


def scan(
    source: Any,
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    batch_rows: int = BATCH_ROWS,
) -> Scan:
    """Read a table of any size batch by batch, for `fit_batches`.

    Parameters
    ----------
    source : path, pattern, list of paths, Arrow dataset or reader, DuckDB or polars query, DataFrame
        Parquet or delimited text files (``"part-*.parquet"``), or anything that gives Arrow batches.
    target : str, optional
        The class column; then every batch is a pair (X, y).
    columns : sequence of str, optional
        The attributes to read; by default all.
    batch_rows : int
        The largest number of rows in memory at a time.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> batches = pnb.scan(X.assign(species=y), target="species", batch_rows=60)
    >>> [len(y) for X, y in batches]
    [60, 60, 30]
    >>> pnb.TreeAugmentedNaiveBayes().fit_batches(batches).predict(X.head(1))
    array(['setosa'], dtype=object)
    """
    if batch_rows < 1:
        raise DataError(f"batch_rows must be at least 1, but is {batch_rows}")
    return Scan(_opened(source), target, columns, batch_rows)


def _opened(source: Any) -> Any:
    if isinstance(source, str | Path):
        path = Path(source).expanduser()
        found = [str(path)] if path.is_file() else sorted(map(str, path.parent.glob(path.name)))
        if not found:
            raise DataError(f"there is no file {str(source)!r}: check its name and folder.")
        return _dataset(found)
    if isinstance(source, list | tuple) and source and all(isinstance(p, str | Path) for p in source):
        return _dataset([str(path) for path in source])
    return source


def _dataset(files: list[str]) -> Any:
    with needed("pyarrow", "reading tables from files", "tables in memory work without it"):
        import pyarrow as pa
        from pyarrow import csv, dataset
    endings = {Path(file).suffix.lower() for file in files}
    if endings <= set(FORMATS["parquet"]):
        form: Any = "parquet"
    elif endings <= set(FORMATS["csv"]):
        separator = "\t" if endings <= {".tsv", ".tab"} else ","
        form = dataset.CsvFileFormat(
            parse_options=csv.ParseOptions(delimiter=separator),
            convert_options=csv.ConvertOptions(null_values=list(MISSING_TOKENS), strings_can_be_null=True),
        )
    else:
        raise DataError(
            f"only Parquet and delimited text are read in batches, but the files end in "
            f"{listed(sorted(endings))}; convert them first"
        )
    try:
        return dataset.dataset(files, format=form)
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{Path(files[0]).name} cannot be read ({str(error).splitlines()[0]}): save it again."
        ) from None


def _is_parquet(source: Any) -> bool:
    return type(getattr(source, "format", None)).__name__ == "ParquetFileFormat"


def _record_batches(source: Any, columns: list[str] | None, rows: int) -> Iterator[Any]:
    """Return the Arrow batches of a source."""
    import pyarrow as pa

    if hasattr(source, "to_batches") and hasattr(source, "scanner"):  # a dataset
        from pyarrow import dataset

        options: dict[str, Any] = {"batch_readahead": 0, "fragment_readahead": 0}  # little beyond a batch
        if _is_parquet(source):
            calm = dataset.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
            options["fragment_scan_options"] = calm
        yield from source.to_batches(columns=columns, batch_size=rows, **options)
        return
    if hasattr(source, "to_arrow_reader"):  # a relation of DuckDB
        reader = source.to_arrow_reader(rows)
    elif hasattr(source, "fetch_record_batch"):  # of an older DuckDB
        reader = source.fetch_record_batch(rows)
    elif hasattr(source, "collect_batches"):  # a lazy query of polars
        for part in source.collect_batches(chunk_size=rows, maintain_order=True):
            yield from _chosen(pa.table(part), columns).to_batches(rows)
        return
    elif hasattr(source, "collect"):
        yield from _chosen(pa.table(source.collect(engine="streaming")), columns).to_batches(rows)
        return
    elif isinstance(source, pd.DataFrame):
        reader = pa.Table.from_pandas(source, preserve_index=False).to_reader(rows)
    elif hasattr(source, "read_next_batch"):
        reader = source
    elif hasattr(source, "__arrow_c_stream__"):
        reader = pa.table(source).to_reader(rows)
    else:
        raise DataError(
            "scan reads files, Arrow datasets, DuckDB or polars queries and tables, but was given "
            f"{type(source).__name__}"
        )
    for batch in reader:
        table = _chosen(pa.Table.from_batches([batch]), columns)
        yield from table.to_batches(rows)


def _chosen(table: Any, columns: list[str] | None) -> Any:
    return table if columns is None else table.select(columns)
