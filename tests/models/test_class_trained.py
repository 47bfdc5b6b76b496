"""Parameters trained for the class: one posterior of the class wherever it is asked for."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

import pgm_nb as pnb
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain import nomogram
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.training.class_parameters import generative

KINDS = [pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.GeneralizedNaiveBayes]
TRAINED = {"smoothing": "hierarchical", "parameters": "class"}


@pytest.fixture(scope="module")
def heart():
    X, y = pnb.load_sample("heart")
    return X[["age", "serum cholesterol", "chest pain type", "ST slope", "ST depression"]], y


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.about.short_name)
def model(request, heart):
    return request.param(**TRAINED).fit(*heart)


def partly_known(X):
    """Return rows of which more and more is unknown."""
    X = X.head(12).astype(object)
    for row in range(12):
        X.iloc[row, : row % 6] = np.nan
    return X


def test_rows_held_out_get_better_probabilities():
    X, y = pnb.load_sample("kr_vs_kp")
    learn = np.arange(len(y)) % 3 > 0
    losses = [
        log_loss(y[~learn], kind.fit(X[learn], y[learn]).predict_proba(X[~learn]))
        for kind in (pnb.NaiveBayes(), pnb.NaiveBayes(**TRAINED))
    ]
    assert losses[1] < 0.6 * losses[0]


@pytest.mark.parametrize("parameters", ["generative", "class"])
def test_one_certain_piece_of_evidence_is_believed(parameters):
    """All twenty feathered animals of the zoo are birds."""
    fitted = pnb.NaiveBayes(smoothing="hierarchical", parameters=parameters).fit(*pnb.load_sample("zoo"))
    answer = fitted.query("class", given={"feathers": "yes"}).set_index("class")["probability"]
    assert answer["bird"] > 0.95


def test_query_says_what_predict_says(model, heart):
    rows = partly_known(heart[0])
    for (_, row), posterior in zip(rows.iterrows(), model.predict_proba(rows), strict=True):
        answer = model.query("class", given=row.dropna().to_dict())["probability"]
        assert answer.to_numpy() == pytest.approx(posterior, abs=1e-12)


def test_each_variable_on_its_own_has_the_same_posterior(model, heart):
    given = {"age": 61.0, "ST depression": 2.0}
    several = model.query(["ST slope", "class"], given=given, joint=False)
    alone = model.query("class", given=given)["probability"].to_numpy()
    np.testing.assert_allclose(several[several["variable"] == "class"]["probability"], alone, atol=1e-12)
    slope = model.query("ST slope", given=given, engine="pgmpy")[
        "probability"
    ].to_numpy()  # not about the class
    np.testing.assert_allclose(several[several["variable"] == "ST slope"]["probability"], slope, atol=1e-9)


def test_explanations_add_up(model, heart):
    rows = partly_known(heart[0])
    for place in range(5):
        why = model.explain(rows.iloc[[place]])
        posterior = model.predict_proba(rows.iloc[[place]])[0]
        assert why.probabilities == pytest.approx(posterior, abs=1e-9)
        total = why.prior_log_odds + sum(part.contribution for part in why.parts)
        assert total == pytest.approx(float(np.log(posterior.max() / posterior.min())), abs=1e-9)


def test_what_if_says_what_predict_says(model, heart):
    case = CaseAnalysis.of(model, heart[0])
    for known in ({}, {"age": 61.0}, {"age": 61.0, "serum cholesterol": 250.0, "ST depression": 2.0}):
        row = pd.DataFrame([known], columns=heart[0].columns, index=[0])
        assert case.posterior(known).classes == pytest.approx(model.predict_proba(row)[0], abs=1e-12)


def test_prefixes_are_scores_of_rows_that_know_less(model, heart):
    X = heart[0].head(20)
    prefixes = model.prefix_scores(X)
    order = list(model.importance_["attribute"])
    for known in range(len(order) + 1):
        hidden = X.astype(object).copy()
        hidden[order[known:]] = np.nan
        scores = model.predict_joint_log_proba(hidden)
        np.testing.assert_allclose(prefixes[:, known], scores, rtol=0, atol=1e-9)


def test_what_to_measure_next_by_brute_force(model, heart):
    given = {"age": 61.0}
    ranked = model.next_best(given).set_index("attribute")["information"]
    assert "age" not in ranked
    for name in ranked.index:
        states = model.query(name, given=given)
        joint = np.array(
            [
                p * model.query("class", given=given | {name: state})["probability"].to_numpy()
                for state, p in zip(states[name], states["probability"], strict=True)
            ]
        )
        independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        assert ranked[name] == pytest.approx((joint * np.log2(joint / independent)).sum(), abs=1e-9)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_pgmpy_gives_the_same_class_posterior(model, heart):
    from pgmpy.inference import VariableElimination

    X = heart[0].head(5)
    inference = VariableElimination(model.to_pgmpy("markov network"))
    codes = model.encode(X)
    for place, posterior in enumerate(model.predict_proba(X)):
        evidence = {
            column.name: column.labels[code]
            for column, code in zip(model.encoder_.columns, codes[:, place], strict=True)
            if column.name in model.structure_.attributes
        }
        factor = inference.query([model.structure_.target], evidence=evidence, show_progress=False)
        assert factor.values / factor.values.sum() == pytest.approx(posterior, abs=1e-9)


def test_attributes_are_answered_by_the_generative_tables(heart):
    options = {"smoothing": "hierarchical"}
    plain = pnb.GeneralizedNaiveBayes(**options).fit(*heart)
    trained = pnb.GeneralizedNaiveBayes(**options, parameters="class").fit(*heart)
    given = {"class": trained.classes_[0]}
    pd.testing.assert_frame_equal(plain.query("age", given), trained.query("age", given))
    assert plain.divergence_ == trained.divergence_
    X = heart[0]
    np.testing.assert_array_equal(plain.log_likelihood(X), trained.log_likelihood(X))


def test_a_nomogram_reads_as_predict_says(heart):
    X, y = heart
    fitted = pnb.NaiveBayes(**TRAINED).fit(X, y)
    chart = nomogram(fitted)
    points = chart.to_frame().set_index(["attribute", "state"])["points"]
    codes = fitted.encode(X.head(3))
    labels = [str(label) for label in fitted.classes_]
    for place, posterior in enumerate(fitted.predict_log_proba(X.head(3))):
        states = [
            (column.name, column.labels[code])
            for column, code in zip(fitted.encoder_.columns, codes[:, place], strict=True)
        ]
        least = sum(scale.least for scale in chart.scales)
        odds = chart.prior_log_odds + least + chart.unit * sum(points[state] for state in states)
        one, other = labels.index(chart.label), labels.index(chart.against)
        assert odds == pytest.approx(posterior[one] - posterior[other], abs=1e-9)


def test_saved_and_loaded(model, heart, tmp_path):
    model.save(tmp_path / "model.pgmnb")
    rows = partly_known(heart[0])
    loaded = pnb.load(tmp_path / "model.pgmnb")
    assert (loaded.predict_proba(rows) == model.predict_proba(rows)).all()
    assert loaded.class_parameters_.path == model.class_parameters_.path


def test_what_it_cannot_do_gets_a_sentence(heart, model):
    with pytest.raises(DataError, match=r"parameters must be 'generative' or 'class', but is 'best'"):
        pnb.NaiveBayes(parameters="best").fit(*heart)
    with pytest.raises(QueryError, match=r"engine='pgmpy' has the generative tables"):
        model.query("class", given={"age": 61.0}, engine="pgmpy")


def soft(model, name, weights):
    """Return likelihoods of the states of an attribute as evidence."""
    column = next(column for column in model.encoder_.columns if column.name == name)
    return dict(zip(column.labels, np.resize(weights, column.card).tolist(), strict=True))


def brute_posterior(model, certain, likelihoods):
    """Sum over all states of the attributes with likelihoods, each known or as if nothing were observed."""
    total = np.zeros(len(model.classes_))
    names = list(likelihoods)
    choices = []
    for name in names:
        least = min(likelihoods[name].values())
        parts = [(state, weight - least) for state, weight in likelihoods[name].items()]
        choices.append([*parts, (None, least)])
    tree = model.junction_tree()
    for combination in product(*choices):
        known = {
            name: state for name, (state, _) in zip(names, combination, strict=True) if state is not None
        }
        weight = np.prod([weight for _, weight in combination])
        probability = np.exp(tree.observe(certain | known).log_evidence)
        answer = model.query("class", certain | known)["probability"].to_numpy()
        total += weight * probability * answer
    return total / total.sum()


@pytest.mark.parametrize("certain", [{}, {"age": 61.0}])
@pytest.mark.parametrize(
    "weights",
    [
        {"chest pain type": [0.0, 1.0, 1.0]},
        {"chest pain type": [0.9, 0.2, 0.4], "ST slope": [0.0, 0.3, 1.0]},
        {"chest pain type": [0.5, 0.5], "ST slope": [0.7, 0.1], "ST depression": [0.0, 0.0, 2.0, 1.0]},
    ],
)
def test_evidence_that_leaves_several_states_possible_by_brute_force(model, certain, weights):
    likelihoods = {name: soft(model, name, values) for name, values in weights.items()}
    found = model.query("class", certain | likelihoods)["probability"].to_numpy()
    assert found == pytest.approx(brute_posterior(model, certain, likelihoods), abs=1e-12)
    prospects = model.prospects(certain | likelihoods)
    assert prospects.posterior == pytest.approx(found, abs=1e-12)


def test_soft_evidence_ends_at_one_state_and_at_none(model):
    states = next(column for column in model.encoder_.columns if column.name == "ST slope").labels

    def answer(given):
        return model.query("class", {"age": 61.0} | given)["probability"].to_numpy()

    sure = answer({"ST slope": {states[0]: 1.0, states[1]: 1e-13, states[2]: 1e-13}})
    assert sure == pytest.approx(answer({"ST slope": states[0]}), abs=1e-9)
    even = answer({"ST slope": dict.fromkeys(states, 0.3)})
    assert even == pytest.approx(answer({}), abs=1e-12)
    almost = answer({"ST slope": dict.fromkeys(states, 0.3) | {states[0]: 0.3 + 1e-10}})
    assert almost == pytest.approx(even, abs=1e-8)


def test_what_to_measure_next_takes_soft_evidence_by_brute_force(model):
    given = {"age": 61.0, "chest pain type": soft(model, "chest pain type", [0.9, 0.2, 0.4])}
    ranked = model.next_best(given).set_index("attribute")["information"]
    for name in ranked.index:
        states = model.query(name, given=given)
        joint = np.array(
            [
                p * model.query("class", given=given | {name: state})["probability"].to_numpy()
                for state, p in zip(states[name], states["probability"], strict=True)
            ]
        )
        independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        assert ranked[name] == pytest.approx((joint * np.log2(joint / independent)).sum(), abs=1e-9)


def test_too_many_combinations_get_a_sentence(model, monkeypatch):
    monkeypatch.setattr("pgm_nb.engine.questions.MOST_COMBINATIONS", 3)
    given = {name: soft(model, name, [0.0, 1.0, 2.0]) for name in ("chest pain type", "ST slope")}
    with pytest.raises(QueryError, match=r"leaves 4 combinations of states possible, more than the 3"):
        model.query("class", given)


def test_training_that_does_not_converge_says_so(heart, monkeypatch):
    monkeypatch.setattr(
        "pgm_nb.models.forest.fit_class_parameters",
        lambda families, *rest: generative(families, converged=False),
    )
    with pytest.warns(ConvergenceWarning, match="the generative tables are used"):
        fitted = pnb.NaiveBayes(**TRAINED).fit(*heart)
    plain = pnb.NaiveBayes(smoothing="hierarchical").fit(*heart)
    np.testing.assert_allclose(fitted.predict_proba(heart[0]), plain.predict_proba(heart[0]), atol=1e-12)
