"""What a model says about a case is what it says elsewhere: the same probability everywhere."""

from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain import nomogram
from pgm_nb.explain.case_values import CaseReader
from pgm_nb.explain.cases import MANY, TOP, CaseAnalysis, asked_case, likeliest
from pgm_nb.models import MODELS


def learned(kind, sample="iris", **parameters):
    X, y = pnb.load_sample(sample)
    return CaseAnalysis.of(kind(**parameters).fit(X, y), X), CaseReader.of(X, "class"), X, y


@pytest.fixture(scope="module", params=MODELS, ids=lambda kind: kind.about.short_name)
def every(request):
    return learned(request.param)


def values(reader, row):
    return {name: reader.value(name, text)[0] for name, text in reader.row(row).items()}


def test_a_case_gets_what_predict_proba_says(every):
    analysis, reader, X, _ = every
    for place in (0, 77, 140):
        known = analysis.usable(values(reader, X.iloc[place]))
        assert len(known) == 4
        expected = analysis.model.predict_proba(X.iloc[[place]])[0]
        np.testing.assert_allclose(analysis.posterior(known).classes, expected, rtol=1e-9, atol=1e-15)


def test_a_part_of_a_case_gets_what_predict_proba_says(every):
    analysis, _, X, _ = every
    row = pd.DataFrame({name: [np.nan] for name in X.columns}).assign(**{"petal width": 1.6})
    expected = analysis.model.predict_proba(row)[0]
    np.testing.assert_allclose(analysis.posterior({"petal width": 1.6}).classes, expected, rtol=1e-9)


def test_the_steps_end_at_the_same_probability(every):
    analysis, reader, X, _ = every
    whole = values(reader, X.iloc[77])
    for known in ({"petal width": 1.6}, dict(list(whole.items())[:2]), whole):
        posterior = analysis.posterior(known)
        for label in analysis.classes:
            why = analysis.explain(known, label)
            place, other = analysis.classes.index(label), analysis.classes.index(why.against)
            assert why.probability == pytest.approx(posterior.classes[place], rel=1e-9)
            odds = np.log(posterior.classes[place] / posterior.classes[other])
            assert why.log_odds == pytest.approx(odds, rel=1e-7, abs=1e-9)


def test_nothing_known_is_the_prior(every):
    analysis, *_ = every
    np.testing.assert_allclose(analysis.posterior({}).classes, 1 / 3, rtol=1e-12)


def test_every_state_can_be_clicked(every):
    analysis, reader, *_ = every
    for name, attribute in analysis.attributes.items():
        assert len(attribute.texts) == attribute.column.card
        for state, text in enumerate(attribute.texts):
            assert attribute.state(reader.value(name, text)[0]) == state


def test_attributes_have_posteriors_where_there_is_a_joint(every):
    analysis, *_ = every
    states = analysis.posterior({"petal width": 1.6}).states
    if not analysis.model.about.predicts_attributes:
        assert states is None
        return
    assert set(states) == set(analysis.attributes)
    for name, attribute in analysis.attributes.items():
        assert states[name].sum() == pytest.approx(1.0, abs=1e-12)
        assert len(states[name]) == attribute.column.card
    assert states["petal width"].max() == 1.0


ASKED = [kind for kind in MODELS if kind.about.predicts_attributes and kind is not pnb.GaussianNaiveBayes]


@pytest.mark.parametrize("kind", ASKED)
def test_posteriors_are_those_of_query(kind):
    analysis, _, _, _ = learned(kind)
    states = analysis.posterior({"petal width": 1.6}).states
    for name in ("petal length", "sepal width"):
        expected = analysis.model.query(name, given={"petal width": 1.6})["probability"]
        np.testing.assert_allclose(states[name], expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ASKED)
