"""A structure that somebody else thought of: weighed and fitted as it stands."""

import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.errors import DataError, StructureError


@pytest.fixture(scope="module")
def iris():
    return pnb.load_sample("iris")


def test_the_learned_tree_given_back_is_the_same_model(iris):
    X, y = iris
    learned = pnb.GeneralizedNaiveBayes(search="optimal").fit(X, y)
    given = pnb.GeneralizedNaiveBayes(structure=learned.structure_).fit(X, y)
    assert given.structure_ == learned.structure_
    assert given.divergence_ == learned.divergence_
    assert (given.predict_proba(X) == learned.predict_proba(X)).all()
    assert given.trace_.algorithm == "given"
    assert given.trace_.steps == learned.trace_.steps


def test_a_tree_becomes_a_cherry_tree_of_the_same_weight(iris):
    X, y = iris
    tan = pnb.TreeAugmentedNaiveBayes().fit(X, y)
    given = pnb.GeneralizedNaiveBayes(structure=tan.structure_).fit(X, y)
    assert dict(given.structure_.mothers) == dict(tan.structure_.mothers)
    assert given.divergence_.weight == tan.divergence_.weight


def test_an_experts_tree_is_weighed(iris):
    X, y = iris
    tree = pnb.CherryTree("class", ("sepal width", "petal width"), {"petal width": "sepal width"})
    model = pnb.GeneralizedNaiveBayes(structure=tree).fit(X, y)
    assert model.structure_.order == tree.order
    expected = sum(model.structure_.relevance.values()) + sum(model.structure_.dependence.values())
    assert model.divergence_.weight == pytest.approx(expected, abs=1e-12)
    assert model.divergence_.gap > 0


def test_it_is_cloned_saved_and_loaded(iris, tmp_path):
    tree = pnb.CherryTree("class", ("petal width", "sepal width"), {"sepal width": "petal width"})
    model = clone(pnb.GeneralizedNaiveBayes(structure=tree)).fit(*iris)
    model.save(tmp_path / "m")
    assert pnb.load(tmp_path / "m").structure == tree


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        (
            {"structure": pnb.CherryTree("class", ("petal widht",), {})},
            StructureError,
            "no such column.*did you mean 'petal width'",
        ),
        ({"structure": pnb.Star("class", ("petal width",))}, DataError, "NaiveBayes"),
        ({"structure": "tree.json"}, DataError, "of type str"),
        (
            {"structure": pnb.CherryTree("class", ("petal width",), {}), "max_clusters": 1},
            DataError,
            "fitted as it is",
        ),
    ],
)
def test_mistakes(iris, parameters, error, sentence):
    with pytest.raises(error, match=sentence):
        pnb.GeneralizedNaiveBayes(**parameters).fit(*iris)
