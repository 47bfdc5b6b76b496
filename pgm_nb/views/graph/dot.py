"""Drawings as Graphviz DOT text.

A column can have any name, so a node is known by a plain id of ours and its name is only ever a quoted label.
"""

from xml.sax.saxutils import escape

from pgm_nb.errors import RenderError
from pgm_nb.views.graph.drawing import Arc, Cell, Drawing, Node
from pgm_nb.views.graph.layout import FONT_SIZE, wrapped
from pgm_nb.views.style import FONT, brief, colours, visible

__all__ = ["to_dot"]

POINTS_PER_INCH = 72
MOST_POINTS = 1_000_000  # of a place or size
MOST_BYTES, SURE = 16_000, 3_000  # of one text in Graphviz; characters that never take as many
DEEP = 9  # ranks from which on they move closer together
_MARGIN = 9  # points above and below the text of a box together
_NUMBER = 42  # width in points of a column of numbers

_SHAPES = {
    "class": {"shape": "ellipse", "style": "filled", "margin": "0.06,0.03"},
    "attribute": {"shape": "box", "style": "filled,rounded", "margin": "0.12,0.06"},
    "cluster": {"shape": "box", "style": "filled,rounded", "margin": "0.12,0.07"},
    "separator": {"shape": "box", "style": "filled", "margin": "0.1,0.04"},
    "hidden": {"shape": "ellipse", "style": "filled,dashed", "margin": "0.06,0.03"},
    "table": {"shape": "plain"},
    "note": {"shape": "plaintext"},
}
_ARCS = {
    "class": "class arc",
    "tree": "tree arc",
    "junction": "tree arc",
    "hidden": "tree arc",
    "common": "tree arc",
    "first": "first arc",
    "second": "second arc",
    "required": "first arc",
    "forbidden": "second arc",
}
_DASHES = {"hidden": "dashed", "first": "dashed", "second": "dotted", "forbidden": "dotted"}


def to_dot(drawing: Drawing, theme: str = "light", page: str = "transparent") -> str:
    r"""Translate a drawing to DOT text; the same drawing gives the same text, and names stay as they are.

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
            tooltip=graphviz.nohtml(_tooltip(_tip(node))),
            **{"class": _classes(node.kind, node.step)},
            **_node_style(node, dict(paint)),
        )
    for arc in drawing.arcs:
        dot.edge(arc.source, arc.target, **_arc_style(arc, paint[_ARCS[arc.kind]]))
    return str(dot.source)


def _text(node: Node) -> str:
    if node.kind == "note":  # a label of the whole graph would do, but Graphviz crashes on freeing it
        return "".join(f"{_label(brief(line))}\\l" for line in node.lines)
    return "\\n".join(_label(line) for line in wrapped(node.lines, node.number)) or " "


def _tip(node: Node) -> str:
    """Return the text of the tooltip, with the whole of every line that is drawn shortened."""
    texts = (*node.lines, *(cell.text for row in node.table for cell in row))
    whole = [text for text in texts if brief(text) != visible(text) and text not in node.tip]
    return "\n".join([*dict.fromkeys(whole), node.tip]).strip("\n") if node.tip else ", ".join(node.lines)


def _table(node: Node, paint: dict[str, str]) -> str:
    """Return the table in Graphviz's own kind of HTML."""
    columns = max(len(row) for row in node.table)
    first = "" if node.width is None else f' WIDTH="{_bounded(node.width) - _NUMBER * (columns - 1):.0f}"'
    rows = "".join(
        f"<TR>{''.join(_cell(cell, paint, '' if place else first) for place, cell in enumerate(row))}</TR>"
        for row in node.table
    )
    frame = f'BORDER="1" COLOR="{paint["outline"]}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3"'
    return f'<<TABLE {frame} STYLE="ROUNDED">{rows}</TABLE>>'


def _cell(cell: Cell, paint: dict[str, str], width: str) -> str:
    fill = f' BGCOLOR="{paint[cell.fill]}"' if cell.fill else ""
    text = escape(brief(cell.text))
    if not text.strip():
        text = "&#160;"  # Graphviz crashes, now and then, on a cell of plain spaces
    if cell.small:
        text = f'<FONT POINT-SIZE="{FONT_SIZE - 4}">{text}</FONT>'
    return f'<TD ALIGN="{cell.align.upper()}" COLSPAN="{cell.span}"{width}{fill}>{text}</TD>'


