"""How the tests visit a page: Streamlit's own harness, with choices in the address."""

import time

import pytest
from streamlit.testing.v1 import AppTest

from pgm_nb.app.shell.calm import UNEXPECTED


@pytest.fixture(autouse=True)
def _started_without_a_file(monkeypatch):
    monkeypatch.delenv("PGM_NB_DATA", raising=False)
    monkeypatch.delenv("PGM_NB_CLASS", raising=False)


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
