"""The contract every model of `pnb.MODELS` passes; a new model gets it for free.

`test_new_model.py` runs the same checks on a model that is not in the package.
"""

import copy
import io
import pickle
import re
from contextlib import suppress

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import pgm_nb as pnb
from pgm_nb.engine.sums import normalise
from pgm_nb.errors import DataError, QueryError
from pgm_nb.graphs import from_json
from pgm_nb.models.base import Classifier
from pgm_nb.models.table import TableClassifier

EVERY_MODEL = [
    *(kind() for kind in pnb.MODELS),
    pnb.NaiveBayes(smoothing=1.0, missing="mode", discretizer="uniform"),
    pnb.TreeAugmentedNaiveBayes(smoothing=None),
    pnb.TreeAugmentedNaiveBayes(smoothing="hierarchical", parameters="class"),
    pnb.GeneralizedNaiveBayes(search="optimal"),
    pnb.GeneralizedNaiveBayes(search="class", order=4),
    pnb.GeneralizedNaiveBayes(search="exact", max_clusters=2),
    pnb.ClassTreesBayes(order=3),
    pnb.PackagedHiddenNaiveBayes(threshold="auto"),
    pnb.PackagedHiddenNaiveBayes(threshold=0.02, smoothing=0.5),
    pnb.PackagedHiddenNaiveBayes(threshold=0.02, smoothing="hierarchical"),
    pnb.LocalPCAMixture(vote="sum"),
    pnb.KernelSemiNaiveBayes(threshold=None),  # P-tree naive Bayes
    pnb.KernelSemiNaiveBayes(threshold=0.3, anticorrelation=True, smoothing=None),
    pnb.KernelSemiNaiveBayes(kernel="gaussian"),
    pnb.KernelSemiNaiveBayes(discretizer="quantile"),  # discrete semi-naive Bayes
]
GRIDS = {
    "bits": [6, 8],
    "n_bins": [3, 5],
    "priors": [None, [0.4, 0.3, 0.3]],
    "alpha": [0.5, 1.0],
}  # the first that a model has
every_model = pytest.mark.parametrize("model", EVERY_MODEL, ids=str)


OTHER_WAYS = (  # to fit, that scikit-learn's checks should also see; other parameters change numbers only
    pnb.TreeAugmentedNaiveBayes(smoothing="hierarchical", parameters="class"),
    pnb.GeneralizedNaiveBayes(search="class", order=4),
    pnb.PackagedHiddenNaiveBayes(threshold="auto"),
    pnb.KernelSemiNaiveBayes(discretizer="quantile"),
)


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_a_model_that_is_no_network_points_to_what_there_is(kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X.iloc[::3], y.iloc[::3])
    if kind.about.is_network:
        assert model.exported("network.bif")
        return
    with pytest.raises(QueryError, match="a Bayesian network") as refused:
        model.exported("network.bif")
    if "to_pgmpy()" in str(refused.value):
        assert model.to_pgmpy() is not None
    else:
        assert "to_pgmpy(row)" in str(refused.value)
        assert model.to_pgmpy(X.iloc[[0]])
        with pytest.raises(QueryError):
            model.to_pgmpy()


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
@pytest.mark.parametrize(
    "method", ["sample", "partial_fit", "fit_batches", "log_likelihood", "mutual_information"]
)
def test_a_method_that_a_model_does_not_have_says_so(kind, method):
    """As scikit-learn asks for: `hasattr` says no."""
    model = kind()
    if hasattr(model, method):
        assert callable(getattr(model, method))
    elif not (method == "partial_fit" and hasattr(model, "window")):  # it needs a window, and says that
        with pytest.raises(AttributeError, match=re.escape(kind.about.title)):
            getattr(model, method)


@parametrize_with_checks([*(kind() for kind in pnb.MODELS), *OTHER_WAYS])
def test_scikit_learn_compatibility(estimator, check):
    """scikit-learn's checks; where rows of the first training are not kept, later ones are refused."""
    try:
        check(estimator)
    except DataError as refused:
        takes_y = getattr(check, "func", check).__name__ == "check_fit_score_takes_y"
        if not (takes_y and "learns from rows" in str(refused)):
            raise


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_it_says_what_it_is(kind):
    check_description(kind)