def _graph_style(drawing: Drawing, page: str) -> dict[str, str]:
    style = {"bgcolor": page, "pad": "0.15"}
    if drawing.flow == "pinned":
        return style | {"layout": "neato", "splines": "line", "outputorder": "edgesfirst"}
    ranks = {"TB": ("0.25", "0.5"), "LR": ("0.18", "0.6")}  # gaps within and between ranks, in inches
    within, between = ranks[drawing.flow]
    if drawing.flow == "TB" and _depth(drawing) > DEEP:
        between = "0.32"  # so that a deep tree still fits on a screen
    if drawing.straight:
        style |= {"splines": "line", "outputorder": "edgesfirst"}
    return style | {"layout": "dot", "rankdir": drawing.flow, "nodesep": within, "ranksep": between}


def _depth(drawing: Drawing) -> int:
    """Return the number of ranks: the nodes on the longest way along the arcs that shape the layout."""
    below: dict[str, list[str]] = {}
    waiting = {node.id: 0 for node in drawing.nodes}
    for arc in drawing.arcs:
        if arc.pulls:
            below.setdefault(arc.source, []).append(arc.target)
            waiting[arc.target] += 1
    rank = dict.fromkeys(waiting, 1)
    ready = [node for node, above in waiting.items() if not above]
    for node in ready:  # it grows while it is walked through; nodes on a circle never come
        for other in below.get(node, ()):
            rank[other] = max(rank[other], rank[node] + 1)
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return max(rank.values(), default=0)


def _node_style(node: Node, paint: dict[str, str]) -> dict[str, str]:
    fills = {
        "class": "class fill",
        "attribute": "shade 0",
        "cluster": "shade 0",
        "separator": "separator fill",
        "hidden": "page",
        "table": "page",
        "note": "page",
    }
    outline = "separator outline" if node.kind == "separator" else "outline"
    style = {
        **_SHAPES[node.kind],
        "color": paint[outline],
        "fillcolor": paint[node.fill or fills[node.kind]],
        "fontcolor": paint["class text" if node.kind == "class" else "text"],
    }
    if node.outline:
        style |= {"color": node.outline, "penwidth": "3"}
    if node.room:
        text = 1.2 * FONT_SIZE * len(wrapped(node.lines, node.number)) + _MARGIN
        style |= _SHAPES["attribute"] | {
            "labelloc": "t",
            "height": _inches(text + node.room),
        }
    if node.width is not None:
        style["width"] = _inches(node.width)
    if node.at is not None:
        style["pos"] = "{},{}!".format(*map(_inches, node.at))
    return style


def _inches(points: float) -> str:
    return f"{_bounded(points) / POINTS_PER_INCH:.2f}"


def _bounded(points: float) -> float:
    """Return a length or place; Graphviz ends the process that it runs in where it is not of this world."""
    if not abs(points) <= MOST_POINTS:
        raise RenderError(
            f"A place or size in a picture must lie within {MOST_POINTS:,} points, but one is {points:g}: a "
            "number of the model is too large to be drawn."
        )
    return points


def _arc_style(arc: Arc, colour: str) -> dict[str, str]:
    from graphviz import nohtml

    style = {"class": _classes(arc.kind, arc.step), "color": colour, "penwidth": f"{_bounded(arc.width):.2f}"}
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
    if arc.kind == "forbidden":
        style["arrowhead"] = "none"
    if not arc.pulls:
        style["constraint"] = "false"
    return style


def _classes(kind: str, step: int | None) -> str:
    """Return the classes of the SVG element, by which a page can style it or toggle its step."""
    return kind if step is None else f"{kind} s{step}"


def _label(text: str) -> str:
    """Escape what Graphviz interprets in a label: entities and backslashes."""
    return visible(text).replace("&", "&amp;").replace("\\", 2 * "\\")


def _tooltip(text: str) -> str:
    """Escape the same in a tooltip, whose backslashes Graphviz interprets twice."""
    escaped = visible(text).replace("&", "&amp;").replace("\\", 4 * "\\")
    if len(escaped.encode()) > MOST_BYTES and len(text) > SURE:
        return _tooltip(f"{text[: SURE - 1]}…")
    return escaped or " "
