"""Tables that the models' tests share."""

import numpy as np
import pandas as pd
import pytest


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
