"""Expert knowledge in the models: the edges hold, the prices are told, and a saved model keeps both."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import pgm_nb as pnb
from pgm_nb.errors import StructureError

REQUIRED = [("age", "serum cholesterol")]
FORBIDDEN = [("age", "major vessels colored"), ("ST depression", "ST slope")]


def models(**constraints):
    return [
        pnb.TreeAugmentedNaiveBayes(**constraints),
        *(
            pnb.GeneralizedNaiveBayes(search=search, **constraints)
            for search in ("greedy", "optimal", "exact")
        ),
    ]


def name_of(model):
    return getattr(model, "search", "tan")


@pytest.fixture(scope="module")
def heart():
    return pnb.load_sample("heart")


constrained = pytest.mark.parametrize("model", models(required=REQUIRED, forbidden=FORBIDDEN), ids=name_of)


@constrained
def test_the_tree_obeys_and_the_prices_explain_the_loss(model, heart):
    model = clone(model).fit(*heart)
    edges = {frozenset(edge) for edge in model.structure_.mothers.items()}
    assert frozenset(REQUIRED[0]) in edges
    assert edges.isdisjoint(frozenset(edge) for edge in FORBIDDEN)
    table = model.constraints_
    assert table[["kind", "attribute", "other"]].to_numpy().tolist() == [
        ["required", *REQUIRED[0]],
        *(["forbidden", *edge] for edge in FORBIDDEN),
    ]
    free = clone(model).set_params(required=None, forbidden=None).fit(*heart)
    lost = free.divergence_.weight - model.divergence_.weight
    assert model.trace_.price == pytest.approx(lost, abs=1e-12)
    assert model.divergence_.kl - free.divergence_.kl == pytest.approx(lost, abs=1e-12)
    for position, kind in enumerate(["required", "forbidden", "forbidden"]):
        edge = tuple(table.loc[position, ["attribute", "other"]])
        rest = [e for e in getattr(model, kind) if e != edge]
        lifted = clone(model).set_params(**{kind: rest}).fit(*heart)
        lost = lifted.divergence_.weight - model.divergence_.weight
        assert table["price"][position] == pytest.approx(lost, abs=1e-12)


@constrained
def test_saved_and_loaded(model, heart, tmp_path):
    X, y = heart
    model = clone(model).fit(X, y)
    model.save(tmp_path / "m")
    loaded = pnb.load(tmp_path / "m")
    pd.testing.assert_frame_equal(loaded.constraints_, model.constraints_)
    assert loaded.trace_ == model.trace_
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
    again = clone(loaded).fit(X, y)  # JSON turned the pairs into lists: they mean the same
    assert again.structure_.to_json() == model.structure_.to_json()
    assert again.trace_ == model.trace_


@pytest.mark.parametrize("model", models(), ids=name_of)
def test_no_constraints_make_an_empty_table(model, heart):
    model = clone(model).fit(*heart)
    assert model.constraints_.columns.tolist() == ["kind", "attribute", "other", "price"]
    assert model.constraints_["price"].dtype.kind == "f"
    assert len(model.constraints_) == 0
    assert model.trace_.price == 0


@pytest.mark.parametrize("model", models(), ids=name_of)
def test_a_required_edge_without_dependence_costs_what_it_replaces(model):
    # given the class a and b are copies of each other, and c is independent of both
    a, c, y = (column.ravel() for column in np.meshgrid([0, 1], [0, 1], [0, 1]))
    X = pd.DataFrame({"a": a, "b": a, "c": c})
    free = clone(model).fit(X, y)
    assert frozenset(("a", "b")) in {frozenset(edge) for edge in free.structure_.mothers.items()}
    held = clone(model).set_params(required=[("a", "c"), ("c", "b")]).fit(X, y)
    assert held.divergence_.weight == pytest.approx(0, abs=1e-12)
    assert held.trace_.price == pytest.approx(1, abs=1e-12)  # the bit that a and b share
    assert held.constraints_["price"].tolist() == pytest.approx([1, 1], abs=1e-12)
    one = clone(model).set_params(required=[("a", "c")]).fit(X, y)
    assert one.constraints_["price"].tolist() == pytest.approx([0], abs=1e-12)


@pytest.mark.parametrize("model", models(), ids=name_of)
def test_refused_when_fitted_not_when_made(model, heart):
    X, y = heart
    model = clone(model).set_params(required=[("age", "cholesterol")])
    with pytest.raises(StructureError, match="did you mean 'serum cholesterol'"):
        model.fit(X, y)
    model.set_params(required=[("age", y.name)])
    with pytest.raises(StructureError, match="has the class at one end"):
        model.fit(X, y)
    model.set_params(required=None, forbidden=[("age", other) for other in X.columns if other != "age"])
    with pytest.raises(StructureError, match="nothing can join 'age' to the rest"):
        model.fit(X, y)


def test_a_required_edge_that_max_clusters_cuts_off(heart):
    model = pnb.GeneralizedNaiveBayes(max_clusters=1, required=REQUIRED)
    with pytest.raises(StructureError, match="max_clusters=1 cuts off the required edge 'age'"):
        model.fit(*heart)


@constrained
def test_cross_validation(model, heart):
    assert cross_val_score(clone(model), *heart, cv=3).mean() > 0.7


def test_unnamed_columns_go_by_their_given_names(heart):
    X, y = heart
    X = X.select_dtypes("number").to_numpy()
    model = pnb.TreeAugmentedNaiveBayes(required=[("x0", "x2")]).fit(X, y)
    assert frozenset(("x0", "x2")) in {frozenset(edge) for edge in model.structure_.mothers.items()}


@pytest.mark.parametrize("model", models(), ids=name_of)
def test_not_fitted(model):
    with pytest.raises(NotFittedError):
        _ = clone(model).constraints_
