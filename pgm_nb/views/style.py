"""How everything looks: fonts, and colours that stay distinct for colour-blind readers and in grey print.

Every role has a colour for a light and one for a dark page; light values are unique, so that a stylesheet can
swap each of them for its dark partner.
"""

import re
from pathlib import Path
from types import MappingProxyType

__all__ = [
    "FONT",
    "FONTS",
    "SCOPE",
    "SHADES",
    "THEMES",
    "brief",
    "class_colour",
    "colours",
    "dark_rules",
    "dark_style",
    "shade",
    "visible",
]

_ROLES = {
    # role: (on a light page, on a dark page)
    "page": ("#ffffff", "#0e1117"),
    "text": ("#1f2a37", "#e6ebf1"),
    "number": ("#3d4a5a", "#c3ccd8"),
    "class fill": ("#2c4a6e", "#a9cbef"),
    "class text": ("#fdfeff", "#10202f"),
    "outline": ("#6f8196", "#8496aa"),
    "shade 0": ("#f3f6fa", "#18222e"),
    "shade 1": ("#dfe9f4", "#1d3046"),
    "shade 2": ("#c8dbee", "#23405e"),
    "shade 3": ("#aecbe7", "#2a5178"),
    "shade 4": ("#92b9df", "#336394"),
    "separator fill": ("#fbe8c3", "#4a3a17"),
    "separator outline": ("#b0863a", "#cfa75e"),
    "tree arc": ("#55677b", "#9dadbf"),
    "class arc": ("#b4c0cd", "#47566a"),
    "first arc": ("#0b6cb3", "#66b2f2"),
    "second arc": ("#b9500a", "#f0a35e"),
}
SHADES = 5
SCOPE = "pgm-nb"  #: class of our SVG elements, for stylesheets
FONT = "Helvetica,Arial,sans-serif"
FONTS = Path(__file__).parent / "fonts"  #: the folder of the font that pictures are drawn with
_CLASSES = (  # Okabe and Ito's colours, distinct for colour-blind readers; two are changed to be visible
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d31", "#7f7f7f",
    # each further one is as far as can be from those before it, also for who does not see red and green
    "#6900ff", "#d22dff", "#006900", "#963c69", "#96b487", "#b44bb4", "#785ae1", "#ff2d69",
    "#ff78d2", "#2d4bd2", "#9687d2", "#78b42d", "#5a5a87", "#ff8769", "#c378ff", "#c30087",
    "#b40f00", "#3c784b", "#4b96a5", "#3c87d2", "#783cb4", "#2d78ff", "#00c3a5", "#d24b4b",
)  # fmt: skip
THEMES = ("light", "dark", "auto")


def colours(theme: str) -> MappingProxyType[str, str]:
    """Return the colour of every role on a ``"light"`` or ``"dark"`` page.

    Examples
    --------
    >>> colours("light")["page"], colours("dark")["page"]
    ('#ffffff', '#0e1117')
    """
    column = 1 if theme == "dark" else 0
    return MappingProxyType({role: pair[column] for role, pair in _ROLES.items()})


def shade(value: float | None, largest: float) -> str:
    """Return the role of the fill that shows a value between zero and the largest.

    Examples
    --------
    >>> shade(0.0, 1.0), shade(0.5, 1.0), shade(1.0, 1.0), shade(None, 0.0)
    ('shade 0', 'shade 2', 'shade 4', 'shade 0')
    """
    if value is None or largest <= 0:
        return "shade 0"
    return f"shade {min(max(int(value / largest * SHADES), 0), SHADES - 1)}"


def dark_style(scope: str) -> str:
    """Return the stylesheet that swaps light for dark colours when the reader's system prefers dark.

    Examples
    --------
    >>> '.picture [fill="#1f2a37"]{fill:#e6ebf1}' in dark_style("picture")
    True
    """
    return "@media (prefers-color-scheme: dark){" + dark_rules(scope) + "}"


def dark_rules(scope: str) -> str:
    """Return the rules that swap light for dark colours inside elements of a class.

    Examples
    --------
    >>> dark_rules("dark").startswith('.dark [fill="#ffffff"]{fill:#0e1117}')
    True
    """
    return "".join(
        f'.{scope} [{paint}="{light}"]{{{paint}:{dark}}}'
        for light, dark in _ROLES.values()
        for paint in ("fill", "stroke")
    )


def class_colour(place: int) -> str:
    """Return the colour of the class or line at this place; the first 32 places have 32 colours.

    Examples
    --------
    >>> class_colour(0), class_colour(8), class_colour(32) == class_colour(0)
    ('#0072b2', '#6900ff', True)
    """
    return _CLASSES[place % len(_CLASSES)]


LONGEST = 104  # characters of a name that are drawn: four lines of a box


def brief(text: str) -> str:
    """Return a name as it is drawn: visible, and of a very long one only the start.

    Examples
    --------
    >>> brief("age"), len(brief(5000 * "x")), brief(5000 * "x")[-2:]
    ('age', 104, 'x…')
    """
    shown = visible(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1].rstrip()}…"


def visible(text: str) -> str:
    r"""Return the text with control characters as the symbols Unicode has for them, so that nothing is lost.

    Examples
    --------
    >>> visible("two\nlines")
    'two␊lines'
    """
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\ufffe\uffff]", _symbol, text)


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # the block "Control Pictures"
    return {0x7F: "\u2421", 0x2028: "\u2424", 0x2029: "\u2424"}.get(code, "\ufffd")
