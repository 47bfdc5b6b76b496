"""Naive Bayes as a nomogram: add up points on paper, read off the probability (Možina et al. 2004).

The log-odds of two classes are a sum over the attributes, so every state is worth a fixed number of points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.errors import QueryError
from pgm_nb.explain.protocols import PointsModel
from pgm_nb.words import did_you_mean, listed

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.views.printing import PrintSize

__all__ = ["Nomogram", "Scale", "nomogram"]

WIDEST = 100.0  # points that the attribute of the widest span is worth


@dataclass(frozen=True)
class Scale:
    """One attribute: its states, what each is worth, and the log-odds of its least state.

    Examples
    --------
    >>> Scale("age", ("≤ 40", "> 40"), (0.0, 100.0), least=-0.7).span
    100.0
    """

    name: str
    states: tuple[str, ...]
    points: tuple[float, ...]
    least: float

    @property
    def span(self) -> float:
        """The points between the worst and the best state."""
        return max(self.points)


@dataclass(frozen=True)
class Nomogram:
    """Points of every state, and the way from their total to the probability of a class.

    log-odds = `start` + `unit` * total. The state of an attribute that speaks most against the class is
    worth 0 points, and the states of the widest attribute span 100. With more than two classes the
    probability is that of the class given that the case belongs to one of the two.

    Attributes
    ----------
    target : str
        Name of the class variable.
    label, against : str
        The class whose probability is read off, and the class it is compared with.
    scales : tuple of Scale
        The attributes, the widest first.
    prior_log_odds : float
        Log-odds before anything is known.
    unit : float
        Log-odds of one point.
    certain : bool
        Whether there are no other classes.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> from pgm_nb.explain import nomogram
    >>> chart = nomogram(pnb.NaiveBayes(n_bins=3).fit(*pnb.load_sample("wdbc")))
    >>> chart.label, chart.scales[0].name, round(chart.scales[0].span, 6)
    ('malignant', 'worst perimeter', 100.0)
    >>> round(chart.probability(sum(scale.span for scale in chart.scales)), 3)
    1.0
    """

    target: str
    label: str
    against: str
    scales: tuple[Scale, ...]
    prior_log_odds: float
    unit: float
    certain: bool

    @property
    def start(self) -> float:
        """Log-odds at zero points: every attribute in its least state."""
        return self.prior_log_odds + sum(scale.least for scale in self.scales)

    def largest(self, number: int) -> Nomogram:
        """Keep so many attributes, the widest; the others are then unknown, not in their least state."""
        return replace(self, scales=self.scales[:number])

    def probability(self, points: float) -> float:
        """Probability of the class for a total of points."""
        return float(1 / (1 + np.exp(-(self.start + self.unit * points))))

    def total(self, probability: float) -> float:
        """Total of points that gives a probability."""
        return float((np.log(probability / (1 - probability)) - self.start) / self.unit)

    def to_frame(self) -> pd.DataFrame:
        """One row per state: attribute, state, points."""
        import pandas as pd

        rows = [
            (scale.name, state, points)
            for scale in self.scales
            for state, points in zip(scale.states, scale.points, strict=True)
        ]
        return pd.DataFrame(rows, columns=["attribute", "state", "points"])

    def worth(self, known: Mapping[str, str]) -> tuple[float | None, ...]:
        """Points of a case: per attribute, None where it is unknown, and last their total.

        What is unknown adds nothing to the log-odds, which is more than its least state would.

        Parameters
        ----------
        known : mapping of str to str
            States by attribute; of attributes that are not in the nomogram nothing is said.
        """
        states = {scale.name: dict(zip(scale.states, scale.points, strict=True)) for scale in self.scales}
        own = tuple(states[scale.name].get(known.get(scale.name, "")) for scale in self.scales)
        unknown = [-scale.least / self.unit for scale in self.scales]
        total = sum(u if points is None else points for points, u in zip(own, unknown, strict=True))
        return (*own, total)

    def draw(self, *, theme: str = "light", largest: int = 15, known: Mapping[str, str] | None = None) -> str:
        """Draw the nomogram as SVG text.

        Parameters
        ----------
        theme : {"light", "dark"}
            Colours for a light or a dark page.
        largest : int
            Attributes that are drawn, the widest; the others are taken as unknown.
        known : mapping of str to str, optional
            States of a case, which are marked; its attributes are drawn, however little they are worth.
        """
        from pgm_nb.views.chart.nomogram import nomogram_svg

        case = known or {}
        scales = [s for place, s in enumerate(self.scales) if place < largest or s.name in case]
        drawn = replace(self, scales=tuple(scales))
        rest = len(self.scales) - len(drawn.scales)
        return nomogram_svg(
            [(scale.name, scale.states, scale.points) for scale in drawn.scales],
            drawn.total,
            title=self._title,
            note=f"{rest} more attributes, each worth less, are taken as unknown" if rest else "",
            known=drawn.worth(case) if case else (),
            theme=theme,
        )

    def printed(self, format: str, size: PrintSize, **options: Any) -> bytes:
        """Draw the nomogram as an svg, pdf or png file for print; options as for `draw`."""
        from pgm_nb.views.printing import print_svg

        return print_svg(self.draw(**options), format, size, theme=options.get("theme", "light"))

    def _repr_svg_(self) -> str:
        return self.draw()

    @property
    def _title(self) -> str:
        title = f"Probability of {self.target} = {self.label}"
        return title if self.certain else f"{title} rather than {self.against}"


def nomogram(model: PointsModel, *, label: Any = None, against: Any = None) -> Nomogram:
    """Turn a fitted naive Bayes into points.

    Parameters
    ----------
    model : NaiveBayes
        Fitted, with smoothing; in the other models a state's worth depends on other attributes.
    label, against : object, optional
        The class whose probability is read off (by default the last), and the class it is compared with (by
        default the first, or the last where the first is the label).

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> from pgm_nb.explain import nomogram
    >>> chart = nomogram(pnb.NaiveBayes().fit(*pnb.load_sample("iris")), label="virginica")
    >>> chart.to_frame().head(3).round(1)
         attribute         state  points
    0  petal width        ≤ 0.25     0.0
    1  petal width  (0.25, 0.45]     1.1
    2  petal width  (0.45, 1.15]    19.4
    """
    _check(model)
    factors, encoder = model.potentials_, model.encoder_
    classes = [str(name) for name in model.classes_.tolist()]
    one = len(classes) - 1 if label is None else _find(str(label), classes)
    rest = [place for place in range(len(classes)) if place != one]
    other = rest[0] if against is None else _find(str(against), classes)
    if one == other:
        raise QueryError(f"a class is compared with another one, but {classes[one]!r} is given twice")
    odds = {c: table[one] - table[other] for c, table in zip(factors.columns, factors.tables, strict=True)}
    spans = {column: float(np.ptp(values)) for column, values in odds.items()}
    unit = max(spans.values()) / WIDEST or 1.0
    scales = tuple(
        Scale(
            encoder.columns[column].name,
            encoder.columns[column].labels,
            tuple(((odds[column] - odds[column].min()) / unit).tolist()),
            float(odds[column].min()),
        )
        for column in sorted(odds, key=lambda column: -spans[column])
    )
    prior = float(factors.log_prior[one] - factors.log_prior[other])
    return Nomogram(
        model.structure_.target, classes[one], classes[other], scales, prior, unit, len(classes) == 2
    )


def _check(model: PointsModel) -> None:
    """Refuse a model that is not fitted, or whose states are not worth a fixed number of points."""
    if not getattr(getattr(model, "about", None), "has_nomogram", False):
        title = model.about.title if hasattr(model, "about") else type(model).__name__
        raise QueryError(
            f"a nomogram adds up points per attribute, which only naive Bayes allows, but this is {title}; "
            "use NaiveBayes, or explain(row) for one row"
        )
    if not hasattr(model, "structure_"):
        raise QueryError("a nomogram needs a fitted model; call fit first")
    if model.smoothing is None:
        raise QueryError(
            "without smoothing a state can rule a class out, which no number of points can show; "
            'fit NaiveBayes with smoothing, such as smoothing="hierarchical"'
        )


def _find(label: str, classes: list[str]) -> int:
    if label not in classes:
        raise QueryError(
            f"there is no class {label!r}{did_you_mean(label, classes)} (classes: {listed(classes)})"
        )
    return classes.index(label)
