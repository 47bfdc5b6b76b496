"""Pictures for Henriksen's note: accuracy against the size of the test set, ours against scikit-learn's."""

from __future__ import annotations

from collections.abc import Sequence

from pgm_nb.evaluate.papers.store import Measured
from pgm_nb.views.style import class_colour, colours
from pgm_nb.views.svg import Panel, document, label

__all__ = ["curve_picture", "scatter_picture"]

Seen = Sequence[tuple[int, Measured, Measured]]  # test rows, ours, scikit-learn's


def curve_picture(seen: Seen) -> str:
    """Draw the mean accuracy with a band of one standard deviation; scikit-learn's as rings."""
    low = min(ours.value - ours.deviation for _, ours, _ in seen)
    panel = Panel(70, 40, 520, 320, (0.0, float(seen[-1][0] + 5)), (low - 1, 100.0))
    upper = [(size, min(ours.value + ours.deviation, 100.0)) for size, ours, _ in seen]
    lower = [(size, ours.value - ours.deviation) for size, ours, _ in seen]
    parts = [
        panel.frame("light", "test rows, of 210", "accuracy, percent"),
        f'<polygon points="{_points(panel, [*upper, *lower[::-1]])}" fill="{class_colour(0)}" '
        'fill-opacity="0.15"/>',
        f'<polyline points="{_points(panel, [(size, ours.value) for size, ours, _ in seen])}" fill="none" '
        f'stroke="{class_colour(0)}" stroke-width="2"/>',
        *(_ring(panel, size, theirs.value) for size, _, theirs in seen),
    ]
    words = (
        f"Seeds, {seen[0][1].repeats} splits per size: ours (line, band: one deviation), scikit-learn (rings)"
    )
    parts.append(label(words, 330, 24, colours("light")["text"]))
    return document(640, 420, "Accuracy against the size of the test set", parts, "auto")


def scatter_picture(seen: Seen) -> str:
    """Draw scikit-learn's mean accuracy across and ours upwards, one ring for each size."""
    values = [one.value for _, ours, theirs in seen for one in (ours, theirs)]
    ends = (min(values) - 1, max(values) + 1)
    panel = Panel(70, 40, 320, 320, ends, ends)
    (x1, y1), (x2, y2) = panel.place(ends[0], ends[0]), panel.place(ends[1], ends[1])
    paint = colours("light")
    parts = [
        panel.frame("light", "scikit-learn, percent", "ours, percent"),
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{paint["class arc"]}"/>',
        *(_ring(panel, theirs.value, ours.value) for _, ours, theirs in seen),
        label("Seeds, mean accuracy at each size", 230, 24, paint["text"]),
    ]
    return document(430, 420, "Our accuracy against scikit-learn's", parts, "auto")


def _points(panel: Panel, points: Sequence[tuple[float, float]]) -> str:
    return " ".join("{:.1f},{:.1f}".format(*panel.place(x, y)) for x, y in points)


def _ring(panel: Panel, x: float, y: float) -> str:
    across, down = panel.place(x, y)
    return f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="none" stroke="{class_colour(1)}"/>'