def check_description(kind):
    assert kind.about.title
    assert kind.about.summary.endswith(".")
    assert "missing" in kind().get_params() or kind.about.empty_cells
    for option in kind.about.options:
        assert option.written.startswith("--")
        assert option.described
        assert option.label or not option.choices
        for choice in option.choices:
            assert choice.label
            assert option.read(choice.key) == choice.parameters
            kind(**choice.parameters)
    first = {option.key: option.choices[0].key for option in kind.about.options if option.choices}
    defaults = kind().get_params()
    assert kind.about.chosen_parameters({}) == kind.about.chosen_parameters(first)
    assert {**defaults, **kind.about.chosen_parameters(first)} == defaults  # the first choice is the default
    for variant in kind.about.variants():
        assert kind.about.chosen_parameters(variant.choices) == variant.parameters
    assert kind not in kind.about.comparisons()


QUESTIONS = {  # what every public method that asks a fitted model something is given here
    "query": [("risk", {"dose": 2}), ("weight",), (["risk", "weight"],)],
    "map_query": [(), ("risk", {"dose": 2})],
    "sample": [(4, None, 0), (4, {"dose": 2}, 0)],
    "mutual_information": [("risk", "dose"), ("weight", "dose", ["risk"])],
    "next_best": [(), ({"dose": 2},)],
    "prospects": [({"dose": 2},)],
    "measuring_rule": [()],
    "measures": [()],
    "credible_interval": [({"dose": 2},)],
    "junction_tree": [()],
    "asked_variables": [()],
    "to_pgmpy": [()],
    "exported": [("model.bif",), ("model.uai",), ("model.dot",)],
    "explain": [("row",)],
    "decide": [("rows", {"high": 3.0, "low": 1.0, "mid": 1.0})],
    "log_likelihood": [("rows",)],
    "terms": [("rows",)],
    "prefix_scores": [("rows",)],
    "predict_log_proba": [("rows", {"high": 0.2, "low": 0.5, "mid": 0.3})],
    "headlines": [()],
    "_repr_html_": [()],
}


def ask_everything(model, X):
    """Ask what there is to ask; a model answers, or says in a sentence that it does not."""
    for method, cases in QUESTIONS.items():
        for arguments in cases:
            given = [
                {"row": X.iloc[[3]], "rows": X}.get(a, a) if isinstance(a, str) else a for a in arguments
            ]
            with suppress(QueryError, AttributeError):
                getattr(model, method)(*given)


def test_a_model_without_its_methods_cannot_be_made():
    class Idle(Classifier):
        """It learns nothing."""

    with pytest.raises(
        TypeError, match=r"abstract.*_pack.*class_log_prior_.*fit.*predict_joint_log_proba.*terms"
    ):
        Idle()

    class Scoreless(TableClassifier):
        def _learn(self, info, names, target):
            return None, None

    with pytest.raises(TypeError, match=r"abstract.*_estimate.*_keep.*score_codes"):
        Scoreless()


