"""Keep only some attributes: what it would cost, the smaller model, and the way back."""

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell.address import follow, keep_several
from pgm_nb.app.shell.calm import calmly
from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.repairs import idle_of
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.explain.importance.sentences import sure_steps
from pgm_nb.words import loss_number, percent, plural, scale, typical

if TYPE_CHECKING:
    from pgm_nb.explain.importance import Cost, Kept, Study

__all__ = ["show"]

BEFORE = "left out before"  # what was left out before the last change, for the way back
COST = "cost of keeping"  # what the last choice cost, in a sentence


def show(screen: Screen, study: "Study") -> None:
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
    _say(kept)
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


def _say(kept: "Kept") -> None:
    loss, right = kept.log_loss, kept.accuracy
    with st.container(horizontal=True):
        _metric(
            "Classified correctly",
            percent(right.after, digits=1),
            right,
            f"{100 * (right.after - right.before):+z.1f} points",
        )
        if scale() is not None:
            points = 100 * (typical(loss.after) - typical(loss.before))
            _metric("The true class gets", loss_number(loss.after), loss, f"{points:+z.1f} points")
        else:
            _metric(
                "Log-loss",
                f"{loss.after:.3f} bits",
                loss,
                f"{loss.after - loss.before:+z.3f} bits",
                less=True,
            )
    said = "The difference is within its error" if not loss.sure else "The difference is more than its error"
    if scale() is not None:
        st.caption(
            f"On rows not trained on. With all attributes: {percent(right.before, digits=1)} correct, and "
            f"the true class typically gets {loss_number(loss.before)}. {said}."
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
