"""Bags: hidden parents mixed from the closest attributes only, and one bag NB for what has none."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import View
from pgm_nb.graphs.hidden import HIDDEN_VIEWS, HiddenParents

__all__ = ["Bags"]


@dataclass(frozen=True, eq=False, repr=False)
class Bags(HiddenParents):
    """The graph of packaged hidden naive Bayes (Ji, Yu, Zhang).

    Parameters
    ----------
    target, attributes, weights, relevance
        As in `HiddenParents`; the weights of an attribute are those of its bag.
    threshold : float, optional
        I(Xi;Xj|Y) in bits from which on Xj is in the bag of Xi.

    Examples
    --------
    >>> graph = Bags("disease", ("age", "sex", "pulse"), {"age": {"pulse": 1.0}}, threshold=0.1)
    >>> dict(graph.bag("age")), graph.in_naive_bag
    ({'pulse': 1.0}, ('sex', 'pulse'))
    """

    type_name: ClassVar[str] = "bags"
    about: ClassVar[Mapping[str, View]] = {
        "bags": View("Bags", "Each box holds the attributes that are mixed into one hidden parent."),
        **HIDDEN_VIEWS,
    }
    links_view: ClassVar[str] = "strongest"
    report_views: ClassVar[tuple[str, ...]] = ("bags", "strongest")
    link_kind: ClassVar[str] = "bag"

    threshold: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is None:
            return
        if not isinstance(self.threshold, int | float) or not isfinite(self.threshold):
            raise StructureError(
                f"The threshold of the bags must be a finite number of bits, but it is {self.threshold!r}."
            )
        self._set(threshold=float(self.threshold))
