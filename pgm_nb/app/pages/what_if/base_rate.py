"""How common the classes are where cases come from: a small control of What if and of Decisions.

Kept in the address as ``prior=malignant=0.01``, a piece for every class.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from pgm_nb.app.pages.what_if.case import Case
from pgm_nb.app.shell.address import keep_texts, put_texts
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.own_key import own_key, said_by
from pgm_nb.arrays import Floats
from pgm_nb.explain.population import in_population
from pgm_nb.words import percent

__all__ = ["PRIOR", "base_rates", "choose_base_rates", "keep_base_rates", "where_it_comes_from"]

PRIOR = "prior"
LEAST = 0.001  # percent: a class that is possible at all
FEW = 12  # classes whose base rates can be set here


def keep_base_rates(classes: Sequence[str]) -> None:
    """Keep the base rates in the address if they are of these classes."""
    texts = keep_texts(PRIOR, lambda text: _read(text, classes) is not None)
    if texts and _rates(texts, classes) is None:
        put_texts(PRIOR, [])


def where_it_comes_from(case: Case) -> Case:
    """Return the case in the population that was chosen."""
    return replace(case, analysis=in_population(case.analysis, base_rates(case.analysis.classes)))


def base_rates(classes: Sequence[str]) -> Mapping[str, float] | None:
    """Return the base rates that were chosen; None: as in the table."""
    return _rates(st.session_state.get(PRIOR, []), classes)


def choose_base_rates(classes: tuple[str, ...], shares: Floats) -> None:
    """Let the user say how common each class is where cases come from; `shares` are the present ones."""
    other = bool(st.session_state.get(PRIOR))
    if len(classes) > FEW:
        return
    with st.expander("Base rate" + (" (changed)" if other else ""), expanded=other):
        st.caption(
            "How common is each class where cases come from? What the values say stays the same, and the "
            "odds follow. At first it is as common as in the table."
        )
        set_here = classes[-1:] if len(classes) == 2 else classes
        for name in set_here:
            st.number_input(
                f"{literal(name)}, in %",
                min_value=LEAST,
                max_value=100 - LEAST,
                step=1.0,
                format="%0.4g",
                key=own_key(f"base rate of {name}", float(100 * shares[classes.index(name)])),
                on_change=safely(partial(_set, classes, tuple(shares.tolist()), name)),
            )
        if len(classes) == 2:
            st.caption(f"{literal(classes[0])}: {percent(float(shares[0]), digits=1)}.")
        else:
            st.caption("The others share what is left, as they did before.")
        st.button("As in the table", on_click=safely(_as_in_the_table), disabled=not other)


def _set(classes: tuple[str, ...], shares: tuple[float, ...], name: str) -> None:
    """Give one class its share; the others divide the rest in the proportions they had."""
    place, own = classes.index(name), float(said_by(f"base rate of {name}")) / 100
    rest = 1 - shares[place]
    rates = [own if i == place else (1 - own) * share / rest for i, share in enumerate(shares)]
    put_texts(PRIOR, [f"{label}={rate:.12g}" for label, rate in zip(classes, rates, strict=True)])


def _as_in_the_table() -> None:
    put_texts(PRIOR, [])


def _read(text: str, classes: Sequence[str]) -> tuple[str, float] | None:
    name, _, number = text.rpartition("=")
    try:
        share = float(number)
    except ValueError:
        return None
    return (name, share) if name in classes and 0 < share < 1 else None


def _rates(texts: Sequence[str], classes: Sequence[str]) -> Mapping[str, float] | None:
    """Return the base rates, scaled to one; None unless every class has one."""
    read = [_read(text, classes) for text in texts]
    rates = dict(pair for pair in read if pair is not None)
    if len(rates) < len(classes):
        return None
    total = sum(rates.values())
    return {name: rate / total for name, rate in rates.items()}
