"""The page of questions: set what is known about a case, see what follows, and why."""

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.what_if import evidence
from pgm_nb.app.pages.what_if.answers import Answer, Field, Interview
from pgm_nb.app.pages.what_if.evidence import Reader, Value
from pgm_nb.app.pages.what_if.reasons import show_nomogram, show_why
from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.monitors import Box, clicked, show_monitors
from pgm_nb.app.widgets.words import bold, literal
from pgm_nb.words import listed, plural, probability

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["show"]

MOST_BOXES = 120  # attributes that get a box; all others are reached by the picker
MANY = 6  # known values that are shown without scrolling
BREATH = 0.1  # seconds in which the browser draws the probabilities, before it is given the charts below
NEXT = 5  # attributes that are proposed to be measured next
UNKNOWN = "unknown"


@dataclass(frozen=True, eq=False)
class _Case:
    """What one run of the page looks at."""

    interview: Interview
    reader: Reader
    frame: "pd.DataFrame"
    target: str

    @property
    def known(self) -> dict[str, Value | None]:
        """The evidence that the model takes in."""
        return self.interview.usable(evidence.known(self.reader))


def show(screen: Screen) -> None:
    """Show the page."""
    settings = screen.settings
    reader = _reader(screen.source.digest, settings.target, screen.frame)
    interview = _interview(screen.source.digest, settings, screen.fitted.model, screen.frame)
    evidence.keep_evidence(reader, len(screen.frame))
    keep("attribute", [*interview.fields], next(iter(interview.fields)))
    keep("explained", list(interview.classes), None)
    keep("rather", list(interview.classes), None)
    _board(_Case(interview, reader, screen.frame, settings.target))


@st.cache_resource(max_entries=8, show_spinner=False)
def _reader(digest: str, target: str, _frame: "pd.DataFrame") -> Reader:
    return Reader.of(_frame, target)


@st.cache_resource(max_entries=32, show_spinner=False)
def _interview(digest: str, settings: Settings, _model: Any, _frame: "pd.DataFrame") -> Interview:
    return Interview.of(_model, training_rows(_frame, settings)[0])


@st.fragment
def _board(case: _Case) -> None:
    """Everything that follows from the evidence; a click runs this part of the page alone."""
    known = case.known
    answer, before = case.interview.ask(known), case.interview.ask({})
    st.markdown(_headline(case, known, answer))
    for remark in _remarks(case, known):
        st.warning(remark)
    left, right = st.columns([5, 11], gap="medium")
    with left:
        _class_panel(case, known, answer, before)
        _known_panel(case, known)
        _case_panel(case)
        _next_panel(case, known)
    with right:
        _picker(case)
        _monitors(case, known, answer, before)
    if known:
        time.sleep(BREATH)
    show_why(case.interview, known, answer)
    show_nomogram(case.interview, known, answer)


def _headline(case: _Case, known: dict[str, Value | None], answer: Answer) -> str:
    """Say the answer in one sentence."""
    best = int(answer.classes.argmax())
    chances = [probability(share) for share in answer.classes]
    says = f"{bold(case.interview.classes[best])} has a probability of **{chances[best]}**"
    if len(set(chances)) == 1:
        says = f"all {len(chances)} classes are equally likely (**{chances[best]}**)"
    if not known:
        return f"Nothing is known yet: {says}. Click on a value to see what follows from it."
    total = len(case.interview.fields)
    return f"With {len(known)} of {plural(total, 'attribute')} known, {says}."


def _remarks(case: _Case, known: dict[str, Value | None]) -> list[str]:
    """Say what is odd about the evidence."""
    interview, remarks = case.interview, []
    left_out = [name for name in evidence.given(case.reader) if name not in known]
    if left_out:
        remarks.append(
            f"This model cannot use what is given for {literal(listed(left_out))}; it counts as unknown."
        )
    if interview.is_beyond(known):
        remarks.append(
            "No class comes anywhere near these values, so the answer is how common the classes are. "
            "Check the numbers."
        )
    conflict = interview.conflict(known)
    if conflict is not None:
        times, odd = conflict
        often = f"about {times:,.0f} times" if times < 1e6 else "more than a million times"
        remarks.append(
            f"These values hardly go together: all at once they are {often} rarer than if they had nothing "
            f"to do with each other. Most at odds with the rest is {bold(odd)}; is it right?"
        )
    return remarks


