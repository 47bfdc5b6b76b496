"""What a model over tables of counts has learned, and how it is put into a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from numpy.typing import NDArray

from pgm_nb.data import Encoder, MissingReport
from pgm_nb.graphs import from_json
from pgm_nb.inference.later import Later
from pgm_nb.information import Divergence
from pgm_nb.models.base import Packed
from pgm_nb.models.files import pack_classes, unpack_classes

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Places

__all__ = ["Statistics", "TableState", "TrainingRows", "pack", "unpack"]


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
    learned = TableState(
        target=description["target"],
        classes=unpack_classes(description["classes"]),
        named=description["named"],
        encoder=Encoder.from_dict(description["encoder"]),
        missing=MissingReport(**description["missing"]),
        structure=from_json(json.dumps(description["structure"])),
        trace=trace,
        divergence=Later.of(None if divergence is None else Divergence(**divergence)),
        counts=statistics.unpack(description["counts"], arrays),
    )
    if arrays["y"].shape != learned.classes.shape or not learned.counts.fits(learned.encoder.cards):
        raise ValueError("the counts are not those of the classes and columns")
    if learned.structure.target != learned.target or not (
        set(learned.structure.attributes) <= set(learned.encoder.names)
    ):
        raise ValueError("the structure is not one of the columns")
    return learned
