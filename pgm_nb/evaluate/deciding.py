"""Decisions on rows a model has not seen: what is found and missed at the threshold that the costs set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pgm_nb.arrays import Flags, Floats, Places
from pgm_nb.data.labels import class_place
from pgm_nb.errors import DataError
from pgm_nb.evaluate.out_of_fold import UnseenRows, predict_unseen
from pgm_nb.inference.base_rates import Prior, log_base_rates
from pgm_nb.scoring.costs import FALSE_ALARM, MISS, Costs, read_costs
from pgm_nb.scoring.decisions import (
    GRID,
    Curve,
    DecisionCurve,
    Detection,
    confusion,
    decision_curve,
    detect_decided,
    precision_recall,
    roc,
)
from pgm_nb.scoring.elsewhere import DetectionElsewhere
from pgm_nb.scoring.parallel import Progress

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Decisions", "check_costs", "decisions", "decisions_of", "rarest_class"]


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions about rows that the model had not seen, for one class against the rest.

    Attributes
    ----------
    unseen : UnseenRows
        The rows with their probabilities, each by a model that had not learned from it.
    place : int
        Place of the class that counts among the classes.
    costs : Costs
        What every decision costs.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("wdbc")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, n_bins=5)
    >>> found = pnb.decisions(model, X, y, {"miss": 9, "false alarm": 1}, label="malignant", cv=5)
    >>> found.threshold, found.detection.sensitivity.total
    (0.1, 212)
    """

    unseen: UnseenRows
    place: int
    costs: Costs

    @property
    def label(self) -> str:
        """The class that counts."""
        return str(self.unseen.classes[self.place])

    @property
    def classes(self) -> tuple[str, ...]:
        """All classes."""
        return tuple(map(str, self.unseen.classes))

    @property
    def threshold(self) -> float | None:
        """The probability from which on the class is decided; None where the costs give no single one."""
        return self.costs.threshold(self.place)

    @property
    def chances(self) -> Floats:
        """How probable the class that counts was in every row."""
        chances: Floats = self.unseen.probabilities[:, self.place]
        return chances

    @property
    def own(self) -> Flags:
        """Which rows have the class that counts."""
        own: Flags = self.unseen.truth == self.place
        return own

    @cached_property
    def decided(self) -> Places:
        """The class that is decided for every row."""
        return self.costs.decide(self.unseen.probabilities)

    @cached_property
    def detection(self) -> Detection:
        """What is found, missed, falsely alarmed and cleared."""
        at = self.threshold
        said = self.decided == self.place if at is None else self.chances >= at
        seen = detect_decided(said, self.own, self.threshold)
        rates = self.unseen.base_rates
        if rates is None:
            return seen
        alarms, rows = (
            np.bincount(self.unseen.truth[which], minlength=len(rates)) for which in (said, slice(None))
        )
        others = tuple(
            (int(alarms[c]), int(rows[c] - alarms[c]), float(rates[c]))
            for c in range(len(rates))
            if c != self.place
        )
        return DetectionElsewhere(
            seen.found,
            seen.missed,
            seen.alarms,
            seen.cleared,
            self.threshold,
            share=float(rates[self.place]),
            others=others,
        )

    @cached_property
    def confusion(self) -> pd.DataFrame:
        """Rows by their true class (down) and the decided one (across)."""
        counts = confusion(self.unseen.truth, self.decided, len(self.classes))
        return pd.DataFrame(counts, index=list(self.classes), columns=list(self.classes))

    @cached_property
    def roc(self) -> Curve:
        """False alarms and sensitivity at every threshold, and the area."""
        return roc(self.chances, self.own, self.unseen.weights)

    @cached_property
    def precision_recall(self) -> Curve:
        """Sensitivity and positive predictive value at every threshold, and the average precision."""
        return precision_recall(self.chances, self.own, self.unseen.weights)

    @cached_property
    def decision_curve(self) -> DecisionCurve:
        """The net benefit at each threshold."""
        own = [] if self.threshold is None else [self.threshold]
        return decision_curve(self.chances, self.own, np.unique([*GRID, *own]), self.unseen.weights)

    @property
    def cost(self) -> float:
        """What the decisions cost per row."""
        return self.costs.mean(self.unseen.truth, self.decided, self.unseen.weights)

    @property
    def cost_without(self) -> float:
        """What it costs per row to decide the same class for every row: the cheapest such decision."""
        costs = self.costs.matrix[self.unseen.truth]
        return float(np.average(costs, axis=0, weights=self.unseen.weights).min())

    def of(self, label: Any) -> Decisions:
        """Return the same for another class; with a miss and a false alarm, these are now of that class."""
        place = class_place(label, self.unseen.classes)
        if self.costs.label is None:
            return replace(self, place=place)
        return replace(self, place=place, costs=_costs_of(self._words, self.unseen.classes, place))

    @property
    def _words(self) -> dict[str, float]:
        """The costs of a miss and of a false alarm of the class that counts."""
        other = 1 if self.place == 0 else 0
        matrix = self.costs.matrix
        return {MISS: float(matrix[self.place, other]), FALSE_ALARM: float(matrix[other, self.place])}

    def per_class(self) -> pd.DataFrame:
        """Return the rates of every class against the rest, a row each."""
        rows = []
        for label in self.classes:
            one = self.of(label)
            row: dict[str, Any] = {"class": label, "rows": one.detection.sensitivity.total}
            row["threshold"] = np.nan if one.threshold is None else one.threshold
            for name, rate in one.detection.rates.items():
                row |= {name: rate.value, f"{name} low": rate.low, f"{name} high": rate.high}
            row |= {"auc": one.roc.area, "average precision": one.precision_recall.area}
            row["net benefit"] = one.detection.net_benefit
            rows.append(row)
        return pd.DataFrame(rows)

    def to_frame(self) -> pd.DataFrame:
        """Return all numbers of the class that counts: measure, value, interval where there is one."""
        seen = self.detection
        rows: list[tuple[str, float, float, float]] = [
            (name, rate.value, rate.low, rate.high) for name, rate in seen.rates.items()
        ]
        half = 1.959963984540054 * seen.net_benefit_error  # a mean over rows
        none = float("nan")
        rows += [
            ("net benefit", seen.net_benefit, seen.net_benefit - half, seen.net_benefit + half),
            ("net benefit of deciding it for all", seen.net_benefit_of_all, none, none),
            ("area under the ROC curve", self.roc.area, none, none),
            ("average precision", self.precision_recall.area, none, none),
            ("cost per row", self.cost, none, none),
            ("cost per row of one decision for all", self.cost_without, none, none),
            ("threshold", none if self.threshold is None else self.threshold, none, none),
        ]
        return pd.DataFrame(rows, columns=["measure", "value", "low", "high"])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as numbers, words and lists, for JSON."""
        numbers = {
            row["measure"]: {key: _plain(row[key]) for key in ("value", "low", "high")}
            for row in self.to_frame().to_dict("records")
        }
        seen = self.detection
        return {
            "class that counts": self.label,
            "classes": list(self.classes),
            "rows": len(self.unseen.truth),
            "rows of the table": self.unseen.n_rows,
            "folds": self.unseen.folds,
            "base rates": None if self.unseen.base_rates is None else self.unseen.base_rates.tolist(),
            "costs": self.costs.matrix.tolist(),
            "threshold": self.threshold,
            "found": seen.found,
            "missed": seen.missed,
            "false alarms": seen.alarms,
            "cleared": seen.cleared,
            "confusion": self.confusion.to_numpy().tolist(),
            "measures": numbers,
            "per class": [
                {key: _plain(value) for key, value in row.items()}
                for row in self.per_class().to_dict("records")
            ],
        }

    def chart(self, kind: str, *, theme: str = "light") -> alt.LayerChart:
        """Draw a curve with the chosen point.

        Parameters
        ----------
        kind : {"roc", "precision-recall", "decision"}
            Which curve.
        theme : {"light", "dark"}
            Colours for a light or a dark page.
        """
        from pgm_nb.views.chart import decisions as charts

        seen = self.detection
        if kind == "roc":
            point = (1 - seen.specificity.value, seen.sensitivity.value)
            return charts.roc_chart(self.roc, point, self.label, theme=theme)
        if kind == "precision-recall":
            point = (seen.sensitivity.value, seen.positive_value.value)
            return charts.precision_recall_chart(
                self.precision_recall, point, seen.prevalence, self.label, theme=theme
            )
        if kind == "decision":
            return charts.decision_chart(self.decision_curve, self.threshold, theme=theme)
        raise DataError(f"there is no chart {kind!r}; choose 'roc', 'precision-recall' or 'decision'.")

    def curve_frame(self, kind: str) -> pd.DataFrame:
        """Return the numbers behind a chart."""
        if kind == "decision":
            found = self.decision_curve
            columns = {
                "threshold": found.thresholds,
                "model": found.model,
                "decide it for all": found.everyone,
            }
            return pd.DataFrame({**columns, "decide it for none": 0.0})
        curve = self.roc if kind == "roc" else self.precision_recall
        names = ("false alarm rate", "sensitivity") if kind == "roc" else ("sensitivity", "precision")
        return pd.DataFrame({"threshold": curve.thresholds, names[0]: curve.across, names[1]: curve.up})


def decisions(
    model: Any,
    X: Any,
    y: Any,
    costs: Mapping[Any, float] | pd.DataFrame | None = None,
    *,
    label: Any = None,
    cv: Any = 10,
    random_state: int = 0,
    most_rows: int | None = None,
    progress: Progress | None = None,
    prior: Prior = None,
) -> Decisions:
    """Decide about every row by a model that has not seen it, and say how good the decisions are.

    Parameters
    ----------
    model
        A classifier of ours or of scikit-learn; fitted or not, it is copied and learned anew in each fold.
    X, y
        The table and the class of every row.
    costs : mapping or DataFrame, optional
        As in `model.decide`: ``{"miss": 10, "false alarm": 1}``, ``{(true, decided): cost}``, or a table. By
        default a miss costs as much as a false alarm.
    label : object, optional
        The class that counts; by default the rarest one.
    cv, random_state, most_rows, progress
        As in `pgm_nb.evaluate.out_of_fold.predict_unseen`.
    prior : mapping of class to float, optional
        How common the classes are where decisions are made, if not as in the table. The probabilities move as
        in `model.decide(X, costs, prior=prior)`, and predictive values, net benefit and costs are those of
        that population. What is found and missed from a given case on, the ROC curve of two classes, is the
        same in both; where the threshold lies on it is not.

    Returns
    -------
    Decisions
        The threshold, what is found and missed, rates with intervals, curves, net benefit, cost.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("wdbc")
    >>> found = pnb.decisions(pnb.GaussianNaiveBayes(), X, y, {"miss": 9, "false alarm": 1}, cv=5)
    >>> found.label, found.threshold
    ('malignant', 0.1)
    >>> found.to_frame().head(2).round(3)
           measure  value    low   high
    0  sensitivity  0.901  0.853  0.934
    1  specificity  0.955  0.928  0.972
    """
    classes = np.unique(np.asarray(y)).tolist()
    check_costs(costs, classes, label)
    if prior is not None:
        log_base_rates(prior, classes)
    unseen = predict_unseen(
        model, X, y, cv=cv, random_state=random_state, most_rows=most_rows, progress=progress
    )
    return decisions_of(unseen, costs, label, prior)


def decisions_of(
    unseen: UnseenRows,
    costs: Mapping[Any, float] | pd.DataFrame | None = None,
    label: Any = None,
    prior: Prior = None,
) -> Decisions:
    """Return the decisions that follow from probabilities of unseen rows; quick, for any costs."""
    place = rarest_class(unseen) if label is None else class_place(label, unseen.classes)
    if costs is None:
        costs = {MISS: 1.0, FALSE_ALARM: 1.0}
    return Decisions(unseen.in_population(prior), place, _costs_of(costs, unseen.classes, place))


def _costs_of(costs: Mapping[Any, float] | pd.DataFrame, classes: tuple[Any, ...], place: int) -> Costs:
    words = isinstance(costs, Mapping) and not any(isinstance(key, tuple) for key in costs)
    return read_costs(costs, classes, classes[place] if words else None)


def check_costs(
    costs: Mapping[Any, float] | pd.DataFrame | None, classes: Sequence[Any], label: Any = None
) -> None:
    """Refuse costs that cannot be read, or a class that there is not, before anything long begins."""
    place = 0 if label is None else class_place(label, classes)
    if costs is not None:
        _costs_of(costs, tuple(classes), place)


def rarest_class(unseen: UnseenRows) -> int:
    """Return the place of the class with the fewest rows; of several, the last."""
    counts = np.bincount(unseen.truth, minlength=len(unseen.classes))
    return len(counts) - 1 - int(counts[::-1].argmin())


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(value) if np.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value
