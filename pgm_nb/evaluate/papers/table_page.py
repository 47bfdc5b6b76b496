"""All figures of all papers as one HTML page of its own, which the reader sorts and filters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from importlib.resources import files

from pgm_nb.evaluate.papers.figures import MARKS, Figure, Reproduction
from pgm_nb.evaluate.papers.plots import against

__all__ = ["table_page"]

NUMBERS = ("theirs", "ours", "difference", "repeats", "s.e.", "z")
COLUMNS = ("paper", "table", "measure", "system", *NUMBERS, "mark", "why")


def table_page(reports: Mapping[str, Reproduction]) -> str:
    """Return the page; the table can be read without the script, which only adds sorting and filters.

    Examples
    --------
    >>> figure = Figure("iris", "NB", "accuracy", theirs=95.5, ours=95.9, error=0.3)
    >>> "reproduced" in table_page({"gnb": Reproduction("gnb", "A paper", "ten folds", (figure,))})
    True
    """
    script, style = (
        files("pgm_nb.evaluate.papers").joinpath(f"table_page.{kind}").read_text(encoding="utf-8")
        for kind in ("js", "css")
    )
    heads = "".join(
        f'<th scope="col"{_kind(name)}><button type="button">{escape(name)}</button></th>' for name in COLUMNS
    )
    rows = "\n".join(_row(paper, figure) for paper, found in reports.items() for figure in found.figures)
    pictures = "\n".join(
        f"<figure>{against(found.source, found.figures)}</figure>"
        for found in reports.values()
        if found.figures
    )
    papers = "".join(f"<option>{escape(paper)}</option>" for paper in reports)
    marks = "".join(f"<option>{escape(mark)}</option>" for mark in MARKS)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The papers' figures and ours</title>
<style>
{style}</style>
</head>
<body>
<h1>The papers' figures and ours</h1>
<p>Every printed figure and ours by the same protocol. z is the difference in standard errors; up to 2 either
way counts as reproduced. <a href="../reproduction.html">The rule, the protocols and what we learned</a>.</p>
<form id="filters" hidden>
<label>Paper <select name="paper"><option value="">all</option>{papers}</select></label>
<label>Mark <select name="mark"><option value="">all</option>{marks}</select></label>
<label>Contains <input name="words" type="search" placeholder="iris, TAN, recall …"></label>
<output id="shown"></output>
</form>
<div class="wide">
<table id="figures">
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
<h2>Ours against theirs</h2>
<p>A point on the line agrees exactly. The bars reach two standard errors of the difference either way.</p>
<div class="pictures">
{pictures}
</div>
<script>
{script}</script>
</body>
</html>
"""


def _kind(name: str) -> str:
    return ' class="number"' if name in NUMBERS else ""


def _row(paper: str, figure: Figure) -> str:
    why = "" if figure.mark in ("reproduced", "not judged") else figure.why
    words = (paper, *figure.cells[:10], why)
    values = (figure.theirs, figure.ours, figure.difference, figure.repeats, figure.error, figure.z)
    cells = []
    for name, word in zip(COLUMNS, words, strict=True):
        value = values[COLUMNS.index(name) - 4] if name in NUMBERS else math.nan
        exact = "" if math.isnan(value) else f' data-value="{value:.6g}"'
        cells.append(f"<td{_kind(name)}{exact}>{escape(word)}</td>")
    return f'<tr data-paper="{escape(paper)}" data-mark="{escape(figure.mark)}">{"".join(cells)}</tr>'
