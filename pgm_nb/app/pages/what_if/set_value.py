"""Set what is known of one attribute: a value, a range, one of several, or how well each fits."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pgm_nb.app.pages.what_if.case import Case
from pgm_nb.app.shell import evidence
from pgm_nb.app.shell.address import put
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.own_key import own_key, said_by
from pgm_nb.explain.case_attributes import CaseAttribute
from pgm_nb.explain.case_reader import value_text
from pgm_nb.explain.protocols import Value
from pgm_nb.inference import Evidence
from pgm_nb.inference.evidence import Between, Likelihood, Not, OneOf
from pgm_nb.inference.marks import exact

__all__ = ["set_one"]

UNKNOWN = "unknown"
IS, ONE_OF, NOT, PERHAPS = "is", "is one of", "is not", "is perhaps"
BETWEEN, ABOVE, BELOW = "is between", "is above", "is below"
MOST_PERHAPS = 8  # values that can each get a likelihood
_ASKED = "kind of evidence asked for"  # of one attribute, before there is a value


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
    now = entry.now
    said = [value_text(value) for value in now.values] if isinstance(now, kind) else []
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
