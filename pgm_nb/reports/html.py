"""Pieces of a page that stands alone: every name escaped, every picture inside, nothing fetched."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

__all__ = ["chart", "facts", "page", "paragraph", "picture", "section", "table"]


def page(title: str, lead: str, sections: Iterable[str]) -> str:
    """Return a whole HTML page.

    Examples
    --------
    >>> "<title>a &amp; b</title>" in page("a & b", "", [])
    True
    """
    style = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'"  # nothing is fetched, nothing runs
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n"
        f'<body><main><header><h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p></header>\n'
        f"{''.join(sections)}</main></body></html>\n"
    )


def section(title: str, *parts: str) -> str:
    r"""Return a section with its heading.

    Examples
    --------
    >>> section("The data", "<p>rows</p>")
    '<section><h2>The data</h2><p>rows</p></section>\n'
    """
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>\n"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text.

    Examples
    --------
    >>> paragraph("1 < 2")
    '<p>1 &lt; 2</p>'
    """
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def facts(rows: Iterable[tuple[str, str, str]]) -> str:
    """Return names with their values and what they mean.

    Examples
    --------
    >>> facts([("Weight", "1 bit", "more is better")])
    '<dl class="facts"><div><dt>Weight</dt><dd>1 bit</dd><dd class="note">more is better</dd></div></dl>'
    """
    inner = "".join(
        f'<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd><dd class="note">{escape(note)}</dd></div>'
        for name, value, note in rows
    )
    return f'<dl class="facts">{inner}</dl>'


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Return a table; numbers are set to the right.

    Examples
    --------
    >>> table(["name", "bits"], [("age", 0.5)])  # doctest: +ELLIPSIS
    '<div class="scroll"><table><thead><tr><th scope="col">name</th>...<td class="number">0.500</td>...'
    """
    rows = [list(row) for row in rows]
    right = [any(isinstance(row[place], int | float) for row in rows) for place in range(len(headers))]
    kinds = [' class="number"' if number else "" for number in right]
    head = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(headers, kinds, strict=True)
    )
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll"><table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td class="number">{"–" if value != value else f"{value:.3f}"}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{escape(str(value))}</td>"


def picture(svg: str, title: str, caption: str) -> str:
    """Return an SVG text that follows the page's colours as a figure.

    Examples
    --------
    >>> picture("<svg></svg>", "Star", "The class points to all.")  # doctest: +ELLIPSIS
    '<figure><div class="scroll" role="img" aria-label="Star: The class points to all."><svg></svg></div>...'
    """
    said = f"{title}: {caption}"
    return (
        f'<figure><div class="scroll" role="img" aria-label="{escape(said)}">{svg}</div>'
        f"<figcaption><strong>{escape(title)}.</strong> {escape(caption)}</figcaption></figure>"
    )


def chart(build: Callable[[str], Any], alternative: str, caption: str = "") -> str:
    """Return an Altair chart as a figure, for a light and for a dark page.

    Parameters
    ----------
    build
        Makes the chart for a theme.
    alternative
        What it shows, for those who cannot see it.
    caption
        What is said below it.
    """
    import vl_convert

    light, dark = (
        b64encode(vl_convert.vegalite_to_svg(build(theme).to_json()).encode()).decode()
        for theme in ("light", "dark")
    )
    said = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        '<figure><picture><source media="(prefers-color-scheme: dark)" '
        f'srcset="data:image/svg+xml;base64,{dark}">'
        f'<img src="data:image/svg+xml;base64,{light}" alt="{escape(alternative)}"></picture>{said}</figure>'
    )
