"""How the model was joined: the order of its attributes, and which of its links are stable."""

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import follow, keep
from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.charts import offer_numbers, show_chart
from pgm_nb.app.widgets.clicks import calmly, safely
from pgm_nb.app.widgets.downloads import offer_prints
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.picture import show_picture
from pgm_nb.errors import StructureError
from pgm_nb.views.chart.explanation import Gain, gain_chart
from pgm_nb.words import GLOSSARY, Scale, in_bits, listed, loss_number, plural, together, typical

if TYPE_CHECKING:
    from pgm_nb.explain import EdgeStability, ImportanceCurve

__all__ = ["show_joining", "show_links"]

MOST = 40  # attributes that the chart of gains holds
METRICS = {
    "log_loss": "Log-loss",
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "auc": "AUC",
}
OF_WHAT = "100% is the information that the best tree captures."
PLAIN = {**METRICS, "log_loss": "True class gets"}
METRIC_HELP = """\
- **Log-loss**: how little probability the model gave to the true class, in bits; 0 is perfect.
- **Accuracy**: the share of rows whose most probable class is the true one.
- **Precision**: the share of the rows called positive that are positive.
- **Recall**: the share of the positive rows that are called positive.
- **F1**: precision and recall in one number (their harmonic mean).
- **AUC**: how often a positive row gets a higher probability than a negative one; 0.5 is guessing.
"""
PLAIN_HELP = "\n".join(
    [
        "- **True class gets**: the probability that the true class typically gets.",
        *METRIC_HELP.splitlines()[1:],
    ]
)
SAMPLES = (20, 50, 100, 200)  # bootstrap samples
STABLE = 0.8  # share of the bootstrap samples in which a stable link appears


def show_joining(screen: Screen, theme: str) -> None:
    """Show the order in which the attributes joined, and the scores of its beginnings."""
    _gains(screen.fitted.model, theme, scale=screen.scale)
    _curve(screen, theme)


def _gains(model: Any, theme: str, *, scale: Scale | None) -> None:
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
    first = listed([literal(gain.attribute) for gain in gains[:3]])
    if any(gain.mother for gain in gains):
        st.markdown("#### The order of joining", help=GLOSSARY["bits"] if scale is None else OF_WHAT)
        st.markdown(
            f"The search joined {first} first. This is how the structure grew, not what matters for the "
            "class: a long second bar means that an attribute shares much with its mother."
        )
    else:
        st.markdown("#### The model's own order", help=GLOSSARY["bits"] if scale is None else OF_WHAT)
        st.markdown(f"By the rows it learned from, {first} say most about the class, each on its own.")
    if len(gains) > MOST:
        st.caption(f"The chart shows the first {MOST} of {len(gains)} attributes; the file has all of them.")
    alternative = " ".join(
        f"{g.attribute}: {in_bits(g.relevance + g.dependence, scale=scale)}." for g in gains[:MOST]
    )
    show_chart(gain_chart(gains[:MOST], theme=theme, scale=scale), table, "joining", alternative)


def _curve(screen: Screen, theme: str) -> None:
    st.markdown(
        "#### How many attributes of this order are enough?",
        help="The model is learned from four fifths of the rows and tested on the rest, five times: with its "
        "first attribute only, with its first two, and so on.",
    )
    frame, settings = screen.frame, screen.settings

    def make(progress: Any) -> "ImportanceCurve":
        from pgm_nb.explain import importance_curve
        from pgm_nb.explain.importance.study import folds_of

        X, y = training_rows(frame, settings)
        return importance_curve(settings.estimator(), X, y, cv=folds_of(y), progress=progress)

    curve = work(
        ("importance curve", screen.source.digest, settings), make, label="Testing on rows it has not seen"
    )
    if curve is None:
        return
    keep("score", [*METRICS], "log_loss")
    _scores(screen, curve, theme)


@st.fragment
@calmly()
def _scores(screen: Screen, curve: "ImportanceCurve", theme: str) -> None:
    """Show the scores and the cut; a click runs this part of the page alone."""
    metric = st.radio(
        "Score",
        [*METRICS],
        key="score",
        format_func=(METRICS if screen.scale is None else PLAIN).__getitem__,
        horizontal=True,
        on_change=safely(partial(follow, "score")),
        help=METRIC_HELP if screen.scale is None else PLAIN_HELP,
    )
    if curve.positive and metric not in ("log_loss", "accuracy"):
        st.caption(f"“Positive” means the class {literal(curve.positive)}.")
    smallest, best = curve.smallest[metric], curve.best[metric]
    show_chart(
        curve.chart(metric, theme=theme),
        curve.to_frame(),
        "importance-curve",
        f"{METRICS[metric]} against the number of attributes: best with {best}, as good with {smallest}.",
        loss="y" if metric == "log_loss" and screen.scale is not None else "",
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
            on_change=safely(partial(follow, "cut_after")),
            help="The slider starts at the smallest number whose score is within one standard error of the "
            "best.",
        )
    kept = int(st.session_state["cut_after"])
    scores = curve.to_frame()
    for column, (name, title) in zip(st.columns(len(METRICS)), METRICS.items(), strict=True):
        now, with_all = scores[name][kept], scores[name][total]
        if name == "log_loss" and screen.scale is not None:
            points = 100 * (typical(now) - typical(with_all))
            column.metric(
                PLAIN[name],
                loss_number(now, scale=screen.scale),
                delta=f"{points:+z.1f} points" if kept < total else None,
            )
            continue
        column.metric(
            title,
            f"{now:.3f}",
            delta=f"{now - with_all:+z.3f}" if kept < total else None,
            delta_color="inverse" if name == "log_loss" else "normal",
        )
    if kept < total:
        st.caption(f"Below each score: the difference from the score with all {total} {curve.unit}.")
    names = curve.names[:kept]
    st.markdown(
        f"With {plural(kept, curve.unit.rstrip('s'))}: {listed([literal(name) for name in names], limit=15)}."
        f" **{smallest}** is the smallest number within one standard error of the best score."
    )
    structure = screen.fitted.model.structure_
    if structure.divisible and kept > 1:
        chosen = tuple(screen.fitted.model.importance_["attribute"][:kept])
        try:
            part = structure.part(chosen)
        except StructureError:  # in this order a mother may come after her children
            return
        _small_picture(screen, part, kept)


def _small_picture(screen: Screen, structure: Any, kept: int) -> None:
    theme = st.context.theme.type or "auto"
    svg = _drawn(screen.fitted.key, kept, theme, structure)
    show_picture(svg, f"The structure with its first {kept} attributes", key="cut picture")


@st.cache_data(max_entries=64, show_spinner="Drawing …")
def _drawn(key: object, kept: int, theme: str, _structure: Any) -> bytes:
    return bytes(_structure.draw(format="svg", theme=theme))


def show_links(screen: Screen, theme: str) -> None:
    """Show the links with the share of samples in which they appear."""
    st.markdown(
        "#### Which links are stable?",
        help="The structure is learned again from bootstrap samples: rows drawn with replacement, as if the "
        "study were repeated.",
    )
    settings = screen.settings
    if not settings.kind.about.chooses_links:
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

    return [kind.about.title for kind in MODELS if kind.about.chooses_links]


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
