"""One case of the list: what it is, why it is predicted so, the rows most like it, and one beside it."""

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell import evidence
from pgm_nb.app.shell.address import put_texts
from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.repairs import idle_of
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.own_key import own_key, said_by
from pgm_nb.data.repairs.idle import NAMES_ROWS, NUMBERS_ROWS
from pgm_nb.explain.case_reader import CaseReader
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.likeness import Likeness
from pgm_nb.explain.pairs import compare_cases
from pgm_nb.explain.protocols import Known
from pgm_nb.views.chart.explanation import times
from pgm_nb.words import probability, scale

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate.out_of_fold import UnseenRows

__all__ = ["BESIDE", "row_names", "show_case"]

ALIKE = 5  # rows like the case
DISTANCE = (
    " The distance is the sum, over the parts of the model, of how far their log-odds differ; 0: they say "
    "the same."
)
BESIDE = "beside_it"  # the row that stands beside the case, in the address


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
    analysis = _analysis(screen.source.digest, settings, screen.fitted.model, frame)
    known = _known(analysis, reader, frame, number)
    if st.button("Open in What if", type="primary", icon=":material/arrow_forward:"):
        cells = reader.row(frame.iloc[number - 1].to_dict())
        evidence.take_row({name: cells[name] for name in analysis.attributes}, number)
        st.switch_page(st.session_state["pages"]["what_if"])
    if known:
        _why(analysis, known, unseen, places[number])
    _alike(screen, unseen, places, number, analysis, reader)


@st.cache_resource(max_entries=32, show_spinner=False)
def _analysis(digest: str, settings: Settings, _model: Any, _frame: "pd.DataFrame") -> CaseAnalysis:
    return CaseAnalysis.of(_model, training_rows(_frame, settings)[0])


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


def _why(analysis: CaseAnalysis, known: Known, unseen: "UnseenRows", place: int) -> None:
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
        said = str(why) if scale() is None else probability(why.probability)
        show_chart(why.chart(theme=theme, largest=8), why.to_frame(), "why-case", said)


def _alike(
    screen: Screen,
    unseen: "UnseenRows",
    places: dict[int, int],
    number: int,
    analysis: CaseAnalysis,
    reader: CaseReader,
) -> None:
    """Show the rows most like the case, and one of them beside it."""
    import pandas as pd

    frame, settings = screen.frame, screen.settings
    model = screen.fitted.model
    likeness = work(
        ("likeness", screen.source.digest, settings),
        lambda progress: Likeness.of(model, training_rows(frame, settings)[0]),
        label="Comparing rows",
    )
    if likeness is None:
        return
    found, named = likeness.nearest(number - 1, ALIKE), row_names(screen)
    rows = [int(row) + 1 for row in found["row"]]
    labels = [str(label) for label in unseen.classes]
    st.markdown(
        "#### Rows most like it",
        help="Two rows are alike if their values speak for the same classes as strongly."
        + (DISTANCE if scale() is None else ""),
    )
    cells = frame[settings.target]
    same = sum(str(cells.iloc[row - 1]) == str(cells.iloc[number - 1]) for row in rows)
    st.markdown(_agreement(bold(str(cells.iloc[number - 1])), same, len(rows)))
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
                **({"Distance": found["distance"]} if scale() is None else {}),
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
        max_value=len(frame),
        step=1,
        value=None,
        key=own_key("beside_any", other),
        placeholder="number",
        on_change=safely(partial(_put_beside, "beside_any")),
    )
    if other is not None:
        _beside(analysis, reader, frame, number, other)


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
    analysis: CaseAnalysis, reader: CaseReader, frame: "pd.DataFrame", number: int, other: int
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
    if scale() is not None:
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
