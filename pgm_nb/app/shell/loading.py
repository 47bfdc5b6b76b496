"""Load libraries where nobody waits: while the browser starts, and after the first page is drawn."""

import gc
import socket
import sys
import time
from functools import cache
from importlib import import_module
from threading import Timer

__all__ = ["listened_to", "load_for_first_page", "load_for_other_pages"]

FIRST_PAGE = ("pandas", "pgm_nb.app.shell.screen")  # not the models: they would delay the title
OTHER_PAGES = (
    "altair",
    "vl_convert",
    "pgm_nb.evaluate",
    "pgm_nb.explain",
    "pgm_nb.reports",
    "pgm_nb.inference.junction",
)
SWITCH_INTERVAL = 0.001  # seconds after which loading makes way for the server
DELAY = 3.0  # seconds after the first page, so that the browser gets what it still asks for


def load_for_first_page(port: int, patience: float = 30.0) -> None:
    """Load what the first page needs while the browser loads Streamlit's own files from the server."""
    deadline = time.monotonic() + patience
    while not listened_to(port) and time.monotonic() < deadline:
        time.sleep(0.02)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        for name in FIRST_PAGE:
            import_module(name)
    finally:
        sys.setswitchinterval(usual)


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
    for name in OTHER_PAGES:
        import_module(name)
    import_module("altair.utils.schemapi").disable_debug_mode()  # our tests check our charts
    gc.collect()
    gc.freeze()
