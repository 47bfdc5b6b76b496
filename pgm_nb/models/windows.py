"""Forgetting by a window: only the last batches count."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError
from pgm_nb.models.partitions import merge_counts
from pgm_nb.models.stream import RowStream

if TYPE_CHECKING:
    from pgm_nb.counts import Counts

__all__ = ["check_window", "in_window"]


def check_window(window: Any, stream: RowStream | None, decay: float | None, weighted: bool) -> None:
    """Refuse a window that means nothing, or that does not fit what came before.

    Examples
    --------
    >>> check_window(None, None, 0.9, False)
    """
    if window is None:
        if stream is not None and stream.window:
            raise DataError("this model counts a window of batches: give window= with every batch")
        return
    if isinstance(window, bool) or not isinstance(window, int) or window < 1:
        raise DataError(f"window must be a whole number of batches, 1 or more, but is {window!r}")
    if decay is not None or weighted:
        raise DataError("a window counts whole rows and forgets whole batches: leave decay and weights out")
    if stream is not None and stream.counts is not None and not stream.window:
        raise DataError("earlier batches were counted without a window: begin again with a new model")


def in_window(
    stream: RowStream, X: Any, y: Any, window: int, count: Callable[[Any, Any], Counts | None]
) -> tuple[Counts | None, RowStream]:
    """Add a batch and drop what is older than the window; return what is counted, and the rows of it.

    Parameters
    ----------
    stream : RowStream
        The stream; it keeps the counts of each batch in the window.
    X, y
        The batch.
    window : int
        How many batches count, this one included.
    count : callable
        Counts coded rows.
    """
    part = RowStream(stream.coding, stream.target, stream.named, stream.policy)
    stream.window.append((count(*part.code(X, y, stream.seen)), part))
    stream.seen += part.report.n_rows
    del stream.window[:-window]
    return merge_counts(stream.window)
