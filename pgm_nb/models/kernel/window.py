"""A window over a stream of rows: the last ones as they were given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.data import as_frame
from pgm_nb.inference.arrays import Places

__all__ = ["Window"]


@dataclass(frozen=True, eq=False)
class Window:
    """The last rows of a stream, oldest first.

    Attributes
    ----------
    frame : DataFrame
        The rows.
    y : array (n,)
        Their class codes.
    kept : array of bool (n,)
        Which of them are learned from: not those that the missing policy drops.

    Examples
    --------
    >>> window = Window.of(pd.DataFrame({"age": [40, 50, 60]}), np.array([0, 1, 1]), 2)
    >>> window, gone = window.moved(pd.DataFrame({"age": [70.5]}), np.array([0]), 2)
    >>> window.frame["age"].tolist(), window.y.tolist(), gone
    ([60.0, 70.5], [1, 0], 1)
    """

    frame: pd.DataFrame
    y: Places
    kept: NDArray[np.bool_]

    @classmethod
    def of(cls, frame: pd.DataFrame, y: Places, size: int | None) -> Self:
        """Return the window on the last `size` of these rows, or on all."""
        last = slice(0 if size is None else max(0, len(y) - size), None)
        y = y[last]
        return cls(frame.iloc[last].reset_index(drop=True), y, np.ones(len(y), dtype=bool))

    def moved(self, frame: pd.DataFrame, y: Places, size: int | None) -> tuple[Self, int]:
        """Return the window moved on by new rows, and how many learned rows have left it."""
        columns = {str(name): _joined(self.frame[name], cells) for name, cells in frame.items()}
        rows = as_frame(pd.DataFrame(columns))  # looks once more whether the columns are of one type
        after = self.of(rows, np.append(self.y, y), size)
        left = len(rows) - len(after.y)
        return after, int(self.kept[:left].sum())

    def keeping(self, kept: NDArray[np.bool_]) -> Self:
        """Return the window with these rows learned from."""
        return replace(self, kept=kept)

    def pack(self) -> dict[str, NDArray[Any]]:
        """Return the window as arrays for a file: the rows in Arrow's format, which keeps types."""
        import pyarrow as pa

        table = pa.Table.from_pandas(self.frame, preserve_index=False)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        rows = np.frombuffer(sink.getvalue(), dtype=np.uint8)
        return {"window": rows, "window_y": self.y, "window_kept": self.kept}

    @classmethod
    def unpack(cls, arrays: Mapping[str, NDArray[Any]]) -> Self | None:
        """Read what `pack` gave; None if there was no window."""
        import pyarrow as pa

        if "window" not in arrays:
            return None
        frame = pa.ipc.open_stream(pa.py_buffer(arrays["window"])).read_all().to_pandas()
        return cls(frame, arrays["window_y"], arrays["window_kept"])


def _joined(old: pd.Series, new: pd.Series) -> pd.Series:
    """Return one column after the other; where their types differ, of the type that holds both."""
    if old.dtype == new.dtype:
        return pd.concat([old, new], ignore_index=True)
    return pd.concat([old.astype(object), new.astype(object)], ignore_index=True).infer_objects()