class Contract:
    """What holds for every model, learned from measurements."""

    def test_posteriors(self, model, measured):
        X, y = measured
        fitted = clone(model).fit(X, y)
        posterior = fitted.predict_proba(X)
        assert posterior.shape == (len(X), 3)
        assert posterior.sum(axis=1) == pytest.approx(1, abs=1e-12)
        assert np.exp(fitted.predict_log_proba(X)) == pytest.approx(posterior, abs=1e-15)
        assert (fitted.predict(X) == fitted.classes_[posterior.argmax(axis=1)]).all()
        assert fitted.classes_.tolist() == ["high", "low", "mid"]
        assert fitted.score(X, y) > 0.6

    def test_explicit_graph_and_numbers(self, model, measured):
        X, y = measured
        fitted = clone(model).fit(X, y)
        assert fitted.structure_.target == "risk"
        assert set(fitted.structure_.attributes) <= set(X.columns)
        importance = fitted.importance_
        assert sorted(importance["attribute"]) == sorted(fitted.structure_.attributes)
        assert (importance["gain"] >= 0).all()
        assert from_json(fitted.structure_.to_json()) == fitted.structure_
        assert fitted.structure_.to_dot()
        card = fitted._repr_html_()
        assert "<svg" in card
        assert (
            fitted.about.no_divergence if fitted.divergence_ is None else f"{fitted.divergence_.kl:.3f}"
        ) in card

    def test_scores_come_apart(self, model, measured):
        X, y = measured
        fitted = clone(model).fit(X, y)
        terms = fitted.terms(X)
        assert terms.values.shape == (len(X), len(terms.names), 3)
        assert len(terms.attributes) == len(terms.names)
        assert {name for about in terms.attributes for name in about} <= set(X.columns)
        posterior = normalise(terms.scores(), fitted.class_log_prior_)
        np.testing.assert_allclose(np.exp(posterior), fitted.predict_proba(X), rtol=0, atol=1e-9)
        assert fitted.prefix_scores(X).shape == (len(X), len(terms.names) + 1, 3)

    def test_a_row_is_explained(self, model, measured):
        X, y = measured
        fitted = clone(model).fit(X, y)
        gap = X.iloc[[7]].astype({"dose": float}).assign(dose=np.nan)
        for row in (X.iloc[[3]], gap):
            posterior = fitted.predict_log_proba(row)[0]
            why = fitted.explain(row)
            assert why.label == fitted.predict(row)[0]
            assert why.probabilities == pytest.approx(np.exp(posterior), abs=1e-9)
            best, second = np.sort(posterior)[:-3:-1]
            assert why.log_odds == pytest.approx(best - second, abs=1e-9)
            total = why.prior_log_odds + sum(part.contribution for part in why.parts)
            assert why.log_odds == pytest.approx(total, abs=1e-9)
            assert len(why.to_frame()) == len(why.parts) + 1
            assert "<table" in why._repr_html_()

    def test_questions_get_an_answer_or_a_sentence(self, model, measured):
        X, y = measured
        fitted = clone(model).fit(X, y)
        row = X.iloc[3].to_dict()
        answer = fitted.query("risk", given=row)["probability"]
        np.testing.assert_allclose(answer, fitted.predict_proba(X.iloc[[3]])[0], rtol=0, atol=1e-12)
        asked = fitted.structure_.attributes[0]
        if fitted.about.is_joint or not getattr(fitted, "no_attribute_answers", "no"):
            assert fitted.query(asked, given={"risk": "low"})["probability"].sum() == pytest.approx(
                1, abs=1e-12
            )
        else:
            with pytest.raises(QueryError, match="gives probabilities of the class only"):
                fitted.query(asked)

    def test_rows_in_another_order_change_nothing(self, model, measured):
        X, y = measured
        shuffled = np.random.default_rng(1).permutation(len(X))
        one, two = clone(model).fit(X, y), clone(model).fit(X.iloc[shuffled], y.iloc[shuffled])
        np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=0, atol=1e-9)

    def test_other_names_change_only_names(self, model, measured):
        X, y = measured
        other = X.rename(columns={name: f"n{i}<&\"'>" for i, name in enumerate(X.columns)})
        one, two = clone(model).fit(X, y), clone(model).fit(other, y)
        assert (one.predict_proba(X) == two.predict_proba(other)).all()
        assert two.structure_.draw(format="svg")

    def test_a_row_of_nothing_gets_the_prior(self, model, measured):
        X, y = measured
        fitted = clone(model).fit(X, y)
        nothing = pd.DataFrame([[np.nan] * X.shape[1]], columns=X.columns)
        assert fitted.predict_proba(nothing)[0] == pytest.approx(np.exp(fitted.class_log_prior_), abs=1e-12)

    def test_saved_and_loaded_is_the_same_model(self, model, measured, tmp_path):
        X, y = measured
        X = X.astype({"weight": float})
        X.iloc[3, 0] = np.nan
        fitted = clone(model).fit(X, y)
        fitted.save(tmp_path / "model.pgmnb")
        loaded = pnb.load(tmp_path / "model.pgmnb")
        assert type(loaded) is type(fitted)
        assert loaded.get_params() == fitted.get_params()
        assert loaded.structure_ == fitted.structure_
        assert loaded.trace_ == fitted.trace_
        assert loaded.missing_ == fitted.missing_
        assert str(loaded.missing_) == str(fitted.missing_)
        assert loaded.feature_names_in_.tolist() == list(X.columns)
        assert (loaded.predict_proba(X) == fitted.predict_proba(X)).all()
        fitted.save(tmp_path / "again.pgmnb")
        assert (tmp_path / "again.pgmnb").read_bytes() == (tmp_path / "model.pgmnb").read_bytes()

    def test_asked_anything_it_can_be_pickled_and_copied(self, model, measured):
        """What questions leave behind in a model is not taken along."""
        X, y = measured
        fitted = clone(model).fit(X, y)
        fitted.divergence_, fitted.importance_  # noqa: B018 (computed when first asked for, then kept)
        fitted.predict_proba(X)
        before = pickle.dumps(fitted)
        ask_everything(fitted, X)
        assert len(pickle.dumps(fitted)) == len(before)
        dumped = io.BytesIO()
        joblib.dump(fitted, dumped)
        dumped.seek(0)
        question = ("risk", {"dose": 2})
        for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), joblib.load(dumped)):
            assert (other.predict_proba(X) == fitted.predict_proba(X)).all()
            assert other.query(*question).equals(fitted.query(*question))
        if hasattr(fitted, "junction_tree"):
            tree = fitted.junction_tree().observe({"dose": 2})
            assert copy.deepcopy(tree).marginal("risk").equals(tree.marginal("risk"))

    def test_saved_without_column_names(self, model, measured, tmp_path):
        X, y = measured
        X = X.to_numpy(dtype=float)
        fitted = clone(model).fit(X, y)
        fitted.save(tmp_path / "model.pgmnb")
        loaded = pnb.load(tmp_path / "model.pgmnb")
        assert not hasattr(loaded, "feature_names_in_")
        assert (loaded.predict_proba(X) == fitted.predict_proba(X)).all()

    def test_training_that_was_stopped_leaves_nothing_behind(self, model, measured, monkeypatch):
        X, y = measured
        fitted = clone(model).fit(X, y)

        def stopped(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(type(fitted), "_remember", stopped)
        with pytest.raises(KeyboardInterrupt):
            fitted.fit(X.iloc[:, :2], y)
        with pytest.raises(NotFittedError):
            fitted.predict(X)
        assert vars(fitted).keys() == fitted.get_params().keys()

    def test_polars_arrow_and_pandas_agree(self, model, measured):
        X, y = measured
        fitted = clone(model).fit(X, y)
        for other in (pl.from_pandas(X), pa.Table.from_pandas(X, preserve_index=False)):
            refitted = clone(model).fit(other, y)
            assert refitted.feature_names_in_.tolist() == list(X.columns)
            np.testing.assert_allclose(refitted.predict_proba(other), fitted.predict_proba(X), atol=1e-12)

    def test_arrays_and_frames_agree(self, model, measured):
        X, y = measured
        X = X.drop(columns="sick")
        one, two = clone(model).fit(X, y), clone(model).fit(X.to_numpy(), y.to_numpy())
        np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X.to_numpy()), atol=1e-12)

    def test_columns_are_held_against_training(self, model, measured):
        X, y = measured
        fitted = clone(model).fit(X, y)
        with pytest.raises(ValueError, match="feature names"):
            fitted.predict(X.rename(columns={"dose": "doses"}))
        with pytest.raises(ValueError, match="feature names"):
            fitted.predict(X[X.columns[::-1]])

    def test_pipelines_grid_search_and_folds(self, model):
        X, y = pnb.load_sample("iris")
        pipeline = make_pipeline(StandardScaler(), clone(model)).set_output(transform="pandas")
        assert pipeline.fit(X, y)[-1].feature_names_in_.tolist() == list(X.columns)
        least = 0.85
        if get_tags(model).classifier_tags.poor_score:
            # Measurements are not what these are made for: Bernoulli sees one bit of each, and scaling takes
            # away what multinomial compares. Both get 0.72 here, scikit-learn's Bernoulli 0.76. With flags
            # they must be as good as the others.
            quarters = X.apply(lambda cells: pd.qcut(cells, 4, labels=False))
            flags = pd.get_dummies(quarters, columns=list(X.columns)).astype(int)
            assert cross_val_score(clone(model), flags, y, cv=3).mean() > least
            least = 0.65
        assert cross_val_score(pipeline, X, y, cv=3).mean() > least
        name = next(name for name in GRIDS if name in model.get_params())
        search = GridSearchCV(clone(model), {name: GRIDS[name]}, cv=3).fit(X, y)
        assert search.best_params_[name] in GRIDS[name]
        assert search.best_score_ > least

    def test_constant_and_duplicate_columns_are_kept(self, model, measured):
        X, y = measured
        fitted = clone(model).fit(X.assign(constant=1.0, twin=X["weight"]), y)
        scores = fitted.predict_joint_log_proba(X.assign(constant=1.0, twin=X["weight"]))
        assert np.isfinite(scores).any(axis=1).all()
        importance = fitted.importance_.set_index("attribute")
        if "constant" in importance.index:  # a tree cut to size leaves it out
            assert importance.loc["constant", "gain"] == pytest.approx(0, abs=1e-12)


