"""A chart of what every attribute adds (Altair, loaded when the chart is made)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgm_nb.errors import needed
from pgm_nb.views.charts import dressed
from pgm_nb.views.style import class_colour, visible

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Gain", "gain_chart"]

CLASS, MOTHER = "tells about the class", "tells about its mother, class known"
_ROW = 22


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


def gain_chart(gains: Sequence[Gain], *, theme: str = "light") -> alt.Chart:
    """Draw a bar per attribute, in the order given: what it tells about the class and about its mother.

    Examples
    --------
    >>> chart = gain_chart([Gain("age", 0.25), Gain("dose", 0.125, 0.5, "age")])
    >>> [row["bits"] for row in next(iter(chart.to_dict()["datasets"].values()))]
    [0.25, 0.125, 0.5]
    """
    with needed("altair", "a chart"):
        import altair as alt

    rows = [
        {
            "attribute": visible(gain.attribute),
            "place": place,
            "kind": kind,
            "layer": layer,
            "bits": bits,
            "mother": visible(gain.mother),
        }
        for place, gain in enumerate(gains)
        for layer, (kind, bits) in enumerate(((CLASS, gain.relevance), (MOTHER, gain.dependence)))
        if kind == CLASS or bits > 0
    ]
    kinds = [CLASS, MOTHER] if any(row["kind"] == MOTHER for row in rows) else [CLASS]
    chart = (
        alt.Chart({"values": rows}, height=alt.Step(_ROW))
        .mark_bar(height={"band": 0.72})
        .encode(
            y=alt.Y("attribute:N", sort=alt.SortField("place"), title=None, axis=alt.Axis(labelLimit=260)),
            x=alt.X("bits:Q", stack="zero", title="bits"),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=[class_colour(place) for place in range(len(kinds))]),
                legend=alt.Legend(labelLimit=320) if len(kinds) > 1 else None,
            ),
            order=alt.Order("layer:O"),
            tooltip=[
                alt.Tooltip("attribute:N", title="attribute"),
                alt.Tooltip("kind:N", title="it"),
                alt.Tooltip("mother:N", title="mother"),
                alt.Tooltip("bits:Q", title="bits", format=".4f"),
            ],
        )
    )
    finished: alt.Chart = dressed(chart, theme)
    return finished
