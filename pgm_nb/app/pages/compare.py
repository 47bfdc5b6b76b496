"""The page that compares models: on the same rows, with the same groups, with tests of the differences."""

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.pages.fit import fits
from pgm_nb.app.shell.address import keep, keep_several
from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.words import literal

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
- **Log-loss**: how surprised a model is by the true class, in bits; less is better.
- **Accuracy**: the share of rows put into their class.
- **AUC**: how often a row of a class gets a higher probability of it than another row; 0.5 is guessing.
- **Brier score**: the squared distance between probabilities and truth; less is better.
"""
LESS_IS_BETTER = ("log_loss", "brier", "fit_seconds", "predict_seconds")
CHANCE = 0.05


def show(screen: Screen) -> None:
    """Show the page."""
    chosen = _choose(screen)
    if len(chosen) < 2:
        st.info("Choose at least two models.")
        return
    keep("folds", [*FOLDS], "5")
    folds = st.selectbox(
        "Judged on",
        [*FOLDS],
        key="folds",
        format_func=FOLDS.__getitem__,
        help="The rows are dealt into folds; each fold is judged by models learned from all the others. More "
        "folds and more times make the numbers steadier and take longer.",
    )
    frame, settings = screen.frame, screen.settings
    cv: Any = int(folds) if folds.isdigit() else folds

    def make(progress: Any) -> "Comparison":
        from pgm_nb.evaluate import compare

        return compare(chosen, *training_rows(frame, settings), cv=cv, progress=progress)

    key = ("compare", screen.source.digest, settings, tuple(chosen), folds)
    result = work(key, make, label="Comparing on the same rows")
    if result is not None:
        _show_result(result)


def _choose(screen: Screen) -> dict[str, Any]:
    """Let the user choose who takes part; all learn from the columns and groups chosen on the left."""
    from pgm_nb.evaluate import PEERS

    entrants = fits.entrants(screen.settings) | {title: make() for title, make in PEERS.values()}
    usual = [*[*fits.STRUCTURES][:2], "TAN", PEERS["logistic"][0]]
    keep_several("who", [*entrants], usual)
    names = st.multiselect(
        "Models",
        [*entrants],
        key="who",
        help="The last three are not ours and cannot be drawn: they show what a readable model costs.",
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
    st.caption("A tick for every fold; the point is their mean, the line its standard error.")
    show_chart(result.chart(metric, theme=theme), result.scores, "comparison", alternative)
    _pairs(result, metric)
    _calibration(result, theme)


def finding(result: "Comparison") -> str:
    """Say who predicts best, and whether the difference to the next is beyond chance."""
    table = result.to_frame().dropna(subset=["log_loss"]).sort_values("log_loss", kind="stable")
    if table.empty:
        return "No model could be judged on this table."
    best = table.iloc[0]
    sentence = (
        f"{best['model']} predicts best: log-loss {best['log_loss']:.3f} bits, {best['accuracy']:.1%} right."
    )
    if len(table) == 1:
        return sentence
    second = table.iloc[1]["model"]
    pairs = result.pairs("log_loss")
    [p] = pairs.loc[pairs[["model", "other"]].isin([best["model"], second]).all(axis=1), "p_holm"]
    if pd.isna(p):
        return sentence
    verdict = "is more than chance" if p < CHANCE else "may be chance"
    return f"{sentence} Its lead over {second} {verdict} (p = {p:.2g})."


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
                help="The calibration error, how far what it says and what comes true are apart: 0 is best.",
            ),
            "fit_seconds": number("Learns (s)", format="%.3f", width=68),
            "predict_seconds": number("Predicts (s)", format="%.4f", width=76),
        },
    )


def _pairs(result: "Comparison", metric: str) -> None:
    pairs = result.pairs(metric)
    st.markdown(
        f"#### Are the differences in {METRICS[metric].lower()} more than chance?",
        help="The corrected resampled t-test allows for the rows that the folds share; p-values are "
        "corrected for the number of pairs after Holm. Below 0.05 a difference is usually taken as real.",
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
                "p, Wilcoxon", format="%.3f", help="It takes folds as independent, and so is too sure."
            ),
        },
    )


def _calibration(result: "Comparison", theme: str) -> None:
    st.markdown(
        "#### When it says 80%, is it right 80% of the time?",
        help="All judged rows, sorted by how sure the model was, in ten groups. On the diagonal it is as "
        "often right as it says; below it is too sure.",
    )
    show_chart(
        result.calibration_chart(theme=theme),
        result.calibration(),
        "calibration",
        "How often each model is right against how sure it is.",
    )
