"""The Fit page: how much each structure captures, how well models predict, and whether they are reliable."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import AS_CHOSEN, Settings, choose_rows, contestants, learn, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import Progress, work
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.errors import DataError, StructureError
from pgm_nb.evaluate.fit import (
    HeldOut,
    fit_of,
    fit_sentence,
    held_out_losses,
    kl_by_attribute,
    loss_sentence,
)
from pgm_nb.evaluate.reliability import Calibration, calibration, known_of
from pgm_nb.models.base import Classifier
from pgm_nb.scoring.folds import drawn_sentence
from pgm_nb.views.chart.fit import Fit, Loss, loss_chart, split_chart, steps_chart
from pgm_nb.words import (
    GLOSSARY,
    NUMBERS,
    PROVEN_BEST,
    SAME_BITS,
    Scale,
    in_bits,
    loss_number,
    percent,
    plural,
    proven_best,
    together,
)

__all__ = ["MOST_ROWS", "show", "show_reliability"]

CHOSEN, EVERY = "chosen", "every"
MOST_ROWS = 3_000  # rows that are judged; of a larger table a random sample
FOLDS = 5
WIDTH = 480  # of the chart, in pixels: about as wide as high


def show(screen: Screen) -> None:
    """Show the page."""
    entrants = _choose_models(screen.settings)
    models, refused = {}, []
    for name, settings in entrants.items():
        if not _has_divergence(settings.kind):
            continue
        try:
            models[name] = learn(screen.source, settings.for_structure()).model
        except (DataError, StructureError) as reason:  # too many columns, or wishes that need more mothers
            if not models:
                raise
            refused.append(f"{name} is left out: {reason}.")
    found = [fit_of(name, model) for name, model in models.items()]
    scale = screen.shares
    if scale is not None:  # the same for every model on this page
        scale = replace(scale, whole=max(found[0].weight + found[0].gap, SAME_BITS))
    st.markdown(literal(fit_sentence(found, scale=scale)))
    theme = st.context.theme.type or "light"
    _show_split(found, {name: _title(settings) for name, settings in entrants.items()}, theme, scale=scale)
    for sentence in refused:
        st.caption(literal(sentence))
    _show_steps(models, theme, scale=scale)
    _show_losses(screen, entrants, found, theme)
    show_reliability(screen, theme)


def _choose_models(settings: Settings) -> dict[str, Settings]:
    """Let the user choose between the model on the left beside naive Bayes, which is first, and all."""
    from pgm_nb.models import NaiveBayes

    entrants, own = contestants(settings)
    naive = NaiveBayes.about.variants()[0].name
    few = [*dict.fromkeys((naive, own))]
    keep("fits", [CHOSEN, EVERY], CHOSEN)
    labels = {
        CHOSEN: together(few) if own != AS_CHOSEN else f"{naive} and the model chosen on the left",
        EVERY: f"All {len(entrants)} models",
    }
    scope = st.segmented_control(
        "Models on this page",
        [CHOSEN, EVERY],
        key="fits",
        format_func=labels.__getitem__,
        help="To learn every model and to test it on new rows takes up to a minute. That can be stopped.",
        required=True,
    )
    names = few if scope == CHOSEN else sorted(entrants, key=lambda name: name != naive)
    return {name: entrants[name] for name in names}


def _title(settings: Settings) -> str:
    return settings.variant.title


def _show_split(found: Sequence[Fit], names: Mapping[str, str], theme: str, *, scale: Scale | None) -> None:
    st.markdown("#### How much of the table each structure captures", help=GLOSSARY["weight"])
    short = [f"{f.model}: {names[f.model]}." for f in found if f.model != names[f.model]]
    what = (
        "All bars have the same length: the information that the columns share. The coloured parts are "
        "captured by the structure (its weight); the pale part is missed (its KL divergence). "
    )
    if scale is not None:
        what = (
            "100% is the information that the best tree captures, in which every attribute has one mother. "
        )
    st.caption(what + literal(" ".join(short)))
    table = pd.DataFrame([asdict(fit) | {"weight": fit.weight} for fit in found])
    alternative = " ".join(
        f"{f.model}: weight {in_bits(f.weight, scale=scale)}, KL divergence {in_bits(f.kl, scale=scale)}."
        if scale is None
        else f"{f.model} captures {in_bits(f.weight, scale=scale)}."
        for f in found
    )
    show_chart(split_chart(found, theme=theme, scale=scale), table, "fit", alternative)
    if scale is not None:  # the chart has the same numbers
        return
    nothing_to_find = proven_best(found[0].gap)  # naive Bayes is a best tree, and so is every other
    table["verdict"] = [
        f"0, {PROVEN_BEST}"
        if proven_best(fit.gap) and not nothing_to_find
        else f"{'' if fit.proven else 'at most '}{fit.gap:.3f}"
        for fit in found
    ]
    number = st.column_config.NumberColumn
    st.dataframe(
        table[["model", "relevance", "dependence", "weight", "kl", "verdict"]],
        hide_index=True,
        column_config={
            "model": st.column_config.TextColumn("Structure"),
            "relevance": number(
                "About the class",
                format="%.3f",
                help="Information of the attributes about the class, in bits: the sum of I(Xi;Y).",
            ),
            "dependence": number(
                "Between attributes",
                format="%.3f",
                help="Information that attributes share with their mothers given the class, in bits: the "
                "sum of I(Xi;Xm|Y).",
            ),
            "weight": number("Weight", format="%.3f", help=GLOSSARY["weight"]),
            "kl": number("KL divergence", format="%.3f", help=GLOSSARY["KL divergence"]),
            "verdict": st.column_config.TextColumn(
                "Below the best tree", alignment="right", help=f"In bits. {NUMBERS['Below the best tree']}"
            ),
        },
    )


def _show_steps(models: Mapping[str, Any], theme: str, *, scale: Scale | None) -> None:
    st.markdown(
        "#### How each attribute improves the fit",
        help=f"Each attribute that joins {'lowers the KL divergence' if scale is None else 'adds to it'}. "
        "A steep start means that the first attributes matter most. Click a name above the chart to see its "
        "line alone.",
    )
    curves = {name: kl_by_attribute(model) for name, model in models.items()}
    table = pd.DataFrame(
        [
            (name, number, attribute, kl)
            for name, curve in curves.items()
            for number, (attribute, kl) in enumerate(curve)
        ],
        columns=["model", "attributes", "last to join", "kl"],
    )
    plain = scale is not None
    last = {name: curve[0][1] - curve[-1][1] if plain else curve[-1][1] for name, curve in curves.items()}
    ends = " ".join(f"{name} ends at {in_bits(end, scale=scale)}." for name, end in last.items())
    what = "What is captured" if plain else "KL divergence"
    show_chart(
        steps_chart(curves, theme=theme, scale=scale),
        table,
        "fit-steps",
        f"{what} by number of attributes. {ends}",
    )


def _show_losses(screen: Screen, entrants: Mapping[str, Settings], found: Sequence[Fit], theme: str) -> None:
    st.markdown(
        "#### Does the model also fit new rows?",
        help="Cross-validation: every model learns from most of the rows and predicts the rest, in turn. "
        + (
            "Log-loss measures how little probability it gave to the true class; 0 is perfect."
            if screen.shares is None
            else "The score is the probability that the true class typically gets."
        ),
    )
    frame, settings = screen.frame, screen.settings
    most = choose_rows(len(frame))

    def make(progress: Progress) -> HeldOut:
        return held_out_losses(
            {name: other.estimator() for name, other in entrants.items()},
            *training_rows(frame, settings),
            progress=progress,
            most_rows=most,
            watch=lambda so_far: progress(so_far=so_far),
        )

    result = work(
        ("held-out", screen.source.digest, tuple(entrants.items()), most),
        make,
        label=f"Testing {plural(len(entrants), 'model')} on new rows",
        show=partial(_show_losses_so_far, theme=theme, scale=screen.shares),
    )
    if result is None:
        return
    st.markdown(literal(loss_sentence(result.losses, found, scale=screen.shares)))
    _show_loss_chart(result.losses, theme, scale=screen.shares)
    for sentence in result.comparison.failure_sentences():
        st.info(literal(sentence))
    remarks = [
        drawn_sentence(result.comparison.n_rows, result.comparison.of_rows),
        "A long line between the two marks means over-fitting: the model predicts its own rows better than "
        "new ones.",
    ]
    if other := [_title(settings) for settings in entrants.values() if not _has_divergence(settings.kind)]:
        why = "is only in this chart: it is no joint distribution"
        if len(other) > 1:
            why = "are only in this chart: they are not joint distributions"
        remarks.append(f"{literal(together(other))} {why} of the states of this table.")
    st.caption(" ".join(filter(None, remarks)))


def _show_losses_so_far(result: HeldOut, theme: str, *, scale: Scale | None) -> None:
    done = result.comparison
    st.caption(f"{len(done.folds)} of {plural(done.asked, 'fold')} so far:")
    _show_loss_chart(result.losses, theme, scale=scale)


def _has_divergence(kind: type[Classifier]) -> bool:
    """Say whether a model is a joint distribution of the states that the table has here."""
    return kind.about.is_joint and not kind.about.own_states


def _show_loss_chart(losses: Sequence[Loss], theme: str, *, scale: Scale | None) -> None:
    table = pd.DataFrame([asdict(loss) for loss in losses])
    alternative = " ".join(
        (
            f"{loss.model}: {loss_number(loss.seen, scale=scale)} on its "
            f"own rows, {loss_number(loss.unseen, scale=scale)} on new ones."
        )
        for loss in losses
    )
    show_chart(loss_chart(losses, theme=theme, scale=scale), table, "fit-log-loss", alternative)


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
        help=f"Expected calibration error {curve.error:.3f}; {_loss(level.log_loss, scale=screen.shares)}; "
        f"{plural(level.attributes, 'attribute')} known.",
    )


def _loss(loss: float, *, scale: Scale | None) -> str:
    if scale is None:
        return f"log-loss {loss_number(loss, scale=scale)} per row"
    return f"the true class typically gets {loss_number(loss, scale=scale)}"


def _judged(settings: Settings, X: pd.DataFrame, y: "pd.Series[Any]", progress: Progress) -> Calibration:
    if len(X) > MOST_ROWS:
        drawn = X.sample(MOST_ROWS, random_state=0).index
        X, y = X.loc[drawn], y.loc[drawn]
    often = y.map(y.value_counts()) >= 2  # a class of one row cannot be both learned and judged
    X, y = X[often], y[often]
    folds = max(2, min(FOLDS, int(y.value_counts().min())))
    return calibration(settings.estimator(), X, y, cv=folds, progress=progress)
