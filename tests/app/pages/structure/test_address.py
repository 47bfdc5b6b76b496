"""What was chosen goes into the address and comes back from it."""


def choices(app):
    return {key: app.session_state[key] for key in ("sample", "class", "model", "view")}


def settled(app):
    assert not app.exception
    return app


def test_a_link_restores_what_was_chosen(visit):
    app = visit(
        "structure",
        sample="heart", class_="ST slope", model="gnb", search="exact", view="compact", bins="uniform",
        groups="4", without=["age", "sex"], at="thalassemia",
    )  # fmt: skip
    state = app.session_state
    assert (state["sample"], state["class"], state["search"], state["view"]) == (
        "heart", "ST slope", "exact", "compact",
    )  # fmt: skip
    assert (state["bins"], state["groups"], state["without"]) == ("uniform", 4, ["age", "sex"])
    assert not {"age", "sex", "ST slope"} & set(app.dataframe[0].value["attribute"])
    assert app.query_params["without"] == ["age", "sex"]
    assert app.query_params["groups"] == "4"


def test_unknown_words_in_a_link_are_ignored(visit):
    app = visit(
        "structure",
        class_="nobody", model="magic", search="", view="4d", bins="x",
        groups="-3", without="nothing", missing="?", at="nobody", against="magic", shown="1e9",
        part="?", around="?", row="0", other="<script>",
    )  # fmt: skip
    assert not app.error
    assert choices(app) == {"sample": "wdbc", "class": "class", "model": "gnb", "view": "tree"}
    assert "other" not in app.query_params


def test_choices_go_into_the_address(visit):
    app = visit("structure")
    assert not app.query_params  # nothing chosen, nothing to say
    settled(app.selectbox(key="model").select("tan").run())
    assert app.query_params["model"] == "tan"
    settled(app.selectbox(key="sample").select("zoo").run())
    assert app.query_params["sample"] == "zoo"
    settled(app.selectbox(key="model").select("gnb").run())
    assert dict(app.query_params) == {"sample": "zoo"}


def test_going_back_restores_what_was_chosen(visit):
    app = visit("structure", sample="zoo", model="tan")
    settled(app.selectbox(key="model").select("nb").run())
    app.query_params["model"] = "tan"  # what the Back button does
    assert settled(app.run()).session_state["model"] == "tan"
    app.query_params.clear()
    assert choices(settled(app.run())) == {"sample": "wdbc", "class": "class", "model": "gnb", "view": "tree"}


def test_a_click_beats_an_address_that_lags_behind(visit):
    app = visit("structure", sample="zoo", model="tan")
    app.query_params["model"] = "gnb"
    settled(app.selectbox(key="model").select("nb").run())
    assert app.query_params["model"] == "nb"