def test_a_range_leaves_the_shares_of_its_states(kind):
    analysis, _, _, _ = learned(kind)
    known = {"petal width": 1.6, "petal length": pnb.above(3.0)}
    states = analysis.posterior(known).states
    assert set(states) == set(analysis.attributes)
    assert states["petal width"].max() == 1.0
    for name in ("petal length", "sepal width"):
        given = {**known, "petal length": analysis.attributes["petal length"].weights(known["petal length"])}
        labels = analysis.attributes["petal length"].column.labels
        given["petal length"] = dict(zip(labels, given["petal length"].tolist(), strict=True))
        alone = {key: value for key, value in given.items() if key != name}
        expected = analysis.model.query(name, given=alone)["probability"].to_numpy()
        if name == "petal length":
            expected = expected * np.array([*given[name].values()])
        np.testing.assert_allclose(states[name], expected / expected.sum(), rtol=1e-9)


def test_attributes_that_need_too_large_a_table_are_left_out(monkeypatch):
    analysis, _, _, _ = learned(pnb.KDependenceBayes)
    every = analysis.posterior({}).states
    monkeypatch.setitem(vars(analysis.model.factors_), "is_chordal", False)
    monkeypatch.setattr("pgm_nb.engine.sums._MOST_ROOM", 0)
    monkeypatch.setattr("pgm_nb.engine.elimination.MOST_CELLS", 30)
    analysis._kept.clear()
    some = analysis.posterior({}).states
    assert 0 < len(some) < len(every)
    for name, shares in some.items():
        np.testing.assert_allclose(shares, every[name], rtol=1e-12)


def test_a_case_is_looked_at_once():
    analysis, _, _, _ = learned(pnb.KDependenceBayes)
    prospects = analysis.prospects({"petal width": 1.6})
    analysis.posterior({"petal width": 1.6})
    assert analysis.prospects({"petal width": 1.6}) is prospects
    looked = []
    object.__setattr__(prospects, "look", looked.append)
    assert len(analysis.next_best({"petal width": 1.6})) == 3
    assert looked == []


def test_gaussian_groups_are_areas_under_the_mixed_bell_curves():
    analysis, _, _, _ = learned(pnb.GaussianNaiveBayes)
    posterior = analysis.posterior({"petal width": 1.6})
    bells = analysis.model.structure_.gaussians["petal length"]
    rng = np.random.default_rng(0)
    drawn = np.concatenate(
        [rng.normal(*bell, int(2e5 * p)) for bell, p in zip(bells, posterior.classes, strict=True)]
    )
    counts = np.bincount(analysis.attributes["petal length"].column.encode(drawn), minlength=5) / len(drawn)
    np.testing.assert_allclose(posterior.states["petal length"], counts, atol=0.005)


def test_unknown_is_not_the_state_missing():
    analysis, *_ = learned(pnb.HiddenNaiveBayes, "house_votes")
    assert analysis.attributes["education spending"].column.missing_state
    np.testing.assert_allclose(
        analysis.posterior({}).classes, np.exp(analysis.model.class_log_prior_), rtol=1e-12
    )
    analysis, *_ = learned(pnb.NaiveBayes, "house_votes")
    empty = analysis.posterior({"education spending": None}).classes
    expected = analysis.model.query("class", given={"education spending": "missing"})["probability"]
    np.testing.assert_allclose(empty, expected, rtol=1e-12)


def test_values_that_a_model_cannot_use():
    analysis, *_ = learned(pnb.NaiveBayes, "zoo")
    assert analysis.usable({"legs": 3.0, "hair": "yes", "wheels": 4.0}) == {"hair": "yes"}


def test_facts_are_written_as_people_read_them():
    analysis, *_ = learned(pnb.NaiveBayes)
    labels = analysis.attributes["petal width"].column.labels
    assert analysis.fact("petal width", 9.0) == f"petal width {labels[-1]}"
    assert analysis.fact("petal width", 1.6).startswith("petal width in (")
    assert learned(pnb.GaussianNaiveBayes)[0].fact("petal width", 1.6) == "petal width = 1.6"


