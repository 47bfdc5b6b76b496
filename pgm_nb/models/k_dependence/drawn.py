"""How sure k-dependence Bayes is: the scores of a case under draws of the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgm_nb.arrays import Flags, Floats
from pgm_nb.inference.elimination import Network
from pgm_nb.inference.network_draws import class_draws, network_draws
from pgm_nb.models.credible import DRAWS
from pgm_nb.models.drawn_cases import DrawnCases

if TYPE_CHECKING:
    from pgm_nb.inference.chains import TableChains
    from pgm_nb.models.k_dependence.tables import ParentCounts
    from pgm_nb.models.table_state import TableState

__all__ = ["DrawnParents"]


class DrawnParents(DrawnCases):
    """Intervals from draws of tables with several parents."""

    learned_: TableState[ParentCounts]
    factors_: Network

    def prepare_intervals(self) -> None:
        """Draw what the tables lean on."""
        self._own_chains()

    def _own_chains(self) -> list[TableChains]:
        counts = self.learned_.counts
        return self._kept_chains.at(0, lambda: (counts.tables, None))

    def _drawn_case(self, states: list[int | None], seen: Flags) -> Floats:
        counts, chains = self.learned_.counts, self._own_chains()
        own = [states[column] for column in counts.columns]
        found = class_draws(counts.y, DRAWS, seen=seen)
        return found + network_draws(self.factors_, chains, own, DRAWS, 1, seen)
