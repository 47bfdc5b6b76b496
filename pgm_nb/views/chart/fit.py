"""Charts of how well structures describe a table: weight and KL divergence, and the loss on unseen rows.

Altair is loaded when a chart is made. Names are data here, never code, so any name is safe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import needed
from pgm_nb.views.chart.look import class_scale, dressed, inline
from pgm_nb.views.style import class_colour, colours, visible
from pgm_nb.words import Scale, typical

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Fit", "Loss", "loss_chart", "split_chart", "steps_chart"]

RELEVANCE = "about the class"
DEPENDENCE = "shared between attributes, given the class"
MISSED = "missed (KL divergence)"
SEEN, UNSEEN = "training rows", "unseen rows"
_ROW = 34
_BITS = ".4f"


@dataclass(frozen=True)
class Fit:
    """How much of the information in a table a structure captures, in bits.

    Examples
    --------
    >>> fit = Fit("TAN", relevance=1.0, dependence=0.5, kl=0.25, gap=0.0)
    >>> fit.weight, fit.total
    (1.5, 1.75)
    """

    model: str
    relevance: float  #: sum of I(Xi;Y)
    dependence: float  #: sum of I(Xi;Xm|Y) over attributes and their mothers
    kl: float
    gap: float  #: how far it is below the best tree
    proven: bool = True  #: whether the best is known; otherwise the gap is the most it can be

    @property
    def weight(self) -> float:
        """The information that the structure captures."""
        return self.relevance + self.dependence

    @property
    def total(self) -> float:
        """The information that all columns share, the same for every structure."""
        return self.weight + self.kl


@dataclass(frozen=True)
class Loss:
    """Log-loss of a model in bits per row, on training rows and on unseen rows.

    Examples
    --------
    >>> Loss("TAN", seen=0.1, unseen=0.4, error=0.05).model
    'TAN'
    """

    model: str
    seen: float
    unseen: float
    error: float  #: standard error of `unseen`


def split_chart(fits: Sequence[Fit], *, theme: str = "light", scale: Scale | None = None) -> alt.LayerChart:
    """Draw a bar per structure: what it captures, in two parts, and what it misses; all are equally long.

    Parameters
    ----------
    fits : sequence of Fit
        The structures.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> chart = split_chart([Fit("TAN", 1.0, 0.5, 0.25, 0.0)])
    >>> [row["bits"] for row in next(iter(chart.to_dict()["datasets"].values()))]
    [1.0, 0.5, 0.25]
    """
    with needed("altair", "a chart"):
        import altair as alt

    paint = colours(theme)
    if (of := scale) is not None:
        return _shares_chart(fits, of.whole, theme)
    parts = (("relevance", RELEVANCE), ("dependence", DEPENDENCE), ("kl", MISSED))
    rows = [
        {**asdict(fit), "model": visible(fit.model), "weight": fit.weight, "part": part, "place": place}
        | {"bits": getattr(fit, name)}
        for fit in fits
        for place, (name, part) in enumerate(parts)
    ]
    base = alt.Chart(inline(rows)).encode(y=_models([fit.model for fit in fits]))
    bars = base.mark_bar(height={"band": 0.72}).encode(
        x=alt.X("bits:Q", stack="zero", title="bits", axis=alt.Axis(tickCount=8)),
        order="place:O",
        color=alt.Color(
            "part:N",
            scale=alt.Scale(
                domain=[part for _, part in parts],
                range=[class_colour(0), class_colour(1), paint["shade 2"]],
            ),
            legend=alt.Legend(title=None, orient="top"),
        ),
        tooltip=[
            alt.Tooltip("model:N"),
            alt.Tooltip("part:N"),
            alt.Tooltip("bits:Q", format=_BITS),
            alt.Tooltip("weight:Q", format=_BITS, title="captured in all"),
            alt.Tooltip("kl:Q", format=_BITS, title="KL divergence"),
            alt.Tooltip("gap:Q", format=_BITS, title="below the best tree"),
        ],
    )
    numbers = (
        alt.Chart(inline([{"model": visible(fit.model), "at": fit.total, "kl": fit.kl} for fit in fits]))
        .mark_text(align="right", dx=-6, color=paint["text"])
        .encode(y=_models([fit.model for fit in fits]), x="at:Q", text=alt.Text("kl:Q", format=".2f"))
    )
    finished: alt.LayerChart = dressed(alt.layer(bars, numbers).properties(height=_ROW * len(fits)), theme)
    return finished


def _shares_chart(fits: Sequence[Fit], whole: float, theme: str) -> alt.LayerChart:
    """Draw what every structure captures as shares of what the best tree captures."""
    with needed("altair", "a chart"):
        import altair as alt

    parts = (("relevance", RELEVANCE), ("dependence", DEPENDENCE))
    rows = [
        {
            "model": visible(fit.model),
            "part": part,
            "place": place,
            "share": getattr(fit, name) / whole,
            "captured": fit.weight / whole,
        }
        for fit in fits
        for place, (name, part) in enumerate(parts)
    ]
    base = alt.Chart(inline(rows)).encode(y=_models([fit.model for fit in fits]))
    axis = alt.Axis(tickCount=5, format=".0%")
    bars = base.mark_bar(height={"band": 0.72}).encode(
        x=alt.X("share:Q", stack="zero", title="of what the best tree captures", axis=axis),
        order="place:O",
        color=alt.Color(
            "part:N",
            scale=alt.Scale(domain=[RELEVANCE, DEPENDENCE], range=[class_colour(0), class_colour(1)]),
            legend=alt.Legend(title=None, orient="top"),
        ),
        tooltip=[
            alt.Tooltip("model:N"),
            alt.Tooltip("part:N"),
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("captured:Q", format=".1%", title="captured in all"),
        ],
    )
    ends = base.transform_filter("datum.place === 1").mark_text(
        align="left", dx=6, color=colours(theme)["text"]
    )
    numbers = ends.encode(x="captured:Q", text=alt.Text("captured:Q", format=".1%"))
    finished: alt.LayerChart = dressed(alt.layer(bars, numbers).properties(height=_ROW * len(fits)), theme)
    return finished


def steps_chart(
    curves: Mapping[str, Sequence[tuple[str, float]]], *, theme: str = "light", scale: Scale | None = None
) -> alt.Chart:
    """Draw the KL divergence against the number of attributes that have joined, a line per structure.

    Parameters
    ----------
    curves : mapping of str to pairs
        Per structure the attribute that joined and the KL divergence after it, the first with no attribute.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> chart = steps_chart({"TAN": [("", 2.0), ("age", 1.5)]})
    >>> [row["kl"] for row in next(iter(chart.to_dict()["datasets"].values()))]
    [2.0, 1.5]
    """
    with needed("altair", "a chart"):
        import altair as alt

    names = [visible(name) for name in curves]
    of = scale
    title, format = ("KL divergence", _BITS) if of is None else ("captured, of the best tree", ".1%")
    rows = [
        {
            "model": visible(name),
            "number": number,
            "attribute": visible(attribute),
            "kl": kl if of is None else (curve[0][1] - kl) / of.whole,
        }
        for name, curve in curves.items()
        for number, (attribute, kl) in enumerate(curve)
    ]
    chosen = alt.selection_point(fields=["model"], bind="legend")
    base = alt.Chart(inline(rows)).encode(
        x=alt.X("number:Q", title="attributes in the structure", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y(
            "kl:Q",
            title=f"{title} (bits)" if of is None else title,
            scale=alt.Scale(zero=False) if of is None else alt.Scale(nice=False),
            axis=alt.Axis() if of is None else alt.Axis(format=".0%", tickMinStep=0.01),
        ),
        color=alt.Color(
            "model:N",
            scale=class_scale(names),
            legend=alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3),
        ),
        opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.12)),
    )
    line = base.mark_line(strokeWidth=2).encode(
        strokeDash=alt.StrokeDash("model:N", legend=None, scale=alt.Scale(domain=names, range=_DASHES))
    )
    points = base.mark_circle(size=40).encode(
        tooltip=[
            alt.Tooltip("model:N"),
            alt.Tooltip("number:Q", title="attributes"),
            alt.Tooltip("attribute:N", title="last to join"),
            alt.Tooltip("kl:Q", format=format, title=title),
        ]
    )
    finished: alt.Chart = dressed(alt.layer(line, points.add_params(chosen)).properties(height=320), theme)
    return finished


_DASHES = [[1, 0], [8, 3], [2, 2], [6, 2, 2, 2], [12, 4]]  # lines that overlap stay distinct


def loss_chart(losses: Sequence[Loss], *, theme: str = "light", scale: Scale | None = None) -> alt.LayerChart:
    """Draw the log-loss of every model on training rows and on unseen rows; a long line means overfitting.

    Parameters
    ----------
    losses : sequence of Loss
        The models, in order.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> chart = loss_chart([Loss("TAN", 0.1, 0.4, 0.05)])
    >>> len(chart.to_dict()["layer"])
    3
    """
    with needed("altair", "a chart"):
        import altair as alt

    paint = colours(theme)
    plain = scale is not None
    number = typical if plain else float
    wide: list[dict[str, Any]] = [{"model": visible(loss.model), "error": loss.error} for loss in losses]
    for row, loss in zip(wide, losses, strict=True):
        row |= {"seen": number(loss.seen), "unseen": number(loss.unseen)}
        row |= {"low": number(loss.unseen - loss.error), "high": number(loss.unseen + loss.error)}
    both = [
        row | {"rows": rows, "loss": row[name]}
        for row in wide
        for name, rows in (("seen", SEEN), ("unseen", UNSEEN))
    ]
    y = _models([loss.model for loss in losses])
    title = "log-loss (bits per row; left is better)"
    if plain:
        title = "typical probability of the true class (right is better)"
    format, axis = (
        (".1%", alt.Axis(tickCount=8, format=".0%", tickMinStep=0.01))
        if plain
        else (_BITS, alt.Axis(tickCount=8))
    )
    tips = [
        alt.Tooltip("model:N"),
        alt.Tooltip("seen:Q", format=format, title=SEEN),
        alt.Tooltip("unseen:Q", format=format, title=UNSEEN),
    ]
    if not plain:
        tips.append(alt.Tooltip("error:Q", format=_BITS, title="standard error"))
    gap = alt.Chart(inline(wide)).mark_rule(strokeWidth=3, opacity=0.35, color=paint["outline"])
    error = alt.Chart(inline(wide)).mark_rule(strokeWidth=1.5, color=class_colour(1))
    dots = alt.Chart(inline(both)).mark_point(filled=True, size=95, opacity=1)
    chart = alt.layer(
        gap.encode(
            y=y,
            x=alt.X("seen:Q", title=title, axis=axis, scale=alt.Scale(zero=not plain)),
            x2="unseen:Q",
            tooltip=tips,
        ),
        error.encode(y=y, x="low:Q", x2="high:Q", tooltip=tips),
        dots.encode(
            y=y,
            x="loss:Q",
            tooltip=tips,
            color=alt.Color(
                "rows:N",
                scale=alt.Scale(domain=[SEEN, UNSEEN], range=[class_colour(0), class_colour(1)]),
                legend=alt.Legend(title=None, orient="top"),
            ),
            shape=alt.Shape(
                "rows:N", scale=alt.Scale(domain=[SEEN, UNSEEN], range=["circle", "diamond"]), legend=None
            ),
        ),
    )
    finished: alt.LayerChart = dressed(chart.properties(height=_ROW * len(losses)), theme)
    return finished


def _models(names: Sequence[str]) -> Any:
    """Return the axis with the names of the models, in this order."""
    with needed("altair", "a chart"):
        import altair as alt

    axis = alt.Axis(title=None, labelLimit=320, ticks=False, domain=False, grid=False)
    return alt.Y("model:N", sort=[visible(name) for name in names], axis=axis)
