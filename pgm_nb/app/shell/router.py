"""Which page is shown: the one place that knows all of them."""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.shell.address import begin, current, leave_unread, publish
from pgm_nb.app.shell.calm import calmly
from pgm_nb.app.shell.details import WORDS, choose_details, in_force, keep_details, page_words, set_scale
from pgm_nb.app.shell.loading import load_for_other_pages
from pgm_nb.app.shell.table_choice import choose_table
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.tour import show_tour
from pgm_nb.words import GLOSSARY, SAMPLE_TITLES, SCORES

if TYPE_CHECKING:
    from pgm_nb.app.shell.screen import Screen

__all__ = ["PAGES", "route"]

PAGES = {  # modules of pgm_nb.app.pages, in the order of the menu -> their titles
    "data": "Data",
    "structure": "Structure",
    "growth": "Growth",
    "fit": "Fit",
    "features": "Features",
    "what_if": "What if",
    "cases": "Cases",
    "decisions": "Decisions",
    "compare": "Compare",
    "export": "Export",
}
ANSWERS = {  # pages -> what they answer, in one line
    "data": "What is in the table, and what each column becomes before a model learns from it.",
    "structure": "Which attributes depend on each other, and which say most about the class.",
    "growth": "How the structure was found, step by step, and what came second each time.",
    "fit": "How much of the table each structure captures, and how well each model predicts new rows.",
    "features": "Which attributes matter for the class, and how few are enough.",
    "what_if": "What follows for a case when some of its values are known, and why.",
    "cases": "Which rows the model gets wrong, and why.",
    "decisions": "From which probability on to act, when mistakes have their prices.",
    "compare": "Which model predicts best on this table, and whether its lead is more than chance.",
    "export": "What to take away: a report, pictures for print, the model, the project, predictions.",
}
NEED_ROWS = {  # pages that a saved model alone cannot show -> what they need rows for
    "data": "This page shows the columns and values of a table",
    "fit": "This page says how much of a table each structure captures",
    "features": "This page measures on the rows of a table which attributes matter",
    "cases": "This page goes through the rows of a table",
    "decisions": "This page counts on the rows of a table what a threshold finds and misses",
    "compare": "This page tests models on the rows of a table",
}
OWN_WORDS = ("structure",)  # pages that explain their words themselves
FIRST = "structure"
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
    pages = {
        name: st.Page(partial(_show, name, opened), title=title, url_path=name)
        for name, title in PAGES.items()
        if name != first
    }
    root = st.Page(partial(_show, first, opened), title=PAGES[first], url_path="root", default=True)
    named = st.Page(lambda: None, title=PAGES[first], url_path=first, visibility="hidden")
    page = st.navigation([*(pages.get(name, root) for name in PAGES), named], position="top")
    st.session_state["pages"] = {**pages, first: root}  # for a page that leads to another
    if page is named:  # the first page can be asked for by its name too
        st.switch_page(root, query_params=current())
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
            shown = _named(page.title)
            _show_answers(shown)
            show_tour(shown, PAGES, offered=shown == first and table.name in SAMPLE_TITLES)
            with st.sidebar:
                opened.append(import_module("pgm_nb.app.shell.screen").open_screen(table))
            page.run()
            if shown not in OWN_WORDS:
                _show_words()
    end()
    load_for_other_pages()


def _show_answers(page: str) -> None:
    """Say what the page answers, and offer the numbers behind it."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.html(f'<p class="pgm-nb-answers">{ANSWERS[page]}</p>', width="content")
        if page in WORDS:
            choose_details()
        else:
            keep_details()
    if words := page_words(page):
        st.caption(words)


def _named(title: str) -> str:
    """Return the name of the page with a title."""
    return next(name for name, shown in PAGES.items() if shown == title)


def _show_words() -> None:
    """Explain the terms, for whoever asks."""
    with st.expander("What the words mean"):
        st.markdown("\n".join(f"- **{word}**: {meaning}" for word, meaning in (GLOSSARY | SCORES).items()))


def _show(name: str, opened: "list[Screen]") -> None:
    """Draw a page; all but the Data page need a class."""
    [screen] = opened
    set_scale(screen)
    if not screen.has_table and name in NEED_ROWS:
        st.info(
            f"{NEED_ROWS[name]}, but this is a saved model without its table. Upload the table on the left. "
            "Structure, Growth, What if and Export need only the model."
        )
    elif screen.unnamed:
        import_module("pgm_nb.app.pages.data.repairs").show_same_names(screen)
    elif screen.target is None and name != "data":
        st.info("Which column is the class? Choose it on the left.")
    elif name == "data":
        with in_force():
            import_module("pgm_nb.app.pages.data").show(screen)
    else:
        with import_module("pgm_nb.app.pages.data.repairs").repairable(screen), in_force():
            import_module(f"pgm_nb.app.pages.{name}").show(screen)
