"""What the browser said before it drew a new value is not taken for a choice."""

from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from pgm_nb.app.widgets.clicks import own_key, said_by

    def choose():
        st.session_state["value"] = said_by("number")
        st.session_state["choices"] = st.session_state.get("choices", 0) + 1

    def move():
        st.session_state["value"] = 5

    st.number_input("number", key=own_key("number", st.session_state.get("value", 0)), on_change=choose)
    st.button("move", on_click=move)


def test_a_request_from_before_the_change_undoes_nothing():
    app = AppTest.from_function(page).run()
    before = app._tree.get_widget_states()
    app.button[0].click().run()
    assert app.number_input[0].value == 5
    app._run(before)  # sent before the browser drew the 5
    assert app.number_input[0].value == 5
    assert app.session_state["value"] == 5


def test_a_choice_is_taken_and_the_widget_stays_the_same():
    app = AppTest.from_function(page).run()
    key = app.number_input[0].key
    app.number_input[0].set_value(3).run()
    assert (app.session_state["value"], app.session_state["choices"]) == (3, 1)
    assert app.number_input[0].key == key
    app.button[0].click().run()
    app.number_input[0].set_value(0).run()
    assert (app.session_state["value"], app.session_state["choices"]) == (0, 2)
