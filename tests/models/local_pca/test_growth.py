"""The growth of a local-PCA mixture."""

from pgm_nb.models.local_pca.growth import rounds_drawing


def test_a_class_that_has_nobody_to_move_gets_no_new_cluster():
    drawing = rounds_drawing("y", [{"p": 2, "q": 0}, {"p": 1, "q": 3}], {"p": 0, "q": 0})
    assert [(node.lines[0], node.step) for node in drawing.nodes] == [
        ("y", None),
        ("p", 1),
        ("q", 1),
        ("p, round 2", 2),
        ("p, round 3", 3),
        ("q, round 3", 3),
    ]
    assert [(arc.source, arc.target) for arc in drawing.arcs[2:]] == [
        ("k0", "k0r2"),
        ("k0r2", "k0r3"),
        ("k1", "k1r3"),
    ]