class ContractWithWords:
    """What holds for every model that takes words, learned from a table that has some."""

    def test_posteriors(self, model, mixed):
        X, y = mixed
        fitted = clone(model).fit(X, y)
        posterior = fitted.predict_proba(X)
        assert posterior.sum(axis=1) == pytest.approx(1, abs=1e-12)
        assert np.exp(fitted.predict_log_proba(X)) == pytest.approx(posterior, abs=1e-15)
        assert (fitted.predict(X) == fitted.classes_[posterior.argmax(axis=1)]).all()
        assert fitted.classes_.tolist() == ["high", "low", "mid"]
        assert fitted.score(X, y) > 0.6

    def test_rows_in_another_order_change_nothing(self, model, mixed):
        X, y = mixed
        shuffled = np.random.default_rng(1).permutation(len(X))
        one, two = clone(model).fit(X, y), clone(model).fit(X.iloc[shuffled], y.iloc[shuffled])
        sums = (  # only they sum measured numbers
            pnb.GaussianNaiveBayes,
            pnb.LocalPCAMixture,
            pnb.MultinomialNaiveBayes,
        )
        rounding = 1e-12 if isinstance(model, sums) else 0
        np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=0, atol=rounding)

    def test_columns_in_another_order_change_nothing(self, model, mixed):
        X, y = mixed
        other = X[X.columns[::-1]]
        one, two = clone(model).fit(X, y), clone(model).fit(other, y)
        np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(other), rtol=0, atol=1e-12)

    def test_other_names_of_columns_and_states_change_only_names(self, model, mixed):
        X, y = mixed
        names = {name: f"n{i}<&\"'>" for i, name in enumerate(X.columns)}
        renamed = X.rename(columns=names)
        renamed[names["sex"]] = X["sex"].map({"f": "α", "m": "ω"})
        one, two = clone(model).fit(X, y), clone(model).fit(renamed, y)
        assert (one.predict_proba(X) == two.predict_proba(renamed)).all()

    def test_polars_arrow_and_pandas_agree(self, model, mixed):
        X, y = mixed
        X = X.drop(columns="stage")
        fitted = clone(model).fit(X, y)
        for other in (pl.from_pandas(X), pa.Table.from_pandas(X, preserve_index=False)):
            refitted = clone(model).fit(other, y)
            assert refitted.feature_names_in_.tolist() == list(X.columns)
            assert (refitted.predict_proba(other) == fitted.predict_proba(X)).all()


@every_model
class TestContract(Contract):
    pass


@pytest.mark.parametrize("model", EVERY_MODEL, ids=str)
class TestTablesWithWords(ContractWithWords):
    pass


# counts of bins give the discrete kernel model exact ties, which go by column order
@pytest.mark.parametrize("model", [m for m in EVERY_MODEL if str(m) != str(EVERY_MODEL[-1])], ids=str)
def test_columns_in_another_order_change_nothing(model, measured):
    X, y = measured
    X = X.drop(columns="sick")  # it says what dose says: a tie, and ties go by column order
    other = X[X.columns[::-1]]
    one, two = clone(model).fit(X, y), clone(model).fit(other, y)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(other), rtol=0, atol=1e-9)
