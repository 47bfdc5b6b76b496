"""The curves of Figures 7 to 11 of Kovács et al. 2024: scores against the number of triplets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pgm_nb.errors import needed
from pgm_nb.evaluate.papers.gnb import POSITIVE, SHARE, binned, prepare, systems
from pgm_nb.evaluate.papers.splits import random_splits
from pgm_nb.files import write_atomically
from pgm_nb.scoring.metrics import CURVE_METRICS

if TYPE_CHECKING:
    from pgm_nb.explain import ImportanceCurve

__all__ = ["curves", "draw_figure", "write_figures"]

SHOWN = ("accuracy", "precision", "recall", "f1", "auc")
WIDTH, HEIGHT = 210, 170  # of a panel


def curves(name: str, folder: Path | None, *, repeats: int = 20) -> dict[str, ImportanceCurve]:
    """Return the scores of GNB-A and GNB-O against the number of triplets (Figures 7 to 11)."""
    from pgm_nb.explain import importance_curve

    X, y = prepare(name, folder)
    splits = [tuple(split) for split in random_splits(len(X), SHARE, repeats)]
    labels = y.where(y != POSITIVE[name], "~" + POSITIVE[name])  # sorts the positive class last
    return {
        system: importance_curve(model, binned(X), labels, cv=splits)
        for system, model in systems(paper=True).items()
        if system.startswith("GNB")
    }


def draw_figure(title: str, found: Mapping[str, ImportanceCurve]) -> str:
    """Return one figure as SVG: a panel per score, a line per search."""
    with needed("altair", "a chart"):
        import altair as alt
    with needed("vl-convert-python", "a chart as a file"):
        import vl_convert

    from pgm_nb.views.chart.look import dressed
    from pgm_nb.views.style import class_colour

    rows = [
        {"search": search, "triplets": size - 1, "score": SHOWN[place], "value": float(value)}
        for search, curve in found.items()
        for size, scores in enumerate(curve.mean)
        if size >= 2  # two attributes and the class make one triplet
        for place, value in enumerate(scores[[CURVE_METRICS.index(name) for name in SHOWN]])
    ]
    colours = alt.Scale(domain=[*found], range=[class_colour(place) for place in range(len(found))])
    panels = [
        alt.Chart({"values": [row for row in rows if row["score"] == name]}, width=WIDTH, height=HEIGHT)
        .mark_line(point={"size": 22})
        .encode(
            x=alt.X("triplets:Q", title="triplets", axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)),
            color=alt.Color("search:N", title=None, scale=colours, legend=alt.Legend(orient="bottom")),
        )
        .properties(title=name)
        for name in SHOWN
    ]
    chart = dressed(alt.concat(*panels, columns=3, title=title), "light")
    svg: str = vl_convert.vegalite_to_svg(chart.to_json())
    return svg


def write_figures(
    folder: Path, data: Path | None, tables: tuple[str, ...] = (), *, repeats: int = 20
) -> list[Path]:
    """Draw the figure of every table into a folder, and return the files."""
    written = []
    for name in tables or tuple(POSITIVE):
        path = folder / f"gnb-{name}.svg"
        write_atomically(path, draw_figure(name, curves(name, data, repeats=repeats)).encode())
        written.append(path)
    return written