def _class_panel(case: _Case, known: dict[str, Value | None], answer: Answer, before: Answer) -> None:
    interview = case.interview
    st.markdown(
        f"**How likely is each {literal(case.target) if case.target.lower() != 'class' else 'class'}?**",
        help="The thin line marks where each stood before anything was known. Click on a class to see below "
        "what speaks for it.",
    )
    explained = st.session_state.get("explained")
    chosen = interview.classes.index(explained) if explained in interview.classes else None
    box = Box(interview.target, interview.classes, chosen, "", tuple(answer.classes), tuple(before.classes))
    show_monitors("classes", [box], partial(_explain_class, interview), large=True)
    st.code(_formula(interview, known, answer), language=None, wrap_lines=True)


def _explain_class(interview: Interview) -> None:
    click = clicked("classes")
    if click is not None:
        label = interview.classes[click[1]]
        st.session_state["explained"] = None if st.session_state.get("explained") == label else label
        st.session_state["rather"] = None


def _formula(interview: Interview, known: dict[str, Value | None], answer: Answer) -> str:
    """Write the answer as a sentence to copy."""
    best = int(answer.classes.argmax())
    facts = ", ".join(_fact(interview, known, name) for name in known)
    event = f"{interview.target} = {interview.classes[best]}"
    return f"P({event}{' | ' if facts else ''}{facts}) = {probability(answer.classes[best])}"


def _known_panel(case: _Case, known: dict[str, Value | None]) -> None:
    """Show what is known; a click on a piece takes it back."""
    names = [*evidence.given(case.reader)]
    st.session_state["known"] = names
    with st.container(height=250 if len(names) > MANY else "content", border=False):
        st.pills(
            "Known",
            names,
            key="known",
            selection_mode="multi",
            format_func=lambda name: "✕ " + literal(_fact(case.interview, known, name)),
            on_change=partial(_take_back, case.reader),
            help="What is known about the case; click on a piece to take it back.",
        )
    with st.container(horizontal=True):
        st.button(
            "Undo",
            on_click=evidence.undo,
            disabled=not evidence.can_undo(),
            help="Take the last change back.",
        )
        st.button("Reset", on_click=evidence.forget, disabled=not names, help="Make everything unknown.")


def _fact(interview: Interview, known: dict[str, Value | None], name: str) -> str:
    return interview.fact(name, known[name]) if name in known else f"{name} (not used)"


def _take_back(reader: Reader) -> None:
    kept = set(st.session_state["known"])
    evidence.set_known(
        {name: text for name, text in evidence.given(reader).items() if name in kept}, evidence.case()
    )


def _case_panel(case: _Case) -> None:
    """Let a row of the table be the case, and show what class it has there."""
    row = evidence.case()
    st.session_state["row"] = row
    st.number_input(
        "Take a case from the table",
        min_value=1,
        max_value=len(case.frame),
        value=None,
        step=1,
        key="row",
        placeholder=f"row 1 to {len(case.frame):,}",
        on_change=partial(_take_case, case),
        help="Fills in all values of that row; the first row below the column names is row 1.",
    )
    if row is not None:
        cells = case.reader.row(case.frame.iloc[row - 1].to_dict())
        now = evidence.known(case.reader)
        changed = sum(
            name not in now or case.reader.value(name, cells[name]) != (now[name],)
            for name in case.interview.fields
        )
        truth = f"In the table row {row:,} is {bold(str(case.frame[case.target].iloc[row - 1]))}"
        st.markdown(f"{truth}." if not changed else f"{truth}; {plural(changed, 'value')} changed since.")


