"""A small language of a drawing (nodes, arcs) and its translation to Graphviz DOT text.

Names come from strangers, so a node is known by a plain id of ours and its name is only ever a quoted label.
"""

import re
from dataclasses import dataclass
from textwrap import wrap
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

from pgm_nb.views.palette import colours

__all__ = ["Arc", "Cell", "Drawing", "Node", "box_size", "line_width", "to_dot", "visible"]

FONT = "Helvetica,Arial,sans-serif"
FONT_SIZE = 13
LINE = 26  # characters after which a long name goes on in the next line
POINTS_PER_INCH = 72
_NUMBER = 42  # width in points of a column of numbers

_SHAPES = {
    "class": {"shape": "ellipse", "style": "filled", "margin": "0.06,0.03"},
    "attribute": {"shape": "box", "style": "filled,rounded", "margin": "0.12,0.06"},
    "cluster": {"shape": "box", "style": "filled,rounded", "margin": "0.12,0.07"},
    "separator": {"shape": "box", "style": "filled", "margin": "0.1,0.04"},
    "hidden": {"shape": "ellipse", "style": "filled,dashed", "margin": "0.06,0.03"},
    "table": {"shape": "plain"},
}
_ARCS = {
    "class": "class arc",
    "tree": "tree arc",
    "junction": "tree arc",
    "hidden": "tree arc",
    "common": "tree arc",
    "first": "first arc",
    "second": "second arc",
}
_DASHES = {"hidden": "dashed", "first": "dashed", "second": "dotted"}


@dataclass(frozen=True)
class Cell:
    """One cell of a node that is a table.

    Parameters
    ----------
    text : str
        What it says.
    fill : str
        Role of the fill colour in the palette; empty for none.
    align : str
        ``"left"``, ``"center"`` or ``"right"``.
    span : int
        Columns that it takes.
    small : bool
        Whether in small letters, for tables of many numbers.

    Examples
    --------
    >>> Cell("0.25", fill="shade 2").align
    'left'
    """

    text: str
    fill: str = ""
    align: str = "left"
    span: int = 1
    small: bool = False


