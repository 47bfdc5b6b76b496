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


@pytest.mark.parametrize(
    "kind", [kind for kind in pnb.MODELS if kind.about.is_joint], ids=lambda k: k.about.short_name
)
def test_every_state_occurs(rows, kind):
    model = kind().fit(*rows)
    table = stand_in(model)
    for column in model._coded_columns():
        codes = column.encode(table[column.name])
        assert set(codes.tolist()) == set(range(column.card)), column.name
    assert table["ill"].unique().tolist() == [0, 1]
    np.testing.assert_allclose(model.predict_proba(table[rows[0].columns]).sum(axis=1), 1)


def test_a_model_without_intervals_says_what_is_missing(rows):
    said = no_stand_in(pnb.MultinomialNaiveBayes().fit(rows[0][["dose", "sex"]], rows[1]))
    assert said.startswith("Multinomial naive Bayes keeps no intervals of its numbers")
    assert said.endswith("open the table too.")


def test_bell_curves_say_how_numbers_are_spread():
    rng = np.random.default_rng(4)
    y = pd.Series(np.repeat([0, 1], [300, 100]), name="ill")
    X = pd.DataFrame({"age": rng.normal(40 + 30 * y, 3 + y), "sex": rng.choice(["m", "f"], 400)})
    model = pnb.GaussianNaiveBayes().fit(X, y)
    table = stand_in(model)
    assert list(table) == ["age", "sex", "ill"]
    assert len(table) == 200
    mixed = model.class_prior_ @ model.theta_[:, 0]
    assert table["age"].mean() == pytest.approx(mixed, abs=1e-3)
    below = [(table["age"] < limit).sum() for limit in (40, 55, 70)]
    assert below[1] == 150  # three of four are healthy
    assert below == pytest.approx([75, 150, 175], abs=10)
    clusters = stand_in(pnb.LocalPCAMixture().fit(X, y))
    assert clusters["age"].mean() == pytest.approx(X["age"].mean(), abs=0.01)
    assert sorted(set(clusters["sex"])) == ["f", "m"]
