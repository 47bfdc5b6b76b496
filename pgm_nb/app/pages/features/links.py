"""Which links are stable: the structure learned again from bootstrap samples."""

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import follow, keep
from pgm_nb.app.shell.calm import calmly
from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.charts import offer_numbers
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.picture import show_picture
from pgm_nb.app.widgets.print_files import offer_prints
from pgm_nb.words import plural, together

if TYPE_CHECKING:
    from pgm_nb.explain import EdgeStability

__all__ = ["show"]

SAMPLES = (20, 50, 100, 200)  # bootstrap samples
STABLE = 0.8  # share of the bootstrap samples in which a stable link appears


def show(screen: Screen, theme: str) -> None:
    """Show the links with the share of samples in which they appear."""
    st.markdown(
        "#### Which links are stable?",
        help="The structure is learned again from bootstrap samples: rows drawn with replacement, as if the "
        "study were repeated.",
    )
    settings = screen.settings
    if not settings.kind.chooses_links:
        st.info(
            "This model does not choose links between attributes. On the left, choose one that does: "
            f"{together(_linked_models())}."
        )
        return
    keep("draws", SAMPLES, 50)
    _again(screen, theme)


@st.fragment
@calmly()
def _again(screen: Screen, theme: str) -> None:
    """Learn again from samples; a click runs this part of the page alone."""
    settings, frame = screen.settings, screen.frame
    draws = int(
        st.select_slider(
            "Bootstrap samples",
            SAMPLES,
            key="draws",
            on_change=safely(partial(follow, "draws")),
            help="More samples take longer and give more exact numbers.",
        )
    )

    def make(progress: Any) -> "tuple[EdgeStability, pd.DataFrame]":
        from pgm_nb.explain import edge_stability, edge_tests

        X, y = training_rows(frame, settings)
        found = edge_stability(
            settings.estimator(), X, y, n_bootstrap=draws, progress=lambda done: progress(0.9 * done)
        )
        return found, edge_tests(settings.estimator().fit(X, y), X, y)

    result = work(
        ("links", screen.source.digest, settings, draws), make, label="Learning from bootstrap samples"
    )
    if result is not None:
        _show_links(*result, theme)


def _linked_models() -> list[str]:
    from pgm_nb.models import MODELS

    return [kind.title for kind in MODELS if kind.chooses_links]


def _show_links(found: "EdgeStability", tests: pd.DataFrame, theme: str) -> None:
    table = found.to_frame()
    own = table[table["learned"]]
    stable = int((own["frequency"] >= STABLE).sum())
    st.markdown(
        f"{stable} of {plural(len(own), 'link')} in the structure {'appears' if stable == 1 else 'appear'} "
        f"in at least {STABLE:.0%} of the bootstrap samples. Wide lines with large numbers are links to rely "
        "on; thin ones may be chance."
    )
    chances = {frozenset((a, b)): p for a, b, p in zip(tests["source"], tests["target"], tests["p_corrected"],
                                                        strict=True)}  # fmt: skip
    table["chance"] = [
        chances.get(frozenset(pair)) for pair in zip(table["source"], table["target"], strict=True)
    ]
    show_picture(
        found.draw(theme=theme),
        f"{len(own)} links, with the share of bootstrap samples in which each appears",
        key="links picture",
    )
    with st.container(horizontal=True):
        offer_prints(lambda format, size: found.draw(format=format, size=size), "stability")
    st.dataframe(
        table[["source", "target", "frequency", "learned", "chance"]],
        hide_index=True,
        placeholder="–",
        column_config={
            "source": st.column_config.TextColumn("Attribute"),
            "target": st.column_config.TextColumn("Attribute"),
            "frequency": st.column_config.ProgressColumn(
                "Appears in", format="percent", min_value=0.0, max_value=1.0, width=110
            ),
            "learned": st.column_config.CheckboxColumn(
                "Learned", width=80, help="Whether the link is in the structure learned from all rows."
            ),
            "chance": st.column_config.NumberColumn(
                "p-value",
                format="%.2g",
                width=80,
                help="The probability that a link this strong arises by chance (G-test, corrected for the "
                "number of links, Holm). The links were chosen on the same rows for being strong, so the "
                "true probability is larger.",
            ),
        },
    )
    offer_numbers(table, "links", "The links and their numbers, for a spreadsheet.")
