"""How far each unknown attribute could move the probability of a class: a tornado chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.data.labels import class_place
from pgm_nb.explain.asked_case import asked_case
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.protocols import Known
from pgm_nb.words import probability

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

__all__ = ["Swing", "Tornado", "tornado"]


@dataclass(frozen=True)
class Swing:
    """How far one unknown attribute could move the probability."""

    attribute: str
    low: float  #: the least probability over its states
    high: float
    low_state: str  #: the state that gives it
    high_state: str

    @property
    def width(self) -> float:
        """The highest probability less the lowest."""
        return self.high - self.low


@dataclass(frozen=True, eq=False)
class Tornado:
    """The probability of a class now, and the range that each unknown attribute could move it over.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5)
    >>> case = pnb.CaseAnalysis.of(model.fit(X, y), X)
    >>> print(pnb.tornado(case, {"petal width": 1.6}, label="virginica"))
    virginica has a probability of 77.1%; petal length alone could make it 5.6% or 99.8%
    """

    label: str
    now: float
    swings: tuple[Swing, ...]  #: the widest first

    def to_frame(self) -> pd.DataFrame:
        """One row per unknown attribute, the widest range first: attribute, low, high, and their states."""
        import pandas as pd

        names = ["attribute", "low", "high", "low_state", "high_state"]
        return pd.DataFrame(
            [[getattr(swing, name) for name in names] for swing in self.swings], columns=names
        )

    def chart(self, *, theme: str = "light", largest: int = 12) -> alt.LayerChart:
        """Draw the ranges, the widest on top, around the probability now."""
        from pgm_nb.views.chart.tornado import Range, range_chart

        ranges = [Range(s.attribute, s.low, s.high, s.low_state, s.high_state) for s in self.swings[:largest]]
        return range_chart(self.now, ranges, title=f"probability of {self.label}", theme=theme)

    def __str__(self) -> str:
        says = f"{self.label} has a probability of {probability(self.now)}"
        if not self.swings:
            return f"{says}; no attribute is unknown"
        first = self.swings[0]
        return (
            f"{says}; {first.attribute} alone could make it {probability(first.low)} or "
            f"{probability(first.high)}"
        )


def tornado(case: CaseAnalysis, known: Known, label: str | None = None) -> Tornado:
    """Ask of every unknown attribute how far its value could move the probability of a class.

    Each state of it is set in turn, with everything else as it is. An empty cell is not among the states.

    Parameters
    ----------
    case : CaseAnalysis
        A fitted model with its table.
    known : mapping
        What is known of the case.
    label : str, optional
        The class; by default the most probable one.
    """
    usable = asked_case(case, known, "A tornado chart")
    now = case.posterior(usable).classes
    place = int(now.argmax()) if label is None else class_place(label, case.classes)
    unknown = [name for name in case.attributes if name not in usable]
    cards = [
        case.attributes[name].column.card - case.attributes[name].column.missing_state for name in unknown
    ]
    owner = np.repeat(np.arange(len(unknown)), cards)
    state = np.concatenate([np.arange(card) for card in cards]) if unknown else np.zeros(0, dtype=np.intp)
    places = {name: np.where(owner == i, state, -1) for i, name in enumerate(unknown)}
    chances = case.posteriors(usable, places)[:, place] if unknown else np.zeros(0)
    swings = []
    for i, name in enumerate(unknown):
        of_states, labels = chances[owner == i], case.attributes[name].column.labels
        low, high = int(of_states.argmin()), int(of_states.argmax())
        swings.append(Swing(name, float(of_states[low]), float(of_states[high]), labels[low], labels[high]))
    swings.sort(key=lambda swing: -swing.width)
    return Tornado(case.classes[place], float(now[place]), tuple(swings))
