"""Sums of numbers that are kept as natural logs."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints

__all__ = ["log_sum", "logs"]


def log_sum(log_terms: Floats, axes: int | Sequence[int]) -> Floats:
    """Log of the sum of exponentials over some axes; minus infinity where there is nothing."""
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    most = log_terms.max(axis=axes, keepdims=True)
    most = np.where(np.isneginf(most), 0.0, most)
    total = np.exp(log_terms - most).sum(axis=axes, keepdims=True)
    result: Floats = (logs(total) + most).squeeze(axes)
    return result


def logs(values: NDArray[np.floating] | Ints) -> Floats:
    """Natural logs, minus infinity for zero."""
    return np.log(values, out=np.full(values.shape, -inf), where=values > 0)
