"""Start the web app on this machine, open it in a browser, and load libraries where nobody waits."""

import gc
import os
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from shutil import which
from threading import Thread, Timer

from pgm_nb.errors import FileError, needed
from pgm_nb.views.native import start_drawing

__all__ = [
    "FLAGS",
    "HOSTS",
    "launch",
    "listened_to",
    "load_for_first_page",
    "load_for_other_pages",
    "open_browser",
    "started_with",
    "wait_for_server",
]

DATA_VARIABLE, CLASS_VARIABLE = "PGM_NB_DATA", "PGM_NB_CLASS"  # of the environment, read by the pages
HOSTS = ("localhost", "127.0.0.1", "::1")  # names of this machine, by which a browser may ask
FLAGS = {  # what .streamlit/config.toml says in a checkout
    "server.address": "localhost",
    "server.headless": "true",  # the command opens the browser, and goes on where there is none
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
FIRST_PAGE = ("pandas", "pgm_nb.app.shell.screen")  # not the models: they would delay the title
OTHER_PAGES = (
    "altair",
    "pgm_nb.evaluate",
    "pgm_nb.explain",
    "pgm_nb.reports",
    "pgm_nb.engine.junction",
)
SWITCH_INTERVAL = 0.001  # seconds after which loading makes way for the server
PATIENCE = 600.0  # seconds after which a server that does not listen has failed
DELAY = 3.0  # seconds after the first page, so that the browser gets what it still asks for
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")  # without any of them a browser would take the terminal
OPENERS = {"darwin": "open", "linux": "xdg-open"}
NO_BROWSER = "No browser can be opened here: open the address in one yourself."


def launch(
    data: str | None = None,
    target: str | None = None,
    *,
    port: int | None = None,
    browser: bool = True,
    address: str | None = None,
    hosts: Sequence[str] = (),
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
    address
        Where to listen; None is this machine only.
    hosts
        Names under which the app is reached besides those of this machine, as a proxy passes them on. A page
        of another site that points its own name at this machine is refused by its name.
    """
    with needed("streamlit", "the web app", "the library and the other commands work without it"):
        from streamlit.web import cli

    _leave_a_home_that_cannot_be_read()
    _hand_over(data, target)
    port = free_port() if port is None else port
    gc.disable()  # it would look at every library as it is loaded; `load_for_other_pages` enables it again
    Thread(target=load_for_first_page, args=(port,), daemon=True).start()
    print(f"The app is at http://localhost:{port} (Ctrl+C stops it)", flush=True)
    if browser:
        Thread(target=open_browser, args=(port,), daemon=True).start()
    cli.main(arguments(port=port, address=address, hosts=hosts), standalone_mode=False)
    return 0


def _leave_a_home_that_cannot_be_read() -> None:
    """Let Streamlit look for its settings where there are none; it would not start if it may not look."""
    try:
        (Path.home() / ".streamlit" / "config.toml").stat()
    except FileNotFoundError:
        pass
    except (OSError, RuntimeError):  # another user's home, or a user without one
        for variable in ("HOME", "USERPROFILE"):
            os.environ[variable] = str(Path(__file__).with_name("no home"))


def free_port(first: int = 8501) -> int:
    """Return the first port of this machine from `first` on that nobody listens on.

    Examples
    --------
    >>> free_port(8501) >= 8501
    True
    """
    for port in range(first, first + 100):
        if not listened_to(port):
            return port
    raise FileError(f"ports {first} to {first + 99} are all taken; name a free one with --port")


def arguments(*, port: int, address: str | None = None, hosts: Sequence[str] = ()) -> list[str]:
    """Return the arguments for Streamlit's own command line.

    Examples
    --------
    >>> arguments(port=8600)[-1]
    '--server.port=8600'
    """
    flags = [*FLAGS.items(), *(("server.allowedHosts", host) for host in (*HOSTS, *hosts))]
    flags += [("server.address", address)] if address else []
    flags += [("server.port", str(port))]
    script = Path(__file__).with_name("main_script.py")
    return ["run", str(script), *(f"--{name}={value}" for name, value in flags)]


def _hand_over(data: str | None, target: str | None) -> None:
    """Put the data and the class column into the environment, in place of any from before."""
    for variable, value in ((DATA_VARIABLE, data), (CLASS_VARIABLE, target)):
        os.environ.pop(variable, None)
        if value is not None:
            os.environ[variable] = value


def started_with() -> tuple[str | None, str | None]:
    """Return the data and the class column that the app was started with; None for what was not named."""
    return os.environ.get(DATA_VARIABLE), os.environ.get(CLASS_VARIABLE)


def load_for_first_page(port: int) -> None:
    """Load what the first page needs while the browser loads Streamlit's own files from the server."""
    wait_for_server(port)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        for name in FIRST_PAGE:
            import_module(name)
    finally:
        sys.setswitchinterval(usual)
    start_drawing()


def wait_for_server(port: int) -> None:
    """Wait until the app listens on its port; however slow the machine is, a browser must not come first."""
    deadline = time.monotonic() + PATIENCE
    while not listened_to(port) and time.monotonic() < deadline:
        time.sleep(0.02)


def listened_to(port: int) -> bool:
    """Say whether a program on this machine listens on a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("localhost", port)) == 0


@cache
def load_for_other_pages() -> Timer:
    """Load what the other pages need in the background, once per process.

    Streamlit collects garbage after every run, and with these libraries loaded a look at every object takes
    longer than most pages. Everything loaded so far is therefore frozen: the collector passes it over.
    """
    gc.freeze()
    gc.enable()
    timer = Timer(DELAY, _load_and_freeze)
    timer.daemon = True
    timer.start()
    return timer


def _load_and_freeze() -> None:
    start_drawing()
    for name in OTHER_PAGES:
        import_module(name)
    import_module("altair.utils.schemapi").disable_debug_mode()  # our tests check our charts
    gc.collect()
    gc.freeze()


def open_browser(port: int) -> None:
    """Open the app once it listens, and say what to do where no browser can be opened.

    Streamlit would open it while it starts, and end where that fails or a browser of the terminal comes up.
    """
    wait_for_server(port)
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