def test_values_at_odds_are_remarked_on():
    analysis, _, X, _ = learned(pnb.TreeAugmentedNaiveBayes, "wdbc")
    row = {"worst radius": 30.0, "worst area": 200.0, "worst texture": 20.0}
    times, odd = analysis.conflict(row)
    before = {name: analysis.model.query(name)["probability"] for name in row}
    apart = np.prod([before[name][analysis.attributes[name].state(value)] for name, value in row.items()])
    together = np.exp(analysis.model.junction_tree().observe(row).log_evidence)
    assert times == pytest.approx(apart / together, rel=1e-9)
    assert odd in ("worst radius", "worst area")
    assert analysis.conflict({name: X[name].iloc[0] for name in row}) is None


def test_numbers_beyond_all_measure():
    analysis, *_ = learned(pnb.GaussianNaiveBayes)
    assert analysis.is_impossible({"petal width": 1e200})
    assert not analysis.is_impossible({"petal width": 1.0})
    np.testing.assert_allclose(analysis.posterior({"petal width": 1e200}).classes, 1 / 3, rtol=1e-9)


@pytest.mark.parametrize("sample", ["wdbc", "heart"])
def test_the_nomogram_reads_the_same_probability(sample):
    analysis, reader, X, _ = learned(pnb.NaiveBayes, sample)
    whole = values(reader, X.iloc[3])
    for known in ({}, dict(list(whole.items())[:3]), whole):
        shown = analysis.posterior(known).classes
        case = {name: analysis.label(name, value) for name, value in known.items()}
        for label, probability in zip(analysis.classes, shown, strict=True):
            chart = nomogram(analysis.model, label=label)
            *points, total = chart.worth(case)
            assert chart.probability(total) == pytest.approx(probability, rel=1e-9)
            assert sum(worth is not None for worth in points) == len(known)
            assert chart.draw(known=case, largest=2).count('class="known"') == (
                len(known) + 2 if known else 0
            )


EVIDENCE = {
    "petal width": pnb.between(1.2, 1.8),
    "sepal length": pnb.above(5.9),
}


@pytest.mark.parametrize(
    "kind", [k for k in MODELS if k.about.is_joint], ids=lambda kind: kind.about.short_name
)
def test_other_evidence_gets_what_query_says(kind):
    chosen = {"parameters": "generative", "n_bins": 5}
    analysis, *_ = learned(
        kind, **{name: value for name, value in chosen.items() if kind.about.has_parameter(name)}
    )
    for known in (EVIDENCE, {**EVIDENCE, "petal length": 4.8}):
        expected = analysis.model.query("class", given=known)["probability"]
        found = analysis.posterior(known)
        np.testing.assert_allclose(found.classes, expected, atol=1e-12)
        assert found.states["petal width"][0] == 0 or kind.about.own_states  # one threshold splits no range
        assert found.states["petal width"].sum() == pytest.approx(1)


def test_a_model_without_a_joint_distribution_averages_over_what_is_possible():
    X, y = pnb.load_sample("iris")
    X = X.assign(big=np.where(X["petal width"] > 1.5, "yes", "no"), colour=["a", "b", "c"] * 50)
    model = pnb.HiddenNaiveBayes(n_bins=5, discretizer="quantile").fit(X, y)
    analysis = CaseAnalysis.of(model, X)
    scores = np.concatenate([model.case_scores({"big": "yes", "colour": c}) for c in "ab"])
    expected = np.array([0.6, 0.2]) @ np.exp(scores)
    found = analysis.posterior({"big": "yes", "colour": pnb.likelihood({"a": 0.6, "b": 0.2})}).classes
    np.testing.assert_allclose(found, expected / expected.sum(), atol=1e-12)
    assert analysis.posterior({"colour": pnb.one_of("a", "b", "c")}).classes.sum() == pytest.approx(1)


