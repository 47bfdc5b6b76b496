"""Rows drawn from a model that scores cases: the class first, then one attribute after another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.engine.questions import draw_states
from pgm_nb.errors import QueryError
from pgm_nb.explain.next_measurement import AT_ONCE, Look

__all__ = ["IMPOSSIBLE", "drawn_rows"]

IMPOSSIBLE = "the evidence has probability zero; remove a part of it, or use smoothing"


def drawn_rows(
    look: Look,
    cases: Codes,
    logs: Floats,
    by_class: Floats,
    cards: Sequence[int],
    n: int,
    rng: np.random.Generator,
) -> tuple[Places, Codes]:
    """Draw rows, each attribute given the class and what is known or drawn before it.

    Parameters
    ----------
    look : callable
        Codes, (d, m) -> log of how likely they are, (m,), and the posterior of the class, (m, k), as in
        `Prospects`; a code equal to the number of states means unknown.
    cases : array (d, m)
        What may be known: one of these cases, the attributes in the order in which they are drawn.
    logs : array (m,)
        Log of what each of them is multiplied with, beside how likely it is.
    by_class : array (k,)
        What each class is multiplied with.
    cards : sequence of int
        Numbers of states.
    n : int
        How many rows.
    rng : Generator
        The source of chance.

    Returns
    -------
    y : array (n,)
        The class of every row.
    codes : array (d, n)
        The states of all attributes.

    Examples
    --------
    >>> def look(codes):  # a coin that shows the class
    ...     return np.zeros(codes.shape[1]), np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]])[codes[0]]
    >>> unknown = np.array([[2]], dtype=np.uint16)
    >>> y, codes = drawn_rows(look, unknown, np.zeros(1), np.ones(2), [2], 1000, np.random.default_rng(0))
    >>> (codes[0] == y).mean().round(1)
    np.float64(0.9)
    """
    with np.errstate(divide="ignore"):
        likely = _scores(look, cases) + logs[:, None] + np.log(by_class)
    if np.isneginf(likely).all():
        raise QueryError(IMPOSSIBLE)
    case, y = np.divmod(draw_states(np.tile(_shares(likely.reshape(1, -1)), (n, 1)), rng), len(by_class))
    codes = cases[:, case]
    for place, card in enumerate(cards):
        unknown = np.flatnonzero(codes[place] == card)
        if not unknown.size:
            continue
        alike, which = np.unique(np.vstack([codes[:, unknown], y[unknown]]), axis=1, return_inverse=True)
        asked = np.repeat(alike[:-1].astype(cases.dtype), card, axis=1)
        asked[place] = np.tile(np.arange(card), alike.shape[1])
        of_class = _scores(look, asked)[np.arange(asked.shape[1]), np.repeat(alike[-1], card)]
        codes[place, unknown] = draw_states(_shares(of_class.reshape(-1, card))[which.ravel()], rng)
    return y, codes


def _scores(look: Look, codes: Codes) -> Floats:
    """Return log of how likely the cases are with each class, (m, k), up to one constant."""
    parts = [look(codes[:, start : start + AT_ONCE]) for start in range(0, codes.shape[1], AT_ONCE)]
    with np.errstate(divide="ignore"):
        found: Floats = np.concatenate([logs[:, None] + np.log(posterior) for logs, posterior in parts])
    return found


def _shares(logs: Floats) -> Floats:
    """Return numbers in proportion to the exponentials of every row."""
    found: Floats = np.exp(logs - logs.max(axis=1, keepdims=True))
    return found
