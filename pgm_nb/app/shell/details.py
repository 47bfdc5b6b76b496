"""One switch for the whole app: plain words and percentages, or also the numbers behind them.

Without it, amounts of information are shares: of what the best tree captures, or of everything there is to
know about the class. With it they are bits, log-odds and KL divergence, and the words are explained.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from math import isfinite
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.words import GLOSSARY, SAME_BITS, SCORES, Scale, as_shares

if TYPE_CHECKING:
    from pgm_nb.app.shell.screen import Screen

__all__ = ["WORDS", "choose_details", "detailed", "in_force", "keep_details", "page_words", "set_scale"]

KEY = "details"
_SCALE = "what amounts are shares of"
WORDS = {  # pages -> the words that their numbers need
    "data": ("bits",),
    "structure": ("bits", "weight", "KL divergence"),
    "growth": ("bits", "weight", "KL divergence"),
    "fit": ("bits", "weight", "KL divergence", "log-loss"),
    "features": ("bits", "log-loss"),
    "what_if": ("log-odds", "bits"),
    "cases": ("log-odds",),
    "compare": ("log-loss", "p-value"),
}


def keep_details() -> None:
    """Keep what the switch says on a page that has no use for it."""
    keep(KEY, [False, True], False)


def choose_details() -> None:
    """Show the switch; it holds on every page."""
    keep_details()
    st.toggle(
        "Show the numbers behind it",
        key=KEY,
        help="Adds bits, log-odds and KL divergence, with what these words mean. Without it, percentages are "
        "shares of what the best tree captures, or of what there is to know about the class.",
        width="content",
    )


def detailed() -> bool:
    """Return whether the numbers behind the words are shown."""
    return bool(st.session_state.get(KEY, False))


def page_words(page: str) -> str:
    """Return what the words of a page mean, as Markdown; nothing while its numbers are plain."""
    meanings = GLOSSARY | SCORES
    said = [f"**{word}**: {meanings[word]}" for word in WORDS.get(page, ())]
    return "  \n".join(said) if detailed() else ""


def set_scale(screen: "Screen") -> None:
    """Let amounts be shares of what this table and model have, from now on."""
    st.session_state[_SCALE] = Scale(cache(partial(_whole, screen)), cache(partial(_of_class, screen)))


@contextmanager
def in_force() -> Iterator[None]:
    """Write amounts inside as the switch says; a fragment runs without the page, so it asks again."""
    with as_shares(None if detailed() else st.session_state.get(_SCALE)):
        yield


def _whole(screen: "Screen") -> float:
    """Return what the best tree captures; of a saved model that does not know it, what attributes say."""
    from pgm_nb.app.shell.fitting import learn

    known = "fitted" in vars(screen) or not screen.has_table
    model = (screen.fitted if known else learn(screen.source, screen.settings.for_structure())).model
    numbers = model.divergence_
    if numbers is None and screen.has_table:
        numbers = learn(screen.source, screen.settings.for_best_tree()).model.divergence_
    if numbers is None:
        return max(float(model.importance_["gain"].sum()), SAME_BITS)
    searched = isfinite(numbers.weight_best)
    return max(float(numbers.weight_best if searched else numbers.weight), SAME_BITS)


def _of_class(screen: "Screen") -> float:
    """Return the entropy of the class."""
    import numpy as np

    if screen.has_table:  # before anything is learned
        rates = screen.frame[screen.settings.target].value_counts(normalize=True).to_numpy(dtype=float)
    else:
        rates = np.exp(screen.fitted.model.class_log_prior_)
    rates = rates[rates > 0]
    return max(float(-(rates * np.log2(rates)).sum()), SAME_BITS)
