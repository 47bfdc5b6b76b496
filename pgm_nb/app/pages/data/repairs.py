"""Repairs of the table on the Data page: what was found, what is done about it, and names of columns."""

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

import pandas as pd
import streamlit as st

from pgm_nb.app.pages.data.cuts import cut_class
from pgm_nb.app.shell.repairs import (
    BEFORE,
    add_steps,
    idle_of,
    repaired,
    set_recipe,
    undo,
    with_recipe,
)
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.sources import Source, portion
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.data.repairs import Codebook, Cut, Proposal, ReadNumbers, Recipe, Step, read_codebook
from pgm_nb.data.repairs.finding import DATES, class_proposals, propose
from pgm_nb.data.repairs.header import find_header
from pgm_nb.data.repairs.recipe import preview
from pgm_nb.data.repairs.step import counted, is_measured
from pgm_nb.data.target import check_class, encode_target
from pgm_nb.errors import DataError
from pgm_nb.words import plural

__all__ = [
    "codebook_of",
    "edit_names",
    "keep_button",
    "offer_again",
    "repairable",
    "set_aside",
    "show_repairs",
    "show_same_names",
]

KINDS = {  # what proposals are about, in the order of the page -> the button that does all of them
    "names": "",
    "class": "",
    "numbers": "Read all as numbers",
    "not measured": "All of these mean not measured",
    "dates": "",
    "levels": "",
}
SHOWN = 8  # proposals of a kind that are listed at once
_ASIDE = "questions set aside"  # pairs of a table and a column
MOST_VALUES = 50  # of a column whose values can be named here
COLUMNS, VALUES, FILE = "names of columns", "names of values", "codebook file"


def unnamed_frame(screen: Screen) -> tuple[pd.DataFrame, Recipe, str | None]:
    """Return the table before the codebook, the steps that made it, and what the class is called there."""
    recipe = repaired(screen.source).recipe
    book = recipe.codebook
    steps = Recipe([step for step in recipe.steps if not isinstance(step, Codebook)])
    frame = repaired(with_recipe(screen.source, steps)).frame if steps else portion(screen.source).frame
    target = None if screen.target is None else Recipe([book]).first_name(screen.target)
    return frame, steps, target


def show_same_names(screen: Screen) -> None:
    """Show the one thing that can be done where columns have the same name."""
    st.markdown("#### Two columns have the same name")
    for proposal in propose(screen.frame):
        _offer(screen.frame, proposal, 0)


@contextmanager
def repairable(screen: Screen) -> Iterator[None]:
    """Draw what is inside; where the class cannot be learned, say why, with the buttons that repair it."""
    try:
        yield
    except DataError as problem:
        if not screen.has_table:
            raise
        frame, _, target = unnamed_frame(screen)
        header = find_header(frame)
        of_class = class_proposals(frame[target]) if target in frame.columns else ()
        found = of_class if header is None else (header,)
        if not found:
            raise
        st.info(literal(_sentence(str(problem))), icon=":material/build:")
        names = repaired(screen.source).recipe.codebook.renames
        for number, proposal in enumerate(found):
            _offer(frame, proposal, number, names)


