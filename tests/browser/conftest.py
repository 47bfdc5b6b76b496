"""A real Chromium and a running app, shared by all journeys; nothing may go wrong on any page."""

import importlib.util
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pgm_nb.app.pages import FIRST, PAGES
from pgm_nb.app.shell.launch import listened_to
from pgm_nb.app.widgets.clicks import UNEXPECTED

IDLE = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
PATIENCE = 900_000  # milliseconds: a busy machine is slow, not broken, and only what hangs takes so long
CLICKS = 3  # on a link of the menu, until its page is there
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items):
    """Begin with the journeys.

    One process then goes on all of them, and waits for its browser while the others compute; at the end,
    every process would start an app and a browser of its own.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


class Line:
    """What a page has asked of the app, as its messages tell: whether an answer is still to come."""

    def __init__(self, page):
        self.waits = True  # for the page itself
        self._begun = False
        page.on("websocket", self._connected)

    def _connected(self, socket):
        self.waits, self._begun = True, False
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)

    def _sent(self, message):
        if not isinstance(message, bytes):
            return
        told = BackMsg.FromString(message)
        by_itself = told.rerun_script.is_auto_rerun  # of a part that may be gone: then no answer comes
        if told.WhichOneof("type") == "rerun_script" and not by_itself:
            self.waits, self._begun = True, False

    def _received(self, message):
        told = ForwardMsg.FromString(message)
        kind = told.WhichOneof("type")
        if kind == "new_session":
            self.waits = self._begun = True
        elif kind == "script_finished" and told.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.waits = not self._begun  # a run that ended when another was asked for is not its answer


def browser_path():
    here = Path(__file__).with_name("install.py")
    spec = importlib.util.spec_from_file_location("install", here)
    install = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(install)
    return install.find()


@pytest.fixture(scope="session")
def chromium():
    path = browser_path()
    if path is None:
        reason = "no browser was found; `make browser` finds or installs one"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address(tmp_path_factory, until):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "pgm_nb.cli", "app", "--no-browser", "--port", str(port)]
    folder = tmp_path_factory.mktemp("somewhere")  # away from the checkout and its settings
    with (folder / "log").open("w+") as log:
        app = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            until(lambda: listened_to(port) or app.poll() is not None)
            assert app.poll() is None, "the app did not start"
            yield f"http://localhost:{port}"
        finally:
            app.kill()
            app.wait()
        log.seek(0)
        assert "Traceback" not in log.read()


@pytest.fixture
def lines():
    """The lines of all pages of a test to the app."""
    return {}


@pytest.fixture
def window(chromium, lines):
    """Open a browser window, with patience; further words are its properties."""
    opened = []

    def open_window(**properties):
        context = chromium.new_context(**{"viewport": {"width": 1440, "height": 900}} | properties)
        context.set_default_timeout(PATIENCE)
        context.on("page", lambda page: lines.__setitem__(page, Line(page)))
        opened.append(context)
        return context.new_page()

    yield open_window
    for context in opened:
        context.close()


@pytest.fixture
def page(window, address):
    """A visitor's window on the first page; in the end without exception or console error."""
    page = window()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(address)
    yield page
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.get_by_text(UNEXPECTED).count() == 0
    assert problems == []


@pytest.fixture
def settled(lines, until):
    """Wait until a page has its answer to everything it has asked for, and has drawn it; return it."""

    def at_rest(page):
        page.evaluate(DRAWN)  # what a click asks for is on its way
        page.wait_for_selector(IDLE)
        if lines[page].waits:
            return False
        page.evaluate(DRAWN)
        return page.locator(IDLE).count() and not lines[page].waits

    def wait(page):
        until(lambda: at_rest(page))
        return page

    return wait


@pytest.fixture
def go(settled):
    """Open a page from the menu, as a person does: who is not taken there clicks again.

    Streamlit joins what the browser asks for in the same moment, and the page is that of the last question:
    news of work in the background can take the place of a click on the menu.
    """

    def open_page(page, title):
        [name] = [each.name for each in PAGES if each.title == title]
        places = {"/", f"/{name}"} if name == FIRST else {f"/{name}"}
        for _ in range(CLICKS):
            settled(page).get_by_role("link", name=title, exact=True).first.click()
            if urlsplit(settled(page).url).path in places:
                return page
        raise AssertionError(f"{CLICKS} clicks on {title!r} led to {page.url}")

    return open_page


@pytest.fixture
def attribute():
    """Find the box of an attribute in the picture."""

    def find(page, name):
        return page.locator("g.node").filter(has=page.locator("text", has_text=re.compile(f"^{name}$")))

    return find


@pytest.fixture
def choose(settled):
    """Choose an option of a drop-down list by its label."""

    def pick(page, label, option):
        page.get_by_role("combobox", name=label).click()
        page.get_by_role("option", name=option, exact=True).click()
        settled(page)

    return pick


@pytest.fixture
def taken():
    """Click a download button and return the bytes of the file."""

    def take(page, label):
        with page.expect_download() as download:
            page.get_by_role("button", name=label, exact=True).click()
        return Path(download.value.path()).read_bytes()

    return take
