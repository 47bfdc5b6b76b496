"""The panel of the Fit page on probabilities: what the model says, and how often it happens."""

from typing import Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import Progress, work
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.evaluate.reliability import Calibration, calibration, known_of
from pgm_nb.words import loss_number, percent, plural, scale

__all__ = ["MOST_ROWS", "show_reliability"]

MOST_ROWS = 3_000  # rows that are judged; of a larger table a random sample
FOLDS = 5
WIDTH = 480  # of the chart, in pixels: about as wide as high


def show_reliability(screen: Screen, theme: str) -> None:
    """Show how far the probabilities of the chosen model can be relied on."""
    st.markdown(
        "#### Can its probabilities be relied on?",
        help="Every row is predicted by a model that was trained without it. Rows are sorted by the "
        "probability of the predicted class into ten groups of about equal size. The expected calibration "
        "error (ECE) is the average distance of the dots from the dashed line.",
    )
    frame, settings = screen.frame, screen.settings
    options = list(known_of(frame.shape[1] - 1 - len(settings.leave_out)))
    keep("evidence", options, "all")  # before the work is done: the address must not lose it
    found = work(
        ("reliability", screen.source.digest, settings),
        lambda progress: _judged(settings, *training_rows(frame, settings), progress),
        label="Comparing probabilities with what happened",
    )
    if found is None:
        return
    chosen = st.segmented_control(
        "How much is known of a row",
        options,
        format_func=str.capitalize,
        key="evidence",
        help="The other cells are hidden at random. A model can be right with everything known and far too "
        "sure with little known, or the other way round.",
        required=True,
    )
    level = found.levels[chosen or "all"]
    st.markdown(literal(level.sentence))
    curve = level.curve
    table = pd.DataFrame({"model says": curve.predicted, "happens": curve.observed, "rows": curve.rows})
    alternative = " ".join(
        f"Says {percent(said)}, happens {percent(came)}."
        for said, came in zip(curve.predicted.tolist(), curve.observed.tolist(), strict=True)
    )
    with st.container(width=WIDTH):
        show_chart(found.chart(level.known, theme=theme), table, "reliability", alternative)
    sample = f" Judged on {plural(found.n_rows, 'row')} drawn at random." if found.n_rows < len(frame) else ""
    st.caption(
        "A dot above the dashed line: it happens more often than the model says. Below: less often. The bars "
        f"show what chance leaves open.{sample}",
        help=f"Expected calibration error {curve.error:.3f}; {_loss(level.log_loss)}; "
        f"{plural(level.attributes, 'attribute')} known.",
    )


def _loss(loss: float) -> str:
    if scale() is None:
        return f"log-loss {loss_number(loss)} per row"
    return f"the true class typically gets {loss_number(loss)}"


def _judged(settings: Settings, X: pd.DataFrame, y: "pd.Series[Any]", progress: Progress) -> Calibration:
    if len(X) > MOST_ROWS:
        drawn = X.sample(MOST_ROWS, random_state=0).index
        X, y = X.loc[drawn], y.loc[drawn]
    often = y.map(y.value_counts()) >= 2  # a class of one row cannot be both learned and judged
    X, y = X[often], y[often]
    folds = max(2, min(FOLDS, int(y.value_counts().min())))
    return calibration(settings.estimator(), X, y, cv=folds, progress=progress)
