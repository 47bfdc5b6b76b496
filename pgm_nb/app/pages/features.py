"""The Features page: which attributes matter, how many are enough, and which links are stable."""

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.charts import offer_numbers, show_chart
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.picture import show_picture
from pgm_nb.views.chart.explanation import Gain, gain_chart
from pgm_nb.words import GLOSSARY, in_bits, listed, plural, together

if TYPE_CHECKING:
    from pgm_nb.explain import EdgeStability, ImportanceCurve

__all__ = ["show"]

MOST = 40  # attributes that the chart of gains holds
METRICS = {
    "log_loss": "Log-loss",
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "auc": "AUC",
}
METRIC_HELP = """\
- **Log-loss**: how little probability the model gave to the true class, in bits; 0 is perfect.
- **Accuracy**: the share of rows whose most probable class is the true one.
- **Precision**: the share of the rows called positive that are positive.
- **Recall**: the share of the positive rows that are called positive.
- **F1**: precision and recall in one number (their harmonic mean).
- **AUC**: how often a positive row gets a higher probability than a negative one; 0.5 is guessing.
"""
SAMPLES = (20, 50, 100, 200)  # bootstrap samples
STABLE = 0.8  # share of the bootstrap samples in which a stable link appears


def show(screen: Screen) -> None:
    """Show the page."""
    theme = st.context.theme.type or "light"
    _gains(screen.fitted.model, theme)
    _curve(screen, theme)
    _links(screen, theme)


def _gains(model: Any, theme: str) -> None:
    table = model.importance_
    relevance = model.structure_.relevance or dict(zip(table["attribute"], table["gain"], strict=True))
    mothers = table["mother"] if "mother" in table else pd.Series([None] * len(table))
    gains = [
        Gain(
            name,
            float(relevance.get(name, gain)),
            max(float(gain) - float(relevance.get(name, gain)), 0.0) if isinstance(mother, str) else 0.0,
            mother if isinstance(mother, str) else "",
        )
        for name, mother, gain in zip(table["attribute"], mothers, table["gain"], strict=True)
    ]
    st.markdown("#### What each attribute adds", help=GLOSSARY["bits"])
    first = listed([literal(gain.attribute) for gain in gains[:3]])
    st.markdown(f"The attributes that matter most to this model are {first}.")
    if len(gains) > MOST:
        st.caption(f"The chart shows the first {MOST} of {len(gains)} attributes; the file has all of them.")
    alternative = " ".join(f"{g.attribute}: {in_bits(g.relevance + g.dependence)}." for g in gains[:MOST])
    show_chart(gain_chart(gains[:MOST], theme=theme), table, "importance", alternative)


def _curve(screen: Screen, theme: str) -> None:
    st.markdown(
        "#### How many attributes are enough?",
        help="The model is learned from four fifths of the rows and tested on the rest, five times: with its "
        "first attribute only, with its first two, and so on.",
    )
    frame, settings = screen.frame, screen.settings

    def make(progress: Any) -> "ImportanceCurve":
        from pgm_nb.explain import importance_curve

        return importance_curve(settings.estimator(), *training_rows(frame, settings), progress=progress)

    curve = work(
        ("importance curve", screen.source.digest, settings), make, label="Testing on rows it has not seen"
    )
    if curve is None:
        return
    keep("score", [*METRICS], "log_loss")
    metric = st.radio(
        "Score", [*METRICS], key="score", format_func=METRICS.__getitem__, horizontal=True, help=METRIC_HELP
    )
    if curve.positive and metric not in ("log_loss", "accuracy"):
        st.caption(f"“Positive” means the class {literal(curve.positive)}.")
    smallest, best = curve.smallest[metric], curve.best[metric]
    show_chart(
        curve.chart(metric, theme=theme),
        curve.to_frame(),
        "importance-curve",
        f"{METRICS[metric]} against the number of attributes: best with {best}, as good with {smallest}.",
    )
    _cut(screen, curve, metric)


def _cut(screen: Screen, curve: "ImportanceCurve", metric: str) -> None:
    """Let the user cut the model after some of its attributes, and show what is left."""
    total, smallest = len(curve.mean) - 1, max(curve.smallest[metric], 1)
    keep("cut_after", range(1, total + 1), smallest)
    if total > 1:
        st.slider(
            f"{curve.unit.capitalize()} to keep, of {total}",
            1,
            total,
            key="cut_after",
            help="The slider starts at the smallest number whose score is within one standard error of the "
            "best.",
        )
    kept = int(st.session_state["cut_after"])
    scores = curve.to_frame()
    for column, (name, title) in zip(st.columns(len(METRICS)), METRICS.items(), strict=True):
        now, with_all = scores[name][kept], scores[name][total]
        column.metric(
            title,
            f"{now:.3f}",
            delta=f"{now - with_all:+.3f}" if kept < total else None,
            delta_color="inverse" if name == "log_loss" else "normal",
        )
    if kept < total:
        st.caption(f"Below each score: the difference from the score with all {total} {curve.unit}.")
    names = curve.names[:kept]
    st.markdown(
        f"With {plural(kept, curve.unit.rstrip('s'))}: {listed([literal(name) for name in names], limit=15)}."
        f" **{smallest}** is the smallest number within one standard error of the best {METRICS[metric]}."
    )
    structure = screen.fitted.model.structure_
    if structure.divisible and kept > 1:
        chosen = tuple(screen.fitted.model.importance_["attribute"][:kept])
        _small_picture(screen, structure.part(chosen), kept)


def _small_picture(screen: Screen, structure: Any, kept: int) -> None:
    theme = st.context.theme.type or "auto"
    svg = _drawn(screen.fitted.key, kept, theme, structure)
    show_picture(svg, f"The structure with its first {kept} attributes", key="cut picture")


@st.cache_data(max_entries=64, show_spinner="Drawing …")
def _drawn(key: object, kept: int, theme: str, _structure: Any) -> bytes:
    return bytes(_structure.draw(format="svg", theme=theme))


def _links(screen: Screen, theme: str) -> None:
    st.markdown(
        "#### Which links are stable?",
        help="The structure is learned again from bootstrap samples: rows drawn with replacement, as if the "
        "study were repeated.",
    )
    settings, frame = screen.settings, screen.frame
    if not settings.kind.chooses_links:
        st.info(
            "This model does not choose links between attributes. On the left, choose one that does: "
            f"{together(_linked_models())}."
        )
        return
    keep("draws", SAMPLES, 50)
    draws = int(
        st.select_slider(
            "Bootstrap samples",
            SAMPLES,
            key="draws",
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
