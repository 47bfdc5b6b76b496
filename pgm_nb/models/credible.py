"""How sure the probabilities of the class are: what every model answers, or why it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Floats
from pgm_nb.errors import QueryError
from pgm_nb.inference.evidence import Evidence

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.inference import JunctionTree

__all__ = ["DRAWS", "LEVEL", "Credible", "check_level"]

LEVEL = 0.9  # of an interval, unless another is asked for
DRAWS = 400  # of the tables, for one interval


class Credible:
    """Credible intervals of the probabilities of the class."""

    title: ClassVar[str]
    is_joint: ClassVar[bool]
    classes_: NDArray[Any]
    structure_: Any

    @property
    def no_interval(self) -> str:
        """Why the model has no credible interval, in one sentence; empty if it has one."""
        return (
            f"{self.title} has no credible interval: how unsure its numbers are together is known for naive "
            "Bayes, TAN, GNB, KDB, class trees and bell curves only."
        )

    @property
    def about_interval(self) -> str:
        """How often intervals of 90% held the truth in simulations, in one sentence; empty without any."""
        return ""

    @property
    def interval_caution(self) -> str:
        """What is to be said beside every interval of this model, in one sentence; mostly nothing."""
        return ""

    def no_interval_given(self, given: Mapping[str, Any]) -> str:
        """Why there is no interval given what is known, in one sentence; empty if there is one.

        A model that is no joint distribution has one for plain values only.
        """
        if self.no_interval or self.is_joint:
            return self.no_interval
        other = [name for name, value in given.items() if isinstance(value, Evidence | Mapping)]
        if not other:
            return ""
        return (
            f"{self.title} has a credible interval for plain values only, but {other[0]!r} is given as "
            f"{given[other[0]]}; give one value, or leave it out."
        )

    def credible_interval(
        self, given: Mapping[str, Any] | None = None, *, level: float = LEVEL
    ) -> pd.DataFrame:
        """Say between which two numbers the probability of every class lies, given what is known.

        Parameters
        ----------
        given : mapping, optional
            Evidence, as `query` takes it; what is left out, None and NaN are unknown.
        level : float
            How probable it is that the interval holds the true probability, if the structure is right.

        Returns
        -------
        DataFrame
            The class, its probability, and the ends `low` and `high` of its interval.

        Raises
        ------
        QueryError
            There is no interval; the sentence is that of `no_interval_given`.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("wdbc")
        >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, n_bins=5).fit(X, y)
        >>> model.credible_interval({"worst texture": 30.0}).round(2)
               class  probability   low  high
        0     benign         0.43  0.37  0.52
        1  malignant         0.57  0.48  0.63
        """
        import pandas as pd

        check_is_fitted(self)
        check_level(level)
        why_not = self.no_interval_given(given or {})
        if why_not:
            raise QueryError(why_not)
        point, low, high = self._interval(given or {}, level)
        target = str(self.structure_.target)
        names = _names(target)
        columns = zip(names, (self.classes_.tolist(), point, low, high), strict=True)
        return pd.DataFrame(dict(columns))

    def prepare_intervals(self) -> None:
        """Draw what all intervals need, so that the first one does not wait for it; `rows_behind` does.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> model = pnb.KDependenceBayes().fit(*pnb.load_sample("iris"))
        >>> model.prepare_intervals()
        """

    def _interval(self, given: Mapping[str, Any], level: float) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities of the classes, and the ends of their intervals."""
        raise NotImplementedError

    def tree_interval(
        self, tree: JunctionTree, level: float = LEVEL, shift: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Return the ends of the intervals given the evidence of a tree; asked only of one that is joint."""
        raise NotImplementedError

    def case_interval(
        self, known: Mapping[str, Any], level: float = LEVEL, shift: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Return the ends of the intervals given plain values; asked only of one that is not joint.

        `shift` is what other base rates add to the log scores.
        """
        raise NotImplementedError


def check_level(level: float) -> None:
    """Refuse a level that is no share.

    Examples
    --------
    >>> check_level(0.9)
    """
    if not isinstance(level, int | float | np.floating) or not 0 < level < 1:
        raise QueryError(f"level must be between 0 and 1, such as 0.9, but is {level!r}")


def _names(target: str) -> tuple[str, str, str, str]:
    """Return the names of the columns, none of them that of the class."""
    rest = [f"{name}_" if name == target else name for name in ("probability", "low", "high")]
    return (target, rest[0], rest[1], rest[2])
