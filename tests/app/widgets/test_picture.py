"""The component of the picture: what it is made of."""

import re

from pgm_nb.app.widgets.picture import text
from pgm_nb.views.style import colours, dark_rules


def test_every_part_of_the_page_that_the_script_asks_for_is_there():
    asked = set(re.findall(r'querySelector\("\.(\w+)"\)', text("picture.js")))
    assert asked == {"picture", "frame", "map", "found", "paper"}
    assert all(f'class="{name}"' in text("picture.html") for name in asked)


def test_everything_that_can_be_used_has_a_name():
    buttons = re.findall(r"<button[^>]*>[^<]*", text("picture.html"))
    assert len(buttons) == 3
    assert all("title=" in button for button in buttons)
    assert 'aria-label="Find a name in the picture"' in text("picture.html")
    assert ":focus-visible" in text("picture.css")


def test_what_could_act_is_taken_out_of_the_svg():
    for word in ("script", "foreignObject", "iframe", "^on", "href$"):
        assert word in text("picture.js")
    assert "innerHTML" not in text("picture.js")


def test_every_colour_has_a_dark_partner():
    rules = dark_rules("dark")
    light, dark = colours("light"), colours("dark")
    assert all(f'.dark [fill="{light[role]}"]{{fill:{dark[role]}}}' in rules for role in light)
