"""How the tests visit a page: Streamlit's own harness, with choices in the address."""

from importlib import import_module

import pytest

from pgm_nb.app.widgets.clicks import UNEXPECTED
from pgm_nb.models import MODELS

WORK = import_module("pgm_nb.app.shell.work")
#: one model for every answer to what pages ask; what each model says is tested with the models
KINDS = {
    (k.about.is_joint, k.about.own_states, k.about.chooses_links, k.about.bins, k.about.slow): k
    for k in reversed(MODELS)
}


@pytest.fixture(autouse=True)
def _started_without_a_file(monkeypatch):
    monkeypatch.delenv("PGM_NB_DATA", raising=False)
    monkeypatch.delenv("PGM_NB_CLASS", raising=False)


@pytest.fixture(autouse=True)
def _nothing_is_drawn_that_needs_a_pause(monkeypatch):
    monkeypatch.setattr("pgm_nb.app.pages.what_if.PAUSE", 0)


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


@pytest.fixture(params=KINDS.values(), ids=lambda kind: kind.about.short_name)
def kind(request):
    """A model of every kind that pages tell apart."""
    return request.param


@pytest.fixture
def visit(harness):
    """Open a page by its name; further words are choices in the address (class_ for class)."""

    def open_page(page="structure", **choices):
        app = harness(page=page)
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
def finished(until):
    """Run a page again once the work that it waits for is done, until there is none."""

    def wait(app):
        while app.get("progress"):
            under_way = [job.future for job in app.session_state["work"].values() if not job.future.done()]
            until(lambda under_way=under_way: not under_way or any(job.done() for job in under_way))
            quiet(app.run())
        return app

    return wait


def quiet(app):
    assert not app.exception
    assert not [error.value for error in app.error if error.value.startswith(UNEXPECTED)]
    return app
