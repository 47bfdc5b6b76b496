"""The Cases page: the rows with what a model that has not seen them says, and one of them in detail."""

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.what_if.case import analysis_of
from pgm_nb.app.shell import evidence
from pgm_nb.app.shell.address import follow, keep, keep_texts, put_texts
from pgm_nb.app.shell.fitting import training_rows, unseen_rows
from pgm_nb.app.shell.repairs import idle_of
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.charts import offer_numbers, show_chart
from pgm_nb.app.widgets.clicks import calmly, own_key, safely, said_by
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.data.repairs.finding import NAMES_ROWS, NUMBERS_ROWS
from pgm_nb.explain.case_values import CaseReader
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.comparisons import Likeness, compare_cases
from pgm_nb.explain.protocols import Known
from pgm_nb.views.chart.explanation import times
from pgm_nb.words import Scale, class_name, percent, plural, probability

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate.predictions import UnseenRows

__all__ = ["BESIDE", "row_names", "show", "show_case"]

SHOWN = {"all": "All", "wrong": "Wrong ones", "right": "Right ones"}
ORDER = {
    "wrong": "Wrong ones first",
    "doubt": "Most in doubt first",
    "sure": "Surest first",
    "row": "By row",
}
ROW = "looked_at"  # the row that is looked at, in the address
COLUMNS = 5  # columns of the table that are shown beside the class
ALIKE = 5  # rows like the case
DISTANCE = (
    " The distance is the sum, over the parts of the model, of how far their log-odds differ; 0: they say "
    "the same."
)
BESIDE = "beside_it"  # the row that stands beside the case, in the address


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
    from pgm_nb.evaluate.predictions import case_list

    table = case_list(unseen, st.session_state["cases_order"])
    wrong = int(table["wrong"].sum())
    part = "" if len(table) == unseen.n_rows else f" of {unseen.n_rows:,}, drawn at random,"
    st.markdown(
        f"**{percent(wrong, len(table))}** of {plural(len(table), 'row')}{part} get a wrong class from a "
        "model that has not seen them.",
        help=f"The model is learned {unseen.folds} times, each time without some of the rows, and predicts "
        "those. No probability in this list comes from a model that was trained on the row.",
    )
    reader = evidence.reader_of(screen.source.digest, screen.settings.target, screen.frame)
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
    from pgm_nb.evaluate.predictions import having

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


def row_names(screen: Screen) -> str | None:
    """Return the column that was left out because it names the rows, such as a patient number."""
    settings = screen.settings
    idle = idle_of(screen.source, screen.frame, settings.target)
    return next((name for name in settings.leave_out if idle.get(name) in (NAMES_ROWS, NUMBERS_ROWS)), None)


def show_case(screen: Screen, unseen: "UnseenRows", number: int, reader: CaseReader) -> None:
    """Show the case of a row number."""
    frame, settings = screen.frame, screen.settings
    named = row_names(screen)
    called = "" if named is None else f" ({literal(named)} {literal(str(frame[named].iloc[number - 1]))})"
    st.markdown(f"#### Row {number:,}{called}")
    places = {int(row): place for place, row in enumerate(unseen.rows + 1)}
    if number not in places:
        st.caption("This row was not among those that were drawn, or its class is missing.")
        return
    st.markdown(_sentence(unseen, places[number]))
    analysis = analysis_of(screen.source.digest, settings, screen.fitted.model, frame)
    known = _known(analysis, reader, frame, number)
    if st.button("Open in What if", type="primary", icon=":material/arrow_forward:"):
        cells = reader.row(frame.iloc[number - 1].to_dict())
        evidence.take_row({name: cells[name] for name in analysis.attributes}, number)
        st.switch_page(st.session_state["pages"]["what_if"])
    if known:
        _why(analysis, known, unseen, places[number], scale=screen.shares)
    _alike(screen, unseen, places, number, analysis, reader)


def _known(analysis: CaseAnalysis, reader: CaseReader, frame: "pd.DataFrame", number: int) -> Known:
    cells = reader.row(frame.iloc[number - 1].to_dict())
    read = {name: reader.value(name, cells[name]) for name in analysis.attributes if name in cells}
    return analysis.usable({name: found[0] for name, found in read.items() if found})


def _sentence(unseen: "UnseenRows", place: int) -> str:
    chances = unseen.probabilities[place]
    best, truth = int(chances.argmax()), int(unseen.truth[place])
    labels = [str(label) for label in unseen.classes]
    says = f"It is {bold(labels[truth])}. A model that has not seen it gives {bold(labels[best])} "
    if best == truth:
        return f"{says}**{probability(chances[best])}**."
    return (
        f"{says}**{probability(chances[best])}**, which is wrong, and {bold(labels[truth])} "
        f"**{probability(chances[truth])}**."
    )


def _why(
    analysis: CaseAnalysis, known: Known, unseen: "UnseenRows", place: int, *, scale: Scale | None
) -> None:
    """Explain the case: the class it got against its own, or against the next."""
    best, truth = int(unseen.probabilities[place].argmax()), int(unseen.truth[place])
    label = str(unseen.classes[best])
    against = None if best == truth else str(unseen.classes[truth])
    why = analysis.explain(known, label, against)
    with st.expander("Why", expanded=True):
        st.markdown(
            f"What each value adds for {bold(str(why.label))} against {bold(str(why.against))}, in the model "
            f"of all rows, which has seen this one. It gives {bold(str(why.label))} "
            f"{probability(why.probability)}."
        )
        theme = st.context.theme.type or "light"
        said = str(why) if scale is None else probability(why.probability)
        show_chart(why.chart(theme=theme, largest=8, scale=scale), why.to_frame(), "why-case", said)


