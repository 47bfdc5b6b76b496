"""What a person can choose about kernel semi-naive Bayes."""

from __future__ import annotations

from pgm_nb.models.options import TABLE_OPTIONS, Choice, Option, number_or_none

__all__ = ["KERNEL_OPTIONS"]

SMOOTHING = Option(
    "smoothing",
    parse=number_or_none,
    metavar="M",
    flag_help="a number of imaginary rows in every class, spread as all rows are (default: 1), or 'none'",
)


def _whole_or_none(text: str) -> int | None:
    return None if text == "none" else int(text)


KERNEL_OPTIONS = (
    Option(
        "joining",
        "Joining",
        "Attributes that go together around the row at hand are looked at as one.",
        (
            Choice("pairs", "Pairs at the row", "the paper's kernel semi-naive Bayes"),
            Choice("groups", "Groups at the row", "as many as go together", {"max_joined": None}),
            Choice("none", "None", "P-tree naive Bayes", {"threshold": None}),
            Choice(
                "binned",
                "Pairs of intervals",
                "numbers are sorted into intervals first",
                {"discretizer": "quantile"},
                bins=True,
            ),
        ),
        flag_help="pairs (attributes are joined at every row, the default), groups (as many as go "
        "together), none (never) or binned (numbers become states first)",
    ),
    Option(
        "max_joined",
        parse=_whole_or_none,
        metavar="N",
        flag_help="the attributes that a joined group may have (default: 2), or 'none' for any number",
    ),
    Option(
        "threshold",
        parse=number_or_none,
        flag_help="join attributes that correlate by more than this at the row (default: 0.05)",
    ),
    *(SMOOTHING if option.key == "smoothing" else option for option in TABLE_OPTIONS),
)
