"""Decisions about rows that a model has not seen, how good they are, and what that means for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pgm_nb.arrays import Flags, Floats, Places
from pgm_nb.data import as_labels
from pgm_nb.data.labels import class_place
from pgm_nb.engine.questions import Prior, log_base_rates
from pgm_nb.errors import DataError
from pgm_nb.evaluate.predictions import UnseenRows, predict_unseen
from pgm_nb.scoring.decisions import (
    FALSE_ALARM,
    GRID,
    MISS,
    Costs,
    Curve,
    DecisionCurve,
    Detection,
    DetectionElsewhere,
    Rate,
    confusion,
    decision_curve,
    detect_decided,
    precision_recall,
    read_costs,
    roc,
)
from pgm_nb.scoring.folds import Progress
from pgm_nb.words import percent, plural, probability

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "Decisions",
    "benefit_sentence",
    "check_costs",
    "decisions",
    "decisions_of",
    "found_sentence",
    "mix_sentence",
    "ratio_sentence",
    "right_sentence",
    "rows_sentence",
    "said",
]


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
        As in `pgm_nb.evaluate.predictions.predict_unseen`.
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
    classes = np.unique(as_labels(y)).tolist()
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


_FEW = 20  # rows that are not spoken of as if they were a hundred
_ENOUGH = 0.005  # a rate closer to none or all is counted in a thousand, not in a hundred


def said(found: Decisions) -> tuple[str, ...]:
    """Return all that is said about decisions, in the order in which it is read.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("wdbc")
    >>> found = pnb.decisions(pnb.GaussianNaiveBayes(), X, y, {"miss": 9, "false alarm": 1}, cv=5)
    >>> print(said(found)[0])
    A miss costs as much as 9 false alarms. So malignant is decided from a probability of 10.0% on.
    >>> print(said(found)[1])
    Of 100 cases that are malignant, 90 are found and 10 are missed (95% interval: 85 to 93 found). Of 100
    that are not, 4 raise a false alarm (3 to 7).
    >>> print(said(found)[3])
    Per 100 cases, the decisions are worth 33.3 that are malignant, found without any false alarm; deciding
    malignant for all is worth 30.3, never deciding it 0.
    """
    sentences = (
        ratio_sentence(found),
        found_sentence(found),
        right_sentence(found),
        benefit_sentence(found),
        mix_sentence(found),
        rows_sentence(found),
    )
    return tuple(sentence for sentence in sentences if sentence)


def ratio_sentence(found: Decisions) -> str:
    """Say the costs, and the threshold that follows."""
    if found.threshold is None:
        return "For every case the class of least expected cost is decided."
    rule = f"So {found.label} is decided from a probability of {probability(found.threshold)} on."
    ratio = (1 - found.threshold) / found.threshold if found.threshold else float("inf")
    if ratio >= 1:
        return f"A miss costs as much as {_times(ratio)}. {rule}"
    return f"A false alarm costs as much as {_times(1 / ratio, 'miss', 'misses')}. {rule}"


def _times(ratio: float, one: str = "false alarm", many: str = "false alarms") -> str:
    if abs(ratio - 1) < 1e-9:
        return f"a {one}"
    return f"{ratio:.3g} {many}" if ratio < 1000 else f"{ratio:,.0f} {many}"


def found_sentence(found: Decisions, *, intervals: bool = True) -> str:
    """Say how many of a hundred cases are found, missed and falsely alarmed."""
    seen, label = found.detection, found.label
    hits, others = seen.sensitivity, seen.specificity
    if not hits.total or not others.total:
        return f"There are not both cases that are {label} and cases that are not."
    of, caught = _base(hits), _count(hits.value, _base(hits))
    first = f"Of {of:,} cases that are {label}, {caught:,} {_are(caught)} found and {of - caught:,} "
    first += f"{_are(of - caught)} missed"
    if intervals:
        first += f" (95% interval: {_count(hits.low, of):,} to {_count(hits.high, of):,} found)"
    of = _base(others)
    alarms = _count(1 - others.value, of)
    second = f"Of {of:,} that are not, {alarms:,} {'raises' if alarms == 1 else 'raise'} a false alarm"
    if intervals:
        second += f" ({_count(1 - others.high, of):,} to {_count(1 - others.low, of):,})"
    return f"{first}. {second}."


def right_sentence(found: Decisions) -> str:
    """Say how far each of the two answers can be relied on."""
    seen, label = found.detection, found.label
    yes, no = seen.positive_value, seen.negative_value
    if not yes.total:
        return f"{label} is never decided: no case reaches the threshold."
    first = f"Where {label} is decided, it is right in {percent(yes.value)} of the cases"
    if not no.total:
        return f"{first}; it is decided for every case."
    return f"{first}; where it is not, the case is something else in {percent(no.value)}."


def benefit_sentence(found: Decisions) -> str:
    """Say whether the model is worth more than deciding the same for everyone."""
    seen = found.detection
    if found.threshold is None:
        return _cost_sentence(found)
    label, every = found.label, seen.net_benefit_of_all
    worth = f"worth {_per_hundred(seen.net_benefit)} that are {label}, found without any false alarm"
    others = f"deciding {label} for all is worth {_per_hundred(every)}, never deciding it 0"
    if seen.net_benefit > max(every, 0.0):
        return f"Per 100 cases, the decisions are {worth}; {others}."
    return f"At these costs the model is of no use: per 100 cases, its decisions are {worth}; {others}."


def _per_hundred(benefit: float) -> str:
    """Write a net benefit as cases found of a hundred."""
    return f"{100 * benefit:z.1f}".replace("-", "\N{MINUS SIGN}")


def _cost_sentence(found: Decisions) -> str:
    return (
        f"The decisions cost {found.cost:.3g} per case; to decide the same class for every case costs at "
        f"least {found.cost_without:.3g}."
    )


def mix_sentence(found: Decisions) -> str:
    """Say for which mix of classes this holds."""
    shares = found.unseen.shares
    table = percent(float(shares[found.place]), digits=1)
    if found.unseen.base_rates is None:
        return f"This is for the table's own mix: {table} are {found.label}."
    there = percent(float(found.unseen.base_rates[found.place]), digits=1)
    return f"This is for your base rate: {there} are {found.label}, and {table} in the table."


def rows_sentence(found: Decisions) -> str:
    """Say on which rows all this was counted."""
    unseen = found.unseen
    drawn = (
        f"{len(unseen.truth):,} of {plural(unseen.n_rows, 'row')}, drawn at random"
        if len(unseen.truth) < unseen.n_rows
        else f"all {plural(unseen.n_rows, 'row')}"
    )
    return (
        f"Counted on {drawn}, each decided by a model that had not seen it ({plural(unseen.folds, 'fold')})."
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _base(rate: Rate) -> int:
    """Return of how many cases to speak: few are counted as they are."""
    if rate.total < _FEW and rate.value == rate.hits / rate.total:
        return rate.total
    return 1000 if 0 < min(rate.value, 1 - rate.value) < _ENOUGH else 100


def _count(share: float, of: int) -> int:
    return round(share * of)
