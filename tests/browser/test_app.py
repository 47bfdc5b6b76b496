"""What people do, in a real Chromium: open, change the model, upload a table, take pictures away."""

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

pytestmark = pytest.mark.browser

IDLE = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
NAMES = ("<b>age</b>", ":smile:", "$x$ a -> b")
TABLE = ",".join([*NAMES, "kind", "outcome"]) + "\n"
TABLE += "".join(f"{i % 3},{i % 2},{i % 5},{'pq'[i % 2]},{'ill' if i % 4 else 'well'}\n" for i in range(60))
PATIENCE = 30_000  # milliseconds: a busy machine is slow, not broken


def browser_path():
    here = Path(__file__).with_name("install.py")
    spec = importlib.util.spec_from_file_location("install", here)
    install = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(install)
    return install.find()


@pytest.fixture(scope="module")
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


@pytest.fixture(scope="module")
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
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(address)
    yield page
    assert page.locator("[data-testid=stException]").count() == 0
    assert problems == []
    context.close()


def picture(page):
    page.wait_for_selector(IDLE)
    return page.locator("img[src^='data:image/svg+xml']")


def choose(page, label, option):
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()


def taken(page, label):
    with page.expect_download() as download:
        page.get_by_role("button", name=label, exact=True).click()
    return Path(download.value.path()).read_bytes()


def test_open_choose_and_go_back(page):
    heading = page.get_by_role("heading", level=2)
    expect(heading).to_have_text("Breast tumours (WDBC)", timeout=PATIENCE)
    assert page.title() == "Structure explorer · pgm_nb"
    box = picture(page).bounding_box()
    assert box["width"] > 400
    assert box["height"] > 400
    assert picture(page).evaluate("image => image.naturalWidth") > 400

    expect(page.get_by_text("proven best")).to_have_count(0)
    choose(page, "Model", "Tree augmented naive Bayes (TAN)")
    expect(page.get_by_text("proven best")).to_be_visible(timeout=PATIENCE)
    page.wait_for_selector(IDLE)
    assert "model=tan" in page.url
    page.go_back()
    expect(page.get_by_text("proven best")).to_have_count(0, timeout=PATIENCE)


def test_upload_choose_the_class_and_take_pictures_away(page):
    picture(page).wait_for()
    page.locator("input[type=file]").set_input_files(
        {"name": "patients.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    )
    expect(page.get_by_role("heading", level=2)).to_have_text("patients.csv", timeout=PATIENCE)
    expect(page.get_by_text("outcome: ill 45, well 15")).to_be_visible(timeout=PATIENCE)
    sentence = page.locator("[data-testid=stMarkdown]", has_text="Arrows lead").inner_text()
    assert ":smile:" in sentence.replace("\u2060", "")  # a name, not a picture
    choose(page, "Class", "kind")
    expect(page.get_by_text("kind: p 30, q 30")).to_be_visible(timeout=PATIENCE)
    picture(page).wait_for()

    svg = taken(page, "SVG")
    assert svg.startswith(b"<svg")
    assert all(name.replace("<", "&lt;").replace(">", "&gt;") in svg.decode() for name in NAMES)
    assert taken(page, "PNG").startswith(b"\x89PNG\r\n\x1a\n")

    page.locator("input[type=file]").set_input_files(
        {"name": "broken.csv", "mimeType": "text/csv", "buffer": b"age,class\n1,a\n2,b,c\n"}
    )
    expect(page.get_by_role("alert")).to_contain_text("broken.csv", timeout=PATIENCE)
