"""What the pages look at that show a case: the model, the table, and what is known."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell import evidence
from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.explain.case_reader import CaseReader
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.protocols import Value
from pgm_nb.explain.support import RowsBehind, rows_behind
from pgm_nb.inference import Evidence

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Case", "open_case"]


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


def open_case(screen: Screen) -> Case:
    """Return what a page looks at, and keep what is known in the address."""
    digest, settings, frame = screen.source.digest, screen.settings, screen.frame
    reader = evidence.reader_of(digest, settings.target, frame)
    evidence.keep_evidence(reader, len(frame) if screen.has_table else 0)
    model = screen.fitted.model
    analysis = _analysis(digest, settings, model, frame)
    rows = _rows(digest, settings, model, frame) if screen.has_table else None
    return Case(analysis, reader, frame, settings.target, rows)


@st.cache_resource(max_entries=32, show_spinner=False)
def _analysis(digest: str, settings: Settings, _model: Any, _frame: "pd.DataFrame") -> CaseAnalysis:
    return CaseAnalysis.of(_model, training_rows(_frame, settings)[0])


@st.cache_resource(max_entries=8, show_spinner=False)
def _rows(digest: str, settings: Settings, _model: Any, _frame: "pd.DataFrame") -> RowsBehind:
    return rows_behind(_model, *training_rows(_frame, settings))
