"""One HTML file that stands alone: what it says, that it fetches nothing, and that names stay names."""

import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.errors import DataError, QueryError
from pgm_nb.evaluate.deciding import said
from pgm_nb.reports import Origin, document
from pgm_nb.scoring.metrics import reliability_sentence

HOSTILE = ("<script>alert(1)</script>", "</title><b>", '" onload="x', "a & b")
VOID = {"meta", "img", "source", "br", "path", "polygon", "ellipse", "line", "circle", "rect", "polyline"}


class Page(HTMLParser):
    """Collects tags, checks that they close, and finds what a browser would fetch or run."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.fetched, self.alternatives, self.headings = [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        assert not [name for name in attributes if name.startswith("on")]
        places = [attributes.get(name) for name in ("src", "href", "srcset", "data")]
        self.fetched += [place for place in places if place and not place.startswith(("data:", "#"))]
        if tag == "img":
            self.alternatives.append(attributes["alt"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)


@pytest.fixture(scope="module")
def iris():
    X, y = pnb.load_sample("iris")
    model = pnb.GeneralizedNaiveBayes().fit(X, y)
    origin = Origin("iris", "class", sample=True)
    return model, pnb.report(model, X, y, title="Iris", origin=origin, folds=3, date="1 May 2026", case=51)


def test_all_sections_are_there(iris):
    page = Page(iris[1])
    assert page.headings == [
        "The data",
        "The structure",
        "The numbers",
        "What matters for the class",
        "The order of joining",
        "How well it predicts",
        "Decisions",
        "What to measure first",
        "Cases to look at",
        "One case explained",
        "How it was made",
    ]
    assert page.tags.count("svg") == 3
    assert len(page.alternatives) == 9
    assert all(page.alternatives)


def test_no_number_is_a_negative_zero(iris):
    assert not re.search(r">-0\.0+<|-0\.0+\s|\s-0\.0+<", iris[1])
    from pgm_nb.reports.document import _template

    row = _template().environment.get_template("pieces.html").module.table(["a"], [[-0.0001]])
    assert '<td class="number">0.000</td>' in row


def test_what_matters_is_the_forward_path(iris):
    path = pnb.importance(clone(iris[0]), *pnb.load_sample("iris"), cv=3)
    text = unescape(iris[1])
    assert f"{path['attribute'][0]} says most about the class: {path['value'][0]:.3f} bits." in text
    places = [text.index(f"<td>{name}</td>", text.index("On its own (bits)")) for name in path["attribute"]]
    assert places == sorted(places)


def test_cases_to_look_at_are_wrong_or_unsure_by_models_that_had_not_seen_them(iris):
    found = pnb.cases(clone(iris[0]), *pnb.load_sample("iris"), cv=3)
    wrong = found[found["wrong"]]
    text = unescape(iris[1])
    part = text[text.index("<h2>Cases to look at") : text.index("<h2>One case explained")]
    assert f"{len(wrong)} rows got a wrong class" in part
    rows = [int(row) for row in re.findall(r"<tr>\s*<td>(\d+)</td>", part)]
    right = found[~found["wrong"]].sort_values(["probability", "row"])
    assert rows == [*wrong["row"].head(6), *right["row"].head(4)]
    first = wrong.iloc[0]
    assert f"speaks most for {first['predicted']}." in part


def test_what_to_measure_first_is_what_the_library_says(iris):
    (model, page), (X, y) = iris, pnb.load_sample("iris")
    first = model.next_best(X=X).iloc[0]
    section = unescape(page).split("<h2>What to measure first</h2>")[1].split("</section>")[0]
    assert f"{first['attribute']} says most about the class" in section
    tree = pnb.question_tree(model, X, y, folds=3)
    assert tree.caption()[0] in section
    assert "not used in learning" in section
    assert section.count("<svg") == 1
    assert tree.text().splitlines()[0] in section


def test_a_model_without_mothers_did_not_join(iris):
    X, y = pnb.load_sample("iris")
    text = pnb.report(pnb.GaussianNaiveBayes().fit(X, y), X, y, folds=2)
    assert "The order of joining" not in text
    assert "The model's own order" in unescape(text)


def test_nothing_is_fetched_or_run(iris):
    page = Page(iris[1])
    assert page.fetched == []
    assert not {"script", "link", "iframe", "object", "embed"} & set(page.tags)
    assert "@import" not in iris[1]
    assert not re.search(r"url\((?!#)", iris[1])


def test_numbers_are_the_models(iris):
    model, text = iris
    found = model.divergence_
    for value in (found.weight, found.kl, found.weight - found.weight_naive):
        assert f"{value:.3f} bits" in text
    naive = pnb.NaiveBayes().fit(*pnb.load_sample("iris")).divergence_
    best = pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris")).divergence_
    for kl in (naive.kl, best.kl):
        assert f'<td class="number">{kl:.3f}</td>' in text
    assert "Row 51 is versicolor" in text
    assert "1 May 2026" in text
    assert "pnb.GeneralizedNaiveBayes().fit(X, y)" in text


def test_scores_are_those_of_compare(iris):
    X, y = pnb.load_sample("iris")
    scores = pnb.compare([pnb.GeneralizedNaiveBayes(), pnb.NaiveBayes()], X, y, cv=3).to_frame()
    curve = pnb.compare([pnb.GeneralizedNaiveBayes()], X, y, cv=3).reliabilities[0]
    assert reliability_sentence(curve) in iris[1]
    for row in scores.to_dict("records"):
        assert f"{row['accuracy']:.3f} ± {row['accuracy_se']:.3f}" in iris[1]
        assert f"{row['log_loss']:.3f} ± {row['log_loss_se']:.3f}" in iris[1]


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_has_a_report(kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    page = Page(pnb.report(model, X, y, folds=0))
    assert len(page.headings) == 8
    assert page.tags.count("svg") >= 1


def test_hostile_names_stay_names():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.integers(0, 3, 40) for name in HOSTILE})
    y = pd.Series(np.where(rng.random(40) < 0.5, "<i>ill</i>", "'well'"), name="<b>class</b>")
    model = pnb.GeneralizedNaiveBayes().fit(X, y)
    text = pnb.report(model, X, y, title="<h1>", origin=Origin("<x>.csv", str(y.name)), folds=2)
    page = Page(text)
    assert not {"script", "b", "i"} & set(page.tags)
    assert page.tags.count("h1") == 1
    for name in HOSTILE:
        assert name in page_text(text)


def page_text(text):
    import html

    return html.unescape(text)


def test_a_large_structure_is_drawn_in_part():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (40, 70)), columns=[f"x{i}" for i in range(70)])
    y = pd.Series(rng.integers(0, 2, 40), name="y")
    text = pnb.report(pnb.NaiveBayes().fit(X, y), X, y, folds=0)
    assert "60 of 70 attributes, those that joined first" in text
    assert "20 more attributes follow" in text


def test_a_class_with_one_row_is_not_tested():
    X = pd.DataFrame({"a": [1, 2, 1, 2, 1], "b": [1, 1, 2, 2, 1]})
    y = pd.Series(["p", "q", "p", "q", "r"])
    text = pnb.report(pnb.NaiveBayes().fit(X, y), X, y)
    assert "not tested on rows they had not seen" in text
    assert "Fewer than 10 rows: p, q, r" in text


def test_many_rows_are_tested_in_part(monkeypatch):
    monkeypatch.setattr(document, "MOST_TESTED", 90)
    X, y = pnb.load_sample("iris")
    text = pnb.report(pnb.NaiveBayes().fit(X, y), X, y, folds=2)
    assert "Tested on 90 of 150 rows" in text


def test_progress_grows_and_can_stop():
    X, y = pnb.load_sample("iris")
    model, seen = pnb.NaiveBayes().fit(X, y), []
    pnb.report(model, X, y, folds=2, progress=seen.append)
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0.0, 1.0)

    def stop(fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pnb.report(model, X, y, folds=2, progress=stop)


def test_another_table_is_refused():
    X, y = pnb.load_sample("iris")
    model = pnb.NaiveBayes().fit(X, y)
    with pytest.raises(DataError, match="the table the model was learned from"):
        pnb.report(model, X.iloc[:, ::-1], y)
    for row in (0, 151):
        with pytest.raises(DataError, match="row from 1 to 150"):
            pnb.report(model, X, y, folds=0, case=row)


def test_decisions_are_those_of_the_library():
    X, y = pnb.load_sample("wdbc")
    model, costs = pnb.GaussianNaiveBayes().fit(X, y), {"miss": 10, "false alarm": 1}
    text = page_text(pnb.report(model, X, y, folds=3, costs=costs, label="malignant"))
    found = pnb.decisions(model, X, y, costs, label="malignant", cv=3)
    for sentence in said(found):
        assert sentence in text
    assert f"{found.detection.found} of {found.detection.found + found.detection.missed}" in text
    with pytest.raises(QueryError, match="did you mean 'malignant'"):
        pnb.report(model, X, y, folds=0, label="malignan")


def test_what_an_expert_asked_for_is_in_the_report():
    X, y = pnb.load_sample("iris")
    wish = [("petal length", "petal width")]
    model = pnb.TreeAugmentedNaiveBayes(required=wish, parameters="generative", n_bins=5).fit(X, y)
    text = pnb.report(model, X, y, folds=0)
    assert "What an expert asked for" in text
    assert f"{model.trace_.price:.3f} bits less than the one that the data alone make" in text
    assert "petal length – petal width" in text
    free = pnb.TreeAugmentedNaiveBayes(parameters="generative", n_bins=5).fit(X, y)
    assert "What an expert asked for" not in pnb.report(free, X, y, folds=0)


def test_links_that_were_asked_for_are_marked_in_the_picture():
    from pgm_nb.reports.sections import structure

    asked = {"required": [("petal length", "petal width")], "forbidden": [("sepal length", "sepal width")]}
    model = pnb.TreeAugmentedNaiveBayes(n_bins=5, **asked).fit(*pnb.load_sample("iris"))
    [tree, *_] = structure(model)["pictures"]
    assert str(tree["svg"]).count('class="edge required') == 1
    assert str(tree["svg"]).count('class="edge forbidden') == 1
    assert "forbidden ones dotted" in tree["reading"]


def test_columns_names_and_labels_of_every_kind_are_reported():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "line\u2028and\u2029paragraph": rng.normal(size=40),
            "Int64": pd.array([1, pd.NA, 3, 4] * 10, dtype="Int64"),
            "boolean": pd.array([True, pd.NA, False, False] * 10, dtype="boolean"),
            "string": pd.array(["u", pd.NA, "v", "\u2028"] * 10, dtype="string"),
            "empty": pd.Series([None] * 40, dtype=object),
        }
    )
    whole = rng.integers(0, 3, 40)
    model = pnb.NaiveBayes(parameters="generative").fit(X, np.array(whole.tolist(), dtype=object))
    page = pnb.report(model, X, whole.astype(float), folds=2, case=2)
    assert "line\u2424and\u2424paragraph" in page or "line\u2028and" in page
    page.encode()
    with pytest.raises(DataError, match="a row has the class '9', which the model does not know"):
        pnb.report(model, X, np.where(whole == 2, 9, whole))
