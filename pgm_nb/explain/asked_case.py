"""A case that is asked about by name: what does not fit the model is refused, not left out in silence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pgm_nb.data.frame import is_empty
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.protocols import Value
from pgm_nb.inference import Evidence, Variable
from pgm_nb.inference.evidence import likelihood
from pgm_nb.words import did_you_mean, listed

__all__ = ["asked_case"]


def asked_case(case: Any, known: Any, study: str) -> dict[str, Value | Evidence | None]:
    """Return what is known of a case as the model uses it; NaN is unknown.

    Parameters
    ----------
    case : CaseAnalysis
        A fitted model with its table; anything else is refused.
    known : mapping or Series
        What is known. A name or a value that the model does not have is refused.
    study : str
        What is asked, for the sentence that refuses.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> case = CaseAnalysis.of(pnb.NaiveBayes().fit(X, y), X)
    >>> asked_case(case, {"petal width": 1.6, "petal length": None}, "A tornado")
    {'petal width': 1.6}
    """
    if not isinstance(case, CaseAnalysis):
        raise DataError(
            f"{study} needs a fitted model with its table, pnb.CaseAnalysis.of(model, X), but was given an "
            f"object of type {type(case).__name__}"
        )
    if not isinstance(known, Mapping | pd.Series):
        raise QueryError(
            "what is known of a case is given by name, such as {'age': 64} or a row X.iloc[0], but was given "
            f"an object of type {type(known).__name__}"
        )
    values = dict(known.items())
    read: dict[str, Any] = {}
    for name, value in values.items():
        if name not in case.attributes:
            _check_name(case, name)
        else:
            read[name] = _value(case, name, value)
    return case.usable(read)


def _check_name(case: CaseAnalysis, name: str) -> None:
    """Refuse a name that is no attribute; one that the model has and does not use is left out."""
    if name == case.target:
        raise QueryError(f"the class {name!r} is given, but it is what is asked for; leave it out")
    if name not in case.model.attribute_names_:
        raise QueryError(
            f"there is no attribute {name!r} in this model{did_you_mean(name, case.attributes)} (attributes: "
            f"{listed([*case.attributes])})"
        )


def _value(case: CaseAnalysis, name: str, value: Any) -> Any:
    """Return a value as a case holds it, also if it is written otherwise; refuse what is none."""
    if isinstance(value, Mapping):
        value = likelihood(value)
    attribute = case.attributes[name]
    if isinstance(value, Evidence):
        attribute.weights(value)
        return value
    if is_empty(value):
        return value
    column = attribute.column
    place = Variable(name, column.labels, column).state(value)
    if case.usable({name: value}):
        return value
    return float(value) if column.cuts is not None else column.states[place]
