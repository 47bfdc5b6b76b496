"""Find a Chromium for the browser tests, or install one; say plainly how it went.

Run by ``make test``. Under CI (the CI variable is set) having no browser is a failure.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """Path of a browser: one on the machine, else Playwright's own, else None."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> None:
    """Debian's package when we may install it, otherwise Playwright's own download."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("No browser found: installing Debian's chromium ...", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "--yes", "chromium", "fonts-liberation"]):
            subprocess.run(["apt-get", "-qq", *command], env=quiet, check=False, stdout=subprocess.DEVNULL)
        if find():
            return
    print("No browser found: asking Playwright for its own ...", flush=True)
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def main() -> int:
    """Return 0 when there is a browser, or when none is not a failure."""
    if find() is None:
        install()
    path = find()
    if path is not None:
        print(f"Browser tests will use {path}")
        return 0
    print(
        "NO BROWSER: none was found and none could be installed, so the browser tests cannot run.\n"
        "Install Chromium (for example: apt-get install chromium) and run make test again.",
        file=sys.stderr,
    )
    return 1 if os.environ.get("CI") else 0


if __name__ == "__main__":
    sys.exit(main())
