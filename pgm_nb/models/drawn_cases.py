"""Credible intervals of models of tables that answer for cases alone, by drawing their tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Flags, Floats
from pgm_nb.errors import QueryError
from pgm_nb.inference import posteriors
from pgm_nb.inference.credible import bounds
from pgm_nb.inference.network_draws import KeptChains
from pgm_nb.inference.table_draws import supposed
from pgm_nb.models.credible import DRAWS, LEVEL, Credible

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes
    from pgm_nb.data import Encoder
    from pgm_nb.inference import Variables
    from pgm_nb.inference.base_rates import Prior
    from pgm_nb.models.table_state import TableState

__all__ = ["DrawnCases"]


class DrawnCases(Credible):
    """Intervals from the scores of a case under draws of the tables; unknown cells are summed out."""

    encoder_: Encoder
    no_interval = ""
    about_interval = (
        "Of such intervals, 88 to 92 of 100 held the truth in simulations where the links were right, and up "
        "to 96 where there were more links than needed; where the model is wrong, the interval says less."
    )

    _chains: tuple[Any, KeptChains] | None = None

    if TYPE_CHECKING:
        learned_: TableState[Any]

        def asked_variables(self) -> Variables:
            """Return the class and the attributes with their states."""

        def _case_codes(self, known: Mapping[str, Any]) -> Codes:
            """Return a case in codes."""

        def score_codes(self, codes: Codes) -> Floats:
            """Return the scores of coded rows."""

        def posterior(self, log_scores: Floats, prior: Prior = None) -> Floats:
            """Return the posterior of the class."""

    @property
    def _kept_chains(self) -> KeptChains:
        """What the tables lean on, drawn once for all cases, until other rows are learned."""
        counts, found = self.learned_.counts, self._chains
        if found is None or found[0] is not counts:
            found = self._chains = counts, KeptChains()
        return found[1]

    @abstractmethod
    def _drawn_case(self, states: list[int | None], seen: Flags) -> Floats:
        """Return the scores of a case under draws of the tables, (k, n).

        They come from the state of every column, and of which class each draw takes the case to be, (n, k).
        """

    def case_interval(
        self, known: Mapping[str, Any], level: float = LEVEL, shift: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Return the ends of the interval of every class, (k,) each, given plain values.

        The draws are the same for the same values. `shift` is what other base rates add to the log scores.
        """
        return self._ends(self._case_codes(known), level, shift)[1:]

    def _interval(self, given: Mapping[str, Any], level: float) -> tuple[Floats, Floats, Floats]:
        return self._ends(self._given_codes(given), level, None)

    def _given_codes(self, given: Mapping[str, Any]) -> Codes:
        """Return evidence as a coded case, (d, 1); refuse what is none."""
        variables, codes = self.asked_variables(), self._case_codes({})
        place = {name: i for i, name in enumerate(self.encoder_.names)}
        for name, value in given.items():
            variable = variables.heard(name)
            if variable.is_unknown(value):
                continue
            if name == variables.target.name:
                raise QueryError(f"the class {name!r} is given, so there is nothing to ask; remove it")
            codes[place[name]] = variable.state(value)
        return codes

    def _states(self, codes: Codes) -> list[int | None]:
        """Return the state of every column of a coded case; None where it is unknown."""
        pairs = zip(codes[:, 0].tolist(), self.encoder_.cards, strict=True)
        return [code if code < card else None for code, card in pairs]

    def _ends(self, codes: Codes, level: float, shift: Floats | None) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities of the classes given a coded case, (d, 1), and the ends."""
        point = self.posterior(self.score_codes(codes))[0]
        if shift is not None:
            with np.errstate(divide="ignore"):
                point = posteriors((np.log(point) + shift)[None], shift)[0]
        scores = self._drawn_case(self._states(codes), supposed(point, DRAWS))
        if shift is not None:
            scores = scores + shift[:, None]
        return point, *bounds(scores, point, level)
