"""Slides to animations: GIF and animated WebP."""

from collections.abc import Callable
from functools import cache
from io import BytesIO

import numpy as np

from pgm_nb.errors import RenderError, needed
from pgm_nb.views.player import Play
from pgm_nb.views.slide import Slides
from pgm_nb.views.style import FONTS

with needed("pillow", "an animation"):
    from PIL import Image

__all__ = ["ANIMATIONS", "animate"]

ANIMATIONS = ("gif", "webp")
_COLOURS = 255  # of a GIF
_LAST = 3  # times as long as the others the last slide stays


def animate(
    data: Play,
    format: str,
    *,
    seconds: float = 0.8,
    theme: str = "light",
    progress: Callable[[float], None] | None = None,
) -> bytes:
    """Draw every step as a slide and return them as one animated picture, which plays over and over.

    Parameters
    ----------
    data : Play
        What a player would be given.
    format : {"gif", "webp"}
        The file format.
    seconds : float
        How long a step stays; the last one stays longer.
    theme : {"light", "dark"}
        Colours of the page.
    progress : callable, optional
        Called with the fraction that is done; what it raises stops the work.

    Examples
    --------
    >>> from pgm_nb.views.player import PlayStep
    >>> picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt" viewBox="0 0 9 9"/>'
    >>> step = PlayStep(title="age joins", parts=["", "age", " joins."], facts=[], contenders=[])
    >>> animate({"steps": [step], "pictures": [picture], "curves": [], "chosen": None}, "gif")[:3]
    b'GIF'
    """
    if format not in ANIMATIONS:
        raise RenderError(f"An animation can be {' or '.join(ANIMATIONS)}, but {format!r} was asked for.")
    if not 0.02 <= seconds <= 60:
        raise RenderError(f"A step must stay between 0.02 and 60 seconds, but {seconds:g} was asked for.")
    slides = Slides(data, theme)
    last = _drawn(slides.svg(len(slides) - 1))
    palette = _palette(last) if format == "gif" else None
    images = []
    for place in range(len(slides)):
        image = last if place == len(slides) - 1 else _drawn(slides.svg(place))
        images.append(image if palette is None else image.quantize(palette=palette, dither=Image.Dither.NONE))
        if progress is not None:
            progress((place + 1) / (len(slides) + 1))
    stays = [round(1000 * seconds)] * (len(images) - 1) + [round(1000 * seconds * _LAST)]
    held = BytesIO()
    images[0].save(
        held, format, save_all=True, append_images=images[1:], duration=stays, loop=0,
        **({"optimize": False} if format == "gif" else {"quality": 90, "method": 3}),
    )  # fmt: skip
    return held.getvalue()


def _palette(image: Image.Image) -> Image.Image:
    """Return the colours that are most of an image, as they are: page and boxes keep theirs."""
    colours, counts = np.unique(np.asarray(image).reshape(-1, 3), axis=0, return_counts=True)
    common = colours[np.argsort(-counts, kind="stable")[:_COLOURS]]
    palette = Image.new("P", (1, 1))
    palette.putpalette(common.ravel().tolist())
    return palette


def _drawn(svg: str) -> Image.Image:
    with needed("vl-convert-python", "an animation"):
        import vl_convert

    _with_fonts()
    with Image.open(BytesIO(vl_convert.svg_to_png(svg))) as image:
        return image.convert("RGB")


@cache
def _with_fonts() -> None:
    """Let letters that the machine's own fonts lack be drawn with ours."""
    import vl_convert

    vl_convert.register_font_directory(str(FONTS))
