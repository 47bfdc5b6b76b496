"""The player of a growth as one self-contained HTML page, and the data it takes."""

import json
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, TypedDict

from pgm_nb.views.style import visible

__all__ = ["Play", "PlayContender", "PlayCurve", "PlayStep", "player_page", "player_script", "player_style"]

_ASSETS = Path(__file__).parent / "assets"
_CLOSED = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"  # nothing is fetched


class PlayContender(TypedDict):
    """One line of the table of runners-up."""

    names: list[str]
    number: str
    value: float
    won: bool
    box: str  #: its id in the picture; empty for none
    mothers: list[str]  #: the ids of what it would be linked with
    mark: str  #: what stands beside it in the picture
    home: bool  #: whether the box is not its own but that of its mother, which it would join


class PlayStep(TypedDict):
    """What one step shows; every second part of the sentence is a name."""

    title: str
    parts: list[str]
    facts: list[list[str]]
    contenders: list[PlayContender]


class PlayCurve(TypedDict):
    """A number at every step, and how it is written there."""

    name: str
    numbers: list[float | None]
    texts: list[str]


class Play(TypedDict):
    """Everything the player shows, in a form that JSON can hold.

    There is one picture, whose elements carry the class ``s<step>``, or one for every step.
    """

    title: str
    introduction: str
    alternative: str
    cursor: str
    steps: list[PlayStep]
    contest: str
    heads: list[str]
    number: str
    curves: list[PlayCurve]
    chosen: int | None
    help: dict[str, str]
    pictures: list[str]


@cache
def player_script() -> str:
    """Return the JavaScript that defines ``player(root, data, options)``.

    Examples
    --------
    >>> "function player(root, data" in player_script()
    True
    """
    return (_ASSETS / "player.js").read_text(encoding="utf-8")


@cache
def player_style() -> str:
    """Return the stylesheet of the player.

    Examples
    --------
    >>> ".growth {" in player_style()
    True
    """
    return (_ASSETS / "player.css").read_text(encoding="utf-8")


def player_page(data: Play | Mapping[str, Any]) -> str:
    """Write the player with its data as one HTML page that works offline.

    Examples
    --------
    >>> page = player_page({"title": "a </script> b", "introduction": ""})
    >>> page.count("</script>")
    1
    """
    held = json.dumps(data, allow_nan=False).replace("<", "\\u003c")  # no text can end the script
    title, said = escape(visible(data["title"])), escape(visible(data["introduction"]))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_CLOSED}">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 1.5rem auto; max-width: 1280px; padding: 0 1rem; color: #1f2a37; background: #ffffff;
       font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #e6ebf1; background: #0e1117; --st-text-color: #e6ebf1; --st-background-color: #0e1117;
         --st-secondary-background-color: #18222e; --st-border-color: #47566a; --st-primary-color: #7fb2e5; }}
  .growth {{ --glow: #ffa24d !important; }}
}}
{player_style()}</style>
</head>
<body>
<h1>{title}</h1>
<p>{said}</p>
<div id="player"></div>
<script>
{player_script()}
player(document.getElementById("player"), {held});
</script>
</body>
</html>
"""
