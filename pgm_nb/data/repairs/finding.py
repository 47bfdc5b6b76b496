"""Find what can be repaired in a table, and propose it in the order in which it is done."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
from pandas.api import types

from pgm_nb.data.frame import numbers
from pgm_nb.data.labels import number_label, unique_labels
from pgm_nb.data.repairs.find_cells import Proposal, find_mark, find_numbers, reading_of
from pgm_nb.data.repairs.header import find_header
from pgm_nb.data.repairs.recipe import Recipe
from pgm_nb.data.repairs.step import counted, is_measured
from pgm_nb.data.repairs.steps import (
    Cut,
    FromDate,
    KeepCommon,
    LeaveOut,
    LeaveOutRows,
    Merge,
    NumberNames,
    date_form,
    days_of,
    quoted_all,
)
from pgm_nb.data.target import FEW, MOST_CLASSES, names_rows
from pgm_nb.words import listed, plural

__all__ = [
    "DATES",
    "NAMES_ROWS",
    "NUMBERS_ROWS",
    "class_proposals",
    "idle_columns",
    "idle_reason",
    "propose",
    "recommended",
]

ONE_VALUE = "One value only: it carries no information."
EMPTY = "Every cell is empty."
NAMES_ROWS = "A different value in almost every row: it identifies the rows."
NUMBERS_ROWS = "Numbers the rows, like a patient number."
FREE_TEXT = "Free text: almost no two rows have the same."
DATES = "Dates: to use them, turn them into an age, a month or a year."
MIXED = "Numbers and words mixed: make all its cells numbers, or all words."
LONG = 30  # letters of a free text on average
_NUMBERED = re.compile(r"(?:^|[\W_])(?:id|nr|no|pid|uid|mrn|key|index|number|nummer)$", re.IGNORECASE)


def idle_reason(cells: pd.Series, n_values: int | None = None) -> str:
    """Return why a column is left out unless somebody wants it; empty if it is used.

    A column of numbers that were read as text is never left out.

    Examples
    --------
    >>> idle_reason(pd.Series([7, 7, 7]))
    'One value only: it carries no information.'
    >>> idle_reason(pd.Series(range(30)))
    'Numbers the rows, like a patient number.'
    """
    if types.is_float_dtype(cells.dtype):  # fast, because most columns of most tables are measured
        low, high = cells.min(), cells.max()
        return EMPTY if low != low else ONE_VALUE if low == high and cells.notna().all() else ""
    if types.is_datetime64_any_dtype(cells.dtype):
        return DATES
    distinct = _distinct(cells) if n_values is None else n_values
    if distinct == 0:
        return EMPTY
    if distinct == 1:
        return "" if cells.isna().any() else ONE_VALUE
    if types.is_numeric_dtype(cells.dtype):
        return NUMBERS_ROWS if _numbers_rows(cells, distinct) else ""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        return NAMES_ROWS if names_rows(distinct, len(cells)) else ""
    if date_form(cells) is not None:
        return DATES
    mixed = types.infer_dtype(cells, skipna=True) not in ("string", "boolean", "decimal")
    if not (mixed or names_rows(distinct, len(cells))) or reading_of(cells) is not None:
        return ""
    if mixed:
        return MIXED
    words = cells.dropna().astype(str)
    return FREE_TEXT if words.str.len().mean() > LONG else NAMES_ROWS


def _numbers_rows(cells: pd.Series, distinct: int) -> bool:
    """Return whether whole numbers count the rows, or are all different in a column called a number."""
    if not types.is_integer_dtype(cells.dtype) or distinct < len(cells) or distinct <= FEW:
        return False
    span = int(cells.max()) - int(cells.min()) + 1
    return span == distinct or _NUMBERED.search(str(cells.name).strip()) is not None


def idle_columns(frame: pd.DataFrame) -> dict[str, str]:
    """Return the columns that are left out unless somebody wants them, with the reason.

    Examples
    --------
    >>> idle_columns(pd.DataFrame({"age": [40, 50], "site": ["B", "B"]}))
    {'site': 'One value only: it carries no information.'}
    """
    found = {str(name): idle_reason(cells) for name, cells in frame.items()}
    return {name: reason for name, reason in found.items() if reason}


def _distinct(cells: pd.Series) -> int:
    try:
        return int(cells.nunique())
    except TypeError:  # cells that hold lists and the like
        return int(cells.astype(str).nunique())


RARE = 5  # rows below which a class or a level is rare
MOST_LEVELS = 30
ENOUGH = 30  # rows of a level, however long the table is
OLD = 15  # years: dates that far apart, and that long ago, are probably days of birth
ROUNDS = 5


def propose(
    frame: pd.DataFrame, target: str | None = None, *, today: datetime.date | None = None
) -> tuple[Proposal, ...]:
    """Find what can be repaired in a table, and propose it.

    Parameters
    ----------
    frame
        The table, as `read_table` gives it.
    target
        The class column, if it is known.
    today
        The day on which ages are counted where the table has no other date; by default today.

    Returns
    -------
    tuple of Proposal
        What concerns the class first; columns that are left out unless somebody wants them last. If two
        columns have the same name, or rows belong to the header, that is the only proposal: no other step
        could say what it means.

    Examples
    --------
    >>> frame = pd.DataFrame({"dose": ["1,5", "2", "3,25"], "class": ["a", None, "b"]})
    >>> [proposal.button for proposal in propose(frame, "class")]
    ['Leave these rows out', 'Read as numbers']
    """
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        return (_same_names(names),)
    frame = frame.set_axis(names, axis=1)
    if (header := find_header(frame)) is not None:
        return (header,)
    attributes = [name for name in names if name != target]
    idle = idle_columns(frame[attributes])
    found = [*(class_proposals(frame[target]) if target in names else ())]
    for name in attributes:
        if name not in idle:
            found += _of_values(frame[name])
    found += _dates(frame, attributes, today)
    found += [
        Proposal(
            "left out",
            name,
            f"{name} is left out. {reason}",
            f"Leave out {name}",
            LeaveOut((name,)),
            len(frame),
            usual=True,
        )
        for name, reason in idle.items()
        if reason != DATES
    ]
    return tuple(found)


def recommended(
    frame: pd.DataFrame, target: str | None = None, *, today: datetime.date | None = None
) -> Recipe:
    """Return the recipe of all that is proposed, and of what is proposed once that is done.

    What is doubtful is left to somebody who knows the table.

    Examples
    --------
    >>> frame = pd.DataFrame([["1,5", "a"], ["2", "b"]], columns=["dose", "dose"])
    >>> print(recommended(frame))
    Columns with the same name are numbered.
    dose: read as numbers with decimal commas.
    """
    recipe = Recipe()
    for _ in range(ROUNDS):
        now = None if target is None else recipe.renamed(target)
        more: list[Proposal] = []
        for proposal in propose(frame, now, today=today):  # of the steps on one column the first one
            if proposal.doubtful:
                continue
            if proposal.column not in [other.column for other in more] or not proposal.column:
                more.append(proposal)
        if not more:
            break
        steps = Recipe([proposal.step for proposal in more])
        recipe, frame = recipe.plus(*steps.steps), steps.apply(frame)
    return recipe


def _same_names(names: list[str]) -> Proposal:
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    numbered = [new for old, new in zip(names, unique_labels(names), strict=True) if new != old]
    sentence = (
        f"More than one column is called {quoted_all(twice)}, so nobody can say which one is meant. The "
        f"later ones become {quoted_all(numbered)}."
    )
    return Proposal("names", "", sentence, "Number the names", NumberNames(), 0)


def class_proposals(cells: pd.Series) -> tuple[Proposal, ...]:
    """Find what keeps a column from being a class.

    Examples
    --------
    >>> [found] = class_proposals(pd.Series(["ill", "well", None, "well"], name="outcome"))
    >>> print(found.sentence)
    outcome is empty in 1 of 4 rows, and nothing can be learned about the class from a row without one.
    """
    return tuple(_of_class(cells))


def _of_class(cells: pd.Series) -> Iterator[Proposal]:
    name, empty = str(cells.name), int(cells.isna().sum())
    if types.is_datetime64_any_dtype(cells.dtype) or empty == len(cells):
        return
    if empty:
        yield Proposal(
            "class",
            name,
            f"{name} is empty in {empty:,} of {plural(len(cells), 'row')}, and nothing can be learned about "
            "the class from a row without one.",
            "Leave these rows out",
            LeaveOutRows(name),
            empty,
        )
    found = counted(cells)
    if is_measured(cells):
        if len(found) > FEW or bool((numbers(cells)[cells.notna().to_numpy()] % 1 != 0).any()):
            if (mark := find_mark(cells)) is not None:
                yield mark
            yield from _cut(name, cells, len(found))
            return
    elif len(found) > FEW and (reading := find_numbers(cells)) is not None:
        yield reading
        return
    elif (mark := find_mark(cells, is_class=True)) is not None:
        yield mark
    yield from _rare(name, found, len(cells), is_class=True)


def _cut(name: str, cells: pd.Series, distinct: int) -> Iterator[Proposal]:
    known = numbers(cells.dropna())
    middle = float(f"{np.median(known):.6g}")
    if not known.min() <= middle < known.max():
        middle = float(known.min())
    if not middle < known.max():
        return
    third = np.unique([float(f"{cut:.6g}") for cut in np.quantile(known, [1 / 3, 2 / 3])])
    inner = [float(cut) for cut in third if known.min() <= cut < known.max()]
    others = (("Cut into three", Cut(name, tuple(inner))),) if len(inner) == 2 else ()
    yield Proposal(
        "class",
        name,
        f"{name} holds {plural(distinct, 'different number')}, but a class has few values. Cut it where it "
        f"matters to you; its median is {number_label(middle, 6)}.",
        f"Cut at {number_label(middle, 6)}",
        Cut(name, (middle,)),
        len(known),
        others,
    )


def _rare(name: str, found: dict[str, int], n_rows: int, *, is_class: bool) -> Iterator[Proposal]:
    """Propose to merge rare classes, or the rare levels of a column that has too many."""
    least = RARE if is_class else max(RARE, min(n_rows // 100, ENOUGH))
    many = len(found) > (MOST_CLASSES if is_class else MOST_LEVELS)
    kept = [text for text, rows in found.items() if rows >= least][
        : MOST_CLASSES - 1 if is_class else MOST_LEVELS
    ]
    rare = [text for text in found if text not in kept]
    if len(rare) < 2 or not kept or not (many or is_class) or sum(found[text] for text in rare) < 2:
        return
    rows, what = sum(found[text] for text in rare), "classes" if is_class else "values"
    other = "other" if "other" not in kept else "all others"
    why = (
        "little can be learned about each alone"
        if is_class
        else f"with {len(found):,} values little can be learned about each"
    )
    yield Proposal(
        "class" if is_class else "levels",
        name,
        f"{name} has {len(rare):,} rare {what} with {plural(rows, 'row')} together (such as "
        f"{quoted_all(rare[:3])}); {why}. They can become “{other}”.",
        f"Merge {len(rare):,} rare {what}",
        KeepCommon(name, tuple(kept), other),
        rows,
    )


def _of_values(cells: pd.Series) -> Iterator[Proposal]:
    """Propose what concerns the values of one attribute."""
    if (reading := find_numbers(cells)) is not None:
        yield reading
        return
    if (mark := find_mark(cells)) is not None:
        yield mark
    if is_measured(cells) or types.is_bool_dtype(cells.dtype) or date_form(cells) is not None:
        return
    found = counted(cells)
    yield from _spellings(str(cells.name), found)
    if not names_rows(len(found), len(cells)):
        yield from _rare(str(cells.name), found, len(cells), is_class=False)


def _spellings(name: str, found: dict[str, int]) -> Iterator[Proposal]:
    """Propose to merge values that differ only in capital letters and blanks."""
    alike: dict[str, list[str]] = {}
    for text in found:
        alike.setdefault("".join(text.casefold().split()), []).append(text)
    groups = {texts[0]: tuple(texts[1:]) for texts in alike.values() if len(texts) > 1}
    if not groups:
        return
    rows = sum(found[text] for texts in groups.values() for text in texts)
    pairs = listed([f"{quoted_all([into, *texts])}" for into, texts in groups.items()], 3)
    yield Proposal(
        "levels",
        name,
        f"{name} has values that differ only in capital letters or blanks: {pairs} ({plural(rows, 'row')}).",
        "Merge the spellings",
        Merge(name, groups),
        rows,
    )


def _dates(frame: pd.DataFrame, names: list[str], today: datetime.date | None) -> Iterator[Proposal]:
    """Propose to turn dates into ages, months and years."""
    forms = {name: form for name in names if (form := date_form(frame[name])) is not None}
    days = {name: days_of(frame[name], form) for name, form in forms.items()}
    for name, form in forms.items():
        first, last = days[name].min(), days[name].max()
        later = [
            other
            for other in forms
            if other != name
            and ((both := days[name].notna() & days[other].notna()).any())
            and bool((days[other] > days[name])[both].mean() > 0.95)
        ]
        on = later[0] if later else (today or datetime.date.today()).isoformat()
        ages = days[later[0]].max() if later else pd.Timestamp(on)
        born = (last - first).days > 365 * OLD and (ages - first).days - (last - first).days / 2 > 365 * OLD
        age = FromDate(name, "age", form, on)
        month, year = FromDate(name, "month", form), FromDate(name, "year", form)
        buttons = {"age": f"Age at “{on}”" if later else f"Age on {on}", "month": "Month", "year": "Year"}
        order = [age, month, year] if born else [month, year, age]
        unread = int((days[name].isna() & frame[name].notna()).sum())
        lost = f" {plural(unread, 'cell')} cannot be read as dates and become empty." if unread else ""
        yield Proposal(
            "dates",
            name,
            f"{name} holds dates ({first.date()} to {last.date()}, read as {form}), which are left out as "
            f"they are. An age, a month or a year can be used.{lost}",
            buttons[order[0].to],
            order[0],
            int(frame[name].notna().sum()),
            tuple((buttons[step.to], step) for step in order[1:]),
        )