def test_steps_of_other_evidence_end_at_the_same_probability(every):
    analysis, *_ = every
    if getattr(analysis.model, "class_parameters_", None) is not None:
        return
    for known in (EVIDENCE, {**EVIDENCE, "petal length": 4.8}):
        posterior = analysis.posterior(known).classes
        why = analysis.explain(known)
        assert why.probability == pytest.approx(posterior.max(), rel=1e-9)
        told = {"petal width", "sepal length"} - (
            {"petal width"} if analysis.model.about.own_states else set()
        )
        told &= set(getattr(analysis.model.structure_, "chosen", told))  # what it leaves out adds nothing
        assert {part.name for part in why.parts} >= told  # a range about a threshold says nothing
        assert analysis.fact("petal width", known["petal width"]) == "petal width is between 1.2 and 1.8"


def test_many_cases_at_once_are_the_cases_one_by_one(every):
    analysis, *_ = every
    last = analysis.attributes["petal width"].column.card - 1
    states = {"petal width": np.array([-1, 0, last]), "sepal width": np.array([1, -1, last])}
    found = analysis.posteriors({"petal width": 1.6}, states)
    width, sepal = (analysis.attributes[name] for name in states)
    cases = [
        {"petal width": 1.6, "sepal width": sepal.value(1)},
        {"petal width": width.value(0)},
        {"petal width": width.value(last), "sepal width": sepal.value(last)},
    ]
    expected = [analysis.posterior(case).classes for case in cases]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)


def test_evidence_that_the_table_cannot_have_is_not_used(every):
    analysis, *_ = every
    assert analysis.usable({"petal width": pnb.one_of("big"), "sepal width": pnb.above(3)}) == {
        "sepal width": pnb.above(3)
    }


def test_cells_of_a_row_are_taken_as_they_are():
    X, y = pnb.load_sample("heart")
    model = pnb.NaiveBayes(parameters="generative", n_bins=4).fit(X, y)
    analysis = CaseAnalysis.of(model, X)
    row = X.iloc[7].to_dict() | {"serum cholesterol": np.nan, "age": int(X["age"][7]), "ST slope": pd.NA}
    known = analysis.usable(row)
    assert set(X.columns) - set(known) == {"serum cholesterol", "ST slope"}
    cells = X.iloc[[7]].astype({"serum cholesterol": float})
    cells[["serum cholesterol", "ST slope"]] = np.nan
    np.testing.assert_allclose(analysis.posterior(known).classes, model.predict_proba(cells)[0], rtol=1e-9)


def test_a_few_numbers_of_a_bell_curve_have_the_area_nearest_to_them():
    X, y = pnb.load_sample("heart")
    model = pnb.GaussianNaiveBayes().fit(X, y)
    name = "major vessels colored"  # 0, 1, 2 and 3, without intervals
    found = CaseAnalysis.of(model, X).posterior({}).states[name]
    share = np.exp(model.class_log_prior_)
    curves = [NormalDist(mean, spread) for mean, spread in model.structure_.gaussians[name]]
    below = np.array([[curve.cdf(end) for end in (0.5, 1.5, 2.5)] for curve in curves])
    np.testing.assert_allclose(found, share @ np.diff(below, axis=1, prepend=0, append=1), rtol=1e-12)


def test_few_classes_stay_in_their_order():
    assert likeliest([0.1] * MANY) == (list(range(MANY)), [])


def test_of_many_the_most_probable_come_first_and_nothing_is_lost():
    shares = [((7 * place) % 26) / 325 for place in range(26)]
    shown, rest = likeliest(shares)
    assert len(shown) == TOP
    assert [shares[place] for place in shown] == sorted(shares, reverse=True)[:TOP]
    assert sorted([*shown, *rest]) == list(range(26))
    assert likeliest(shares, rest[-1])[0][-1] == rest[-1]


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
