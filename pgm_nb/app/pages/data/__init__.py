"""The Data page: the columns, what becomes of them before learning, and their values."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st
from pandas.api import types

from pgm_nb.app.pages.data.cuts import edit_cuts
from pgm_nb.app.pages.data.repairs import edit_names, show_repairs, unnamed_frame
from pgm_nb.app.shell.repairs import add_steps
from pgm_nb.app.shell.screen import MISSING_CELLS, Screen, guess_sentence
from pgm_nb.app.widgets.charts import MOST_SHOWN, show_chart
from pgm_nb.app.widgets.clicks import own_key, safely, said_by
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.data.learn import Way
from pgm_nb.data.repairs import Merge, NotMeasured
from pgm_nb.data.repairs.step import counted, is_measured
from pgm_nb.data.target import check_class
from pgm_nb.errors import DataError
from pgm_nb.explain.profile import Codes, Profile, class_codes, profiles
from pgm_nb.words import GLOSSARY, SAME_BITS, listed, plural

if TYPE_CHECKING:
    from pgm_nb.app.shell.fitting import Settings

__all__ = ["edit_values", "show"]

FEW_ROWS = 10  # of a class, below which what is learned about it is uncertain
FIRST_ROWS = 100
MOST_VALUES = 200  # the commonest ones that are offered
COLUMN, CHOSEN, NAME = "column whose values change", "values that change", "name of merged values"


def show(screen: Screen) -> None:
    """Show the page."""
    frame, target = screen.frame, screen.target
    _size(frame, target, 0 if screen.chosen is None else len(screen.chosen.leave_out))
    classes: tuple[str, ...] = ()
    y: Codes | None = None
    unusable = ""
    if target is not None:
        try:
            check_class(frame[target])
            classes, y = class_codes(frame[target])
        except DataError as problem:
            unusable = str(problem)
    show_repairs(screen, unusable)
    left, right = st.columns(2, gap="large")
    with left:
        _class(screen, classes, y)
    with right:
        _missing(frame, screen.chosen)
    found = _columns(screen, y)
    edit_values(screen)
    edit_names(screen)
    if y is not None:
        _editor(screen, found, classes, y)
    _first_rows(frame)


def _size(frame: pd.DataFrame, target: str | None, left_out: int) -> None:
    rows, columns, classes, empty = st.columns(4)
    rows.metric("Rows", f"{len(frame):,}", help="One row per case, such as a patient.")
    columns.metric(
        "Attributes",
        f"{frame.shape[1] - (target is not None) - left_out:,}",
        help=GLOSSARY["attribute"]
        + (
            f" {plural(left_out, 'further column')} {'is' if left_out == 1 else 'are'} left out."
            if left_out
            else ""
        ),
    )
    n_classes = "–" if target is None else f"{frame[target].nunique():,}"
    classes.metric("Classes", n_classes, help="The different values of the class column.")
    cells = int(frame.isna().to_numpy().sum())
    empty.metric("Empty cells", f"{cells:,}", help="Cells without a value; ? and NA count as empty.")


def _class(screen: Screen, classes: tuple[str, ...], y: Codes | None) -> None:
    st.markdown("#### The class")
    target = screen.target
    names = [str(name) for name in screen.frame.columns]
    st.selectbox(
        "Which column do you want to explain and predict?",
        names,
        index=None if target is None else 0,
        key=own_key("class here", target),
        placeholder="choose a column",
        on_change=safely(_take_choice),
        args=("class",),
        help="The same choice as in the side bar. A class is a column with few values, such as a diagnosis.",
    )
    if screen.guessed is not None and target is not None:
        st.caption(guess_sentence(target, screen.guessed))
    if y is None:
        return
    from pgm_nb.views.chart.rows import class_balance

    counts = pd.Series(y).value_counts().reindex(range(len(classes)), fill_value=0).tolist()
    data = pd.DataFrame({"class": classes, "rows": counts})
    shares = ", ".join(f"{label} {count:,}" for label, count in zip(classes, counts, strict=True))
    theme = st.context.theme.type or "light"
    names, rows = commonest(classes, counts)
    show_chart(class_balance(names, rows, theme), data, "classes", f"Rows of each class: {shares}.")
    if len(names) < len(classes):
        with st.expander(f"All {len(classes)} classes"):
            ordered = data.sort_values("rows", ascending=False, kind="stable")
            st.dataframe(
                ordered,
                hide_index=True,
                column_config={
                    "class": st.column_config.TextColumn("Class"),
                    "rows": st.column_config.NumberColumn("Rows", format="localized"),
                },
            )
    few = [label for label, count in zip(classes, counts, strict=True) if count < FEW_ROWS]
    if few:
        st.warning(
            f"Fewer than {FEW_ROWS} rows: {listed([bold(label) for label in few])}. What the model learns "
            f"about {'these classes' if len(few) > 1 else 'this class'} is uncertain; more rows would help."
        )
    if max(counts) > 0.95 * sum(counts):
        largest = classes[counts.index(max(counts))]
        st.warning(
            f"Almost all rows are {bold(largest)}: always predicting it would be right in "
            f"{max(counts) / sum(counts):.1%} of them, so accuracy alone says little here."
        )


def commonest(classes: Sequence[str], counts: Sequence[int]) -> tuple[list[str], list[int]]:
    """Return the classes with their rows as the chart shows them: of many the commonest, the rest together.

    Examples
    --------
    >>> commonest(["a", "b"], [1, 2])
    (['a', 'b'], [1, 2])
    >>> commonest([*"abcdefghijk"], range(11))
    (['k', 'j', 'i', 'h', 'g', 'f', 'e', 'd', '3 other classes'], [10, 9, 8, 7, 6, 5, 4, 3, 3])
    """
    if len(classes) <= MOST_SHOWN + 1:
        return list(classes), list(counts)
    order = sorted(range(len(classes)), key=lambda place: -counts[place])
    first, rest = order[:MOST_SHOWN], order[MOST_SHOWN:]
    names = [*(classes[place] for place in first), f"{len(rest)} other classes"]
    return names, [*(counts[place] for place in first), sum(counts[place] for place in rest)]


def _take_choice(key: str) -> None:
    """Hand a choice made here over to the side bar."""
    st.session_state[key] = said_by(f"{key} here")


def _missing(frame: pd.DataFrame, settings: "Settings | None") -> None:
    st.markdown("#### Empty cells")
    gaps = frame.isna()
    cells = gaps.sum()
    cells = cells[cells > 0].sort_values(ascending=False, kind="stable")
    if cells.empty:
        st.write("No cell is empty.")
        return
    rows = int(gaps.any(axis=1).sum())
    st.write(
        f"{plural(int(cells.sum()), 'cell')} in {rows:,} of {plural(len(frame), 'row')} "
        f"{'has' if cells.sum() == 1 else 'have'} no value."
    )
    if settings is not None:
        _choose_missing(settings)
    table = pd.DataFrame({"column": cells.index.astype(str), "empty": cells, "share": cells / len(frame)})
    st.dataframe(
        table,
        hide_index=True,
        key="empty cells",
        height=min(38 + 35 * len(table), 248),
        column_config={
            "column": st.column_config.TextColumn("Column", width="small"),
            "empty": st.column_config.NumberColumn("Empty", format="localized", width="small"),
            "share": st.column_config.NumberColumn("Of all rows", format="percent", width="small"),
        },
    )


def _choose_missing(settings: "Settings") -> None:
    if not settings.kind.about.has_parameter("missing"):
        if settings.kind.about.empty_cells:
            st.caption(settings.kind.about.empty_cells)
        return
    st.selectbox(
        "While the model learns, an empty cell means",
        [*MISSING_CELLS],
        key=own_key("missing here", settings.missing),
        format_func=MISSING_CELLS.__getitem__,
        on_change=safely(_take_choice),
        args=("missing",),
        help="The same choice as in the side bar. In a case to classify, an empty cell always means unknown.",
    )


def _columns(screen: Screen, y: Codes | None) -> tuple[Profile, ...]:
    """List what every column holds."""
    st.markdown("#### The columns")
    settings = screen.chosen
    without = () if settings is None else (*settings.leave_out, settings.target)
    discretizer = "quantile" if settings is None else settings.discretizer
    n_bins = None if settings is None else settings.n_bins
    ways = () if settings is None else settings.cuts
    key = (screen.source.digest, screen.target, y is not None)
    found = _profiles(key, without, ways, discretizer, n_bins, screen.frame, y)
    of = None if y is None else screen.shares
    times, format = (1.0, "%.3f bits") if of is None else (100 / max(of.of_class, SAME_BITS), "%.0f%%")
    most = max([times * (profile.bits or 0.0) for profile in found], default=0.0)
    table = pd.DataFrame(
        {
            "column": [profile.name for profile in found],
            "kind": [profile.kind for profile in found],
            "values": [profile.n_values for profile in found],
            "empty": [profile.n_missing for profile in found],
            "bits": [None if profile.bits is None else times * profile.bits for profile in found],
            "remark": [profile.remark for profile in found],
            "groups": [list(profile.groups) for profile in found],
        }
    )
    unused = [*([] if y is not None else ["bits"]), *([] if table["remark"].any() else ["remark"])]
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        table.drop(columns=unused),
        hide_index=True,
        key="columns",
        height=min(38 + 35 * len(table), 458),
        column_config={
            "column": text("Column", pinned=True),
            "kind": text("Kind", width="small", help="What the cells hold, as far as the program can see."),
            "values": number("Values", format="localized", help="How many different values occur."),
            "empty": number("Empty", format="localized", help="Cells without a value."),
            "bits": st.column_config.ProgressColumn(
                "About the class",
                format=format,
                min_value=0.0,
                max_value=max(most, 1e-9),
                help="The information that this column alone, in its states, carries about the class. "
                + (GLOSSARY["bits"] if of is None else "100% is everything there is to know about it."),
            ),
            "groups": st.column_config.ListColumn("States", help=GLOSSARY["state"]),
            "remark": text("Remark", width="large"),
        },
    )
    if settings is not None and settings.leave_out:
        st.caption(f"Left out: {literal(listed(settings.leave_out))}.")
    return found


@st.cache_data(max_entries=16, show_spinner="Looking at the columns …")
def _profiles(
    key: tuple[str, str | None, bool],
    without: tuple[str, ...],
    ways: tuple[tuple[str, Way], ...],
    discretizer: str,
    n_bins: int | None,
    _frame: pd.DataFrame,
    _y: Codes | None,
) -> tuple[Profile, ...]:
    return profiles(_frame.drop(columns=list(without)), _y, dict(ways), discretizer, n_bins)


def _editor(screen: Screen, found: tuple[Profile, ...], classes: tuple[str, ...], y: Codes) -> None:
    settings = screen.settings
    measured = [profile for profile in found if profile.kind == "number" and profile.groups]
    columns = [profile.name for profile in sorted(measured, key=lambda profile: profile.better_out)]
    if not columns:
        return
    if not settings.bins:
        st.markdown("#### Intervals of numbers")
        st.info(settings.kind.about.number_words)
        return
    edit_cuts(screen.frame, settings, columns, classes, y, scale=screen.shares)


def _first_rows(frame: pd.DataFrame) -> None:
    st.markdown("#### The rows")
    rows = frame.head(FIRST_ROWS)
    mixed = [name for name in rows.columns if rows[name].dtype == object]
    rows = rows.assign(**{str(name): rows[name].map(str, na_action="ignore") for name in mixed})
    st.dataframe(rows.set_axis(range(1, len(rows) + 1)), key="first rows", height=250)
    if len(frame) > FIRST_ROWS:
        st.caption(f"The first {FIRST_ROWS} of {len(frame):,} rows.")


def edit_values(screen: Screen) -> None:
    """Show the tool for the values of one column."""
    frame, _, _ = unnamed_frame(screen)
    with st.expander("Merge values, or say what means not measured"):
        _tool(frame, screen.source.digest)


def _tool(frame: pd.DataFrame, digest: str) -> None:
    names = [str(name) for name, cells in frame.items() if not types.is_datetime64_any_dtype(cells.dtype)]
    name = st.selectbox("Column", names, key=COLUMN)
    found = _counted(digest, name, frame[name])
    values = list(found)[:MOST_VALUES]
    key = f"{CHOSEN} {name}"
    st.multiselect(
        "Values",
        values,
        key=key,
        format_func=lambda value: f"{value} ({plural(found[value], 'row')})",
        placeholder="select values",
        help=f"The {MOST_VALUES} commonest are offered." if len(found) > MOST_VALUES else None,
    )
    chosen: list[str] = st.session_state.get(key) or []
    merged = st.text_input(
        "Name of the merged value", key=f"{NAME} {name}", placeholder=chosen[0] if chosen else ""
    )
    into = merged.strip() or (chosen[0] if chosen else "")
    with st.container(horizontal=True):
        merge = partial(_merge, name, key, chosen, into)
        st.button(
            "Merge them",
            key="merge values",
            on_click=safely(merge),
            disabled=not chosen
            or (len(chosen) == 1 and into == chosen[0])
            or is_measured_widely(frame[name]),
            help="They become one value. A measured number cannot be merged: set its intervals below.",
        )
        st.button(
            "They mean not measured",
            key="values not measured",
            on_click=safely(partial(_empty, name, key, chosen)),
            disabled=not chosen or len(chosen) == len(found),
        )


def is_measured_widely(cells: pd.Series) -> bool:
    """Return whether a column holds more numbers than codes would be."""
    return is_measured(cells) and cells.nunique() > 20


@st.cache_data(max_entries=32, show_spinner=False)
def _counted(digest: str, name: str, _cells: pd.Series) -> dict[str, int]:
    return counted(_cells)


def _merge(name: str, key: str, chosen: list[str], into: str) -> None:
    st.session_state[key] = []
    add_steps(Merge(name, {into: tuple(chosen)}))


def _empty(name: str, key: str, chosen: list[str]) -> None:
    st.session_state[key] = []
    add_steps(NotMeasured(name, tuple(chosen)))
