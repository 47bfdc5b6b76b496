"""What matters for the class: the ranking, in sentences and as a chart."""

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.pages.features.study import ranked
from pgm_nb.app.shell.address import follow, keep
from pgm_nb.app.shell.calm import calmly
from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.explain.importance.sentences import TITLES, counted, explained, in_words
from pgm_nb.views.chart.importance import Worth, worth_chart
from pgm_nb.words import about_class, class_name, scale

if TYPE_CHECKING:
    from pgm_nb.explain.importance import Study

__all__ = ["show", "title"]

ALONE = "alone"
CHOICES = {**TITLES, ALONE: "On its own"}
SAID = {
    **explained,
    "forward": f"{explained['forward']} “What to measure next” on What if begins with this order.",
    ALONE: "What each attribute says about the class while nothing else is known, by the model of all rows. "
    "An attribute that repeats another one is as high as that one.",
}
AXES = {
    "forward": "bits it adds to those above it",
    "drop": "bits lost while it is unknown",
    "share": "its share of the bits that all attributes say",
    ALONE: "bits it says on its own",
}
PLAIN_AXES = {
    "forward": "what it adds to those above it",
    "drop": "what is lost while it is unknown",
    "share": "its share",
    ALONE: "what it says on its own",
}
OF_WHAT = "of what there is to know about the class"
FIRST = 15  # attributes that are shown at once
MOST = 60  # that the chart can hold


def title(screen: Screen) -> None:
    """Write the title, before anything is computed."""
    st.markdown(
        f"#### What matters for {literal(class_name(screen.settings.target))}",
        help="The model is learned from four fifths of the rows and predicts the rest, five times, with some "
        "attributes hidden. "
        + (
            "Values are bits of log-loss: how much less surprising the true class becomes. "
            if scale() is None
            else "100% would be everything there is to know about the class. "
        )
        + "The thin lines are 95% intervals over the five parts.",
    )


def show(screen: Screen, study: "Study", theme: str) -> None:
    """Let the user choose a ranking, and show it."""
    keep("matters", [*CHOICES], "forward")
    _ranking(screen, study, theme)


@st.fragment
@calmly()
def _ranking(screen: Screen, study: "Study", theme: str) -> None:
    """Show a ranking; a click runs this part of the page alone."""
    method = st.radio(
        "Ranked by",
        [*CHOICES],
        key="matters",
        format_func=CHOICES.__getitem__,
        horizontal=True,
        on_change=safely(partial(follow, "matters")),
        help="\n\n".join(f"**{CHOICES[name]}**: {text}" for name, text in SAID.items()),
    )
    if method == ALONE:
        table: pd.DataFrame | None = _alone(screen).rename(columns={"information": "value"})
    else:
        table = ranked(screen, study, method)
    if table is None:
        return
    st.markdown(_sentence(screen, table, method))
    st.caption(" ".join([SAID[method], counted(study.folds.n_rows, study.rows)]).strip())
    _chart(table, method, theme)


def _alone(screen: Screen) -> pd.DataFrame:
    """Return what each attribute is expected to say while nothing is known."""
    return _measured_first(screen.source.digest, screen.settings, screen.fitted.model, screen.frame)


@st.cache_resource(max_entries=32, show_spinner=False)
def _measured_first(digest: str, settings: Settings, _model: Any, _frame: pd.DataFrame) -> pd.DataFrame:
    found: pd.DataFrame = _model.next_best(X=training_rows(_frame, settings)[0])
    return found[["attribute", "information"]]


def _sentence(screen: Screen, table: pd.DataFrame, method: str) -> str:
    if method != ALONE:
        return in_words(table, method, literal(screen.settings.target), bold)
    name, value = table["attribute"].iloc[0], table["value"].iloc[0]
    about = literal(class_name(screen.settings.target))
    of_it = "" if scale() is None else " of what there is to know"
    return f"On its own, {bold(name)} says most about {about}: {about_class(value)}{of_it}."


def _chart(table: pd.DataFrame, method: str, theme: str) -> None:
    most = min(len(table), MOST)
    shown = FIRST
    if most > FIRST and st.toggle(f"Show {'all' if most == len(table) else 'the first'} {most}", key="long"):
        shown = most
    worths = [
        Worth(row["attribute"], row["value"], row.get("low"), row.get("high"))
        for row in table.head(shown).to_dict("records")
    ]
    alternative = " ".join(f"{worth.attribute}: {about_class(worth.value)}." for worth in worths)
    x_title = AXES[method] if scale() is None else [f"{PLAIN_AXES[method]},", OF_WHAT]
    show_chart(worth_chart(worths, x_title=x_title, theme=theme), table, f"importance-{method}", alternative)
