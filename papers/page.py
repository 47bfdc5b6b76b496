"""The page of all papers, and the table of their figures that can be sorted and filtered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from papers.figures import MARKS, Figure, Reproduction, against, differences
from papers.gnb_tried import dropped_column, repaired_within
from papers.run import PAPERS, missing_parts, parts_of, report
from papers.store import Results
from pgm_nb.files import write_atomically
from pgm_nb.words import listed

__all__ = ["facts", "page", "table_page", "write_page"]

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
        files("papers").joinpath(f"table_page.{kind}").read_text(encoding="utf-8") for kind in ("js", "css")
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


CLOSE = 0.5  # percent
FOLDER = "reproduction/"  # of the pictures, beside the page


def page(results: Results) -> str:
    """Return the page as Markdown.

    Examples
    --------
    >>> page(Results()).splitlines()[0]
    "# The papers' tables, with ours beside them"
    """
    template = files("papers").joinpath("page.md").read_text(encoding="utf-8")
    reports = {paper: report(paper, results) for paper in PAPERS}
    sections = {paper.replace("-", "_"): _section(found) for paper, found in reports.items()}
    return Template(template).substitute(
        facts(reports),
        **sections,
        runs=_runs(results),
        missing=_missing(results),
        repaired=str(repaired_within(results)),
        columns=dropped_column(results),
    )


def write_page(docs: Path, results: Results) -> list[Path]:
    """Write the page, its pictures and the table into a folder of documentation, and return the files."""
    reports = {paper: report(paper, results) for paper in PAPERS}
    content = {"reproduction.md": page(results), f"{FOLDER}table.html": table_page(reports)}
    for paper, found in reports.items():
        if found.figures:
            content[f"{FOLDER}{paper}.svg"] = against(found.source, found.figures)
            content[f"{FOLDER}{paper}-differences.svg"] = differences(found.source, found.figures)
        pictures = [picture for extra in found.extras for picture in extra.pictures]
        content |= {f"{FOLDER}{picture.name}.svg": picture.svg for picture in pictures}
    (docs / FOLDER).mkdir(parents=True, exist_ok=True)
    for name, text in content.items():
        write_atomically(docs / name, text.encode())
    return [docs / name for name in content]


def _section(found: Reproduction) -> str:
    where = f"{FOLDER}{found.paper}"
    pictures = [
        f"![Ours against theirs, with bars of two standard errors]({where}.svg)\n",
        f"![Ours minus theirs, with bars of two standard errors]({where}-differences.svg)\n",
    ]
    shown = pictures if found.figures else []
    return "\n".join([found.markdown(), *shown, *(extra.markdown(FOLDER) for extra in found.extras)]).rstrip()


def _runs(results: Results) -> str:
    """Say when and with what the figures were measured."""
    if not len(results):
        return "Nothing was run yet."
    dates, versions = ({getattr(row, what) for row in results} for what in ("date", "versions"))
    programs = sorted({words.partition(";")[0] for words in versions})
    text = f"The runs are of {listed(sorted(dates))}: {'; '.join(programs)}."
    where: dict[str, dict[str, None]] = {}
    for row in results:
        if ";" in row.versions:
            where.setdefault(f"{row.paper}, {row.part}", {})[row.table] = None
    gone = [f"{what} on {', '.join(tables)}" for what, tables in where.items()]
    return f"{text} Known only as rounded to two digits: {'; '.join(gone)}." if gone else text


def _missing(results: Results) -> str:
    """Say what was not run, and what less often than the protocol asks for."""
    where: dict[str, list[str]] = {}
    for paper, part, table in missing_parts(results):
        where.setdefault(f"{paper}, {part.name}", []).append(table)
    gone = [f"{what} on {listed(tables, len(tables))}" for what, tables in where.items()]
    lines = [f"Not run: {'; '.join(gone)}." if gone else "Every experiment of the command was run."]
    fewer = _fewer(results)
    if fewer:
        lines.append(f"Repeated less often than the protocol asks for: {'; '.join(fewer)}.")
    return " ".join(lines)


def _fewer(results: Results) -> list[str]:
    """Name what was repeated less often than its protocol asks for."""
    asked = {
        (paper, part.name, table): part.repeats
        for paper in PAPERS
        for part in parts_of(paper)
        for table in part.tables
    }
    found: dict[tuple[str, str, str], dict[str, int]] = {}
    for row in results:
        if row.measure in ("accuracy", "error"):
            found.setdefault((row.paper, row.part, row.table), {})[row.system] = row.repeats
    lines = []
    for where, repeats in sorted(found.items()):
        wanted, (paper, part, table) = asked.get(where, 0), where
        few = {system: times for system, times in repeats.items() if times < wanted}
        if few:
            whose = "" if len(few) == len(repeats) else f"{listed([*few], len(few))}: "
            lines.append(f"{paper}, {part} on {table} ({whose}{min(few.values())} of {wanted})")
    return lines


def facts(reports: Mapping[str, Reproduction]) -> dict[str, str]:
    """Count what the words at the top of the page say.

    Examples
    --------
    >>> facts({"gnb": Reproduction("gnb", "", "", ())})["gnb_same"]
    '0'
    """
    gnb, local = (reports[name].figures if name in reports else () for name in ("gnb", "local-pca"))
    trees = [figure for figure in gnb if figure.system.startswith("GNB")]
    own = [figure for figure in local if figure.system == "proposed"]
    ptree, phnb = (reports[name].figures if name in reports else () for name in ("ptree", "phnb"))
    every = [figure for found in reports.values() for figure in found.figures]
    found = {"gnb": trees, "phnb": list(phnb), "local": own, "ptree": list(ptree), "all": every}
    counts = {}
    for name, figures in found.items():
        for key, mark in (("same", "reproduced"), ("better", "better"), ("worse", "not reproduced")):
            counts[f"{name}_{key}"] = str(sum(figure.mark == mark for figure in figures))
        counts[f"{name}_all"] = str(len(figures))
    differ = [figure for figure in every if figure.mark in ("better", "not reproduced")]
    counts["all_explained"] = str(sum("explained by" in figure.why for figure in differ))
    counts["phnb_close"] = str(sum(abs(figure.difference) <= CLOSE for figure in phnb))
    structured = [figure for figure in gnb if figure.system != "NB"]
    plain = [figure for figure in gnb if figure.system == "NB"]
    for name, figures in (("smooth", structured), ("smooth_nb", plain)):
        counts[name] = str(sum(_smoothing_helps(figure) for figure in figures))
        counts[f"{name}_of"] = str(len(figures))
    return counts


def _smoothing_helps(figure: Figure) -> bool:
    return figure.usual is not None and figure.usual > figure.ours