@dataclass(frozen=True)
class Node:
    """One thing in a drawing.

    Parameters
    ----------
    id : str
        A plain identifier (letters and digits), unique in the drawing.
    lines : tuple of str
        The text inside, one name or number per line; long lines are wrapped.
    kind : str
        ``"class"``, ``"attribute"``, ``"cluster"``, ``"separator"``, ``"hidden"`` or ``"table"``: decides
        shape and colour.
    number : str
        A number behind the last line.
    fill : str
        Role of the fill colour in the palette; empty for the colour of the kind.
    at : tuple of float, optional
        Place of the centre in points, for drawings that are laid out by hand.
    width : float, optional
        Least width in points.
    step : int, optional
        The learning step at which the node appears.
    tip : str
        Text shown when the pointer rests on the node.
    table : tuple of tuple of Cell
        Rows of a node that is a table; its lines are not drawn.
    names : tuple of str
        The names of the graph that the node stands for; empty for a mere note.

    Examples
    --------
    >>> Node("n0", ("age",), "attribute").lines
    ('age',)
    """

    id: str
    lines: tuple[str, ...]
    kind: str
    number: str = ""
    fill: str = ""
    at: tuple[float, float] | None = None
    width: float | None = None
    step: int | None = None
    tip: str = ""
    table: tuple[tuple[Cell, ...], ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arc:
    """One line between two nodes.

    Parameters
    ----------
    source, target : str
        Ids of the nodes.
    kind : str
        ``"class"``, ``"tree"``, ``"junction"`` or ``"hidden"`` (dashed), and in a comparison ``"common"``,
        ``"first"`` (dashed) or ``"second"`` (dotted): decides the colour.
    label : str
        The number beside the line.
    width : float
        Width of the line in points.
    step : int, optional
        The learning step at which the arc appears.
    tip : str
        Text shown when the pointer rests on the arc.
    port, tail : str
        The sides at which the arc arrives at the target and leaves the source: ``"n"``, ``"e"``, ``"s"``,
        ``"w"``, empty for any.
    pulls : bool
        Whether the arc has a say in the layout.
    hidden : bool
        Whether it has nothing but that.

    Examples
    --------
    >>> Arc("n0", "n1", "tree", label="0.41", width=2.5).label
    '0.41'
    """

    source: str
    target: str
    kind: str
    label: str = ""
    width: float = 1.0
    step: int | None = None
    tip: str = ""
    port: str = ""
    tail: str = ""
    pulls: bool = True
    hidden: bool = False


@dataclass(frozen=True)
class Drawing:
    """Nodes and arcs, and how to lay them out.

    Parameters
    ----------
    title : str
        Name of the graph in the DOT text.
    nodes, arcs : tuple
        What is drawn, in a stable order.
    directed : bool
        Whether arcs have arrowheads.
    flow : str
        ``"TB"`` or ``"LR"``: ranks run down or to the right; ``"pinned"``: every node has its place.
    straight : bool
        Whether arcs are straight lines behind the nodes rather than curves around them.

    Examples
    --------
    >>> Drawing("star", (Node("n0", ("age",), "attribute"),), ()).flow
    'TB'
    """

    title: str
    nodes: tuple[Node, ...]
    arcs: tuple[Arc, ...]
    directed: bool = True
    flow: str = "TB"
    straight: bool = False


def visible(text: str) -> str:
    r"""Return the text with control characters as the symbols Unicode has for them, so that nothing is lost.

    Examples
    --------
    >>> visible("two\nlines")
    'two␊lines'
    """
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", _symbol, text)


def to_dot(drawing: Drawing, theme: str = "light", page: str = "transparent") -> str:
    r"""Translate a drawing to DOT text: the same drawing gives the same text, every name comes out as it is.

    Examples
    --------
    >>> drawing = Drawing("tree", (Node("n0", ('a "b"',), "attribute"),), ())
    >>> print(to_dot(drawing).splitlines()[-2].strip()[:19])
    n0 [label="a \"b\""
    """
    import graphviz

    paint = colours(theme)
    kind = graphviz.Digraph if drawing.directed else graphviz.Graph
    dot = kind(drawing.title, graph_attr=_graph_style(drawing, page))
    dot.attr("node", fontname=FONT, fontsize=str(FONT_SIZE), height="0.3", width="0.3")
    dot.attr("edge", fontname=FONT, fontsize=str(FONT_SIZE - 2), arrowsize="0.7", fontcolor=paint["number"])
    for node in drawing.nodes:
        dot.node(
            node.id,
            label=_table(node, dict(paint)) if node.table else graphviz.nohtml(_text(node)),
            tooltip=graphviz.nohtml(_tooltip(node.tip or ", ".join(node.lines))),
            **{"class": _classes(node.kind, node.step)},
            **_node_style(node, dict(paint)),
        )
    for arc in drawing.arcs:
        dot.edge(arc.source, arc.target, **_arc_style(arc, paint[_ARCS[arc.kind]]))
    return str(dot.source)


def box_size(name: str, number: str = "") -> tuple[float, float]:
    """Estimate the width and height in points of the box around a name.

    Examples
    --------
    >>> width, height = box_size("age")
    >>> 30 < width < 60 and 20 < height < 30
    True
    """
    lines = _shown((name,), number)
    return max(map(line_width, lines)) + 20, 1.25 * FONT_SIZE * len(lines) + 9


def line_width(line: str) -> float:
    """Estimate the width in points of one line of text.

    Examples
    --------
    >>> line_width("wide") == 2 * line_width("id")
    True
    """
    return FONT_SIZE * sum(1.0 if east_asian_width(letter) in "WF" else 0.6 for letter in line)


def _text(node: Node) -> str:
    return "\\n".join(_label(line) for line in _shown(node.lines, node.number)) or " "


def _table(node: Node, paint: dict[str, str]) -> str:
    """Return the table in Graphviz's own kind of HTML."""
    columns = max(len(row) for row in node.table)
    first = "" if node.width is None else f' WIDTH="{node.width - _NUMBER * (columns - 1):.0f}"'
    rows = "".join(
        f"<TR>{''.join(_cell(cell, paint, '' if place else first) for place, cell in enumerate(row))}</TR>"
        for row in node.table
    )
    frame = f'BORDER="1" COLOR="{paint["outline"]}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3"'
    return f'<<TABLE {frame} STYLE="ROUNDED">{rows}</TABLE>>'


def _cell(cell: Cell, paint: dict[str, str], width: str) -> str:
    fill = f' BGCOLOR="{paint[cell.fill]}"' if cell.fill else ""
    text = escape(visible(cell.text)) or " "
    if cell.small:
        text = f'<FONT POINT-SIZE="{FONT_SIZE - 4}">{text}</FONT>'
    return f'<TD ALIGN="{cell.align.upper()}" COLSPAN="{cell.span}"{width}{fill}>{text}</TD>'


def _graph_style(drawing: Drawing, page: str) -> dict[str, str]:
    style = {"bgcolor": page, "pad": "0.15"}
    if drawing.flow == "pinned":
        return style | {"layout": "neato", "splines": "line", "outputorder": "edgesfirst"}
    ranks = {"TB": ("0.25", "0.5"), "LR": ("0.18", "0.6")}  # gaps within and between ranks, in inches
    within, between = ranks[drawing.flow]
    if drawing.straight:
        style |= {"splines": "line", "outputorder": "edgesfirst"}
    return style | {"layout": "dot", "rankdir": drawing.flow, "nodesep": within, "ranksep": between}


def _node_style(node: Node, paint: dict[str, str]) -> dict[str, str]:
    fills = {
        "class": "class fill",
        "attribute": "shade 0",
        "cluster": "shade 0",
        "separator": "separator fill",
        "hidden": "page",
        "table": "page",
    }
    outline = "separator outline" if node.kind == "separator" else "outline"
    style = {
        **_SHAPES[node.kind],
        "color": paint[outline],
        "fillcolor": paint[node.fill or fills[node.kind]],
        "fontcolor": paint["class text" if node.kind == "class" else "text"],
    }
    if node.width is not None:
        style["width"] = f"{node.width / POINTS_PER_INCH:.2f}"
    if node.at is not None:
        style["pos"] = "{:.2f},{:.2f}!".format(*(place / POINTS_PER_INCH for place in node.at))
    return style


def _arc_style(arc: Arc, colour: str) -> dict[str, str]:
    from graphviz import nohtml

    style = {"class": _classes(arc.kind, arc.step), "color": colour, "penwidth": f"{arc.width:.2f}"}
    if arc.label:
        style["label"] = nohtml(f"  {_label(arc.label)} ")  # the spaces keep it off the line
    if arc.port:
        style["headport"] = arc.port
    if arc.tail:
        style["tailport"] = arc.tail
    if arc.kind in _DASHES:
        style["style"] = _DASHES[arc.kind]
    if arc.hidden:
        style["style"] = "invis"
    if arc.tip:
        style |= {"tooltip": nohtml(_tooltip(arc.tip)), "labeltooltip": nohtml(_tooltip(arc.tip))}
    if arc.kind == "class":
        style["arrowsize"] = "0.5"
    if not arc.pulls:
        style["constraint"] = "false"
    return style


def _classes(kind: str, step: int | None) -> str:
    """Return the classes of the SVG element, by which a page can style it or toggle its step."""
    return kind if step is None else f"{kind} s{step}"


def _shown(lines: tuple[str, ...], number: str) -> list[str]:
    """Break long lines at their spaces (short ones stay exactly as they are) and append the number."""
    shown = []
    for line in map(visible, lines):
        short = len(line) <= LINE
        shown += [line] if short else wrap(line, LINE, break_long_words=False, break_on_hyphens=False)
    return [*shown[:-1], f"{shown[-1]}   {number}"] if number else shown


def _label(text: str) -> str:
    """Disarm what Graphviz interprets in a label: entities and backslash escapes."""
    return visible(text).replace("&", "&amp;").replace("\\", 2 * "\\")


def _tooltip(text: str) -> str:
    """Disarm the same in a tooltip, whose backslashes Graphviz interprets twice."""
    return visible(text).replace("&", "&amp;").replace("\\", 4 * "\\") or " "


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # the block "Control Pictures"
    return "\u2421" if code == 0x7F else "\ufffd"
