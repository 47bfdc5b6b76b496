"""Large boxes of a tree on a grid."""

from dataclasses import replace

import pytest

from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.grid import MANY, on_grid, places_on_grid


def tree(n, room=40.0):
    """Return a drawing of a binary tree beside one box of its own."""
    nodes = tuple(Node(f"n{i}", (f"name {i}",), "attribute", room=room, width=140.0) for i in range(n))
    arcs = tuple(Arc(f"n{max(i // 2, 1)}", f"n{i}", "tree", label="0.1") for i in range(2, n))
    return Drawing("tree", nodes, arcs)


def test_every_box_has_a_cell_of_its_own_and_linked_ones_are_close():
    links = [(i // 2, i) for i in range(1, 31)]
    cells = places_on_grid(31, links, 5, 7)
    assert len(set(cells)) == 31
    assert all(0 <= across < 5 and 0 <= down < 7 for across, down in cells)
    squares = [
        (cells[a][0] - cells[b][0]) ** 2 + (cells[a][1] - cells[b][1]) ** 2 for a, b in links if a != b
    ]
    assert sum(squares) <= 60  # row by row it is 365
    assert cells == places_on_grid(31, links, 5, 7)


def test_the_picture_has_the_shape_of_a_page():
    placed = on_grid(tree(31))
    across, down = zip(*(node.at for node in placed.nodes), strict=True)
    assert 0.6 < (max(across) - min(across) + 160) / (max(down) - min(down) + 90) < 1.6
    assert {arc.label for arc in placed.arcs} == {""}


@pytest.mark.parametrize(
    "drawing", [tree(MANY), tree(31, room=0.0), replace(tree(31), flow="pinned"), tree(0)]
)
def test_what_fits_or_is_no_tree_of_boxes_stays_as_it_is(drawing):
    assert on_grid(drawing) is drawing


def test_a_graph_with_circles_stays_as_it_is():
    drawing = tree(31)
    ring = replace(drawing, arcs=(*drawing.arcs, Arc("n0", "n5", "tree"), Arc("n0", "n6", "tree")))
    assert on_grid(ring) is ring
