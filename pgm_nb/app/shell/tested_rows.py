"""How many rows of a large table are tested: a part drawn at random, unless all are asked for."""

import streamlit as st

from pgm_nb.app.shell.address import keep

__all__ = ["MOST_ROWS", "choose_rows"]

MOST_ROWS = 5_000  # that are tested without being asked to
KEY, PART, ALL = "tested", "part", "all"


def choose_rows(n_rows: int) -> int | None:
    """Let the user choose how many rows of a large table are tested; None: all of them."""
    if n_rows <= MOST_ROWS:
        return None
    keep(KEY, [PART, ALL], PART)
    labels = {
        PART: f"{MOST_ROWS:,} rows, drawn at random",
        ALL: f"All {n_rows:,} rows (slow)",
    }
    chosen = st.radio(
        "Rows that are tested",
        [PART, ALL],
        key=KEY,
        format_func=labels.__getitem__,
        horizontal=True,
        help="The rows are drawn once, by a fixed seed, and every class keeps its share. More rows give "
        "steadier numbers, and models that need many rows do better with all of them.",
    )
    return MOST_ROWS if chosen == PART else None
