"""What a ranking says, in plain sentences; the app, reports and the command line all say it this way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pgm_nb.explain.importance.orders import DROP, FORWARD, SHARE
from pgm_nb.words import about_class, class_name, percent, plural, scale, together

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TITLES", "counted", "explained", "in_words", "repeats", "sure_steps"]

Mark = Callable[[str], str]

TITLES = {FORWARD: "Best next", DROP: "Lost without it", SHARE: "Share of the whole"}
REPEATED = 0.8  # of what an attribute says, from which on it is called a repetition
WORTH_SAYING = 0.1  # of what the best attribute says; what says less has nothing that could be repeated

explained = {
    FORWARD: "The first attribute predicts best on its own. Each further one is the attribute that adds most "
    "to those above it, so an attribute that repeats an earlier one comes late.",
    DROP: "What prediction loses while this one attribute is unknown and all others are known. Of two that "
    "say the same, neither is missed.",
    SHARE: "What all attributes together say about the class, divided fairly between them: the mean of what "
    "an attribute adds over all orders in which they can become known (Shapley).",
}


def sure_steps(path: pd.DataFrame) -> int:
    """Return how many attributes at the beginning of a forward path certainly add something; at least one.

    Examples
    --------
    >>> import pandas as pd
    >>> sure_steps(pd.DataFrame({"low": [0.2, 0.1, -0.1, 0.1]}))
    2
    """
    low = path["low"].to_numpy()
    unsure = (low <= 0).nonzero()[0]
    return max(1, int(unsure[0]) if len(unsure) else len(low))


def in_words(table: pd.DataFrame, method: str, target: str, mark: Mark = str) -> str:
    """Say what a ranking means.

    Parameters
    ----------
    table : DataFrame
        As `importance` returns it.
    method : {"forward", "drop", "share"}
        How it was made.
    target : str
        The name of the class.
    mark : callable
        Marks names, for instance in bold.

    Examples
    --------
    >>> import pandas as pd
    >>> path = pd.DataFrame({"attribute": ["glucose", "mass", "age"], "value": [0.2, 0.05, 0.01],
    ...                      "low": [0.1, 0.01, -0.1], "high": [0.3, 0.1, 0.1]})
    >>> in_words(path, "forward", "ill")
    'glucose says most about ill: 0.200 bits. Then mass adds 0.050 bits. What the rest adds may be chance.'
    """
    names, values = [mark(name) for name in table["attribute"]], table["value"].tolist()
    about = class_name(target)
    if values[0] <= 0:
        return (
            f"No attribute helps to predict {about}: knowing how common each of its values is does as well."
        )
    if method == FORWARD:
        return _path(table, names, values, about)
    if method == DROP:
        missed = int((table["low"] > 0).sum())
        if missed == 0:
            return (
                "No single attribute would clearly be missed: what it says, the others say too. Most is lost "
                f"without {names[0]}: {about_class(values[0])}."
            )
        lost = about_class(values[0])
        return f"{names[0]} would be missed most: while it is unknown, prediction loses {lost}."
    total = sum(values)
    largest = f"The largest share has {names[0]}: {about_class(values[0])}"
    if scale() is not None:
        return f"Together the attributes say {_known(total)} about {about}. {largest}."
    share = percent(values[0], total)
    return f"Together the attributes say {_known(total)} about {about}. {largest}, {share} of it."


def _known(value: float) -> str:
    """Write how much is said about the class, and of what it is a share."""
    return about_class(value) if scale() is None else f"{about_class(value)} of what there is to know"


def _path(table: pd.DataFrame, names: list[str], values: list[float], about: str) -> str:
    said = f"{names[0]} says most about {about}: {_known(values[0])}."
    sure = sure_steps(table)
    if sure > 1:
        some = slice(1, min(sure, 4))
        adds = [
            f"{name} adds {about_class(value)}" for name, value in zip(names[some], values[some], strict=True)
        ]
        said += f" Then {together(adds)}."
    return f"{said} What the rest adds may be chance." if sure < len(names) else said


def repeats(table: pd.DataFrame, mark: Mark = str) -> list[str]:
    """Say which attributes follow from another one, those that say most on their own first.

    Nothing is said of attributes that say next to nothing on their own, where shares are chance.

    Parameters
    ----------
    table : DataFrame
        As `redundancy` returns it.
    mark : callable
        Marks names.

    Examples
    --------
    >>> import pandas as pd
    >>> found = {"attribute": ["insulin"], "alone": [0.2], "other": ["glucose"], "share": [0.93]}
    >>> repeats(pd.DataFrame(found))
    ['insulin follows from glucose: of what it says about the class, glucose has said 93%.']
    """
    says = table["alone"] >= WORTH_SAYING * table["alone"].max()
    found = table[says & (table["share"] >= REPEATED)]
    others = dict(zip(found["attribute"], found["other"], strict=True))
    said, paired = [], set()
    for name, other, share in zip(found["attribute"], found["other"], found["share"], strict=True):
        if others.get(other) == name:
            if other not in paired:
                said.append(f"{mark(name)} and {mark(other)} say much the same about the class.")
            paired.add(name)
        else:
            said.append(
                f"{mark(name)} follows from {mark(other)}: of what it says about the class, {mark(other)} "
                f"has said {percent(share)}."
            )
    return said


def counted(rows: int, of: int) -> str:
    """Say how many rows were predicted, if not all.

    Examples
    --------
    >>> counted(2000, 48842), counted(500, 500)
    ('2,000 of 48,842 rows were predicted, drawn at random.', '')
    """
    return "" if rows >= of else f"{rows:,} of {plural(of, 'row')} were predicted, drawn at random."
