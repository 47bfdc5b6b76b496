"""What explaining asks of a model; the models of `pgm_nb.models` answer it, and so may any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.engine.evidence import Evidence
from pgm_nb.errors import DataError
from pgm_nb.explain.explanation import Terms

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.data import Column, Encoder
    from pgm_nb.engine.junction import JunctionTree
    from pgm_nb.explain.growth import Growth
    from pgm_nb.explain.next_measurement import Measure, Prospects
    from pgm_nb.graphs import Graph
    from pgm_nb.tables.factors import Factors

__all__ = [
    "CaseModel",
    "CodedModel",
    "CodedTable",
    "ExplainedModel",
    "Known",
    "PointsModel",
    "Value",
    "Varied",
    "check_model",
]

Value = float | str | bool
Known = Mapping[str, Value | Evidence | None]  # what is known of a case: None for an empty cell
Varied = Mapping[str, tuple[Sequence[Value | None], Places]]  # values, and which of them each case has


class ExplainedModel(Protocol):
    """A classifier whose scores come apart into steps and whose growth can be followed."""

    classes_: NDArray[Any]

    @property
    def about(self) -> Any:
        """What its class says about itself: an `About` of `pgm_nb.models`."""

    @property
    def structure_(self) -> Any:
        """A graph of `pgm_nb.graphs`."""

    @property
    def attribute_names_(self) -> tuple[str, ...]:
        """Names of the columns it was trained on."""

    @property
    def importance_(self) -> pd.DataFrame:
        """The attributes, the most important ones first."""

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""

    def terms(self, X: Any) -> Terms:
        """Take the joint log score of every row apart."""

    def prefix_scores(self, X: Any) -> Floats:
        """Joint log scores of the models made of the first 0, 1, ... all steps, (n, steps + 1, k)."""

    def growth_views(self, rows: bool) -> tuple[str, ...]:
        """Return the views in which it can grow."""

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Describe its growth in one view."""


class CodedTable(Protocol):
    """Training rows as codes."""

    @property
    def encoder(self) -> Encoder:
        """How columns become codes."""

    @property
    def y(self) -> Places:
        """Class codes, (n,)."""


class CodedModel(ExplainedModel, Protocol):
    """A model over coded columns, which can learn its structure from any selection of rows."""

    @property
    def encoder_(self) -> Encoder:
        """How columns become codes."""

    def encode(self, X: Any) -> Codes:
        """Code the rows of a table, (d, n)."""

    def code_table(self, X: Any, y: Any) -> Any:
        """Learn how columns become codes, and code a training table: a `CodedTable`."""

    def relearn(self, rows: Any, chosen: Places) -> Any:
        """Learn the structure alone from some rows of a coded table."""


class PointsModel(Protocol):
    """A model whose log-odds are a sum of points, one number for each state of an attribute."""

    smoothing: Any
    classes_: NDArray[Any]

    @property
    def about(self) -> Any:
        """What its class says about itself: an `About` of `pgm_nb.models`."""

    @property
    def potentials_(self) -> Factors:
        """Log tables that add up to the scores of complete rows."""

    @property
    def structure_(self) -> Any:
        """A star."""

    @property
    def encoder_(self) -> Encoder:
        """How columns become codes."""


class CaseModel(Protocol):
    """What `CaseAnalysis` asks of a fitted model; every `Classifier` has it."""

    @property
    def about(self) -> Any:
        """What its class says about itself: an `About` of `pgm_nb.models`."""

    @property
    def structure_(self) -> Graph:
        """The learned graph."""

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels."""

    @property
    def attribute_names_(self) -> tuple[str, ...]:
        """Names of the attributes it was trained on, also of those that it does not use."""

    @property
    def codes_numbers(self) -> bool:
        """Whether the model sees the interval of a number rather than the number."""

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior."""

    def case_columns(self, X: pd.DataFrame) -> tuple[Column, ...]:
        """Return the attributes with the states that a person can choose between."""

    def case_scores(self, known: Mapping[str, Value | None], varied: Varied | None = None) -> Floats:
        """Joint log scores of a case, (1, k), or of several that differ in some values, (n, k)."""

    def case_terms(self, known: Mapping[str, Value | None]) -> Terms:
        """Return the scores of a case as a sum over the steps of the model."""

    def state_tables(self, columns: Sequence[Column]) -> dict[str, Floats]:
        """P(state | class) of the attributes, each (k, states)."""

    def junction_tree(self) -> JunctionTree:
        """Return the joint distribution; asked only of a model that `is_joint`."""

    def class_posterior(self, tree: JunctionTree) -> Floats:
        """Return the posterior of the class; asked only of a model that `is_joint`."""

    @property
    def intervals_(self) -> Any:
        """How sure the probabilities of the class are: `Intervals` of `pgm_nb.models`."""

    def map_query(
        self, variables: Any = None, given: Mapping[str, Any] | None = None, *, prior: Any = None
    ) -> dict[str, str]:
        """Return the likeliest joint states of everything not given, or refuse in a sentence."""

    def measures(self, X: Any = None) -> tuple[Measure, ...]:
        """Return the attributes as things to measure."""

    def prospects(
        self,
        given: Mapping[str, Any] | None = None,
        X: Any = None,
        *,
        measures: Sequence[Measure] | None = None,
    ) -> Prospects:
        """Return the case of which something is known, ready for questions about the rest."""


def check_model(model: object, method: str, study: str) -> None:
    """Refuse what lacks the method that a study needs.

    Examples
    --------
    >>> check_model("nb", "terms", "A curve")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pgm_nb.errors.DataError: A curve needs a model of pgm_nb, but was given an object of type str; ...
    """
    if isinstance(model, type) or not hasattr(model, method):
        given = (
            f"the class {model.__name__}"
            if isinstance(model, type)
            else f"an object of type {type(model).__name__}"
        )
        raise DataError(
            f"{study} needs a model of pgm_nb, but was given {given}; pass the model itself, not its name, "
            "its class or a pipeline."
        )
