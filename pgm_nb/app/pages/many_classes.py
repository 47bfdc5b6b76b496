"""Tables about many classes: the ones that matter most first, the rest folded."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.words import plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_SHOWN", "confusions", "show_folded"]

MOST_SHOWN = 8  # classes that a page shows at once


def show_folded(table: "pd.DataFrame", show: "Callable[[pd.DataFrame], object]") -> None:
    """Show the first classes of a table, and the rest of them in an expander; `show` draws a table."""
    if len(table) <= MOST_SHOWN + 1:  # one row alone is not worth a click
        show(table)
        return
    show(table.head(MOST_SHOWN))
    with st.expander(f"The other {plural(len(table) - MOST_SHOWN, 'class', 'classes')}"):
        show(table.iloc[MOST_SHOWN:])


def confusions(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return which wrong decisions are commonest: the true class, what was decided, and in how many rows.

    Parameters
    ----------
    table
        Rows counted by the true class (down) and the decided one (across).

    Examples
    --------
    >>> import pandas as pd
    >>> confusions(pd.DataFrame([[5, 1], [2, 7]], index=["a", "b"], columns=["a", "b"]))
      true class decided  rows
    0          b       a     2
    1          a       b     1
    """
    import pandas as pd

    counts = table.to_numpy()
    pairs = [
        (str(true), str(decided), int(counts[row, place]))
        for row, true in enumerate(table.index)
        for place, decided in enumerate(table.columns)
        if str(true) != str(decided) and counts[row, place]
    ]
    pairs.sort(key=lambda pair: -pair[2])
    return pd.DataFrame(pairs, columns=["true class", "decided", "rows"])
