"""The tree of TAN: the class points to every attribute, and the attributes form a directed tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Graph, check_mothers, check_names, check_weights

if TYPE_CHECKING:
    from pgm_nb.views.dot import Drawing

__all__ = ["Tree"]


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Graph):
    """The graph of tree augmented naive Bayes (Friedman, Geiger, Goldszmidt 1997).

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    mothers : mapping of str to str
        The mother of every attribute but one, the root.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.
    dependence : mapping of str to float, optional
        I(Xi;Xm|Y) in bits for every attribute that has a mother Xm.

    Examples
    --------
    >>> tree = Tree("disease", ("age", "pressure", "pulse"), {"age": "pressure", "pulse": "pressure"})
    >>> tree.root
    'pressure'
    >>> [edge.target for edge in tree.edges if edge.kind == "tree"]
    ['age', 'pulse']
    """

    type_name: ClassVar[str] = "tree"
    views: ClassVar[tuple[str, ...]] = ("tree",)

    target: str
    attributes: tuple[str, ...]
    mothers: Mapping[str, str]
    relevance: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        check_mothers(names, self.mothers)
        _check_one_root(names, self.mothers)
        children = tuple(name for name in names if name in self.mothers)
        self._set(
            attributes=names,
            mothers=MappingProxyType({child: str(self.mothers[child]) for child in children}),
            relevance=check_weights("relevance", names, self.relevance),
            dependence=check_weights("dependence", children, self.dependence),
        )

    @property
    def root(self) -> str:
        """The one attribute that hangs on the class only."""
        return next(name for name in self.attributes if name not in self.mothers)

    def _drawing(self, view: str) -> "Drawing":
        from pgm_nb.graphs.pictures import tree_drawing

        return tree_drawing(self)


def _check_one_root(names: tuple[str, ...], mothers: Mapping[str, str]) -> None:
    """Check that following the mothers leads from every attribute to the same root."""
    roots = [name for name in names if name not in mothers]
    if len(roots) > 1:
        raise StructureError(
            f"A tree has one root, but {roots[0]!r} and {roots[1]!r} have no mother; give one of them one."
        )
    safe = set(roots)
    for name in names:
        path = [name]
        while path[-1] not in safe:
            mother = mothers[path[-1]]
            if mother in path:
                cycle = " -> ".join(repr(step) for step in [*path[path.index(mother) :], mother])
                raise StructureError(f"The mothers of a tree form no cycle, but these do: {cycle}.")
            path.append(mother)
        safe.update(path)
