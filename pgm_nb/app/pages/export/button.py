"""A button for a file that is made when it is asked for."""

from collections.abc import Callable

import streamlit as st

__all__ = ["offer"]


def offer(label: str, make: Callable[[], bytes], name: str, mime: str, help: str) -> None:
    """Show a button for a file that is made when it is asked for."""
    st.download_button(
        label, make, file_name=name, mime=mime, key=f"file {name}", help=help, on_click="ignore"
    )
