"""Small tables of numbers beside a picture: plain HTML, shaded by size, names of strangers escaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.words import percent

__all__ = ["STYLE", "Table", "given_class", "percentages"]

STRONGEST = 0.6  # how much of the colour the largest share gets
MOST_ACROSS = 4  # classes side by side, if there are fewer states
STYLE = """
<style>
.numbers { overflow-x: auto; margin-bottom: 0.4rem; }
.numbers table { border-collapse: collapse; font-size: 0.8125rem; width: 100%; }
.numbers caption { caption-side: top; text-align: left; padding: 0 0 0.25rem; font-weight: 600; }
.numbers th { font-weight: 400; text-align: left; padding: 0.15rem 0.4rem; overflow-wrap: anywhere; }
.numbers thead th { border-bottom: 1px solid rgba(128, 138, 150, 0.5); vertical-align: bottom; }
.numbers th:first-child { min-width: 5rem; }
.numbers td, .numbers thead th:not(:first-child) { text-align: right; }
.numbers td { padding: 0.15rem 0.4rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
</style>
"""


@dataclass(frozen=True)
class Table:
    """Numbers in rows and columns, with a shade between 0 and 1 for each if they have one.

    Examples
    --------
    >>> table = Table("Shares", "attribute", ("<age>",), ("share",), (("25%",),), ((0.25,),))
    >>> "&lt;age&gt;" in table.html("light"), "rgba(44, 93, 143, 0.15)" in table.html("light")
    (True, True)
    """

    title: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    shades: tuple[tuple[float, ...], ...] | None = None

    def html(self, theme: str) -> str:
        """Return the table as HTML; it needs `STYLE` on the page."""
        colour = "127, 178, 229" if theme == "dark" else "44, 93, 143"
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in (self.corner, *self.columns))
        body = "".join(
            f'<tr><th scope="row">{escape(name)}</th>{self._cells(place, colour)}</tr>'
            for place, name in enumerate(self.rows)
        )
        return (
            f'<div class="numbers"><table><caption>{escape(self.title)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def _cells(self, row: int, colour: str) -> str:
        shades = (0.0,) * len(self.columns) if self.shades is None else self.shades[row]
        return "".join(
            f'<td style="background: rgba({colour}, {STRONGEST * shade:.2f})">{escape(text)}</td>'
            for text, shade in zip(self.cells[row], shades, strict=True)
        )


def percentages(
    title: str, corner: str, rows: Sequence[str], columns: Sequence[str], shares: NDArray[np.float64]
) -> Table:
    """Return a table of shares in percent, shaded by their size.

    Examples
    --------
    >>> percentages("Prior", "class", ["ill", "well"], [""], np.array([0.25, 0.75])).cells
    (('25%',), ('75%',))
    """
    values = np.asarray(shares, dtype=np.float64).reshape(len(rows), len(columns))
    cells = tuple(tuple(percent(value) for value in row) for row in values.tolist())
    return Table(title, corner, tuple(rows), tuple(columns), cells, tuple(map(tuple, values.tolist())))


def given_class(name: str, states: Sequence[str], model: Any, shares: NDArray[np.float64]) -> Table:
    """Return the table of an attribute: how often each state is in each class; `shares` is (k, v)."""
    target, classes = model.structure_.target, [str(label) for label in model.classes_]
    title = f"How often, given {target}"
    if len(classes) > max(MOST_ACROSS, len(states)):  # many classes go down rather than across
        return percentages(title, f"{target} ↓   {name} →", classes, states, shares)
    return percentages(title, name, states, classes, shares.T)
