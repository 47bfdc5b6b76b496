"""The story of a local-PCA mixture: its rounds, which of them was kept, and why they ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Iteration", "LocalPCATrace"]

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Iteration:
    """One round: the clusters of each class, the error they make, and who moved to make them."""

    clusters: tuple[int, ...]  #: clusters in use, by class
    ignored: tuple[int, ...]  #: rank-deficient clusters, by class
    regularised: tuple[bool, ...]  #: whether a class had none but rank-deficient ones, by class
    error: float  #: share of training rows misclassified
    moved: tuple[tuple[int, ...], ...]  #: rows that left their clusters for a new one, by class


@dataclass(frozen=True)
class LocalPCATrace:
    """The rounds of learning, which of them was kept, and why it ended."""

    classes: tuple[str, ...]
    iterations: tuple[Iteration, ...]
    kept: int  #: the round with the smallest training error, the first of equals
    reason: str

    def to_frame(self) -> pd.DataFrame:
        """One row per round and class: clusters, ignored clusters, rows that moved; the round's error."""
        import pandas as pd

        rows = [
            (
                number,
                label,
                step.clusters[c],
                step.ignored[c],
                len(step.moved[c]),
                step.error,
                number == self.kept,
            )
            for number, step in enumerate(self.iterations)
            for c, label in enumerate(self.classes)
        ]
        names = ["iteration", "class", "clusters", "ignored", "moved", "error", "kept"]
        return pd.DataFrame(rows, columns=names)

    def of_rows(self, places: Places) -> LocalPCATrace:
        """Return the trace with moved rows by their place in a longer table, of which these were used."""
        steps = tuple(
            replace(step, moved=tuple(tuple(places[list(rows)].tolist()) for rows in step.moved))
            for step in self.iterations
        )
        return replace(self, iterations=steps)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe form; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LocalPCATrace:
        """Read what `to_dict` wrote."""
        steps = tuple(
            Iteration(
                tuple(step["clusters"]),
                tuple(step["ignored"]),
                tuple(step["regularised"]),
                step["error"],
                tuple(tuple(rows) for rows in step["moved"]),
            )
            for step in data["iterations"]
        )
        return cls(tuple(data["classes"]), steps, data["kept"], data["reason"])
