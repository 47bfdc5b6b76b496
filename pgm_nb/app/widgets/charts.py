"""Charts with the numbers behind them, and tables about many classes."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.widgets.downloads import STEM, offer_prints
from pgm_nb.data.text import csv_text
from pgm_nb.files import file_stem
from pgm_nb.views.chart.look import typical_axis
from pgm_nb.words import plural

if TYPE_CHECKING:
    from pgm_nb.views.printing import PrintSize

__all__ = ["MOST_SHOWN", "confusions", "offer_numbers", "show_chart", "show_folded"]

MOST_SHOWN = 8  # classes that a page shows at once


def show_chart(chart: Any, data: pd.DataFrame, name: str, alternative: str, *, loss: str = "") -> None:
    """Show an Altair chart over the width of the page, with its data as a file to download.

    Parameters
    ----------
    chart
        The chart; numbers are shown where the pointer rests.
    data
        The numbers behind it.
    name
        Name of the file, without its ending.
    alternative
        What the chart shows, for those who cannot see it.
    loss
        The channel, x or y, whose numbers are log-losses to be labelled with the probability that the true
        class typically gets.
    """
    wide = chart.properties(description=alternative, autosize={"type": "fit-x", "contains": "padding"})
    spec = wide.to_dict(validate=False)
    if loss:
        typical_axis(spec, loss)
    st.vega_lite_chart(spec, width="stretch", key=f"chart {name}")
    with st.container(horizontal=True, vertical_alignment="center"):
        offer_numbers(data, name, "The numbers behind this chart, for a spreadsheet.")
        offer_prints(partial(_printed, spec), name)


def _printed(spec: dict[str, Any], format: str, size: "PrintSize") -> bytes:
    from pgm_nb.views.printing import print_chart

    return print_chart(spec, format, size)


def offer_numbers(data: pd.DataFrame, name: str, help: str) -> None:
    """Offer numbers that the page shows as a file of that name, without its ending."""
    st.download_button(
        "Numbers as CSV",
        csv_text(data).encode(),
        file_name=f"{file_stem(st.session_state.get(STEM, ''), name)}.csv",
        mime="text/csv",
        key=f"numbers {name}",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help=help,
    )


def show_folded(table: pd.DataFrame, show: Callable[[pd.DataFrame], object]) -> None:
    """Show the first classes of a table, and the rest of them in an expander; `show` draws a table."""
    if len(table) <= MOST_SHOWN + 1:  # one row alone is not worth a click
        show(table)
        return
    show(table.head(MOST_SHOWN))
    with st.expander(f"The other {plural(len(table) - MOST_SHOWN, 'class', 'classes')}"):
        show(table.iloc[MOST_SHOWN:])


def confusions(table: pd.DataFrame) -> pd.DataFrame:
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
    counts = table.to_numpy()
    pairs = [
        (str(true), str(decided), int(counts[row, place]))
        for row, true in enumerate(table.index)
        for place, decided in enumerate(table.columns)
        if str(true) != str(decided) and counts[row, place]
    ]
    pairs.sort(key=lambda pair: -pair[2])
    return pd.DataFrame(pairs, columns=["true class", "decided", "rows"])