def show_repairs(screen: Screen, unusable: str) -> None:
    """Show what can be repaired, what is left out, and what was done; and why the class is `unusable`."""
    frame, _, target = unnamed_frame(screen)
    made = repaired(screen.source)
    names = made.recipe.codebook.renames
    every_one = [one for one in _proposals(screen.source.digest, target, frame) if one.kind in KINDS]
    aside = set_aside(screen.source, every_one)
    found = [one for one in every_one if one not in aside]
    left_out = _left_out(screen)
    st.markdown("#### Repairs")
    if unusable and not any(one.kind == "class" or one.column == target for one in found):
        st.info(literal(_sentence(unusable)), icon=":material/build:")
    for reason in made.misfits:
        st.warning(literal(f"A step of the recipe does not fit this table. {reason}"))
    if not found:
        st.write("Nothing else to repair was found." if made.recipe else "Nothing to repair was found.")
    number = 0
    for kind, every in KINDS.items():
        of_kind = [proposal for proposal in found if proposal.kind == kind]
        plain = [proposal.step for proposal in of_kind if not proposal.doubtful]
        if every and len(plain) > 1:
            st.button(
                f"{every} ({len(plain)})",
                key=f"all {kind}",
                on_click=safely(partial(add_steps, *plain)),
                type="tertiary",
                icon=":material/done_all:",
            )
        for place, proposal in enumerate(of_kind):
            if place == SHOWN:
                st.caption(f"{plural(len(of_kind) - SHOWN, 'more proposal')} of this kind will follow.")
                break
            _offer(frame, proposal, number, names, screen.source)
            number += 1
    offer_again(screen.source, aside)
    _say_left_out(left_out)
    _done(made.recipe)


@st.cache_data(max_entries=16, show_spinner="Looking for what can be repaired …")
def _proposals(digest: str, target: str | None, _frame: pd.DataFrame) -> tuple[Proposal, ...]:
    return propose(_frame, target)


def _offer(
    frame: pd.DataFrame,
    proposal: Proposal,
    number: int,
    names: Mapping[str, str] | None = None,
    source: Source | None = None,
) -> None:
    """Show one proposal: its sentence, its buttons, and what would change.

    Columns are called what the codebook names them. A question can be set aside where the `source` is given.
    """
    spoken = _spoken(proposal, names or {})
    with st.container(border=True, gap="small"):
        if isinstance(proposal.step, Cut):
            st.markdown(spoken)
            title = (names or {}).get(proposal.column, proposal.column)
            if is_class(frame[proposal.column]):
                with st.expander("Cut it"):
                    cut_class(frame[proposal.column], proposal.step, title)
            else:
                cut_class(frame[proposal.column], proposal.step, title)
            return
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.markdown(spoken)
        with right.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right"):
            choices = [(proposal.button, proposal.step), *proposal.others]
            _look(frame, choices, f"look {number} {proposal.column}")
            for place, (label, step) in enumerate(choices):
                st.button(
                    literal(label),
                    key=f"repair {number} {place} {proposal.column}",
                    on_click=safely(partial(add_steps, step)),
                    type="secondary",
                )
            if source is not None and proposal.kind == "not measured":
                keep_button(source, proposal, number)


def is_class(cells: pd.Series) -> bool:
    """Return whether a column can be the class as it is."""
    try:
        check_class(cells)
        encode_target(cells.dropna())
    except DataError:
        return False
    return True


def _spoken(proposal: Proposal, names: Mapping[str, str]) -> str:
    """Return the sentence as Markdown, with the name of the column in bold."""
    name, sentence = proposal.column, proposal.sentence
    if name and sentence.startswith(name):
        return f"{bold(names.get(name, name))} {literal(sentence[len(name) :])}"
    return literal(sentence)


def _look(frame: pd.DataFrame, choices: Sequence[tuple[str, Step]], key: str) -> None:
    """Offer a look at what would change; it is computed when it is opened."""
    look = st.popover("What changes", type="tertiary", key=key, on_change="rerun")
    if not look.open:
        return
    with look:
        for label, step in choices:
            if len(choices) > 1:
                st.caption(literal(label))
            try:
                changes = preview(frame, step)
            except DataError as problem:
                st.write(literal(_sentence(str(problem))))
                continue
            st.dataframe(
                changes,
                hide_index=True,
                width=420,
                column_config={
                    "before": st.column_config.TextColumn("Now"),
                    "after": st.column_config.TextColumn("Then"),
                    "rows": st.column_config.NumberColumn("Rows", format="localized", width="small"),
                },
            )


