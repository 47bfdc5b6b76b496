"""What one run of the What-if page looks at; its panels share it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgm_nb.app.pages.what_if import evidence
from pgm_nb.explain.case_reader import CaseReader
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.protocols import Value
from pgm_nb.explain.support import RowsBehind
from pgm_nb.inference import Evidence

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Case"]


@dataclass(frozen=True, eq=False)
class Case:
    """What one run of the page looks at."""

    analysis: CaseAnalysis
    reader: CaseReader
    frame: "pd.DataFrame"
    target: str
    rows: RowsBehind | None  #: the training rows, to be counted; None for a saved model alone

    @property
    def known(self) -> dict[str, Value | Evidence | None]:
        """The evidence that the model takes in."""
        return self.analysis.usable(evidence.known(self.reader))
