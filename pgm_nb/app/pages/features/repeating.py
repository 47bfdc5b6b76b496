"""Which attributes repeat what another one says."""

from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.widgets.charts import offer_numbers
from pgm_nb.app.widgets.markdown import bold
from pgm_nb.explain.importance.sentences import repeats
from pgm_nb.words import scale

if TYPE_CHECKING:
    from pgm_nb.explain.importance import Study

__all__ = ["show"]

SENTENCES = 3  # written out; the table has the rest


def show(study: "Study") -> None:
    """Say which attributes follow from another, and list all."""
    table = study.repeated
    if len(table) < 2:
        return
    st.markdown(
        "#### What follows from another attribute",
        help="A second question: not how much an attribute says about the class, but how much of that one "
        "other attribute has said already. An attribute that follows from another can be important, "
        "measured instead of it, or left out beside it.",
    )
    said = repeats(table, bold)
    if said:
        st.markdown("\n".join(f"- {sentence}" for sentence in said[:SENTENCES]))
    else:
        st.markdown("No attribute follows from another one: each says something of its own.")
    of = scale()
    of_what = "" if of is None else ", of what there is to know"
    unit, format, times = (" (bits)", "%.3f", 1.0) if of is None else ("", "%.0f%%", 100 / of.of_class())
    table = table.assign(alone=times * table["alone"], adds=times * table["adds"])
    st.dataframe(
        table.assign(other=table["other"].where(table["share"] > 0))[
            ["attribute", "alone", "other", "share", "adds"]
        ].round({"share": 2}),
        hide_index=True,
        placeholder="–",
        height="content" if len(table) <= 10 else 390,
        column_config={
            "attribute": st.column_config.TextColumn("Attribute"),
            "alone": st.column_config.NumberColumn(
                f"On its own{unit}",
                format=format,
                help=f"What it says about the class with nothing else known{of_what}.",
            ),
            "other": st.column_config.TextColumn(
                "Follows most from", help="The attribute after which it adds least."
            ),
            "share": st.column_config.ProgressColumn(
                "Already said",
                format="percent",
                min_value=0.0,
                max_value=1.0,
                help="The part of what it says about the class that the other attribute has said.",
            ),
            "adds": st.column_config.NumberColumn(
                f"Still adds{unit}", format=format, help="What it adds once the other attribute is known."
            ),
        },
    )
    offer_numbers(study.repeated, "redundancy", "These numbers with their intervals, for a spreadsheet.")
