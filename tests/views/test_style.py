"""The palette and the layout: colours that can be told apart, places that do not overlap."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgm_nb.views.graph.layout import butterfly, flow
from pgm_nb.views.style import class_colour, colours, shade, visible


def contrast(one, other):
    """Return the contrast ratio of two colours (WCAG 2, 1.4.3)."""

    def luminance(colour):
        parts = [part / 255 for part in bytes.fromhex(colour[1:])]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_readable_on_every_fill(theme):
    paint = colours(theme)
    for fill in (*(f"shade {n}" for n in range(5)), "separator fill", "page"):
        assert contrast(paint["text"], paint[fill]) >= 4.5
    assert contrast(paint["class text"], paint["class fill"]) >= 4.5
    assert contrast(paint["number"], paint["page"]) >= 4.5
    assert contrast(paint["tree arc"], paint["page"]) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_shades_move_away_from_the_page(theme):
    paint = colours(theme)
    steps = [contrast(paint[f"shade {n}"], paint["page"]) for n in range(5)]
    assert steps == sorted(steps)
    assert len(set(steps)) == 5


def test_light_colours_are_unique_so_that_each_has_one_dark_partner():
    assert len(set(colours("light").values())) == len(colours("light"))


def test_shade_of_odd_values():
    assert shade(-0.1, 1.0) == "shade 0"
    assert shade(0.3, 0.0) == "shade 0"
    assert shade(1.0000001, 1.0) == "shade 4"


def test_flow_turns_with_the_shape():
    assert flow(1, 10) == "TB"
    assert flow(60, 5) == "LR"


@given(st.lists(st.floats(20, 90), min_size=1, max_size=70), st.floats(30, 400), st.floats(30, 400))
def test_wings_do_not_overlap(heights, width, middle):
    places = butterfly(heights, width, middle)
    for side in (0, 1):
        boxes = [(y, height) for (_, y), height in zip(places, heights, strict=True)][side::2]
        for (upper, one), (lower, other) in pairwise(boxes):
            assert upper - one / 2 > lower + other / 2
    assert all(abs(x) - width / 2 > middle / 2 for x, _ in places)


@given(st.text())
def test_visible_text_can_be_written_as_xml(text):
    shown = visible(text)
    assert len(shown) == len(text)
    shown.encode()
    assert all(letter >= " " for letter in shown)


def test_colours_do_not_repeat_among_thirty_two_and_are_seen_on_both_pages():
    many = [class_colour(place) for place in range(32)]
    assert len(set(many)) == 32
    for theme in ("light", "dark"):
        assert min(contrast(colour, colours(theme)["page"]) for colour in many) > 2
