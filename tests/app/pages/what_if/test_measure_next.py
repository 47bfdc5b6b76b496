"""What to measure next, with prices, and the flow chart."""

import pytest

import pgm_nb as pnb
from pgm_nb.app.pages.what_if.measure_next import SPACE, _adds
from pgm_nb.explain.importance import study_order


def proposed(app):
    return [button.label for button in app.button if button.key and button.key.startswith("next ")]


def _all(app, key):
    found = app.query_params[key]
    return [found] if isinstance(found, str) else list(found)


def press(app, label):
    [found] = [button for button in app.button if button.label == label]
    found.click().run()


def test_bits_without_prices(visit):
    app = visit("what_if", sample="heart", given="age=60", details="True")
    assert not app.exception
    assert all(label.endswith("bits") for label in proposed(app))
    assert len(proposed(app)) == 5


@pytest.mark.parametrize("kind", ["tan", "gaussian"])
def test_with_nothing_known_it_is_the_order_of_features(visit, finished, kind):
    app = finished(visit("what_if", sample="iris", model=kind))
    assert not app.exception
    model = next(one for one in pnb.MODELS if one.about.short_name == kind)()
    path = study_order(model, *pnb.load_sample("iris")).path["attribute"].tolist()
    keys = [button.key for button in app.button if (button.key or "").startswith("next ")]
    assert keys == [f"next {name}" for name in path]
    assert [label.startswith("then ") for label in proposed(app)] == [False, True, True, True]


def test_where_too_much_is_unknown_the_page_opens_and_says_what_to_set(visit, finished, monkeypatch):
    monkeypatch.setattr("pgm_nb.tables.factors.Factors.is_chordal", False)
    monkeypatch.setattr("pgm_nb.engine.sums._MOST_ROOM", 0)
    monkeypatch.setattr("pgm_nb.engine.elimination.MOST_CELLS", 200)
    app = finished(visit("what_if", sample="iris", model="kdb", groups="7"))
    assert not app.error
    assert not app.exception
    assert not proposed(app)
    assert any(text.value.startswith("This cannot be said yet: too many") for text in app.caption)


def test_what_an_attribute_adds_is_never_a_negative_amount():
    assert _adds(-0.01, 4, sure=False, scale=None) == f"adds{SPACE}nothing"
    assert _adds(0.25, 0, sure=True, scale=None) == f"0.250{SPACE}bits"
    assert _adds(0.25, 1, sure=False, scale=None) == f"0.250{SPACE}bits{SPACE}more, may be chance"


def test_prices_in_the_address_change_the_order(visit):
    app = visit(
        "what_if",
        sample="heart",
        price=["thallium scan=50", "chest pain type=20"],
        given="age=60",
        details="True",
    )
    assert not app.exception
    labels = proposed(app)
    assert not any(label.startswith(("thallium scan", "chest pain type")) for label in labels)
    assert all("bits for 1" in label for label in labels)
    assert _all(app, "price") == ["thallium scan=50", "chest pain type=20"]
    press(app, "No prices")
    assert "price" not in app.query_params
    assert all(label.endswith("bits") for label in proposed(app))
    press(app, "Undo the last price")
    assert _all(app, "price") == ["thallium scan=50", "chest pain type=20"]


def test_nothing_is_worth_its_price(visit):
    app = visit("what_if", sample="heart", wrong="2")
    assert any("Nothing left is worth its price" in info.value for info in app.info)
    assert all("not worth it" in label for label in proposed(app))
    app.number_input(key="cost of a wrong class").set_value(1000.0).run()
    assert _all(app, "wrong") == ["1000"]
    assert not any("Nothing left" in info.value for info in app.info)


def test_prices_that_make_no_sense_are_ignored(visit):
    app = visit(
        "what_if", sample="heart", price=["age=-1", "nobody=3", "sex=free"], wrong="x", questions="99"
    )
    assert not app.exception
    assert "price" not in app.query_params


def test_what_is_measured_together(visit):
    together = ["blood=resting blood pressure", "blood=serum cholesterol"]
    app = visit("what_if", sample="heart", together=[*together, "alone=age", "blood=nobody"])
    assert not app.exception
    assert _all(app, "together") == [*together, "alone=age"]
    app.run()
    assert not any(label.startswith(("resting blood", "serum")) for label in proposed(app))
    app = visit("what_if", sample="heart", together=together, price=["serum cholesterol=0.001", "blood=7"])
    first = proposed(app)[0].replace("\\", "")
    assert first.startswith("blood (resting blood pressure, serum cholesterol) · ")
    assert "for 0.001" in first
    [found] = [button for button in app.button if button.key == "next blood"]
    found.click().run()
    assert app.query_params["attribute"] == "resting blood pressure"
    press(app, "No prices")
    assert "together" not in app.query_params
    press(app, "Undo the last price")
    assert _all(app, "together") == together


def test_looking_ahead(visit, finished):
    app = visit("what_if", sample="heart")
    app.checkbox(key="look ahead").check().run()
    assert _all(app, "ahead") == ["2"]
    assert len(proposed(app)) == 5  # while pairs are looked at, what single ones say
    finished(app)
    said = [caption.value for caption in app.caption]
    assert any("two measurements ahead does not change" in text or "together" in text for text in said)


@pytest.mark.parametrize("kind", ["nb", "gnb", "hnb", "gaussian", "kernel", "local-pca"])
def test_the_flow_chart(visit, kind):
    app = visit("what_if", sample="iris", model=kind)
    press(app, "Make the flow chart")
    assert not app.exception
    assert _all(app, "chart") == ["shown"]
    assert len([b for b in app.get("download_button") if "print questions" in str(b.proto.id)]) == 3
    app.number_input(key="most questions").set_value(1).run()
    assert _all(app, "questions") == ["1"]
    assert not app.exception
