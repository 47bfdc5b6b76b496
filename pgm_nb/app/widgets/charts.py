"""Charts with the numbers behind them."""

from typing import Any

import pandas as pd
import streamlit as st

from pgm_nb.data.text import csv_text

__all__ = ["offer_numbers", "show_chart"]


def show_chart(chart: Any, data: pd.DataFrame, name: str, alternative: str) -> None:
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
    """
    wide = chart.properties(description=alternative, autosize={"type": "fit-x", "contains": "padding"})
    st.vega_lite_chart(wide.to_dict(validate=False), width="stretch", key=f"chart {name}")
    offer_numbers(data, name, "The numbers behind this chart, for a spreadsheet.")


def offer_numbers(data: pd.DataFrame, name: str, help: str) -> None:
    """Offer numbers that the page shows as a file of that name, without its ending."""
    st.download_button(
        "Numbers as CSV",
        csv_text(data).encode(),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=f"numbers {name}",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help=help,
    )
