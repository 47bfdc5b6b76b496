"""What to measure next: the unknown attributes by what they are expected to say about the class."""

from functools import partial

import streamlit as st

from pgm_nb.app.widgets.markdown import literal
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.protocols import Known

__all__ = ["show_next"]

NEXT = 5  # attributes that are proposed to be measured next


def show_next(analysis: CaseAnalysis, known: Known) -> None:
    """Rank the unknown attributes by their expected information about the class."""
    st.markdown(
        "**What to measure next**",
        help="The information about the class, in bits, to expect from learning the value of an unknown "
        "attribute, given everything that is known.",
    )
    ranked = analysis.next_best(known)
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
