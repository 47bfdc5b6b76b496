"""A small table, a model of it, and a way to run the command line."""

import numpy as np
import pandas as pd
import pytest

from pgm_nb.cli import main


@pytest.fixture
def patients(tmp_path):
    rng = np.random.default_rng(0)
    n = 80
    outcome = rng.choice(["well", "ill"], n)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "fever": np.where(outcome == "ill", 39.0, 37.0) + rng.normal(size=n),
            "cough": rng.choice(["yes", "no"], n),
            "outcome": outcome,
        }
    )
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def model(patients, tmp_path, capsys):
    path = tmp_path / "patients.pgmnb"
    assert main(["fit", str(patients), "--class", "outcome", "-o", str(path)]) == 0
    capsys.readouterr()
    return path


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
