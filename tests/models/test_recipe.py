"""A recipe is kept with the model: raw tables in, readable classes out."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import ModelFileError
from pgm_nb.evaluate.predictions import predictions
from pgm_nb.models.files import packed_parts

RNG = np.random.default_rng(3)
RAW = pd.DataFrame(
    {
        "id": np.arange(60),
        "plas": np.where(np.arange(60) % 7, RNG.integers(70, 200, 60), 0),
        "dose": [f"{value},5 mg" for value in RNG.integers(1, 30, 60)],
        "sex": RNG.integers(1, 3, 60),
        "y": np.arange(60) % 2,
    }
)
RECIPE = pnb.Recipe(
    [
        {"do": "not measured", "column": "plas", "values": [0]},
        {"do": "read numbers", "column": "dose", "decimal": ",", "unit": "mg"},
        {"do": "leave out", "columns": ["id"]},
        {"do": "leave out rows", "column": "y"},
        pnb.Codebook(
            {"plas": {"name": "glucose", "unit": "mg/dl"}},
            {"sex": {"1": "male", "2": "female"}, "y": {"0": "healthy", "1": "diabetic"}},
        ),
    ]
)
TABLE = RECIPE.apply(RAW)
X, Y = TABLE.drop(columns="y"), TABLE["y"]


@pytest.fixture
def model():
    return pnb.TreeAugmentedNaiveBayes(n_bins=3, parameters="generative").fit(X, Y).keep_recipe(RECIPE)


def test_a_saved_model_takes_raw_and_repaired_tables(model, tmp_path):
    model.save(tmp_path / "model.pgmnb")
    again = pnb.load(tmp_path / "model.pgmnb")
    assert again.recipe_ == RECIPE
    plain = pnb.TreeAugmentedNaiveBayes(n_bins=3, parameters="generative").fit(X, Y).predict_proba(X)
    for table in (RAW, RAW.drop(columns=["id", "y"]), TABLE, X, RAW.iloc[:, ::-1]):
        np.testing.assert_array_equal(again.predict_proba(table), plain)
        np.testing.assert_array_equal(predictions(again, table).iloc[:, 1:], plain)
    assert {*again.predict(RAW)} <= {"healthy", "diabetic"}
    assert len(again.predict(RAW.assign(y=None))) == len(RAW)  # no row is lost


def test_a_model_of_numbers_takes_raw_tables_too():
    numbers = TABLE[["glucose (mg/dl)", "dose"]]
    model = pnb.GaussianNaiveBayes().fit(numbers, Y)
    plain = model.predict_proba(numbers)
    np.testing.assert_array_equal(model.keep_recipe(RECIPE).predict_proba(RAW), plain)


def test_another_training_forgets_the_recipe(model):
    assert model.fit(X, Y).recipe_ is None
    assert model.keep_recipe(RECIPE).keep_recipe(None).recipe_ is None


def test_files_with_a_recipe_are_of_version_3_and_others_of_version_2(model, tmp_path):
    for kept, version in ((RECIPE, 3), (None, 2)):
        model.keep_recipe(kept).save(tmp_path / "model.pgmnb")
        with zipfile.ZipFile(tmp_path / "model.pgmnb") as archive:
            description = json.loads(archive.read("model.json"))
        assert description["version"] == version
        assert ("recipe" in description) == (kept is not None)


@pytest.mark.parametrize("recipe", [[{"do": "dance"}], [3], {"do": "cut"}, 7, [{"do": "cut", "cuts": "x"}]])
def test_a_damaged_recipe_is_refused(model, tmp_path, recipe):
    path = tmp_path / "model.pgmnb"
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    arrays = {n.removesuffix(".npy"): np.load(io.BytesIO(parts[n])) for n in parts if n.endswith(".npy")}
    path.write_bytes(packed_parts(json.loads(parts["model.json"]) | {"recipe": recipe}, arrays))
    with pytest.raises(ModelFileError):
        pnb.load(path)
