"""From coded rows to counts and information: all pair tables at once, pair by pair, or no pairs at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgm_nb.counts import count, count_singles
from pgm_nb.counts.table import Layout
from pgm_nb.counts.wide import RowCounts
from pgm_nb.information import Information, information, star_information, wide_information

if TYPE_CHECKING:
    from pgm_nb.models.table_state import TrainingRows

__all__ = ["measure", "with_pairs"]

MOST_CELLS = 1 << 27  # of all pair tables: beyond them, half a gigabyte, pairs are counted one by one


def measure(
    rows: TrainingRows, *, searches_pairs: bool, pair_by_pair: bool, n_threads: int | None = None
) -> tuple[Any, Information]:
    """Count the rows and measure what a search needs.

    Parameters
    ----------
    rows : TrainingRows
        Coded rows.
    searches_pairs : bool
        Whether the search looks at pairs of attributes at all; a star does not.
    pair_by_pair : bool
        Whether it can do with one row of I(Xi;Xj|Y) at a time. Then the pair tables of a wide table are
        reduced one after the other, and those of the structure are counted afterwards.
    n_threads : int, optional
        Threads of the compiled kernels.

    Returns
    -------
    counts : Counts, RowCounts or Singles
    information : Information
    """
    cards, k = rows.encoder.cards, len(rows.classes)
    if not searches_pairs:
        singles = count_singles(rows.codes, rows.y, cards, k)
        return singles, star_information(singles)
    if pair_by_pair and is_wide(rows):
        by_pair = RowCounts(rows.codes, rows.y, cards, k)
        return by_pair, wide_information(by_pair)
    counts = count(rows.codes, rows.y, cards, k, n_threads=n_threads)
    return counts, information(counts)


def with_pairs(rows: TrainingRows, info: Information) -> Information:
    """Return the information of a star with that of all pairs, unless the table is too wide for it."""
    if is_wide(rows):
        return info
    return information(count(rows.codes, rows.y, rows.encoder.cards, len(rows.classes)))


def is_wide(rows: TrainingRows) -> bool:
    """Say whether the tables of all pairs would take too much memory to be held together."""
    return Layout(rows.encoder.cards, len(rows.classes)).n_cells > MOST_CELLS