def _alike(
    screen: Screen,
    unseen: "UnseenRows",
    places: dict[int, int],
    number: int,
    analysis: CaseAnalysis,
    reader: CaseReader,
) -> None:
    """Show the rows most like the case, and one of them beside it."""
    frame, settings = screen.frame, screen.settings
    model = screen.fitted.model
    likeness = work(
        ("likeness", screen.source.digest, settings),
        lambda progress: Likeness.of(model, training_rows(frame, settings)[0]),
        label="Comparing rows",
    )
    if likeness is None:
        return
    found = likeness.nearest(number - 1, ALIKE)
    rows = [int(row) + 1 for row in found["row"]]
    st.markdown(
        "#### Rows most like it",
        help="Two rows are alike if their values speak for the same classes as strongly."
        + (DISTANCE if screen.shares is None else ""),
    )
    cells = frame[settings.target]
    same = sum(str(cells.iloc[row - 1]) == str(cells.iloc[number - 1]) for row in rows)
    st.markdown(_agreement(bold(str(cells.iloc[number - 1])), same, len(rows)))
    _list_alike(screen, unseen, places, found)
    other = _choose_beside(cells, rows, number)
    if other is not None:
        _beside(analysis, reader, frame, number, other, scale=screen.shares)


def _list_alike(screen: Screen, unseen: "UnseenRows", places: dict[int, int], found: "pd.DataFrame") -> None:
    """List the rows most like the case, with what a model that has not seen them says."""
    import pandas as pd

    frame, named = screen.frame, row_names(screen)
    rows = [int(row) + 1 for row in found["row"]]
    cells, labels = frame[screen.settings.target], [str(label) for label in unseen.classes]
    chances = [unseen.probabilities[places[row]] if row in places else None for row in rows]
    st.dataframe(
        pd.DataFrame(
            {
                "Row": rows,
                **(
                    {}
                    if named is None
                    else {f"\u200b{named}": frame[named].iloc[[r - 1 for r in rows]].tolist()}
                ),
                "True class": [str(cells.iloc[row - 1]) for row in rows],
                "Predicted": ["" if c is None else labels[int(c.argmax())] for c in chances],
                "Its probability": ["" if c is None else probability(float(c.max())) for c in chances],
                **({"Distance": found["distance"]} if screen.shares is None else {}),
                "Equal values": found["same"],
            }
        ),
        hide_index=True,
        column_config={
            "Row": st.column_config.NumberColumn(format="%d", width=60),
            "Its probability": st.column_config.TextColumn(alignment="right"),
            "Distance": st.column_config.NumberColumn(format="%.2f"),
        },
    )


def _choose_beside(cells: "pd.Series[Any]", rows: list[int], number: int) -> int | None:
    """Let the user choose a row to put beside the case; `cells` are the classes of all rows."""
    said = st.session_state.get(BESIDE, [])
    other = int(said[-1]) if said and int(said[-1]) != number else None
    near, any_row = st.columns([3, 1], vertical_alignment="bottom")
    near.selectbox(
        "Put a row beside it",
        rows,
        index=None,
        key=own_key("beside", other if other in rows else None),
        placeholder="choose a row",
        format_func=lambda row: f"row {row:,}: {cells.iloc[row - 1]}",
        on_change=safely(partial(_put_beside, "beside")),
    )
    any_row.number_input(
        "Or any row",
        min_value=1,
        max_value=len(cells),
        step=1,
        value=None,
        key=own_key("beside_any", other),
        placeholder="number",
        on_change=safely(partial(_put_beside, "beside_any")),
    )
    return other


def _agreement(label: str, same: int, of: int) -> str:
    """Say how many of the rows most like a row have its class."""
    if same == 0:
        return f"This row is {label}, but none of the {of} rows most like it is."
    some = f"all {of} rows" if same == of else f"{same} of the {of} rows"
    return f"This row is {label}, and so {'is' if same == 1 else 'are'} {some} most like it."


def _put_beside(key: str) -> None:
    other = said_by(key)
    put_texts(BESIDE, [] if other is None else [str(int(other))])


def _beside(
    analysis: CaseAnalysis,
    reader: CaseReader,
    frame: "pd.DataFrame",
    number: int,
    other: int,
    *,
    scale: Scale | None,
) -> None:
    first, second = (_known(analysis, reader, frame, row) for row in (number, other))
    if not first or not second:
        st.caption("One of the rows has no value that the model can use.")
        return
    pair = compare_cases(analysis, first, second)
    one, two = (probability(side.probability) for side in (pair.first, pair.second))
    label = bold(str(pair.first.label))
    st.markdown(
        f"The model of all rows gives {label} **{one}** in row {number:,} and **{two}** in row {other:,}. "
        "What makes the difference comes first:"
    )
    table = pair.to_frame().drop(columns=["contribution_first", "contribution_second"])
    about = {part.name: part.attributes for side in (pair.second, pair.first) for part in side.parts}
    table["part"] = [  # an attribute with its mothers, in the order of their values
        ", ".join(about[name]) if about[name][:1] == (name,) else name for name in table["part"]
    ]
    said = "Difference in log-odds of"
    if scale is not None:
        said, table["difference"] = "Odds of", table["difference"].map(times)
    table = table.rename(
        columns={
            "part": "Attributes",
            "first": f"Row {number}",
            "second": f"Row {other}",
            "difference": f"{said} {literal(str(pair.first.label))}",
        }
    )
    st.dataframe(table, hide_index=True, height=min(320, 38 + 35 * len(table)))
