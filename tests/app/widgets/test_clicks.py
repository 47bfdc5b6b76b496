"""A click is taken once."""

from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from pgm_nb.app.widgets.clicks import new_click

    st.session_state["box"] = {"click": st.session_state["sent"]}
    st.session_state["taken"] = [*st.session_state.get("taken", []), new_click("box", "click")]


def test_a_click_that_comes_twice_is_taken_once():
    app = AppTest.from_function(page)
    first, second = {"name": "sex", "at": 12.5}, {"name": "sex", "at": 80.25}
    for app.session_state["sent"] in (None, first, first, second):
        app.run()
    assert app.session_state["taken"] == [None, first, None, second]