def _left_out(screen: Screen) -> dict[str, str]:
    """Return the columns that are left out because they say nothing, with the reasons."""
    if screen.chosen is None:
        return {}
    idle = idle_of(screen.source, screen.frame, screen.chosen.target)
    return {name: why for name, why in idle.items() if name in screen.chosen.leave_out and why != DATES}


def _say_left_out(idle: dict[str, str]) -> None:
    if not idle:
        return
    with st.container(gap="xsmall"):
        says = "it says" if len(idle) == 1 else "they say"
        st.markdown(f"**Left out** because {says} nothing about new cases")
        for name, why in idle.items():
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"{bold(name)}: {literal(why)}", width="stretch")
                st.button("Use it", key=f"use {name}", on_click=safely(partial(_use, name)), type="tertiary")


def _use(name: str) -> None:
    st.session_state["without"] = [one for one in st.session_state.get("without") or [] if one != name]


def _done(recipe: Recipe) -> None:
    """List what was done, each with its undo."""
    with st.container(gap="xsmall"):
        if recipe:
            st.markdown("**Done**")
        for place, step in enumerate(recipe.steps):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"{place + 1}. {literal(_said(step, recipe.codebook))}", width="stretch")
                st.button(
                    "Undo",
                    key=f"undo {place}",
                    on_click=safely(partial(set_recipe, recipe.without(place))),
                    type="tertiary",
                    help="Undo this step alone.",
                )
    if st.session_state.get(BEFORE):
        st.button("Undo the last change", on_click=safely(undo), icon=":material/undo:")


def _said(step: Step, book: Codebook) -> str:
    """Return what a step does, with the name that the codebook gives to its column."""
    old = next((name for name in step.names if step.said.startswith(f"{name}: ")), None)
    return step.said if old is None else f"{book.renames.get(old, old)}{step.said[len(old) :]}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def set_aside(source: Source, found: Sequence[Proposal]) -> list[Proposal]:
    """Return the proposals about a table that were set aside."""
    pairs: set[tuple[str, str]] = st.session_state.get(_ASIDE, set())
    return [one for one in found if one.kind == "not measured" and (_table(source), one.column) in pairs]


def keep_button(source: Source, proposal: Proposal, number: int) -> None:
    """Let the user answer that a mark is a value like the others."""
    st.button(
        "Keep it",
        key=f"keep {number} {proposal.column}",
        on_click=safely(partial(_put, source, proposal.column)),
        type="tertiary",
        help="It is a value like the others: nothing changes, and the question is not asked again.",
    )


def offer_again(source: Source, aside: Sequence[Proposal]) -> None:
    """Offer the questions that were set aside once more."""
    if aside:
        st.button(
            f"Ask again about {plural(len(aside), 'column')} whose values you kept",
            key="ask again",
            on_click=safely(partial(_forget, source)),
            type="tertiary",
            icon=":material/undo:",
        )


def _table(source: Source) -> str:
    return source.before or source.digest


def _put(source: Source, column: str) -> None:
    st.session_state[_ASIDE] = {*st.session_state.get(_ASIDE, ()), (_table(source), column)}


def _forget(source: Source) -> None:
    kept = st.session_state.get(_ASIDE, set())
    st.session_state[_ASIDE] = {pair for pair in kept if pair[0] != _table(source)}


