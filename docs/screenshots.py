"""Photograph the app for the README, in a real browser: part of ``make pictures``."""

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "browser"))
IDLE = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
FLAGS = ["--no-sandbox", "--disable-gpu"]
GIVEN = ("worst radius=17", "worst texture=28", "worst concave points=0.14")
SHOTS = {  # picture -> page, what is chosen on it, height
    "app-structure": ("", [("at", "mean concavity")], 940),
    "app-growth": ("growth", [("step", "12")], 900),
    "app-what-if": ("what_if", [("given", one) for one in GIVEN], 1400),
}
PATIENCE = 120  # seconds


def main() -> None:
    """Start the app, take every picture, and stop it."""
    from install import find

    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "pgm_nb.cli", "app", "--no-browser", "--port", str(port)]
    app = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://localhost:{port}/_stcore/health")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find(), args=FLAGS)
            for name, (page, chosen, height) in SHOTS.items():
                window = browser.new_page(viewport={"width": 1440, "height": height})
                query = urlencode([("sample", "wdbc"), *chosen])
                window.goto(f"http://localhost:{port}/{page}?{query}")
                window.wait_for_selector("h2", timeout=1000 * PATIENCE)
                window.wait_for_timeout(8_000)  # charts and pictures follow the page
                window.wait_for_selector(IDLE, timeout=1000 * PATIENCE)
                window.screenshot(path=HERE / f"{name}.png")
            browser.close()
    finally:
        app.terminate()
        app.wait(10)


def wait_for(url: str) -> None:
    """Wait until the app answers."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"nothing answers at {url}")


if __name__ == "__main__":
    main()
