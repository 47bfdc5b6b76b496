"""The case browser: whose probabilities it shows, what it filters, and where it leads."""

import pytest

import pgm_nb as pnb
from pgm_nb.words import probability

HOSTILE = ("<script>alert(1)</script>", "a=b", "$x$", "row")


def listed(app):
    return app.dataframe[0].value


@pytest.fixture
def cases(visit, finished):
    def open_page(**choices):
        return finished(visit("cases", **choices))

    return open_page


def said(app):
    return " ".join(text.value for text in app.markdown)


def test_wrong_ones_come_first_by_models_that_have_not_seen_them(cases):
    app = cases(sample="iris", model="nb")
    X, y = pnb.load_sample("iris")
    expected = pnb.cases(pnb.NaiveBayes(), X, y, cv=5)
    assert listed(app)["row"].tolist() == expected["row"].tolist()
    assert listed(app)["probability"].tolist() == [probability(p) for p in expected["probability"]]
    first = expected.iloc[0]
    assert f"#### Row {first['row']}" in said(app)
    assert f"gives **{first['predicted']}** **{probability(first['probability'])}**, which is wrong" in said(
        app
    )
    assert "which has seen this one" in said(app)
    assert not app.query_params.get("looked_at")


def test_rows_are_filtered_sorted_and_found(cases):
    app = cases(sample="iris", model="nb")
    everything = listed(app)
    app.selectbox(key="cases_shown").select("wrong").run()
    assert (listed(app)["class"] != listed(app)["predicted"]).all()
    app.selectbox(key="cases_shown").select("all").run()
    app.selectbox(key="cases_class").select("setosa").run()
    assert set(listed(app)["class"]) == {"setosa"}
    assert len(listed(app)) == 50
    app.selectbox(key="cases_class").set_value(None).run()
    app.text_input(key="cases_with_text").set_value("petal width>2.3").run()
    X, _ = pnb.load_sample("iris")
    assert sorted(listed(app)["row"]) == [i + 1 for i in range(150) if X["petal width"][i] > 2.3]
    app.text_input(key="cases_with_text").set_value("petal wdth>2.3").run()
    assert "is no value of a column" in app.warning[0].value
    app.text_input(key="cases_with_text").set_value("").run()
    app.selectbox(key="cases_order").select("row").run()
    assert listed(app)["row"].tolist() == sorted(everything["row"])
    app.number_input(key="cases_row").set_value(78).run()
    assert "#### Row 78" in said(app)
    assert app.query_params["looked_at"] == "78"


def test_another_order_shows_its_first_case(cases):
    app = cases(sample="iris", model="nb", looked_at="78")
    assert "#### Row 78" in said(app)
    app.selectbox(key="cases_order").select("sure").run()
    assert f"#### Row {listed(app)['row'].iloc[0]}" in said(app)
    assert "#### Row 78" not in said(app)
    assert dict(app.query_params)["cases_order"] == "sure"
    assert "looked_at" not in app.query_params


def test_a_case_leads_to_what_if(cases):
    app = cases(sample="iris", model="nb", looked_at="78")
    [leads] = [button for button in app.button if button.label == "Open in What if"]
    leads.click().run()
    X, _ = pnb.load_sample("iris")
    assert app.session_state["case"] == ["78"]
    assert set(app.session_state["given"]) == {f"{name}={value:g}" for name, value in X.iloc[77].items()}


def test_rows_like_it_and_one_beside_it(cases):
    app = cases(sample="iris", model="nb", looked_at="78")
    X, y = pnb.load_sample("iris")
    model = pnb.NaiveBayes().fit(X, y)
    alike = [int(row) + 1 for row in pnb.most_alike(model, X, 77)["row"]]
    assert app.dataframe[1].value["Row"].tolist() == alike
    app.selectbox(key="beside").select(alike[0]).run()
    assert "in row 78 and" in said(app)
    assert list(app.dataframe[2].value.columns[:3]) == ["Attributes", "Row 78", f"Row {alike[0]}"]
    same = sum(y[row - 1] == y[77] for row in alike)
    assert same == 1
    assert f"This row is **{y[77]}**, and so is 1 of the 5 rows most like it." in said(app)


def test_any_row_can_stand_beside_it(cases, labelled):
    app = cases(sample="iris", looked_at="78")
    labelled(app.number_input, "Or any row").set_value(3).run()
    assert app.query_params["beside_it"] == "3"
    assert "in row 78 and" in said(app)
    shown = app.dataframe[2].value
    assert shown.columns[2] == "Row 3"
    X, _ = pnb.load_sample("iris")
    for names, values in zip(shown["Attributes"], shown["Row 3"], strict=True):  # a name for every value
        expected = [f"{X[name][2]:g}" for name in names.split(", ")]
        assert values == ", ".join(expected)


def test_every_kind_of_model(cases, kind):
    app = cases(sample="iris", model=kind.about.short_name)
    assert not app.error
    assert len(listed(app)) == 150
    assert len(app.dataframe[1].value) == 5


def test_hostile_names(visit, upload, finished):
    import io

    X, y = pnb.load_sample("iris")
    X.columns = HOSTILE
    text = io.StringIO()
    X.assign(**{"class": y}).to_csv(text, index=False)
    app = visit("cases", sample="iris")
    app = finished(upload(finished(app), "iris.csv", text.getvalue().encode()))
    assert not app.error
    assert len(listed(app)) == 150


def test_a_column_that_names_the_rows_is_shown_and_finds_one(visit, upload, finished, labelled):
    X, y = pnb.load_sample("iris")
    X.insert(0, "patient", [f"P{place:03d}" for place in range(150)])
    app = visit("cases", sample="iris", model="nb")
    app = finished(upload(finished(app), "iris.csv", X.assign(kind=y).to_csv(index=False).encode()))
    first = int(listed(app)["row"].iloc[0])
    assert listed(app)["\u200bpatient"].iloc[0] == f"P{first - 1:03d}"
    assert f"#### Row {first} (patient P{first - 1:03d})" in said(app)
    assert len(app.dataframe[1].value["\u200bpatient"]) == 5  # the rows most like it
    labelled(app.text_input, "Only rows with").set_value("patient=P077").run()
    assert listed(app)["row"].tolist() == [78]
    assert "#### Row 78 (patient P077)" in said(app)
