"""Proof that a model is one class and one line: this one is in no list, and everything takes it.

It is averaged one-dependence (Webb, Boughton, Wang 2005), made of nothing but what the base class demands.
"""

import importlib.util
import sys
from html import unescape
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import pgm_nb as pnb
from pgm_nb import models
from pgm_nb.app.pages import PAGES
from pgm_nb.cli import main
from pgm_nb.counts import Counts
from pgm_nb.learning import naive
from pgm_nb.models.about import About, Choice, Option
from pgm_nb.models.table import TableClassifier


def load_contract():
    spec = importlib.util.spec_from_file_location("contract", Path(__file__).with_name("test_contract.py"))
    module = sys.modules["contract"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


contract = load_contract()


class ParentsInTurn(TableClassifier):
    """P(y, x) is the mean over i of P(y, xi) prod_j P(xj | xi, y): each attribute in turn is the parent."""

    about: ClassVar[About] = TableClassifier.about.but(
        short_name="turns",
        title="Parents in turn",
        summary="Each attribute in turn is the parent of all others; the answers are averaged.",
        options=(
            Option(
                "parents",
                "Parents",
                "Which attributes take a turn as the parent.",
                (
                    Choice("all", "All of them", "as in the paper", {"share": 1.0}),
                    Choice("half", "The better half", "those that say most about the class", {"share": 0.5}),
                ),
            ),
            *TableClassifier.about.options,
        ),
    )
    _statistics: ClassVar[type] = Counts

    def __init__(
        self, *, share=1.0, discretizer="quantile", n_bins=None, smoothing="backoff", missing="state"
    ):
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)
        self.share = share

    def _learn(self, info, names, target):
        return naive(info, names, target)

    def _keep(self, counts, structure, names):
        return counts

    def _estimate(self):
        """Nothing to prepare: the tables are read off the counts."""

    def score_codes(self, codes):
        counts, k = self.learned_.counts, len(self.classes_)
        m = self.smoothing if isinstance(self.smoothing, float) else 1.0
        known = codes < np.array(counts.cards)[:, None]
        prior = np.log((counts.y + m / k) / (counts.y.sum() + m))
        by_parent = np.full((len(codes), codes.shape[1], k), -np.inf)
        for i, row in enumerate(codes):
            rows = np.flatnonzero(known[i])
            of_class = counts.single(i) + m / counts.cards[i]  # (k, v)
            log_score = np.log(of_class / of_class.sum(axis=1, keepdims=True))[:, row[rows]].T + prior
            for j in range(len(codes)):
                if j != i:
                    table = counts.pair(i, j) + m / counts.cards[j]  # (k, vi, vj)
                    table = np.log(table / table.sum(axis=2, keepdims=True))
                    also = known[j, rows]
                    log_score[also] += table[:, row[rows[also]], codes[j, rows[also]]].T
            by_parent[i, rows] = log_score
        relevance = np.array(list(self.structure_.relevance.values()))
        chosen = np.argsort(-relevance, kind="stable")[: max(1, round(self.share * len(codes)))]
        turns = known & (np.isin(np.arange(len(codes)), chosen)[:, None] | ~known[chosen].any(axis=0))
        by_parent[~turns] = -np.inf
        number = np.maximum(turns.sum(axis=0), 1)[:, None]
        scores = np.logaddexp.reduce(by_parent, axis=0) - np.log(number)
        return np.where(known.any(axis=0)[:, None], scores, prior)


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setattr(models, "MODELS", (*models.MODELS, ParentsInTurn))


@pytest.fixture
def model():
    return ParentsInTurn()


@parametrize_with_checks([ParentsInTurn()])
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)


def test_it_says_what_it_is():
    contract.check_description(ParentsInTurn)


class TestContract(contract.Contract):
    pass


class TestTablesWithWords(contract.ContractWithWords):
    pass


def test_by_hand():
    """One attribute is its own parent: naive Bayes with an m-estimate."""
    X, y = pnb.load_sample("iris")
    ours = ParentsInTurn(smoothing=1.0).fit(X[["petal width"]], y)
    naive_bayes = pnb.NaiveBayes(smoothing=1.0).fit(X[["petal width"]], y)
    np.testing.assert_allclose(
        ours.predict_proba(X[["petal width"]]), naive_bayes.predict_proba(X[["petal width"]])
    )


