"""Rows drawn from models that score cases: they follow the sums over whole rows."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.models.drawn_rows import drawn_rows

ROWS = 20_000
MODELS = [
    pnb.KDependenceBayes(k=2),
    pnb.AveragedOneDependence(),
    pnb.ClassTreesBayes(),
    pnb.ClassTreesBayes(order=3),
]
EVIDENCE = [
    ({}, {}),
    ({"y": "q", "d": "3"}, {"y": {"q": 1.0}, "d": {"3": 1.0}}),
    ({"b": pnb.one_of("0", "2")}, {"b": {"0": 1.0, "2": 1.0}}),
    ({"c": {"0": 0.9, "1": 0.3}, "a": "1"}, {"c": {"0": 0.9, "1": 0.3}, "a": {"1": 1.0}}),
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 200)
    a = (y + rng.integers(0, 2, 200)) % 3
    b = (a + (rng.random(200) < 0.3)) % 3
    c = np.where(y == 1, (a + b) % 2, rng.integers(0, 2, 200))
    d = (b + c + (rng.random(200) < 0.2)) % 4
    X = pd.DataFrame({"a": a, "b": b, "c": c, "d": d}).astype(str)
    return X, pd.Series(np.array(["p", "q", "r"])[y], name="y")


@pytest.fixture(scope="module", params=MODELS, ids=str)
def asked(request, table, whole_rows):
    model = request.param.fit(*table)
    return model, whole_rows(model)


@pytest.mark.parametrize(("given", "likelihoods"), EVIDENCE)
@pytest.mark.parametrize("prior", [None, {"p": 0.7, "q": 0.2, "r": 0.1}])
def test_rows_follow_the_posterior(asked, given, likelihoods, prior):
    model, joint = asked
    for name, likelihood in likelihoods.items():
        joint = joint.assign(p=joint["p"] * joint[name].map(likelihood).fillna(0.0).astype(float))
    if prior is not None:
        old = dict(zip(model.classes_, np.exp(model.class_log_prior_), strict=True))
        joint = joint.assign(p=joint["p"] * joint["y"].map({c: prior[c] / old[c] for c in prior}))
    names = ["y", "a", "b", "c", "d"]
    wanted = joint.set_index(names)["p"] / joint["p"].sum()
    drawn = model.sample(ROWS, given, random_state=1, prior=prior)
    assert list(drawn.columns) == names
    counts = drawn.groupby(names).size().reindex(wanted.index, fill_value=0)
    assert counts[wanted == 0].sum() == 0
    often = wanted * ROWS >= 5
    parts = [((counts - ROWS * wanted) ** 2 / (ROWS * wanted))[often].sum()]
    rest = wanted[~often].sum() * ROWS
    if rest > 0:
        parts.append((counts[~often].sum() - rest) ** 2 / rest)
    cells = int(often.sum()) + len(parts) - 1
    assert sum(parts) < cells + 5 * np.sqrt(2 * cells)  # chi-square, five standard deviations


def test_the_same_seed_gives_the_same_rows(asked):
    model, _ = asked
    one, two = (model.sample(50, random_state=7) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(model.sample(50, random_state=8))
    assert len(model.sample(0)) == 0
    with pytest.raises(QueryError, match="at least 0"):
        model.sample(-1)


def test_attributes_that_are_left_out_are_not_drawn(table):
    X, y = table
    noise = X.assign(noise=np.random.default_rng(0).integers(0, 2, len(X)).astype(str))
    model = pnb.KDependenceBayes(select=True).fit(noise, y)
    assert set(model.sample(3, {"noise": "1"}, random_state=0).columns) == {
        "y",
        *model.structure_.attributes,
    }


def test_many_attributes_do_not_underflow():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame((rng.random((300, 120)) < 0.4 + 0.2 * y[:, None]).astype(int).astype(str))
    X.columns = [f"x{i}" for i in range(120)]
    drawn = pnb.KDependenceBayes(k=1).fit(X, y).sample(200, random_state=0)
    assert not drawn.isna().any().any()
    gap = drawn.groupby("class").agg(lambda column: (column == "1").mean()).diff().iloc[-1]
    assert gap.mean() == pytest.approx(0.2, abs=0.05)


def test_models_of_the_class_alone_get_a_sentence(table):
    for model in (pnb.HiddenNaiveBayes(), pnb.AveragedTree()):
        with pytest.raises(QueryError, match="no rows can be drawn from it; draw from naive Bayes"):
            model.fit(*table).sample(3)


def test_what_cannot_be_is_not_drawn():
    def look(codes):
        return np.where(codes[0] == 1, -np.inf, 0.0), np.full((codes.shape[1], 2), 0.5)

    rng, ones = np.random.default_rng(0), np.ones(2)
    y, codes = drawn_rows(look, np.array([[2]], dtype=np.uint16), np.zeros(1), ones, [2], 100, rng)
    assert (codes == 0).all()
    assert set(y) == {0, 1}
    with pytest.raises(QueryError, match="probability zero"):
        drawn_rows(look, np.array([[1]], dtype=np.uint16), np.zeros(1), ones, [2], 3, rng)
