"""The Features page: what matters for the class, how few attributes are enough, and which repeat others."""

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pgm_nb.app.pages.features.joining import show_joining, show_links
from pgm_nb.app.shell.address import follow, keep, keep_several
from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.repairs import idle_of
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.charts import offer_numbers, show_chart
from pgm_nb.app.widgets.clicks import calmly, safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.errors import DataError
from pgm_nb.explain.importance.study import TITLES, counted, explained, in_words, repeats, sure_steps
from pgm_nb.views.chart.importance import Worth, worth_chart
from pgm_nb.words import Scale, about_class, class_name, loss_number, percent, plural, typical

if TYPE_CHECKING:
    from pgm_nb.explain.importance import Cost, Kept, Study

__all__ = ["order", "show"]

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
BEFORE = "left out before"  # what was left out before the last change, for the way back
COST = "cost of keeping"  # what the last choice cost, in a sentence
SENTENCES = 3  # written out; the table has the rest


def show(screen: Screen) -> None:
    """Show the page."""
    theme = st.context.theme.type or "light"
    _title(screen)
    keep("matters", [*CHOICES], "forward")  # before what takes long: the address is read in the first run
    study = _found(screen)
    if study is not None:
        _ranking(screen, study, theme)
        _show_keeping(screen, study)
        _show_repeating(study, scale=screen.shares)
    show_joining(screen, theme)
    show_links(screen, theme)


def _found(screen: Screen) -> "Study | None":
    """Return what was found, or show how far the work is and return None."""
    try:
        return _study(screen, "Predicting rows it has not seen")
    except DataError as problem:
        st.info(literal(str(problem)))
        return None


def order(screen: Screen) -> "pd.DataFrame | None":
    """Return the order of Features alone; None while it is being worked out, or where there is none."""
    try:
        study = _study(screen, "Finding the best order")
    except DataError:
        return None
    return None if study is None else study.path


def _study(screen: Screen, label: str) -> "Study | None":
    frame, settings = screen.frame, screen.settings

    def make(progress: Any) -> "Study":
        from pgm_nb.explain.importance import study_order

        return study_order(settings.estimator(), *training_rows(frame, settings), progress=progress)

    return work(("importance", screen.source.digest, settings), make, label=label)


def _ranked(screen: Screen, study: "Study", method: str) -> "pd.DataFrame | None":
    """Return the ranking of a method, or show how far the work is and return None."""
    from pgm_nb.explain.importance.orders import METHODS

    if method == "forward":
        return study.path
    return work(
        ("importance", screen.source.digest, screen.settings, method),
        lambda progress: METHODS[method](study.folds, progress=progress),
        label="Predicting with attributes hidden",
    )


def _title(screen: Screen) -> None:
    """Write the title, before anything is computed."""
    st.markdown(
        f"#### What matters for {literal(class_name(screen.settings.target))}",
        help="The model is learned from four fifths of the rows and predicts the rest, five times, with some "
        "attributes hidden. "
        + (
            "Values are bits of log-loss: how much less surprising the true class becomes. "
            if screen.shares is None
            else "100% would be everything there is to know about the class. "
        )
        + "The thin lines are 95% intervals over the five parts.",
    )


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
        key = (screen.source.digest, screen.settings)
        table: pd.DataFrame | None = _alone(*key, screen.fitted.model, screen.frame)
    else:
        table = _ranked(screen, study, method)
    if table is None:
        return
    st.markdown(_sentence(screen, table, method))
    st.caption(" ".join([SAID[method], counted(study.folds.n_rows, study.rows)]).strip())
    _chart(table, method, theme, scale=screen.shares)


@st.cache_resource(max_entries=32, show_spinner=False)
def _alone(digest: str, settings: Settings, _model: Any, _frame: pd.DataFrame) -> pd.DataFrame:
    """Return what each attribute is expected to say while nothing is known."""
    found: pd.DataFrame = _model.next_best(X=training_rows(_frame, settings)[0])
    return found[["attribute", "information"]].rename(columns={"information": "value"})


def _sentence(screen: Screen, table: pd.DataFrame, method: str) -> str:
    if method != ALONE:
        return in_words(table, method, literal(screen.settings.target), bold, scale=screen.shares)
    name, value = table["attribute"].iloc[0], table["value"].iloc[0]
    about = literal(class_name(screen.settings.target))
    of_it = "" if screen.shares is None else " of what there is to know"
    return (
        f"On its own, {bold(name)} says most about {about}: {about_class(value, scale=screen.shares)}{of_it}."
    )


