"""How sure k-dependence Bayes is: the scores of a case under draws of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.inference.elimination import Network, summed_cells
from pgm_nb.inference.network_draws import network_scores, parent_families
from pgm_nb.inference.table_draws import TableDraws
from pgm_nb.inference.table_posterior import TablePosterior
from pgm_nb.models.drawn_cases import DrawnCases

if TYPE_CHECKING:
    from pgm_nb.models.k_dependence.tables import ParentCounts
    from pgm_nb.models.table_state import TableState

__all__ = ["DrawnParents"]

DRAWS = (200, 50)  # of the tables, for one interval; the fewer where sums are large
MOST_DRAWN = 1 << 20  # numbers of a table that is summed under all draws


class DrawnParents(DrawnCases):
    """Intervals from draws of tables with several parents, as long as the sums are small enough."""

    learned_: TableState[ParentCounts]
    factors_: Network
    _table_draws: Mapping[int, TableDraws] | None = None

    def no_interval_given(self, given: Mapping[str, Any]) -> str:
        """Why there is no interval given what is known, in one sentence; empty if there is one."""
        why_not = super().no_interval_given(given)
        if why_not or self._n_draws(self._states(self._case_codes(given))):
            return why_not
        return (
            "So many linked attributes are unknown that summing them out under every draw of the tables "
            "would take too long, so there is no credible interval here; give more values."
        )

    def _n_draws(self, states: list[int | None]) -> int:
        """Return how many draws there is time for; zero if for none."""
        unknown = np.array([states[column] is None for column in self.factors_.columns])
        numbers = summed_cells(self.factors_, unknown) * len(self.classes_)
        return next((n for n in DRAWS if n * numbers <= MOST_DRAWN), 0)

    def _drawn_case(self, states: list[int | None]) -> Floats:
        counts, draws = self.learned_.counts, self._table_draws
        if not draws or draws[DRAWS[0]].posterior.families.y is not counts.y:
            found = parent_families(counts.y, counts.columns, counts.parents, counts.tables)
            posterior = TablePosterior(found)
            draws = self._table_draws = {n: TableDraws(posterior, n) for n in DRAWS}
        chosen = draws[self._n_draws(states)]
        return network_scores(chosen, [states[column] for column in counts.columns])
