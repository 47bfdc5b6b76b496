"""Charts with the numbers behind them."""

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.widgets.print_files import STEM, offer_prints
from pgm_nb.data.text import csv_text
from pgm_nb.files import file_stem
from pgm_nb.views.chart.look import typical_axis
from pgm_nb.words import scale

if TYPE_CHECKING:
    from pgm_nb.views.printing import PrintSize

__all__ = ["offer_numbers", "show_chart"]


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
        The channel, x or y, whose numbers are log-losses: while pages speak plainly, it is labelled with the
        probability that the true class typically gets.
    """
    wide = chart.properties(description=alternative, autosize={"type": "fit-x", "contains": "padding"})
    spec = wide.to_dict(validate=False)
    if loss and scale() is not None:
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
