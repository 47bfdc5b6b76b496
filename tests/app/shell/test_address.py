"""Choices live in the address, and survive a change of page even when a run was cut short."""

from streamlit.testing.v1 import AppTest

SCRIPT = """
import streamlit as st
from pgm_nb.app.shell.address import begin, keep, publish

begin(st.session_state.get("page", "first"))
keep("model", ["x", "y", "z"], "x")
st.write(st.session_state["model"])
if not st.session_state.get("cut short"):
    publish()
"""


def visit(**address):
    app = AppTest.from_string(SCRIPT)
    for key, value in address.items():
        app.query_params[key] = value
    return app


def says(app):
    assert not app.exception
    return app.markdown[0].value


def test_the_menu_leads_to_an_empty_address_and_choices_stand():
    app = visit(model="y")
    assert says(app.run()) == "y"
    app.session_state["page"] = "second"
    app.query_params.clear()
    assert says(app.run()) == "y"
    assert app.query_params["model"] == "y"


def test_the_same_after_a_first_run_that_was_cut_short():
    app = visit(model="y")
    app.session_state["cut short"] = True
    assert says(app.run()) == "y"
    app.session_state["cut short"] = False
    app.session_state["page"] = "second"
    app.query_params.clear()
    assert says(app.run()) == "y"


def test_back_to_the_empty_address_of_the_menu_keeps_the_choices():
    app = visit(model="y")
    app.run()
    app.session_state["page"] = "second"
    app.query_params.clear()
    app.run()
    for _ in range(2):
        app.query_params.clear()  # Back, and a run without a click
        assert says(app.run()) == "y"
        assert not app.query_params  # one more entry would keep Back from getting past this page
    app.session_state["model"] = "z"  # a click
    assert says(app.run()) == "z"
    assert app.query_params["model"] == "z"


def test_back_to_where_nothing_was_chosen():
    app = visit()
    assert says(app.run()) == "x"
    app.session_state["model"] = "y"
    assert says(app.run()) == "y"
    app.query_params.clear()
    assert says(app.run()) == "x"


def test_an_address_typed_anew_is_followed():
    app = visit(model="y")
    app.run()
    app.query_params["model"] = "z"
    assert says(app.run()) == "z"


FRAGMENT = """
from functools import partial
import streamlit as st
from pgm_nb.app.shell.address import begin, follow, keep, keep_several, publish

if not st.session_state.get("a part alone"):
    begin()
    keep("order", ["wrong", "row"], "wrong")
    keep("of", ["a", "b"], None)
    keep_several("may", ["p", "q", "r"])
    keep("other", ["x", "y"], "x")
st.selectbox("Order", ["wrong", "row"], key="order", on_change=partial(follow, "order"))
st.selectbox("Of", ["a", "b"], index=None, key="of", on_change=partial(follow, "of"))
st.multiselect("May", ["p", "q", "r"], key="may", on_change=partial(follow, "may"))
st.selectbox("Other", ["x", "y"], key="other")
if not st.session_state.get("a part alone"):
    publish()
"""


def test_a_fragment_writes_its_choices_into_the_address_at_once():
    app = AppTest.from_string(FRAGMENT)
    app.query_params["other"] = "y"
    app.run()
    app.session_state["a part alone"] = True
    app.selectbox(key="order").select("row").run()
    assert dict(app.query_params) == {"other": "y", "order": "row"}
    app.selectbox(key="of").select("b").run()
    app.multiselect(key="may").set_value(["q", "r"]).run()
    assert dict(app.query_params) == {"other": "y", "order": "row", "of": "b", "may": ["q", "r"]}
    app.selectbox(key="order").select("wrong").run()
    app.selectbox(key="of").set_value(None).run()
    assert dict(app.query_params) == {"other": "y", "may": ["q", "r"]}
    app.session_state["a part alone"] = False
    app.run()
    assert not app.exception
    assert app.multiselect(key="may").value == ["q", "r"]
    assert dict(app.query_params) == {"other": "y", "may": ["q", "r"]}


def test_a_run_that_the_program_asked_for_does_not_follow_an_address_from_before():
    app = visit(model="y")
    app.run()
    app.query_params["model"] = "z"  # Back, or another link
    assert says(app.run()) == "z"
    app.query_params["model"] = "y"  # what the browser still said when it asked for news
    app.session_state["the next run is the program's own"] = True
    assert says(app.run()) == "z"
    assert app.query_params["model"] == "z"