def _take_case(case: _Case) -> None:
    row = st.session_state["row"]
    if row is not None:
        cells = case.reader.row(case.frame.iloc[row - 1].to_dict())
        evidence.set_known({name: cells[name] for name in case.interview.fields}, row)


def _next_panel(case: _Case, known: dict[str, Value | None]) -> None:
    """Rank the unknown attributes by what they are expected to tell."""
    st.markdown(
        "**What to measure next**",
        help="What the value of an unknown attribute is expected to tell about the class, in bits, with all "
        "that is known taken into account.",
    )
    ranked = case.interview.next_best(known)
    if ranked is None:
        st.caption(f"{case.interview.model.title} cannot tell what an unknown value is expected to bring.")
        return
    with st.container(gap=None):
        for name, bits in ranked.head(NEXT).itertuples(index=False):
            st.button(
                f"{literal(name)} · {bits:.3f}\N{NO-BREAK SPACE}bits",
                key=f"next {name}",
                type="tertiary",
                on_click=partial(_point_at, name),
            )
    if ranked.empty:
        st.caption("Everything is known.")


def _point_at(name: str) -> None:
    st.session_state["attribute"] = name
    st.session_state["asked"] = st.session_state.get("asked", 0) + 1


def _picker(case: _Case) -> None:
    """Set one attribute by typing."""
    chosen, entry = st.columns(2)
    name = chosen.selectbox(
        "Attribute",
        [*case.interview.fields],
        key="attribute",
        help="Type to search; the most important attributes come first.",
    )
    text = evidence.given(case.reader).get(name)
    key = f"value of {name}"
    change = partial(_type_in, case.reader, name, key)
    if case.interview.fields[name].is_number:
        found = None if text is None else case.reader.value(name, text)
        st.session_state[key] = found[0] if found else None
        entry.number_input(
            "Value", value=None, key=key, placeholder=UNKNOWN, on_change=change, format="%0.6g", step=None
        )
    else:
        options = list(dict.fromkeys(case.interview.fields[name].texts))
        st.session_state[key] = text if text in options else None
        entry.selectbox("Value", options, index=None, key=key, placeholder=UNKNOWN, on_change=change)


def _type_in(reader: Reader, name: str, key: str) -> None:
    value = st.session_state[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = evidence.number_text(float(value))
    evidence.change(reader, name, value)


def _monitors(case: _Case, known: dict[str, Value | None], answer: Answer, before: Answer) -> None:
    interview = case.interview
    if answer.states is None:
        st.caption(
            f"{interview.model.title} says how likely each class is, but nothing about the other attributes: "
            "their values can be set, and have no bars."
        )
    names = [*known, *(name for name in interview.fields if name not in known)][: max(MOST_BOXES, len(known))]
    shown = set(names) | {st.session_state["attribute"]}
    if len(shown) < len(interview.fields):
        st.caption(
            f"Boxes for {len(shown)} of {len(interview.fields):,} attributes, the most important ones; the "
            "others can be set above."
        )
    texts = evidence.given(case.reader)
    boxes = [
        _box(field, known, texts, answer, before) for name, field in interview.fields.items() if name in shown
    ]
    focus = (st.session_state["attribute"], st.session_state.get("asked", 0))
    show_monitors("monitors", boxes, partial(_set_state, case), focus=focus)


def _box(
    field: Field, known: dict[str, Value | None], texts: dict[str, str], answer: Answer, before: Answer
) -> Box:
    name = field.name
    chosen = field.state(known[name]) if name in known else None
    value = texts[name] if name in known and field.is_number else ""
    has_bars = answer.states is not None and name in answer.states
    return Box(
        name,
        field.column.labels,
        chosen,
        value,
        tuple((answer.states or {})[name]) if has_bars else None,
        tuple((before.states or {})[name]) if has_bars else None,
    )


def _set_state(case: _Case) -> None:
    click = clicked("monitors")
    if click is not None and click[0] in case.interview.fields:
        name, state = click
        field = case.interview.fields[name]
        is_set = name in case.known and field.state(case.known[name]) == state
        evidence.change(case.reader, name, None if is_set else field.texts[state])
