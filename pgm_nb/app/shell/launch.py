"""Start the web app from the command line, on this machine only; hand the data over to its pages."""

import gc
import os
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

from pgm_nb.app.shell.browser import open_browser
from pgm_nb.app.shell.loading import listened_to, load_for_first_page
from pgm_nb.errors import FileError, needed

__all__ = ["FLAGS", "HOSTS", "launch", "started_with"]

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
