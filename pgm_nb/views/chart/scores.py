"""Charts of a comparison: scores per fold, reliability curves, and the critical-difference diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import ceil, isnan
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from pgm_nb.errors import needed
from pgm_nb.views.chart.look import class_scale, dressed, inline
from pgm_nb.views.style import FONTS, colours, visible
from pgm_nb.views.svg import document, label

if TYPE_CHECKING:
    import altair as alt
    from PIL.ImageFont import FreeTypeFont

__all__ = ["calibration_chart", "critical_difference_svg", "score_chart"]

_WIDTH, _ROW, _SQUARE = 460, 34, 360
_UNIT = 70.0  # pixels of one rank, where there is room
_LEAST, _MOST, _MARGIN = 280.0, 620.0, 16.0  # width of the line, space around the picture
_NUMBER = 64.0  # width of the rank behind a name, and of the space between them
_SIZE = 12  # of the font
_NAME_ROW, _BAR = 20.0, 9.0  # height of a name and of a joining bar


def score_chart(
    folds: Mapping[str, Sequence[float]],
    means: Mapping[str, tuple[float, float]],
    title: str,
    *,
    best: str | None = None,
    theme: str = "light",
) -> alt.LayerChart:
    """Draw one line per model: a tick per fold, and the mean with its standard error.

    Parameters
    ----------
    folds : mapping of str to floats
        Scores per fold by model; NaN is left out.
    means : mapping of str to (mean, standard error)
        Drawn on top.
    title : str
        Name of the score.
    best : str, optional
        The model that is marked as the best one.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> chart = score_chart({"NB": [0.9, 1.0]}, {"NB": (0.95, 0.05)}, "accuracy")
    >>> next(iter(chart.to_dict()["datasets"].values()))
    ({'model': 'NB', 'score': 0.9}, {'model': 'NB', 'score': 1.0})
    """
    with needed("altair", "a chart"):
        import altair as alt

    paint = colours(theme)
    dots = [
        {"model": name, "score": score}
        for name, scores in folds.items()
        for score in scores
        if not isnan(score)
    ]
    bars = [
        {"model": name, "mean": mean, "error": error, "low": mean - error, "high": mean + error}
        | {"best": name == best}
        for name, (mean, error) in means.items()
        if not isnan(mean)
    ]
    axis = alt.Axis(title=None, labelLimit=320, ticks=False, domain=False)
    y = alt.Y("model:N", sort=list(folds), axis=axis)
    scale = alt.Scale(zero=False, nice=True)
    each = (
        alt.Chart(inline(dots))
        .mark_tick(size=16, thickness=1.5, opacity=0.6, color=paint["outline"])
        .encode(
            x=alt.X("score:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6)),
            y=y,
            tooltip=["model:N", "score:Q"],
        )
    )
    tips = [alt.Tooltip("model:N"), alt.Tooltip("mean:Q", format=".4f"), alt.Tooltip("error:Q", format=".4f")]
    over = alt.Chart(inline(bars)).encode(y=y, tooltip=tips)
    error = over.mark_rule(color=paint["class fill"], strokeWidth=2.5).encode(x="low:Q", x2="high:Q")
    mean = over.mark_point(color=paint["class fill"], filled=True, size=80, opacity=1).encode(x="mean:Q")
    marked = over.transform_filter("datum.best").encode(x="mean:Q")
    diamond = marked.mark_point(color=paint["second arc"], filled=True, size=150, opacity=1, shape="diamond")
    word = marked.mark_text(color=paint["second arc"], dy=-13, fontWeight="bold", text="best")
    chart = alt.layer(each, error, mean, diamond, word).properties(width=_WIDTH, height=_ROW * len(folds))
    finished: alt.LayerChart = dressed(chart, theme)
    return finished


def calibration_chart(
    curves: Mapping[str, Sequence[tuple[float, float, int]]], *, theme: str = "light"
) -> alt.LayerChart:
    """Draw reliability curves over the diagonal, on which a model is right as often as it predicts.

    Parameters
    ----------
    curves : mapping of str to (predicted, observed, rows)
        The bins of every model.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> chart = calibration_chart({"NB": [(0.7, 0.6, 50), (0.9, 0.8, 50)]})
    >>> len(chart.to_dict()["layer"])
    3
    """
    with needed("altair", "a chart"):
        import altair as alt

    points = [
        {"model": name, "predicted": predicted, "observed": observed, "rows": rows}
        for name, curve in curves.items()
        for predicted, observed, rows in curve
    ]
    ends = [{"predicted": value, "observed": value} for value in (_lowest(points), 1.0)]
    scale = alt.Scale(zero=False, nice=False)
    x = alt.X("predicted:Q", title="predicted probability", scale=scale, axis=alt.Axis(format="%"))
    y = alt.Y("observed:Q", title="share that was right", scale=scale, axis=alt.Axis(format="%"))
    names = list(curves)
    colour = alt.Color(
        "model:N",
        scale=class_scale(names),
        legend=alt.Legend(title=None),
    )
    diagonal = alt.Chart(inline(ends)).mark_line(
        color=colours(theme)["outline"], strokeDash=[5, 4], strokeWidth=1.2
    )
    base = alt.Chart(inline(points)).encode(x=x, y=y, color=colour)
    tips = [
        alt.Tooltip("model:N"),
        alt.Tooltip("predicted:Q", format=".1%"),
        alt.Tooltip("observed:Q", format=".1%"),
        alt.Tooltip("rows:Q"),
    ]
    line = base.mark_line(strokeWidth=1.8)
    dots = base.mark_circle(size=46, opacity=1).encode(tooltip=tips)
    chart = alt.layer(diagonal.encode(x=x, y=y), line, dots).properties(width=_SQUARE, height=_SQUARE)
    finished: alt.LayerChart = dressed(chart, theme)
    return finished


def _lowest(points: Sequence[Mapping[str, Any]]) -> float:
    return min((min(point["predicted"], point["observed"]) for point in points), default=0.0)


def critical_difference_svg(
    ranks: Mapping[str, float],
    difference: float,
    groups: Sequence[Sequence[str]],
    *,
    theme: str = "light",
) -> str:
    """Draw average ranks, the best on the left (Demšar 2006, figure 1).

    Parameters
    ----------
    ranks : mapping of str to float
        Average rank by model.
    difference : float
        The critical difference, drawn to scale above the line.
    groups : sequence of sequences of str
        Models that do not differ significantly; a bar joins each group.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> svg = critical_difference_svg({"NB": 1.8, "TAN": 1.2}, 0.9, [("NB", "TAN")])
    >>> "CD = 0.90" in svg, svg.count("<text")
    (True, 5)
    """
    paint = colours(theme)
    ordered = sorted(ranks, key=lambda name: ranks[name])
    half = ceil(len(ordered) / 2)
    left, right = ordered[:half], ordered[half:][::-1]  # both from the top down
    unit = min(max(_UNIT, _LEAST / (len(ranks) - 1)), _MOST / (len(ranks) - 1))
    start = _MARGIN + max(map(_name_width, left)) + _NUMBER
    stop = start + unit * (len(ranks) - 1)
    across = {name: start + unit * (rank - 1) for name, rank in ranks.items()}
    line = 64.0  # where the line of ranks is, below the critical difference
    levels = _levels([(across[g[0]], across[g[-1]]) for g in _sorted(groups, ranks)])
    names_from = line + 14 + _BAR * (max((level for *_, level in levels), default=-1) + 1) + 12
    parts = [*_ruler(start, line, unit, len(ranks), difference, paint)]
    for low, high, level in levels:
        y = line + 12 + _BAR * level
        parts.append(_stroke(low - 4, y, high + 4, y, paint["separator outline"], 4))
    for side, edge in ((left, start - 14), (right, stop + 14)):
        for row, name in enumerate(side):
            y = names_from + _NAME_ROW * row
            parts += _named(name, ranks[name], across[name], line, y, edge, side is left, paint)
    widest = max(map(_name_width, right), default=0.0)
    width = max(stop + widest + _NUMBER, start + unit * difference) + _MARGIN
    return document(
        width, names_from + _NAME_ROW * (half - 1) + _MARGIN, "Critical-difference diagram", parts
    )


def _ruler(
    start: float, line: float, unit: float, count: int, difference: float, paint: Mapping[str, str]
) -> list[str]:
    """Draw the line with a tick per rank, and the critical difference to scale above it."""
    parts = [_stroke(start, line, start + unit * (count - 1), line, paint["text"], 1.2)]
    for rank in range(1, count + 1):
        x = start + unit * (rank - 1)
        parts.append(_stroke(x, line - 6, x, line, paint["text"], 1.2))
        parts.append(label(str(rank), x, line - 11, paint["number"], size=11))
    end = start + unit * difference
    parts.append(_stroke(start, 28, end, 28, paint["number"], 1.6))
    parts += [_stroke(x, 24, x, 32, paint["number"], 1.6) for x in (start, end)]
    parts.append(label(f"CD = {difference:.2f}", start, 17, paint["number"], size=11, anchor="start"))
    return parts


def _named(
    name: str,
    rank: float,
    x: float,
    line: float,
    y: float,
    edge: float,
    on_left: bool,
    paint: Mapping[str, str],
) -> list[str]:
    """Lead from a place on the line down and out to the name of the model and its rank."""
    path = f'<polyline points="{x:.1f},{line:.1f} {x:.1f},{y:.1f} {edge:.1f},{y:.1f}" '
    text = f"{name}  {rank:.2f}" if on_left else f"{rank:.2f}  {name}"
    place, anchor = (edge - 5, "end") if on_left else (edge + 5, "start")
    return [
        f'{path}fill="none" stroke="{paint["tree arc"]}" stroke-width="1"/>',
        label(text, place, y + 4, paint["text"], size=_SIZE, anchor=anchor),
    ]


def _sorted(groups: Sequence[Sequence[str]], ranks: Mapping[str, float]) -> list[list[str]]:
    return [sorted(group, key=lambda name: ranks[name]) for group in groups]


def _levels(bars: Sequence[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """Give every bar the first level on which it touches no other."""
    placed: list[tuple[float, float, int]] = []
    for low, high in sorted(bars):
        taken = {level for _, other, level in placed if other + 12 > low}
        placed.append((low, high, next(i for i in range(len(bars)) if i not in taken)))
    return placed


def _stroke(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}" stroke-linecap="round"/>'
    )


def _name_width(name: str) -> float:
    """Return how wide a name is drawn in our font, which is wider than those of browsers."""
    shown = visible(name)
    wide = sum(east_asian_width(letter) in "WF" for letter in shown)  # the font has no Chinese characters
    return _font().getlength(shown) + _SIZE * wide


@cache
def _font() -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(FONTS / "DejaVuSans.ttf", _SIZE)
