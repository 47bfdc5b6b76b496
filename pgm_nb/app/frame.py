"""The frame around the picture: whole at a glance, or at full size to scroll in; letters stay legible."""

import re
from base64 import b64encode
from html import escape

from pgm_nb.errors import RenderError

__all__ = ["picture_frame"]

SMALLEST = 0.6  # scale below which the letters of a picture would be too small to read
PIXELS_PER_POINT = 4 / 3


def picture_frame(svg: bytes, alternative: str, *, full_size: bool = False) -> str:
    """Return HTML that shows an SVG as an image, in which no script can run.

    Parameters
    ----------
    svg
        The picture, with its size in points.
    alternative
        What it shows, for those who cannot see it.
    full_size
        Draw it at its own size and let the frame scroll; else it fits the frame as long as it stays legible.

    Examples
    --------
    >>> html = picture_frame(b'<svg width="90pt" height="60pt"/>', 'a "tree"')
    >>> 'alt="a &quot;tree&quot;"' in html, "max(72px, min(120px, 100%, 117.0vh))" in html
    (True, True)
    """
    width, height = _size(svg)
    fitting = f"max({SMALLEST * width:.0f}px, min({width:.0f}px, 100%, {78 * width / height:.1f}vh))"
    shown = f"{width:.0f}px" if full_size else fitting
    return (
        '<div style="overflow:auto; max-height:82vh; padding:0.25rem 0">'
        f'<img src="data:image/svg+xml;base64,{b64encode(svg).decode()}" alt="{escape(alternative)}" '
        f'style="display:block; margin:0 auto; max-width:none; height:auto; width:{shown}"></div>'
    )


def _size(svg: bytes) -> tuple[float, float]:
    """Return width and height in pixels."""
    found = re.search(rb'<svg[^>]*?\swidth="([\d.]+)pt"\s+height="([\d.]+)pt"', svg)
    if found is None:
        raise RenderError("the picture has no size, so it cannot be shown here; download it instead.")
    return float(found[1]) * PIXELS_PER_POINT, float(found[2]) * PIXELS_PER_POINT
