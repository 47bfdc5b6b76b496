"""The table that stands in for the rows of a saved model: every state of every column occurs."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.models.stand_in import no_stand_in, stand_in


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 10, 120),
            "sex": rng.choice(["m", "f"], 120),
            "smokes": rng.choice([True, False], 120),
            "dose": np.where(rng.random(120) < 0.2, np.nan, rng.integers(0, 3, 120)),
            "note": np.where(rng.random(120) < 0.3, None, rng.choice(["a", "b"], 120)),
        }
    )
    return X, pd.Series(rng.choice([0, 1], 120), name="ill")


@pytest.mark.parametrize("kind", [kind for kind in pnb.MODELS if kind.is_joint], ids=lambda k: k.short_name)
def test_every_state_occurs(rows, kind):
    model = kind().fit(*rows)
    table = stand_in(model)
    for column in model._coded_columns():
        codes = column.encode(table[column.name])
        assert set(codes.tolist()) == set(range(column.card)), column.name
    assert table["ill"].unique().tolist() == [0, 1]
    np.testing.assert_allclose(model.predict_proba(table[rows[0].columns]).sum(axis=1), 1)


def test_a_model_without_intervals_says_what_is_missing(rows):
    said = no_stand_in(pnb.GaussianNaiveBayes().fit(*rows))
    assert said.startswith("Gaussian naive Bayes keeps no intervals of its numbers")
    words = pnb.GaussianNaiveBayes().fit(rows[0][["sex", "note"]], rows[1])
    assert no_stand_in(words) == ""
