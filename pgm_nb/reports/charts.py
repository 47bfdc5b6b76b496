"""Charts as a page without scripts can hold them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from pgm_nb.errors import needed

__all__ = ["drawn_chart"]


def drawn_chart(build: Callable[[str], Any]) -> dict[str, str]:
    """Draw an Altair chart as SVG for a light and for a dark page, as text that an address can hold."""
    with needed("vl-convert-python", "a chart in a report"):
        import vl_convert

    def drawn(theme: str) -> str:
        return b64encode(vl_convert.vegalite_to_svg(build(theme).to_json()).encode()).decode()

    return {theme: drawn(theme) for theme in ("light", "dark")}
