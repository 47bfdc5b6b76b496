"""The growth of a local-PCA mixture."""

import numpy as np

from pgm_nb.models.local_pca.clusters import Iteration, LocalPCATrace
from pgm_nb.models.local_pca.growth import splits_drawing


def test_a_class_that_has_nobody_to_move_gets_no_new_cluster():
    drawing = splits_drawing("y", [{"p": 2, "q": 0}, {"p": 1, "q": 3}], {"p": 0, "q": 0})
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


ROUNDS = (
    Iteration((1, 1), (0, 0), (False, False), 0.2, ((), ())),
    Iteration((2, 1), (0, 1), (False, False), 0.1, ((0, 2), (3,))),
    Iteration((2, 1), (0, 1), (False, False), 0.1, ((0,), ())),
)
ROUNDS_TRACE = LocalPCATrace(("ill", "well"), ROUNDS, 1, "the training error stopped falling")


def test_rounds_tell_who_moved():
    frames = ROUNDS_TRACE.story("Local PCA").frames
    assert frames[0].sentence == (
        "Every class starts as one cluster. The clusters misclassify 20.0% of the rows."
    )
    assert frames[1].sentence == (
        "The misclassified rows leave their clusters: 2 rows of ill and 1 row of well form new ones. One "
        "cluster is too small or too flat to be measured and is not used. The training error falls from "
        "20.0% to 10.0%. The model uses these clusters."
    )
    assert frames[2].sentence.endswith("Learning stops here because the training error stopped falling.")
    assert frames[1].title == "Round 2 (the model's)"


def test_members_follow_who_moved():
    assert [m.tolist() for m in ROUNDS_TRACE.members(np.array([0, 0, 0, 1, 1]))] == [
        [0, 0, 0, 1, 1],
        [2, 0, 2, 3, 1],
        [4, 0, 2, 3, 1],
    ]
