"""Graph objects back from their JSON text."""

import json
from dataclasses import fields
from typing import Any

from pgm_nb.errors import StructureError
from pgm_nb.graphs.bags import Bags
from pgm_nb.graphs.base import SCHEMA, VERSION, Graph
from pgm_nb.graphs.cherry import CherryTree
from pgm_nb.graphs.clusters import ClusterTree
from pgm_nb.graphs.gaussian import GaussianStar
from pgm_nb.graphs.hidden import HiddenParents
from pgm_nb.graphs.joined import JoinedStar
from pgm_nb.graphs.star import Star
from pgm_nb.graphs.tree import Tree

__all__ = ["from_json"]

OPTIONAL = {"relevance", "dependence", "correlation", "threshold"}  # fields that may be null
GRAPHS: tuple[type[Graph], ...] = (
    Star,
    Tree,
    CherryTree,
    HiddenParents,
    Bags,
    JoinedStar,
    GaussianStar,
    ClusterTree,
)


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
    kinds = {kind.type_name: kind for kind in GRAPHS}
    if not isinstance(name, str) or name not in kinds:
        raise StructureError(f"The type of a graph is one of {', '.join(kinds)}, but this one is {name!r}.")
    _check_fields(kinds[name], content)
    return kinds[name](**content)


def _check_fields(kind: type[Graph], content: dict[str, Any]) -> None:
    """Check the names and the JSON types of the fields; the constructor checks what they mean."""
    lists = {"attributes", "classes", "clusters", "order", "unknown"}
    expected = {field.name for field in fields(kind)}
    if set(content) != expected:
        odd = ", ".join(sorted(set(content) ^ expected))
        raise StructureError(
            f"A {kind.type_name} has the fields {', '.join(sorted(expected))}, "
            f"but these are missing or unknown: {odd}."
        )
    plain: dict[str, tuple[Any, str]] = {"target": (str, "text"), "threshold": (int | float, "number")}
    plain |= dict.fromkeys(lists, (list, "list"))
    for name, value in content.items():
        wanted, word = plain.get(name, (dict, "object"))
        if not isinstance(value, wanted) and not (value is None and name in OPTIONAL):
            raise StructureError(
                f"The field {name!r} of a {kind.type_name} must be a JSON {word}: {value!r}."
            )
