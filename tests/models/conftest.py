"""Tables that the models' tests share."""

import itertools

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def whole_rows():
    """Return a function that scores every combination of states of a model, with every class of y."""

    def scored(model):
        columns = {column.name: column.labels for column in model.encoder_.columns}
        grid = pd.DataFrame(list(itertools.product(*columns.values())), columns=list(columns))
        scores = np.exp(model.predict_joint_log_proba(grid))
        parts = [grid.assign(y=label, p=scores[:, i]) for i, label in enumerate(model.classes_)]
        return pd.concat(parts, ignore_index=True)

    return scored


@pytest.fixture(scope="session")
def mixed():
    """Numbers, words, booleans and ordered categories, three classes, every attribute informative."""
    rng = np.random.default_rng(0)
    n = 240
    y = rng.integers(0, 3, n)
    noisy = (y + (rng.random(n) < 0.3)) % 3
    X = pd.DataFrame(
        {
            "weight": y + rng.normal(size=n),
            "dose": rng.choice([1.0, 2.5, 4.0], n),
            "sex": rng.choice(["f", "m"], n),
            "smoker": (noisy == 1) ^ (rng.random(n) < 0.1),
            "stage": pd.Categorical(
                np.array(["I", "II", "III"])[noisy], ["I", "II", "III", "IV"], ordered=True
            ),
        }
    )
    return X, pd.Series(np.array(["low", "mid", "high"])[y], name="risk")


@pytest.fixture(scope="session")
def measured():
    """Five numbers, three classes, every attribute informative."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    X = pd.DataFrame(rng.normal(size=(240, 5)), columns=["weight", "height", "dose", "pulse", "age"])
    X = X + np.outer(y, [1.0, 0.5, 2.0, -1.0, 0.2])
    X["age"] = (40 + 10 * X["age"]).round().astype(int)
    X["sick"] = X["dose"] > 1
    return X, pd.Series(np.array(["low", "mid", "high"])[y], name="risk")
