"""What goes wrong on a page is said in a sentence; the traceback is in the log."""

import ast
import logging
import re
from pathlib import Path

import pytest

import pgm_nb.app
from pgm_nb.app.pages import data, export, structure, what_if
from pgm_nb.app.pages.what_if import case as known_values
from pgm_nb.app.widgets.clicks import UNEXPECTED, UNTAKEN
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.errors import DataError

APP = Path(pgm_nb.app.__file__).parent
PASSED_ON = {"show_monitors"}  # wraps it itself


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
def test_a_page_that_fails_says_so_calmly(page, module, name, monkeypatch, caplog, harness):
    monkeypatch.setattr(module, name, broken)
    app = harness(page=page)
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


def test_a_click_that_fails_leaves_the_page_and_a_sentence(monkeypatch, caplog, harness):
    monkeypatch.setattr(known_values.evidence, "forget", broken)
    app = harness(page="what_if")
    app.query_params["given"] = "worst radius=17"
    app.run()
    with caplog.at_level(logging.ERROR):
        next(button for button in app.button if button.label == "Reset").click().run()
    assert not app.exception
    [error] = [each.value for each in app.error]
    assert error.startswith(UNTAKEN)
    assert "secret" not in error
    assert error.split("the number ")[1][:6] in caplog.text
    assert app.sidebar.selectbox  # the page is drawn
    app.run()
    assert not app.error  # it is said once


def test_our_own_error_in_a_click_is_said_in_its_words(monkeypatch, harness):
    def refuse():
        raise DataError("two of *these* are none")

    monkeypatch.setattr(known_values.evidence, "forget", refuse)
    app = harness(page="what_if")
    app.query_params["given"] = "worst radius=17"
    app.run()
    next(button for button in app.button if button.label == "Reset").click().run()
    assert [each.value for each in app.error] == [literal("two of *these* are none")]


@pytest.mark.parametrize("path", sorted(APP.rglob("*.py")), ids=lambda path: str(path.relative_to(APP)))
def test_everything_a_click_does_is_wrapped(path):
    """Whatever is given to a widget as its answer to a click is ``safely(...)``, or a word for Streamlit."""
    safe = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and _is_safe(node.value, safe):
            safe |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Call) and _name(node.func) not in PASSED_ON:
            for given in node.keywords:
                if re.fullmatch(r"on_(click|change|select|submit)|on_\w+_change", given.arg or ""):
                    assert _is_safe(given.value, safe), f"line {node.lineno}: {ast.unparse(given.value)}"


def _is_safe(value, safe):
    if isinstance(value, ast.Name):
        return value.id in safe
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Call) and _name(value.func) == "safely")


def _name(function):
    return getattr(function, "id", getattr(function, "attr", ""))
