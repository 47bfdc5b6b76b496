"""Charts of a comparison: scores per fold with their means, and reliability curves (Altair)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import needed
from pgm_nb.views.style import FONT, class_colour, colours

if TYPE_CHECKING:
    import altair as alt

__all__ = ["calibration_chart", "score_chart"]

_WIDTH, _ROW, _SQUARE = 460, 34, 360


def score_chart(
    folds: Mapping[str, Sequence[float]],
    means: Mapping[str, tuple[float, float]],
    title: str,
    *,
    theme: str = "light",
) -> alt.LayerChart:
    """Draw one line per model: a tick per fold, and the mean with its standard error.

    Parameters
    ----------
    folds : mapping of str to floats
        Scores per fold by model; NaN is left out.
    means : mapping of str to (mean, standard error)
        What is drawn over them.
    title : str
        Name of the score.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> chart = score_chart({"NB": [0.9, 1.0]}, {"NB": (0.95, 0.05)}, "accuracy")
    >>> next(iter(chart.to_dict()["datasets"].values()))
    [{'model': 'NB', 'score': 0.9}, {'model': 'NB', 'score': 1.0}]
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
        for name, (mean, error) in means.items()
        if not isnan(mean)
    ]
    axis = alt.Axis(title=None, labelLimit=320, ticks=False, domain=False)
    y = alt.Y("model:N", sort=list(folds), axis=axis)
    scale = alt.Scale(zero=False, nice=True)
    each = (
        alt.Chart(alt.InlineData(values=dots))
        .mark_tick(size=16, thickness=1.5, opacity=0.6, color=paint["outline"])
        .encode(
            x=alt.X("score:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6)),
            y=y,
            tooltip=["model:N", "score:Q"],
        )
    )
    tips = [alt.Tooltip("model:N"), alt.Tooltip("mean:Q", format=".4f"), alt.Tooltip("error:Q", format=".4f")]
    over = alt.Chart(alt.InlineData(values=bars)).encode(y=y, tooltip=tips)
    error = over.mark_rule(color=paint["class fill"], strokeWidth=2.5).encode(x="low:Q", x2="high:Q")
    mean = over.mark_point(color=paint["class fill"], filled=True, size=80, opacity=1).encode(x="mean:Q")
    return _look([each, error, mean], theme, _WIDTH, _ROW * len(folds))


def calibration_chart(
    curves: Mapping[str, Sequence[tuple[float, float, int]]], *, theme: str = "light"
) -> alt.LayerChart:
    """Draw reliability curves over the diagonal, on which a model is as often right as it says.

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
    x = alt.X("predicted:Q", title="how sure the model was", scale=scale, axis=alt.Axis(format="%"))
    y = alt.Y("observed:Q", title="how often it was right", scale=scale, axis=alt.Axis(format="%"))
    names = list(curves)
    colour = alt.Color(
        "model:N",
        scale=alt.Scale(domain=names, range=[class_colour(i) for i in range(len(names))]),
        legend=alt.Legend(title=None, labelLimit=320),
    )
    diagonal = alt.Chart(alt.InlineData(values=ends)).mark_line(
        color=colours(theme)["outline"], strokeDash=[5, 4], strokeWidth=1.2
    )
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x, y=y, color=colour)
    tips = [
        alt.Tooltip("model:N"),
        alt.Tooltip("predicted:Q", format=".1%"),
        alt.Tooltip("observed:Q", format=".1%"),
        alt.Tooltip("rows:Q"),
    ]
    line = base.mark_line(strokeWidth=1.8)
    dots = base.mark_circle(size=46, opacity=1).encode(tooltip=tips)
    return _look([diagonal.encode(x=x, y=y), line, dots], theme, _SQUARE, _SQUARE)


def _lowest(points: Sequence[Mapping[str, Any]]) -> float:
    return min((min(point["predicted"], point["observed"]) for point in points), default=0.0)


def _look(layers: Sequence[alt.Chart], theme: str, width: int, height: int) -> alt.LayerChart:
    """Lay charts over each other, in the size and the colours of the house."""
    with needed("altair", "a chart"):
        import altair as alt

    paint = colours(theme)
    axis = {
        "labelColor": paint["text"],
        "titleColor": paint["text"],
        "gridColor": paint["shade 1"],
        "domainColor": paint["class arc"],
        "tickColor": paint["class arc"],
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    }
    return alt.LayerChart(
        layer=list(layers),
        width=width,
        height=height,
        background="transparent",
        config={
            "font": FONT.replace(",", ", "),
            "axis": axis,
            "legend": {"labelColor": paint["text"], "labelFontSize": 12},
            "view": {"stroke": None},
        },
    )
