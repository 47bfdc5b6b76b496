"""What a model over tables of counts has learned, and how it is put into a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import MOST_BITS, revived
from pgm_nb.data import Encoder, MissingReport
from pgm_nb.errors import DataError
from pgm_nb.graphs import from_json
from pgm_nb.information import Divergence
from pgm_nb.lazy import Later
from pgm_nb.learning import Trace
from pgm_nb.models.base import Packed
from pgm_nb.models.files import pack_classes, unpack_classes

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Places

__all__ = ["CountedRows", "Statistics", "TableState", "TrainingRows", "pack", "unpack"]


class Packable(Protocol):
    """Counts that can be put into a file and taken out again."""

    def pack(self) -> Packed:
        """Return what JSON holds, and arrays by name."""

    @classmethod
    def unpack(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Read what `pack` gave; what does not agree with itself is a ValueError."""

    def fits(self, cards: Sequence[int]) -> bool:
        """Say whether the counts are those of columns with so many states."""


Statistics = TypeVar("Statistics", bound=Packable)


@dataclass(frozen=True, eq=False)
class TableState(Generic[Statistics]):
    """All that `fit` learns; a saved model holds this and the parameters, nothing else."""

    target: str
    classes: NDArray[Any]
    named: bool  #: the training table had column names of its own
    encoder: Encoder
    missing: MissingReport
    structure: Any  #: a graph object of `pgm_nb.graphs`
    trace: Any  #: the story of the search
    divergence: Later[Divergence | None]
    counts: Statistics  #: what the parameters are estimated from


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """A training table in codes."""

    target: str
    classes: NDArray[Any]
    encoder: Encoder
    missing: MissingReport
    codes: Codes
    y: Places
    whole: bool = True  #: these are all rows that were counted, not a sample of them
    again: Callable[[], Iterable[tuple[Codes, Places]]] | None = None  #: reads all rows of a sample once more


class CountedRows(TrainingRows):
    """A training table of which the counts are known and the rows are not: who asks for them is refused."""

    def __init__(self, target: str, classes: NDArray[Any], encoder: Encoder, missing: MissingReport) -> None:
        nothing = np.zeros((len(encoder.columns), 0), dtype=np.uint8)
        super().__init__(target, classes, encoder, missing, nothing, np.zeros(0, np.intp), whole=False)

    def __getattribute__(self, name: str) -> Any:
        if name in ("codes", "y"):
            raise DataError(
                "counts hold no rows (nor do counts with real weights or forgetting), but this model learns "
                "from rows: call fit or fit_batches with all of them, or choose what counts alone can teach, "
                "such as naive Bayes, TAN or GNB with parameters='generative' and order=3"
            )
        return super().__getattribute__(name)


def pack(learned: TableState[Statistics]) -> Packed:
    """Return what JSON holds, and arrays by name."""
    counts, arrays = learned.counts.pack()
    divergence = learned.divergence.value
    description = {
        "target": learned.target,
        "classes": pack_classes(learned.classes),
        "named": learned.named,
        "encoder": learned.encoder.to_dict(),
        "missing": asdict(learned.missing),
        "structure": json.loads(learned.structure.to_json()),
        "trace": learned.trace.to_dict(),
        "divergence": None if divergence is None else asdict(divergence),
        "counts": counts,
    }
    return description, arrays


def unpack(
    description: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    statistics: type[Statistics],
    trace: Any,
) -> TableState[Statistics]:
    """Read what `pack` gave; parts that do not belong together are a ValueError."""
    divergence = description["divergence"]
    if not isinstance(description["named"], bool) or not isinstance(description["target"], str):
        raise ValueError("it does not say how columns and class are called")
    classes = unpack_classes(description["classes"])
    if arrays["y"].shape != classes.shape:
        raise ValueError("the counts are not those of the classes")
    learned = TableState(
        target=description["target"],
        classes=classes,
        named=description["named"],
        encoder=Encoder.from_dict(description["encoder"]),
        missing=revived(MissingReport, description["missing"]),
        structure=from_json(json.dumps(description["structure"])),
        trace=trace,
        divergence=Later.of(None if divergence is None else revived(Divergence, divergence, MOST_BITS)),
        counts=statistics.unpack(description["counts"], arrays),
    )
    if not learned.counts.fits(learned.encoder.cards):
        raise ValueError("the counts are not those of the columns")
    if learned.structure.target != learned.target or not (
        set(learned.structure.attributes) <= set(learned.encoder.names)
    ):
        raise ValueError("the structure is not one of the columns")
    if isinstance(trace, Trace) and not trace.names <= set(learned.encoder.names):
        raise ValueError("the search was not one among the columns")
    return learned
