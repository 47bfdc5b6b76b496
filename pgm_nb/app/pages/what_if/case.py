"""A case: its model, its table and base rates, and the widgets that set what is known of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell import evidence
from pgm_nb.app.shell.address import keep_texts, put, put_texts
from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.clicks import own_key, safely, said_by
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.arrays import Floats
from pgm_nb.engine.evidence import Between, Evidence, Likelihood, Not, OneOf, exact
from pgm_nb.explain.base_rates import in_population
from pgm_nb.explain.case_values import CaseAttribute, CaseReader, value_text
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.how_sure import RowsBehind, rows_behind
from pgm_nb.explain.protocols import Known, Value
from pgm_nb.words import percent, plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "PRIOR",
    "Case",
    "analysis_of",
    "base_rates",
    "choose_base_rates",
    "choose_row",
    "fact",
    "keep_base_rates",
    "open_case",
    "set_one",
    "show_known",
    "where_it_comes_from",
]

PRIOR = "prior"
LEAST = 0.001  # percent: a class that is possible at all
FEW = 12  # classes whose base rates can be set here
MANY = 6  # known values that are shown without scrolling
UNKNOWN = "unknown"
IS, ONE_OF, NOT, PERHAPS = "is", "is one of", "is not", "is perhaps"
BETWEEN, ABOVE, BELOW = "is between", "is above", "is below"
MOST_PERHAPS = 8  # values that can each get a likelihood
_ASKED = "kind of evidence asked for"  # of one attribute, before there is a value


@dataclass(frozen=True, eq=False)
class Case:
    """What one run of the page looks at."""

    analysis: CaseAnalysis
    reader: CaseReader
    frame: "pd.DataFrame"
    target: str
    rows: RowsBehind | None  #: the training rows, to be counted; None for a saved model alone

    @property
    def known(self) -> dict[str, Value | Evidence | None]:
        """The evidence that the model takes in."""
        return self.analysis.usable(evidence.known(self.reader))


def open_case(screen: Screen) -> Case:
    """Return what a page looks at, and keep what is known in the address."""
    digest, settings, frame = screen.source.digest, screen.settings, screen.frame
    reader = evidence.reader_of(digest, settings.target, frame)
    evidence.keep_evidence(reader, len(frame) if screen.has_table else 0)
    model = screen.fitted.model
    analysis = analysis_of(digest, settings, model, frame)
    rows = _rows(digest, settings, model, frame) if screen.has_table else None
    return Case(analysis, reader, frame, settings.target, rows)


@st.cache_resource(max_entries=32, show_spinner=False)
def analysis_of(digest: str, settings: Settings, _model: Any, _frame: "pd.DataFrame") -> CaseAnalysis:
    """Return what answers questions about cases, by a model of this table."""
    return CaseAnalysis.of(_model, training_rows(_frame, settings)[0])


@st.cache_resource(max_entries=8, show_spinner=False)
def _rows(digest: str, settings: Settings, _model: Any, _frame: "pd.DataFrame") -> RowsBehind:
    return rows_behind(_model, *training_rows(_frame, settings))


def keep_base_rates(classes: Sequence[str]) -> None:
    """Keep the base rates in the address if they are of these classes."""
    texts = keep_texts(PRIOR, lambda text: _read(text, classes) is not None)
    if texts and _rates(texts, classes) is None:
        put_texts(PRIOR, [])


def where_it_comes_from(case: Case) -> Case:
    """Return the case in the population that was chosen."""
    return replace(case, analysis=in_population(case.analysis, base_rates(case.analysis.classes)))


def base_rates(classes: Sequence[str]) -> Mapping[str, float] | None:
    """Return the base rates that were chosen; None: as in the table."""
    return _rates(st.session_state.get(PRIOR, []), classes)


def choose_base_rates(classes: tuple[str, ...], shares: Floats) -> None:
    """Let the user say how common each class is where cases come from; `shares` are the present ones."""
    other = bool(st.session_state.get(PRIOR))
    if len(classes) > FEW:
        return
    with st.expander("Base rate" + (" (changed)" if other else ""), expanded=other):
        st.caption(
            "How common is each class where cases come from? What the values say stays the same, and the "
            "odds follow. At first it is as common as in the table."
        )
        set_here = classes[-1:] if len(classes) == 2 else classes
        for name in set_here:
            st.number_input(
                f"{literal(name)}, in %",
                min_value=LEAST,
                max_value=100 - LEAST,
                step=1.0,
                format="%0.4g",
                key=own_key(f"base rate of {name}", float(100 * shares[classes.index(name)])),
                on_change=safely(partial(_set, classes, tuple(shares.tolist()), name)),
            )
        if len(classes) == 2:
            st.caption(f"{literal(classes[0])}: {percent(float(shares[0]), digits=1)}.")
        else:
            st.caption("The others share what is left, as they did before.")
        st.button("As in the table", on_click=safely(_as_in_the_table), disabled=not other)


def _set(classes: tuple[str, ...], shares: tuple[float, ...], name: str) -> None:
    """Give one class its share; the others divide the rest in the proportions they had."""
    place, own = classes.index(name), float(said_by(f"base rate of {name}")) / 100
    rest = 1 - shares[place]
    rates = [own if i == place else (1 - own) * share / rest for i, share in enumerate(shares)]
    put_texts(PRIOR, [f"{label}={rate:.12g}" for label, rate in zip(classes, rates, strict=True)])


def _as_in_the_table() -> None:
    put_texts(PRIOR, [])


def _read(text: str, classes: Sequence[str]) -> tuple[str, float] | None:
    name, _, number = text.rpartition("=")
    try:
        share = float(number)
    except ValueError:
        return None
    return (name, share) if name in classes and 0 < share < 1 else None


def _rates(texts: Sequence[str], classes: Sequence[str]) -> Mapping[str, float] | None:
    """Return the base rates, scaled to one; None unless every class has one."""
    read = [_read(text, classes) for text in texts]
    rates = dict(pair for pair in read if pair is not None)
    if len(rates) < len(classes):
        return None
    total = sum(rates.values())
    return {name: rate / total for name, rate in rates.items()}


def show_known(case: Case, known: Known) -> None:
    """Show what is known; a click on a value removes it."""
    names = [*evidence.given(case.reader)]
    with st.container(height=250 if len(names) > MANY else "content", border=False):
        st.pills(
            "Known",
            names,
            key=own_key("known", names),
            selection_mode="multi",
            format_func=lambda name: "✕ " + literal(fact(case.analysis, known, name)),
            on_change=safely(partial(_take_back, case.reader)),
            help="What is known about the case; click a value to remove it.",
        )
    with st.container(horizontal=True):
        st.button(
            "Undo",
            on_click=safely(evidence.undo),
            disabled=not evidence.can_undo(),
            help="Undo the last change.",
        )
        st.button(
            "Reset", on_click=safely(evidence.forget), disabled=not names, help="Make everything unknown."
        )


def fact(analysis: CaseAnalysis, known: Known, name: str) -> str:
    """Write what is known of an attribute."""
    return analysis.fact(name, known[name]) if name in known else f"{name} (not used)"


def _take_back(reader: CaseReader) -> None:
    kept = set(said_by("known"))
    said = evidence.given(reader)
    evidence.set_known([text for name, text in said.items() if name in kept], evidence.case())


def choose_row(case: Case) -> None:
    """Let a row of the table be the case, and show what class it has there."""
    if case.rows is None:
        return
    row = evidence.case()
    st.number_input(
        "Use a case from the table",
        min_value=1,
        max_value=len(case.frame),
        value=None,
        step=1,
        key=own_key("row", row),
        placeholder=f"row 1 to {len(case.frame):,}",
        on_change=safely(partial(_take_case, case)),
        help="Fills in all values of that row; the first row below the column names is row 1.",
    )
    with st.container():
        _show_truth(case, row)


def _show_truth(case: Case, row: int | None) -> None:
    if row is not None:
        cells = case.reader.row(case.frame.iloc[row - 1].to_dict())
        now = evidence.known(case.reader)
        changed = sum(
            name not in now or case.reader.value(name, cells[name]) != (now[name],)
            for name in case.analysis.attributes
        )
        truth = f"In the table, row {row:,} is {bold(str(case.frame[case.target].iloc[row - 1]))}"
        st.markdown(f"{truth}." if not changed else f"{truth}; {plural(changed, 'value')} changed since.")


def _take_case(case: Case) -> None:
    row = said_by("row")
    if row is not None:
        cells = case.reader.row(case.frame.iloc[row - 1].to_dict())
        evidence.take_row({name: cells[name] for name in case.analysis.attributes}, row)


@dataclass(frozen=True, eq=False)
class _Entry:
    """One attribute, and what is known of it."""

    case: Case
    attribute: CaseAttribute
    now: Value | Evidence | None
    is_known: bool

    def key(self, part: str) -> str:
        """Return the name of a widget."""
        return f"{part} of {self.attribute.name}"

    @property
    def options(self) -> list[str]:
        """The values to choose from, as texts."""
        return list(dict.fromkeys(self.attribute.texts))

    @property
    def kinds(self) -> list[str]:
        """How the attribute can be known."""
        words = [IS, ONE_OF, NOT, *([PERHAPS] if len(self.options) <= MOST_PERHAPS else [])]
        if not self.case.reader.columns[self.attribute.name].number:
            return words
        ranges = [BETWEEN, ABOVE, BELOW]
        return [IS, *ranges] if self.attribute.column.cuts is not None else [*words, *ranges]

    @property
    def kind(self) -> str:
        """How it is known now."""
        if isinstance(self.now, Between):
            ends = BELOW if math.isinf(self.now.low) else ABOVE
            return ends if self.now.strict else BETWEEN
        kinds: dict[type, str] = {OneOf: ONE_OF, Not: NOT, Likelihood: PERHAPS}
        return kinds.get(type(self.now), IS)

    def set(self, to: str | Evidence | None) -> None:
        """Make it known."""
        st.session_state.pop(_ASKED, None)
        evidence.change(self.case.reader, self.attribute.name, to)

    def value(self, text: str) -> Value | None:
        """Return the value of one of the options."""
        found = self.case.reader.value(self.attribute.name, text)
        return found[0] if found else None


def set_one(case: Case) -> None:
    """Set one attribute by typing."""
    chosen, how, at = st.columns([5, 3, 5])
    name = chosen.selectbox(
        "Attribute",
        [*case.analysis.attributes],
        key=own_key("attribute here", st.session_state["attribute"]),
        on_change=safely(_turn_to),
        help="Type to search; the attributes that say most about the class come first.",
    )
    known = evidence.known(case.reader)
    entry = _Entry(case, case.analysis.attributes[name], known.get(name), name in known)
    asked: tuple[str, str] = st.session_state.get(_ASKED, ("", ""))
    kind = asked[1] if asked[0] == name and asked[1] in entry.kinds else entry.kind
    chosen_kind = how.selectbox(
        "How it is known",
        entry.kinds,
        key=own_key("kind", kind if kind in entry.kinds else IS),
        on_change=safely(partial(_ask, name)),
        help="The value itself, or less than that: a range, several values that are possible, values "
        "that are ruled out, or how well each value fits what was seen.",
    )
    with at:
        _show_entry(entry, chosen_kind)


def _turn_to() -> None:
    put("attribute", said_by("attribute here"))


def _ask(name: str) -> None:
    st.session_state[_ASKED] = (name, said_by("kind"))


def _show_entry(entry: _Entry, kind: str) -> None:
    if kind == BETWEEN:
        _between(entry)
    elif kind in (ABOVE, BELOW):
        _one_end(entry, is_low=kind == ABOVE)
    elif kind in (ONE_OF, NOT):
        _several(entry, OneOf if kind == ONE_OF else Not)
    elif kind == PERHAPS:
        _perhaps(entry)
    else:
        _plain(entry)


def _plain(entry: _Entry) -> None:
    """Enter a number, or choose a word."""
    now = entry.now if entry.is_known and not isinstance(entry.now, Evidence) else None
    if entry.attribute.is_number:
        _number(entry, "value", "Value", now, partial(_set_plain, entry))
        return
    text = value_text(now) if entry.is_known and not isinstance(entry.now, Evidence) else None
    key = own_key(entry.key("value"), text if text in entry.options else None)
    change = partial(_set_plain, entry)
    st.selectbox("Value", entry.options, index=None, key=key, placeholder=UNKNOWN, on_change=safely(change))


def _set_plain(entry: _Entry) -> None:
    value = said_by(entry.key("value"))
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = exact(float(value))
    entry.set(value)


def _number(entry: _Entry, part: str, label: str, now: Any, change: Any) -> None:
    is_number = isinstance(now, int | float) and math.isfinite(now)
    st.number_input(
        label,
        value=None,
        key=own_key(entry.key(part), float(now) if is_number else None),
        placeholder=UNKNOWN,
        on_change=safely(change),
        format="%0.6g",
        step=None,
    )


def _one_end(entry: _Entry, *, is_low: bool) -> None:
    """Enter the end of a range."""
    now = entry.now if isinstance(entry.now, Between) else None
    end = None if now is None else now.low if is_low else now.high
    _number(entry, "end", "Value", end, partial(_set_end, entry, is_low))


def _set_end(entry: _Entry, is_low: bool) -> None:
    end = said_by(entry.key("end"))
    if end is None:
        entry.set(None)
    else:
        entry.set(Between(end, math.inf, True) if is_low else Between(-math.inf, end, True))


def _between(entry: _Entry) -> None:
    """Enter both ends of a range."""
    now = entry.now if isinstance(entry.now, Between) else Between(-math.inf, math.inf)
    low, high = st.columns(2)
    change = partial(_set_range, entry)
    with low:
        _number(entry, "low", "From", st.session_state.get(_pending(entry, "low"), now.low), change)
    with high:
        _number(entry, "high", "To", st.session_state.get(_pending(entry, "high"), now.high), change)


def _pending(entry: _Entry, part: str) -> str:
    return f"pending {entry.key(part)}"


def _set_range(entry: _Entry) -> None:
    """Set the range once both ends are there, in their order."""
    ends = [said_by(entry.key(part)) for part in ("low", "high")]
    for part, end in zip(("low", "high"), ends, strict=True):
        st.session_state[_pending(entry, part)] = end
    if None not in ends:
        entry.set(Between(min(ends), max(ends)))
        for part in ("low", "high"):
            del st.session_state[_pending(entry, part)]


def _several(entry: _Entry, kind: type[OneOf] | type[Not]) -> None:
    """Choose several words."""
    match entry.now:
        case OneOf(values) | Not(values) if isinstance(entry.now, kind):
            said = [value_text(value) for value in values]
        case _:
            said = []
    key = own_key(entry.key("values"), [text for text in said if text in entry.options])
    change = partial(_set_several, entry, kind)
    st.multiselect("Values", entry.options, key=key, placeholder=UNKNOWN, on_change=safely(change))


def _set_several(entry: _Entry, kind: type[OneOf] | type[Not]) -> None:
    texts = said_by(entry.key("values"))
    if not texts or (kind is Not and len(texts) == len(entry.options)):
        entry.set(None)
    else:
        entry.set(kind(tuple(map(entry.value, texts))))


def _perhaps(entry: _Entry) -> None:
    """Say how well each value fits."""
    now = entry.now if isinstance(entry.now, Likelihood) else Likelihood(())
    weights = {value_text(value): weight for value, weight in now.weighed}
    st.caption("How likely is what was seen, if this is the value? 0: impossible, 1: certain.")
    change = partial(_set_perhaps, entry)
    for text in entry.options:
        weight = float(min(weights.get(text, 0.0 if weights else 1.0), 1.0))
        key = own_key(entry.key(f"likelihood of {text}"), weight)
        st.slider(text, 0.0, 1.0, key=key, step=0.05, on_change=safely(change))


def _set_perhaps(entry: _Entry) -> None:
    weights = {text: said_by(entry.key(f"likelihood of {text}")) for text in entry.options}
    possible = tuple((entry.value(text), weight) for text, weight in weights.items() if weight)
    entry.set(Likelihood(possible) if possible else None)
