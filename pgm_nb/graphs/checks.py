"""Check what a graph is built from: names, mothers and weights, also those that come from a JSON text."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from math import isfinite
from types import MappingProxyType, NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import KINDS, SCHEMA, VERSION, Graph

__all__ = ["check_mothers", "check_names", "check_weights", "from_json", "only"]

Value = TypeVar("Value")
JSON_TYPES: dict[Any, tuple[Any, str]] = {  # how a field's type is written in JSON, and what that is called
    str: (str, "text"),
    float: ((int, float), "number"),
    tuple: (list, "list"),
    Sequence: (list, "list"),
    Mapping: (dict, "object"),
}


def from_json(text: str) -> Graph:
    """Read a graph object from the text written by its ``to_json``.

    Raises
    ------
    StructureError
        If the text is not JSON, not a graph of ours, of a later version, or not a valid graph.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> star = Star("disease", ("age", "pulse"))
    >>> from_json(star.to_json()) == star
    True
    """
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise StructureError(f"A graph file holds JSON, but this text is not JSON ({error}).") from error
    if not isinstance(content, dict) or content.pop("schema", None) != SCHEMA:
        raise StructureError(
            f'A graph file says "schema": {SCHEMA!r}, but this text does not; is it a file of another kind?'
        )
    version = content.pop("version", None)
    if version != VERSION:
        raise StructureError(
            f"Graph files of version {VERSION} can be read, but this one is of version {version!r}; "
            "update pgm_nb."
        )
    name = content.pop("type", None)
    if not isinstance(name, str) or name not in KINDS:
        raise StructureError(f"The type of a graph is one of {', '.join(KINDS)}, but this one is {name!r}.")
    _check_fields(KINDS[name], content)
    return KINDS[name](**content)


def _check_fields(kind: type[Graph], content: dict[str, Any]) -> None:
    """Check the names and the JSON types of the fields; the constructor checks what they mean."""
    expected = {field.name for field in fields(kind)}
    if set(content) != expected:
        odd = ", ".join(sorted(set(content) ^ expected))
        raise StructureError(
            f"A {kind.type_name} has the fields {', '.join(sorted(expected))}, "
            f"but these are missing or unknown: {odd}."
        )
    for field in fields(kind):
        value, wanted = content[field.name], _json_types(field.type)
        known = [JSON_TYPES[one] for one in wanted if one in JSON_TYPES]
        if known and not any(isinstance(value, python) for python, _ in known):
            if value is None and NoneType in wanted:
                continue
            raise StructureError(
                f"The field {field.name!r} of a {kind.type_name} must be a JSON {known[0][1]}: {value!r}."
            )


def _json_types(annotation: Any) -> tuple[Any, ...]:
    """Return the types that a field may have, without their parameters."""
    options = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    return tuple(get_origin(one) or one for one in options)


def only(values: Mapping[str, Value] | None, names: Collection[str]) -> dict[str, Value] | None:
    """Return the values of some names; None stays None."""
    return None if values is None else {name: value for name, value in values.items() if name in names}


def check_names(target: str, attributes: Iterable[str]) -> tuple[str, ...]:
    """Check that the class and the attributes are distinct strings, and return the attributes as a tuple."""
    if isinstance(attributes, str):
        raise StructureError(
            f"The attributes must be a list of names, but one text was given: {attributes!r}."
        )
    names = tuple(attributes)
    for name in (target, *names):
        if not isinstance(name, str):
            raise StructureError(
                f"Names must be text, but {name!r} is of type {type(name).__name__}; convert it with str()."
            )
    if not names:
        raise StructureError("A graph needs at least one attribute besides the class, but none was given.")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise StructureError(
            f"Attribute names must differ, but {twice[0]!r} appears more than once; rename one."
        )
    if target in names:
        raise StructureError(
            f"The class {target!r} is also among the attributes; leave it out there or rename one."
        )
    return tuple(str(name) for name in names)


def check_mothers(names: tuple[str, ...], mothers: Mapping[str, str]) -> None:
    """Check that every child and every mother is one of the attributes, and no attribute its own mother."""
    known = set(names)
    for child, mother in mothers.items():
        if child not in known:
            raise StructureError(f"A mother is given for {child!r}, which is not among the attributes.")
        if not isinstance(mother, str) or mother not in known:
            raise StructureError(
                f"The mother of {child!r} must be one of the attributes, but {mother!r} is not among them."
            )
        if mother == child:
            raise StructureError(
                f"The attribute {child!r} is given as its own mother; choose another attribute."
            )


def check_weights(
    what: str, names: Iterable[str], weights: Mapping[str, float] | None
) -> Mapping[str, float] | None:
    """Check that each name has one finite weight, and return them read-only in that order."""
    if weights is None:
        return None
    names = tuple(names)
    missing = [name for name in names if name not in weights]
    if missing:
        raise StructureError(
            f"The {what} of {missing[0]!r} is missing; give one for every name, or none at all."
        )
    extra = set(weights) - set(names)
    if extra:
        raise StructureError(
            f"A {what} is given for {min(extra, key=str)!r}, which has no such arc; leave it out."
        )
    for name in names:
        if not isinstance(weights[name], int | float) or not isfinite(weights[name]):
            raise StructureError(
                f"The {what} of {name!r} must be a finite number of bits, but it is {weights[name]!r}."
            )
    return MappingProxyType({name: float(weights[name]) for name in names})