def edit_names(screen: Screen) -> None:
    """Show the codebook: a table for the columns, one for the values, a file in and out."""
    frame, steps, target = unnamed_frame(screen)
    book = repaired(screen.source).recipe.codebook
    with st.expander("Names and units: the codebook", expanded=False):
        st.write(
            "Give columns, values and classes the names that people use. They stand in every picture, "
            "sentence and file, and are kept with the model."
        )
        columns, values = _columns(frame, steps, book), _values(screen.source.digest, frame, target, book)
        left, right = st.columns(2, gap="medium")
        text = st.column_config.TextColumn
        version = abs(hash(repr((screen.source.digest, book.rows()))))
        with left:
            typed_columns = st.data_editor(
                columns,
                hide_index=True,
                key=f"{COLUMNS} {version}",
                height=318,
                disabled=["column"],
                column_config={
                    "column": text("Column"),
                    "name": text("Name"),
                    "unit": text("Unit", width="small"),
                },
            )
        with right:
            typed_values = st.data_editor(
                values,
                hide_index=True,
                key=f"{VALUES} {version}",
                height=318,
                disabled=["column", "value"],
                column_config={
                    "column": text("Column"),
                    "value": text("Value", width="small"),
                    "name": text("Name"),
                },
            )
        try:
            typed = codebook_of(typed_columns, typed_values)
        except DataError as problem:
            st.error(literal(str(problem)))
            typed = book
        _buttons(steps, book, typed)
        st.file_uploader(
            "A codebook from a file",
            type=["csv", "json", "txt", "tsv"],
            key=FILE,
            on_change=safely(partial(_take_file, steps)),
            help="CSV with the columns column, value, name and unit, or the same as JSON. A row without a "
            "value names its column.",
        )


def _buttons(steps: Recipe, book: Codebook, typed: Codebook) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Use these names",
            key="use names",
            on_click=safely(partial(_use_names, steps, typed)),
            type="primary",
            disabled=typed == book,
        )
        if book.names:
            st.download_button(
                "Codebook (CSV)", book.as_csv().encode(), "codebook.csv", "text/csv", on_click="ignore"
            )


def codebook_of(columns: pd.DataFrame, values: pd.DataFrame) -> Codebook:
    """Return the codebook that two tables say; empty cells say nothing.

    Examples
    --------
    >>> columns = pd.DataFrame({"column": ["plas"], "name": ["glucose"], "unit": [None]})
    >>> codebook_of(columns, pd.DataFrame({"column": [], "value": [], "name": []})).renames
    {'plas': 'glucose'}
    """
    rows = [*columns.to_dict("records"), *values.to_dict("records")]
    return Codebook.of_rows([{str(key): cell for key, cell in row.items()} for row in rows])


def _use_names(steps: Recipe, book: Codebook) -> None:
    set_recipe(steps.plus(book))


def _take_file(steps: Recipe) -> None:
    upload = st.session_state.get(FILE)
    if upload is not None:
        file = io.BytesIO(upload.getvalue())
        file.name = upload.name
        _use_names(steps, read_codebook(file))


def _columns(frame: pd.DataFrame, steps: Recipe, book: Codebook) -> pd.DataFrame:
    """Return every column with its name and unit; a unit that was read is filled in."""
    units = {step.column: step.unit for step in steps.steps if isinstance(step, ReadNumbers) and step.unit}
    rows = [
        {
            "column": str(name),
            "name": book.columns.get(str(name), {}).get("name", ""),
            "unit": book.columns.get(str(name), {}).get("unit", units.get(str(name), "")),
        }
        for name in frame.columns
    ]
    return pd.DataFrame(rows, columns=["column", "name", "unit"])


def _values(digest: str, frame: pd.DataFrame, target: str | None, book: Codebook) -> pd.DataFrame:
    """Return the values of all columns that have few, with their names; the class first."""
    names = {(row["column"], row["value"]): row["name"] for row in book.rows()}
    rows = [
        {"column": column, "value": value, "name": names.get((column, value), "")}
        for column, values in sorted(_few_values(digest, frame), key=lambda found: found[0] != target)
        for value in values
    ]
    return pd.DataFrame(rows, columns=["column", "value", "name"], dtype=str)


@st.cache_data(max_entries=8, show_spinner=False)
def _few_values(digest: str, _frame: pd.DataFrame) -> list[tuple[str, list[str]]]:
    found = []
    for name, cells in _frame.items():
        values = list(counted(cells)) if cells.nunique() <= MOST_VALUES else []
        if values and not (is_measured(cells) and len(values) > 10):
            found.append((str(name), sorted(values)))
    return found
