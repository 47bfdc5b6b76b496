"""What a visitor waits for, measured in a browser: `python benchmarks/waiting.py [FILE CLASS]`.

First the first visit to a server that has just started, compared with a Streamlit page of one word, which
nothing can beat. The browser is already running, and its cache is empty. Then changes of the model, from the
click to the finished page, with a FILE also for that table; and clicks on the what-if page, from the click to
the new probability.
"""

import re
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from harness import Table
from playwright.sync_api import sync_playwright
from served import APP, served

ROUNDS = 5
IDLE = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
MODELS = ("Tree augmented naive Bayes (TAN)", "Hidden naive Bayes (HNB)", "Naive Bayes")
PICTURE = "svg g.node"


def first_visits(browser, command, complete):
    """Return median seconds to the title and to the complete page, for a first visitor."""
    seconds = []
    for _ in range(ROUNDS):
        with served(command) as port:
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            page = context.new_page()
            begun = time.perf_counter()
            page.goto(f"http://localhost:{port}", wait_until="commit")
            page.wait_for_selector("h2")
            title = time.perf_counter() - begun
            page.wait_for_selector(complete, state="attached")
            page.wait_for_selector(IDLE)
            seconds.append((title, time.perf_counter() - begun))
            context.close()
    return [statistics.median(column) for column in zip(*seconds, strict=True)]


def changes(browser, command, address):
    """Return seconds from a click on another model to the finished page with its picture."""
    with served(command) as port:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://localhost:{port}/{address}")
        page.wait_for_selector(PICTURE, state="attached")
        page.wait_for_timeout(10_000)  # until the server has settled
        drawn, seconds = page.locator("svg:has(g.node)").first, []
        for model in MODELS:
            before = drawn.inner_html()
            page.get_by_role("combobox", name="Model").click()
            option = page.get_by_role("option", name=model, exact=True)
            option.wait_for()
            begun = time.perf_counter()
            option.click()
            while drawn.inner_html() == before:
                page.wait_for_timeout(20)
            page.wait_for_selector(IDLE)
            seconds.append(time.perf_counter() - begun)
        page.close()
        return seconds


WATCH = """() => {  // when all probabilities on the page have changed, counted in the page itself
  const main = document.querySelector('[data-testid=stMain]');
  const roots = [main, ...[...main.querySelectorAll('*')].map((each) => each.shadowRoot).filter(Boolean)];
  const told = () => roots.map((root) => root.textContent);
  const look = (begun, before) => {
    if (told().every((text, k) => text !== before[k])) window.waited.push(performance.now() - begun);
    else requestAnimationFrame(() => look(begun, before));
  };
  main.addEventListener('click', () => look(performance.now(), told()), true);
  window.waited = [];
}"""


def clicks(browser):
    """Return milliseconds from a click on a value to new probabilities of the class and all attributes."""
    with served(APP) as port:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://localhost:{port}/what_if?sample=wdbc")
        page.get_by_role("button", name="class: malignant").wait_for()
        page.wait_for_timeout(10_000)
        page.evaluate(WATCH)
        for attribute in ("worst radius", "worst area", "worst perimeter", "mean radius", "mean area"):
            page.get_by_role("button", name=re.compile(f"^{attribute}: ")).nth(3).click()
            page.wait_for_timeout(1500)
        waited = page.evaluate("window.waited")
        page.close()
        return waited


def main(data):
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        bare = Path(folder) / "bare.py"
        bare.write_text("import streamlit as st\n\nst.header('hello')\n")
        bare_page = ("-m", "streamlit", "run", str(bare), "--server.headless=true", "--server.port={port}")
        rows = [
            (name, *(f"{seconds:.1f}" for seconds in first_visits(browser, command, complete)))
            for name, command, complete in (("one word", bare_page, "h2"), ("the app", APP, PICTURE))
        ]
        print(Table("First visit, seconds", ("page", "title", "complete"), rows).text())
        tables = [("wdbc", APP, "?sample=wdbc"), ("nursery", APP, "?sample=nursery")]
        if data:
            file, target = data
            tables.append((Path(file).name, (*APP[:3], file, "--class", target, *APP[3:]), ""))
        rows = [
            (name, *(f"{seconds:.1f}" for seconds in changes(browser, command, address)))
            for name, command, address in tables
        ]
        print(Table("A change of the model, seconds", ("table", "to TAN", "to HNB", "to NB"), rows).text())
        waited = clicks(browser)
        print(
            f"What if, 30 attributes, {len(waited)} clicks: median {statistics.median(waited):.0f} ms, "
            f"at most {max(waited):.0f} ms"
        )
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
