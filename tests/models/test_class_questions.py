"""Questions about the class, to models without intervals: against predictions, and what is refused."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError

KINDS = [kind for kind in pnb.MODELS if not kind.about.bins]
EVERY = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.about.short_name)
RATES = {"setosa": 0.1, "versicolor": 0.1, "virginica": 0.8}


def table():
    X, y = pnb.load_sample("iris")
    return X[["petal length", "sepal width"]].assign(wide=np.where(X["sepal width"] > 3, "yes", "no")), y


@cache
def learned(kind):
    return kind().fit(*table())


@EVERY
def test_the_class_given_values_is_the_prediction_of_a_row(kind):
    (X, _), model = table(), learned(kind)
    row = X.iloc[[70]]
    known = {
        "petal length": float(row["petal length"].iloc[0]),
        "wide": row["wide"].iloc[0],
        "sepal width": None,
    }
    part = row.assign(**{"sepal width": np.nan})
    for prior in (None, RATES):
        found = model.query("class", given=known, prior=prior)
        assert found["class"].tolist() == model.classes_.tolist()
        np.testing.assert_allclose(
            found["probability"], model.predict_proba(part, prior=prior)[0], atol=1e-12
        )
    apart = model.query(["class"], given=known, joint=False)
    assert apart["variable"].tolist() == ["class"] * 3
    best = model.predict(part)[0]
    assert model.map_query("class", given=known) == {"class": best}
    with pytest.raises(QueryError, match="petal"):
        model.query("class", given={"petal lenght": 1.0})
    with pytest.raises(QueryError, match="perhaps"):
        model.query("class", given={"wide": "perhaps"})


@EVERY
def test_several_values_are_averaged_and_one_alone_says_all(kind):
    (X, _), model = table(), learned(kind)
    known = {"petal length": 4.9}
    plain = model.query("class", given={**known, "wide": "yes"})["probability"]
    ruled = model.query("class", given={**known, "wide": pnb.not_("no")}, X=X)["probability"]
    np.testing.assert_allclose(ruled, plain, atol=1e-12)
    soft = model.query("class", given={"wide": {"yes": 1.0, "no": 0.0}}, X=X)["probability"]
    np.testing.assert_allclose(soft, model.query("class", given={"wide": "yes"})["probability"], atol=1e-12)
    sides = plain, model.query("class", given=known)["probability"]  # it is so, or nothing was observed
    doubtful = pnb.likelihood({"yes": 0.6, "no": 0.4})
    mixed = model.query("class", given={**known, "wide": doubtful}, X=X)["probability"]
    assert (mixed >= np.minimum(*sides) - 1e-12).all()
    assert (mixed <= np.maximum(*sides) + 1e-12).all()


@EVERY
def test_attributes_are_refused_in_a_sentence(kind):
    model = learned(kind)
    with pytest.raises(QueryError, match="probabilities of the class only, not of 'wide'"):
        model.query("wide")
    with pytest.raises(QueryError, match="cannot complete a case"):
        model.map_query()
    with pytest.raises(QueryError, match="is given, so there is nothing to ask"):
        model.query("class", given={"class": "setosa"})
    with pytest.raises(QueryError, match="no variable 'wid' in this model"):
        model.query("wid")


@EVERY
def test_a_range_needs_rows_where_numbers_have_no_intervals(kind):
    (X, _), model = table(), learned(kind)
    with pytest.raises(QueryError, match="pass X="):
        model.query("class", given={"petal length": pnb.between(3, 5)})
    with pytest.raises(QueryError, match="'petal length' is a number"):
        model.query("class", given={"petal length": "long"})
    found = model.query("class", given={"petal length": pnb.above(6)}, X=X)
    assert found.set_index("class")["probability"].idxmax() == "virginica"


def test_a_class_column_named_probability():
    X, y = table()
    found = pnb.GaussianNaiveBayes().fit(X, pd.Series(y, name="probability")).query("probability")
    assert list(found) == ["probability", "probability_"]


def test_the_average_of_networks_is_no_network():
    with pytest.raises(QueryError, match="no network itself"):
        pnb.AveragedTree().fit(*table()).to_pgmpy()


@pytest.mark.parametrize(
    "kind", [k for k in pnb.MODELS if not k.about.bins], ids=lambda kind: kind.about.short_name
)
def test_densities_and_counts_are_factors_of_a_row_alone(kind):
    X, y = pnb.load_sample("iris")
    with pytest.raises(QueryError, match="for one row"):
        kind().fit(X.iloc[::3], y.iloc[::3]).to_pgmpy()
