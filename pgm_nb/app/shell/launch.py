"""Start the web app from the command line, on this machine only."""

import gc
import socket
import sys
import time
from importlib import import_module
from pathlib import Path
from threading import Thread

from pgm_nb.app.shell.started_with import hand_over
from pgm_nb.errors import FileError

__all__ = ["FLAGS", "launch"]

FLAGS = {  # what .streamlit/config.toml says in a checkout
    "server.address": "localhost",
    "server.showEmailPrompt": "false",
    "server.maxUploadSize": "200",
    "server.fileWatcherType": "none",  # nobody edits the program while it runs
    "browser.gatherUsageStats": "false",
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",  # visitors see sentences; what went wrong is in the log
    "logger.hideWelcomeMessage": "true",  # and with it Streamlit's advice to developers
    "theme.light.primaryColor": "#2c5d8f",
    "theme.dark.primaryColor": "#7fb2e5",
}
AHEAD = ("pandas", "pgm_nb.app.shell.screen")  # not the models: the title would come later
OFTEN = 0.001  # seconds after which loading makes way for the server


def launch(
    data: str | None = None, target: str | None = None, *, port: int | None = None, browser: bool = True
) -> int:
    """Run the app until it is stopped; returns the exit code.

    Parameters
    ----------
    data
        A file, or the name of a sample, to open first.
    target
        Its class column.
    port
        Port on this machine; None takes 8501, or the next free one.
    browser
        Open a browser window.
    """
    from streamlit.web import cli

    hand_over(data, target)
    port = free_port() if port is None else port
    gc.disable()  # it would look at every library as it is loaded; `settle` enables it again
    Thread(target=load_ahead, args=(port,), daemon=True).start()
    print(f"The app is at http://localhost:{port} (Ctrl+C stops it)", flush=True)
    cli.main(arguments(port=port, browser=browser), standalone_mode=False)
    return 0


def free_port(first: int = 8501) -> int:
    """Return the first port of this machine from `first` on that nobody listens on.

    Examples
    --------
    >>> free_port(8501) >= 8501
    True
    """
    for port in range(first, first + 100):
        if not _listened_to(port):
            return port
    raise FileError(f"ports {first} to {first + 99} are all taken; name a free one with --port")


def arguments(*, port: int, browser: bool) -> list[str]:
    """Return the arguments for Streamlit's own command line.

    Examples
    --------
    >>> arguments(port=8600, browser=False)[-2:]
    ['--server.headless=true', '--server.port=8600']
    """
    flags = {**FLAGS, "server.headless": str(not browser).lower(), "server.port": str(port)}
    front_door = Path(__file__).with_name("front_door.py")
    return ["run", str(front_door), *(f"--{name}={value}" for name, value in flags.items())]


def load_ahead(port: int, patience: float = 30.0) -> None:
    """Load what the first page needs while the browser loads Streamlit's own files from the server."""
    deadline = time.monotonic() + patience
    while not _listened_to(port) and time.monotonic() < deadline:
        time.sleep(0.02)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN)
    try:
        for name in AHEAD:
            import_module(name)
    finally:
        sys.setswitchinterval(usual)


def _listened_to(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("localhost", port)) == 0
