"""How sure a probability of the class is, in sentences: the rows behind it, its interval, what is unusual."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.data.frame import is_empty
from pgm_nb.errors import QueryError
from pgm_nb.explain.case_reader import value_text
from pgm_nb.explain.population import Population
from pgm_nb.explain.remarks import IMPOSSIBLE, conflict_remarks, row_remarks
from pgm_nb.inference import Evidence, Variable
from pgm_nb.inference.conflict import conflict
from pgm_nb.words import credible, did_you_mean, listed

if TYPE_CHECKING:
    from pgm_nb.arrays import Floats
    from pgm_nb.explain.support import RowsBehind
    from pgm_nb.inference import JunctionTree

__all__ = ["how_sure", "in_the_table", "usable"]


def how_sure(
    model: Any,
    given: Mapping[str, Any] | None = None,
    rows: RowsBehind | None = None,
    *,
    label: Any = None,
    prior: Mapping[Any, float] | None = None,
) -> tuple[str, ...]:
    """Say how sure the probability of a class is, one sentence each.

    First the rows it rests on, then the credible interval or why there is none, then what is unusual about
    what is known: numbers out of range, combinations that no row has, values in conflict.

    Parameters
    ----------
    model : fitted model
        Any model of this package.
    given : mapping, optional
        What is known, as `query` takes it, or a row of a table. A word that the model has never seen counts
        as unknown, as in `predict_proba`, and is named.
    rows : RowsBehind, optional
        The training rows, from `rows_behind`. Without them nothing is said about counts, ranges and
        combinations.
    label : optional
        The class; by default the most probable one.
    prior : mapping of class to float, optional
        Base rates, as in `predict_proba`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("zoo")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    >>> for sentence in pnb.how_sure(model, {"feathers": "yes"}, pnb.rows_behind(model, X, y)):
    ...     print(sentence)
    20 of 20 such rows are bird.
    The probability of bird is between 87% and 100% (90% credible).
    """
    moved = model if prior is None else Population(model, prior)
    target = str(model.structure_.target)
    known, strange = _known(model, given or {}, rows)
    tree = moved.junction_tree().observe(known) if model.is_joint else None
    scores = _scores(moved, known) if tree is None else None
    said = [] if target in known else _probability(moved, known, tree, scores, rows, label)
    if prior is not None and said and rows is not None:
        said[0] = in_the_table(said[0])
    said += [
        f"{name} = {value_text(value)} was not seen in training, so it counts as unknown."
        for name, value in strange.items()
    ]
    if rows is not None:
        said += row_remarks(rows, {name: known[name] for name in known if name in rows.variables}, _fact)
    if tree is None:
        return (*said, IMPOSSIBLE) if known and scores is not None and np.isneginf(scores).all() else (*said,)
    return (*said, *conflict_remarks(conflict(tree)))


def _probability(
    model: Any,
    known: Mapping[str, Any],
    tree: JunctionTree | None,
    scores: Floats | None,
    rows: RowsBehind | None,
    label: Any,
) -> list[str]:
    """Say which rows the probability of a class rests on, and its interval."""
    classes = [str(found) for found in model.classes_.tolist()]
    if tree is not None:
        scores = model.class_posterior(tree)
    if label is None and scores is not None:
        label = classes[int(scores.argmax())]
    said = [] if rows is None else [rows.support(known).sentence(None if label is None else str(label))]
    why_not = model.no_interval_given(known)
    if why_not:
        return [*said, why_not]
    place = classes.index(str(label))
    low, high = model.case_interval(known, 0.9) if tree is None else model.tree_interval(tree, 0.9)
    said.append(f"The probability of {label} is {credible(float(low[place]), float(high[place]))}.")
    return [*said, model.interval_caution] if model.interval_caution else said


def in_the_table(sentence: str) -> str:
    """Say that rows were counted in a table in which the classes are otherwise common than in the answer.

    Examples
    --------
    >>> in_the_table("20 of 20 such rows are bird."), in_the_table("No row is like this.")
    ('In the table, 20 of 20 such rows are bird.', 'In the table, no row is like this.')
    """
    return f"In the table, {sentence[:1].lower()}{sentence[1:]}"


def usable(model: Any, given: Mapping[str, Any], rows: RowsBehind | None = None) -> dict[str, Any]:
    """Return what is known in a row of a table: without empty cells, and without words never seen.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative").fit(*pnb.load_sample("zoo"))
    >>> usable(model, {"milk": "yes", "hair": None, "fins": "many"})
    {'milk': 'yes'}
    """
    return _known(model, given, rows)[0]


def _known(
    model: Any, given: Mapping[str, Any], rows: RowsBehind | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is known, and apart from it the words that were never seen."""
    variables: dict[str, Variable] = {} if rows is None else dict(rows.variables)
    if model.is_joint:
        found = model.junction_tree().variables
        variables |= {name: found[name] for name in found.names}
    known: dict[str, Any] = {}
    strange: dict[str, Any] = {}
    for name, value in given.items():
        if name not in variables:
            if name not in (every := (str(model.structure_.target), *model.attribute_names_)):
                raise QueryError(
                    f"there is no variable {name!r} in this model (it has {listed(every)})"
                    f"{did_you_mean(name, every)}"
                )
            if is_empty(value) or (model.is_joint and name in model.attribute_names_):
                continue  # an attribute that the graph has left out
            known[name] = value
        elif not variables[name].is_unknown(value):
            (known if _has_state(variables[name], value) else strange)[name] = value
    return known, strange


def _has_state(variable: Variable, value: Any) -> bool:
    if isinstance(value, Evidence | Mapping):
        return True
    try:
        variable.state(value)
    except QueryError:
        return False
    return True


def _scores(model: Any, known: Mapping[str, Any]) -> Floats | None:
    """Return the scores of a case, (k,); None if some of its values are not plain ones."""
    if any(isinstance(value, Evidence | Mapping) for value in known.values()):
        return None
    scores: Floats = model.case_scores(known)[0]
    return scores


def _fact(name: str, value: Any) -> str:
    return f"{name} is {value}" if isinstance(value, Evidence | Mapping) else f"{name} = {value_text(value)}"
