"""What Gaussian naive Bayes learns: additive sums for every column, and their graph.

Measured columns become Gaussian leaves, the others tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Places, revived, stored
from pgm_nb.data import Encoder, MissingReport, learn_encoder
from pgm_nb.data.column import MOST_STATES
from pgm_nb.graphs.star import GaussianStar
from pgm_nb.information import Information
from pgm_nb.learning import Trace, naive
from pgm_nb.models.base import Packed
from pgm_nb.models.continuous import number_columns, stack_numbers
from pgm_nb.models.files import pack_classes, unpack_classes
from pgm_nb.models.gaussian.density import Gaussians, Moments, class_information, moments

__all__ = [
    "NO_STATES",
    "GaussianState",
    "absent_cells",
    "add_rows",
    "borrowed",
    "gaussian_star",
    "grown",
    "learn_columns",
    "m_estimate",
    "nothing_learned",
    "pack",
    "proper",
    "ranked",
    "unpack",
]


@dataclass(frozen=True, eq=False)
class GaussianState:
    """All that `fit` learns; additive, so that `partial_fit` adds."""

    target: str
    classes: NDArray[Any]
    named: tuple[str, ...] | None  #: column names of the training table, None if it had none
    measured: tuple[int, ...]  #: places of the columns that are Gaussian leaves
    encoder: Encoder  #: of the other columns
    missing: MissingReport
    class_weight: Floats  #: rows (or their weights) of each class
    moments: Moments
    tables: tuple[Floats, ...]  #: counts (k, v) of the other columns
    epsilon: float  #: what `var_smoothing` adds to every variance


def nothing_learned(
    target: str,
    classes: NDArray[Any],
    named: tuple[str, ...] | None,
    measured: tuple[int, ...],
    encoder: Encoder,
    missing: MissingReport,
) -> GaussianState:
    """Return what is known before the first row: the columns and classes."""
    k = len(classes)
    return GaussianState(
        target,
        classes,
        named,
        measured,
        encoder,
        missing,
        class_weight=np.zeros(k),
        moments=Moments(*(np.zeros((k, len(measured))) for _ in range(3))),
        tables=tuple(np.zeros((k, card)) for card in encoder.cards),
        epsilon=0.0,
    )


def add_rows(
    learned: GaussianState,
    cells: Floats,
    states: Codes,
    codes: Places,
    weights: Floats | None,
    var_smoothing: float,
) -> GaussianState:
    """Add rows to what was learned: measured cells (n, d), states of the other columns (d', n), class codes.

    All variances are smoothed by a share of the largest variance of a column among all rows so far.
    """
    k = len(learned.classes)
    total = learned.moments + moments(cells, codes, k, weights)
    epsilon = float(var_smoothing * total.together().variance.max(initial=0.0))
    return replace(
        learned,
        class_weight=learned.class_weight + np.bincount(codes, weights, minlength=k),
        moments=total,
        tables=tuple(
            table + _counted(column, codes, table.shape, weights)
            for table, column in zip(learned.tables, states, strict=True)
        ),
        epsilon=epsilon,
    )


def _counted(states: Codes, codes: Places, shape: tuple[int, ...], weights: Floats | None) -> Floats:
    """Count the states of a column by class; the code behind the last state is for unknown cells."""
    k, size = shape[0], shape[1] + 1
    counts = np.bincount(codes * size + states, weights, minlength=k * size).astype(np.float64)
    return counts.reshape(k, size)[:, :-1]


def pack(learned: GaussianState, n_columns: int) -> Packed:
    """Return what JSON holds, and arrays by name."""
    description = {
        "target": learned.target,
        "classes": pack_classes(learned.classes),
        "n_columns": n_columns,
        "named": learned.named,
        "measured": learned.measured,
        "encoder": learned.encoder.to_dict(),
        "missing": asdict(learned.missing),
        "epsilon": learned.epsilon,
    }
    arrays = {
        "class_weight": learned.class_weight,
        "weight": learned.moments.weight,
        "mean": learned.moments.mean,
        "squares": learned.moments.squares,
    }
    return description, arrays | {f"table{i}": table for i, table in enumerate(learned.tables)}


def unpack(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> GaussianState:
    """Read what `pack` gave."""
    encoder = Encoder.from_dict(description["encoder"])
    named, classes = description["named"], unpack_classes(description["classes"])
    k, measured = len(classes), tuple(description["measured"])
    places = sorted({*measured} & {*range(int(description["n_columns"]))})
    if places != list(measured) or len(measured) + len(encoder.columns) != description["n_columns"]:
        raise ValueError("the columns are not those of the encoder")
    weight, mean, squares = (
        stored(arrays, name, (k, len(measured)), least=least)
        for name, least in (("weight", 0), ("mean", -np.inf), ("squares", 0))
    )
    epsilon = float(description["epsilon"])
    if not 0 <= epsilon < np.inf:
        raise ValueError(f"what is added to variances is {epsilon}")
    return GaussianState(
        target=description["target"],
        classes=classes,
        named=named,
        measured=measured,
        encoder=encoder,
        missing=revived(MissingReport, description["missing"]),
        class_weight=stored(arrays, "class_weight", (k,), least=0),
        moments=Moments(weight, mean, squares),
        tables=tuple(stored(arrays, f"table{i}", (k, card), least=0) for i, card in enumerate(encoder.cards)),
        epsilon=epsilon,
    )


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


def grown(learned: GaussianState, rows: pd.DataFrame) -> GaussianState:
    """Return what was learned, with a place for the states that further rows add."""
    before = learned.encoder
    if not before.columns:
        return learned
    words = rows[list(before.names)]
    encoder = before.grown(words, before.encode(words), empty=False, most=MOST_STATES)
    tables = tuple(np.zeros((len(learned.classes), card)) for card in encoder.cards)
    for table, old, places in zip(tables, learned.tables, before.places(encoder), strict=True):
        table[:, places] = old
    return replace(learned, encoder=encoder, tables=tables)


def absent_cells(
    names: tuple[str, ...], measured: tuple[int, ...], cells: Floats, encoder: Encoder, states: Codes
) -> dict[str, NDArray[np.bool_]]:
    """Return the unknown cells of each column that has any."""
    absent = {}
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = bool(np.isnan(cells.sum()))  # one cheap pass
    for j, place in enumerate(measured) if gaps else ():
        absent[names[place]] = np.isnan(cells[:, j])
    for column, coded in zip(encoder.columns, states, strict=True):
        absent[column.name] = coded == column.card
    return {name: where for name, where in absent.items() if where.any()}


def m_estimate(counts: Floats, m: float) -> Floats:
    """(n + m/v) / (N + m) along the last axis."""
    estimates: Floats = (counts + m / counts.shape[1]) / (counts.sum(axis=1, keepdims=True) + m)
    return estimates


def borrowed(learned: GaussianState) -> tuple[Floats, Floats]:
    """Return means and variances; a class without any value in a column has those of all classes there.

    So a measurement that was never made in a class neither speaks for the class nor forbids it. A column
    without any value at all has mean 0 and variance 1 in every class, and says nothing.
    """
    mean, variance = learned.moments.mean, learned.moments.variance
    empty = (learned.moments.weight == 0) & (learned.class_weight > 0)[:, None]
    if not empty.any():
        return mean, variance + learned.epsilon
    whole = learned.moments.together()
    nowhere = whole.weight == 0
    mean = np.where(empty, np.where(nowhere, 0.0, whole.mean), mean)
    variance = np.where(empty, np.where(nowhere, 1.0, whole.variance), variance)
    return mean, variance + learned.epsilon


def proper(
    mean: Floats, variance: Floats, seen: NDArray[np.bool_], learned: GaussianState, names: tuple[str, ...]
) -> tuple[Floats, str]:
    """Return variances that can be divided by, and a sentence on what is wrong with them, if anything.

    A class without rows gets no posterior, and a column that never varies does not matter; any positive
    variance does for both.
    """
    finite = np.isfinite(variance) & np.isfinite(mean)
    noise = 8 * np.finfo(np.float64).eps * np.abs(mean)  # of rounding: a smaller deviation is none
    with np.errstate(over="ignore"):
        flat = ~(variance > np.maximum(noise**2, _TINY))
    if (finite & ~flat)[seen].all():
        return (variance if seen.all() else np.where(flat, 1.0, variance)), ""
    usable = np.where(flat, 1.0, variance)
    for j, place in enumerate(learned.measured):
        name, rows = names[place], np.flatnonzero(seen)
        if not finite[rows, j].all():
            return usable, f"column {name!r} holds numbers too large to square: divide it by a power of ten."
        constant = flat[rows, j].all() and np.ptp(mean[rows, j]) <= noise[rows, j].max()
        if flat[rows, j].any() and not constant:
            where = learned.classes[rows[flat[rows, j]][0]]
            return usable, (
                f"column {name!r} has zero variance in class {where!s}, so its density there is a spike: "
                "use var_smoothing > 0 (1e-9 is the default), or leave the column out."
            )
    return usable, ""


def gaussian_star(
    learned: GaussianState,
    names: tuple[str, ...],
    gaussians: Gaussians,
    tables: Sequence[Floats],
    prior: Floats,
) -> GaussianStar:
    """Return the star: leaves with their Gaussians, and I(Xi;Y) in bits under the model.

    Parameters
    ----------
    learned, names
        What was learned, and the names of all columns.
    gaussians : Gaussians
        Of the measured columns.
    tables : sequence of arrays (k, v)
        Log P(state | class) of the other columns.
    prior : array (k,)
    """
    deviation = np.sqrt(gaussians.variance)
    leaves = {
        names[place]: tuple(zip(gaussians.mean[:, j].tolist(), deviation[:, j].tolist(), strict=True))
        for j, place in enumerate(learned.measured)
    }
    measured = [names[place] for place in learned.measured]
    bits = dict(zip(measured, class_information(gaussians, prior).tolist(), strict=True))
    for column, table in zip(learned.encoder.columns, tables, strict=True):
        bits[column.name] = _table_information(table, prior)
    labels = tuple(map(str, learned.classes.tolist()))
    return GaussianStar(learned.target, names, labels, leaves, {name: bits[name] for name in names})


def _table_information(table: Floats, prior: Floats) -> float:
    """I(Xi;Y) in bits of a table of log P(state | class)."""
    given = np.exp(table)
    bits = float((prior[:, None] * given * (table - np.log(prior @ given))).sum() / np.log(2))
    return max(bits, 0.0)


def ranked(star: GaussianStar, prior: Floats, n_rows: int) -> Trace:
    """Return the attributes ranked by I(Xi;Y); nothing is searched."""
    relevance = np.array(list((star.relevance or {}).values()))
    d, shares = len(relevance), prior[prior > 0]
    info = Information(
        n_rows=n_rows,
        class_entropy=float(-(shares * np.log2(shares)).sum()),
        entropies=np.full(d, np.nan),
        relevance=relevance,
        dependence=np.zeros((d, d)),
    )
    return naive(info, star.attributes, star.target)[1]
