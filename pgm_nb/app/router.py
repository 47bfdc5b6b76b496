"""Which page is shown: the one place that knows all of them."""

import streamlit as st

from pgm_nb.app.structure import structure_page

__all__ = ["route"]

STYLE = """
<style>
.stMainBlockContainer { padding: 2.75rem 3rem; max-width: 1280px; }
.stSidebar [data-testid="stSidebarHeader"] { height: 2.5rem; margin-bottom: 0; }
[data-testid="stMetricValue"] { font-size: 1.5rem; }
</style>
"""


def route() -> None:
    """Set the frame that all pages share, and run the page that was asked for."""
    st.set_page_config(
        page_title="Structure explorer · pgm_nb", page_icon="🍒", layout="wide", initial_sidebar_state=330
    )
    st.html(STYLE)
    pages = [st.Page(structure_page, title="Structure", url_path="structure", default=True)]
    st.navigation(pages, position="hidden" if len(pages) == 1 else "sidebar").run()
