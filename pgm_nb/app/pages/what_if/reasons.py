"""Why the answer is what it is: the log-odds taken apart, and the nomogram of naive Bayes."""

from base64 import b64encode
from collections.abc import Mapping
from html import escape

import streamlit as st

from pgm_nb.app.pages.what_if.answers import Answer, Interview
from pgm_nb.app.pages.what_if.evidence import Value
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.words import bold, literal
from pgm_nb.words import probability

__all__ = ["show_nomogram", "show_why"]

FEW = 5  # classes that stand side by side
AT_FIRST = "At first the likeliest class, held against the next."


def show_why(interview: Interview, known: Mapping[str, Value | None], answer: Answer) -> None:
    """Show what each known value adds to the log-odds of a class against another."""
    st.markdown(
        "#### Why",
        help="Log-odds count how strongly something speaks for one class against another: 0.7 doubles the "
        "odds, 2.3 makes them ten times as high; what speaks for the class goes to the right.",
    )
    if not known:
        st.caption("Once something is known, this shows what each value adds.")
        return
    label, against = _choose_classes(interview, answer)
    why = interview.explain(known, label, against)
    st.markdown(
        f"From how common {bold(label)} and {bold(against)} are to what is known now: the bars add up to "
        f"{why.log_odds:+.2f}, which gives {bold(label)} a probability of **{probability(why.probability)}**."
    )
    theme = st.context.theme.type or "light"
    chart = why.chart(theme=theme)
    show_chart(chart, why.to_frame(), "why", f"What speaks for {label} against {against}: {why}")


def _choose_classes(interview: Interview, answer: Answer) -> tuple[str, str]:
    """Let the user choose which class is explained, and against which; at first the two likeliest."""
    label, against = _explained(interview, answer)
    with st.container(horizontal=True):
        if len(interview.classes) <= FEW:
            st.segmented_control(
                "What speaks for", interview.classes, key="explained", format_func=literal, help=AT_FIRST
            )
        else:
            st.selectbox(
                "What speaks for",
                interview.classes,
                index=None,
                key="explained",
                placeholder=label,
                help=AT_FIRST,
            )
        if len(interview.classes) > 2:
            others = [name for name in interview.classes if name != label]
            if st.session_state.get("rather") not in others:
                st.session_state["rather"] = None
            st.selectbox("rather than", others, index=None, key="rather", placeholder=against)
    return label, against


def _explained(interview: Interview, answer: Answer) -> tuple[str, str]:
    """Return the class that is explained and the class it is held against."""
    ranked = [interview.classes[i] for i in (-answer.classes).argsort(kind="stable")]
    label: str = st.session_state.get("explained") or ranked[0]
    others = [name for name in ranked if name != label]
    chosen = [name for name in others if name == st.session_state.get("rather")]
    return label, (chosen or others)[0]


def show_nomogram(interview: Interview, known: Mapping[str, Value | None], answer: Answer) -> None:
    """Show the nomogram of naive Bayes with what is known marked on its scales."""
    from pgm_nb.explain import nomogram
    from pgm_nb.models import NaiveBayes

    if not isinstance(interview.model, NaiveBayes):
        return
    label, against = _explained(interview, answer)
    case = {name: interview.label(name, value) for name, value in known.items()}
    drawn = nomogram(interview.model, label=label, against=against)
    svg = drawn.draw(theme=st.context.theme.type or "light", known=case)
    with st.expander("Nomogram: the same sum on paper"):
        st.markdown(
            "Every value is worth some points; add them up, find the total below and read off the "
            f"probability of {bold(label)}. What is known is marked; the rest leaves the odds as they are."
        )
        st.html(_image(svg.encode(), f"Nomogram of {label} against {against}"))
        st.download_button(
            "Nomogram as SVG",
            svg,
            file_name="nomogram.svg",
            mime="image/svg+xml",
            on_click="ignore",
            type="tertiary",
            help="For print; sharp at any size.",
        )


def _image(svg: bytes, alternative: str) -> str:
    """Return HTML that shows an SVG as an image, in which no script can run."""
    return (
        f'<img src="data:image/svg+xml;base64,{b64encode(svg).decode()}" alt="{escape(alternative)}" '
        'style="display:block; margin:0 auto; max-width:100%; height:auto">'
    )
