"""Start the web app from the command line, on this machine only."""

import os
from importlib import import_module
from pathlib import Path
from threading import Thread

from pgm_nb.app.sources import CLASS_VARIABLE, DATA_VARIABLE

__all__ = ["FLAGS", "launch"]

FLAGS = {  # what .streamlit/config.toml says in a checkout
    "server.address": "localhost",
    "server.showEmailPrompt": "false",
    "server.maxUploadSize": "200",
    "browser.gatherUsageStats": "false",
    "client.toolbarMode": "minimal",
    "theme.light.primaryColor": "#2c5d8f",
    "theme.dark.primaryColor": "#7fb2e5",
}


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

    for variable, value in ((DATA_VARIABLE, data), (CLASS_VARIABLE, target)):
        os.environ.pop(variable, None)
        if value is not None:
            os.environ[variable] = value
    Thread(target=import_module, args=("pgm_nb.models",), daemon=True).start()  # while the browser opens
    cli.main(arguments(port=port, browser=browser), standalone_mode=False)
    return 0


def arguments(*, port: int | None, browser: bool) -> list[str]:
    """Return the arguments for Streamlit's own command line.

    Examples
    --------
    >>> arguments(port=8600, browser=False)[-2:]
    ['--server.headless=true', '--server.port=8600']
    """
    flags = {**FLAGS, "server.headless": str(not browser).lower()}
    if port is not None:
        flags["server.port"] = str(port)
    front_door = Path(__file__).with_name("front_door.py")
    return ["run", str(front_door), *(f"--{name}={value}" for name, value in flags.items())]
