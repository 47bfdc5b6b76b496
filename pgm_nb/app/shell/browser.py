"""Open the app in a browser, and go on where there is none."""

import os
import subprocess
import sys
import time
import webbrowser
from shutil import which

from pgm_nb.app.shell.loading import listened_to

__all__ = ["open_browser"]

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")  # without any of them a browser would take the terminal
OPENERS = {"darwin": "open", "linux": "xdg-open"}
NO_BROWSER = "No browser can be opened here: open the address in one yourself."


def open_browser(port: int, patience: float = 30.0) -> None:
    """Open the app once it listens, and say what to do where no browser can be opened.

    Streamlit would open it while it starts, and end where that fails or a browser of the terminal comes up.
    """
    deadline = time.monotonic() + patience
    while not listened_to(port) and time.monotonic() < deadline:
        time.sleep(0.02)
    if not _opened(f"http://localhost:{port}"):
        print(NO_BROWSER, flush=True)


def _opened(address: str) -> bool:
    """Try to open a browser window; says whether there was a way."""
    if sys.platform not in ("win32", "darwin") and not any(map(os.environ.get, SCREENS)):
        return False
    opener = which(OPENERS.get(sys.platform, ""))
    try:
        if opener and not os.environ.get("BROWSER"):
            nowhere = subprocess.DEVNULL  # browsers talk
            subprocess.Popen([opener, address], stdin=nowhere, stdout=nowhere, stderr=nowhere)
            return True
        return webbrowser.open(address)
    except (OSError, webbrowser.Error):
        return False
