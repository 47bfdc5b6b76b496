"""What rankings say in words."""

import pandas as pd

from pgm_nb.explain.importance.sentences import in_words, repeats, sure_steps


def ranking(*rows):
    return pd.DataFrame(rows, columns=["attribute", "value", "low", "high"])


def test_a_path():
    path = ranking(("a", 0.5, 0.4, 0.6), ("b", 0.2, 0.1, 0.3), ("c", 0.1, 0.05, 0.2))
    assert in_words(path, "forward", "class", str.upper) == (
        "A says most about the class: 0.500 bits. Then B adds 0.200 bits and C adds 0.100 bits."
    )
    assert sure_steps(path) == 3
    unsure = ranking(("a", 0.5, -0.1, 0.6), ("b", 0.2, 0.1, 0.3))
    assert sure_steps(unsure) == 1
    assert in_words(unsure, "forward", "ill").endswith("0.500 bits. What the rest adds may be chance.")


def test_what_is_lost():
    missed = ranking(("a", 0.05, 0.01, 0.09), ("b", 0.0, -0.1, 0.1))
    assert in_words(missed, "drop", "ill") == (
        "a would be missed most: while it is unknown, prediction loses 0.050 bits."
    )
    assert in_words(missed.assign(low=-0.1), "drop", "ill").startswith("No single attribute would clearly")


def test_shares():
    shares = ranking(("a", 0.3, 0.2, 0.4), ("b", 0.1, 0.0, 0.2))
    assert in_words(shares, "share", "ill") == (
        "Together the attributes say 0.400 bits about ill. The largest share has a: 0.300 bits, 75% of it."
    )


def test_nothing_helps():
    assert in_words(ranking(("a", -0.1, -0.2, 0.0)), "forward", "ill").startswith(
        "No attribute helps to predict ill"
    )


def test_two_that_say_the_same_are_named_once():
    table = pd.DataFrame(
        {
            "attribute": ["radius", "area", "sex", "age", "hair"],
            "alone": [0.5, 0.4, 0.06, 0.06, 0.04],  # what says less than a tenth of the best is left out
            "other": ["area", "radius", "area", "sex", "sex"],
            "share": [0.95, 1.0, 0.85, 0.3, 1.0],
        }
    )
    assert repeats(table) == [
        "radius and area say much the same about the class.",
        "sex follows from area: of what it says about the class, area has said 85%.",
    ]
