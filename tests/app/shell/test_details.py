"""The switch for the numbers behind the words: off at first, kept in the address, the same on every page."""

import re

import pytest

import pgm_nb as pnb
from pgm_nb.app.pages import PAGES

JARGON = re.compile(r"\bbits?\b|log-odds|log-loss|KL divergence", re.IGNORECASE)


def words(app):
    """Everything that is written on the page, but not what opens on a click."""
    hidden = {id(each) for box in app.expander for each in (*box.markdown, *box.caption)}
    said = [each.value for each in (*app.main.markdown, *app.main.caption) if id(each) not in hidden]
    said += [text for metric in app.main.metric for text in (metric.label, metric.value, metric.delta or "")]
    return [text for text in said if text and not text.startswith("- **")]


@pytest.mark.parametrize("page", [page.name for page in PAGES if page.words])
def test_a_page_speaks_plainly_until_the_numbers_are_asked_for(visit, page):
    given = {"given": "petal width=1.6"} if page == "what_if" else {}
    app = visit(page, sample="iris", model="tan", **given)
    assert app.toggle(key="details").value is False
    assert [text for text in words(app) if JARGON.search(text)] == []
    app.toggle(key="details").set_value(True).run()
    assert not app.exception
    assert app.query_params["details"] == "True"
    assert any(JARGON.search(text) for text in words(app))  # at least what the words mean


def test_percentages_are_shares_of_the_best_tree(visit):
    model = pnb.NaiveBayes().fit(*pnb.load_sample("iris"))
    app = visit("structure", sample="iris", model="nb")
    shown = {metric.label: metric.value for metric in app.metric}
    share = model.divergence_.weight / model.divergence_.weight_best
    assert shown["Captured"] == shown["By naive Bayes"] == f"{share:.1%}"
    assert app.dataframe[0].value["weight"].iloc[-1] == pytest.approx(100 * share)
    assert "kl" not in app.dataframe[0].value


@pytest.mark.parametrize(("model", "bins"), [("kdb", 10), ("multinomial", 10)])
def test_models_without_a_divergence_are_measured_by_the_same_tree(visit, model, bins):
    """KDB has more links than a tree and captures more; it said eight times as much."""
    X, y = pnb.load_sample("heart")
    best = pnb.NaiveBayes(n_bins=bins).fit(X, y).divergence_.weight_best
    kind = next(kind for kind in pnb.MODELS if kind.about.short_name == model)
    graph = kind().fit(X, y).structure_
    weight = sum(graph.relevance.values()) + sum((getattr(graph, "shared", None) or {}).values())
    app = visit("structure", sample="heart", model=model)
    assert {metric.label: metric.value for metric in app.metric}["Captured"] == f"{weight / best:.1%}"
    assert "100% is the information that the best tree captures." in words(app)


@pytest.mark.parametrize("details", ["False", "True"])
def test_the_table_of_attributes_says_what_its_columns_hold(visit, details):
    X, y = pnb.load_sample("iris")
    tree = visit("structure", sample="iris", model="atan", details=details).dataframe[0].value
    assert list(tree["step"]) == [1, 2, 3, 4]  # what a link adds is not called information about the class
    assert tree["mother"].iloc[0] == "–"
    parents = visit("structure", sample="iris", model="odanb", details=details).dataframe[0].value
    expected = pnb.OneDependenceAugmented().fit(X, y).importance_
    assert list(parents["parent"]) == list(expected["parent"])
    best = pnb.NaiveBayes(n_bins=5).fit(X, y).divergence_.weight_best
    share = expected["shared"] if details == "True" else 100 * expected["shared"] / best
    assert list(parents["shared"]) == pytest.approx(list(share))
    weighted = visit("structure", sample="iris", model="wanb", details=details).dataframe[0].value
    weights = pnb.AttributeWeightedNaiveBayes().fit(X, y).weights_
    assert list(weighted["counts"]) == pytest.approx([weights[name] for name in weighted["attribute"]])


def test_shares_of_stars_are_not_called_shares_of_the_best_tree(visit):
    app = visit("structure", sample="iris", model="aode")
    assert {metric.label: metric.value for metric in app.metric}["Largest share"] == "25.0%"
    assert not any("best tree" in text for text in words(app))


def test_a_table_in_which_nothing_is_shared(visit, upload):
    table = b"a,class\nx,p\nx,q\ny,p\ny,q\n"
    app = upload(visit(model="nb"), "flat.csv", table)
    assert {metric.label: metric.value for metric in app.metric}["Captured"] == "0.0%"
    assert not app.error
