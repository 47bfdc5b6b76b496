"""The page of the fit: how much of the table each structure holds, and how it does on new rows."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd
import streamlit as st

from pgm_nb.app.pages.fit import fits
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.words import literal
from pgm_nb.views.chart.fit import Fit, Loss, loss_chart, split_chart, steps_chart
from pgm_nb.words import GLOSSARY, proven_best

__all__ = ["show"]


def show(screen: Screen) -> None:
    """Show the page."""
    models = fits.structures(screen.source, screen.settings)
    found = [fits.fit_of(name, model) for name, model in models.items()]
    st.markdown(literal(fits.finding(found)))
    theme = st.context.theme.type or "light"
    _split(found, theme)
    _steps(models, theme)
    _beyond(screen, theme)


def _split(found: Sequence[Fit], theme: str) -> None:
    st.markdown("#### What each structure holds of the table", help=GLOSSARY["weight"])
    st.caption(
        "All bars are equally long: all that the columns tell about each other. The coloured parts are in "
        "the structure, its weight; the pale part is missed, and the number in it is the KL divergence. "
        "GNB-A grows a tree step by step, GNB-O finds the best one that keeps the first pair."
    )
    table = pd.DataFrame([asdict(fit) | {"weight": fit.weight} for fit in found])
    alternative = " ".join(
        f"{f.model}: weight {f.weight:.3f} bits, KL divergence {f.kl:.3f} bits." for f in found
    )
    show_chart(split_chart(found, theme=theme), table, "fit", alternative)
    table["verdict"] = ["0, proven best" if proven_best(gap) else f"{gap:.3f}" for gap in table["gap"]]
    number = st.column_config.NumberColumn
    st.dataframe(
        table[["model", "relevance", "dependence", "weight", "kl", "verdict"]],
        hide_index=True,
        column_config={
            "model": st.column_config.TextColumn("Structure"),
            "relevance": number("The class", format="%.3f", help="The sum of I(Xi;Y), in bits."),
            "dependence": number(
                "Each other",
                format="%.3f",
                help="The sum of I(Xi;Xm|Y) over the attributes and their mothers, in bits.",
            ),
            "weight": number("Weight", format="%.3f", help=GLOSSARY["weight"]),
            "kl": number("KL divergence", format="%.3f", help=GLOSSARY["KL divergence"]),
            "verdict": st.column_config.TextColumn(
                "Below the best tree",
                alignment="right",
                help="In bits. The best tree of all is always computed as well; at 0 no tree is better.",
            ),
        },
    )


def _steps(models: dict[str, Any], theme: str) -> None:
    st.markdown(
        "#### How the attributes close the gap",
        help="Each attribute that joins lowers the KL divergence; a steep line means the first ones matter "
        "most. Click on a name above the chart to see its line alone.",
    )
    curves = {name: fits.curve(model) for name, model in models.items()}
    table = pd.DataFrame(
        [
            (name, number, attribute, kl)
            for name, curve in curves.items()
            for number, (attribute, kl) in enumerate(curve)
        ],
        columns=["model", "attributes", "last to join", "kl"],
    )
    ends = " ".join(f"{name} ends at {curve[-1][1]:.3f} bits." for name, curve in curves.items())
    show_chart(
        steps_chart(curves, theme=theme), table, "fit-steps", f"KL divergence by number of attributes. {ends}"
    )


def _beyond(screen: Screen, theme: str) -> None:
    st.markdown(
        "#### Does it hold on new rows?",
        help="Cross-validation: every model learns from most of the rows and is judged on the rest, by "
        "turns. Log-loss is how surprised it is by the true class; 0 is perfect.",
    )
    frame, settings = screen.frame, screen.settings
    result = work(
        ("held-out", screen.source.digest, fits.data_part(settings)),
        lambda progress: fits.held_out(frame, settings, progress),
        label="Judging every model on rows it has not seen",
    )
    if result is None:
        return
    losses, failures = result
    st.markdown(literal(fits.verdict(losses)))
    _losses(losses, theme)
    for sentence in failures:
        st.info(literal(sentence))
    st.caption(
        "A long line between the two marks is over-fitting: the model knows its own rows better than new "
        "ones. The hidden naive Bayes models are no joint distributions, and the last three are densities of "
        "numbers that were never grouped: they have a log-loss, but no KL divergence to this table."
    )


def _losses(losses: Sequence[Loss], theme: str) -> None:
    table = pd.DataFrame([asdict(loss) for loss in losses])
    alternative = " ".join(
        f"{loss.model}: {loss.seen:.3f} bits on its own rows, {loss.unseen:.3f} on new ones."
        for loss in losses
    )
    show_chart(loss_chart(losses, theme=theme), table, "fit-log-loss", alternative)