def _chart(table: pd.DataFrame, method: str, theme: str, *, scale: Scale | None) -> None:
    most = min(len(table), MOST)
    shown = FIRST
    if most > FIRST and st.toggle(f"Show {'all' if most == len(table) else 'the first'} {most}", key="long"):
        shown = most
    worths = [
        Worth(row["attribute"], row["value"], row.get("low"), row.get("high"))
        for row in table.head(shown).to_dict("records")
    ]
    alternative = " ".join(f"{worth.attribute}: {about_class(worth.value, scale=scale)}." for worth in worths)
    x_title = AXES[method] if scale is None else [f"{PLAIN_AXES[method]},", OF_WHAT]
    show_chart(
        worth_chart(worths, x_title=x_title, theme=theme, scale=scale),
        table,
        f"importance-{method}",
        alternative,
    )


def _show_keeping(screen: Screen, study: "Study") -> None:
    """Let the user choose attributes, see the cost, and keep only those."""
    st.markdown(
        "#### Keep only these attributes",
        help="A smaller model is learned from the attributes you choose. Both models are learned and tested "
        "on the same rows.",
    )
    _offer_way_back(screen)
    names = study.path["attribute"].tolist()
    if len(names) < 2:
        return
    keep_several("keep", names, names[: sure_steps(study.path)])
    _choice(screen, study, names)


@st.fragment
@calmly()
def _choice(screen: Screen, study: "Study", names: list[str]) -> None:
    """Let the user choose; a click runs this part of the page alone, until the smaller model is taken."""
    chosen = st.multiselect(
        "Attributes to keep",
        names,
        key="keep",
        placeholder="choose at least one",
        on_change=safely(partial(follow, "keep")),
        help="At first: those at the beginning of the order “Best next” that certainly add something.",
    )
    if not chosen:
        st.caption("Choose at least one attribute.")
        return
    if len(chosen) == len(names):
        st.caption("These are all attributes in use: nothing more would be left out.")
        return
    kept = _cost(screen, study, tuple(name for name in names if name in chosen))
    if kept is None:
        return
    _say(kept, scale=screen.shares)
    others = [name for name in names if name not in chosen]
    if st.button(
        f"Keep only {'this one' if len(chosen) == 1 else f'these {len(chosen)}'}",
        key="keep only",
        type="primary",
        on_click=safely(
            partial(
                _leave_out,
                [*screen.settings.leave_out, *others],
                screen.settings.leave_out,
                _in_short(kept, len(chosen), len(names)),
            )
        ),
        help="The others are left out on every page, in the address and in the exported script. You can undo "
        "it.",
    ):
        st.rerun()


def _offer_way_back(screen: Screen) -> None:
    idle = idle_of(screen.source, screen.frame, screen.settings.target)  # left out by default, with reasons
    left_out = [name for name in screen.settings.leave_out if name not in idle]
    if not left_out:
        return
    first = [name for name in screen.settings.leave_out if name in idle]
    before = [name for name in st.session_state.get(BEFORE, first) if name in screen.settings.leave_out]
    with st.container(horizontal=True, vertical_alignment="center"):
        cost = st.session_state.get(COST, "") if BEFORE in st.session_state else ""
        st.caption(f"{plural(len(left_out), 'attribute')} left out. {cost}".strip(), width="content")
        st.button(
            "Undo" if BEFORE in st.session_state else "Use all attributes again",
            key="undo keeping",
            icon=":material/undo:",
            on_click=safely(partial(_leave_out, before, None)),
        )


def _leave_out(names: list[str], before: tuple[str, ...] | None, cost: str = "") -> None:
    st.session_state["without"] = list(names)
    st.session_state[COST] = cost
    if before is None:
        st.session_state.pop(BEFORE, None)
    else:
        st.session_state[BEFORE] = list(before)


def _in_short(kept: "Kept", few: int, all_of_them: int) -> str:
    """Say what keeping some attributes costs, for when the others are gone."""
    right = kept.accuracy
    return (
        f"With {few} of {all_of_them}, {percent(right.after, digits=1)} of the rows not trained on are "
        f"classified correctly; with all of them it was {percent(right.before, digits=1)}."
    )


