"""The Compare page: models on the same rows and intervals, with tests of their differences."""

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.pages.fit import all_models
from pgm_nb.app.shell.address import keep, keep_several
from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.words import in_bits, p_value, percent

if TYPE_CHECKING:
    from pgm_nb.evaluate import Comparison

__all__ = ["show"]

FOLDS = {
    "5": "5 folds",
    "10": "10 folds",
    "3x5": "5 folds, 3 times",
    "10x10": "10 folds, 10 times (slow)",
}
METRICS = {
    "log_loss": "Log-loss",
    "accuracy": "Accuracy",
    "auc": "AUC",
    "brier": "Brier score",
    "fit_seconds": "Time to learn",
    "predict_seconds": "Time to classify",
}
METRIC_HELP = """\
- **Log-loss**: how little probability the model gave to the true class, in bits; less is better.
- **Accuracy**: the share of rows whose most probable class is the true one.
- **AUC**: how often a row of a class gets a higher probability of that class than a row of another class;
  0.5 is guessing.
- **Brier score**: the squared distance between the probabilities and the truth; less is better.
"""
CHANCE = 0.05


def show(screen: Screen) -> None:
    """Show the page."""
    chosen = _choose(screen)
    if len(chosen) < 2:
        st.info("Choose at least two models.")
        return
    keep("folds", [*FOLDS], "5")
    folds = st.selectbox(
        "Cross-validation",
        [*FOLDS],
        key="folds",
        format_func=FOLDS.__getitem__,
        help="The rows are divided into folds; each fold is predicted by models learned from all other "
        "folds. More folds and repetitions give steadier numbers and take longer.",
    )
    frame, settings = screen.frame, screen.settings
    cv: Any = int(folds) if folds.isdigit() else folds

    def make(progress: Any) -> "Comparison":
        from pgm_nb.evaluate import compare

        return compare(chosen, *training_rows(frame, settings), cv=cv, progress=progress)

    key = ("compare", screen.source.digest, settings, tuple(chosen), folds)
    result = work(key, make, label="Comparing the models on the same rows")
    if result is not None:
        _show_result(result)


def _choose(screen: Screen) -> dict[str, Any]:
    """Let the user choose the models; all learn from the columns and intervals chosen on the left."""
    from pgm_nb.evaluate import PEERS
    from pgm_nb.models import MODELS

    entrants = all_models(screen.settings) | {title: make() for title, make in PEERS.values()}
    usual = [kind.variants()[0].name for kind in MODELS if kind.is_baseline]
    keep_several("who", [*entrants], [*usual, PEERS["logistic"][0]])
    names = st.multiselect(
        "Models",
        [*entrants],
        key="who",
        help=f"The last {len(PEERS)} come from scikit-learn and have no graph: they show how much accuracy a "
        "readable model costs, if any.",
    )
    return {name: entrants[name] for name in names}


def _show_result(result: "Comparison") -> None:
    theme = st.context.theme.type or "light"
    st.markdown(literal(finding(result)))
    for sentence in result.failure_sentences():
        st.warning(literal(sentence))
    _table(result)
    keep("by", [*METRICS], "log_loss")
    metric = st.radio(
        "Score", [*METRICS], key="by", format_func=METRICS.__getitem__, horizontal=True, help=METRIC_HELP
    )
    table = result.to_frame()
    alternative = " ".join(
        f"{name}: {value:.3f}." for name, value in zip(table["model"], table[metric], strict=True)
    )
    st.caption("Each tick is one fold; the point is the mean over the folds, the line its standard error.")
    show_chart(result.chart(metric, theme=theme), result.scores, "comparison", alternative)
    _pairs(result, metric)
    _calibration(result, theme)


def finding(result: "Comparison") -> str:
    """Say which model predicts best, and whether its lead over the next is more than chance."""
    table = result.to_frame().dropna(subset=["log_loss"]).sort_values("log_loss", kind="stable")
    if table.empty:
        return "None of the models could be tested on this table."
    best = table.iloc[0]
    sentence = (
        f"{best['model']} predicts best: it is right in {percent(best['accuracy'], digits=1)} of the rows, "
        f"with a log-loss of {in_bits(best['log_loss'])}."
    )
    if len(table) == 1:
        return sentence
    second = table.iloc[1]["model"]
    pairs = result.pairs("log_loss")
    [p] = pairs.loc[pairs[["model", "other"]].isin([best["model"], second]).all(axis=1), "p_holm"]
    if pd.isna(p):
        return sentence
    verdict = "is more than chance" if p < CHANCE else "may be chance"
    return f"{sentence} Its lead over {second} {verdict} ({p_value(p)})."


def _table(result: "Comparison") -> None:
    table = result.to_frame()
    table = table.assign(accuracy=100 * table["accuracy"], ece=100 * table["ece"])
    number = st.column_config.NumberColumn
    st.dataframe(
        table[["model", "log_loss", "accuracy", "auc", "brier", "ece", "fit_seconds", "predict_seconds"]],
        hide_index=True,
        column_config={
            "model": st.column_config.TextColumn("Model"),
            "log_loss": number("Log-loss", format="%.3f", width=60, help="Bits per row; less is better."),
            "accuracy": number("Accuracy", format="%.1f%%", width=66),
            "auc": number("AUC", format="%.3f", width=50),
            "brier": number("Brier", format="%.3f", width=50, help="The Brier score; less is better."),
            "ece": number(
                "Calibration",
                format="%.1f%%",
                width=80,
                help="The calibration error: how far the stated probabilities are from how often they come "
                "true; 0 is best.",
            ),
            "fit_seconds": number("Learns (s)", format="%.3f", width=68),
            "predict_seconds": number("Predicts (s)", format="%.4f", width=76),
        },
    )


def _pairs(result: "Comparison", metric: str) -> None:
    pairs = result.pairs(metric)
    st.markdown(
        f"#### Are the differences in {METRICS[metric].lower()} more than chance?",
        help="The corrected resampled t-test allows for the rows that the folds share. The p-values are "
        "corrected for the number of pairs (Holm); below 0.05 a difference is usually taken as real.",
    )
    number = st.column_config.NumberColumn
    st.dataframe(
        pairs[["model", "other", "difference", "standard_error", "p_holm", "wilcoxon_p_holm"]],
        hide_index=True,
        column_config={
            "model": st.column_config.TextColumn("Model"),
            "other": st.column_config.TextColumn("Against"),
            "difference": number("Difference", format="%.4f"),
            "standard_error": number("Standard error", format="%.4f"),
            "p_holm": number("p, t-test", format="%.3f"),
            "wilcoxon_p_holm": number(
                "p, Wilcoxon",
                format="%.3f",
                help="It treats the folds as independent, which makes it too confident.",
            ),
        },
    )


def _calibration(result: "Comparison", theme: str) -> None:
    st.markdown(
        "#### When a model says 80%, is it right 80% of the time?",
        help="All predicted rows in ten groups, by how confident the model was. On the diagonal a model is "
        "right as often as it says; below it, the model is too confident.",
    )
    show_chart(
        result.calibration_chart(theme=theme),
        result.calibration(),
        "calibration",
        "How often each model is right, by how confident it is.",
    )
