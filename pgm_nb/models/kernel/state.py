"""What kernel semi-naive Bayes learns from rows, the window over a stream of them, and both in a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Places, revived, stored
from pgm_nb.counts import count
from pgm_nb.data import MissingReport, as_frame
from pgm_nb.errors import DataError
from pgm_nb.graphs import Star, from_json
from pgm_nb.information import information
from pgm_nb.models.base import Packed
from pgm_nb.models.coded_rows import CodedRows, check_classes_survive, code_rows
from pgm_nb.models.files import pack_classes, unpack_classes
from pgm_nb.models.kernel.attributes import (
    GaussianIndex,
    HobbitIndex,
    KernelAttribute,
    KernelIndex,
    integers,
    learn_attribute,
)
from pgm_nb.words import did_you_mean, listed

__all__ = ["KernelState", "Reading", "Window", "index_rows", "pack", "unpack"]


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
    def unpack(cls, arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Self | None:
        """Read what `pack` gave; None if there was no window."""
        import pyarrow as pa

        if "window" not in arrays:
            return None
        content = stored(arrays, "window", (None,), "whole numbers")
        if content.dtype != np.uint8:
            raise ValueError(f"part window holds {content.dtype} instead of bytes")
        try:
            frame = pa.ipc.open_stream(pa.py_buffer(content)).read_all().to_pandas()
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"part window is not a table: {error}") from error
        n = len(frame)
        y = stored(arrays, "window_y", (n,), "whole numbers", least=0, most=n_classes - 1)
        return cls(frame, y.astype(np.intp, copy=False), stored(arrays, "window_kept", (n,), "flags"))


def _joined(old: pd.Series, new: pd.Series) -> pd.Series:
    """Return one column after the other; where their types differ, of the type that holds both."""
    if old.dtype == new.dtype:
        return pd.concat([old, new], ignore_index=True)
    return pd.concat([old.astype(object), new.astype(object)], ignore_index=True).infer_objects()


KERNELS = ("hobbit", "gaussian")


@dataclass(frozen=True, eq=False)
class KernelState:
    """All that is learned from rows; with a window also the rows themselves, so that it can move on."""

    classes: NDArray[Any]
    named: bool  #: the training table had column names of its own
    structure: Star
    attributes: tuple[KernelAttribute, ...]
    missing: MissingReport
    rows: NDArray[Any]  #: (d, n) as the kernel needs them: codes for a P-tree, else values
    y: Places
    window: Window | None = None


@dataclass(frozen=True)
class Reading:
    """How a table is read; the parameters have the names of those of the model."""

    kernel: str
    bits: int
    log_columns: Sequence[str] | None
    discretizer: str | Mapping[str, str | Sequence[float]] | None
    n_bins: int | None
    missing: str

    def of_table(
        self, frame: pd.DataFrame, y: Places, target: str, classes: NDArray[Any], named: bool
    ) -> KernelState:
        """Learn from a table; the order of its rows does not matter."""
        coded, attributes, rows = self._learn(frame, y)
        check_classes_survive(classes, coded.y, y)
        order = np.lexsort((*rows, coded.y))
        star = _star(coded, target, len(classes))
        return KernelState(classes, named, star, attributes, coded.missing, rows[:, order], coded.y[order])

    def of_window(self, window: Window, target: str, classes: NDArray[Any], named: bool) -> KernelState:
        """Learn from the rows of a window, oldest first; a class may have none."""
        coded, attributes, rows = self._learn(window.frame, window.y)
        star = _star(coded, target, len(classes))
        return KernelState(
            classes, named, star, attributes, coded.missing, rows, coded.y, window.keeping(coded.kept)
        )

    def _learn(
        self, frame: pd.DataFrame, y: Places
    ) -> tuple[CodedRows, tuple[KernelAttribute, ...], NDArray[Any]]:
        """Return the rows in codes, the attributes, and the rows as the kernel needs them."""
        _check_log_columns(self.log_columns or (), frame)
        bins = "quantile" if self.discretizer is None else self.discretizer  # else for the relevance only
        coded = code_rows(frame, y, discretizer=bins, n_bins=self.n_bins, missing=self.missing)
        learned = [
            learn_attribute(
                column,
                cells,
                codes,
                bits=self.bits,
                log_columns=tuple(self.log_columns or ()),
                binned=self.discretizer is not None,
            )
            for column, (_, cells), codes in zip(
                coded.encoder.columns, coded.frame.items(), coded.codes, strict=True
            )
        ]
        attributes = tuple(attribute for attribute, _ in learned)
        values = np.array([column for _, column in learned])
        if self.kernel == "gaussian":
            return coded, attributes, values
        return coded, attributes, integers(values, attributes).astype(np.uint32)


def index_rows(learned: KernelState, kernel: str) -> KernelIndex:
    """Build the index that the kernel needs."""
    k = len(learned.classes)
    if kernel == "hobbit":
        columns = [attribute.hobbit for attribute in learned.attributes]
        return HobbitIndex(columns, learned.rows, learned.y, k)
    return GaussianIndex([attribute.sigma for attribute in learned.attributes], learned.rows, learned.y, k)


def _star(coded: CodedRows, target: str, n_classes: int) -> Star:
    """Return the star of all attributes, with I(Xi;Y) of binned numbers."""
    names = coded.encoder.names
    relevance = information(count(coded.codes, coded.y, coded.encoder.cards, n_classes)).relevance
    return Star(target, names, dict(zip(names, relevance.tolist(), strict=True)))


def _check_log_columns(log_columns: Iterable[str], frame: pd.DataFrame) -> None:
    if isinstance(log_columns, str):
        raise DataError(f"log_columns must be a list of column names, but is the text {log_columns!r}.")
    names = [str(name) for name in frame.columns]
    for name in log_columns:
        if name not in names:
            raise DataError(
                f"log_columns names {name!r}, which is not a column{did_you_mean(name, names)} "
                f"(columns: {listed(names)})."
            )
        if frame[name].dtype.kind not in "iuf":
            raise DataError(f"log_columns names {name!r}, which is not a numeric column; leave it out.")


def pack(learned: KernelState) -> Packed:
    """Return what JSON holds, and arrays by name."""
    description = {
        "classes": pack_classes(learned.classes),
        "named": learned.named,
        "structure": json.loads(learned.structure.to_json()),
        "attributes": [attribute.to_dict() for attribute in learned.attributes],
        "missing": asdict(learned.missing),
    }
    window = {} if learned.window is None else learned.window.pack()
    return description, {"rows": learned.rows, "y": learned.y} | window


def unpack(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> KernelState:
    """Read what `pack` gave."""
    structure = from_json(json.dumps(description["structure"]))
    if not isinstance(structure, Star):
        raise TypeError(f"the structure must be a star, got a {structure.type_name}")
    classes = unpack_classes(description["classes"])
    attributes = tuple(KernelAttribute.from_dict(record) for record in description["attributes"])
    if structure.attributes != tuple(attribute.column.name for attribute in attributes):
        raise ValueError("the attributes are not those of the structure")
    y = stored(arrays, "y", (None,), "whole numbers", least=0, most=len(classes) - 1)
    shape = (len(attributes), len(y))
    kind = "cells" if arrays["rows"].dtype.kind == "f" else "whole numbers"  # NaN: unknown
    return KernelState(
        classes=classes,
        named=description["named"],
        structure=structure,
        attributes=attributes,
        missing=revived(MissingReport, description["missing"]),
        rows=stored(arrays, "rows", shape, kind, least=0),
        y=y.astype(np.intp, copy=False),
        window=Window.unpack(arrays, len(classes)),
    )
