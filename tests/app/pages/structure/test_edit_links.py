"""Editing links: wishes from the address and from buttons, their price, undo and redo, and contradictions."""

import pgm_nb as pnb
from pgm_nb.app.widgets.markdown import literal

WISH = "petal length:petal width"


def said(app):
    elements = (*app.markdown, *app.caption, *app.info, *app.warning, *app.error)
    return "\n".join(element.value for element in elements)


def pick(app, *names):
    app.session_state["picked"] = list(names)
    return app.run()


def press(app, key):
    app.button(key=key).click().run()
    assert not app.exception
    return app


def edges(app):
    return [(*app.session_state["require"],), (*app.session_state["forbid"],)]


def test_a_wish_in_the_address_shapes_the_tree_and_has_a_price(visit, finished):
    app = finished(visit(sample="iris", model="tan", do="links", require=WISH, details="True"))
    X, y = pnb.load_sample("iris")
    model = pnb.TreeAugmentedNaiveBayes(required=[("petal length", "petal width")]).fit(X, y)
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Weight lost"] == f"{model.trace_.price:.3f} bits"
    price = pnb.edit_price(pnb.TreeAugmentedNaiveBayes(required=[("petal length", "petal width")]), X, y)
    assert metrics["Log-loss, new rows"] == f"{price.loss.edited:.3f} bits"
    assert literal(price.sentence) in said(app)
    assert "**petal length** – **petal width**: required, costs 0.147 bits" in said(app)


def test_require_forbid_clear_undo_redo(visit):
    app = pick(visit(sample="iris", model="tan", do="links", details="True"), "petal length", "petal width")
    assert "The tree does not have this link. Requiring it would cost 0.147 bits." in said(app)
    press(app, "link Require")
    assert edges(app) == [(WISH,), ()]
    assert app.session_state["picked"] == []
    press(pick(app, "petal width", "petal length"), "link Forbid")
    assert edges(app) == [(), ("petal width:petal length",)]
    press(app, "undo edit")
    assert edges(app) == [(WISH,), ()]
    press(app, "redo edit")
    assert edges(app) == [(), ("petal width:petal length",)]
    press(app, "clear edits")
    assert edges(app) == [(), ()]
    assert app.button(key="redo edit").disabled
    assert app.query_params.get("forbid") is None


def test_what_no_tree_can_meet_is_a_sentence_and_the_wishes_before_stand(visit):
    two = [WISH, "petal length:sepal length"]
    app = pick(visit(sample="iris", model="gnb", do="links", require=two), "petal width", "sepal length")
    assert "Requiring it is not possible" in said(app)
    press(app, "link Require")
    assert literal("the edges of a tree close no cycle") in said(app)
    assert edges(app) == [tuple(two), ()]


def test_with_two_mothers_three_attributes_can_be_required_with_each_other(visit, finished):
    two, third = ["safety:persons", "persons:doors"], "safety:doors"
    app = visit(sample="car", model="gnb", order="4", do="links", require=two)
    press(pick(app, "safety", "doors"), "link Require")
    assert edges(app) == [(*two, third), ()]
    assert not app.warning
    app = visit("fit", sample="car", model="gnb", order="4", require=[*two, third], fits="every")
    assert not app.exception
    assert literal("TAN is left out: the edges of a tree close no cycle") in said(app)  # one mother each
    app = visit(sample="car", model="gnb", do="links", require=[*two, third])
    assert literal("safety – doors was left out") in said(app)


def test_a_link_that_contradicts_itself_keeps_the_first_wish(visit):
    app = visit(sample="iris", require=WISH, forbid=[WISH, "petal length:unknown column"])
    assert literal("petal length – petal width was asked for twice; the first wish stands.") in said(app)
    assert edges(app) == [(WISH,), ()]


def test_a_model_that_cannot_says_why_and_keeps_the_wishes(visit):
    app = visit(sample="iris", model="nb", do="links", require=WISH)
    assert literal("every attribute depends on the class alone.") in said(app)
    assert edges(app) == [(WISH,), ()]
    app.selectbox(key="model").set_value("tan").run()
    assert "required, costs" in said(app)


def test_a_line_that_is_clicked_offers_the_same(visit):
    app = visit(sample="iris", model="tan", at="link: petal width → sepal width")
    press(app, "link Forbid")
    assert edges(app) == [(), ("petal width:sepal width",)]
    assert app.session_state["do"] == "links"


def test_other_pages_and_the_exported_lines_have_the_wishes(visit):
    app = visit("export", sample="iris", model="tan", require=WISH)
    [code] = [element.value for element in app.code]
    assert 'required=[["petal length", "petal width"]]' in code
    assert app.query_params["require"] == WISH


def test_the_tree_without_wishes_is_offered_for_comparison(visit):
    app = visit(sample="iris", model="tan", require=WISH, against="free")
    assert "2 of 3 links between attributes are in both" in said(app)
