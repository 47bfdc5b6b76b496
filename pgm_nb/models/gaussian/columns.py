"""Columns of a mixed table sorted into Gaussian leaves and tables, and the checks on both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.data import Encoder, MissingReport, learn_encoder
from pgm_nb.data.encode import Codes
from pgm_nb.errors import DataError
from pgm_nb.inference.arrays import Floats
from pgm_nb.models.continuous import UnknownCells, number_columns, stack_numbers
from pgm_nb.models.gaussian.learned import Learned

__all__ = [
    "NO_STATES",
    "absent_cells",
    "both_reports",
    "learn_columns",
    "m_estimate",
    "proper",
    "refuse_new_states",
]

_TINY = np.finfo(np.float64).tiny
NO_STATES: Codes = np.empty((0, 0), dtype=np.uint8)


def learn_columns(table: Floats | pd.DataFrame) -> tuple[tuple[int, ...], Floats, Encoder, Codes]:
    """Return which columns are measured, their cells, and the encoder and codes of the others."""
    if not isinstance(table, pd.DataFrame):
        return tuple(range(table.shape[1])), table, Encoder(()), NO_STATES
    measured = number_columns(table)
    rest = [place for place in range(table.shape[1]) if place not in measured]
    if not rest:
        return tuple(measured), stack_numbers(table, measured), Encoder(()), NO_STATES
    encoder, codes, _, _ = learn_encoder(table.iloc[:, rest], None, discretizer=None, missing="state")
    columns = tuple(  # a missing cell is unknown, not a state: its code becomes the number of states
        replace(column, states=column.states[:-1], missing_state=False) if column.missing_state else column
        for column in encoder.columns
    )
    return tuple(measured), stack_numbers(table, measured), Encoder(columns), codes


def refuse_new_states(frame: pd.DataFrame, encoder: Encoder, states: Codes) -> None:
    """Refuse later rows with a state that the first ones lacked."""
    for column, coded in zip(encoder.columns, states, strict=True):
        cells = frame[column.name]
        new = cells[(coded == column.card) & cells.notna().to_numpy()]
        if len(new):
            raise DataError(
                f"column {column.name!r} has a state that the first batch lacked ({new.iloc[0]!r}): "
                "declare all states as pandas categories before the first call to partial_fit."
            )


def absent_cells(
    names: tuple[str, ...], measured: tuple[int, ...], cells: Floats, encoder: Encoder, states: Codes
) -> dict[str, NDArray[np.bool_]]:
    """Say for each column with unknown cells which they are."""
    absent = {}
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = bool(np.isnan(cells.sum()))  # one cheap pass
    for j, place in enumerate(measured) if gaps else ():
        absent[names[place]] = np.isnan(cells[:, j])
    for column, coded in zip(encoder.columns, states, strict=True):
        absent[column.name] = coded == column.card
    return {name: where for name, where in absent.items() if where.any()}


def both_reports(one: MissingReport, other: MissingReport) -> MissingReport:
    """Return the report on two batches of rows."""
    names = dict.fromkeys([*one.by_column, *other.by_column])
    by_column = {name: one.by_column.get(name, 0) + other.by_column.get(name, 0) for name in names}
    rows, cells = one.rows + other.rows, one.cells + other.cells
    return UnknownCells(one.policy, one.n_rows + other.n_rows, rows, cells, by_column, 0)


def m_estimate(counts: Floats, m: float) -> Floats:
    """(n + m/v) / (N + m) along the last axis."""
    estimates: Floats = (counts + m / counts.shape[1]) / (counts.sum(axis=1, keepdims=True) + m)
    return estimates


def proper(
    mean: Floats, variance: Floats, seen: NDArray[np.bool_], learned: Learned, names: tuple[str, ...]
) -> tuple[Floats, str]:
    """Return variances that can be divided by, and a sentence on why they make no model, if they make none.

    A class without rows gets no posterior, and a column that never varies says nothing; any positive
    variance does for both.
    """
    finite = np.isfinite(variance) & np.isfinite(mean)
    noise = 8 * np.finfo(np.float64).eps * np.abs(mean)  # of rounding: a smaller deviation is none
    flat = ~(variance > np.maximum(noise**2, _TINY))
    known = learned.moments.weight > 0
    if (finite & known & ~flat)[seen].all():
        return (variance if seen.all() else np.where(flat, 1.0, variance)), ""
    usable = np.where(flat, 1.0, variance)
    for j, place in enumerate(learned.measured):
        name, rows = names[place], np.flatnonzero(seen)
        if not finite[rows, j].all():
            return usable, f"column {name!r} holds numbers too large to square: divide it by a power of ten."
        empty = rows[~known[rows, j]]
        if len(empty):
            return usable, (
                f"column {name!r} has no value in any row of class {learned.classes[empty[0]]!s}, so nothing "
                "is known of it there: leave the column out, or fill in some of its cells."
            )
        constant = flat[rows, j].all() and np.ptp(mean[rows, j]) <= noise[rows, j].max()
        if flat[rows, j].any() and not constant:
            where = learned.classes[rows[flat[rows, j]][0]]
            return usable, (
                f"column {name!r} has zero variance in class {where!s}, so its density there is a spike: "
                "use var_smoothing > 0 (1e-9 is the default), or leave the column out."
            )
    return usable, ""
