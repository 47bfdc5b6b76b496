"""After the first page is drawn: load what other pages need, and spare later runs a look at all of it."""

import gc
from importlib import import_module
from threading import Timer

import streamlit as st

__all__ = ["settle"]

LATER = (
    "altair",
    "vl_convert",
    "pgm_nb.evaluate",
    "pgm_nb.explain",
    "pgm_nb.reports",
    "pgm_nb.inference.junction",
)
CALM = 3.0  # seconds after the first page, so that the browser gets what it still asks for


@st.cache_resource(show_spinner=False)
def settle() -> Timer:
    """Settle in the background, once per process.

    Streamlit collects garbage after every run, and with these libraries loaded a look at every object takes
    longer than most pages. What is loaded for good is therefore frozen: the collector passes it over.
    """
    gc.freeze()
    gc.enable()
    timer = Timer(CALM, _settle)
    timer.daemon = True
    timer.start()
    return timer


def _settle() -> None:
    for name in LATER:
        import_module(name)
    import_module("altair.utils.schemapi").disable_debug_mode()  # our charts are checked by our tests
    gc.collect()
    gc.freeze()
