"""The table of the attributes below the picture: what each of them brings."""

from typing import Any

import streamlit as st

from pgm_nb.app.widgets.words import SHARES
from pgm_nb.words import GLOSSARY, SAME_BITS

__all__ = ["show_ranking"]


def show_ranking(model: Any) -> None:
    """Show what every attribute brings, in the order they joined or by what they tell."""
    table = model.importance_
    if "kl" in table and table["kl"].notna().all():
        _joined(table)
    else:
        _ranking(table)


def _joined(steps: Any) -> None:
    st.markdown("#### Attributes in the order they joined")
    steps.insert(0, "step", range(1, len(steps) + 1))
    steps["mother"] = steps["mother"].astype(object).where(steps["mother"].notna(), "–")
    number = st.column_config.NumberColumn
    st.dataframe(
        steps,
        hide_index=True,
        column_config={
            "step": number("Step", width=50),
            "attribute": st.column_config.TextColumn("Attribute"),
            "mother": st.column_config.TextColumn("Mother", help=GLOSSARY["mother"]),
            "gain": _bar(
                steps["gain"],
                "Adds (bits)",
                "What it tells about the class, and what it and its mother tell about each other besides.",
                width=98,
            ),
            "weight": number("Weight", format="%.3f", help=GLOSSARY["weight"]),
            "kl": number("KL divergence", format="%.3f", help=GLOSSARY["KL divergence"], width=104),
        },
    )


def _ranking(table: Any) -> None:
    """Show the attributes of models without a joint distribution over groups."""
    st.markdown("#### Attributes by what they tell about the class")
    table = table.dropna(axis="columns", how="all")
    table.insert(0, "step", range(1, len(table) + 1))
    if "strongest" in table:
        table["strongest"] = table["strongest"].astype(object).where(table["strongest"].notna(), "–")
        table["share"] *= 100
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "step": number("Rank", width="small"),
            "attribute": st.column_config.TextColumn("Attribute"),
            "gain": _bar(table["gain"], "Tells about the class (bits)", GLOSSARY["bits"]),
            "weight": number("Together", format="%.3f", help="The bits of this and all attributes above it."),
            "members": number("Mixed from", help=GLOSSARY["hidden parent"]),
            "strongest": st.column_config.TextColumn("Largest share"),
            "share": number("Share", format="%.0f%%", help=SHARES),
        },
    )


def _bar(values: Any, label: str, help: str, width: int | None = None) -> Any:
    most = max(float(values.max()), SAME_BITS)
    return st.column_config.ProgressColumn(
        label, format="%.3f", min_value=0.0, max_value=most, help=help, width=width
    )