class TestLibrary:
    def test_report(self):
        X, y = pnb.load_sample("iris")
        page = unescape(pnb.report(ParentsInTurn().fit(X, y), X, y, folds=2))
        assert ParentsInTurn.about.title in page
        assert ParentsInTurn.about.summary in page
        assert "Tree augmented naive Bayes" in page  # what it is compared with

    def test_compare(self):
        X, y = pnb.load_sample("iris")
        found = pnb.compare({"turns": ParentsInTurn(), "nb": pnb.NaiveBayes()}, X, y, cv=2)
        assert not found.failed
        assert found.to_frame().set_index("model").loc["turns", "accuracy"] > 0.85

    def test_explain_and_growth(self, tmp_path):
        X, y = pnb.load_sample("iris")
        fitted = ParentsInTurn().fit(X, y)
        curve = pnb.importance_curve(clone(fitted), X, y, cv=2)
        assert curve.names == tuple(fitted.importance_["attribute"])
        assert len(pnb.edge_tests(fitted, X, y)) == 4
        pnb.growth(fitted).save(tmp_path / "growth.html")
        assert ParentsInTurn.about.title in (tmp_path / "growth.html").read_text(encoding="utf-8")


class TestCommandLine:
    def test_every_command(self, tmp_path, capsys):
        saved = tmp_path / "turns.pgmnb"

        def run(*arguments):
            assert main([str(argument) for argument in arguments]) == 0, capsys.readouterr().err
            return capsys.readouterr().out

        assert ParentsInTurn.about.title in run("fit", "iris", "--model", "turns", "--bins", "4", "-o", saved)
        assert pnb.load(saved).n_bins == 4
        run("fit", "iris", "--model", "turns", "--parents", "half", "-o", saved)
        assert pnb.load(saved).share == 0.5
        assert run("predict", saved, "iris").startswith("prediction,P(setosa)")
        assert "versicolor" in run("explain", saved, "iris", "--row", "78")
        small = ("--folds", "2", "--repeats", "2")
        assert "turns" in run("compare", "iris", "--models", "turns,nb", *small)
        assert "are found" in run("decide", "iris", "--model", "turns", "--folds", "2")
        assert run("predict", saved, "iris", "--prior", "setosa=0.2", "--prior", "virginica=0.2")
        run("export", saved, "-o", tmp_path / "star.svg")
        run("growth", saved, "-o", tmp_path / "growth.html")
        run("report", "iris", "--model", "turns", "--folds", "0", "-o", tmp_path / "report.html")
        for name in ("star.svg", "growth.html", "report.html"):
            assert (tmp_path / name).stat().st_size > 1000

    def test_what_it_cannot_do_gets_a_sentence(self, tmp_path, capsys):
        saved = tmp_path / "turns.pgmnb"
        ParentsInTurn().fit(*pnb.load_sample("iris")).save(saved)
        assert main(["query", str(saved)]) == 0
        assert "setosa" in capsys.readouterr().out
        assert main(["query", str(saved), "--of", "petal width"]) == 2
        assert f"{ParentsInTurn.about.title} gives probabilities of the class only" in capsys.readouterr().err
        assert main(["export", str(saved), "-o", str(tmp_path / "net.bif")]) == 2
        assert ParentsInTurn.about.title in capsys.readouterr().err

    def test_the_help_names_it(self, capsys):
        with pytest.raises(SystemExit):
            main(["fit", "--help"])
        assert "turns: Parents in turn" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_every_page_of_the_app(page, harness, until):
    app = harness(page=page)
    choices = {
        "sample": "iris",
        "model": "turns",
        "parents": "half",
        "case": "78",
        "given": "petal width=1.7",
    }
    for key, value in choices.items():
        app.query_params[key] = value
    app.run()
    until(lambda: not app.get("progress") or not app.run().get("progress"))
    assert not app.exception
    assert not app.error
    kinds = app.selectbox(key="model")
    assert kinds.value == "turns"
    assert ParentsInTurn.about.title in kinds.options
    assert ParentsInTurn.about.summary in kinds.help
    parents = app.radio(key="parents")
    assert (parents.label, parents.value) == ("Parents", "half")
    assert parents.options == ["All of them", "The better half"]
    if page == "what_if":
        X, y = pnb.load_sample("iris")
        shown = (
            ParentsInTurn(share=0.5)
            .fit(X, y)
            .predict_proba(pd.DataFrame([{"petal width": 1.7}], columns=X.columns))
        )
        assert any(f"{shown.max():.1%}" in text.value for text in app.markdown)
    if page == "export":
        assert any("share=0.5" in code.value for code in app.code)
