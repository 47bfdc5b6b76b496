"""Coded rows -> Counts: additive sufficient statistics and the kernels that fill them."""

from pgm_nb.counts.counting import count, count_blocks
from pgm_nb.counts.singles import Singles, count_singles
from pgm_nb.counts.table import Counts

__all__ = ["Counts", "Singles", "count", "count_blocks", "count_singles"]
