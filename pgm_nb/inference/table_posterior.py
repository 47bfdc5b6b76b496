"""How sure the tables of a forest are: Dirichlet posteriors of their rows.

A row of a table, P(x | context), has a Dirichlet posterior with n(context, x) + a P(x | level above). Both a
and the level above are drawn (`chains`); every draw of them gives one Dirichlet distribution of the table.

This is the hierarchical prior of `hierarchical` without its point estimate: that one picks the single most
useful concentration for prediction and leans further than what a fair interval allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.inference.chains import CHAINS, run_chains
from pgm_nb.inference.families import Families

__all__ = ["CLASS_ROWS", "LEAST", "TablePosterior"]

MOST = 1 << 21  # cells that the posteriors of one table may hold
LEAST = 1e-300  # keeps the log of a share that is drawn as zero finite
CLASS_ROWS = 1.0  # imaginary rows that every class gets


@dataclass(frozen=True, eq=False)
class TablePosterior:
    """The posterior of the tables of a forest, given its counts.

    Examples
    --------
    >>> counts = Families(np.array([20, 80]), (0,), (-1,), (np.array([[20, 0], [4, 76]]),))
    >>> TablePosterior(counts).rows[0].shape[1:]
    (2, 2)
    """

    families: Families
    chains: int = CHAINS

    @cached_property
    def rows(self) -> tuple[Floats, ...]:
        """Real and imaginary rows of every table under some priors, all as probable, (priors, k, ..., v)."""
        found = run_chains(self.families.tables, np.random.default_rng(0), chains=self.chains)
        return tuple(chains.rows(MOST) for chains in found)

    def __getstate__(self) -> dict[str, Families | int]:
        """Leave out of a copy what can be drawn again."""
        return {"families": self.families, "chains": self.chains}
