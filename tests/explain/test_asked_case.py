"""A case that is asked about by name: what the model does not have is refused in a sentence."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.asked_case import asked_case


@pytest.fixture(scope="module")
def heart():
    return pnb.load_sample("heart")


@pytest.fixture(scope="module", params=[pnb.NaiveBayes, pnb.GaussianNaiveBayes, pnb.HiddenNaiveBayes])
def model(request, heart):
    return request.param().fit(*heart)


@pytest.fixture(scope="module")
def case(model, heart):
    return pnb.CaseAnalysis.of(model, heart[0])


STUDIES = [pnb.tornado, pnb.what_changes, lambda case, known: pnb.compare_cases(case, known, {"age": 50.0})]


@pytest.mark.parametrize("ask", STUDIES, ids=["tornado", "changes", "pair"])
@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ({"agee": 61}, "no attribute 'agee' in this model; did you mean 'age'"),
        ({"class": "present"}, "leave it out"),
        ({"sex": "mail"}, "did you mean 'male'"),
        ({"age": "old"}, "'age' has no state 'old'"),
        ({"age": np.inf}, "'age' has no state 'inf'"),
        ({"sex": pnb.not_("mail")}, "did you mean 'male'"),
        ([61], "given by name"),
    ],
)
def test_what_the_model_does_not_have_is_refused(case, ask, known, sentence):
    with pytest.raises(QueryError, match=sentence):
        ask(case, known)


@pytest.mark.parametrize("ask", STUDIES, ids=["tornado", "changes", "pair"])
def test_a_model_without_its_table_is_refused(model, ask):
    with pytest.raises(DataError, match=r"CaseAnalysis\.of\(model, X\)"):
        ask(model, {"age": 61})


def test_a_row_of_a_table_is_a_case(case, heart):
    row = heart[0].iloc[3].copy()
    row["age"], row["sex"] = np.nan, None
    known = asked_case(case, row, "A test")
    assert "age" not in known
    assert "sex" not in known
    assert len(known) == 11
    assert str(pnb.tornado(case, row)) == str(pnb.tornado(case, row.to_dict()))
    written = asked_case(case, {"age": "61", "sex": {"male": 0.7, "female": 0.3}}, "A test")
    assert written == {"age": 61.0, "sex": pnb.likelihood({"male": 0.7, "female": 0.3})}


def test_a_new_case_finds_the_rows_like_it(model, heart):
    X, _ = heart
    row = X.iloc[3]
    found = pnb.most_alike(model, X, row, n=3)
    assert found["row"][0] == 3  # the case itself is in the table
    assert found["distance"][0] == pytest.approx(0, abs=1e-12)
    assert found["same"][0] == 13
    expected = pnb.most_alike(model, X, 3, n=2)
    pd.testing.assert_frame_equal(found.iloc[1:].reset_index(drop=True), expected)
    assert pnb.most_alike(model, X, {"age": 61, "sex": None}, n=4)["same"].max() <= 1
    for wrong, sentence in ((297, "rows 0 to 296"), (-1, "rows 0 to 296"), ("3", "values by name")):
        with pytest.raises(QueryError, match=sentence):
            pnb.most_alike(model, X, wrong)
    with pytest.raises(QueryError, match="did you mean 'age'"):
        pnb.most_alike(model, X, {"agee": 61})


def test_how_sure_refuses_a_name_that_no_model_has(model, heart):
    rows = pnb.rows_behind(model, *heart)
    with pytest.raises(QueryError, match=r"'agee'.*did you mean 'age'"):
        pnb.how_sure(model, {"agee": 61}, rows)


def test_a_range_that_no_row_is_in_is_out_of_range(model, heart):
    rows = pnb.rows_behind(model, *heart)  # ages 29 to 77
    said = "age is above 80, which is out of range: the rows have 29 to 77."
    assert said in pnb.how_sure(model, {"age": pnb.above(80)}, rows)
    assert rows.out_of_range({"age": pnb.above(77)}) == {"age": (29.0, 77.0)}
    assert rows.out_of_range({"age": pnb.between(77, 90)}) == {}  # 77 is inside
    assert rows.out_of_range({"age": pnb.below(29)}) == {"age": (29.0, 77.0)}
    assert rows.out_of_range({"age": pnb.below(29.5)}) == {}
