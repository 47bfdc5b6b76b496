"""The Compare page: models on the same rows and intervals, with tests of their differences."""

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import keep, keep_several
from pgm_nb.app.shell.fitting import choose_rows, contestants, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import Progress, work
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.evaluate.comparison import finding, meaning_of_p, verdicts
from pgm_nb.scoring.folds import drawn_sentence
from pgm_nb.words import SCORES, Scale, p_value, plural, typical

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
PLAIN = "True class gets"
PLAIN_HELP = "\n".join(
    [f"- **{PLAIN}**: the probability that the true class typically gets.", *METRIC_HELP.splitlines()[1:]]
)


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
    most = choose_rows(len(frame))

    def make(progress: Progress) -> "Comparison":
        from pgm_nb.evaluate import compare

        rows = training_rows(frame, settings)
        return compare(
            chosen,
            *rows,
            cv=cv,
            most_rows=most,
            progress=progress,
            watch=lambda so_far: progress(so_far=so_far),
        )

    key = ("compare", screen.source.digest, settings, tuple(chosen), folds, most)
    result = work(
        key,
        make,
        label="Comparing the models on the same rows",
        show=partial(_show_so_far, scale=screen.shares),
    )
    if result is not None:
        _show_result(result, scale=screen.shares)


def _choose(screen: Screen) -> dict[str, Any]:
    """Let the user choose the models; all learn from the columns and intervals chosen on the left.

    The model on the left is among them at first.
    """
    from pgm_nb.evaluate import PEERS
    from pgm_nb.models import MODELS

    ours, own = contestants(screen.settings)
    entrants = {name: settings.estimator() for name, settings in ours.items()}
    entrants |= {title: make() for title, make in PEERS.values()}
    usual = [*(kind.about.variants()[0].name for kind in MODELS if kind.about.is_baseline), own]
    keep_several("who", [*entrants], [*usual, PEERS["logistic"][0]])
    names = st.multiselect(
        "Models",
        [*entrants],
        key="who",
        help=f"The last {len(PEERS)} come from scikit-learn and have no graph: they show how much accuracy a "
        "readable model costs, if any.",
    )
    return {name: entrants[name] for name in names}


def _show_so_far(result: "Comparison", *, scale: Scale | None) -> None:
    """Show the means over the folds that are finished."""
    st.caption(f"{len(result.folds)} of {plural(result.asked, 'fold')} so far:")
    _table(result, scale=scale)


def _show_result(result: "Comparison", *, scale: Scale | None) -> None:
    theme = st.context.theme.type or "light"
    st.markdown(literal(finding(result, scale=scale)))
    if sampled := drawn_sentence(result.n_rows, result.of_rows):
        st.caption(f"{sampled} To test all rows, choose that above.")
    for sentence in result.failure_sentences():
        st.warning(literal(sentence))
    _table(result, scale=scale)
    keep("by", [*METRICS], "log_loss")
    metric = st.radio(
        "Score",
        [*METRICS],
        key="by",
        format_func={name: _metric_title(name, scale=scale) for name in METRICS}.__getitem__,
        horizontal=True,
        help=METRIC_HELP if scale is None else PLAIN_HELP,
    )
    table = result.to_frame()
    if metric == "log_loss" and scale is not None:
        table = table.assign(log_loss=table["log_loss"].map(typical))
    alternative = " ".join(
        f"{name}: {value:.3f}." for name, value in zip(table["model"], table[metric], strict=True)
    )
    st.caption(
        "Each tick is one fold; the point is the mean over the folds, the line its standard error. The "
        "diamond is the best mean."
    )
    chart, loss = result.chart(metric, theme=theme), "x" if metric == "log_loss" and scale is not None else ""
    show_chart(chart, result.scores, "comparison", alternative, loss=loss)
    _pairs(result, metric, scale=scale)
    _calibration(result, theme)


def _metric_title(metric: str, *, scale: Scale | None) -> str:
    return PLAIN if metric == "log_loss" and scale is not None else METRICS[metric]


def _table(result: "Comparison", *, scale: Scale | None) -> None:
    table = result.to_frame()
    best = result.best("log_loss")
    table = table.assign(
        accuracy=100 * table["accuracy"],
        ece=100 * table["ece"],
        best=["★" if name == best else "" for name in table["model"]],
    )
    number = st.column_config.NumberColumn
    loss = number("Log-loss", format="%.3f", width=60, help="Bits per row; less is better.")
    if scale is not None:
        table["log_loss"] = 100 * table["log_loss"].map(typical)
        loss = number(PLAIN, format="%.1f%%", width=76, help=SCORES["typical probability"])
    st.dataframe(
        table[
            ["best", "model", "log_loss", "accuracy", "auc", "brier", "ece", "fit_seconds", "predict_seconds"]
        ],
        hide_index=True,
        column_config={
            "best": st.column_config.TextColumn("Best", width=44, help="It gives the true classes most."),
            "model": st.column_config.TextColumn("Model"),
            "log_loss": loss,
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


def _pairs(result: "Comparison", metric: str, *, scale: Scale | None) -> None:
    """Hold the others against the best model, in words; the tests of all pairs are behind a click."""
    table = verdicts(result, metric)
    plain = metric == "log_loss" and scale is not None
    name = "the probability of the true class" if plain else METRICS[metric].lower().replace("auc", "AUC")
    st.markdown(f"#### Are the differences in {name} more than chance?")
    number = partial(st.column_config.NumberColumn, format="%.1f%%" if plain else "%.4f")
    if plain:
        best = table["score"] - table["difference"]
        table["difference"] = 100 * (table["score"].map(typical) - best.map(typical))
        table["score"] = 100 * table["score"].map(typical)
    st.dataframe(
        table.assign(p=["" if pd.isna(p) else p_value(p) for p in table["p"]])[
            ["model", "verdict", "score", "difference", "p"]
        ],
        hide_index=True,
        key="verdicts",
        column_config={
            "model": st.column_config.TextColumn("Model"),
            "verdict": st.column_config.TextColumn("Beside the best"),
            "score": number(_metric_title(metric, scale=scale)),
            "difference": number("Difference"),
            "p": st.column_config.TextColumn("p"),
        },
    )
    st.caption(meaning_of_p(result))
    with st.expander("The tests of every pair"):
        _every_pair(result, metric)


def _every_pair(result: "Comparison", metric: str) -> None:
    pairs = result.pairs(metric)
    number = st.column_config.NumberColumn
    st.dataframe(
        pairs[["model", "other", "difference", "standard_error", "p_holm", "wilcoxon_p_holm"]],
        hide_index=True,
        key="pairs",
        column_config={
            "model": st.column_config.TextColumn("Model"),
            "other": st.column_config.TextColumn("Against"),
            "difference": number("Difference", format="%.4f"),
            "standard_error": number("Standard error", format="%.4f"),
            "p_holm": number(
                "p, t-test",
                format="%.3f",
                help="The corrected resampled t-test (Nadeau and Bengio), corrected for the number of pairs "
                "(Holm).",
            ),
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
