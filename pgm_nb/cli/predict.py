"""``pgm-nb predict``: classify the rows of a table with a saved model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.population import add_prior, read_prior
from pgm_nb.cli.tables import progress_bar, read_rows
from pgm_nb.errors import DataError

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]

PARQUET = (".parquet", ".pq")


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("predict", help="classify the rows of a table; writes CSV")
    parser.add_argument("model", type=Path, help="a model saved by fit")
    parser.add_argument("data", help="a file, or the name of a sample; empty cells mean unknown")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="CSV or Parquet to write (default: print CSV)"
    )
    add_prior(parser)
    parser.set_defaults(run=_predict)


def _predict(options: argparse.Namespace) -> int:
    from pgm_nb.data.text import csv_text
    from pgm_nb.evaluate.predictions import predictions
    from pgm_nb.files import write_atomically
    from pgm_nb.models import load

    model = load(options.model)
    if options.output is not None and options.output.suffix.lower() in PARQUET:
        return _predict_batches(options, model)
    result = predictions(
        model, read_rows(options.data, model), prior=read_prior(options.prior, model.classes_)
    )
    text = csv_text(result)
    if options.output is None:
        print(text, end="")
        return 0
    write_atomically(options.output, text.encode())
    print(f"{len(result)} rows classified: {options.output}")
    return 0


def _predict_batches(options: argparse.Namespace, model: Any) -> int:
    """Classify batch by batch and write Parquet; memory holds one batch."""
    import pyarrow as pa
    from pyarrow import parquet

    from pgm_nb.data.scan import scan
    from pgm_nb.evaluate.predictions import predictions

    prior = read_prior(options.prior, model.classes_)
    in_batches = Path(options.data).suffix.lower() in PARQUET
    scanned = scan(options.data if in_batches else read_rows(options.data, model))
    total, done, writer = scanned.n_rows, 0, None
    part = options.output.with_name(f"{options.output.name}.part")
    try:
        with progress_bar() as bar:
            for frame in scanned.frames():
                found = predictions(model, frame, prior=prior)
                table = pa.Table.from_pandas(found, preserve_index=False)
                writer = writer or parquet.ParquetWriter(part, table.schema)
                writer.write_table(table)
                done += len(frame)
                if total:
                    bar.update(100 * len(frame) / total)
        if writer is None:
            raise DataError(f"{options.data} has no rows to classify")
        writer.close()
        part.replace(options.output)
    finally:
        part.unlink(missing_ok=True)
    print(f"{done} rows classified: {options.output}")
    return 0
