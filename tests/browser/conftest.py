"""A real Chromium and a running app, shared by all journeys; nothing may go wrong on any page."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from pgm_nb.app.shell.calm import UNEXPECTED

IDLE = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
PATIENCE = 30_000  # milliseconds: a busy machine is slow, not broken
QUIET = 250  # milliseconds for which a page at rest has nothing to do
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items):
    """Begin with the journeys, and try one that fails once more: a busy machine loses a click.

    One process then goes on all of them, and waits for its browser while the others compute; at the end,
    every process would start an app and a browser of its own. The report counts and names what was tried
    twice.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


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
def address(tmp_path_factory):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "pgm_nb.cli", "app", "--no-browser", "--port", str(port)]
    folder = tmp_path_factory.mktemp("somewhere")  # away from the checkout and its settings
    with (folder / "log").open("w+") as log:
        app = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for(f"http://localhost:{port}/_stcore/health", app)
            yield f"http://localhost:{port}"
        finally:
            app.terminate()
            try:
                app.wait(10)
            except subprocess.TimeoutExpired:
                app.kill()
                app.wait()
        log.seek(0)
        assert "Traceback" not in log.read()


def wait_for(url, app):
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline and app.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the app did not start")


@pytest.fixture
def page(chromium, address):
    """A visitor's window on the first page; in the end without exception or console error."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(address)
    yield page
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.get_by_text(UNEXPECTED).count() == 0
    assert problems == []
    context.close()


@pytest.fixture
def settled():
    """Wait until a page has come to rest, and return it."""

    def wait(page):
        for _ in range(100):  # a run may begin a moment after the click
            page.wait_for_selector(IDLE, timeout=PATIENCE)
            page.wait_for_timeout(QUIET)
            if page.locator(IDLE).count():
                return page
        pytest.fail("the page does not come to rest")

    return wait


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
