"""What the defaults are, what they answer, and that what was saved under former ones is read as it was."""

import numpy as np
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.training.class_parameters import generative

DEFAULTS = {
    pnb.NaiveBayes: ("hierarchical", "generative"),
    pnb.TreeAugmentedNaiveBayes: ("hierarchical", "generative"),
    pnb.GeneralizedNaiveBayes: ("hierarchical", "class"),
}


@pytest.mark.parametrize("kind", DEFAULTS, ids=lambda kind: kind.about.short_name)
def test_python_the_side_bar_and_the_command_line_agree(kind):
    smoothing, parameters = DEFAULTS[kind]
    model = clone(kind())
    assert (model.smoothing, model.parameters) == (smoothing, parameters)
    chosen = kind(**kind.about.chosen_parameters({}))
    assert chosen.get_params() == kind().get_params()
    for variant in kind.about.variants():
        built = kind(**variant.parameters)
        assert (built.smoothing, built.parameters) == (smoothing, parameters)
    option = next(option for option in kind.about.options if option.key == "parameters")
    assert option.described.startswith(f"{parameters} (the default)")
    assert option.read("class") == {"parameters": "class"}
    assert option.read("generative") == {"parameters": "generative"}


@pytest.mark.parametrize("kind", DEFAULTS, ids=lambda kind: kind.about.short_name)
@pytest.mark.parametrize(("attribute", "label"), [("feathers", "bird"), ("milk", "mammal")])
def test_one_certain_piece_of_evidence_is_believed(zoo, kind, attribute, label):
    """All 20 feathered animals of the zoo are birds, all 41 that give milk are mammals."""
    answer = zoo[kind].query("class", given={attribute: "yes"}).set_index("class")["probability"]
    assert answer[label] > 0.95
    row = dict.fromkeys(zoo[kind].attribute_names_, np.nan) | {attribute: "yes"}
    assert zoo[kind].explain(row).label == label


@pytest.fixture(scope="module")
def zoo():
    return {kind: kind().fit(*pnb.load_sample("zoo")) for kind in DEFAULTS}


def test_rows_that_a_tree_had_not_seen_get_better_probabilities_than_by_the_former_defaults():
    X, y = pnb.load_sample("banknote")
    learn = np.arange(len(y)) % 3 > 0
    truth = (y[~learn].to_numpy()[:, None] == np.unique(y)).argmax(axis=1)
    losses = []
    for options in ({"smoothing": "backoff", "parameters": "generative"}, {}):
        model = pnb.GeneralizedNaiveBayes(n_bins=5, **options).fit(X[learn], y[learn])
        losses.append(-model.predict_log_proba(X[~learn])[np.arange(len(truth)), truth].mean())
    assert losses[1] < 0.5 * losses[0]


def test_the_unsmoothed_rule_of_the_paper_needs_no_second_parameter():
    X, y = pnb.load_sample("heart")
    alone = pnb.GeneralizedNaiveBayes(smoothing=None).fit(X, y)
    both = pnb.GeneralizedNaiveBayes(smoothing=None, parameters="generative").fit(X, y)
    assert alone.class_parameters_ is None
    assert alone.about_probabilities_ == ""
    np.testing.assert_array_equal(alone.predict_proba(X), both.predict_proba(X))


def test_it_is_said_where_the_probabilities_come_from():
    X, y = pnb.load_sample("banknote")
    trained = pnb.GeneralizedNaiveBayes().fit(X, y)
    assert "trained to predict it" in trained.about_probabilities_
    assert "tables as counted on the same graph" in trained.about_probabilities_
    assert trained.about_probabilities_ in trained._repr_html_()
    for converged, said in ((True, "found nothing that predicts the class better"), (False, "not converge")):
        unchanged = clone(trained).set_params(parameters="generative").fit(X, y)
        unchanged._remember_class_parameters(generative(unchanged.learned_.counts, converged=converged))
        assert said in unchanged.about_probabilities_
        assert unchanged.class_weight("variance") is None
    counted = pnb.TreeAugmentedNaiveBayes().fit(X, y)
    assert counted.about_probabilities_ == ""
    assert counted.class_weight("variance") is None
    for column, weight in zip(
        trained._class_factors.columns, trained.class_parameters_.weights[-1], strict=True
    ):
        assert trained.class_weight(trained.encoder_.names[column]) == weight
