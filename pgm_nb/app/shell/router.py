"""Which page is shown, and the frame that all pages share."""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.pages import DETAILS, FIRST, PAGES, Page, page_named
from pgm_nb.app.shell.address import begin, current, keep, leave_unread, publish
from pgm_nb.app.shell.launch import load_for_other_pages
from pgm_nb.app.shell.table_choice import choose_table
from pgm_nb.app.widgets.clicks import calmly
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.tour import show_tour
from pgm_nb.words import GLOSSARY, SAMPLE_TITLES, SCORES, together

if TYPE_CHECKING:
    from pgm_nb.app.shell.screen import Screen

__all__ = ["route"]

STYLE = """
<style>
.stMainBlockContainer { padding: 4.25rem 3rem 3rem; max-width: 1280px; }
[data-testid="stMain"] { scroll-padding: 5rem 0 1rem; }  /* what gets the focus is not under the menu */
[data-testid="stBaseButton-tertiary"] p { text-align: left; }
[data-testid="stCaptionContainer"] { opacity: 0.78; }  /* dark enough to read */
[data-testid="stBaseButton-primary"], [data-tag] { color: light-dark(#ffffff, #10202f); }
.stSidebar [data-testid="stSidebarHeader"] { height: 2.5rem; margin-bottom: 0; }
[data-testid="stMetricValue"] { font-size: 1.5rem; }
[data-testid="stFileChip"][aria-invalid="true"] { flex-wrap: wrap; height: auto; }
[data-testid="stFileChip"] [role="alert"] {  /* why a file is refused: Streamlit shows it only on hover */
  position: static; width: 100%; height: auto; margin: 0; clip: auto; clip-path: none; white-space: normal;
  padding: 0 0.5rem 0.5rem; font-size: 0.875rem;
}
@media (max-width: 640px) { .stMainBlockContainer { padding: 4rem 1rem 3rem; } }
@media (hover: none) {  /* there the buttons of a table are always shown, above it: not over the text */
  [data-testid="stElementContainer"]:has([data-testid="stElementToolbar"]) { margin-top: 1.75rem; }
}
.pgm-nb-answers { margin: -0.6rem 0 0; opacity: 0.85; }
</style>
"""


def route(first: str = FIRST) -> None:
    """Set the frame that all pages share, and run the page that was asked for; `first` opens at the root."""
    st.set_page_config(
        page_title="Structure explorer · pgm_nb", page_icon="🍒", layout="wide", initial_sidebar_state=330
    )
    st.html(STYLE)
    opened: list[Screen] = []
    root = page_named(first)
    pages = {
        page.name: st.Page(
            partial(_show, page, opened),
            title=page.title,
            url_path="root" if page is root else page.name,
            default=page is root,
        )
        for page in PAGES
    }
    named = st.Page(lambda: None, title=root.title, url_path=first, visibility="hidden")
    page = st.navigation([*pages.values(), named], position="top")
    st.session_state["pages"] = pages  # for a page that leads to another
    if page is named:  # the first page can be asked for by its name too
        st.switch_page(pages[first], query_params=current())
    begin(page.title)
    end = publish
    with calmly():
        with st.sidebar:
            table = choose_table()
        st.header(literal(table.title), anchor=False)  # before pandas and the models are loaded
        if table.lost:
            st.info(literal(table.lost), icon=":material/upload_file:")
            end = leave_unread
        else:
            shown = next(each for each in PAGES if each.title == page.title)
            _show_answers(shown)
            show_tour(shown, PAGES, offered=shown is root and table.name in SAMPLE_TITLES)
            with st.sidebar:
                opened.append(import_module("pgm_nb.app.shell.screen").open_screen(table))
            page.run()
            if not shown.explains_words:
                _show_words()
    end()
    load_for_other_pages()


def _show_answers(page: Page) -> None:
    """Say what the page answers, and offer the numbers behind it."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.html(f'<p class="pgm-nb-answers">{page.answers}</p>', width="content")
        keep(DETAILS, [False, True], False)  # it holds on every page, also where it is not shown
        if page.words:
            st.toggle(
                "Show the numbers behind it",
                key=DETAILS,
                help="Adds bits, log-odds and KL divergence, with what these words mean. Without it, "
                "percentages are shares of what the best tree captures, or of what there is to know about "
                "the class.",
                width="content",
            )
    if st.session_state[DETAILS] and page.words:
        st.caption("  \n".join(f"**{word}**: {(GLOSSARY | SCORES)[word]}" for word in page.words))


def _show_words() -> None:
    """Explain the terms, for whoever asks."""
    with st.expander("What the words mean"):
        st.markdown("\n".join(f"- **{word}**: {meaning}" for word, meaning in (GLOSSARY | SCORES).items()))


def _show(page: Page, opened: "list[Screen]") -> None:
    """Draw a page, or say what it needs."""
    [screen] = opened
    if not screen.has_table and page.rows:
        others = together([other.title for other in PAGES if not other.rows])
        st.info(
            f"{page.rows}, but this is a saved model without its table. Upload the table on the left. "
            f"{others} need only the model."
        )
    elif screen.unnamed:
        import_module("pgm_nb.app.pages.data.repairs").show_same_names(screen)
    elif screen.target is None and page.needs_class:
        st.info("Which column is the class? Choose it on the left.")
    elif not page.needs_class:
        page.show(screen)
    else:
        with import_module("pgm_nb.app.pages.data.repairs").repairable(screen):
            page.show(screen)
