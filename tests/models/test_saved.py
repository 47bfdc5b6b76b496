"""Every model, option and kind of column through save and load: the same probabilities, the same bytes."""

import inspect

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError, ModelFileError
from pgm_nb.models.files import _saved, loaded, saved

N = 40
RNG = np.random.default_rng(7)
Y = np.array(["no", "yes", "maybe"])[np.arange(N) % 3]
PLACE = np.arange(N) % 3

COLUMNS = {
    "cut": PLACE + RNG.normal(size=N),
    "uncut": RNG.normal(size=N),  # no cut point says anything about the class
    "gaps": np.where(RNG.random(N) < 0.2, np.nan, PLACE + RNG.normal(size=N)),
    "constant": np.full(N, 0.1),
    "whole": RNG.integers(0, 4, N),
    "negative": RNG.integers(-300, 300, N) * 1_000_003,
    "large": RNG.normal(size=N) * 1e12,
    "single": RNG.normal(size=N).astype(np.float32),
    "counts": RNG.poisson(3, N).astype(np.uint8),
    "truth": RNG.random(N) < 0.5,
    "words": RNG.choice(["a", "ß", "it's <b>", ""], N),
    "word gaps": np.where(RNG.random(N) < 0.2, None, RNG.choice(["u", "v"], N)),
    "one word": ["same"] * N,
    "ordered": pd.Categorical(RNG.choice(["low", "high"], N), ["low", "middle", "high"], ordered=True),
    "numbered": pd.Categorical(RNG.choice([10, 2], N)),
    "nullable": pd.array(np.where(RNG.random(N) < 0.2, None, RNG.integers(0, 3, N)), dtype="Int64"),
    "empty": np.full(N, np.nan),
}
ALTERNATIVES = {
    "alpha": [0.5, 3],
    "anticorrelation": [True],
    "bits": [1, 12],
    "discretizer": [
        "uniform",
        "mdlp",
        "kmeans",
        "caim",
        None,
        {"cut": [0.5, 1.5], "gaps": "mdlp", "uncut": []},
    ],
    "forbidden": [[("cut", "words")]],
    "frequency_limit": [2],
    "k": [0, 1, 3],
    "kernel": ["gaussian"],
    "log_columns": [["cut", "large"]],
    "max_clusters": [2],
    "max_iter": [1],
    "max_joined": [None, 3],
    "missing": ["mode", "drop"],
    "n_bins": [2, 7],
    "order": [3, 4],
    "parameters": ["generative", "class"],
    "penalty": [0.01],
    "priors": [[0.2, 0.3, 0.5]],
    "required": [[("cut", "words")]],
    "search": ["exact"],
    "select": [True],
    "smoothing": ["hierarchical", "backoff", "paper", 0.5, None],
    "structure": [],
    "threshold": ["average", "auto", "median", 0.1, 0, None],
    "var_smoothing": [0.0, 1e-3],
    "vote": ["sum"],
    "weighting": ["information"],
    "window": [15],
}
FEW = ["cut", "uncut", "gaps", "constant", "truth", "words"]  # a table for every option


def came_back(model, X):
    """Save and load a fitted model: the same probabilities, and the same bytes when it is saved again."""
    found, content = model.predict_proba(X), saved(model)
    again = loaded("m.pgmnb", content)
    assert (again.predict_proba(X) == found).all()
    assert _saved(again) == content


def batches(X):
    return [(X[:25], Y[:25]), (X[25:], Y[25:])]


def learned(model, X, way):
    """Return the model fitted in one of the ways it has, None if it refuses."""
    try:
        if way == "fit":
            return model.fit(X, Y)
        if way == "fit_batches":
            return model.fit_batches(batches(X))
        for number, (rows, labels) in enumerate(batches(X)):
            model.partial_fit(rows, labels, **({} if number else {"classes": np.unique(Y)}))
        return model
    except DataError:
        return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_every_option_and_kind_of_column_comes_back(kind):
    X, tried = pd.DataFrame(COLUMNS), 0
    ways = ["fit", *(way for way in ("fit_batches", "partial_fit") if hasattr(kind(), way))]
    cases = [({}, [name], "fit") for name in X] + [({}, list(X), "fit")]
    cases += [({}, names, way) for names in (FEW, ["constant"]) for way in ways[1:]]
    for name in inspect.signature(kind).parameters:
        cases += [({name: value}, FEW, "fit") for value in ALTERNATIVES[name]]
        if name == "discretizer":
            cases += [({name: value}, FEW[:3], "fit_batches") for value in ("mdlp", "caim")]
    for parameters, names, way in cases:
        if way not in ways:
            continue
        model = learned(kind(**parameters), X[names], way)
        if model is not None:
            came_back(model, X[names])
            tried += 1
    assert tried > 0.6 * len(cases)


def test_a_column_that_never_varies_comes_back_after_batches():
    X = np.column_stack([np.full(N, 0.1), COLUMNS["cut"]])
    model = pnb.GaussianNaiveBayes().partial_fit(X, Y, classes=np.unique(Y)).partial_fit(X * [1, 100], Y)
    assert (model.learned_.moments.squares >= 0).all()
    came_back(model, X)


def test_a_structure_comes_back():
    X = pd.DataFrame(COLUMNS)[FEW]
    for kind in (pnb.TreeAugmentedNaiveBayes, pnb.GeneralizedNaiveBayes):
        structure = kind().fit(X[::2], Y[::2]).structure_
        came_back(kind(structure=structure).fit(X, Y), X)


def test_what_cannot_be_read_back_replaces_nothing(tmp_path, monkeypatch):
    X, path = pd.DataFrame(COLUMNS)[FEW], tmp_path / "m.pgmnb"
    model = pnb.NaiveBayes().fit(X, Y)
    model.save(path)
    before = path.read_bytes()
    pack = pnb.NaiveBayes._pack
    monkeypatch.setattr(pnb.NaiveBayes, "_pack", lambda self: (pack(self)[0], {"y": np.zeros(2)}))
    with pytest.raises(ModelFileError, match=r"Naive Bayes cannot be saved.*none was written"):
        model.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
