"""What a visitor sees when something goes wrong: a sentence, never a traceback."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pgm_nb.app.shell.details import in_force
from pgm_nb.app.shell.work import Waiting
from pgm_nb.app.widgets.clicks import apology, went_wrong
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.errors import PgmNbError

__all__ = ["UNEXPECTED", "calmly"]

UNEXPECTED = "This part of the page could not be drawn"  #: how the sentence begins that hides a traceback
LOG = logging.getLogger(__name__)


@contextmanager
def calmly() -> Iterator[None]:
    """Draw what is inside; say in one sentence why it cannot be drawn, and what to do.

    Our own errors say it themselves. Of any other the log of the server has the traceback, and the page a
    number by which it is found there. What went wrong in the click before stands above.
    """
    for sentence in went_wrong():
        st.error(literal(sentence))
    try:
        with in_force():
            yield
    except PgmNbError as error:
        st.error(literal(str(error)))
    except Waiting:  # the page has a bar that will draw it anew
        pass
    except Exception:
        LOG.exception("unexpected error %s", number := secrets.token_hex(3))
        st.error(apology(UNEXPECTED, number))
