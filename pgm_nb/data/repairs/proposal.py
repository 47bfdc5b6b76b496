"""What a proposal is: a step that was found, the sentence that gives its reason, and its button."""

from __future__ import annotations

from dataclasses import dataclass

from pgm_nb.data.repairs.step import Step

__all__ = ["Proposal"]


@dataclass(frozen=True)
class Proposal:
    """A repair that was found and is proposed.

    Attributes
    ----------
    kind
        What it is about: "names", "class", "numbers", "not measured", "dates", "levels" or "left out".
    column
        The column it is about; empty if it is about several.
    sentence
        What was found, where and in how many rows, and why it matters.
    button, step
        What can be done, in a few words, and the step that does it.
    rows
        How many rows it changes.
    others
        Other steps in its place, each with the words of its button.
    usual
        Whether it is done unless somebody refuses: columns that say nothing are left out.
    doubtful
        Whether only somebody who knows the table can decide: it is asked, and never done with all others.
    """

    kind: str
    column: str
    sentence: str
    button: str
    step: Step
    rows: int
    others: tuple[tuple[str, Step], ...] = ()
    usual: bool = False
    doubtful: bool = False
