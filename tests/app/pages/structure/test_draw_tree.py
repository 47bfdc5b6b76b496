"""A tree drawn by hand: from the address, by choosing mothers, from the learned tree, from a file."""

import pgm_nb as pnb
from pgm_nb.app.widgets.markdown import literal

NAMES = tuple(pnb.load_sample("iris")[0].columns)
STAR = {"sepal length": "petal width", "sepal width": "petal width", "petal length": "petal width"}
TEXTS = [f"{child}:{mother}" for child, mother in STAR.items()]


def said(app):
    return "\n".join(e.value for e in (*app.markdown, *app.caption, *app.info, *app.warning, *app.error))


def mothers(app):
    return dict(text.split(":") for text in app.session_state["tree"])


def press(app, key):
    app.button(key=key).click().run()
    assert not app.exception
    return app


def test_a_whole_tree_in_the_address_is_the_model_everywhere(visit, finished):
    app = finished(visit(sample="iris", do="tree", tree=TEXTS, details="True"))
    assert "The tree is complete; **petal width** is its root." in said(app)
    X, y = pnb.load_sample("iris")
    model = pnb.GeneralizedNaiveBayes(structure=pnb.Tree("class", NAMES, STAR))
    price = pnb.edit_price(model, X, y)
    assert {m.label: m.value for m in app.metric}["Weight lost"] == f"{price.bits:.3f} bits"
    assert literal(price.sentence) in said(app)
    [code] = [c.value for c in visit("export", sample="iris", tree=TEXTS, details="True").code]
    line = 'pnb.Tree("class", ["sepal length", "sepal width", "petal length", "petal width"], {'
    assert line in code


def test_mothers_are_chosen_one_by_one_and_taken_back(visit, labelled):
    app = visit(sample="iris", do="tree", child="petal length")
    assert "4 attributes have no mother yet" in said(app)
    app.selectbox(key="mother").set_value("petal width").run()
    assert mothers(app) == {"petal length": "petal width"}
    app.session_state["child"] = "petal width"
    app.run()
    labelled(app.selectbox, "Its mother").set_value("petal length").run()
    assert literal("this link would close a circle: petal width - petal length - petal width") in said(app)
    assert mothers(app) == {"petal length": "petal width"}
    press(app, "undo edit")
    assert mothers(app) == {}
    press(app, "redo edit")
    press(app, "learned tree")
    model = pnb.GeneralizedNaiveBayes(parameters="generative").fit(*pnb.load_sample("iris"))
    assert mothers(app) == dict(model.structure_.mothers)
    press(app, "empty tree")
    assert app.query_params.get("tree") is None


def test_a_file_is_read_or_refused_with_a_sentence(visit):
    app = visit(sample="iris", do="tree")
    tree = pnb.Tree("class", NAMES, STAR)
    app.file_uploader(key="tree file").upload("mine.graphml", tree.to_graphml().encode()).run()
    assert mothers(app) == STAR
    other = pnb.Tree("class", ("petal width", "stem"), {"stem": "petal width"})
    app.file_uploader(key="tree file").upload("other.json", other.to_json().encode()).run()
    assert literal("other.json: it has an attribute 'stem', which is not a column of the table") in said(app)
    assert mothers(app) == STAR  # what was before stands


def test_a_model_that_cannot_says_why(visit):
    app = visit(sample="iris", model="nb", do="tree", tree=TEXTS)
    assert literal("A tree cannot be drawn by hand for Naive Bayes: every attribute depends") in said(app)
    assert "is yours" in said(visit(sample="iris", do="links", tree=TEXTS))


def test_a_circle_in_the_address_is_left_out(visit):
    app = visit(sample="iris", tree=["petal width:petal length", "petal length:petal width"])
    assert literal("petal length is left without a mother") in said(app)
    assert mothers(app) == {"petal width": "petal length"}


def test_a_tree_for_tan(visit):
    app = visit(sample="iris", model="tan", do="tree", tree=TEXTS)
    assert "The tree is complete; **petal width** is its root." in said(app)


def test_two_mothers_where_the_model_has_room_for_them(visit):
    two = [*TEXTS, "sepal length:sepal width"]
    app = visit(sample="iris", order="4", do="tree", tree=two, child="sepal length")
    assert "The tree is complete; **petal width** is its root." in said(app)
    assert app.selectbox(key="mother").value == "petal width"
    assert app.selectbox(key="second mother").value == "sepal width"
    assert app.session_state["tree"] == two
    app.selectbox(key="second mother").set_value("no mother").run()
    assert sorted(app.session_state["tree"]) == sorted(TEXTS)
    app.selectbox(key="second mother").set_value("petal length").run()
    assert "sepal length:petal length" in app.session_state["tree"]
    [code] = [c.value for c in visit("export", sample="iris", order="4", tree=two).code]
    assert "pnb.HigherCherryTree(" in code
