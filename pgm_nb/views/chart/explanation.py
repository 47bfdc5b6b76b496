"""Charts that explain a model: what a case adds up to, what each attribute adds, how many are enough.

Names are data here, never code, so any name is safe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import copysign, exp, isfinite, log
from typing import TYPE_CHECKING, Any

from pgm_nb.data.labels import unique_labels
from pgm_nb.errors import needed
from pgm_nb.views.chart.look import class_scale, dressed, inline
from pgm_nb.views.style import brief, class_colour, colours, visible
from pgm_nb.words import Scale

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Bar", "Gain", "Line", "gain_chart", "lines", "signed", "times", "waterfall"]

_WIDTH, _HEIGHT, _ROOM = 520, 280, 36  # pixels
FOR, AGAINST, TOTAL = "for", "against", "sum"  # short, for a narrow screen
SHARE = "of what the best tree captures"
CLASS, MOTHER = "the class", "its mother"  # given the class
_ROW = 22
_ODDS = [sign * log(factor) for factor in (1, 3, 10, 100, 1_000, 10_000, 1e6, 1e9, 1e12) for sign in (-1, 1)]
_TIMES = (
    "abs(datum.value) < 0.01 ? '1' : (datum.value > 0 ? '× ' : '÷ ') + "
    "format(round(exp(abs(datum.value))), ',')"
)


@dataclass(frozen=True)
class Bar:
    """One step of a waterfall: its name, its height, and a note for the tooltip.

    Examples
    --------
    >>> Bar("age", -0.5, "age = 61").height
    -0.5
    """

    name: str
    height: float
    note: str = ""


@dataclass(frozen=True)
class Line:
    """One line: its name, its values from zero on, and their standard errors.

    Examples
    --------
    >>> Line("accuracy", (0.6, 0.9), (0.01, 0.02)).name
    'accuracy'
    """

    name: str
    values: Sequence[float]
    errors: Sequence[float]


def waterfall(
    start: float,
    bars: Sequence[Bar],
    *,
    title: str,
    theme: str = "light",
    largest: int = 12,
    scale: Scale | None = None,
) -> alt.LayerChart:
    """Draw a way from a start to its end, bar by bar, the largest first and the small ones as one.

    Parameters
    ----------
    start : float
        The prior log-odds.
    bars : sequence of Bar
        What is added; a height may be infinite, where a class is ruled out.
    title : str
        What the numbers are.
    theme : {"light", "dark"}
        Colours for a light or a dark page.
    largest : int
        Bars that are drawn on their own.

    Examples
    --------
    >>> chart = waterfall(0.2, [Bar("age", 1.0), Bar("sex", -0.4)], title="Log-odds")
    >>> [round(row["end"], 3) for row in next(iter(chart.to_dict()["datasets"].values()))]
    [0.2, 1.2, 0.8, 0.8]
    """
    with needed("altair", "a chart"):
        import altair as alt

    rows, plain = _steps(start, bars, largest), scale is not None
    paint = colours(theme)
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y(
            "name:N",
            sort=[row["name"] for row in rows],
            title=None,
            axis=alt.Axis(labelLimit=260, grid=False, ticks=False, domain=False),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="part"),
            alt.Tooltip("note:N", title="row"),
            *([] if plain else [alt.Tooltip("adds:N", title="adds")]),
            alt.Tooltip("factor:N", title="odds times"),
            *([] if plain else [alt.Tooltip("so_far:N", title="log-odds so far")]),
        ],
    )
    kinds = alt.Color(
        "kind:N",
        scale=alt.Scale(
            domain=[FOR, AGAINST, TOTAL], range=[class_colour(0), class_colour(1), paint["outline"]]
        ),
    )
    axis = "how many times as likely" if plain else "log-odds"
    ticks = alt.Axis(values=_ODDS, labelExpr=_TIMES, labelOverlap="greedy") if plain else alt.Axis()
    room = alt.Scale(padding=_ROOM)  # for the number at the right end of the longest bar
    boxes = base.mark_bar(height={"band": 0.7}).encode(
        x=alt.X("begin:Q", title=axis, axis=ticks, scale=room), x2="end:Q", color=kinds
    )
    numbers = base.mark_text(align="left", dx=4, color=paint["number"]).encode(
        x=alt.X("right:Q", title=axis, axis=ticks, scale=room), text="times:N" if plain else "label:N"
    )
    zero = alt.Chart(inline([{"zero": 0}])).mark_rule(color=paint["tree arc"]).encode(x="zero:Q")
    chart = alt.layer(boxes, numbers, zero).properties(width=_WIDTH, height=26 * len(rows), title=title)
    finished: alt.LayerChart = dressed(chart, theme)
    return finished


def _steps(start: float, bars: Sequence[Bar], largest: int) -> list[dict[str, Any]]:
    """Return one row of data per bar: where it begins and ends, and its numbers in words."""
    ranked = sorted(bars, key=lambda bar: -abs(bar.height))
    shown, folded = ranked[:largest], ranked[largest:]
    if len(folded) == 1:
        shown, folded = ranked, []
    steps = [Bar("base rate", start, "before any value is known"), *shown]
    if folded:
        steps.append(Bar(f"{len(folded)} others", sum(bar.height for bar in folded)))
    exact = sum(step.height for step in steps)
    steps.append(Bar("all together", exact))
    finite = sum(abs(step.height) for step in steps[:-1] if isfinite(step.height))
    names = unique_labels(brief(step.name) for step in steps)
    rows, end, so_far = [], 0.0, 0.0
    for name, step in zip(names, steps, strict=True):
        total = step is steps[-1]
        height = step.height if isfinite(step.height) else copysign(finite + 1.0, step.height)
        begin, end = (0.0, end) if total else (end, end + height)
        so_far = exact if total else so_far + step.height
        kind = TOTAL if total or step is steps[0] else FOR if step.height >= 0 else AGAINST
        rows.append(
            {
                "name": name,
                "note": visible(step.note),
                "kind": kind,
                "begin": begin,
                "end": end,
                "right": max(begin, end),
                "label": signed(step.height, 2),
                "times": times(step.height),
                "adds": signed(step.height, 6),
                "factor": f"{exp(min(step.height, 700.0)):.4g}" if isfinite(step.height) else "∞ or 0",
                "so_far": signed(so_far, 6),
            }
        )
    return rows


def signed(number: float, digits: int) -> str:
    """Write a number with its sign, a minus as it is printed.

    Examples
    --------
    >>> signed(-0.5, 2), signed(1.25, 1), signed(float("inf"), 2)
    ('−0.50', '+1.2', '+∞')
    """
    return f"{number:+z.{digits}f}".replace("-", "−").replace("inf", "∞")


def times(log_odds: float) -> str:
    """Write by how much log-odds multiply the odds.

    Examples
    --------
    >>> times(0.693147), times(-0.693147), times(0.0), times(4.60517), times(float("inf"))
    ('× 2.0', '÷ 2.0', '× 1.0', '× 100', '× ∞')
    """
    sign = "÷" if log_odds < 0 and abs(log_odds) >= 0.05 else "×"
    if not isfinite(log_odds):
        return f"{sign} ∞"
    factor = exp(min(abs(log_odds), 700.0))
    if factor >= 10_000:
        return f"{sign} over 10,000"
    return f"{sign} {factor:,.0f}" if factor >= 10 else f"{sign} {factor:.1f}"


def _number(value: float) -> float | None:
    """Return a number as JSON can hold it."""
    return float(value) if isfinite(value) else None


def lines(
    drawn: Sequence[Line],
    labels: Sequence[str],
    *,
    x_title: str,
    marks: Mapping[str, int] | None = None,
    theme: str = "light",
) -> alt.LayerChart:
    """Draw values against their number, a band of one standard error around each line.

    Parameters
    ----------
    drawn : sequence of Line
        The lines, all of one length.
    labels : sequence of str
        What is added at each number.
    x_title : str
        What is counted.
    marks : mapping of str to int, optional
        Numbers to point at, by what they are.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> chart = lines([Line("accuracy", (0.6, 0.9), (0.01, 0.02))], ["", "age"], x_title="attributes used")
    >>> len(chart.to_dict()["layer"])
    3
    """
    with needed("altair", "a chart"):
        import altair as alt

    rows = [
        {
            "line": visible(line.name),
            "number": number,
            "value": _number(value),
            "low": _number(value - error),
            "high": _number(value + error),
            "error": _number(error),
            "label": visible(label),
        }
        for line in drawn
        for number, (value, error, label) in enumerate(zip(line.values, line.errors, labels, strict=True))
    ]
    names = [visible(line.name) for line in drawn]
    base = alt.Chart(inline(rows)).encode(
        x=alt.X("number:Q", title=x_title, axis=alt.Axis(tickMinStep=1, format="d")),
        color=alt.Color(
            "line:N",
            scale=class_scale(names),
            legend=None if len(names) == 1 else alt.Legend(),
        ),
    )
    y_title = names[0] if len(names) == 1 else "score"
    scale = alt.Scale(zero=False)
    band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title=y_title, scale=scale), y2="high:Q")
    line = base.mark_line().encode(y=alt.Y("value:Q", title=y_title, scale=scale))
    points = base.mark_circle(size=46).encode(
        y=alt.Y("value:Q", title=y_title, scale=scale),
        tooltip=[
            alt.Tooltip("line:N", title="score"),
            alt.Tooltip("number:Q", title=x_title),
            alt.Tooltip("label:N", title="last added"),
            alt.Tooltip("value:Q", title="mean", format=".4f"),
            alt.Tooltip("error:Q", title="standard error", format=".4f"),
        ],
    )
    layers = [band, line, points, *_marks(marks or {}, theme)]
    title = ", ".join(f"{visible(why)}: {number}" for why, number in (marks or {}).items())
    chart = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT, title=title)
    finished: alt.LayerChart = dressed(chart.interactive(bind_y=False), theme)
    return finished


def _marks(marks: Mapping[str, int], theme: str) -> list[alt.Chart]:
    """Point at some numbers with a dashed line."""
    with needed("altair", "a chart"):
        import altair as alt

    colour = colours(theme)["tree arc"]
    return [
        alt.Chart(inline([{"number": number, "why": visible(why)}]))
        .mark_rule(strokeDash=[5, 4], color=colour)
        .encode(x="number:Q", tooltip=["why:N", "number:Q"])
        for why, number in marks.items()
    ]


@dataclass(frozen=True)
class Gain:
    """What an attribute adds when it joins, in bits.

    Examples
    --------
    >>> Gain("age", 0.25).mother
    ''
    """

    attribute: str
    relevance: float  #: I(Xi;Y)
    dependence: float = 0.0  #: I(Xi;Xm|Y)
    mother: str = ""


def gain_chart(gains: Sequence[Gain], *, theme: str = "light", scale: Scale | None = None) -> alt.Chart:
    """Draw a bar per attribute, in the order given: its information about the class and its mother.

    Examples
    --------
    >>> chart = gain_chart([Gain("age", 0.25), Gain("dose", 0.125, 0.5, "age")])
    >>> [row["bits"] for row in next(iter(chart.to_dict()["datasets"].values()))]
    [0.25, 0.125, 0.5]
    """
    with needed("altair", "a chart"):
        import altair as alt

    of = scale
    unit, whole, format = ("bits", 1.0, ".4f") if of is None else (SHARE, of.whole, ".1%")
    rows = [
        {
            "attribute": visible(gain.attribute),
            "place": place,
            "kind": kind,
            "layer": layer,
            "bits": bits / whole,
            "mother": visible(gain.mother),
        }
        for place, gain in enumerate(gains)
        for layer, (kind, bits) in enumerate(((CLASS, gain.relevance), (MOTHER, gain.dependence)))
        if kind == CLASS or bits > 0
    ]
    kinds = [CLASS, MOTHER] if any(row["kind"] == MOTHER for row in rows) else [CLASS]
    chart = (
        alt.Chart(inline(rows), height=alt.Step(_ROW))
        .mark_bar(height={"band": 0.72})
        .encode(
            y=alt.Y("attribute:N", sort=alt.SortField("place"), title=None, axis=alt.Axis(labelLimit=260)),
            x=alt.X(
                "bits:Q",
                stack="zero",
                title=unit,
                axis=alt.Axis() if of is None else alt.Axis(format=".0%", tickMinStep=0.01),
            ),
            color=alt.Color(
                "kind:N",
                scale=class_scale(kinds),
                legend=alt.Legend(title="says about", columns=1) if len(kinds) > 1 else None,
            ),
            order=alt.Order("layer:O"),
            tooltip=[
                alt.Tooltip("attribute:N", title="attribute"),
                alt.Tooltip("kind:N", title="information"),
                alt.Tooltip("mother:N", title="mother"),
                alt.Tooltip("bits:Q", title=unit, format=format),
            ],
        )
    )
    finished: alt.Chart = dressed(chart, theme)
    return finished
