"""Answers from scores: every posterior of KDB, AODE and class trees, by adding up whole rows."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError

MODELS = [
    pnb.KDependenceBayes(k=2),
    pnb.KDependenceBayes(k=3, smoothing=1.0),
    pnb.KDependenceBayes(select=True),
    pnb.AveragedOneDependence(),
    pnb.AveragedOneDependence(weighting="information"),
    pnb.AveragedOneDependence(frequency_limit=30),
    pnb.ClassTreesBayes(),
    pnb.ClassTreesBayes(smoothing=0.5),
    pnb.ClassTreesBayes(order=3),
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(11)
    n = 240
    y = rng.integers(0, 3, n)
    a = (y + rng.integers(0, 2, n)) % 3
    b = (a + (rng.random(n) < 0.3)) % 3
    c = np.where(y == 1, (a + b) % 2, rng.integers(0, 2, n))
    d = (b + c + (rng.random(n) < 0.2)) % 4
    e = np.where(rng.random(n) < 0.1, 2, c)  # its last state is rare
    X = pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e}).astype(str)
    return X, pd.Series(np.array(["p", "q", "r"])[y], name="y")


@pytest.fixture(scope="module", params=MODELS, ids=str)
def asked(request, table, whole_rows):
    model = request.param.fit(*table)
    return model, whole_rows(model)


def expected(joint, names, given):
    for name, states in given.items():
        joint = joint[joint[name].isin(states)]
    return joint.groupby(names)["p"].sum() / joint["p"].sum()


@pytest.mark.parametrize("names", [["y"], ["b"], ["d", "a"], ["c", "y", "a"]])
@pytest.mark.parametrize(
    "given", [{}, {"e": ["2"]}, {"b": ["2"], "c": ["0"]}, {"y": ["q"]}, {"e": ["0", "1"], "d": ["3"]}]
)
def test_it_is_the_sum_over_whole_rows(asked, names, given):
    model, joint = asked
    given = {name: states for name, states in given.items() if name not in names}
    if not set(names) <= {"y", *model.structure_.attributes}:  # a selective one
        with pytest.raises(QueryError, match="takes no part"):
            model.query(names)
        return
    evidence = {name: s[0] if len(s) == 1 else pnb.one_of(*s) for name, s in given.items()}
    found = model.query(names, given=evidence).set_index(names)["probability"]
    wanted = expected(joint, names, given)
    np.testing.assert_allclose(found[wanted.index], wanted, rtol=0, atol=1e-9)
    assert found.sum() == pytest.approx(1, abs=1e-12)


def test_apart_and_in_another_population(asked):
    model, joint = asked
    apart = model.query(["y", "a"], given={"c": "1"}, joint=False)
    for name in ("y", "a"):
        alone = model.query(name, given={"c": "1"})["probability"]
        np.testing.assert_allclose(apart[apart["variable"] == name]["probability"], alone, atol=1e-15)
    rates = {"p": 0.8, "q": 0.15, "r": 0.05}
    prior = dict(zip(model.classes_, np.exp(model.class_log_prior_), strict=True))
    moved = joint.assign(p=joint["p"] * joint["y"].map({c: rates[c] / prior[c] for c in rates}))
    for name in ("y", "b"):
        found = model.query(name, given={"a": "0"}, prior=rates)["probability"]
        np.testing.assert_allclose(found, expected(moved, [name], {"a": ["0"]}), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("names", "given", "said"),
    [
        (["a", "a"], {}, "asked for twice"),
        (["a"], {"a": "1"}, "both asked for and given"),
        ([], {}, "no variable is asked for"),
        (["z"], {}, "there is no variable 'z'"),
        (["a"], {"b": "9"}, "'b' has no state '9'"),
    ],
)
def test_mistakes_get_a_sentence(table, names, given, said):
    with pytest.raises(QueryError, match=said):
        pnb.KDependenceBayes().fit(*table).query(names, given=given)


def test_models_without_a_joint_distribution_answer_about_the_class(table):
    for model in (pnb.HiddenNaiveBayes(), pnb.AveragedTree(), pnb.AttributeWeightedNaiveBayes()):
        fitted = model.fit(*table)
        row = pd.DataFrame([{"a": "1", "d": "2"}], columns=table[0].columns)
        np.testing.assert_allclose(
            fitted.query("y", given={"a": "1", "d": "2"})["probability"],
            fitted.predict_proba(row)[0],
            atol=1e-12,
        )
        with pytest.raises(QueryError, match="gives probabilities of the class only"):
            fitted.query("a")


def test_a_width_that_is_too_large_is_refused(monkeypatch, table):
    monkeypatch.setattr("pgm_nb.tables.factors.Factors.is_chordal", False)
    monkeypatch.setattr("pgm_nb.engine.sums._MOST_ROOM", 0)
    monkeypatch.setattr("pgm_nb.engine.elimination.MOST_CELLS", 4)
    model = pnb.KDependenceBayes(k=3, smoothing=1.0).fit(*table)
    last = model.structure_.attributes[-1]
    with pytest.raises(QueryError, match="too many attributes that depend on each other"):
        model.query("y", given={last: table[0][last].iloc[0]})


@pytest.mark.parametrize("ending", ["bif", "xdsl", "uai"])
def test_a_network_with_parents_is_written(table, tmp_path, ending):
    model = pnb.KDependenceBayes().fit(*table)
    assert model.export(tmp_path / f"kdb.{ending}")[0].stat().st_size > 500


def test_the_file_holds_the_same_probabilities(table, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pgmpy's own
        from pgmpy.inference import VariableElimination
        from pgmpy.readwrite import BIFReader

    model = pnb.KDependenceBayes().fit(*table)
    model.export(tmp_path / "kdb.bif")
    network = BIFReader(str(tmp_path / "kdb.bif")).get_model()
    names = {c.variable: c for c in network.get_cpds()}
    d = names["d"]
    place = d.state_names["d"]
    answer = VariableElimination(network).query(
        ["d"], evidence={"y": network.get_cpds("y").state_names["y"][1]}, show_progress=False
    )
    found = [answer.values[place.index(state)] for state in place]
    np.testing.assert_allclose(found, model.query("d", given={"y": "q"})["probability"], atol=1e-6)


@pytest.mark.parametrize("given", [{}, {"e": "2"}, {"b": "2", "y": "q"}])
def test_the_likeliest_case_is_that_of_all_whole_rows(asked, given):
    model, joint = asked
    names = [name for name in ("y", *model.structure_.attributes) if name not in given]
    given = {name: state for name, state in given.items() if name in ("y", *model.structure_.attributes)}
    wanted = expected(joint, names, {name: [state] for name, state in given.items()})
    found = model.map_query(given=given)
    assert set(found) == set(names)
    assert wanted[tuple(found[name] for name in names)] == pytest.approx(wanted.max(), abs=1e-12)
    assert model.map_query("y", given={"a": "1"}).keys() == {"y"}


@pytest.mark.parametrize("said", [{"a": {"0": 0.4, "1": 0.9}}, {"y": {"p": 0.7, "r": 0.6}, "a": {"2": 0.1}}])
def test_the_likeliest_case_has_a_state_of_what_is_known_by_likelihoods(asked, said):
    model, joint = asked
    names = ["y", *model.structure_.attributes]
    said = {name: weights for name, weights in said.items() if name in names}
    weighed = joint.copy()
    for name, weights in said.items():
        weighed["p"] *= weighed[name].map(weights).fillna(0).astype(float)
    best = dict(zip(names, weighed.groupby(names)["p"].sum().idxmax(), strict=True))
    wanted = {name: best[name] for name in names if len(said.get(name, "two")) > 1}
    assert model.map_query(given=said) == wanted


def test_too_many_cases_are_refused():
    model = pnb.AveragedOneDependence().fit(*pnb.load_sample("wdbc"))
    with pytest.raises(QueryError, match="more than a billion combinations would have to be looked at"):
        model.map_query()


@pytest.mark.parametrize(
    "kind", [pnb.KDependenceBayes, pnb.ClassTreesBayes], ids=lambda kind: kind.about.short_name
)
def test_no_other_value_makes_the_likeliest_case_of_a_large_table_likelier(kind):
    X, y = pnb.load_sample("wdbc")
    model = kind().fit(X, y)
    given = {"mean radius": 15.0, "mean texture": pnb.above(20)}
    found = model.map_query(given=given)
    assert len(found) == 30  # everything but the radius
    columns = model.encoder_.columns
    whole = found | {"mean radius": columns[0].labels[columns[0].encode(pd.Series([15.0]))[0]]}
    codes = np.array([column.labels.index(whole[column.name]) for column in columns], dtype=np.uint16)
    texture, share = 1, model.asked_variables()["mean texture"].likelihood(pnb.above(20))
    others = [codes]
    for place, column in enumerate(columns[1:], 1):
        for state in range(column.card):
            others.append(np.where(np.arange(30) == place, state, codes).astype(np.uint16))
    rows = np.stack(others, axis=1)
    with np.errstate(divide="ignore"):
        scores = model.score_codes(rows) + np.log(share)[rows[texture]][:, None]
    assert scores.max() == scores[0].max()
    assert model.classes_[scores[0].argmax()] == found["class"]
