import hashlib

import numpy as np
import pandas as pd
import pytest

from pgm_nb.data import SAMPLES, load_sample
from pgm_nb.data.read import _path
from pgm_nb.errors import DataError

SHAPES = {
    "wdbc": (569, 30, 2, 0),
    "heart": (297, 13, 2, 0),
    "wine": (178, 13, 3, 0),
    "iris": (150, 4, 3, 0),
    "seeds": (210, 7, 3, 0),
    "banknote": (1372, 4, 2, 0),
    "vehicle": (846, 18, 4, 0),
    "nursery": (12960, 8, 5, 0),
    "car": (1728, 6, 4, 0),
    "zoo": (101, 16, 7, 0),
    "house_votes": (435, 16, 2, 392),
    "kr_vs_kp": (3196, 36, 2, 0),
}


def test_every_sample_is_tried():
    assert tuple(SHAPES) == SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_shapes(name):
    X, y = load_sample(name)
    assert (*X.shape, y.nunique(), int(X.isna().sum().sum())) == SHAPES[name]
    assert y.name == "class"
    assert _path(name).stat().st_size < 1.5e6
    assert name in (_path(name).parent / "SOURCES.md").read_text(encoding="utf-8")


def test_wdbc_and_wine_are_scikit_learns_cell_by_cell():
    from sklearn.datasets import load_breast_cancer, load_wine

    X, y = load_sample("wdbc")
    theirs = load_breast_cancer()
    assert list(X) == list(theirs.feature_names)
    assert np.array_equal(X, theirs.data)
    assert np.array_equal(y, theirs.target_names[theirs.target])
    X, y = load_sample("wine")
    assert np.array_equal(X, load_wine().data)
    assert np.array_equal(y.str[-1].astype(int) - 1, load_wine().target)


def test_heart_is_cleveland():
    X, y = load_sample("heart")
    assert y.value_counts().to_dict() == {"absent": 160, "present": 137}
    assert X["sex"].value_counts().to_dict() == {"male": 201, "female": 96}
    assert X["age"].sum() == 16199
    assert list(X["chest pain type"].unique()) == [
        "typical angina", "asymptomatic", "non-anginal pain", "atypical angina",
    ]  # fmt: skip


def test_columns_are_numbers_or_words_and_legs_an_ordered_category():
    X, _ = load_sample("zoo")
    assert list(X["legs"].cat.categories) == [0, 2, 4, 5, 6, 8]
    assert X["legs"].cat.ordered
    assert set(X["hair"]) == {"yes", "no"}
    assert set(load_sample("car")[0]["doors"]) == {"2", "3", "4", "5more"}
    assert all(pd.api.types.is_numeric_dtype(dtype) for dtype in load_sample("vehicle")[0].dtypes)


def test_compressed_sample_carries_no_time():
    header = _path("nursery").read_bytes()[:8]
    assert header[4:8] == b"\0\0\0\0"
    assert hashlib.sha256(load_sample("nursery")[1].str.cat().encode()).hexdigest()[:12] == "424312181634"


def test_a_lost_sample_file_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("pgm_nb.data.read._PLACES", (tmp_path,))
    with pytest.raises(DataError, match="'iris' is missing"):
        load_sample("iris")


def test_an_unknown_sample_is_refused():
    with pytest.raises(DataError, match="no sample 'nurserry'; did you mean 'nursery'"):
        load_sample("nurserry")
