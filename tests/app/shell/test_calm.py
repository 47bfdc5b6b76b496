"""What goes wrong on a page is said in a sentence; the traceback is in the log."""

import logging

import pytest
from streamlit.testing.v1 import AppTest

from pgm_nb.app.pages import data, export, structure
from pgm_nb.app.pages.what_if import page as what_if
from pgm_nb.app.shell.calm import UNEXPECTED


def broken(*args, **options):
    raise ZeroDivisionError("secret inner details")


@pytest.mark.parametrize(
    ("page", "module", "name"),
    [
        ("structure", structure, "show"),
        ("data", data, "show"),
        ("export", export, "show"),
        ("what_if", what_if, "headline"),
    ],
)
def test_a_page_that_fails_says_so_calmly(page, module, name, monkeypatch, caplog):
    monkeypatch.setattr(module, name, broken)
    app = AppTest.from_string(
        f"from pgm_nb.app.shell.router import route\nroute({page!r})", default_timeout=60
    )
    with caplog.at_level(logging.ERROR):
        app.run()
    assert not app.exception
    [error] = [each.value for each in app.error]
    assert error.startswith(UNEXPECTED)
    assert "secret" not in error
    number = error.split("the number ")[1].split(":")[0]
    assert number in caplog.text
    assert "secret inner details" in caplog.text
    assert app.sidebar.selectbox  # another table or model can still be chosen
