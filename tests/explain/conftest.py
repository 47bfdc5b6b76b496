"""Small tables that the tests of this room share."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb


@pytest.fixture(scope="session")
def three_classes():
    """Five attributes with a few missing cells, three classes."""
    rng = np.random.default_rng(3)
    n = 300
    y = rng.integers(0, 3, n)
    base = (y + (rng.random(n) < 0.3)) % 3
    X = pd.DataFrame(
        {
            "weight": y + rng.normal(size=n),
            "height": 0.5 * y + rng.normal(size=n),
            "sex": rng.choice(["f", "m"], n),
            "stage": np.array(["I", "II", "III"])[base],
            "grade": np.array(["a", "b", "c"])[(base + (rng.random(n) < 0.2)) % 3],
        }
    )
    return X, pd.Series(np.array(["low", "mid", "high"])[y], name="risk")


@pytest.fixture(scope="session")
def gaps(three_classes):
    """The same rows with a third of the cells unknown."""
    X, _ = three_classes
    return X.mask(np.random.default_rng(4).random(X.shape) < 0.35)


@pytest.fixture(scope="session")
def wdbc():
    return pnb.load_sample("wdbc")
