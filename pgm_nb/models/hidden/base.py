"""What hidden naive Bayes and its packaged form share: mixtures in the place of a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from pgm_nb.counts import Counts
from pgm_nb.errors import DataError
from pgm_nb.explain.terms import Terms
from pgm_nb.inference import Variable, Variables
from pgm_nb.inference.arrays import Floats
from pgm_nb.models.hidden.mixtures import Mixtures, log_scores, mixtures
from pgm_nb.models.hidden.search import Sweep
from pgm_nb.models.hidden.terms import hidden_terms
from pgm_nb.models.options import TABLE_OPTIONS, Option
from pgm_nb.models.table import TableClassifier

if TYPE_CHECKING:
    from pgm_nb.explain.growth import Growth
    from pgm_nb.graphs import HiddenParents
    from pgm_nb.inference.arrays import Codes

__all__ = ["HiddenClassifier"]

SMOOTHING = Option(
    "smoothing",
    parse=float,
    metavar="M",
    flag_help="a number of imaginary rows spread over the states of every table (default: 1)",
)


class HiddenClassifier(TableClassifier[Counts]):
    """c(E) = argmax P(c) prod_i sum_j W_ij P(ai | aj, c); a subclass says which j take part."""

    options: ClassVar[tuple[Option, ...]] = tuple(
        SMOOTHING if option.key == "smoothing" else option for option in TABLE_OPTIONS
    )
    statistics: ClassVar[type[Counts]] = Counts
    no_divergence: ClassVar[str] = (
        "not defined: the mixtures point both ways, so their product is no joint distribution"
    )
    structure_: HiddenParents
    trace_: Sweep

    def __init__(
        self,
        *,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float = 1.0,
        missing: str = "state",
    ) -> None:
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)

    def _keep(self, counts: Counts, structure: Any, names: Sequence[str]) -> Counts:
        return counts

    def _estimate(self) -> None:
        column = {name: i for i, name in enumerate(self.encoder_.names)}
        weights = np.zeros((len(column), len(column)))
        for owner, bag in self.structure_.weights.items():
            for member, weight in bag.items():
                weights[column[owner], column[member]] = weight
        self.factors_: Mixtures = mixtures(self.learned_.counts, weights, self._m)

    @property
    def _m(self) -> float:
        """Imaginary rows; `_check_smoothing` has refused None."""
        return float(cast("float", self.smoothing))

    def score_codes(self, codes: Codes) -> Floats:
        """Log score of coded rows, (n, k); an unknown attribute is left out of the mixtures."""
        return log_scores(self.factors_, codes)

    def coded_terms(self, codes: Codes) -> Terms:
        """Take scores apart, the attributes that tell most about the class first."""
        column = {name: i for i, name in enumerate(self.encoder_.names)}
        names = tuple(self._by_relevance())
        values = hidden_terms(self.factors_, codes)[:, [column[name] for name in names]]
        attributes = tuple((name, *_heaviest_first(self.structure_.bag(name))) for name in names)
        return Terms(names, attributes, self.class_log_prior_, values)

    def _by_relevance(self) -> list[str]:
        relevance = self.structure_.relevance or {}
        return sorted(self.structure_.attributes, key=lambda name: -relevance[name])

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self.factors_.log_prior

    def _read_trace(self, record: Mapping[str, Any]) -> Sweep:
        return Sweep.from_dict(record)

    def _check_smoothing(self) -> None:
        if self.smoothing is None or isinstance(self.smoothing, str):
            raise DataError(
                f"hidden naive Bayes needs imaginary rows: smoothing must be a positive number, but is "
                f"{self.smoothing!r}; 1.0 is the default and the papers' value"
            )
        super()._check_smoothing()

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes by what they tell about the class (gain, in bits), with their bags.

        `members` counts the contributors to the hidden parent, `strongest` is the one of largest weight W
        and `share` that weight. There is no KL divergence: the product of the mixtures is no normalised
        joint distribution.
        """
        check_is_fitted(self)
        relevance = self.structure_.relevance or {}
        rows = []
        for name in self._by_relevance():
            bag = self.structure_.bag(name)
            strongest = max(bag, key=bag.__getitem__) if bag else None
            rows.append((name, relevance[name], len(bag), strongest, bag[strongest] if strongest else 0.0))
        return pd.DataFrame(rows, columns=["attribute", "gain", "members", "strongest", "share"])

    def growth_views(self, rows: bool) -> tuple[str, ...]:
        """Return the views that can show its growth."""
        return ("links", "bags") if "bags" in self.structure_.views else ("links",)

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Describe how links and bags form as the threshold falls."""
        from pgm_nb.models.hidden.growth import threshold_growth

        return threshold_growth(self, self.trace_, view, most)

    def to_pgmpy(self) -> Any:
        """Compile to a Markov network of pgmpy with an explicit hidden variable per bag.

        Its class posterior given *all* attributes is this model's (pgmpy's VariableElimination returns it
        unnormalised). Given some attributes only, pgmpy sums the others out of the product of factors; this
        model leaves them out of the mixtures, and the two differ. See `docs/models.md`.
        """
        from pgm_nb.inference.pgmpy import to_markov_network
        from pgm_nb.models.hidden.potentials import potentials

        check_is_fitted(self)
        attributes = tuple(Variable(c.name, c.labels, c) for c in self.encoder_.columns)
        target = Variable(self.learned_.target, tuple(map(str, self.classes_.tolist())))
        variables = Variables(target, attributes)
        return to_markov_network(variables, potentials(self.factors_, variables))


def _heaviest_first(bag: Mapping[str, float]) -> list[str]:
    return sorted(bag, key=lambda name: -bag[name])
