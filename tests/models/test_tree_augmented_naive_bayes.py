"""TAN with a tree of one's own: fitted as it is, weighed, saved, and refused where it does not fit."""

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError, StructureError

X, y = pnb.load_sample("iris")
NAMES = tuple(X.columns)
STAR = dict.fromkeys(NAMES[:3], "petal width")


def fit(**parameters):
    return pnb.TreeAugmentedNaiveBayes(n_bins=5, **parameters).fit(X, y)


def test_the_best_tree_given_is_the_best_tree():
    free = fit()
    own = fit(structure=free.structure_)
    assert own.structure_ == free.structure_
    np.testing.assert_array_equal(own.predict_proba(X), free.predict_proba(X))
    assert own.divergence_.weight == free.divergence_.weight


def test_another_tree_is_fitted_as_it_is_and_costs_its_weight(tmp_path):
    own = fit(structure=pnb.Tree("class", NAMES, STAR))
    assert dict(own.structure_.mothers) == STAR
    assert own.trace_.algorithm == "given"
    price = pnb.edit_price(pnb.TreeAugmentedNaiveBayes(n_bins=5, structure=own.structure_), X, y, cv=0)
    assert price.bits == pytest.approx(fit().divergence_.weight - own.divergence_.weight, abs=1e-12)
    own.save(tmp_path / "own.pgmnb")
    again = pnb.load(tmp_path / "own.pgmnb")
    np.testing.assert_array_equal(again.predict_proba(X), own.predict_proba(X))


def test_what_does_not_fit_is_refused():
    with pytest.raises(StructureError, match="no attribute 'petal width'"):
        fit(structure=pnb.Tree("class", NAMES[:3], {NAMES[0]: NAMES[1], NAMES[2]: NAMES[1]}))
    with pytest.raises(DataError, match="leave required and forbidden out"):
        fit(structure=pnb.Tree("class", NAMES, STAR), required=[("petal length", "sepal width")])
    with pytest.raises(DataError, match="for a star, use NaiveBayes"):
        fit(structure=fit().structure_.mothers)
