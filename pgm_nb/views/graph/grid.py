"""Large boxes of a tree on a grid: as compact as a page, with neighbours in the tree side by side.

A deep tree in ranks is a strip: with bars in its boxes it fits on no screen. On a grid thirty boxes do.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, exp, gcd
from random import Random

from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.views.graph.layout import box_size

__all__ = ["MANY", "on_grid", "places_on_grid"]

MANY = 20  # boxes up to which ranks are legible
PAGE = 1.3  # width to height
ACROSS, DOWN = 26.0, 24.0  # gaps in points
STEPS = 900  # attempts per box
WARM, COLD = 4.0, 0.05  # what a change may cost at first, and in the end


def on_grid(drawing: Drawing) -> Drawing:
    """Return a drawing of boxes with room, laid out on a grid; one of few boxes, or not of a tree, as it is.

    Examples
    --------
    >>> from pgm_nb.views.graph.drawing import Arc, Node
    >>> nodes = tuple(Node(f"n{i}", (f"x{i}",), "attribute", room=40.0) for i in range(30))
    >>> chain = tuple(Arc(f"n{i}", f"n{i + 1}", "tree") for i in range(29))
    >>> placed = on_grid(Drawing("tree", nodes, chain))
    >>> placed.flow, len({node.at for node in placed.nodes})
    ('pinned', 30)
    """
    nodes = drawing.nodes
    place = {node.id: number for number, node in enumerate(nodes)}
    links = [(place[arc.source], place[arc.target]) for arc in drawing.arcs if not arc.hidden]
    tree = len(links) < len(nodes) and all(node.room and node.lines for node in nodes)
    if len(nodes) <= MANY or not tree or drawing.flow == "pinned":
        return drawing
    sizes = [box_size(node.lines[-1], node.number) for node in nodes]
    width = max(max(size[0], node.width or 0.0) for size, node in zip(sizes, nodes, strict=True)) + ACROSS
    height = max(17.0 * len(node.lines) + 9 + node.room for node in nodes) + DOWN
    columns, rows = _shape(len(nodes), width, height)
    cells = places_on_grid(len(nodes), links, columns, rows)
    return replace(
        drawing,
        nodes=tuple(
            replace(node, at=(width * across, -height * down))
            for node, (across, down) in zip(nodes, cells, strict=True)
        ),
        arcs=tuple(replace(arc, label="") for arc in drawing.arcs if not arc.hidden),  # no room for numbers
        flow="pinned",
    )


def _shape(n: int, width: float, height: float) -> tuple[int, int]:
    """Return how many columns and rows of cells make `n` boxes largest on a page."""
    shapes = [(ceil(n / rows), rows) for rows in range(1, n + 1)]
    return max(shapes, key=lambda shape: min(PAGE / (shape[0] * width), 1 / (shape[1] * height)))


def places_on_grid(
    n: int, links: Sequence[tuple[int, int]], columns: int, rows: int
) -> list[tuple[int, int]]:
    """Return a cell (across, down) for each of `n` boxes, so that linked ones are close; always the same.

    Examples
    --------
    >>> places_on_grid(3, [(0, 1), (1, 2)], columns=3, rows=1)
    [(0, 0), (1, 0), (2, 0)]
    """
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for one, other in links:
        neighbours[one].append(other)
        neighbours[other].append(one)
    every = [(across, down) for down in range(rows) for across in range(columns)]
    cells = dict(zip(_walk(neighbours), _snake(columns, rows), strict=False))
    at = [cells[box] for box in range(n)]
    inside: dict[tuple[int, int], int | None] = dict.fromkeys(every)
    inside.update({cell: box for box, cell in enumerate(at)})
    chance, tries = Random(1), STEPS * n

    def price(*boxes: int | None) -> float:
        return sum(
            _price(at[box], at[other]) for box in boxes if box is not None for other in neighbours[box]
        )

    def swap(box: int, cell: tuple[int, int]) -> None:
        second, here = inside[cell], at[box]
        inside[here], inside[cell], at[box] = second, box, cell
        if second is not None:
            at[second] = here

    for attempt in range(tries):
        heat = WARM * (COLD / WARM) ** (attempt / tries)
        box, cell = chance.randrange(n), every[chance.randrange(len(every))]
        there, left = inside[cell], at[box]
        if there == box or 0 in (box, there):  # the first box keeps its corner
            continue
        before = price(box, there)
        swap(box, cell)
        worse = price(box, there) - before
        if worse > 0 and chance.random() >= exp(-worse / heat):
            swap(box, left)
    return at


def _price(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Return what a line costs: the square of its length, and more if it runs through a box."""
    across, down = abs(one[0] - other[0]), abs(one[1] - other[1])
    return across * across + down * down + 6.0 * (gcd(across, down) - 1)


def _walk(neighbours: Sequence[Sequence[int]]) -> list[int]:
    """Return all boxes, each after one that it is linked with, if there is one."""
    seen: dict[int, None] = {}
    for start in range(len(neighbours)):
        waiting = [start]
        while waiting:
            box = waiting.pop()
            if box not in seen:
                seen[box] = None
                waiting += reversed(neighbours[box])
    return list(seen)


def _snake(columns: int, rows: int) -> list[tuple[int, int]]:
    """Return the cells row by row, to and fro."""
    return [
        (across if down % 2 == 0 else columns - 1 - across, down)
        for down in range(rows)
        for across in range(columns)
    ]
