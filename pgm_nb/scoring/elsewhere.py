"""How good the same decisions are where the classes are more or less common than among the rows.

Of the cases of one class, the same share is found anywhere. How many of those called so are right, and what
the decisions are worth, depends on how common the class is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pgm_nb.scoring.decisions import Detection, Rate, wilson

__all__ = ["DetectionElsewhere"]


@dataclass(frozen=True)
class DetectionElsewhere(Detection):
    """What decisions find and miss in another population; the four counts remain those of the rows.

    The interval of a predictive value has the ends that follow from the ends of sensitivity and specificity,
    so it is wider than 95% needs.

    Examples
    --------
    >>> seen = DetectionElsewhere(9, 1, 5, 85, threshold=0.1, share=0.01, others=((5, 85, 0.99),))
    >>> seen.sensitivity.value, round(seen.positive_value.value, 3)  # 0.009 / (0.009 + 0.99 · 5/90)
    (0.9, 0.141)
    """

    share: float = 0.0  #: of the class among all cases
    others: tuple[tuple[int, int, float], ...] = ()  #: alarms, cleared and share of every other class

    @property
    def prevalence(self) -> float:
        """The share of cases that have the class."""
        return self.share

    @cached_property
    def specificity(self) -> Rate:
        """Of the cases without the class, the share that is cleared."""
        counted = [(alarms, cleared, share) for alarms, cleared, share in self.others if alarms + cleared]
        total = sum(share for _, _, share in counted)
        if len(counted) < 2 or not total:
            return Rate.of(self.cleared, self.cleared + self.alarms)
        parts = np.array([share / total for _, _, share in counted])
        sizes = np.array([alarms + cleared for alarms, cleared, _ in counted])
        value = float(parts @ [cleared / (alarms + cleared) for alarms, cleared, _ in counted])
        low, high = wilson(value, 1 / float((parts**2 / sizes).sum()))
        return Rate(value, low, high, self.cleared, self.cleared + self.alarms)

    @cached_property
    def positive_value(self) -> Rate:
        """Of the cases called so, the share that has the class."""
        hits, clear = self.sensitivity, self.specificity
        ends = zip(hits[:3], clear[:3], strict=True)
        value, low, high = (_share(a * self.share, (1 - b) * (1 - self.share)) for a, b in ends)
        return Rate(value, low, high, self.found, self.found + self.alarms)

    @cached_property
    def negative_value(self) -> Rate:
        """Of the cases not called so, the share without the class."""
        hits, clear = self.sensitivity, self.specificity
        ends = zip(hits[:3], clear[:3], strict=True)
        value, low, high = (_share(b * (1 - self.share), (1 - a) * self.share) for a, b in ends)
        return Rate(value, low, high, self.cleared, self.cleared + self.missed)

    @property
    def net_benefit(self) -> float:
        """Cases found, less false alarms at their price, per case."""
        alarms = 1 - self.specificity.value
        return self.sensitivity.value * self.share - self._price * alarms * (1 - self.share)

    @property
    def net_benefit_error(self) -> float:
        """Standard error of the net benefit: of the two rates it is made of."""
        parts = (
            (self.share, self.sensitivity),
            (self._price * (1 - self.share), self.specificity),
        )
        squares = sum(
            weight**2 * rate.value * (1 - rate.value) / rate.total for weight, rate in parts if rate.total
        )
        return float(np.sqrt(squares))

    @property
    def net_benefit_of_all(self) -> float:
        """The net benefit of deciding this class for every case."""
        return self.share - self._price * (1 - self.share)

    @property
    def _price(self) -> float:
        if self.threshold is None or self.threshold >= 1:
            return float("nan")
        return self.threshold / (1 - self.threshold)


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part + rest > 0 else float("nan")
