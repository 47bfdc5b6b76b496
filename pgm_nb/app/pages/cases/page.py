"""The Cases page: the rows of the table with what a model that has not seen them says; wrong ones first."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.pages.cases.one_case import BESIDE, row_names, show_case
from pgm_nb.app.shell.address import follow, keep, keep_texts, put_texts
from pgm_nb.app.shell.calm import calmly
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.unseen import unseen_rows
from pgm_nb.app.widgets.charts import offer_numbers
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.own_key import own_key, said_by
from pgm_nb.explain.case_reader import CaseReader
from pgm_nb.words import class_name, percent, plural, probability

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate.out_of_fold import UnseenRows

__all__ = ["show"]

SHOWN = {"all": "All", "wrong": "Wrong ones", "right": "Right ones"}
ORDER = {
    "wrong": "Wrong ones first",
    "doubt": "Most in doubt first",
    "sure": "Surest first",
    "row": "By row",
}
ROW = "looked_at"  # the row that is looked at, in the address
COLUMNS = 5  # columns of the table that are shown beside the class


def show(screen: Screen) -> None:
    """Show the page."""
    frame, model = screen.frame, screen.fitted.model
    classes = [str(label) for label in model.classes_]
    keep("cases_shown", [*SHOWN], "all")
    keep("cases_order", [*ORDER], "wrong")
    keep("cases_class", classes, None)
    keep_texts("cases_with", bool)
    for key in (ROW, BESIDE):
        keep_texts(key, lambda text: text.isascii() and text.isdigit() and 1 <= int(text) <= len(frame))
    unseen = unseen_rows(screen, "Predicting rows that the model has not seen")
    if unseen is not None:
        _browse(screen, unseen, classes)


@st.fragment
@calmly()
def _browse(screen: Screen, unseen: "UnseenRows", classes: list[str]) -> None:
    """Let the user filter, sort and choose; a click runs this part of the page alone."""
    from pgm_nb.evaluate.case_list import case_list

    table = case_list(unseen, st.session_state["cases_order"])
    wrong = int(table["wrong"].sum())
    part = "" if len(table) == unseen.n_rows else f" of {unseen.n_rows:,}, drawn at random,"
    st.markdown(
        f"**{percent(wrong, len(table))}** of {plural(len(table), 'row')}{part} get a wrong class from a "
        "model that has not seen them.",
        help=f"The model is learned {unseen.folds} times, each time without some of the rows, and predicts "
        "those. No probability in this list comes from a model that was trained on the row.",
    )
    reader = _reader(screen.source.digest, screen.settings.target, screen.frame)
    _controls(classes, screen.settings.target, _example(screen, reader))
    table = _filtered(table, screen.frame, reader)
    if table.empty:
        st.info("No row is like this. Ask for less.")
    else:
        _list(screen, table)
    rows: list[str] = st.session_state.get(ROW, [])
    number = int(rows[-1]) if rows else int(table["row"].iloc[0]) if len(table) else None
    if number is not None:
        show_case(screen, unseen, number, reader)


@st.cache_resource(max_entries=8, show_spinner=False)
def _reader(digest: str, target: str, _frame: "pd.DataFrame") -> CaseReader:
    return CaseReader.of(_frame, target)


def _example(screen: Screen, reader: CaseReader) -> str:
    """Return a filter that this table can have."""
    name = str(screen.fitted.model.importance_["attribute"].iloc[0])
    cells = screen.frame[name].dropna()
    if reader.columns[name].number:
        return f"{name}>{cells.median():.3g}"
    return f"{name}={cells.iloc[0]}" if len(cells) else "age>60"


def _controls(classes: list[str], target: str, example: str) -> None:
    which, order, of_class, having, row = st.columns([3, 3, 3, 3, 2], vertical_alignment="bottom")
    which.selectbox(
        "Show",
        [*SHOWN],
        key="cases_shown",
        format_func=SHOWN.__getitem__,
        on_change=safely(partial(_arrange, "cases_shown")),
    )
    order.selectbox(
        "Sort",
        [*ORDER],
        key="cases_order",
        format_func=ORDER.__getitem__,
        on_change=safely(partial(_arrange, "cases_order")),
        help="Of the wrong ones, those come first whose true class got the least probability.",
    )
    of_class.selectbox(
        f"True value of {literal(class_name(target))}",
        classes,
        index=None,
        key="cases_class",
        placeholder="any",
        on_change=safely(partial(_arrange, "cases_class")),
    )
    said = st.session_state.get("cases_with", [])
    having.text_input(
        "Only rows with",
        key=own_key("cases_with_text", said[-1] if said else ""),
        placeholder=example,
        on_change=safely(_filter),
        help="Rows that have a value: age>60, age=40..50, colour=red, colour=red|blue, colour!=red.",
    )
    rows = st.session_state.get(ROW, [])
    row.number_input(
        "Row",
        min_value=1,
        step=1,
        value=None,
        key=own_key("cases_row", int(rows[-1]) if rows else None),
        placeholder="number",
        on_change=safely(_go),
    )


def _arrange(key: str) -> None:
    """Arrange the list in another way; its first case is then the one to look at."""
    put_texts(ROW, [])
    follow(key)


def _filter() -> None:
    text = said_by("cases_with_text").strip()
    put_texts(ROW, [])
    put_texts("cases_with", [text] if text else [])


def _go() -> None:
    number = said_by("cases_row")
    put_texts(ROW, [] if number is None else [str(int(number))])


def _filtered(table: "pd.DataFrame", frame: "pd.DataFrame", reader: CaseReader) -> "pd.DataFrame":
    from pgm_nb.evaluate.case_list import having

    shown = st.session_state["cases_shown"]
    if shown != "all":
        table = table[table["wrong"] == (shown == "wrong")]
    if st.session_state["cases_class"] is not None:
        table = table[table["class"] == st.session_state["cases_class"]]
    for text in st.session_state.get("cases_with", []):
        read = reader.read(text)
        if read is None:
            st.warning(
                f"“{literal(text)}” is no value of a column. Write the name of the column and a value, such "
                "as age>60 or colour=red."
            )
        else:
            table = table[having(frame, *read)[table["row"].to_numpy() - 1]]
    return table


def _list(screen: Screen, table: "pd.DataFrame") -> None:
    names = [str(name) for name in screen.fitted.model.importance_["attribute"]][:COLUMNS]
    named = row_names(screen)
    names = names if named is None else [named, *names]
    beside = screen.frame[names].iloc[table["row"].to_numpy() - 1].reset_index(drop=True)
    shown = table.reset_index(drop=True)[["row", "class", "predicted", "probability", "probability_of_class"]]
    shown.insert(0, "mark", table["wrong"].map({True: "✗", False: ""}).to_numpy())
    for name in ("probability", "probability_of_class"):
        shown[name] = [probability(share) for share in shown[name].tolist()]
    shown = shown.join(beside.add_prefix("\u200b"))  # no name of a column is one of ours
    key = f"cases_list {hash(tuple(shown['row']))}"  # a tick belongs to the list as it is arranged now
    st.dataframe(
        shown,
        key=key,
        on_select=safely(partial(_choose, key, shown["row"].tolist())),
        selection_mode="single-row",
        hide_index=True,
        height=320,
        column_config={
            "mark": st.column_config.TextColumn("", width=30, help="✗: the most probable class is wrong."),
            "row": st.column_config.NumberColumn("Row", width=60, format="%d"),
            "class": st.column_config.TextColumn("True class"),
            "predicted": st.column_config.TextColumn("Predicted"),
            "probability": st.column_config.TextColumn("Its probability", alignment="right"),
            "probability_of_class": st.column_config.TextColumn(
                "Probability of the true class", alignment="right"
            ),
        },
    )
    st.caption("Tick a row to see it below.")
    if named is not None:
        cells = screen.frame[named].iloc[table["row"].to_numpy() - 1].to_numpy()
        table = table.assign(**{"id" if named in table.columns else named: cells})
    offer_numbers(table, "cases", "These rows with their probabilities, for a spreadsheet.")


def _choose(key: str, rows: list[int]) -> None:
    chosen = st.session_state[key]["selection"]["rows"]
    put_texts(ROW, [str(rows[chosen[0]])] if chosen and chosen[0] < len(rows) else [])