def _cost(screen: Screen, study: "Study", names: tuple[str, ...]) -> "Kept | None":
    frame, settings = screen.frame, screen.settings

    def make(progress: Any) -> "Kept":
        from pgm_nb.explain.importance import keep_only
        from pgm_nb.explain.importance.study import folds_of, rows_predicted

        X, y = training_rows(frame, settings)
        model = settings.estimator()
        return keep_only(
            model,
            X,
            y,
            names,
            cv=folds_of(y),
            max_rows=rows_predicted(model),
            progress=progress,
            whole=study.folds,
        )

    return work(("keep", screen.source.digest, settings, names), make, label="Testing the smaller model")


def _say(kept: "Kept", *, scale: Scale | None) -> None:
    loss, right = kept.log_loss, kept.accuracy
    with st.container(horizontal=True):
        _metric(
            "Classified correctly",
            percent(right.after, digits=1),
            right,
            f"{100 * (right.after - right.before):+z.1f} points",
        )
        if scale is not None:
            points = 100 * (typical(loss.after) - typical(loss.before))
            _metric(
                "The true class gets", loss_number(loss.after, scale=scale), loss, f"{points:+z.1f} points"
            )
        else:
            _metric(
                "Log-loss",
                f"{loss.after:.3f} bits",
                loss,
                f"{loss.after - loss.before:+z.3f} bits",
                less=True,
            )
    said = "The difference is within its error" if not loss.sure else "The difference is more than its error"
    if scale is not None:
        st.caption(
            f"On rows not trained on. With all attributes: {percent(right.before, digits=1)} correct, and "
            f"the true class typically gets {loss_number(loss.before, scale=scale)}. {said}."
        )
        return
    st.caption(
        f"On rows not trained on. With all attributes: {percent(right.before, digits=1)} correct, "
        f"{loss.before:.3f} bits. {said}: 95% interval {loss.low:+z.3f} to {loss.high:+z.3f} bits."
    )


def _metric(label: str, value: str, cost: "Cost", delta: str, *, less: bool = False) -> None:
    changed = cost.after != cost.before
    st.metric(
        label,
        value,
        delta=delta if changed else None,
        delta_color="inverse" if less else "normal",
        width="content",
    )


def _show_repeating(study: "Study", *, scale: Scale | None) -> None:
    """Say which attributes follow from another, and list all."""
    table = study.repeated
    if len(table) < 2:
        return
    st.markdown(
        "#### What follows from another attribute",
        help="A second question: not how much an attribute says about the class, but how much of that one "
        "other attribute has said already. An attribute that follows from another can be important, "
        "measured instead of it, or left out beside it.",
    )
    said = repeats(table, bold)
    if said:
        st.markdown("\n".join(f"- {sentence}" for sentence in said[:SENTENCES]))
    else:
        st.markdown("No attribute follows from another one: each says something of its own.")
    of = scale
    of_what = "" if of is None else ", of what there is to know"
    unit, format, times = (" (bits)", "%.3f", 1.0) if of is None else ("", "%.0f%%", 100 / of.of_class)
    table = table.assign(alone=times * table["alone"], adds=times * table["adds"])
    st.dataframe(
        table.assign(other=table["other"].where(table["share"] > 0))[
            ["attribute", "alone", "other", "share", "adds"]
        ].round({"share": 2}),
        hide_index=True,
        placeholder="–",
        height="content" if len(table) <= 10 else 390,
        column_config={
            "attribute": st.column_config.TextColumn("Attribute"),
            "alone": st.column_config.NumberColumn(
                f"On its own{unit}",
                format=format,
                help=f"What it says about the class with nothing else known{of_what}.",
            ),
            "other": st.column_config.TextColumn(
                "Follows most from", help="The attribute after which it adds least."
            ),
            "share": st.column_config.ProgressColumn(
                "Already said",
                format="percent",
                min_value=0.0,
                max_value=1.0,
                help="The part of what it says about the class that the other attribute has said.",
            ),
            "adds": st.column_config.NumberColumn(
                f"Still adds{unit}", format=format, help="What it adds once the other attribute is known."
            ),
        },
    )
    offer_numbers(study.repeated, "redundancy", "These numbers with their intervals, for a spreadsheet.")
