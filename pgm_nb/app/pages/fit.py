"""The Fit page: how much of the table each structure captures, and how each model predicts new rows."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pgm_nb.app.pages.reliability import show_reliability
from pgm_nb.app.shell.fitting import Settings, learn, training_rows, variants
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.tested_rows import choose_rows
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
from pgm_nb.models.options import Described
from pgm_nb.scoring.drawn import drawn_sentence
from pgm_nb.views.chart.fit import Fit, Loss, loss_chart, split_chart, steps_chart
from pgm_nb.words import (
    GLOSSARY,
    NUMBERS,
    PROVEN_BEST,
    SAME_BITS,
    Scale,
    as_shares,
    in_bits,
    loss_number,
    plural,
    proven_best,
    scale,
    together,
)

__all__ = ["all_models", "show"]


def all_models(settings: Settings) -> dict[str, Any]:
    """Return every model on the same columns and intervals, not fitted yet."""
    return {variant.name: other.estimator() for _, variant, other in variants(settings)}


def show(screen: Screen) -> None:
    """Show the page."""
    models, refused = {}, []
    for kind, variant, other in variants(screen.settings):
        if not _has_divergence(kind):
            continue
        try:
            models[variant.name] = learn(screen.source, other.for_structure()).model
        except (DataError, StructureError) as reason:  # too many columns, or wishes that need more mothers
            if not models:
                raise
            refused.append(f"{variant.name} is left out: {reason}.")
    found = [fit_of(name, model) for name, model in models.items()]
    of = scale()
    if of is not None:  # the same for every model on this page
        of = Scale(lambda: max(found[0].weight + found[0].gap, SAME_BITS), of.of_class)
    with as_shares(of):
        _show_fits(screen, models, found, refused)


def _show_fits(
    screen: Screen, models: Mapping[str, Any], found: Sequence[Fit], refused: Sequence[str]
) -> None:
    st.markdown(literal(fit_sentence(found)))
    theme = st.context.theme.type or "light"
    names = {variant.name: variant.title for _, variant, _ in variants(screen.settings)}
    _show_split(found, names, theme)
    for sentence in refused:
        st.caption(literal(sentence))
    _show_steps(models, theme)
    _show_losses(screen, found, theme)
    show_reliability(screen, theme)


def _show_split(found: Sequence[Fit], names: Mapping[str, str], theme: str) -> None:
    st.markdown("#### How much of the table each structure captures", help=GLOSSARY["weight"])
    short = [f"{f.model}: {names[f.model]}." for f in found if f.model != names[f.model]]
    what = (
        "All bars have the same length: the information that the columns share. The coloured parts are "
        "captured by the structure (its weight); the pale part is missed (its KL divergence). "
    )
    if scale() is not None:
        what = (
            "100% is the information that the best tree captures, in which every attribute has one mother. "
        )
    st.caption(what + literal(" ".join(short)))
    table = pd.DataFrame([asdict(fit) | {"weight": fit.weight} for fit in found])
    alternative = " ".join(
        f"{f.model}: weight {in_bits(f.weight)}, KL divergence {in_bits(f.kl)}."
        if scale() is None
        else f"{f.model} captures {in_bits(f.weight)}."
        for f in found
    )
    show_chart(split_chart(found, theme=theme), table, "fit", alternative)
    if scale() is not None:  # the chart has the same numbers
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


def _show_steps(models: Mapping[str, Any], theme: str) -> None:
    st.markdown(
        "#### How each attribute improves the fit",
        help=f"Each attribute that joins {'lowers the KL divergence' if scale() is None else 'adds to it'}. "
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
    plain = scale() is not None
    last = {name: curve[0][1] - curve[-1][1] if plain else curve[-1][1] for name, curve in curves.items()}
    ends = " ".join(f"{name} ends at {in_bits(end)}." for name, end in last.items())
    what = "What is captured" if plain else "KL divergence"
    show_chart(
        steps_chart(curves, theme=theme), table, "fit-steps", f"{what} by number of attributes. {ends}"
    )


def _show_losses(screen: Screen, found: Sequence[Fit], theme: str) -> None:
    st.markdown(
        "#### Does the model also fit new rows?",
        help="Cross-validation: every model learns from most of the rows and predicts the rest, in turn. "
        + (
            "Log-loss measures how little probability it gave to the true class; 0 is perfect."
            if scale() is None
            else "The score is the probability that the true class typically gets."
        ),
    )
    frame, settings = screen.frame, screen.settings
    on_these_rows = Settings(
        settings.target,
        settings.leave_out,
        discretizer=settings.discretizer,
        n_bins=settings.n_bins,
        cuts=settings.cuts,
        missing=settings.missing,
    )
    most = choose_rows(len(frame))

    def make(progress: Progress) -> HeldOut:
        return held_out_losses(
            all_models(settings),
            *training_rows(frame, settings),
            progress=progress,
            most_rows=most,
            watch=lambda so_far: progress(so_far=so_far),
        )

    result = work(
        ("held-out", screen.source.digest, on_these_rows, most),
        make,
        label="Testing every model on rows it has not seen",
        show=partial(_show_losses_so_far, theme=theme),
    )
    if result is None:
        return
    st.markdown(literal(loss_sentence(result.losses, found)))
    _show_loss_chart(result.losses, theme)
    for sentence in result.comparison.failure_sentences():
        st.info(literal(sentence))
    st.caption(
        f"{drawn_sentence(result.comparison.n_rows, result.comparison.of_rows)} "
        "A long line between the two marks means over-fitting: the model predicts its own rows better than "
        f"new ones. {literal(_without_divergence(settings))} are only in this chart: they are not joint "
        "distributions of the states of this table."
    )


def _show_losses_so_far(result: HeldOut, theme: str) -> None:
    done = result.comparison
    st.caption(f"{len(done.folds)} of {plural(done.asked, 'fold')} so far:")
    _show_loss_chart(result.losses, theme)


def _without_divergence(settings: Settings) -> str:
    return together([variant.title for kind, variant, _ in variants(settings) if not _has_divergence(kind)])


def _has_divergence(kind: type[Described]) -> bool:
    """Say whether a model is a joint distribution of the states that the table has here."""
    return kind.is_joint and not kind.own_states


def _show_loss_chart(losses: Sequence[Loss], theme: str) -> None:
    table = pd.DataFrame([asdict(loss) for loss in losses])
    alternative = " ".join(
        f"{loss.model}: {loss_number(loss.seen)} on its own rows, {loss_number(loss.unseen)} on new ones."
        for loss in losses
    )
    show_chart(loss_chart(losses, theme=theme), table, "fit-log-loss", alternative)
