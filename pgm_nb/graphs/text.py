"""Graph objects back from their JSON text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import KINDS, SCHEMA, VERSION, Graph

__all__ = ["from_json"]

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
            f'A graph file says "schema": {SCHEMA!r}, but this text does not; is it another file?'
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
