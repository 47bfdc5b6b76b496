"""Why the answer is what it is: the log-odds as a sum, and the nomogram of the same sum."""

from base64 import b64encode
from functools import partial
from html import escape

import streamlit as st

from pgm_nb.app.shell.address import follow, put
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.print_files import offer_prints
from pgm_nb.explain.cases import CaseAnalysis, CasePosterior
from pgm_nb.explain.protocols import Known
from pgm_nb.words import probability, scale

__all__ = ["show_nomogram", "show_why"]

FEW = 5  # classes that stand side by side
AT_FIRST = "By default the most probable class, compared with the next."


def show_why(analysis: CaseAnalysis, known: Known, posterior: CasePosterior) -> None:
    """Show what each known value adds to the log-odds of a class against another."""
    st.markdown(
        "#### Why",
        help=("Log-odds measure" if scale() is None else "The bars show")
        + " how strongly a value speaks for one class against another"
        + (": +0.7 doubles the odds, +2.3 makes them ten times as high" if scale() is None else "")
        + ". Bars to the right speak for the class.",
    )
    if not known:
        st.caption("As soon as a value is known, this chart shows what each value adds.")
        return
    label, against = _choose_classes(analysis, posterior)
    why = analysis.explain(known, label, against)
    add_up = (
        f", and add each known value. They sum to {why.log_odds:+z.2f}, which gives"
        if scale() is None
        else ". Each known value multiplies (×) or divides (÷) that ratio. Together they give"
    )
    st.markdown(
        f"The bars start with how common {bold(label)} is compared with {bold(against)}{add_up} "
        f"{bold(label)} a probability of **{probability(why.probability)}**."
    )
    theme = st.context.theme.type or "light"
    chart = why.chart(theme=theme)
    said = str(why) if scale() is None else f"{label} has a probability of {probability(why.probability)}."
    show_chart(chart, why.to_frame(), "why", f"What speaks for {label} against {against}: {said}")


def _choose_classes(analysis: CaseAnalysis, posterior: CasePosterior) -> tuple[str, str]:
    """Let the user choose which class is explained, and against which; by default the two most probable."""
    label, against = _explained(analysis, posterior)
    with st.container(horizontal=True):
        if len(analysis.classes) <= FEW:
            st.segmented_control(
                "What speaks for",
                analysis.classes,
                key="explained",
                format_func=literal,
                help=AT_FIRST,
                on_change=safely(partial(follow, "explained")),
            )
        else:
            st.selectbox(
                "What speaks for",
                analysis.classes,
                index=None,
                key="explained",
                placeholder=label,
                help=AT_FIRST,
                on_change=safely(partial(follow, "explained")),
            )
        if len(analysis.classes) > 2:
            others = [name for name in analysis.classes if name != label]
            if st.session_state.get("rather") not in (None, *others):
                put("rather", None)
            st.selectbox(
                "rather than",
                others,
                index=None,
                key="rather",
                placeholder=against,
                on_change=safely(partial(follow, "rather")),
            )
    return label, against


def _explained(analysis: CaseAnalysis, posterior: CasePosterior) -> tuple[str, str]:
    """Return the class that is explained and the class it is compared with."""
    ranked = [analysis.classes[i] for i in (-posterior.classes).argsort(kind="stable")]
    label: str = st.session_state.get("explained") or ranked[0]
    others = [name for name in ranked if name != label]
    chosen = [name for name in others if name == st.session_state.get("rather")]
    return label, (chosen or others)[0]


def show_nomogram(analysis: CaseAnalysis, known: Known, posterior: CasePosterior) -> None:
    """Show the nomogram, with what is known marked on its scales, if the model has one."""
    label, against = _explained(analysis, posterior)
    drawn = analysis.nomogram(label, against)
    if drawn is None:
        return
    case = {name: analysis.label(name, value) for name, value in known.items()}
    svg = drawn.draw(theme=st.context.theme.type or "light", known=case)
    with st.expander("Nomogram: the same sum on paper"):
        st.markdown(
            "Every value is worth some points. Add them up, find the total on the scale below, and read off "
            f"the probability of {bold(label)}. Known values are marked; unknown ones do not change the odds."
        )
        st.html(_image(svg.encode(), f"Nomogram of {label} against {against}"))
        with st.container(horizontal=True):
            offer_prints(partial(drawn.printed, known=case), "nomogram")


def _image(svg: bytes, alternative: str) -> str:
    """Return HTML that shows an SVG as an image, in which no script can run."""
    return (
        f'<img src="data:image/svg+xml;base64,{b64encode(svg).decode()}" alt="{escape(alternative)}" '
        'style="display:block; margin:0 auto; max-width:100%; height:auto">'
    )
