"""What is known about one element of a picture: sentences, numbers and small tables, for any page to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.graphs.base import Headline
from pgm_nb.words import percent

__all__ = ["MOST_ROWS", "TABLE_STYLE", "Detail", "DetailTable", "ranked_shares", "share_table", "state_table"]

MOST_ROWS = 12  # members or loadings that a table lists
STRONGEST = 0.6  # how much of the colour the largest share gets
MOST_ACROSS = 4  # classes side by side, if there are fewer states
TABLE_STYLE = """
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
class DetailTable:
    """Numbers in rows and columns, with a shade between 0 and 1 for each if they have one.

    Examples
    --------
    >>> table = DetailTable("Shares", "attribute", ("<age>",), ("share",), (("25%",),), ((0.25,),))
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
        """Return the table as HTML, with all names escaped; it needs `TABLE_STYLE` on the page."""
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


@dataclass(frozen=True)
class Detail:
    """What is known about one element of a picture.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> from pgm_nb.views.graph.drawing import Element
    >>> model = pnb.NaiveBayes().fit(*pnb.load_sample("iris"))
    >>> found = model.describe(Element("attribute", ("petal width",)))
    >>> found.sentences[0]
    'It carries 1.35 bits of information about the class, the most of 4 attributes.'
    >>> found.numbers[0].label, found.numbers[0].value
    ('Adds', '1.349 bits')
    """

    title: str
    sentences: tuple[str, ...]  #: with the names marked as the caller asked
    numbers: tuple[Headline, ...] = ()
    tables: tuple[DetailTable, ...] = ()
    more: tuple[DetailTable, ...] = ()  #: tables on demand
    attribute: str | None = None  #: the attribute it is about, if it is about one


def share_table(
    title: str, corner: str, rows: Sequence[str], columns: Sequence[str], shares: Floats
) -> DetailTable:
    """Return a table of shares in percent, shaded by their size.

    Examples
    --------
    >>> share_table("Prior", "class", ["ill", "well"], [""], np.array([0.25, 0.75])).cells
    (('25%',), ('75%',))
    """
    values = np.asarray(shares, dtype=np.float64).reshape(len(rows), len(columns))
    cells = tuple(tuple(percent(value) for value in row) for row in values.tolist())
    return DetailTable(title, corner, tuple(rows), tuple(columns), cells, tuple(map(tuple, values.tolist())))


def state_table(
    name: str, states: Sequence[str], target: str, classes: Sequence[str], shares: Floats
) -> DetailTable:
    """Return how often an attribute has each of its states in each class; `shares` is (classes, states).

    Examples
    --------
    >>> state_table("sex", ["f", "m"], "ill", ["no", "yes"], np.array([[0.5, 0.5], [0.2, 0.8]])).cells
    (('50%', '20%'), ('50%', '80%'))
    """
    title = f"How often, given {target}"
    if len(classes) > max(MOST_ACROSS, len(states)):  # many classes go down rather than across
        return share_table(title, f"{target} ↓   {name} →", classes, states, shares)
    return share_table(title, name, states, classes, shares.T)


def ranked_shares(title: str, corner: str, head: str, shares: Mapping[str, float]) -> DetailTable:
    """Return a table of shares, the largest first; the rest of very many are added up.

    Examples
    --------
    >>> ranked_shares("Bag", "attribute", "share", {"age": 0.25, "sex": 0.75}).rows
    ('sex', 'age')
    """
    order = sorted(shares.items(), key=lambda pair: -pair[1])
    shown = dict(order if len(order) <= MOST_ROWS + 1 else order[:MOST_ROWS])
    rest = order[len(shown) :]
    labels, values = [*shown], [*shown.values()]
    if rest:
        labels, values = [*labels, f"{len(rest)} others"], [*values, sum(share for _, share in rest)]
    return share_table(title, corner, labels, [head], np.array(values))
