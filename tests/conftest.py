"""What many tests share: patience with a slow machine, and WDBC in five bins of an independent program."""

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

from pgm_nb.counts import count
from pgm_nb.information import information

GOLDEN = Path(__file__).parent / "golden"
PATIENCE = 900  # seconds: a busy machine is slow, not broken, and only what hangs takes so long

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def until():
    """Wait for a state, never for a time."""

    def wait(reached):
        end = time.monotonic() + PATIENCE
        while not reached():
            assert time.monotonic() < end, "what the test waits for did not come"
            time.sleep(0.02)

    return wait


@pytest.fixture(scope="session")
def harness():
    """Return Streamlit's own test harness for a script, or for a page of the app by its name."""
    from streamlit.testing.v1 import AppTest

    def wrap(script=None, page=None):
        text = script or f"from pgm_nb.app.shell.router import route\nroute({page!r})"
        return AppTest.from_string(text, default_timeout=PATIENCE)

    return wrap


@pytest.fixture(scope="session")
def wdbc_frame():
    return pd.read_csv(GOLDEN / "wdbc_q5.csv.gz")


@pytest.fixture(scope="session")
def wdbc_names(wdbc_frame):
    return tuple(wdbc_frame.columns[:-1])


@pytest.fixture(scope="session")
def wdbc_codes(wdbc_frame):
    """Codes (30, 569) and class codes, 0 = malignant."""
    values = wdbc_frame.to_numpy()
    return np.ascontiguousarray(values[:, :-1].T.astype(np.uint8)), values[:, -1]


@pytest.fixture(scope="session")
def wdbc_information(wdbc_codes):
    codes, y = wdbc_codes
    return information(count(codes, y, (5,) * 30, 2))


@pytest.fixture(scope="session")
def by_scikit_learn():
    """Return a function that scores one posterior (n, k) by scikit-learn: the six metrics of a curve."""
    from sklearn import metrics

    def six_scores(posterior, y):
        said, k = posterior.argmax(axis=1), posterior.shape[1]
        mean = {"average": "macro", "labels": range(k)} if k > 2 else {"pos_label": 1}
        auc = (
            metrics.roc_auc_score(y, posterior[:, 1])
            if k == 2
            else metrics.roc_auc_score(y, posterior, multi_class="ovr")
        )
        return [
            metrics.accuracy_score(y, said),
            metrics.precision_score(y, said, zero_division=0, **mean),
            metrics.recall_score(y, said, zero_division=0, **mean),
            metrics.f1_score(y, said, zero_division=0, **mean),
            auc,
            metrics.log_loss(y, posterior, labels=range(k)) / np.log(2),
        ]

    return six_scores
