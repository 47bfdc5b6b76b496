"""Known values on the structure: the bars follow, and other pages keep the values."""

import json

from pgm_nb.app.widgets.markdown import literal

GIVEN = "petal width=1.6"


def picture(app):
    [shown] = [d for d in map(data, app.get("bidi_component")) if "marks" in d]
    return shown


def data(element):
    return json.loads(element.proto.json)


def box(app):
    [found] = [d for d in map(data, app.get("bidi_component")) if "boxes" in d]
    return found["boxes"][0]


def test_a_known_value_has_a_ring_and_the_class_follows(visit):
    before = visit(sample="iris", model="gnb", do="values")
    after = visit(sample="iris", model="gnb", do="values", given=GIVEN)
    assert picture(before)["svg"] == picture(after)["svg"]  # laid out once
    rings = [id for id, mark in picture(after)["marks"].items() if 'stroke-width="3"' in mark]
    assert [picture(after)["labels"][id] for id in rings] == ["petal width"]
    assert not [1 for mark in picture(before)["marks"].values() if 'stroke-width="3"' in mark]
    what_if = visit("what_if", sample="iris", model="gnb", given=GIVEN)
    headline = next(m.value for m in what_if.markdown if m.value.startswith("With 1 of"))
    assert headline in [m.value for m in after.markdown]  # one posterior everywhere


def test_a_box_is_looked_at_and_the_address_keeps_it(visit):
    app = visit(sample="iris", model="tan", do="values", given=GIVEN, box="petal width")
    assert box(app)["name"] == "petal width"
    assert box(app)["value"]
    assert app.query_params["box"] == "petal width"


def test_every_page_keeps_what_is_known_in_the_address(visit):
    for page in ("data", "growth", "export"):
        app = visit(page, sample="iris", model="nb", given=[GIVEN, "sepal width=yellow"])
        assert app.query_params["given"] == GIVEN


def test_a_model_without_probabilities_of_attributes_says_so(visit):
    app = visit(sample="iris", model="kernel", do="values", given=GIVEN, box="petal width")
    assert any(literal("no probabilities of its attributes.") in c.value for c in app.caption)
