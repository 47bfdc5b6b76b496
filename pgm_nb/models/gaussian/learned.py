"""What Gaussian naive Bayes learns: sums that more rows add to, as they are and in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.data import Encoder, MissingReport
from pgm_nb.data.encode import Codes
from pgm_nb.inference.arrays import Floats, Places
from pgm_nb.models.base import Packed
from pgm_nb.models.continuous import UnknownCells, pack_classes, unpack_classes
from pgm_nb.models.gaussian.density import Moments, moments

__all__ = ["Learned", "add_rows", "nothing_learned", "pack", "unpack"]


@dataclass(frozen=True, eq=False)
class Learned:
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
) -> Learned:
    """Return what is known before the first row: the columns and classes."""
    k = len(classes)
    return Learned(
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
    learned: Learned,
    cells: Floats,
    states: Codes,
    codes: Places,
    weights: Floats | None,
    var_smoothing: float,
) -> Learned:
    """Add rows to what was learned: measured cells (n, d), states of the other columns (d', n), class codes.

    As in scikit-learn the variances are smoothed by what the rows of this call vary, weights left out.
    """
    k = len(learned.classes)
    batch = moments(cells, codes, k, weights)
    whole = batch.together() if weights is None else moments(cells, np.zeros_like(codes), 1)
    epsilon = float(var_smoothing * whole.variance.max(initial=0.0))
    before = learned.moments
    if before.weight.any():  # scikit-learn takes off the new epsilon where it had added the old one
        drift = before.weight * (learned.epsilon - epsilon)
        before = Moments(before.weight, before.mean, before.squares + drift)
    return replace(
        learned,
        class_weight=learned.class_weight + np.bincount(codes, weights, minlength=k),
        moments=before + batch,
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


def pack(learned: Learned, n_columns: int) -> Packed:
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


def unpack(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Learned:
    """Read what `pack` gave."""
    encoder = Encoder.from_dict(description["encoder"])
    named = description["named"]
    return Learned(
        target=description["target"],
        classes=unpack_classes(description["classes"]),
        named=None if named is None else tuple(named),
        measured=tuple(description["measured"]),
        encoder=encoder,
        missing=UnknownCells(**description["missing"]),
        class_weight=arrays["class_weight"],
        moments=Moments(arrays["weight"], arrays["mean"], arrays["squares"]),
        tables=tuple(arrays[f"table{i}"] for i in range(len(encoder.columns))),
        epsilon=float(description["epsilon"]),
    )
