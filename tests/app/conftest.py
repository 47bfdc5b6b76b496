"""How the tests visit a page: Streamlit's own harness, with choices in the address."""

import time
from importlib import import_module

import pytest
from streamlit.testing.v1 import AppTest

from pgm_nb.app.shell.calm import UNEXPECTED

WORK = import_module("pgm_nb.app.shell.work")


@pytest.fixture(autouse=True)
def _started_without_a_file(monkeypatch):
    monkeypatch.delenv("PGM_NB_DATA", raising=False)
    monkeypatch.delenv("PGM_NB_CLASS", raising=False)


@pytest.fixture(autouse=True)
def _nothing_is_drawn_that_needs_a_pause(monkeypatch):
    monkeypatch.setattr("pgm_nb.app.pages.what_if.page.PAUSE", 0)


@pytest.fixture(autouse=True)
def _no_work_is_left_behind(monkeypatch):
    """Stop the work that a test has begun and does not wait for: it would slow down the tests that follow."""
    begin, begun = WORK._start, []

    def start(key, make):
        begun.append(begin(key, make))
        return begun[-1]

    monkeypatch.setattr(WORK, "_start", start)
    yield
    for job in begun:
        job.end()


@pytest.fixture
def visit():
    """Open a page by its name; further words are choices in the address (class_ for class)."""

    def open_page(page="structure", **choices):
        app = AppTest.from_string(
            f"from pgm_nb.app.shell.router import route\nroute({page!r})", default_timeout=60
        )
        for key, value in choices.items():
            app.query_params[key.rstrip("_")] = value
        return quiet(app.run())

    return open_page


@pytest.fixture
def upload():
    """Give a file to a page."""

    def give(app, name, content):
        return quiet(app.file_uploader(key="file").upload(name, content).run())

    return give


@pytest.fixture
def labelled():
    """Find the one widget with a label: its key changes when the program gives it another value."""

    def find(widgets, label):
        [found] = [widget for widget in widgets if widget.label == label]
        return found

    return find


@pytest.fixture
def finished():
    """Run a page again until no work is under way."""

    def wait(app, seconds=60):
        deadline = time.monotonic() + seconds
        while app.get("progress") and time.monotonic() < deadline:
            time.sleep(0.4)  # the work gets on faster when the page does not run all the time
            quiet(app.run())
        assert not app.get("progress"), "the work did not end"
        return app

    return wait


def quiet(app):
    assert not app.exception
    assert not [error.value for error in app.error if error.value.startswith(UNEXPECTED)]
    return app
