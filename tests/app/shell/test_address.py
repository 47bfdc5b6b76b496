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


def test_an_address_typed_anew_is_followed():
    app = visit(model="y")
    app.run()
    app.query_params["model"] = "z"
    assert says(app.run()) == "z"
